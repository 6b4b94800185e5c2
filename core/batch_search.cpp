#include "batch_search.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <concepts>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "batch_of.hpp"
#include "endgame.hpp"
#include "evaluations.hpp"
#include "interrupt.hpp"
#include "threads.hpp"

namespace zp {
namespace {

template <class... R>
struct Family {};

using AllOthello = Family<Othello, LargeOthello<2>, LargeOthello<6>>;
using SmallOthello = Family<Othello>;
using AllGomoku = Family<Gomoku<1>, Gomoku<2>, Gomoku<6>, Gomoku<7>>;
using AllAtariGo = Family<AtariGo<1>, AtariGo<2>, AtariGo<6>>;
using AllHex = Family<Hex<1>, Hex<2>, Hex<6>>;
using AllGames = Family<Othello, LargeOthello<2>, LargeOthello<6>, Gomoku<1>, Gomoku<2>, Gomoku<6>, Gomoku<7>,
                        AtariGo<1>, AtariGo<2>, AtariGo<6>, Hex<1>, Hex<2>, Hex<6>>;

// Calls body(begin, end) over n positions, some of which may take much longer than others, on all threads.
template <class F>
void over_positions(int64_t n, Interrupt* interrupt, F&& body) {
    const int64_t grain = std::max<int64_t>(1, n / (8 * thread_count()));
    parallel_for(n, grain, body, interrupt);
}

// Limits the size of a table (log2 of its entries) to what a search can fill in `seconds`; 0 is no limit.
int size_for_time(int log2_entries, double seconds) {
    constexpr double kEntriesPerSecond = 4e6;
    if (seconds <= 0 || seconds * kEntriesPerSecond >= 0x1.0p28) return log2_entries;
    return std::min(log2_entries, std::max(12, static_cast<int>(std::log2(seconds * kEntriesPerSecond))));
}

int table_size(const SearchLimits& limits) {
    const int depth = limits.depth;
    const int full = depth < 4 ? 8 : depth < 6 ? 12 : depth < 8 ? 15 : depth < 10 ? 18 : 20;
    return size_for_time(full, limits.seconds);
}

// Calls visit(rules, states) if the batch is of one of the family's games.
template <class F, class... R>
bool visit_batch(const Batch& batch, Family<R...>, F&& visit) {
    const auto try_one = [&]<class One>(std::type_identity<One>) {
        const auto* known = dynamic_cast<const BatchOf<One>*>(&batch);
        if (known != nullptr) visit(known->rules(), known->states());
        return known != nullptr;
    };
    return (try_one(std::type_identity<R>{}) || ...);
}

// Type-erased evaluation: the search is compiled once per game instead of once per game and evaluation.
template <Rules R>
struct AnyEvaluation {
    virtual ~AnyEvaluation() = default;
    virtual float value(const R& rules, const typename R::State& state) const = 0;
    virtual float final(const R& rules, const typename R::State& state) const = 0;
    // Whether many states are best evaluated together; only then `values` is called.
    virtual bool batched() const = 0;
    virtual void values(const R& rules, const typename R::State* const* states, int count, float* out) const = 0;
};

template <Rules R, EvaluationOf<R> E>
struct OneEvaluation final : AnyEvaluation<R> {
    const E& evaluation;
    explicit OneEvaluation(const E& one) : evaluation(one) {}
    float value(const R& rules, const typename R::State& state) const override {
        return evaluation.value(rules, state);
    }
    float final(const R& rules, const typename R::State& state) const override {
        return evaluation.final(rules, state);
    }
    static constexpr bool kBatched = requires { &E::template values<R>; };
    bool batched() const override { return kBatched; }
    void values([[maybe_unused]] const R& rules, [[maybe_unused]] const typename R::State* const* states,
                [[maybe_unused]] int count, [[maybe_unused]] float* out) const override {
        if constexpr (kBatched) evaluation.values(rules, states, count, out);
    }
};

// Searches one position by several threads with one table; the others help the first.
template <Rules R, EvaluationOf<R> E>
SearchReport search_together(const R& rules, const E& evaluation, const typename R::State& state,
                             const SearchLimits& limits, const SearchOptions& options, SearchTable& table,
                             float* preferences, int16_t* line) {
    SearchReport report;
    std::atomic<bool> finished = false;
    std::atomic<uint64_t> nodes = 0;
    const auto work = [&](int64_t begin, int64_t end) {
        for (int64_t number = begin; number < end && !finished; ++number) {
            Search<R, E> search(rules, evaluation, table);
            if (number > 0) {
                nodes += search.help(state, limits, options, static_cast<int>(number), finished);
                continue;
            }
            try {
                report = search.run(state, limits, options, preferences, line);
            } catch (...) {
                finished = true;
                throw;
            }
            finished = true;
        }
    };
    parallel_for(options.threads, 1, work, limits.interrupt);
    report.nodes += nodes;
    return report;
}

template <Rules R, EvaluationOf<R> E>
void search_all(const R& rules, const E& evaluation, const std::vector<typename R::State>& states,
                const SearchLimits& limits, const SearchOptions& options, SearchTable* kept, float* preferences,
                SearchReport* reports, int16_t* lines) {
    const auto n = static_cast<int64_t>(states.size());
    const auto line_of = [&](int64_t i) { return lines == nullptr ? nullptr : lines + i * limits.depth; };
    const bool together = options.threads > 1 && options.table && limits.nodes == 0 && limits.depth > 3;
    std::unique_lock<std::mutex> using_kept;
    if (kept != nullptr && n == 1) using_kept = std::unique_lock(kept->in_use(), std::try_to_lock);
    if (using_kept || together) {
        std::optional<SearchTable> own;
        if (using_kept) {
            kept->new_search();
        } else {
            own.emplace(table_size(limits));
        }
        SearchTable& table = using_kept ? *kept : *own;
        for (int64_t i = 0; i < n; ++i) {
            if (!using_kept) table.clear();
            float* const row = preferences + i * rules.geometry.cells;
            if (together) {
                reports[i] = search_together(rules, evaluation, states[i], limits, options, table, row, line_of(i));
            } else {
                reports[i] = Search<R, E>(rules, evaluation, table).run(states[i], limits, options, row, line_of(i));
            }
        }
        return;
    }
    over_positions(n, limits.interrupt, [&](int64_t begin, int64_t end) {
        SearchTable table(table_size(limits));
        Search<R, E> search(rules, evaluation, table);
        for (int64_t i = begin; i < end; ++i) {
            table.clear();
            reports[i] = search.run(states[i], limits, options, preferences + i * rules.geometry.cells, line_of(i));
        }
    });
}

// The values of states by a net, some in each call; finished games by their result.
template <Rules R>
void values_together(const R& rules, const NetEvaluation& net, const typename R::State* states, int64_t count,
                     float* values, Interrupt* interrupt) {
    constexpr int kTogether = 32;
    const typename R::State* open[kTogether];
    float found[kTogether];
    for (; count > 0; count -= kTogether, states += kTogether, values += kTogether) {
        Interrupt::check(interrupt);
        const int here = static_cast<int>(std::min<int64_t>(count, kTogether));
        int n = 0;
        for (int i = 0; i < here; ++i) {
            if (!states[i].over) open[n++] = states + i;
        }
        if (n > 0) net.values(rules, open, n, found);
        for (int i = 0, next = 0; i < here; ++i) {
            values[i] = states[i].over ? net.final(rules, states[i]) : found[next++];
        }
    }
}

template <class E, class Games>
class EvaluationFor final : public Evaluation {
  public:
    EvaluationFor(E evaluation, std::string name) : evaluation_(std::move(evaluation)), name_(std::move(name)) {}

