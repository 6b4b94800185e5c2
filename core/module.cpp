// The Python face of the core. Arrays are made by Python and filled here; their types and shapes are checked at
// this border. The interpreter lock is released during all work on batches.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "batch.hpp"
#include "chance.hpp"
#include "choose.hpp"
#include "threads.hpp"

#ifndef ZEROPLY_LEVEL
#error "define ZEROPLY_LEVEL"
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

template <class T, int Dimensions>
using Array = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

template <class A>
auto checked(A& array, std::initializer_list<int64_t> shape) {
    size_t axis = 0;
    for (const int64_t length : shape) {
        if (static_cast<int64_t>(array.shape(axis)) != length) {
            throw std::invalid_argument("axis " + std::to_string(axis) + " of an array is " +
                                        std::to_string(array.shape(axis)) + " long instead of " +
                                        std::to_string(length));
        }
        ++axis;
    }
    return array.data();
}

// Binds a call that fills an array of one row for each position.
template <class T>
auto fills(void (Batch::*method)(T*) const) {
    return [method](const Batch& batch, Array<T, 1> out) {
        T* data = checked(out, {batch.length()});
        const nb::gil_scoped_release released;
        (batch.*method)(data);
    };
}

template <class T>
auto fills_rows(void (Batch::*method)(T*) const, int columns = 0) {
    return [method, columns](const Batch& batch, Array<T, 2> out) {
        T* data = checked(out, {batch.length(), columns > 0 ? columns : batch.cells()});
        const nb::gil_scoped_release released;
        (batch.*method)(data);
    };
}

const int64_t* checked_index(Array<const int64_t, 1>& index, int64_t length) {
    const int64_t* data = index.data();
    for (size_t i = 0; i < index.shape(0); ++i) {
        if (data[i] < 0 || data[i] >= length) throw nb::index_error("a position index is out of range");
    }
    return data;
}

