// A stack of 3x3 convolutions on 8x8 boards, each followed by batch normalisation, or by a bias, and ReLU: results and
// gradients for training. A convolution's results are written to memory once, before normalisation; the next one
// normalises them as it reads them, and the sums that normalisation needs are added up as results are written. Sums run
// in a fixed order, whatever the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "winograd_products.hpp"

namespace zp {

struct StackLayer {
    const float* weights;  // [out, 9, in]
    const float* scale;    // [out], the factor after normalisation; null if results are not normalised
    const float* shift;    // [out]
    int in, out;
};

// Panels of boards: floats or, with bfloat16 products, rounded to bfloat16 to halve the memory. They lie in the order
// in which they are used, [block of boards, panel, board].
class Panels {
  public:
    Panels(int64_t n, int channels, Arithmetic arithmetic);
    ~Panels();
    Panels(Panels&&) = default;

    // A panel where it is stored or, if it is rounded, in `space`.
    const Panel& read(int64_t board, int number, Panel& space) const {
        const float* from = at(board, number);
        for (int64_t k = 0; k < floats_; k += kPanel) __builtin_prefetch(from + floats_ + k);  // most likely the next
        if (arithmetic_ == Arithmetic::kSingle) return *reinterpret_cast<const Panel*>(from);
        bfloat::expand(from, space);
        return space;
    }
    void write(int64_t board, int number, const Panel& panel) {
        float* to = at(board, number);
        if (arithmetic_ == Arithmetic::kBfloat) return bfloat::shrink(panel, to);
        *reinterpret_cast<Panel*>(to) = panel;
    }

  private:
    static constexpr int64_t kBlock = 16;

    float* at(int64_t board, int number) const {
        return data_ + ((board / kBlock * count_ + number) * kBlock + board % kBlock) * floats_;
    }

    int64_t count_, floats_;
    Arithmetic arithmetic_;
    std::unique_ptr<LaneBuffer> memory_;
    size_t size_;
    float* data_;
};

// What a layer leaves for the gradients: the convolution's results, and the mean and the variance (biased) of each
// channel, which are zero if it is not normalised.
struct LayerResults {
    Panels panels;
    std::vector<float> mean, variance;

    LayerResults(int64_t n, int channels, Arithmetic arithmetic)
        : panels(n, channels, arithmetic), mean(channels), variance(channels) {}
};
using StackResults = std::vector<LayerResults>;

// y[n, 64, out] from x[n, 64, in].
StackResults stack_forward(const std::vector<StackLayer>& layers, float epsilon, Arithmetic arithmetic, const float* x,
                           int64_t n, float* y);

struct StackGradient {
    float *weights, *scale, *shift;  // as in StackLayer
};

// The gradients by all parameters, and by x unless dx is null, from dy, that by y.
void stack_backward(const std::vector<StackLayer>& layers, float epsilon, Arithmetic arithmetic, const float* x,
                    int64_t n, const StackResults& results, const float* dy, float* dx,
                    const std::vector<StackGradient>& gradients);

}  // namespace zp
