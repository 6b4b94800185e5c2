// Python bindings of the core. Python allocates the arrays; their types and shapes are checked here. The interpreter
// lock is released during all work on batches.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch.hpp"
#include "batch_search.hpp"
#include "bindings.hpp"
#include "chance.hpp"
#include "choose.hpp"
#include "interrupt.hpp"
#include "ntuple_learning.hpp"
#include "pattern_fit.hpp"
#include "threads.hpp"

#ifndef ZEROPLY_LEVEL
#error "define ZEROPLY_LEVEL"
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

constexpr int64_t kMostTdGames = 1 << 20;  // 1.5 kB of memory per game

// Binds a method that fills an array with one element or row per position.
template <class T>
auto fills(void (Batch::*method)(T*) const) {
    return [method](const Batch& batch, Array<T, 1> out) {
        T* data = checked(out, {batch.length()});
        const GilReleased released;
        (batch.*method)(data);
    };
}

template <class T>
auto fills_rows(void (Batch::*method)(T*) const, int columns = 0) {
    return [method, columns](const Batch& batch, Array<T, 2> out) {
        T* data = checked(out, {batch.length(), columns > 0 ? columns : batch.cells()});
        const GilReleased released;
        (batch.*method)(data);
    };
}

std::vector<int64_t> copied_index(Array<const int64_t, 1>& index, const Batch& batch) {
    return copied_below(index, static_cast<int64_t>(index.shape(0)), batch.length(),
                        "a position index is out of range");
}

