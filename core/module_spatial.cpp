// Python bindings of the spatial nets.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "batch_search.hpp"
#include "bindings.hpp"
#include "spatial.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
void bind_spatial(nb::module_& m) {
    nb::class_<SpatialShape>(m, "SpatialShape", "What the nodes of a spatial net's first layer see.")
        .def(nb::init<std::vector<std::vector<int>>, bool, float>(), "patterns"_a, "discs"_a, "limit"_a)
        .def_prop_ro("parameters", &SpatialShape::parameters);

    nb::class_<SpatialNets>(m, "SpatialNets", "A population of spatial nets; see zeroply.nets.spatial.")
        .def(
            "__init__",
            [](SpatialNets* self, const SpatialShape& shape, Array<const float, 2> weights) {
                const auto members = static_cast<int64_t>(weights.shape(0));
                const float* data = checked(weights, {members, shape.parameters()});
                new (self) SpatialNets(shape, data, members);
            },
            "shape"_a, "weights"_a.noconvert())
        .def("__len__", &SpatialNets::members)
        .def(
            "values",
            [](const SpatialNets& nets, const Batch& batch, Array<const int32_t, 1> members, Array<float, 1> out) {
                const auto member_of = copied_members(members, batch.length(), nets.members());
                float* to = checked(out, {batch.length()});
                run_interruptible([&](Interrupt* interrupt) { nets.values(batch, member_of.data(), to, interrupt); });
            },
            "batch"_a, "members"_a.noconvert(), "out"_a.noconvert(),
            "The output sum of each position's member; White maximises it.")
        .def(
            "prefer",
            [](const SpatialNets& nets, const Batch& batch, Array<const int32_t, 1> members, Array<float, 2> out) {
                const auto member_of = copied_members(members, batch.length(), nets.members());
                float* to = checked(out, {batch.length(), batch.cells()});
                run_interruptible([&](Interrupt* interrupt) { nets.prefer(batch, member_of.data(), to, interrupt); });
            },
            "batch"_a, "members"_a.noconvert(), "out"_a.noconvert(),
            "The preference of each position's member for every legal move, -inf elsewhere.")
        .def(
            "play",
            [](const SpatialNets& nets, Array<const int32_t, 1> black, Array<const int32_t, 1> white,
               Array<int32_t, 1> scores, std::optional<Array<int8_t, 2>> moves, const Batch* starts,
               std::optional<Array<const uint64_t, 1>> keys) {
                const auto n = static_cast<int64_t>(black.shape(0));
                const auto black_members = copied_members(black, n, nets.members());
                const auto white_members = copied_members(white, n, nets.members());
                int32_t* scores_data = checked(scores, {n});
                int8_t* moves_data = moves ? checked(*moves, {n, 60}) : nullptr;
                const uint64_t* game_keys = keys ? checked(*keys, {n}) : nullptr;
                run_interruptible([&](Interrupt* interrupt) {
                    nets.play(black_members.data(), white_members.data(), starts, game_keys, n, scores_data, moves_data,
                              interrupt);
                });
            },
            "black"_a.noconvert(), "white"_a.noconvert(), "scores"_a.noconvert(), "moves"_a.noconvert().none(),
            "starts"_a.none() = nb::none(), "keys"_a.noconvert().none() = nb::none(),
            "Play whole games from the start, or from the positions of a batch: Black's discs minus White's, and the "
            "squares played.");

    m.def(
        "spatial_evaluation",
        [](const SpatialShape& shape, Array<const float, 1> weights) {
            const float* data = checked(weights, {shape.parameters()});
            return make_net_evaluation(std::make_shared<SpatialMember>(shape, data));
        },
        "shape"_a, "weights"_a.noconvert(), "A member as an evaluation for search.");
}

}  // namespace zp
