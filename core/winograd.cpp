#include "winograd.hpp"

#include <algorithm>
#include <limits>

#include "winograd_blocks.hpp"

namespace zp {
namespace {

std::vector<float> padded(const float* bias, int out) {
    std::vector<float> shift(static_cast<size_t>(panels_of(out)) * kPanel);
    if (bias) std::copy_n(bias, out, shift.data());
    return shift;
}

void convolve_boards(const Kernel& kernel, const float* x, int64_t boards, const float* bias, bool relu, float* y) {
    const Vector least = Vector{} + (relu ? 0.0f : -std::numeric_limits<float>::infinity());
    convolve(
        kernel, boards, [&](int64_t k, int p, Panel& panel) { read_cells(x, kernel.in, k, p, panel); },
        [&](int64_t k, int p, Panel& panel) {
            by_vector([&](int lane) {
                const Vector shift = load_lanes<kVector>(bias + p * kPanel + lane);
                for (auto& cell : panel.cells) {
                    store_lanes<kVector>(cell + lane, larger(load_lanes<kVector>(cell + lane) + shift, least));
                }
            });
            write_cells(panel, p, k, y, kernel.out);
        });
}

}  // namespace

Conv3::Conv3(const float* weights, const float* bias, int in, int out)
    : in_(in), out_(out), matrices_(Kernel::floats(in, out, Arithmetic::kSingle)), bias_(padded(bias, out)) {
    const Kernel kernel(matrices_.data(), in, out, Arithmetic::kSingle);
    transform_weights(weights, in, out, false, kernel.arithmetic, kernel.matrices);
}

void Conv3::operator()(const float* x, int64_t boards, bool relu, float* y) const {
    const Kernel kernel(const_cast<float*>(matrices_.data()), in_, out_, Arithmetic::kSingle);
    const int64_t block = boards_of_block(in_, out_);
    for (int64_t first = 0; first < boards; first += block) {
        convolve_boards(kernel, x + first * kCells * in_, std::min(block, boards - first), bias_.data(), relu,
                        y + first * kCells * out_);
    }
}

void conv3_forward(const float* x, const float* weights, const float* bias, float* y, int64_t n, int in, int out,
                   Arithmetic arithmetic) {
    const Kernel kernel(workspace().matrices.get(Kernel::floats(in, out, arithmetic)), in, out, arithmetic);
    transform_weights(weights, in, out, false, arithmetic, kernel.matrices);
    const std::vector<float> shift = padded(bias, out);
    const int64_t size = boards_of_block(in, out);
    parallel_for((n + size - 1) / size, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * size;
            convolve_boards(kernel, x + first * kCells * in, std::min(size, n - first), shift.data(), false,
                            y + first * kCells * out);
        }
    });
}

void conv3_backward(const float* x, const float* weights, const float* dy, float* dx, float* dw, int64_t n, int in,
                    int out, Arithmetic arithmetic) {
    differentiate(
        weights, in, out, n, arithmetic, dw, dx != nullptr,
        [&](int64_t k, int p, Panel& panel) { read_cells(x, in, k, p, panel); },
        [&](int64_t k, int p, Panel& panel) { read_cells(dy, out, k, p, panel); },
        [&](int64_t k, int p, const Panel& panel) { write_cells(panel, p, k, dx, in); });
}

}  // namespace zp