void bind_search(nb::module_& m) {
    nb::class_<PatternEvaluation>(m, "PatternTables", "The tables of the pattern evaluation.")
        .def(
            "__init__",
            [](PatternEvaluation* self, Array<const int32_t, 1> plies, Array<const int16_t, 2> weights,
               Array<const int16_t, 1> bias, Array<const float, 2> deviations) {
                const auto stages = static_cast<int64_t>(plies.shape(0));
                const int16_t* weights_data = checked(weights, {stages, kPatternWeights});
                const int16_t* bias_data = checked(bias, {PatternEvaluation::kPlies});
                const float* deviations_data = checked(deviations, {stages, PatternEvaluation::kDepths});
                new (self) PatternEvaluation({plies.data(), plies.shape(0)}, {weights_data, weights.size()},
                                             {bias_data, bias.size()}, {deviations_data, deviations.size()});
            },
            "plies"_a.noconvert(), "weights"_a.noconvert(), "bias"_a.noconvert(), "deviations"_a.noconvert());
    m.attr("PATTERN_DEPTHS") = PatternEvaluation::kDepths;
    m.attr("PATTERN_WEIGHTS") = kPatternWeights;

    nb::class_<SearchTable>(m, "SearchTable", "A transposition table that is kept between searches.")
        .def(
            "__init__",
            [](SearchTable* self, int log2_entries) {
                if (log2_entries < 1 || log2_entries > 28) throw std::invalid_argument("table sizes are 2^1 to 2^28");
                new (self) SearchTable(log2_entries);
                self->clear();
            },
            "log2_entries"_a);

    nb::class_<Evaluation>(m, "Evaluation", "Evaluates positions for the side to move; searched by alpha-beta.")
        .def(
            "search",
            [](const Evaluation& evaluation, const Batch& batch, int depth, uint64_t nodes, double seconds, bool strong,
               bool table, bool all_moves, bool ends_by_board, int threads, bool together, SearchTable* kept,
               Array<float, 2> preferences, Array<float, 1> scores, Array<int32_t, 1> depths,
               Array<uint64_t, 1> visited, Array<int16_t, 2> lines) {
                if (depth < 1 || depth > 60) throw std::invalid_argument("depth must be from 1 to 60");
                if (threads < 1 || threads > 1024) throw std::invalid_argument("threads must be from 1 to 1024");
                const int64_t n = batch.length();
                float* preferences_data = checked(preferences, {n, batch.cells()});
                float* scores_data = checked(scores, {n});
                int32_t* depths_data = checked(depths, {n});
                uint64_t* visited_data = checked(visited, {n});
                int16_t* lines_data = lines.shape(1) == 0 ? nullptr : checked(lines, {n, depth});
                std::vector<SearchReport> reports(n);
                run_interruptible([&](Interrupt* interrupt) {
                    evaluation.search(batch, {depth, nodes, seconds, interrupt},
                                      {strong, table, all_moves, ends_by_board, threads, together}, kept,
                                      preferences_data, reports.data(), lines_data);
                });
                for (int64_t i = 0; i < n; ++i) {
                    scores_data[i] = reports[i].score;
                    depths_data[i] = reports[i].depth;
                    visited_data[i] = reports[i].nodes;
                }
            },
            "batch"_a, "depth"_a, "nodes"_a, "seconds"_a, "strong"_a, "table"_a, "all_moves"_a, "ends_by_board"_a,
            "threads"_a, "together"_a, "kept"_a.none(), "preferences"_a.noconvert(), "scores"_a.noconvert(),
            "depths"_a.noconvert(), "visited"_a.noconvert(), "lines"_a.noconvert())
        .def(
            "values",
            [](const Evaluation& evaluation, const Batch& batch, Array<float, 1> out) {
                float* data = checked(out, {batch.length()});
                run_interruptible([&](Interrupt* interrupt) { evaluation.values(batch, data, interrupt); });
            },
            "batch"_a, "out"_a.noconvert());

    m.def("pieces", &make_piece_count);
    m.def("weighted_pieces", &make_weighted_pieces, "weights"_a);
    m.def("mobility", &make_mobility);
    m.def("open_lines", &make_open_lines);
    m.def("connection_distance", &make_connection_distance);
    m.def("chain_liberties", &make_liberties);
    m.def("ntuples", &make_ntuples, "squares"_a, "tables"_a, "weights"_a, "exchange_colours"_a);
    m.def("iagno", &make_iagno, "weights"_a);
    m.def("patterns", &make_patterns, "tables"_a);

    m.def(
        "solve",
        [](const Batch& batch, const PatternEvaluation* tables, int alpha, int beta, uint64_t max_nodes, double seconds,
           int log2_entries, Array<int32_t, 1> scores, Array<int32_t, 1> moves, Array<uint64_t, 1> nodes,
           Array<uint8_t, 1> complete) {
            if (alpha < -64 || beta > 64 || alpha >= beta)
                throw std::invalid_argument("a window lies within -64 to 64");
            if (log2_entries < 0 || log2_entries > 28) throw std::invalid_argument("table sizes are 2^1 to 2^28");
            const int64_t n = batch.length();
            int32_t* scores_data = checked(scores, {n});
            int32_t* moves_data = checked(moves, {n});
            uint64_t* nodes_data = checked(nodes, {n});
            uint8_t* complete_data = checked(complete, {n});
            run_interruptible([&](Interrupt* interrupt) {
                solve(batch, tables, {alpha, beta, {max_nodes, seconds, interrupt}, log2_entries}, scores_data,
                      moves_data, nodes_data, complete_data);
            });
        },
        "batch"_a, "tables"_a.none(), "alpha"_a, "beta"_a, "max_nodes"_a, "seconds"_a, "log2_entries"_a,
        "scores"_a.noconvert(), "moves"_a.noconvert(), "nodes"_a.noconvert(), "complete"_a.noconvert());

    m.def(
        "fit_patterns",
        [](Array<const uint64_t, 1> own, Array<const uint64_t, 1> opponent, Array<const float, 1> target,
           Array<const uint8_t, 1> wild, Array<const int32_t, 1> plies, float ridge, float cells, float stages,
           int iterations, int end, Array<float, 1> white, Array<float, 2> weights, Array<float, 1> bias) {
            const auto n = static_cast<int64_t>(own.shape(0));
            const uint64_t* opponent_data = checked(opponent, {n});
            const float* target_data = checked(target, {n});
            const uint8_t* wild_data = checked(wild, {n});
            const std::vector<int32_t> steps(plies.data(), plies.data() + plies.shape(0));
            check_stages(steps);
            const auto number = static_cast<int>(steps.size());
            float* white_data = checked(white, {pattern_parameters(number)});
            float* weights_data = checked(weights, {number, kPatternWeights});
            float* bias_data = checked(bias, {PatternEvaluation::kPlies});
            const auto correlation = [](float one) { return one >= 0 && one < 1; };
            if (!(ridge > 0) || !correlation(cells) || !correlation(stages)) {
                throw std::invalid_argument("a ridge is above 0 and correlations lie from 0 to below 1");
            }
            for (int64_t i = 0; i < n; ++i) {
                if (own.data()[i] & opponent_data[i]) throw std::invalid_argument("two discs are on one square");
            }
            double error = 0;
            run_interruptible([&](Interrupt* interrupt) {
                error =
                    fit_patterns({own.data(), opponent_data, target_data, wild_data, n}, steps, {ridge, cells, stages},
                                 iterations, end, white_data, weights_data, bias_data, interrupt);
            });
            return error;
        },
        "own"_a.noconvert(), "opponent"_a.noconvert(), "target"_a.noconvert(), "wild"_a.noconvert(),
        "plies"_a.noconvert(), "ridge"_a, "cells"_a, "stages"_a, "iterations"_a, "end"_a, "white"_a.noconvert(),
        "weights"_a.noconvert(), "bias"_a.noconvert());
    m.def("pattern_parameters", &pattern_parameters, "stages"_a);
}

