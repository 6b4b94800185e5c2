// Alpha-beta search for any game and evaluation: fail-soft principal-variation search with iterative deepening and a
// transposition table.
//
// `depth` counts plies from the root: depth 1 evaluates each child. A forced pass costs no depth. An exact search is
// full-width, and a stored result is used only at the depth it was found at, so the score is that of plain minimax. A
// strong search also uses deeper results, aspiration windows, ProbCut where the evaluation has a model for it, and what
// an unfinished iteration has found. No node allocates memory: each depth has its own list of children.
//
// Several threads may search one position with one table: the helpers look at the moves in other orders, and what they
// store the first thread need not search.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "interrupt.hpp"
#include "rules.hpp"
#include "search_table.hpp"

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

// An evaluation may also value many states in one call, `values(rules, states, count, out)`, where that is faster than
// one at a time: then all children of a node are evaluated together.

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
    bool strong = false;         // everything that helps; otherwise the value of plain minimax
    bool table = true;           // use the transposition table
    bool all_moves = false;      // a separate score for every root move
    bool ends_by_board = false;  // evaluate the board of a finished game instead of using its result
    int threads = 1;             // threads that search one position together
    bool together = true;        // value all children of a node in one call, if the evaluation can
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

template <Rules R, EvaluationOf<R> E>
class Search {
  public:
    using State = typename R::State;
    using Trace = typename TraceOf<E>::Type;

    // The caller clears or ages the table before a search.
    Search(const R& rules, const E& evaluation, SearchTable& table)
        : rules_(rules), evaluation_(evaluation), table_(table) {}

    // Fills preferences[cells]: the score of each root move, -inf elsewhere. The best move and moves equal to it have
    // their scores; the others have upper bounds unless options.all_moves. Unless it is null, line[limits.depth] is
    // filled with the cells of the best line, -1 after its end.
    SearchReport run(const State& root, const SearchLimits& limits, const SearchOptions& options, float* preferences,
                     int16_t* line = nullptr) {
        const auto& geometry = rules_.geometry;
        std::fill_n(preferences, geometry.cells, -kInfinity);
        if (line != nullptr) std::fill_n(line, limits.depth, int16_t{-1});
        SearchReport report;
        begin(limits, options);
        if (root.over) {
            report.score = terminal_value(root);
            return report;
        }
        Interrupt::check(limits_.interrupt);
        std::vector<Child>& children = root_children(root);
        const bool deepening = limits.nodes != 0 || limits.seconds > 0 || limits.depth > 3;
        for (int depth = deepening ? 1 : limits.depth; depth <= limits.depth; ++depth) {
            may_stop_ = depth > 1;
            evaluated_ = false;
            before_last_ = last_;
            last_ = report.score;
            searched_ = 0;
            bool finished = false;
            try {
                report.score = search_root(root, children, depth);
                report.depth = depth;
                finished = !evaluated_;  // every line reached the end of the game
            } catch (const LimitReached&) {
                if (!options.strong || searched_ == 0) break;
                report.score = use_unfinished(children);
                limits_.depth = depth;  // the last iteration
            }
            for (const Child& child : children) preferences[geometry.cell_of_bit[child.bit]] = child.score;
            sort_children(children);
            if (finished || depth == limits_.depth) break;
        }
        if (line != nullptr) find_line(root, children.front(), report, line);
        report.nodes = nodes_;
        return report;
    }

    // Searches the same until `finished`, to fill the table for another thread. `number` is 1 for the first helper.
    uint64_t help(const State& root, const SearchLimits& limits, const SearchOptions& options, int number,
                  const std::atomic<bool>& finished) {
        begin(limits, options);
        limits_.seconds = 0;
        finished_ = &finished;
        helper_ = number;
        may_stop_ = true;
        if (root.over) return 0;
        std::vector<Child>& children = root_children(root);
        try {
            for (int depth = 1; depth <= limits.depth; ++depth) {
                before_last_ = last_;
                last_ = search_root(root, children, depth);
                sort_children(children);
            }
        } catch (const LimitReached&) {
        }
        return nodes_;
    }

