// Alpha-beta search for any game and evaluation: fail-soft principal-variation search with iterative deepening and a
// transposition table.
//
// `depth` counts plies from the root: depth 1 evaluates each child. A forced pass costs no depth. Plain search is
// full-width, and a stored result is used only at the depth it was found at, so
// the score is that of plain minimax.
// No node allocates memory: each depth has its own list of children.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "interrupt.hpp"
#include "rules.hpp"
#include "transposition_table.hpp"

namespace zp {

// An evaluation of states of R from the point of view of the side to move.
template <class E, class R>
concept EvaluationOf = requires(const E& evaluation, const R& rules, const typename R::State& state) {
    { evaluation.value(rules, state) } -> std::convertible_to<float>;
    // The value of a finished game.
    { evaluation.final(rules, state) } -> std::convertible_to<float>;
};

// An evaluation may be updated incrementally: its trace goes with each state, where that is cheaper than evaluating
// every board from scratch: trace(state), after(trace, state, next), value(trace, state) and value_after(trace, state,
// next), which is value(after(trace, state, next), next).
struct NoTrace {};

template <class E>
struct TraceOf {
    using Type = NoTrace;
};

template <class E>
    requires requires { typename E::Trace; }
struct TraceOf<E> {
    using Type = typename E::Trace;
};

// ProbCut's model of one depth: the depth of the shallow search and the standard deviation of its error.
struct ProbCutModel {
    int depth;
    float deviation;
};

struct SearchLimits {
    int depth = 1;
    uint64_t nodes = 0;              // 0 is no limit; the first iteration is always finished
    double seconds = 0;              // 0 is no limit
    Interrupt* interrupt = nullptr;  // may stop the search with an exception
};

struct SearchOptions {
    bool table = true;           // use the transposition table
    bool all_moves = false;      // exact scores for all root moves
    bool ends_by_board = false;  // evaluate the board of a finished game instead of using its result
    float probcut = 0;           // ProbCut's threshold in standard deviations; 0 turns it off
};

struct SearchReport {
    float score = 0;
    int depth = 0;  // the last finished iteration
    uint64_t nodes = 0;
};

// A move and its score. Outside the class, so that sorting is compiled only once for all games.
struct RankedMove {
    float score;
    int child;
};

// Best first; ties in the order of generation.
inline void sort_moves(std::vector<RankedMove>& ranks) {
    std::sort(ranks.begin(), ranks.end(), [](const RankedMove& a, const RankedMove& b) {
        return a.score > b.score || (a.score == b.score && a.child < b.child);
    });
}

// An entry of the transposition table: bounds on the value at one depth, and the best move.
struct SearchEntry {
    uint64_t key;
    float low, high;
    int16_t depth, move;
    uint32_t generation;
};

template <Rules R, EvaluationOf<R> E>
class Search {
  public:
    using State = typename R::State;
    using Trace = typename TraceOf<E>::Type;

    Search(const R& rules, const E& evaluation, int log2_entries = 16)
        : rules_(rules),
          evaluation_(evaluation),
          table_(size_t{1} << log2_entries),
          mask_((uint64_t{1} << log2_entries) - 1) {}

    // Fills preferences[cells]: the score of each root move, -inf elsewhere. The best move and moves equal to it are
    // exact; the others are upper bounds unless options.all_moves.
    SearchReport run(const State& root, const SearchLimits& limits, const SearchOptions& options, float* preferences) {
        started_ = std::chrono::steady_clock::now();
        const auto& geometry = rules_.geometry;
        std::fill_n(preferences, geometry.cells, -kInfinity);
        SearchReport report;
        limits_ = limits;
        options_ = options;
        if (root.over) {
            report.score = terminal_value(root);
            return report;
        }
        nodes_ = 0;
        killer_ = -1;
        last_check_ = started_;
        Interrupt::check(limits_.interrupt);
        table_.new_search();
        frames_.resize(std::max(frames_.size(), static_cast<size_t>(limits.depth) + 1));
        std::vector<Child>& children = frames_[limits.depth].children;
        make_children(root, children);
        const Trace here = trace(root);
        for (Child& child : children) child.trace = after(here, root, child.state);
        const bool deepening = limits.nodes != 0 || limits.seconds > 0 || limits.depth > 3;
        for (int depth = deepening ? 1 : limits.depth; depth <= limits.depth; ++depth) {
            may_stop_ = depth > 1;
            evaluated_ = false;
            try {
                report.score = search_root(root, children, depth);
            } catch (const LimitReached&) {
                break;
            }
            report.depth = depth;
            const bool finished = !evaluated_;  // every line reached the end of the game
            for (const Child& child : children) preferences[geometry.cell_of_bit[child.bit]] = child.score;
            sort_children(children);
            if (finished) break;
        }
        report.nodes = nodes_;
        return report;
    }

  private:
    static constexpr float kInfinity = std::numeric_limits<float>::infinity();
    static constexpr int kMostUnchecked = 1024;
    static constexpr std::chrono::milliseconds kCheckInterval{1};
    static constexpr bool kTraced = !std::same_as<Trace, NoTrace>;