void bind_ntuple_learning(nb::module_& m) {
    nb::class_<TupleShape>(m, "TupleShape", "Which squares the tuples of an n-tuple player look at.")
        .def(nb::init<const std::vector<std::vector<int>>&, const std::vector<int>&>(), "squares"_a, "tables"_a)
        .def_prop_ro("weights", &TupleShape::weights);

    m.def(
        "td_self_play",
        [](const TupleShape& shape, Array<float, 1> weights, uint64_t key, int64_t first, int64_t games, float rate,
           float epsilon, float lambda, int plies) {
            if (games < 0 || first < 0) throw std::invalid_argument("games are numbered from 0");
            if (games > kMostTdGames) throw std::invalid_argument("a batch of self-play has at most 2^20 games");
            float* weights_data = checked(weights, {shape.weights()});
            TdReport report;
            run_interruptible([&](Interrupt* interrupt) {
                report =
                    td_self_play(shape, weights_data, key, first, games, {rate, epsilon, lambda, plies}, interrupt);
            });
            return nb::make_tuple(report.squared_error, report.boards);
        },
        "shape"_a, "weights"_a.noconvert(), "key"_a, "first"_a, "games"_a, "rate"_a, "epsilon"_a, "lambda_"_a,
        "plies"_a, "Play games and learn from them; returns the sum of squared errors and the boards learned from.");

    m.def(
        "play_ntuple_games",
        [](const TupleShape& shape, Array<const float, 2> weights, Array<const int32_t, 1> black,
           Array<const int32_t, 1> white, Array<const uint64_t, 1> openings, Array<const uint64_t, 1> keys, int plies,
           Array<int8_t, 1> results) {
            const auto members = static_cast<int64_t>(weights.shape(0));
            const auto n = static_cast<int64_t>(black.shape(0));
            const float* weights_data = checked(weights, {members, shape.weights()});
            const auto black_members = copied_members(black, n, members);
            const auto white_members = copied_members(white, n, members);
            const uint64_t* openings_data = checked(openings, {n});
            const uint64_t* keys_data = checked(keys, {n});
            int8_t* results_data = checked(results, {n});
            run_interruptible([&](Interrupt* interrupt) {
                play_ntuple_games(shape, weights_data, black_members.data(), white_members.data(), openings_data,
                                  keys_data, plies, n, results_data, interrupt);
            });
        },
        "shape"_a, "weights"_a.noconvert(), "black"_a.noconvert(), "white"_a.noconvert(), "openings"_a.noconvert(),
        "keys"_a.noconvert(), "plies"_a, "results"_a.noconvert());
}

