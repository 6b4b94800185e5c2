// Python bindings of the population nets that Schaul and Schmidhuber compare: MDRNNs and MLPs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <vector>

#include "batch_search.hpp"
#include "bindings.hpp"
#include "features.hpp"
#include "mdrnn.hpp"
#include "mlp.hpp"
#include "population_games.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

using Matrix = Array<const float, 2>;
using Members = Array<const int32_t, 1>;

template <class Net>
using PopulationMethod = void (Net::*)(const Batch&, const float*, int64_t, const int32_t*, float*, Interrupt*) const;

// Binds a method of a population: it fills [n, cells], or [n] for values of boards.
template <class Net, int Dimensions>
auto population_call(PopulationMethod<Net> method) {
    return [method](const Net& net, Matrix weights, Members members, const Batch& batch, Array<float, Dimensions> out) {
        const auto rows = static_cast<int64_t>(weights.shape(0));
        const float* vectors = checked(weights, {rows, net.parameters()});
        const auto member_of = copied_members(members, batch.length(), rows);
        checked(out, {batch.length()});
        if constexpr (Dimensions == 2) checked(out, {batch.length(), batch.cells()});
        run_interruptible([&](Interrupt* interrupt) {
            (net.*method)(batch, vectors, rows, member_of.data(), out.data(), interrupt);
        });
    };
}

// Binds whole games between members of a population, which prefer moves by the method; it fills scores[n] and
// lengths[n].
template <class Net>
auto population_play(PopulationMethod<Net> method) {
    return [method](const Net& net, Matrix weights, Members black, Members white, const Batch& starts,
                    Array<const uint64_t, 1> keys, double temperature, bool lowest, Array<int32_t, 1> scores,
                    Array<int32_t, 1> lengths) {
        const auto rows = static_cast<int64_t>(weights.shape(0));
        const int64_t n = starts.length();
        const float* vectors = checked(weights, {rows, net.parameters()});
        const auto has_black = copied_members(black, n, rows), has_white = copied_members(white, n, rows);
        const PopulationGames games{.starts = starts,
                                    .black = has_black.data(),
                                    .white = has_white.data(),
                                    .keys = checked(keys, {n}),
                                    .temperature = temperature,
                                    .ties = lowest ? Ties::kLowest : Ties::kRandom};
        int32_t* to_scores = checked(scores, {n});
        int32_t* to_lengths = checked(lengths, {n});
        const auto prefer = [&](const Batch& batch, const int32_t* members, float* out, Interrupt* interrupt) {
            (net.*method)(batch, vectors, rows, members, out, interrupt);
        };
        run_interruptible(
            [&](Interrupt* interrupt) { play_population(prefer, games, to_scores, to_lengths, interrupt); });
    };
}

}  // namespace

void bind_mdrnn(nb::module_& m) {
    nb::class_<Mdrnn>(m, "Mdrnn", "Multi-dimensional recurrent nets of one form; see zeroply.nets.mdrnn.")
        .def(
            "__init__",
            [](Mdrnn* self, int hidden, int layers, bool lstm, int distances, int features) {
                new (self) Mdrnn({.hidden = hidden,
                                  .layers = layers,
                                  .lstm = lstm,
                                  .distances = distances,
                                  .features = static_cast<Features>(features)});
            },
            "hidden"_a, "layers"_a, "lstm"_a, "distances"_a, "features"_a)
        .def_prop_ro("parameters", &Mdrnn::parameters)
        .def("prefer", population_call<Mdrnn, 2>(&Mdrnn::prefer), "weights"_a.noconvert(), "members"_a.noconvert(),
             "batch"_a, "out"_a.noconvert(), "A preference for every legal move, -inf elsewhere.")
        .def("values", population_call<Mdrnn, 1>(&Mdrnn::values), "weights"_a.noconvert(), "members"_a.noconvert(),
             "batch"_a, "out"_a.noconvert(), "The value of each position for the side to move.")
        .def("child_values", population_call<Mdrnn, 2>(&Mdrnn::child_values), "weights"_a.noconvert(),
             "members"_a.noconvert(), "batch"_a, "out"_a.noconvert(),
             "The value of the board after every legal move, -inf elsewhere.")
        .def("play", population_play<Mdrnn>(&Mdrnn::prefer), "weights"_a.noconvert(), "black"_a.noconvert(),
             "white"_a.noconvert(), "starts"_a, "keys"_a.noconvert(), "temperature"_a, "lowest"_a,
             "scores"_a.noconvert(), "lengths"_a.noconvert(),
             "Play whole games from the positions of a batch: Black's scores, and numbers of moves.")
        .def("play_by_values", population_play<Mdrnn>(&Mdrnn::child_values), "weights"_a.noconvert(),
             "black"_a.noconvert(), "white"_a.noconvert(), "starts"_a, "keys"_a.noconvert(), "temperature"_a,
             "lowest"_a, "scores"_a.noconvert(), "lengths"_a.noconvert(),
             "The same by values of the boards after the moves.")
        .def(
            "evaluation",
            [](const Mdrnn& net, Array<const float, 1> vector, int size) {
                const float* weights = checked(vector, {net.parameters()});
                return make_net_evaluation(net.board_net({weights, weights + net.parameters()}, size));
            },
            "vector"_a.noconvert(), "size"_a, "One member as an evaluation for search.")
        .def(
            "sweeps",
            [](const Mdrnn& net, Array<const float, 1> vector, const Batch& batch, Array<float, 3> out) {
                const float* weights = checked(vector, {net.parameters()});
                if (batch.length() != 1) throw std::invalid_argument("one position is needed");
                float* to = checked(out, {4, batch.cells(), net.hidden()});
                const GilReleased released;
                net.sweeps(batch, 0, weights, to);
            },
            "vector"_a.noconvert(), "batch"_a, "out"_a.noconvert(),
            "The units of the last layer in each sweep of one position.");

    nb::class_<Mlp>(m, "Mlp", "Perceptrons with one hidden layer; see zeroply.nets.mlp.")
        .def(nb::init<int, int>(), "cells"_a, "hidden"_a)
        .def_prop_ro("parameters", &Mlp::parameters)
        .def("prefer", population_call<Mlp, 2>(&Mlp::prefer), "weights"_a.noconvert(), "members"_a.noconvert(),
             "batch"_a, "out"_a.noconvert(), "A preference for every legal move, -inf elsewhere.")
        .def("play", population_play<Mlp>(&Mlp::prefer), "weights"_a.noconvert(), "black"_a.noconvert(),
             "white"_a.noconvert(), "starts"_a, "keys"_a.noconvert(), "temperature"_a, "lowest"_a,
             "scores"_a.noconvert(), "lengths"_a.noconvert(),
             "Play whole games from the positions of a batch: Black's scores, and numbers of moves.");

    m.def(
        "features",
        [](int kind, const Batch& batch, Array<float, 3> out) {
            const auto features = static_cast<Features>(kind);
            const int planes = feature_planes(features);
            float* to = checked(out, {batch.length(), planes, batch.cells()});
            std::vector<uint8_t> seen(batch.cells());
            for (int64_t i = 0; i < batch.length(); ++i) {
                batch.seen(i, seen.data());
                fill_features(features, seen.data(), batch.size(), to + i * planes * batch.cells());
            }
        },
        "kind"_a, "batch"_a, "out"_a.noconvert(), "Input planes of nets besides the stones.");
}

}  // namespace zp