  private:
    static constexpr float kInfinity = std::numeric_limits<float>::infinity();
    static constexpr int kMostUnchecked = 1024;
    static constexpr std::chrono::microseconds kCheckInterval{200};
    static constexpr bool kTraced = !std::same_as<Trace, NoTrace>;
    // Whether the opponent's moves are known at once, and the fewer it has the better, as in Othello.
    static constexpr bool kMobility = requires(const State& state) { state.moves; };
    static constexpr bool kBatched = requires(const E& evaluation) { evaluation.batched(); };
    static constexpr int kTogether = 32;            // boards evaluated in one call
    static constexpr int kLeastDepthToCompare = 4;  // of a node whose children are looked up before they are searched
    static constexpr int kLeastDepthToAspire = 4;
    static constexpr float kProbCutThreshold = 1.5f;  // in standard deviations

    struct Child {
        Child(const State& state, int bit) : state(state), bit(bit) {}

        State state;
        int bit;
        float score = 0;
        uint64_t key = 0;  // set when it is needed
        Trace trace;       // set when it is needed
    };

    // The children of the node at one remaining depth, and the order in which they are searched.
    struct Frame {
        std::vector<Child> children;
        std::vector<RankedMove> order;
    };

    struct LimitReached {};

    static float next_above(float x) { return std::nextafter(x, kInfinity); }
    static float next_below(float x) { return std::nextafter(x, -kInfinity); }

    void begin(const SearchLimits& limits, const SearchOptions& options) {
        started_ = last_check_ = std::chrono::steady_clock::now();
        limits_ = limits;
        options_ = options;
        nodes_ = 0;
        helper_ = 0;
        finished_ = nullptr;
        killer_ = -1;
        last_ = before_last_ = 0;
        probcut_ = options.strong;
        history_.fill(0);
        frames_.resize(std::max(frames_.size(), static_cast<size_t>(limits.depth) + 2));
    }

    std::vector<Child>& root_children(const State& root) {
        std::vector<Child>& children = frames_[limits_.depth + 1].children;
        make_children(root, children);
        const Trace here = trace(root);
        for (Child& child : children) child.trace = after(here, root, child.state);
        return children;
    }

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

    bool batched() const {
        if constexpr (kBatched) {
            return options_.together && evaluation_.batched();
        } else {
            return false;
        }
    }