NB_MODULE(ZEROPLY_MODULE, m) {
    nb::set_leak_warnings(false);  // objects cached until Python exits are not leaks
    m.attr("LEVEL") = ZEROPLY_LEVEL;
    nb::exception<BadPosition>(m, "BadPosition", PyExc_ValueError);

    m.def("set_threads", &set_thread_count, "count"_a, "Use this many threads for every batch from now on.");
    m.def("threads", &thread_count, "Number of threads used for batches.");
    m.def(
        "choose",
        [](Array<const float, 2> preferences, Array<const uint64_t, 1> keys, Array<const uint64_t, 1> counters,
           double temperature, bool lowest, Array<int32_t, 1> moves) {
            if (!(temperature >= 0 && temperature <= std::numeric_limits<double>::max())) {
                throw std::invalid_argument("a temperature is a finite number of 0 or more");
            }
            const auto n = static_cast<int64_t>(preferences.shape(0));
            const auto* keys_data = checked(keys, {n});
            const auto* counters_data = checked(counters, {n});
            auto* moves_data = checked(moves, {n});
            const GilReleased released;
            return choose(preferences.data(), n, static_cast<int>(preferences.shape(1)), keys_data, counters_data,
                          temperature, lowest ? Ties::kLowest : Ties::kRandom, moves_data);
        },
        "preferences"_a.noconvert(), "keys"_a.noconvert(), "counters"_a.noconvert(), "temperature"_a, "lowest"_a,
        "moves"_a.noconvert(),
        "Fill `moves` with the chosen cell of each row; returns the first row with a NaN or +inf, or -1.");

    nb::class_<Batch>(m, "Batch", "Any number of positions of one game.")
        .def("__len__", &Batch::length)
        .def(
            "select",
            [](const Batch& batch, Array<const int64_t, 1> index) {
                const auto rows = copied_index(index, batch);
                return batch.select(rows.data(), static_cast<int64_t>(rows.size()));
            },
            "index"_a.noconvert())
        .def(
            "assign",
            [](Batch& batch, Array<const int64_t, 1> index, const Batch& other) {
                const auto rows = copied_index(index, batch);
                batch.assign(rows.data(), static_cast<int64_t>(rows.size()), other);
            },
            "index"_a.noconvert(), "other"_a)
        .def(
            "image",
            [](const Batch& batch, int symmetry) {
                if (symmetry < 0 || symmetry > 7) throw std::invalid_argument("symmetries are numbered 0 to 7");
                const GilReleased released;
                return batch.image(symmetry);
            },
            "symmetry"_a)
        .def(
            "play",
            [](Batch& batch, Array<const int32_t, 1> moves) {
                checked(moves, {batch.length()});
                const std::vector<int32_t> cells = copied(moves);
                const GilReleased released;
                const int64_t illegal = batch.find_illegal(cells.data());
                if (illegal < 0) batch.play(cells.data());
                return illegal;
            },
            "moves"_a.noconvert(),
            "Play one move in every position; on an illegal one change nothing and return its row, else -1.")
        .def(
            "remember",
            [](Batch& batch, Array<const int32_t, 1> last, Array<const uint8_t, 1> passed) {
                checked(last, {batch.length()});
                batch.remember(copied(last).data(), checked(passed, {batch.length()}));
            },
            "last"_a.noconvert(), "passed"_a.noconvert(),
            "Set the history that does not follow from the stones: the last move, and whether a side had to pass.")
        .def("legal", fills_rows(&Batch::legal), "out"_a.noconvert())
        .def("stones", fills_rows(&Batch::stones), "out"_a.noconvert())
        .def("over", fills(&Batch::over), "out"_a.noconvert())
        .def("mover", fills(&Batch::mover), "out"_a.noconvert())
        .def("score", fills(&Batch::score), "out"_a.noconvert())
        .def("move_number", fills(&Batch::move_number), "out"_a.noconvert())
        .def("last_move", fills(&Batch::last_move), "out"_a.noconvert())
        .def("passed", fills(&Batch::passed), "out"_a.noconvert())
        .def("captured", fills_rows(&Batch::captured, 2), "out"_a.noconvert())
        .def("ko", fills(&Batch::ko), "out"_a.noconvert())
        .def("liberties", fills_rows(&Batch::liberties), "out"_a.noconvert())
        .def("hash", fills(&Batch::hash), "out"_a.noconvert())
        .def(
            "planes",
            [](const Batch& batch, const std::vector<int>& kinds, Array<float, 3> out) {
                const std::vector<Plane> planes = checked_planes(kinds);
                const int count = static_cast<int>(planes.size());
                float* data = checked(out, {batch.length(), count, batch.cells()});
                const GilReleased released;
                batch.planes(planes.data(), count, data);
            },
            "kinds"_a, "out"_a.noconvert())
        .def(
            "child_values",
            [](const Batch& batch, bool discs, Array<float, 2> out) {
                float* data = checked(out, {batch.length(), batch.cells()});
                const GilReleased released;
                batch.child_values(discs ? ChildValue::kDiscs : ChildValue::kOutcome, data);
            },
            "discs"_a, "out"_a.noconvert())
        .def(
            "child_weights",
            [](const Batch& batch, Array<const float, 1> weights, Array<float, 2> out) {
                const float* weights_data = checked(weights, {batch.cells()});
                float* data = checked(out, {batch.length(), batch.cells()});
                const GilReleased released;
                batch.child_weights(weights_data, data);
            },
            "weights"_a.noconvert(), "out"_a.noconvert())
        .def(
            "random_moves",
            [](const Batch& batch, Array<const uint64_t, 1> keys, Array<int32_t, 1> out) {
                const uint64_t* keys_data = checked(keys, {batch.length()});
                int32_t* data = checked(out, {batch.length()});
                const GilReleased released;
                batch.random_moves(keys_data, data);
            },
            "keys"_a.noconvert(), "out"_a.noconvert());

    nb::class_<Tally>(m, "Tally", "Totals over random games.")
        .def_ro("games", &Tally::games)
        .def_ro("plies", &Tally::plies)
        .def_ro("black_wins", &Tally::black_wins)
        .def_ro("white_wins", &Tally::white_wins);

    nb::class_<Game>(m, "Game", "The rules of one game on one board size.")
        .def_prop_ro("size", &Game::size)
        .def(
            "start",
            [](const Game& game, int64_t n) {
                if (n < 0) throw std::invalid_argument("a batch cannot hold a negative number of positions");
                return game.start(n);
            },
            "n"_a)
        .def(
            "make",
            [](const Game& game, Array<const int8_t, 2> stones, Array<const uint8_t, 1> mover,
               Array<const int32_t, 2> captured, Array<const int32_t, 1> ko) {
                const auto n = static_cast<int64_t>(stones.shape(0));
                return game.make(checked(stones, {n, game.size() * game.size()}), checked(mover, {n}),
                                 checked(captured, {n, 2}), checked(ko, {n}), n);
            },
            "stones"_a.noconvert(), "mover"_a.noconvert(), "captured"_a.noconvert(), "ko"_a.noconvert())
        .def(
            "perft",
            [](const Game& game, const Batch& position, int depth) {
                if (depth < 0) throw std::invalid_argument("depth cannot be negative");
                uint64_t sequences = 0;
                run_interruptible([&](Interrupt* interrupt) { sequences = game.perft(position, depth, interrupt); });
                return sequences;
            },
            "position"_a, "depth"_a)
        .def(
            "random_games",
            [](const Game& game, uint64_t key, int64_t games) {
                if (games < 0 || games > int64_t{1} << 40) throw std::invalid_argument("0 to 2^40 games can be played");
                Tally tally;
                run_interruptible([&](Interrupt* interrupt) { tally = game.random_games(key, games, interrupt); });
                return tally;
            },
            "key"_a, "games"_a);

    bind_cancellation(m);
    bind_search(m);
    bind_ntuple_learning(m);
    bind_array_game(m);
    bind_conv(m);
    bind_examples(m);
    bind_forcing(m);
    bind_lines(m);
    bind_mdrnn(m);
    bind_normal(m);
    bind_spatial(m);

    m.def("othello", &make_othello, "size"_a);
    m.def("gomoku", &make_gomoku, "size"_a, "exactly_five"_a);
    m.def("hex", &make_hex, "size"_a, "swap"_a);
    m.def("atarigo", &make_atarigo, "size"_a, "captures"_a, "suicide_loses"_a);
}

}  // namespace
}  // namespace zp