    struct Child {
        Child(const State& state, int bit) : state(state), bit(bit) {}

        State state;
        int bit;
        float score = 0;
        Trace trace;  // set when it is needed
    };

    // The children of the node at one remaining depth, and the order in which they are searched.
    struct Frame {
        std::vector<Child> children;
        std::vector<RankedMove> order;
    };

    struct LimitReached {};

    static float next_above(float x) { return std::nextafter(x, kInfinity); }
    static float next_below(float x) { return std::nextafter(x, -kInfinity); }

    Trace trace([[maybe_unused]] const State& state) const {
        if constexpr (kTraced) {
            return evaluation_.trace(state);
        } else {
            return {};
        }
    }

    Trace after([[maybe_unused]] const Trace& trace, [[maybe_unused]] const State& state,
                [[maybe_unused]] const State& next) const {
        if constexpr (kTraced) {
            return evaluation_.after(trace, state, next);
        } else {
            return {};
        }
    }

    float evaluate(const State& state, [[maybe_unused]] const Trace& trace) {
        count_evaluation();
        if constexpr (kTraced) {
            return evaluation_.value(trace, state);
        } else {
            return evaluation_.value(rules_, state);
        }
    }

    float evaluate_after([[maybe_unused]] const State& state, [[maybe_unused]] const Trace& trace, const State& next) {
        count_evaluation();
        if constexpr (kTraced) {
            return evaluation_.value_after(trace, state, next);
        } else {
            return evaluation_.value(rules_, next);
        }
    }

    // The value of a finished game.
    float terminal_value(const State& state) {
        if (!options_.ends_by_board) return evaluation_.final(rules_, state);
        count_evaluation();
        return evaluation_.value(rules_, state);
    }

    // The window of a root move begins just below the best score, so that moves equal to the best get the same score.
    float search_root(const State& root, std::vector<Child>& children, int depth) {
        float best = -kInfinity;
        for (Child& child : children) {
            if (options_.all_moves || best == -kInfinity) {
                child.score = child_value(root, child, -kInfinity, kInfinity, depth);
            } else {
                const float bar = next_below(best);
                child.score = child_value(root, child, bar, best, depth);
                if (child.score >= best) child.score = child_value(root, child, bar, kInfinity, depth);
            }
            best = std::max(best, child.score);
        }
        return best;
    }

    // Value of `child` for the side to move in `parent`, which is searched to `depth`.
    float child_value(const State& parent, const Child& child, float alpha, float beta, int depth) {
        if (same_mover(parent, child.state)) return value(child.state, child.trace, alpha, beta, depth - 1);
        return -value(child.state, child.trace, -beta, -alpha, depth - 1);
    }

    static bool same_mover(const State& parent, const State& child) {
        return child.mover == parent.mover && !child.over;
    }

    float value(const State& state, const Trace& trace, float alpha, float beta, int depth) {
        count_node();
        if (state.over) return terminal_value(state);
        if (depth == 0) {
            evaluated_ = true;
            return evaluate(state, trace);
        }
        if (depth == 1) return frontier_value(state, trace, beta);
        SearchEntry* entry = nullptr;
        uint64_t key = 0;
        int first_move = -1;
        if (options_.table) {
            key = key_of(state);
            entry = &table_[key & mask_];
        }
        if (entry != nullptr && entry->key == key && entry->generation == table_.generation()) {
            if (entry->depth == depth) {
                if (entry->low >= beta || entry->low == entry->high) return entry->low;
                if (entry->high <= alpha) return entry->high;
            }
            first_move = entry->move;
        }
        if constexpr (requires { evaluation_.probcut(depth, state); }) {
            if (options_.probcut > 0) {
                if (const auto cut = try_probcut(state, trace, alpha, beta, depth)) return *cut;
            }
        }
        const float floor = alpha;
        Frame& frame = frames_[depth];
        make_children(state, frame.children);
        order(state, trace, frame, depth, first_move);
        float best = -kInfinity;
        int best_move = -1;
        for (const RankedMove& rank : frame.order) {
            Child& child = frame.children[rank.child];
            if (depth == 2) child.trace = after(trace, state, child.state);
            float score;
            const float low = std::max(alpha, best);
            if (best == -kInfinity || next_above(low) >= beta) {
                score = child_value(state, child, low, beta, depth);
            } else {
                score = child_value(state, child, low, next_above(low), depth);
                if (score > low && score < beta) score = child_value(state, child, low, beta, depth);
            }
            if (score > best || best_move < 0) {
                best = score;
                best_move = child.bit;
                if (best >= beta) break;
            }
        }
        if (entry != nullptr) store(*entry, key, depth, floor, beta, best, best_move);
        return best;
    }

