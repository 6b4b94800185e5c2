// Alpha-beta search for any game and evaluation: fail-soft principal-variation search with iterative deepening and a
// transposition table.
//
// `depth` counts plies from the root: depth 1 evaluates each child. A forced pass costs no depth. Plain search is
// full-width, and a stored result serves only at the very depth it was found at, so the score is that of plain minimax.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "rules.hpp"

namespace zp {

// An evaluation of states of R, seen by the side to move.
template <class E, class R>
concept EvaluationOf = requires(const E evaluation, const R rules, const typename R::State state) {
    { evaluation.value(rules, state) } -> std::convertible_to<float>;
    // Of a finished game.
    { evaluation.final(rules, state) } -> std::convertible_to<float>;
};

// How far a search of `depth` is usually off a deeper one.
struct ShallowGuess {
    int depth;
    float deviation;
};

struct SearchLimits {
    int depth = 1;
    uint64_t nodes = 0;  // 0 is no limit; the first iteration is always finished
    double seconds = 0;  // 0 is no limit
};

struct SearchOptions {
    bool table = true;           // use the transposition table
    bool all_moves = false;      // exact scores for all root moves
    bool ends_by_board = false;  // a finished game counts as its board is evaluated, not by its result
    float probcut = 0;  // above 0: selective, cutting what a shallower search puts this many deviations outside
};

struct SearchReport {
    float score = 0;
    int depth = 0;  // the last finished iteration
    uint64_t nodes = 0;
};

template <Rules R, EvaluationOf<R> E>
class Search {
  public:
    using State = typename R::State;

    Search(const R& rules, const E& evaluation, int log2_entries = 16)
        : rules_(rules), evaluation_(evaluation), table_(size_t{1} << log2_entries), mask_(table_.size() - 1) {}

    // Fills preferences[cells]: the score of each root move, -inf elsewhere. The best move and those equal to it are
    // exact, the others upper bounds, unless all moves are asked for.
    SearchReport run(const State& root, const SearchLimits& limits, const SearchOptions& options, float* preferences) {
        const auto& geometry = rules_.geometry;
        std::fill_n(preferences, geometry.cells, -kInfinity);
        SearchReport report;
        if (root.over) return report;
        limits_ = limits;
        options_ = options;
        nodes_ = 0;
        started_ = std::chrono::steady_clock::now();
        ++generation_;  // what was stored for another root is not found again
        stacks_.assign(static_cast<size_t>(limits.depth) + 1, {});
        std::vector<Child>& children = stacks_[limits.depth];
        make_children(root, children);
        const bool deepening = limits.nodes != 0 || limits.seconds > 0 || limits.depth > 3;
        for (int depth = deepening ? 1 : limits.depth; depth <= limits.depth; ++depth) {
            may_stop_ = depth > 1;
            judged_ = false;
            try {
                report.score = search_root(root, children, depth);
            } catch (const GaveUp&) {
                break;
            }
            report.depth = depth;
            const bool finished = !judged_;  // every line reached the end of the game
            for (const Child& child : children) preferences[geometry.cell_of_bit[child.bit]] = child.score;
            std::stable_sort(children.begin(), children.end(),
                             [](const Child& a, const Child& b) { return a.score > b.score; });
            if (finished) break;
        }
        report.nodes = nodes_;
        return report;
    }

  private:
    static constexpr float kInfinity = std::numeric_limits<float>::infinity();

    struct Child {
        State state;
        int bit;
        float score;
    };

    struct Entry {
        uint64_t key = 0;
        float low = -kInfinity, high = kInfinity;
        int16_t depth = -1, move = -1;
        uint32_t generation = 0;
    };

    struct GaveUp {};

    static float above(float x) { return std::nextafter(x, kInfinity); }
    static float below_it(float x) { return std::nextafter(x, -kInfinity); }

    // Root moves are judged against just below the best score, so that moves equal to the best come out equal.
    float search_root(const State& root, std::vector<Child>& children, int depth) {
        float best = -kInfinity;
        for (Child& child : children) {
            if (options_.all_moves || best == -kInfinity) {
                child.score = child_value(root, child.state, -kInfinity, kInfinity, depth);
            } else {
                const float bar = below_it(best);
                child.score = child_value(root, child.state, bar, best, depth);
                if (child.score >= best) child.score = child_value(root, child.state, bar, kInfinity, depth);
            }
            best = std::max(best, child.score);
        }
        return best;
    }

    // Value of `child` for the side to move in `parent`, which is searched to `depth`.
    float child_value(const State& parent, const State& child, float alpha, float beta, int depth) {
        if (child.mover == parent.mover && !child.over) return value(child, alpha, beta, depth - 1);
        return -value(child, -beta, -alpha, depth - 1);
    }

