// Python bindings of the convolutions on boards, of batch normalisation, and of trained nets of both.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdlib>
#include <optional>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "batch_norm.hpp"
#include "bindings.hpp"
#include "conv_net.hpp"
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

// Rows and channels of an array that has at least one of each.
std::pair<int64_t, int> matrix_shape(const Array<const float, 2>& x) {
    const auto rows = static_cast<int64_t>(x.shape(0)), channels = static_cast<int64_t>(x.shape(1));
    if (rows < 1 || channels < 1 || channels > kMostChannels) {
        throw std::invalid_argument("x is an array [rows, channels] with 1 row or more and 1 to 65536 channels");
    }
    return {rows, static_cast<int>(channels)};
}

template <class A>
auto pointer(std::optional<A>& array, std::initializer_list<int64_t> shape) {
    return array ? checked(*array, shape) : nullptr;
}

// A kernel that is `size` wide from the length of its axis, size * size.
int side_of(size_t cells) {
    int side = 1;
    while (side < 64 && static_cast<size_t>(side) * side < cells) ++side;
    if (static_cast<size_t>(side) * side != cells)
        throw std::invalid_argument("weights are [out, kernel * kernel, in]");
    return side;
}

void bind_conv_net(nb::module_& m) {
    using Vector = Array<const float, 1>;
    nb::class_<ConvNet>(m, "ConvNet", "Operations on feature maps in numbered slots; slot 0 holds the input planes.")
        .def(nb::init<int, int>(), "planes"_a, "side"_a)
        .def(
            "conv",
            [](ConvNet& net, int from, int to, Array<const float, 3> weights, Vector shift, int stride, bool relu) {
                const auto out = static_cast<int>(weights.shape(0));
                checked(weights, {out, static_cast<int64_t>(weights.shape(1)), net.channels(from)});
                net.conv(from, to, side_of(weights.shape(1)), stride, out, weights.data(), checked(shift, {out}), relu);
            },
            "source"_a, "target"_a, "weights"_a.noconvert(), "shift"_a.noconvert(), "stride"_a, "relu"_a,
            "A convolution with weights[out, kernel * kernel, in] and zero padding.")
        .def(
            "linear",
            [](ConvNet& net, int from, int to, Array<const float, 2> weights, Vector shift, bool relu) {
                const auto out = static_cast<int>(weights.shape(0));
                checked(weights, {out, net.floats(from)});
                net.linear(from, to, out, weights.data(), checked(shift, {out}), relu);
            },
            "source"_a, "target"_a, "weights"_a.noconvert(), "shift"_a.noconvert(), "relu"_a,
            "A linear layer with weights[out, cells * channels] over all cells.")
        .def(
            "affine",
            [](ConvNet& net, int from, int to, Vector scale, Vector shift, bool relu) {
                const int channels = net.channels(from);
                net.affine(from, to, checked(scale, {channels}), checked(shift, {channels}), relu);
            },
            "source"_a, "target"_a, "scale"_a.noconvert(), "shift"_a.noconvert(), "relu"_a)
        .def("add", &ConvNet::add, "first"_a, "second"_a, "target"_a, "relu"_a)
        .def("join", &ConvNet::join, "first"_a, "second"_a, "target"_a, "The channels of both.")
        .def("shortcut", &ConvNet::shortcut, "source"_a, "target"_a, "stride"_a, "channels"_a,
             "Every stride-th cell of both directions, with channels of zeros added.")
        .def("pool", &ConvNet::pool, "source"_a, "target"_a, "Means of squares of 2x2 cells.")
        .def("mean", &ConvNet::mean, "source"_a, "target"_a, "Means of all cells.")
        .def("floats", &ConvNet::floats, "slot"_a, "Numbers per board in a slot.")
        .def(
            "run",
            [](const ConvNet& net, Array<const float, 2> planes, int slot, Array<float, 2> outputs) {
                const auto n = static_cast<int64_t>(planes.shape(0));
                const float* from = checked(planes, {n, net.inputs()});
                float* to = checked(outputs, {n, net.floats(slot)});
                run_interruptible([&](Interrupt* interrupt) { net.run(from, n, slot, to, interrupt); });
            },
            "planes"_a.noconvert(), "slot"_a, "outputs"_a.noconvert(),
            "The contents of a slot for planes[n, planes * cells].");
}

}  // namespace

void bind_conv(nb::module_& m) {
    bind_conv_net(m);
    m.def(
        "reuse_memory",
        [] {
#if defined(__GLIBC__)
            mallopt(M_MMAP_MAX, 0);
            mallopt(M_TRIM_THRESHOLD, -1);
#endif
        },
        "From now on the process reuses the memory of large arrays instead of returning it to the system each time.");
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
    m.def(
        "norm_relu_forward",
        [](Array<const float, 2> x, Array<const float, 1> weight, Array<const float, 1> bias, float epsilon,
           Array<float, 2> y, Array<float, 1> mean, Array<float, 1> variance) {
            const auto [rows, channels] = matrix_shape(x);
            const BatchNorm norm{checked(weight, {channels}), checked(bias, {channels}), epsilon, channels};
            float *to = checked(y, {rows, channels}), *centre = checked(mean, {channels});
            float* spread = checked(variance, {channels});
            const int64_t count = rows;
            const GilReleased released;
            norm_relu_forward(norm, x.data(), count, to, centre, spread);
        },
        "x"_a.noconvert(), "weight"_a.noconvert(), "bias"_a.noconvert(), "epsilon"_a, "y"_a.noconvert(),
        "mean"_a.noconvert(), "variance"_a.noconvert(),
        "y[n, channels]: x normalised by its own statistics, then ReLU; and those statistics.");
    m.def(
        "norm_relu_backward",
        [](Array<const float, 2> x, Array<const float, 1> weight, Array<const float, 1> bias, float epsilon,
           Array<const float, 1> mean, Array<const float, 1> variance, Array<const float, 2> dy, Array<float, 2> dx,
           Array<float, 1> dweight, Array<float, 1> dbias) {
            const auto [rows, channels] = matrix_shape(x);
            const BatchNorm norm{checked(weight, {channels}), checked(bias, {channels}), epsilon, channels};
            const float *centre = checked(mean, {channels}), *spread = checked(variance, {channels});
            const float* above = checked(dy, {rows, channels});
            float *below = checked(dx, {rows, channels}), *for_weight = checked(dweight, {channels});
            float* for_bias = checked(dbias, {channels});
            const int64_t count = rows;
            const GilReleased released;
            norm_relu_backward(norm, x.data(), centre, spread, above, count, below, for_weight, for_bias);
        },
        "x"_a.noconvert(), "weight"_a.noconvert(), "bias"_a.noconvert(), "epsilon"_a, "mean"_a.noconvert(),
        "variance"_a.noconvert(), "dy"_a.noconvert(), "dx"_a.noconvert(), "dweight"_a.noconvert(),
        "dbias"_a.noconvert(), "The gradients of `norm_relu_forward` from dy[n, channels].");
}

}  // namespace zp