    // Sets the score of every child from `first` on, of at most `count`, to its value without search, for the side to
    // move in `parent`; those after the end of the game have their result. All in one call.
    void evaluate_together(const State& parent, std::vector<Child>& children, size_t first, size_t count) {
        if constexpr (kBatched) {
            std::array<const State*, kTogether> states;
            std::array<float, kTogether> values;
            int open = 0;
            const size_t last = std::min(children.size(), first + count);
            for (size_t i = first; i < last; ++i) {
                if (!children[i].state.over) states[open++] = &children[i].state;
            }
            if (open > 0) {
                count_evaluation();
                evaluation_.values(rules_, states.data(), open, values.data());
            }
            for (size_t i = first, next = 0; i < last; ++i) {
                Child& child = children[i];
                const float value = child.state.over ? terminal_value(child.state) : values[next++];
                child.score = same_mover(parent, child.state) ? value : -value;
            }
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
        if (depth == 1 && batched()) {
            for (size_t i = 0; i < children.size(); i += kTogether) evaluate_together(root, children, i, kTogether);
            for (const Child& child : children) {
                nodes_ += 1;
                evaluated_ = evaluated_ || !child.state.over;
                best = std::max(best, child.score);
            }
            return best;
        }
        for (size_t i = 0; i < children.size(); ++i) {
            Child& child = children[at_turn(i, children.size())];
            if (options_.all_moves) {
                child.score = child_value(root, child, -kInfinity, kInfinity, depth);
            } else if (best == -kInfinity) {
                child.score = first_value(root, child, depth);
            } else {
                const float bar = next_below(best);
                float score = child_value(root, child, bar, best, depth);
                if (score >= best) score = child_value(root, child, bar, kInfinity, depth);
                child.score = score;
            }
            best = std::max(best, child.score);
            searched_ = i + 1;
        }
        return best;
    }

    // Helpers search all moves but the first in another order.
    size_t at_turn(size_t turn, size_t count) const {
        if (helper_ == 0 || turn == 0) return turn;
        return (helper_ & 1) != 0 ? count - turn : 1 + (turn - 1 + helper_) % (count - 1);
    }

    // The value of the first root move. A strong search tries a window about the score of the last iteration first; it
    // is as wide as the scores of the last two differ.
    float first_value(const State& root, const Child& child, int depth) {
        const float margin = std::abs(last_ - before_last_);
        if (!options_.strong || depth < kLeastDepthToAspire || !(margin < 1e6f)) {
            return child_value(root, child, -kInfinity, kInfinity, depth);
        }
        const float low = next_below(last_ - margin), high = next_above(last_ + margin);
        const float score = child_value(root, child, low, high, depth);
        if (score <= low) return child_value(root, child, -kInfinity, next_above(score), depth);
        if (score >= high) return child_value(root, child, next_below(score), kInfinity, depth);
        return score;
    }

    // An iteration that a limit ended: a move that it found better than the best of the iteration before counts, and
    // those it did not reach are no better. The score of the best move.
    float use_unfinished(std::vector<Child>& children) const {
        float best = -kInfinity;
        for (size_t i = 0; i < searched_; ++i) best = std::max(best, children[i].score);
        for (size_t i = searched_; i < children.size(); ++i) {
            children[i].score = std::min(children[i].score, next_below(best));
        }
        return best;
    }

    // Value of `child` for the side to move in `parent`, which is searched to `depth`.
    float child_value(const State& parent, const Child& child, float alpha, float beta, int depth) {
        if (same_mover(parent, child.state)) return value(child.state, child.trace, alpha, beta, depth - 1, child.key);
        return -value(child.state, child.trace, -beta, -alpha, depth - 1, child.key);
    }

    static bool same_mover(const State& parent, const State& child) {
        return child.mover == parent.mover && !child.over;
    }

    // `key` is 0 or that of the state.
    float value(const State& state, const Trace& trace, float alpha, float beta, int depth, uint64_t key = 0) {
        count_node();
        if (state.over) return terminal_value(state);
        if (depth == 0) {
            evaluated_ = true;
            return evaluate(state, trace);
        }
        if (depth == 1) return frontier_value(state, trace, beta);
        int first_move = -1;
        if (options_.table) {
            if (key == 0) key = key_of(state);
            TableEntry entry;
            if (table_.find(key, entry)) {
                if (serves(entry, depth) && (entry.low >= beta || entry.high <= alpha || entry.low == entry.high)) {
                    evaluated_ = evaluated_ || entry.horizon;
                    return entry.high <= alpha ? entry.high : entry.low;
                }
                first_move = entry.move;
            }
        }
        if constexpr (requires { evaluation_.probcut(depth, state); }) {
            if (probcut_) {
                if (const auto cut = try_probcut(state, trace, alpha, beta, depth)) return *cut;
            }
        }
        const float floor = alpha;
        Frame& frame = frames_[depth];
        make_children(state, frame.children);
        if (options_.strong && options_.table && depth >= kLeastDepthToCompare) {
            if (const auto cut = find_cut(state, frame, beta, depth)) return *cut;
        }
        order(state, trace, frame, depth, first_move);
        const bool evaluated_before = evaluated_;
        evaluated_ = false;
        float best = -kInfinity;
        int best_move = -1;
        for (size_t turn = 0; turn < frame.order.size(); ++turn) {
            Child& child = frame.children[frame.order[at_turn(turn, frame.order.size())].child];
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
                if (best >= beta) {
                    note_cut(state, child.bit, depth);
                    break;
                }
            }
        }
        if (options_.table) {
            table_.store(key, depth, floor, beta, best, best_move, evaluated_, options_.strong);
        }
        evaluated_ = evaluated_ || evaluated_before;
        return best;
    }

