// The Python face of the nets for populations that Schaul and Schmidhuber compare: MDRNNs and MLPs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "border.hpp"
#include "mdrnn.hpp"
#include "mlp.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

using Matrix = Array<const float, 2>;
using Members = Array<const int32_t, 1>;

const int32_t* checked_members(Members& members, int64_t positions, int64_t rows) {
    const int32_t* data = checked(members, {positions});
    for (int64_t i = 0; i < positions; ++i) {
        if (data[i] < 0 || data[i] >= rows) throw nb::index_error("a member of the population is out of range");
    }
    return data;
}

template <class Net>
void prefer(const Net& net, Matrix weights, Members members, const Batch& batch, Array<float, 2> out) {
    const auto rows = static_cast<int64_t>(weights.shape(0));
    const float* vectors = checked(weights, {rows, net.parameters()});
    const int32_t* looking = checked_members(members, batch.length(), rows);
    float* to = checked(out, {batch.length(), batch.cells()});
    const nb::gil_scoped_release released;
    net.prefer(batch, vectors, rows, looking, to);
}

}  // namespace

void bind_mdrnn(nb::module_& m) {
    nb::class_<Mdrnn>(m, "Mdrnn", "Multi-dimensional recurrent nets of one form; see zeroply.nets.mdrnn.")
        .def(
            "__init__",
            [](Mdrnn* self, int hidden, int layers, bool lstm, int distances) {
                new (self) Mdrnn({.hidden = hidden, .layers = layers, .lstm = lstm, .distances = distances});
            },
            "hidden"_a, "layers"_a, "lstm"_a, "distances"_a)
        .def_prop_ro("parameters", &Mdrnn::parameters)
        .def("prefer", &prefer<Mdrnn>, "weights"_a.noconvert(), "members"_a.noconvert(), "batch"_a, "out"_a.noconvert(),
             "A preference for every legal move, -inf elsewhere.")
        .def(
            "sweeps",
            [](const Mdrnn& net, Array<const float, 1> vector, const Batch& batch, Array<float, 3> out) {
                const float* weights = checked(vector, {net.parameters()});
                if (batch.length() != 1) throw std::invalid_argument("one position is needed");
                float* to = checked(out, {4, batch.cells(), net.hidden()});
                const nb::gil_scoped_release released;
                net.sweeps(batch, 0, weights, to);
            },
            "vector"_a.noconvert(), "batch"_a, "out"_a.noconvert(),
            "What the units of the last layer say in each sweep of one position.");

    nb::class_<Mlp>(m, "Mlp", "Perceptrons with one hidden layer; see zeroply.nets.mlp.")
        .def(nb::init<int, int>(), "cells"_a, "hidden"_a)
        .def_prop_ro("parameters", &Mlp::parameters)
        .def("prefer", &prefer<Mlp>, "weights"_a.noconvert(), "members"_a.noconvert(), "batch"_a, "out"_a.noconvert(),
             "A preference for every legal move, -inf elsewhere.");
}

}  // namespace zp
