#include "endgame_team.hpp"

#include <algorithm>

#include "threads.hpp"

namespace zp {

void Team::notify() {
    ++changes_;
    changed_.notify_all();
}

void Team::open(Split& split) {
    const std::lock_guard lock(mutex_);
    splits_.push_back(&split);
    if (split.left > 0) ++open_;
    notify();
}

void Team::close(Split& split) {
    const std::lock_guard lock(mutex_);
    if (split.left > 0) --open_;
    split.left = 0;
    splits_.erase(std::find(splits_.begin(), splits_.end(), &split));
}

const Move* Team::take(Split& split) {
    const std::lock_guard lock(mutex_);
    if (split.left == 0 || split.stop) return nullptr;
    if (--split.left == 0) --open_;
    return &split.moves->next();
}

void Team::report(Split& split, const Move& move, int score) {
    const std::lock_guard lock(mutex_);
    if (score <= split.best) return;
    split.best = score;
    split.best_move = move.square;
    if (score > split.alpha) split.stop = true;
}

Split* Team::join(const Split& above) {
    std::unique_lock lock(mutex_);
    ++idle_;
    Split* found = nullptr;
    while (!finished_) {
        if (&above != &root && above.helpers == 0) break;
        for (Split* split : splits_) {
            if (split->left == 0 || split->stop || (found != nullptr && found->empties >= split->empties)) continue;
            if (split->is_below(&above)) found = split;
        }
        if (found != nullptr) {
            ++found->helpers;
            break;
        }
        const uint64_t seen = changes_;
        const auto changed = [&] { return changes_ != seen; };
        lock.unlock();
        poll_briefly(changed);
        lock.lock();
        if (!changed_.wait_for(lock, Interrupt::interval(limits.interrupt), changed) && !root.stop) {
            lock.unlock();
            try {
                Interrupt::check(limits.interrupt);
            } catch (...) {
                fail();
            }
            lock.lock();
        }
    }
    --idle_;
    return found;
}

void Team::leave(Split& split) {
    const std::lock_guard lock(mutex_);
    if (--split.helpers == 0) notify();
}

void Team::fail() {
    const std::lock_guard lock(mutex_);
    if (!failed_) failed_ = std::current_exception();
    root.stop = true;
}

void Team::finish() {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    notify();
}

void Watch::update() {
    const uint64_t all = team_.nodes += count.nodes - counted_;
    counted_ = count.nodes;
    const uint64_t most = team_.limits.nodes;
    if (most != 0) count.max = count.nodes + (most > all ? most - all : 0);
}

void Watch::check_now() {
    if (split->stopped()) throw Stopped{};
    if ((checks_ & 63) != 0) return;
    update();
    Interrupt::check(team_.limits.interrupt);
    if (team_.limits.seconds > 0) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - team_.started;
        if (spent.count() > team_.limits.seconds) throw LimitReached{};
    }
}

}  // namespace zp