    void search(const Batch& batch, const SearchLimits& limits, const SearchOptions& options, SearchTable* kept,
                float* preferences, SearchReport* reports, int16_t* lines) const override {
        visit(batch, [&]<class R>(const R& rules, const auto& states) {
            if constexpr (requires { typename E::Trace; }) {
                search_all(rules, evaluation_, states, limits, options, kept, preferences, reports, lines);
            } else {
                const OneEvaluation<R, E> one(evaluation_);
                const AnyEvaluation<R>& any = one;
                search_all(rules, any, states, limits, options, kept, preferences, reports, lines);
            }
        });
    }

    void values(const Batch& batch, float* values, Interrupt* interrupt) const override {
        visit(batch, [&]<class R>(const R& rules, const auto& states) {
            const auto evaluate = [&](int64_t begin, int64_t end) {
                if constexpr (std::same_as<E, NetEvaluation>) {
                    values_together(rules, evaluation_, states.data() + begin, end - begin, values + begin, interrupt);
                } else {
                    for (int64_t i = begin; i < end; ++i) {
                        if (i % 16 == 0) Interrupt::check(interrupt);
                        const auto& state = states[i];
                        values[i] = state.over ? evaluation_.final(rules, state) : evaluation_.value(rules, state);
                    }
                }
            };
            parallel_for(static_cast<int64_t>(states.size()), kGrain, evaluate, interrupt);
        });
    }