    // Value of a frontier node: the best evaluation of its children, or the first that fails high.
    float frontier_value(const State& state, const Trace& trace, float beta) {
        float best = -kInfinity;
        auto rest = rules_.legal(state);
        // The killer move first.
        for (int bit = killer_ >= 0 && rest.test(killer_) ? killer_ : rest.first();; bit = rest.first()) {
            rest.reset(bit);
            State child = state;
            rules_.play(child, bit);
            count_node();
            float score;
            if (child.over) {
                score = -terminal_value(child);
            } else {
                evaluated_ = true;
                score = evaluate_after(state, trace, child);
                if (child.mover != state.mover) score = -score;
            }
            best = std::max(best, score);
            if (best >= beta) killer_ = bit;
            if (best >= beta || !rest.any()) return best;
        }
    }

    void store(SearchEntry& entry, uint64_t key, int depth, float alpha, float beta, float score, int move) const {
        if (entry.key != key || entry.depth != depth || entry.generation != table_.generation()) {
            entry = SearchEntry{key, -kInfinity, kInfinity, static_cast<int16_t>(depth), -1, table_.generation()};
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

    // ProbCut (Buro 1995): cuts if a shallower search puts the score almost surely outside the window. Tried only where
    // the static evaluation already points that way. Evaluations of a search that does not cut are not recorded in
    // evaluated_.
    std::optional<float> try_probcut(const State& state, const Trace& trace, float alpha, float beta, int depth) {
        const auto guess = evaluation_.probcut(depth, state);
        if (!guess) return std::nullopt;
        const float margin = options_.probcut * guess->deviation;
        const float here = evaluate(state, trace);
        const float before = options_.probcut;
        const bool evaluated_before = evaluated_;
        std::optional<float> cut;
        options_.probcut = 0;
        if (std::isfinite(beta) && here >= beta) {
            const float high = beta + margin;
            if (value(state, trace, next_below(high), high, guess->depth) >= high) cut = beta;
        } else if (std::isfinite(alpha) && here <= alpha) {
            const float low = alpha - margin;
            if (value(state, trace, low, next_above(low), guess->depth) <= low) cut = alpha;
        }
        options_.probcut = before;
        evaluated_ = evaluated_before || cut;
        return cut;
    }

    void make_children(const State& state, std::vector<Child>& children) {
        const auto moves = rules_.legal(state);
        children.clear();
        children.reserve(moves.count());  // so that unset traces are never copied
        moves.for_each([&](int bit) {
            Child& child = children.emplace_back(state, bit);
            rules_.play(child.state, bit);
        });
    }

    // Move ordering: the stored move first, then by evaluation, or by the opponent's mobility near the leaves.
    void order(const State& state, const Trace& trace, Frame& frame, int depth, int first_move) {
        frame.order.clear();
        for (size_t i = 0; i < frame.children.size(); ++i) {
            Child& child = frame.children[i];
            if (depth > 2) child.trace = after(trace, state, child.state);
            float score;
            if (child.bit == first_move) {
                score = kInfinity;
            } else if (depth == 2) {
                score = -static_cast<float>(rules_.legal(child.state).count());
            } else {
                score = child.state.over ? evaluation_.final(rules_, child.state) : evaluate(child.state, child.trace);
                if (!same_mover(state, child.state)) score = -score;
            }
            frame.order.push_back({score, static_cast<int>(i)});
        }
        sort_moves(frame.order);
    }

    void sort_children(std::vector<Child>& children) {
        std::vector<RankedMove> order;
        for (const Child& child : children) order.push_back({child.score, static_cast<int>(order.size())});
        sort_moves(order);
        std::vector<Child> sorted;
        sorted.reserve(children.size());
        for (const RankedMove& rank : order) sorted.push_back(std::move(children[rank.child]));
        children = std::move(sorted);
    }

    void count_node() {
        ++nodes_;
        if ((nodes_ & 1023) == 0) check_limits();
        if (may_stop_ && limits_.nodes != 0 && nodes_ > limits_.nodes) throw LimitReached{};
    }

    // An evaluation may take nanoseconds or tens of milliseconds: the limits are checked about once a millisecond.
    void count_evaluation() {
        if (++unchecked_ < check_every_) return;
        const auto now = std::chrono::steady_clock::now();
        check_every_ = now - last_check_ < kCheckInterval ? std::min(2 * check_every_, kMostUnchecked)
                                                          : std::max(check_every_ / 2, 1);
        check_limits();
    }

    void check_limits() {
        Interrupt::check(limits_.interrupt);
        unchecked_ = 0;
        last_check_ = std::chrono::steady_clock::now();
        if (may_stop_ && limits_.seconds > 0) {
            const std::chrono::duration<double> spent = last_check_ - started_;
            if (spent.count() > limits_.seconds) throw LimitReached{};
        }
    }

    const R& rules_;
    const E& evaluation_;
    TranspositionTable<SearchEntry> table_;
    uint64_t mask_;
    SearchLimits limits_;
    SearchOptions options_;
    uint64_t nodes_ = 0;
    bool may_stop_ = false;
    int killer_ = -1;                      // the last move that failed high at a frontier node
    bool evaluated_ = false;               // whether a position before the end of the game was evaluated
    int unchecked_ = 0, check_every_ = 1;  // evaluations since the last check, and between checks
    std::chrono::steady_clock::time_point started_, last_check_;
    std::vector<Frame> frames_;  // by remaining depth
};

}  // namespace zp
