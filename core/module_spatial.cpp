// The Python face of the spatial nets.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "border.hpp"
#include "searching.hpp"
#include "spatial.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

const int32_t* checked_members(Array<const int32_t, 1>& members, int64_t n, const SpatialNets& nets) {
    const int32_t* data = checked(members, {n});
    for (int64_t i = 0; i < n; ++i) {
        if (data[i] < 0 || data[i] >= nets.members()) {
            throw nb::index_error("a member of the population is out of range");
        }
    }
    return data;
}

}  // namespace

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
                const int32_t* members_data = checked_members(members, batch.length(), nets);
                float* to = checked(out, {batch.length()});
                const Unlocked unlocked;
                nets.values(batch, members_data, to);
            },
            "batch"_a, "members"_a.noconvert(), "out"_a.noconvert(),
            "The sum of each position's member for its board; White wants it high.")
        .def(
            "prefer",
            [](const SpatialNets& nets, const Batch& batch, Array<const int32_t, 1> members, Array<float, 2> out) {
                const int32_t* members_data = checked_members(members, batch.length(), nets);
                float* to = checked(out, {batch.length(), batch.cells()});
                const Unlocked unlocked;
                nets.prefer(batch, members_data, to);
            },
            "batch"_a, "members"_a.noconvert(), "out"_a.noconvert(),
            "How each position's member likes every legal move, -inf elsewhere.")
        .def(
            "play",
            [](const SpatialNets& nets, Array<const int32_t, 1> black, Array<const int32_t, 1> white,
               Array<int32_t, 1> scores, std::optional<Array<int8_t, 2>> moves) {
                const auto n = static_cast<int64_t>(black.shape(0));
                const int32_t* black_data = checked_members(black, n, nets);
                const int32_t* white_data = checked_members(white, n, nets);
                int32_t* scores_data = checked(scores, {n});
                int8_t* moves_data = moves ? checked(*moves, {n, 60}) : nullptr;
                const Unlocked unlocked;
                nets.play(black_data, white_data, n, scores_data, moves_data);
            },
            "black"_a.noconvert(), "white"_a.noconvert(), "scores"_a.noconvert(), "moves"_a.noconvert().none(),
            "Whole games from the start: Black's discs less White's, and the squares played.");

    m.def(
        "spatial_evaluation",
        [](const SpatialShape& shape, Array<const float, 1> weights) {
            const float* data = checked(weights, {shape.parameters()});
            return make_net_evaluation(std::make_shared<SpatialMember>(shape, data));
        },
        "shape"_a, "weights"_a.noconvert(), "A member as an evaluation for search.");
}

}  // namespace zp
