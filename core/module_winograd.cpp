// The Python face of the convolutions on boards.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <limits>
#include <optional>

#include "bindings.hpp"
#include "winograd.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

constexpr int64_t kMostChannels = 65536;

// The channels of weights[out, 9, in], in and out.
std::pair<int, int> channels_of(const Array<const float, 3>& weights) {
    const auto out = static_cast<int64_t>(weights.shape(0)), in = static_cast<int64_t>(weights.shape(2));
    if (weights.shape(1) != 9 || in < 1 || out < 1 || in > kMostChannels || out > kMostChannels) {
        throw std::invalid_argument("weights are an array [out, 9, in] with 1 to 65536 channels");
    }
    return {static_cast<int>(in), static_cast<int>(out)};
}

template <class A>
auto pointer(std::optional<A>& array, std::initializer_list<int64_t> shape) {
    return array ? checked(*array, shape) : nullptr;
}

}  // namespace

void bind_winograd(nb::module_& m) {
    m.def(
        "conv3_forward",
        [](Array<const float, 3> x, Array<const float, 3> weights, std::optional<Array<const float, 1>> bias,
           Array<float, 3> y) {
            const auto [in, out] = channels_of(weights);
            const auto n = static_cast<int64_t>(x.shape(0));
            const float *from = checked(x, {n, kBoardCells, in}), *shift = pointer(bias, {out});
            float* to = checked(y, {n, kBoardCells, out});
            const int inputs = in, outputs = out;
            const GilReleased released;
            conv3_forward(from, weights.data(), shift, to, n, inputs, outputs);
        },
        "x"_a.noconvert(), "weights"_a.noconvert(), "bias"_a.none(), "y"_a.noconvert(),
        "y[n, 64, out]: the 3x3 convolution of boards x[n, 64, in] with weights[out, 9, in], plus bias[out] if given.");
    m.def(
        "conv3_backward",
        [](Array<const float, 3> x, Array<const float, 3> weights, Array<const float, 3> dy,
           std::optional<Array<float, 3>> dx, std::optional<Array<float, 3>> dw) {
            const auto [in, out] = channels_of(weights);
            const auto n = static_cast<int64_t>(x.shape(0));
            const float *from = checked(x, {n, kBoardCells, in}), *above = checked(dy, {n, kBoardCells, out});
            float *below = pointer(dx, {n, kBoardCells, in}), *beside = pointer(dw, {out, 9, in});
            const int inputs = in, outputs = out;
            const GilReleased released;
            conv3_backward(from, weights.data(), above, below, beside, n, inputs, outputs);
        },
        "x"_a.noconvert(), "weights"_a.noconvert(), "dy"_a.noconvert(), "dx"_a.none(), "dw"_a.none(),
        "The gradients dx[n, 64, in] and dw[out, 9, in] from dy[n, 64, out]; None for one that is not needed.");
}

}  // namespace zp
