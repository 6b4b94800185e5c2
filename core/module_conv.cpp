// Python bindings of the convolutions on boards, of batch normalisation, and of trained nets of both.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "batch_norm.hpp"
#include "bindings.hpp"
#include "conv_net.hpp"
#include "conv_stack.hpp"
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

Arithmetic arithmetic_of(bool bfloat) {
    if (bfloat && !has_bfloat()) throw std::invalid_argument("this processor has no products of bfloat16 numbers");
    return bfloat ? Arithmetic::kBfloat : Arithmetic::kSingle;
}

template <class T>
using LayerArrays = std::tuple<Array<T, 3>, std::optional<Array<T, 1>>, Array<T, 1>>;  // weights, scale, shift

// The layers of a stack for boards of `channels` channels.
std::vector<StackLayer> layers_of(std::vector<LayerArrays<const float>>& arrays, int channels) {
    if (arrays.empty()) throw std::invalid_argument("a stack has one layer or more");
    std::vector<StackLayer> layers;
    for (auto& [weights, scale, shift] : arrays) {
        const auto [in, out] = channels_of(weights);
        if (in != channels) throw std::invalid_argument("the weights of a layer do not fit the layer before");
        channels = out;
        layers.push_back({weights.data(), pointer(scale, {out}), checked(shift, {out}), in, out});
    }
    return layers;
}

// What stack_forward leaves for stack_backward.
struct Stack {
    std::vector<std::pair<int, int>> shapes;  // inputs and outputs of each layer
    int64_t boards;
    float epsilon;
    Arithmetic arithmetic;
    std::unique_ptr<StackResults> results;
};

std::vector<std::pair<int, int>> shapes_of(const std::vector<StackLayer>& layers) {
    std::vector<std::pair<int, int>> shapes;
    for (const StackLayer& layer : layers) shapes.emplace_back(layer.in, layer.out);
    return shapes;
}

void bind_conv_stack(nb::module_& m) {
    nb::class_<Stack>(m, "Stack", "What `stack_forward` leaves for `stack_backward`.")
        .def(
            "moments",
            [](const Stack& stack, int layer, Array<float, 1> mean, Array<float, 1> variance) {
                if (layer < 0 || layer >= static_cast<int>(stack.results->size()))
                    throw nb::index_error("no such layer");
                const LayerResults& results = stack.results->at(layer);
                const auto channels = static_cast<int64_t>(results.mean.size());
                std::copy_n(results.mean.data(), channels, checked(mean, {channels}));
                std::copy_n(results.variance.data(), channels, checked(variance, {channels}));
            },
            "layer"_a, "mean"_a.noconvert(), "variance"_a.noconvert(),
            "The mean and the variance (biased) of each channel of a layer's convolution.");
    m.def(
        "stack_forward",
        [](Array<const float, 3> x, std::vector<LayerArrays<const float>> layers, float epsilon, bool bfloat,
           Array<float, 3> y) {
            const auto n = static_cast<int64_t>(x.shape(0));
            if (n < 1) throw std::invalid_argument("x has no boards");
            const std::vector<StackLayer> stack = layers_of(layers, static_cast<int>(x.shape(2)));
            const float* from = checked(x, {n, kBoardCells, stack.front().in});
            float* to = checked(y, {n, kBoardCells, stack.back().out});
            const Arithmetic arithmetic = arithmetic_of(bfloat);
            const GilReleased released;
            auto results = std::make_unique<StackResults>(stack_forward(stack, epsilon, arithmetic, from, n, to));
            return Stack{shapes_of(stack), n, epsilon, arithmetic, std::move(results)};
        },
        "x"_a.noconvert(), "layers"_a.noconvert(), "epsilon"_a, "bfloat"_a, "y"_a.noconvert(),
        "y[n, 64, out] from x[n, 64, in]: layers of (weights[out, 9, in], scale[out] or None, shift[out]), each a 3x3 "
        "convolution, batch normalisation unless scale is None, times scale plus shift, and ReLU.");
    m.def(
        "stack_backward",
        [](const Stack& stack, Array<const float, 3> x, std::vector<LayerArrays<const float>> layers,
           Array<const float, 3> dy, std::optional<Array<float, 3>> dx, std::vector<LayerArrays<float>> gradients) {
            const std::vector<StackLayer> given = layers_of(layers, static_cast<int>(x.shape(2)));
            if (shapes_of(given) != stack.shapes || gradients.size() != given.size()) {
                throw std::invalid_argument("these are not the layers of the stack");
            }
            const int64_t n = stack.boards;
            const float* from = checked(x, {n, kBoardCells, given.front().in});
            const float* above = checked(dy, {n, kBoardCells, given.back().out});
            float* below = pointer(dx, {n, kBoardCells, given.front().in});
            std::vector<StackGradient> to;
            for (size_t k = 0; k < given.size(); ++k) {
                auto& [weights, scale, shift] = gradients[k];
                const int in = given[k].in, out = given[k].out;
                if (scale.has_value() != (given[k].scale != nullptr)) {
                    throw std::invalid_argument("a layer has a gradient by its scale if it has a scale");
                }
                to.push_back({checked(weights, {out, 9, in}), pointer(scale, {out}), checked(shift, {out})});
            }
            const GilReleased released;
            stack_backward(given, stack.epsilon, stack.arithmetic, from, n, *stack.results, above, below, to);
        },
        "stack"_a, "x"_a.noconvert(), "layers"_a.noconvert(), "dy"_a.noconvert(), "dx"_a.none(),
        "gradients"_a.noconvert(),
        "The gradients of `stack_forward` by x, unless dx is None, and by the parameters, from dy[n, 64, out].");
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
    bind_conv_stack(m);
    m.def("has_bfloat", &has_bfloat, "Whether this level and this processor multiply bfloat16 numbers.");
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
           bool bfloat, Array<float, 3> y) {
            const auto [in, out] = channels_of(weights);
            const auto n = static_cast<int64_t>(x.shape(0));
            const float *from = checked(x, {n, kBoardCells, in}), *shift = pointer(bias, {out});
            float* to = checked(y, {n, kBoardCells, out});
            const int inputs = in, outputs = out;
            const Arithmetic arithmetic = arithmetic_of(bfloat);
            const GilReleased released;
            conv3_forward(from, weights.data(), shift, to, n, inputs, outputs, arithmetic);
        },
        "x"_a.noconvert(), "weights"_a.noconvert(), "bias"_a.none(), "bfloat"_a, "y"_a.noconvert(),
        "y[n, 64, out]: the 3x3 convolution of boards x[n, 64, in] with weights[out, 9, in], plus bias[out] if given.");
    m.def(
        "conv3_backward",
        [](Array<const float, 3> x, Array<const float, 3> weights, Array<const float, 3> dy, bool bfloat,
           std::optional<Array<float, 3>> dx, std::optional<Array<float, 3>> dw) {
            const auto [in, out] = channels_of(weights);
            const auto n = static_cast<int64_t>(x.shape(0));
            const float *from = checked(x, {n, kBoardCells, in}), *above = checked(dy, {n, kBoardCells, out});
            float *below = pointer(dx, {n, kBoardCells, in}), *beside = pointer(dw, {out, 9, in});
            const int inputs = in, outputs = out;
            const Arithmetic arithmetic = arithmetic_of(bfloat);
            const GilReleased released;
            conv3_backward(from, weights.data(), above, below, beside, n, inputs, outputs, arithmetic);
        },
        "x"_a.noconvert(), "weights"_a.noconvert(), "dy"_a.noconvert(), "bfloat"_a, "dx"_a.none(), "dw"_a.none(),
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