NB_MODULE(ZEROPLY_MODULE, m) {
    m.attr("LEVEL") = ZEROPLY_LEVEL;
    nb::exception<BadPosition>(m, "BadPosition", PyExc_ValueError);

    m.def("set_threads", &set_thread_count, "count"_a, "Use this many threads for every batch from now on.");
    m.def("threads", &thread_count, "Number of threads used for batches.");
    m.def(
        "choose",
        [](Array<const float, 2> preferences, Array<const uint64_t, 1> keys, Array<const uint64_t, 1> counters,
           double temperature, bool lowest, Array<int32_t, 1> moves) {
            const auto n = static_cast<int64_t>(preferences.shape(0));
            const auto* keys_data = checked(keys, {n});
            const auto* counters_data = checked(counters, {n});
            auto* moves_data = checked(moves, {n});
            const nb::gil_scoped_release released;
            return choose(preferences.data(), n, static_cast<int>(preferences.shape(1)), keys_data, counters_data,
                          temperature, lowest ? Ties::kLowest : Ties::kRandom, moves_data);
        },
        "preferences"_a, "keys"_a, "counters"_a, "temperature"_a, "lowest"_a, "moves"_a,
        "Fill `moves` with a chosen cell a row; returns the first row with a NaN or +inf, or -1.");

    nb::class_<Batch>(m, "Batch", "Any number of positions of one game.")
        .def("__len__", &Batch::length)
        .def(
            "select",
            [](const Batch& batch, Array<const int64_t, 1> index) {
                return batch.select(checked_index(index, batch.length()), static_cast<int64_t>(index.shape(0)));
            },
            "index"_a)
        .def(
            "assign",
            [](Batch& batch, Array<const int64_t, 1> index, const Batch& other) {
                batch.assign(checked_index(index, batch.length()), static_cast<int64_t>(index.shape(0)), other);
            },
            "index"_a, "other"_a)
        .def(
            "image",
            [](const Batch& batch, int symmetry) {
                if (symmetry < 0 || symmetry > 7) throw std::invalid_argument("symmetries are numbered 0 to 7");
                const nb::gil_scoped_release released;
                return batch.image(symmetry);
            },
            "symmetry"_a)
        .def(
            "play",
            [](Batch& batch, Array<const int32_t, 1> moves) {
                const int32_t* data = checked(moves, {batch.length()});
                const nb::gil_scoped_release released;
                const int64_t illegal = batch.find_illegal(data);
                if (illegal < 0) batch.play(data);
                return illegal;
            },
            "moves"_a, "Play one move in every position; on an illegal one change nothing and return its row, else -1.")
        .def("legal", fills_rows(&Batch::legal), "out"_a)
        .def("stones", fills_rows(&Batch::stones), "out"_a)
        .def("over", fills(&Batch::over), "out"_a)
        .def("mover", fills(&Batch::mover), "out"_a)
        .def("score", fills(&Batch::score), "out"_a)
        .def("move_number", fills(&Batch::move_number), "out"_a)
        .def("last_move", fills(&Batch::last_move), "out"_a)
        .def("captured", fills_rows(&Batch::captured, 2), "out"_a)
        .def("ko", fills(&Batch::ko), "out"_a)
        .def("liberties", fills_rows(&Batch::liberties), "out"_a)
        .def("hash", fills(&Batch::hash), "out"_a)
        .def(
            "planes",
            [](const Batch& batch, const std::vector<int>& kinds, Array<float, 3> out) {
                std::vector<Plane> planes;
                for (const int kind : kinds) {
                    if (kind < 0 || kind > static_cast<int>(Plane::kOnes)) throw std::invalid_argument("no such plane");
                    planes.push_back(static_cast<Plane>(kind));
                }
                const int count = static_cast<int>(planes.size());
                float* data = checked(out, {batch.length(), count, batch.cells()});
                const nb::gil_scoped_release released;
                batch.planes(planes.data(), count, data);
            },
            "kinds"_a, "out"_a)
        .def(
            "child_values",
            [](const Batch& batch, bool discs, Array<float, 2> out) {
                float* data = checked(out, {batch.length(), batch.cells()});
                const nb::gil_scoped_release released;
                batch.child_values(discs ? ChildValue::kDiscs : ChildValue::kOutcome, data);
            },
            "discs"_a, "out"_a)
        .def(
            "child_weights",
            [](const Batch& batch, Array<const float, 1> weights, Array<float, 2> out) {
                const float* weights_data = checked(weights, {batch.cells()});
                float* data = checked(out, {batch.length(), batch.cells()});
                const nb::gil_scoped_release released;
                batch.child_weights(weights_data, data);
            },
            "weights"_a, "out"_a)
        .def(
            "random_moves",
            [](const Batch& batch, Array<const uint64_t, 1> keys, Array<int32_t, 1> out) {
                const uint64_t* keys_data = checked(keys, {batch.length()});
                int32_t* data = checked(out, {batch.length()});
                const nb::gil_scoped_release released;
                batch.random_moves(keys_data, data);
            },
            "keys"_a, "out"_a);

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
            "stones"_a, "mover"_a, "captured"_a, "ko"_a)
        .def(
            "perft",
            [](const Game& game, const Batch& position, int depth) {
                if (depth < 0) throw std::invalid_argument("depth cannot be negative");
                const nb::gil_scoped_release released;
                return game.perft(position, depth);
            },
            "position"_a, "depth"_a)
        .def(
            "random_games",
            [](const Game& game, uint64_t key, int64_t games) {
                if (games < 0) throw std::invalid_argument("the number of games cannot be negative");
                const nb::gil_scoped_release released;
                return game.random_games(key, games);
            },
            "key"_a, "games"_a);

    m.def("othello", &make_othello, "size"_a);
    m.def("gomoku", &make_gomoku, "size"_a, "exactly_five"_a);
    m.def("atarigo", &make_atarigo, "size"_a, "captures"_a, "suicide_loses"_a);
}

}  // namespace
}  // namespace zp
