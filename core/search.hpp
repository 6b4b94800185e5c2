// Alpha-beta search for any game and evaluation: fail-soft principal-variation search with iterative deepening and a
// transposition table.
//
// `depth` counts plies from the root: depth 1 evaluates each child. A forced pass costs no depth. Plain search is
// full-width, and a stored result serves only at the very depth it was found at, so the score is that of plain minimax.
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
#include "zeroed_table.hpp"

namespace zp {

// An evaluation of states of R, seen by the side to move.
template <class E, class R>
concept EvaluationOf = requires(const E& evaluation, const R& rules, const typename R::State& state) {
    { evaluation.value(rules, state) } -> std::convertible_to<float>;
    // Of a finished game.
    { evaluation.final(rules, state) } -> std::convertible_to<float>;
};

// An evaluation may carry a trace along from each state to the next, where that is cheaper than to look at every board
// anew: trace(state), after(trace, state, next), value(trace, state) and value_after(trace, state, next), which is
// value(after(trace, state, next), next).
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

// How far a search of `depth` is usually off a deeper one.
struct ShallowGuess {
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
    bool ends_by_board = false;  // a finished game counts as its board is evaluated, not by its result
    float probcut = 0;  // above 0: selective, cutting what a shallower search puts this many deviations outside
};

struct SearchReport {
    float score = 0;
    int depth = 0;  // the last finished iteration
    uint64_t nodes = 0;
};

// A move among its siblings. Not a part of the search, so that sorting is compiled once for all games.
struct Rank {
    float score;
    int child;
};

// The best first; equal ones in the order they were made in.
inline void sort_ranks(std::vector<Rank>& ranks) {
    std::sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
        return a.score > b.score || (a.score == b.score && a.child < b.child);
    });
}

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

    // Fills preferences[cells]: the score of each root move, -inf elsewhere. The best move and those equal to it are
    // exact, the others upper bounds, unless all moves are asked for.
    SearchReport run(const State& root, const SearchLimits& limits, const SearchOptions& options, float* preferences) {
        started_ = std::chrono::steady_clock::now();
        const auto& geometry = rules_.geometry;
        std::fill_n(preferences, geometry.cells, -kInfinity);
        SearchReport report;
        limits_ = limits;
        options_ = options;
        if (root.over) {
            report.score = result(root);
            return report;
        }
        nodes_ = 0;
        likely_ = -1;
        last_check_ = started_;
        Interrupt::check(limits_.interrupt);
        ++generation_;  // what was stored for another root is not found again
        frames_.resize(std::max(frames_.size(), static_cast<size_t>(limits.depth) + 1));
        std::vector<Child>& children = frames_[limits.depth].children;
        make_children(root, children);
        const Trace here = trace(root);
        for (Child& child : children) child.trace = after(here, root, child.state);
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
            put_best_first(children);
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
        Trace trace;  // filled in when it is needed
    };

    // The children of the node at some remaining depth, and the order to try them in.
    struct Frame {
        std::vector<Child> children;
        std::vector<Rank> order;
    };

    // Empty if its generation is 0.
    struct Entry {
        uint64_t key = 0;
        float low = -kInfinity, high = kInfinity;
        int16_t depth = -1, move = -1;
        uint32_t generation = 0;
    };

    struct GaveUp {};

    static float above(float x) { return std::nextafter(x, kInfinity); }
    static float below_it(float x) { return std::nextafter(x, -kInfinity); }

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

    float judge(const State& state, [[maybe_unused]] const Trace& trace) {
        count_evaluation();
        if constexpr (kTraced) {
            return evaluation_.value(trace, state);
        } else {
            return evaluation_.value(rules_, state);
        }
    }

    float judge_after([[maybe_unused]] const State& state, [[maybe_unused]] const Trace& trace, const State& next) {
        count_evaluation();
        if constexpr (kTraced) {
            return evaluation_.value_after(trace, state, next);
        } else {
            return evaluation_.value(rules_, next);
        }
    }

    // Of a finished game.
    float result(const State& state) {
        if (!options_.ends_by_board) return evaluation_.final(rules_, state);
        count_evaluation();
        return evaluation_.value(rules_, state);
    }

    // Root moves are judged against just below the best score, so that moves equal to the best come out equal.
    float search_root(const State& root, std::vector<Child>& children, int depth) {
        float best = -kInfinity;
        for (Child& child : children) {
            if (options_.all_moves || best == -kInfinity) {
                child.score = child_value(root, child, -kInfinity, kInfinity, depth);
            } else {
                const float bar = below_it(best);
                child.score = child_value(root, child, bar, best, depth);
                if (child.score >= best) child.score = child_value(root, child, bar, kInfinity, depth);
            }
            best = std::max(best, child.score);
        }
        return best;
    }

    // Value of `child` for the side to move in `parent`, which is searched to `depth`.
    float child_value(const State& parent, const Child& child, float alpha, float beta, int depth) {
        if (same_side(parent, child.state)) return value(child.state, child.trace, alpha, beta, depth - 1);
        return -value(child.state, child.trace, -beta, -alpha, depth - 1);
    }

    static bool same_side(const State& parent, const State& child) {
        return child.mover == parent.mover && !child.over;
    }

    float value(const State& state, const Trace& trace, float alpha, float beta, int depth) {
        count_node();
        if (state.over) return result(state);
        if (depth == 0) {
            judged_ = true;
            return judge(state, trace);
        }
        if (depth == 1) return best_leaf(state, trace, beta);
        Entry* entry = nullptr;
        uint64_t key = 0;
        int first_move = -1;
        if (options_.table) {
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
        for (const Rank& rank : frame.order) {
            Child& child = frame.children[rank.child];
            if (depth == 2) child.trace = after(trace, state, child.state);
            float score;
            const float low = std::max(alpha, best);
            if (best == -kInfinity || above(low) >= beta) {
                score = child_value(state, child, low, beta, depth);
            } else {
                score = child_value(state, child, low, above(low), depth);
                if (score > low && score < beta) score = child_value(state, child, low, beta, depth);
            }
            if (score > best || best_move < 0) {
                best = score;
                best_move = child.bit;
                if (best >= beta) break;
            }
        }
        if (entry != nullptr) remember(*entry, key, depth, floor, beta, best, best_move);
        return best;
    }

    // The best of the children, each judged as it stands, or one that is good enough.
    float best_leaf(const State& state, const Trace& trace, float beta) {
        float best = -kInfinity;
        auto rest = rules_.legal(state);
        // First the move that was good enough last time.
        for (int bit = likely_ >= 0 && rest.test(likely_) ? likely_ : rest.first();; bit = rest.first()) {
            rest.reset(bit);
            State child = state;
            rules_.play(child, bit);
            count_node();
            float score;
            if (child.over) {
                score = -result(child);
            } else {
                judged_ = true;
                score = judge_after(state, trace, child);
                if (child.mover != state.mover) score = -score;
            }
            best = std::max(best, score);
            if (best >= beta) likely_ = bit;
            if (best >= beta || !rest.any()) return best;
        }
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
    // where the evaluation itself already points that way. Only a search that leads to a cut counts as a judgement.
    std::optional<float> try_probcut(const State& state, const Trace& trace, float alpha, float beta, int depth) {
        const auto guess = evaluation_.probcut(depth, state);
        if (!guess) return std::nullopt;
        const float margin = options_.probcut * guess->deviation;
        const float here = judge(state, trace);
        const float before = options_.probcut;
        const bool judged_before = judged_;
        std::optional<float> cut;
        options_.probcut = 0;
        if (std::isfinite(beta) && here >= beta) {
            const float high = beta + margin;
            if (value(state, trace, below_it(high), high, guess->depth) >= high) cut = beta;
        } else if (std::isfinite(alpha) && here <= alpha) {
            const float low = alpha - margin;
            if (value(state, trace, low, above(low), guess->depth) <= low) cut = alpha;
        }
        options_.probcut = before;
        judged_ = judged_before || cut;
        return cut;
    }

    void make_children(const State& state, std::vector<Child>& children) {
        const auto moves = rules_.legal(state);
        children.clear();
        children.reserve(moves.count());  // a trace that is not filled in is never copied
        moves.for_each([&](int bit) {
            Child& child = children.emplace_back(state, bit);
            rules_.play(child.state, bit);
        });
    }

    // Likely best first: the stored move, then what the evaluation (or, near the leaves, the opponent's mobility) says.
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
                score = child.state.over ? evaluation_.final(rules_, child.state) : judge(child.state, child.trace);
                if (!same_side(state, child.state)) score = -score;
            }
            frame.order.push_back({score, static_cast<int>(i)});
        }
        sort_ranks(frame.order);
    }

    void put_best_first(std::vector<Child>& children) {
        std::vector<Rank> order;
        for (const Child& child : children) order.push_back({child.score, static_cast<int>(order.size())});
        sort_ranks(order);
        std::vector<Child> sorted;
        sorted.reserve(children.size());
        for (const Rank& rank : order) sorted.push_back(std::move(children[rank.child]));
        children = std::move(sorted);
    }

    void count_node() {
        ++nodes_;
        if ((nodes_ & 1023) == 0) check_clocks();
        if (may_stop_ && limits_.nodes != 0 && nodes_ > limits_.nodes) throw GaveUp{};
    }

    // Evaluations may take from nanoseconds to tens of milliseconds: as many go unchecked as take about a millisecond.
    void count_evaluation() {
        if (++unchecked_ < check_every_) return;
        const auto now = std::chrono::steady_clock::now();
        check_every_ = now - last_check_ < kCheckInterval ? std::min(2 * check_every_, kMostUnchecked)
                                                          : std::max(check_every_ / 2, 1);
        check_clocks();
    }

    void check_clocks() {
        Interrupt::check(limits_.interrupt);
        unchecked_ = 0;
        last_check_ = std::chrono::steady_clock::now();
        if (may_stop_ && limits_.seconds > 0) {
            const std::chrono::duration<double> spent = last_check_ - started_;
            if (spent.count() > limits_.seconds) throw GaveUp{};
        }
    }

    const R& rules_;
    const E& evaluation_;
    ZeroedTable<Entry> table_;
    uint64_t mask_;
    uint32_t generation_ = 0;
    SearchLimits limits_;
    SearchOptions options_;
    uint64_t nodes_ = 0;
    bool may_stop_ = false;
    int likely_ = -1;                      // the last move that was good enough one ply above the leaves
    bool judged_ = false;                  // some position short of the end was evaluated
    int unchecked_ = 0, check_every_ = 1;  // evaluations since the last look at the clock, and until the next
    std::chrono::steady_clock::time_point started_, last_check_;
    std::vector<Frame> frames_;  // by remaining depth
};

}  // namespace zp