  private:
    template <class F>
    void visit(const Batch& batch, F&& use) const {
        check_size(batch);
        if (!visit_batch(batch, Games{}, use)) throw std::invalid_argument(name_ + " does not evaluate this game");
    }

    void check_size(const Batch& batch) const {
        if (std::same_as<Games, SmallOthello> && batch.cells() != 64) {
            throw std::invalid_argument(name_ + " evaluates othello 8x8 only");
        }
        if constexpr (std::same_as<E, WeightedPieces>) {
            if (static_cast<int>(evaluation_.weights.size()) != batch.cells()) {
                throw std::invalid_argument(name_ + " has " + std::to_string(evaluation_.weights.size()) +
                                            " weights where the board has " + std::to_string(batch.cells()) + " cells");
            }
        }
        if constexpr (std::same_as<E, NetEvaluation>) {
            const int cells = evaluation_.net->cells();
            if (cells != 0 && cells != batch.cells()) {
                throw std::invalid_argument(name_ + " evaluates boards of " + std::to_string(cells) + " cells only");
            }
        }
    }

    E evaluation_;
    std::string name_;
};

// Patterns that own their tables.
struct OwnedPatterns : Patterns {
    std::shared_ptr<const PatternEvaluation> owned;
    explicit OwnedPatterns(std::shared_ptr<const PatternEvaluation> shared) : Patterns{shared.get()}, owned(shared) {}
};

// The most entries of a solver's table if their number is not given, as a power of two.
constexpr int kMostEntries = 24;
// The number of empty squares from which several threads solve a single position.
constexpr int kSolvedTogether = 18;

const BatchOf<Othello>& othello_batch(const Batch& batch) {
    const auto* known = dynamic_cast<const BatchOf<Othello>*>(&batch);
    if (known == nullptr || batch.cells() != 64) throw std::invalid_argument("exact endings are for othello 8x8");
    return *known;
}

}  // namespace

std::shared_ptr<Evaluation> make_piece_count() {
    return std::make_shared<EvaluationFor<PieceCount, AllOthello>>(PieceCount{}, "pieces");
}

std::shared_ptr<Evaluation> make_weighted_pieces(std::vector<float> weights) {
    WeightedPieces evaluation;
    evaluation.weights = std::move(weights);
    return std::make_shared<EvaluationFor<WeightedPieces, AllOthello>>(std::move(evaluation), "wpc");
}

std::shared_ptr<Evaluation> make_mobility() {
    return std::make_shared<EvaluationFor<Mobility, AllOthello>>(Mobility{}, "mobility");
}

std::shared_ptr<Evaluation> make_open_lines() {
    return std::make_shared<EvaluationFor<OpenLines, AllGomoku>>(OpenLines{}, "lines");
}

std::shared_ptr<Evaluation> make_liberties() {
    return std::make_shared<EvaluationFor<Liberties, AllAtariGo>>(Liberties{}, "liberties");
}

std::shared_ptr<Evaluation> make_connection_distance() {
    return std::make_shared<EvaluationFor<ConnectionDistance, AllHex>>(ConnectionDistance{}, "distance");
}

std::shared_ptr<Evaluation> make_ntuples(const std::vector<std::vector<int>>& squares, const std::vector<int>& tables,
                                         std::vector<float> weights, bool exchange_colours) {
    if (squares.size() != tables.size()) throw std::invalid_argument("every tuple needs a table");
    NTuples evaluation;
    for (size_t t = 0; t < squares.size(); ++t) {
        if (squares[t].empty() || squares[t].size() > 12) throw std::invalid_argument("a tuple has 1 to 12 squares");
        int64_t entries = 1;
        NTuples::Tuple tuple;
        for (const int square : squares[t]) {
            if (square < 0 || square > 63) throw std::invalid_argument("a tuple's squares are 0 to 63");
            tuple.squares.push_back(static_cast<uint8_t>(square));
            entries *= 3;
        }
        if (tables[t] < 0 || tables[t] + entries > static_cast<int64_t>(weights.size())) {
            throw std::invalid_argument("a tuple's table lies outside the weights");
        }
        tuple.table = tables[t];
        evaluation.tuples.push_back(std::move(tuple));
    }
    evaluation.weights = std::move(weights);
    evaluation.exchange_colours = exchange_colours;
    return std::make_shared<EvaluationFor<NTuples, SmallOthello>>(std::move(evaluation), "ntuple");
}

std::shared_ptr<Evaluation> make_iagno(const std::vector<float>& weights) {
    IagnoEvaluation evaluation;
    if (weights.size() != 64) throw std::invalid_argument("iagno needs 64 weights");
    std::copy(weights.begin(), weights.end(), evaluation.weights.begin());
    return std::make_shared<EvaluationFor<IagnoEvaluation, SmallOthello>>(evaluation, "iagno");
}

std::shared_ptr<Evaluation> make_patterns(std::shared_ptr<const PatternEvaluation> tables) {
    return std::make_shared<EvaluationFor<OwnedPatterns, SmallOthello>>(OwnedPatterns(std::move(tables)), "pattern");
}

std::shared_ptr<Evaluation> make_net_evaluation(std::shared_ptr<const BoardNet> net) {
    return std::make_shared<EvaluationFor<NetEvaluation, AllGames>>(NetEvaluation{std::move(net)}, "net");
}

void solve(const Batch& batch, const PatternEvaluation* tables, const SolveOptions& options, int32_t* scores,
           int32_t* moves, uint64_t* nodes, uint8_t* complete) {
    const auto& states = othello_batch(batch).states();
    const auto n = static_cast<int64_t>(states.size());
    const auto empties = [](const Othello::State& state) { return std::popcount(~(state.own | state.opponent)); };
    const auto entries = [&](const Othello::State& state) {
        if (state.over) return 1;
        if (options.log2_entries > 0) return options.log2_entries;
        return size_for_time(std::clamp(empties(state), 10, kMostEntries), options.limits.seconds);
    };
    const auto solve_some = [&](int64_t begin, int64_t end, int threads) {
        int largest = 0;
        for (int64_t i = begin; i < end; ++i) largest = std::max(largest, entries(states[i]));
        EndgameSolver solver(tables, largest);
        for (int64_t i = begin; i < end; ++i) {
            const auto& state = states[i];
            const Solution found = solver.solve(state.own, state.opponent, options.alpha, options.beta, options.limits,
                                                entries(state), threads);
            scores[i] = found.score;
            moves[i] = found.move;
            nodes[i] = found.nodes;
            complete[i] = found.complete;
        }
    };
    if (n == 1 && empties(states[0]) >= kSolvedTogether) {
        solve_some(0, 1, thread_count());
    } else {
        over_positions(n, options.limits.interrupt, [&](int64_t begin, int64_t end) { solve_some(begin, end, 1); });
    }
}

}  // namespace zp
