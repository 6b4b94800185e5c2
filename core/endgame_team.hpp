// How several threads solve one position: young brothers wait. Once the first move at a node has not refuted it, the
// other moves can be searched by any thread that is idle. The thread that came to the node stays with it until all its
// moves are done, and meanwhile helps only below it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <vector>

#include "endgame_last.hpp"
#include "interrupt.hpp"

namespace zp {

struct SolveLimits {
    uint64_t nodes = 0;              // 0 is no limit
    double seconds = 0;              // 0 is no limit
    Interrupt* interrupt = nullptr;  // may stop the search with an exception
};

// Thrown where a search has reached a limit.
struct LimitReached {};

// Thrown where the result of a search is no longer needed.
struct Stopped {};

struct Move {
    uint64_t own, opponent;  // after the move, seen by the other side
    int square;
};

// Moves that are taken best first: sorting all of them costs more, since the first often suffices.
class MoveList {
  public:
    static constexpr int kMost = 64;

    Move& add() { return moves_[n_]; }
    void rank(int order) {
        ranks_[n_] = order * kMost + kMost - 1 - n_;  // of equal moves the first
        ++n_;
    }

    const Move& next() {
        int best = ranks_[0];
        for (int i = 1; i < n_; ++i) best = best > ranks_[i] ? best : ranks_[i];
        const int at = kMost - 1 - (best & (kMost - 1));
        ranks_[at] = std::numeric_limits<int>::min();
        return moves_[at];
    }

    int size() const { return n_; }
    const Move* begin() const { return moves_; }
    const Move* end() const { return moves_ + n_; }

  private:
    int n_ = 0;
    Move moves_[kMost];
    int ranks_[kMost];
};

// A node whose remaining moves are open to all threads. Everything but `stop` is guarded by the team's mutex.
struct Split {
    const Split* parent = nullptr;
    MoveList* moves = nullptr;
    int left = 0;  // moves not yet begun
    int helpers = 0;
    int alpha = 0, empties = 0;
    uint64_t odd = 0;
    int best = -65, best_move = -1;
    std::atomic<bool> stop = false;

    bool stopped() const {
        for (const Split* split = this; split != nullptr; split = split->parent) {
            if (split->stop.load(std::memory_order_relaxed)) return true;
        }
        return false;
    }
    bool is_below(const Split* other) const {
        for (const Split* split = this; split != nullptr; split = split->parent) {
            if (split == other) return true;
        }
        return false;
    }
};

class Team {
  public:
    explicit Team(const SolveLimits& limits) : limits(limits) {}

    const SolveLimits limits;
    const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    std::atomic<uint64_t> nodes = 0;  // of all threads
    Split root;                       // above all others; stopped by the first exception

    bool wants_work() const { return idle_.load(std::memory_order_relaxed) > open_.load(std::memory_order_relaxed); }

    void open(Split& split);
    void close(Split& split);

    // The next move of a split, or null.
    const Move* take(Split& split);
    void report(Split& split, const Move& move, int score);

    // Waits for a split with moves left below `above`; null if that has no more helpers or all work is finished.
    Split* join(const Split& above);
    void leave(Split& split);

    // Stops everything because of the current exception.
    void fail();
    void finish();

    // The first exception, if any.
    void rethrow() const {
        if (failed_) std::rethrow_exception(failed_);
    }

  private:
    void notify();  // with the mutex held

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<uint64_t> changes_ = 0;
    std::vector<Split*> splits_;
    std::atomic<int> idle_ = 0, open_ = 0;  // threads without work, splits with moves left
    bool finished_ = false;
    std::exception_ptr failed_;
};

// What one thread of a team watches while it searches: its nodes, the limits, and whether its result is still needed.
class Watch {
  public:
    explicit Watch(Team& team) : split(&team.root), team_(team) { update(); }
    ~Watch() { update(); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    NodeCount count;
    const Split* split;  // the innermost that this thread works on

    // Called at every node with a table and in every pattern search, so that checks are at most about 1 ms apart.
    void check() {
        if ((++checks_ & 15) == 0) check_now();
    }

  private:
    void check_now();
    void update();  // counts the nodes of all threads

    Team& team_;
    uint64_t checks_ = 0, counted_ = 0;
};

}  // namespace zp