    float value(const State& state, float alpha, float beta, int depth) {
        count_node();
        if (state.over) {
            return options_.ends_by_board ? evaluation_.value(rules_, state) : evaluation_.final(rules_, state);
        }
        if (depth == 0) {
            judged_ = true;
            return evaluation_.value(rules_, state);
        }
        Entry* entry = nullptr;
        uint64_t key = 0;
        int first_move = -1;
        if (options_.table && depth >= 2) {
            key = key_of(state);
            entry = &table_[key & mask_];
        }
        if (entry != nullptr && entry->key == key && entry->generation == generation_) {
            if (entry->depth == depth) {
                if (entry->low >= beta || entry->low == entry->high) return entry->low;
                if (entry->high <= alpha) return entry->high;
            }
            first_move = entry->move;
        }
        if constexpr (requires { evaluation_.probcut(depth); }) {
            if (options_.probcut > 0) {
                if (const auto cut = try_probcut(state, alpha, beta, depth)) return *cut;
            }
        }
        const float floor = alpha;
        std::vector<Child>& children = stacks_[depth];
        make_children(state, children);
        order(state, children, depth, first_move);
        float best = -kInfinity;
        int best_move = -1;
        for (size_t i = 0; i < children.size(); ++i) {
            const State& child = children[i].state;
            float score;
            const float low = std::max(alpha, best);
            if (best == -kInfinity || above(low) >= beta || depth == 1) {
                score = child_value(state, child, low, beta, depth);
            } else {
                score = child_value(state, child, low, above(low), depth);
                if (score > low && score < beta) score = child_value(state, child, low, beta, depth);
            }
            if (score > best || best_move < 0) {
                best = score;
                best_move = children[i].bit;
                if (best >= beta) break;
            }
        }
        if (entry != nullptr) remember(*entry, key, depth, floor, beta, best, best_move);
        return best;
    }

    void remember(Entry& entry, uint64_t key, int depth, float alpha, float beta, float score, int move) const {
        if (entry.key != key || entry.depth != depth || entry.generation != generation_) {
            entry = Entry{key, -kInfinity, kInfinity, static_cast<int16_t>(depth), -1, generation_};
        }
        if (score > alpha) entry.low = std::max(entry.low, score);
        if (score < beta) entry.high = std::min(entry.high, score);
        entry.move = static_cast<int16_t>(move);
    }

    uint64_t key_of(const State& state) const {
        if constexpr (requires { rules_.key(state); }) {
            return rules_.key(state);
        } else {
            return hash(rules_, state);
        }
    }

    // A cut if a shallower search says that the score is almost surely outside the window (Buro 1995). It is tried only
    // where the evaluation itself already points that way.
    std::optional<float> try_probcut(const State& state, float alpha, float beta, int depth) {
        const auto guess = evaluation_.probcut(depth);
        if (!guess) return std::nullopt;
        const float margin = options_.probcut * guess->deviation;
        const float here = evaluation_.value(rules_, state);
        const float before = options_.probcut;
        std::optional<float> cut;
        options_.probcut = 0;
        if (std::isfinite(beta) && here >= beta) {
            const float high = beta + margin;
            if (value(state, below_it(high), high, guess->depth) >= high) cut = beta;
        } else if (std::isfinite(alpha) && here <= alpha) {
            const float low = alpha - margin;
            if (value(state, low, above(low), guess->depth) <= low) cut = alpha;
        }
        options_.probcut = before;
        return cut;
    }

    void make_children(const State& state, std::vector<Child>& children) {
        children.clear();
        rules_.legal(state).for_each([&](int bit) {
            Child& child = children.emplace_back(Child{state, bit, 0});
            rules_.play(child.state, bit);
        });
    }

    // Likely best first: the stored move, then what the evaluation (or, near the leaves, the opponent's mobility) says.
    void order(const State& state, std::vector<Child>& children, int depth, int first_move) {
        if (depth < 2) return;
        for (Child& child : children) {
            if (child.bit == first_move) {
                child.score = kInfinity;
            } else if (depth == 2) {
                child.score = -static_cast<float>(rules_.legal(child.state).count());
            } else {
                const bool same = child.state.mover == state.mover;
                const float seen =
                    child.state.over ? evaluation_.final(rules_, child.state) : evaluation_.value(rules_, child.state);
                child.score = same && !child.state.over ? seen : -seen;
            }
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Child& a, const Child& b) { return a.score > b.score; });
    }

    void count_node() {
        ++nodes_;
        if (!may_stop_) return;
        if (limits_.nodes != 0 && nodes_ > limits_.nodes) throw GaveUp{};
        if (limits_.seconds > 0 && (nodes_ & 1023) == 0) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
            if (spent.count() > limits_.seconds) throw GaveUp{};
        }
    }

    const R& rules_;
    const E& evaluation_;
    std::vector<Entry> table_;
    uint64_t mask_;
    uint32_t generation_ = 0;
    SearchLimits limits_;
    SearchOptions options_;
    uint64_t nodes_ = 0;
    bool may_stop_ = false;
    bool judged_ = false;  // some position short of the end was evaluated
    std::chrono::steady_clock::time_point started_;
    std::vector<std::vector<Child>> stacks_;  // children of the node at each remaining depth
};

}  // namespace zp
