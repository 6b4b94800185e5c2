// Python bindings of the `lines` nets.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lines.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
void bind_lines(nb::module_& m) {
    nb::class_<LinesNet>(m, "LinesNet", "A net that looks at the lines of an Othello board; see zeroply.nets.lines.")
        .def(
            "__init__",
            [](LinesNet* self, Array<const uint64_t, 1> masks, Array<const float, 2> table, Array<const float, 2> basis,
               const std::vector<Array<const float, 3>>& signs, const std::vector<Array<const float, 2>>& pairs,
               const std::vector<Array<const float, 1>>& shifts, Array<const int32_t, 2> cells) {
                if (signs.size() != pairs.size() || signs.size() != shifts.size()) {
                    throw std::invalid_argument("every layer needs its matrices and its shift");
                }
                std::vector<LinesNet::Layer> layers;
                for (size_t l = 0; l < signs.size(); ++l) {
                    layers.push_back({static_cast<int>(signs[l].shape(1)), static_cast<int>(signs[l].shape(2)),
                                      copied(signs[l]), copied(pairs[l]), copied(shifts[l])});
                }
                new (self) LinesNet(copied(masks), copied(table), static_cast<int>(table.shape(1)), copied(basis),
                                    layers, copied(cells));
            },
            "masks"_a.noconvert(), "table"_a.noconvert(), "basis"_a.noconvert(), "signs"_a, "pairs"_a, "shifts"_a,
            "cells"_a.noconvert())
        .def(
            "prefer",
            [](const LinesNet& net, const Batch& batch, bool all, Array<float, 2> out) {
                float* to = checked(out, {batch.length(), batch.cells()});
                run_interruptible([&](Interrupt* interrupt) { net.prefer(batch, all, to, interrupt); });
            },
            "batch"_a, "all"_a, "out"_a.noconvert(),
            "A logit for every legal move, -inf elsewhere; with `all` for every cell, 0 in the centre.");
}

}  // namespace zp