    // Whether bounds of the table hold at this depth: in a strong search those of deeper searches do.
    bool serves(const TableEntry& entry, int depth) const {
        return options_.strong ? entry.depth >= depth : entry.depth == depth;
    }

    // Enhanced transposition cut-off (Schaeffer and Plaat 1996): a child that is known to refute this position.
    std::optional<float> find_cut(const State& state, Frame& frame, float beta, int depth) {
        for (Child& child : frame.children) {
            if (child.state.over) continue;
            child.key = key_of(child.state);
            TableEntry entry;
            if (!table_.find(child.key, entry) || !serves(entry, depth - 1)) continue;
            const float bound = same_mover(state, child.state) ? entry.low : -entry.high;
            if (bound < beta) continue;
            evaluated_ = evaluated_ || entry.horizon;
            return bound;
        }
        return std::nullopt;
    }

    // Value of a frontier node: the best evaluation of its children, or the first that fails high.
    float frontier_value(const State& state, const Trace& trace, float beta) {
        if (batched()) return frontier_value_together(state, beta);
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

    // The same with the killer move evaluated first, which often suffices, and all others in one call, or in several
    // where there are very many.
    float frontier_value_together(const State& state, float beta) {
        std::vector<Child>& children = frames_[1].children;
        make_children(state, children);
        for (size_t i = 1; i < children.size(); ++i) {
            if (children[i].bit == killer_) std::swap(children[0], children[i]);
        }
        float best = -kInfinity;
        for (size_t first = 0, count = 1; first < children.size() && best < beta; first += count, count = kTogether) {
            evaluate_together(state, children, first, count);
            for (size_t i = first; i < std::min(children.size(), first + count); ++i) {
                count_node();
                evaluated_ = evaluated_ || !children[i].state.over;
                if (children[i].score > best && children[i].score >= beta) killer_ = children[i].bit;
                best = std::max(best, children[i].score);
            }
        }
        return best;
    }

    // 0 stands for no key.
    uint64_t key_of(const State& state) const {
        if constexpr (requires { rules_.key(state); }) {
            return rules_.key(state) | 1;
        } else {
            return hash(rules_, state) | 1;
        }
    }

    // ProbCut (Buro 1995): cuts if a shallower search puts the score almost surely outside the window. Tried only where
    // the static evaluation already points that way. Evaluations of a search that does not cut are not recorded in
    // evaluated_.
    std::optional<float> try_probcut(const State& state, const Trace& trace, float alpha, float beta, int depth) {
        const auto guess = evaluation_.probcut(depth, state);
        if (!guess) return std::nullopt;
        const float margin = kProbCutThreshold * guess->deviation;
        const float here = evaluate(state, trace);
        const bool evaluated_before = evaluated_;
        std::optional<float> cut;
        probcut_ = false;
        if (std::isfinite(beta) && here >= beta) {
            const float high = beta + margin;
            if (value(state, trace, next_below(high), high, guess->depth) >= high) cut = beta;
        } else if (std::isfinite(alpha) && here <= alpha) {
            const float low = alpha - margin;
            if (value(state, trace, low, next_above(low), guess->depth) <= low) cut = alpha;
        }
        probcut_ = true;
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

    // Move ordering: the stored move first, then by evaluation; near the leaves, where that is too dear, by the
    // opponent's mobility, or by how often a move has cut elsewhere.
    void order(const State& state, const Trace& trace, Frame& frame, int depth, int first_move) {
        frame.order.clear();
        std::vector<Child>& children = frame.children;
        const bool together = depth > 2 && batched();
        for (size_t i = 0; together && i < children.size(); i += kTogether) {
            evaluate_together(state, children, i, kTogether);
        }
        for (size_t i = 0; i < children.size(); ++i) {
            Child& child = children[i];
            if (depth > 2) child.trace = after(trace, state, child.state);
            float score;
            if (child.bit == first_move) {
                score = kInfinity;
            } else if (together) {
                score = child.score;
            } else if (depth > 2) {
                score = child.state.over ? evaluation_.final(rules_, child.state) : evaluate(child.state, child.trace);
                if (!same_mover(state, child.state)) score = -score;
            } else if constexpr (kMobility) {
                score = -static_cast<float>(rules_.legal(child.state).count());
            } else {
                score = child.state.over ? kInfinity : static_cast<float>(history_[history_of(state, child.bit)]);
            }
            frame.order.push_back({score, static_cast<int>(i)});
        }
        sort_moves(frame.order);
    }

    static constexpr int kBits = 64 * R::kWords;
    static int history_of(const State& state, int bit) { return state.mover * kBits + bit; }
    void note_cut(const State& state, int bit, int depth) { history_[history_of(state, bit)] += depth * depth; }

    // The best line, cell by cell, beginning with `child`: in every position a move whose value is that of the
    // position. Once a limit is reached, or where the table of a strong search has changed its mind, it goes on with
    // stored moves, and ends where there are none.
    void find_line(const State& root, const Child& child, const SearchReport& report, int16_t* line) {
        const auto& cells = rules_.geometry.cell_of_bit;
        may_stop_ = true;
        State state = child.state;
        *line++ = static_cast<int16_t>(cells[child.bit]);
        float score = same_mover(root, state) ? report.score : -report.score;
        bool known = true;  // whether `score` is the value of `state`
        for (int depth = report.depth - 1; depth > 0 && !state.over; --depth) {
            int bit = -1;
            try {
                if (known) bit = move_with_score(state, score, depth);
            } catch (const LimitReached&) {
            }
            if (bit < 0) {
                known = false;
                bit = stored_move(state);
            }
            if (bit < 0) return;
            State next = state;
            rules_.play(next, bit);
            *line++ = static_cast<int16_t>(cells[bit]);
            if (!same_mover(state, next)) score = -score;
            state = next;
        }
    }

    // A move of that score in a search of this depth, or -1.
    int move_with_score(const State& state, float score, int depth) {
        std::vector<Child> children;
        make_children(state, children);
        const Trace here = trace(state);
        const int first_move = stored_move(state);
        for (Child& child : children) {
            if (child.bit == first_move) std::swap(child, children.front());
        }
        for (Child& child : children) {
            child.trace = after(here, state, child.state);
            if (child_value(state, child, next_below(score), next_above(score), depth) == score) return child.bit;
        }
        return -1;
    }

    int stored_move(const State& state) {
        TableEntry entry;
        if (!options_.table || !table_.find(key_of(state), entry)) return -1;
        return entry.move >= 0 && rules_.legal(state).test(entry.move) ? entry.move : -1;
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

    // An evaluation may take nanoseconds or tens of milliseconds: the limits are checked
    // several times a millisecond.
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
        if (finished_ != nullptr && finished_->load(std::memory_order_relaxed)) throw LimitReached{};
        if (may_stop_ && limits_.seconds > 0) {
            const std::chrono::duration<double> spent = last_check_ - started_;
            if (spent.count() > limits_.seconds) throw LimitReached{};
        }
    }

    const R& rules_;
    const E& evaluation_;
    SearchTable& table_;
    SearchLimits limits_;
    SearchOptions options_;
    uint64_t nodes_ = 0;
    bool may_stop_ = false;
    bool probcut_ = false;  // whether it is tried
    int helper_ = 0;        // its number, or 0
    const std::atomic<bool>* finished_ = nullptr;
    size_t searched_ = 0;                  // root moves of this iteration
    float last_ = 0, before_last_ = 0;     // scores of the last two iterations
    int killer_ = -1;                      // the last move that failed high at a frontier node
    bool evaluated_ = false;               // whether a position before the end of the game was evaluated
    int unchecked_ = 0, check_every_ = 1;  // evaluations since the last check, and between checks
    std::chrono::steady_clock::time_point started_, last_check_;
    std::array<uint32_t, 2 * kBits> history_;  // how often a move has cut, deep cuts counting more
    std::vector<Frame> frames_;                // by remaining depth; the last is the root's
};

}  // namespace zp
