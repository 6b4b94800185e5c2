#include "population_games.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "threads.hpp"

namespace zp {
namespace {

// Games that a thread plays in lockstep: with more of them a member sees more positions together.
constexpr int64_t kMinTogether = 64, kMaxTogether = 1024;

void play_block(const Prefer& prefer, const PopulationGames& games, int64_t begin, int64_t end, int32_t* scores,
                int32_t* lengths, Interrupt* interrupt) {
    std::vector<int64_t> live(end - begin);  // numbers of the games in `batch`
    std::iota(live.begin(), live.end(), begin);
    std::unique_ptr<Batch> batch = games.starts.select(live.data(), end - begin);
    const int cells = batch->cells();
    std::vector<uint8_t> over(live.size()), movers(live.size());
    std::vector<int32_t> members(live.size()), numbers(live.size()), moves(live.size()), final(live.size());
    std::vector<uint64_t> keys(live.size()), counters(live.size());
    std::vector<float> preferences(live.size() * cells);
    std::fill(lengths + begin, lengths + end, 0);
    for (;;) {
        Interrupt::check(interrupt);
        batch->over(over.data());
        if (const auto n = batch->length(); std::count(over.begin(), over.begin() + n, 0) < n) {
            batch->score(final.data());
            std::vector<int64_t> rows, left;
            for (int64_t i = 0; i < n; ++i) {
                if (over[i]) {
                    scores[live[i]] = final[i];
                } else {
                    rows.push_back(i);
                    left.push_back(live[i]);
                }
            }
            live = std::move(left);
            batch = batch->select(rows.data(), static_cast<int64_t>(rows.size()));
        }
        if (live.empty()) return;
        batch->mover(movers.data());
        batch->move_number(numbers.data());
        for (size_t i = 0; i < live.size(); ++i) {
            members[i] = (movers[i] == 0 ? games.black : games.white)[live[i]];
            keys[i] = games.keys[live[i]];
            counters[i] = static_cast<uint64_t>(numbers[i]);
            ++lengths[live[i]];
        }
        prefer(*batch, members.data(), preferences.data(), interrupt);
        const auto n = static_cast<int64_t>(live.size());
        if (choose(preferences.data(), n, cells, keys.data(), counters.data(), games.temperature, games.ties,
                   moves.data()) >= 0) {
            throw std::invalid_argument("the preferences of a member contain NaN or +inf");
        }
        batch->play(moves.data());
    }
}

}  // namespace

void play_population(const Prefer& prefer, const PopulationGames& games, int32_t* scores, int32_t* lengths,
                     Interrupt* interrupt) {
    const int64_t n = games.starts.length();
    const int64_t share = (n + thread_count() - 1) / thread_count();
    const int64_t together = std::clamp(share, kMinTogether, kMaxTogether);
    const auto play_blocks = [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * together;
            play_block(prefer, games, first, std::min(first + together, n), scores, lengths, interrupt);
        }
    };
    parallel_for((n + together - 1) / together, 1, play_blocks, interrupt);
}

}  // namespace zp
