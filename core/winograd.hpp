// 3x3 convolution on 8x8 boards by Winograd's F(4x4, 3x3): the board is cut into four tiles of 4x4, and each tile with
// its border of one cell is transformed into 36 numbers, so that a convolution becomes 36 small matrix products with a
// quarter of the multiplications (Lavin and Gray 2016). Boards are [n, 64, channels], channels last.
#pragma once

#include <cstdint>
#include <vector>

#include "winograd_products.hpp"

namespace zp {

inline constexpr int kBoardCells = kCells;
inline constexpr int kBoardBlock = 32;  // boards that a net evaluates together

// y[n, 64, out] = convolution of x[n, 64, in] with weights[out, 9, in], zero padding; plus bias[out] unless null.
void conv3_forward(const float* x, const float* weights, const float* bias, float* y, int64_t n, int in, int out,
                   Arithmetic arithmetic);

// A convolution whose weights[out, 9, in] are transformed once, with a bias[out].
class Conv3 {
  public:
    Conv3(const float* weights, const float* bias, int in, int out);

    // y[boards, 64, out] from x[boards, 64, in], on the calling thread; a board's result does not depend on the others.
    void operator()(const float* x, int64_t boards, bool relu, float* y) const;

  private:
    int in_, out_;
    LaneBuffer matrices_;
    std::vector<float> bias_;
};

// The gradients of a loss by x and by weights, given dy, that by y; dx or dw may be null if it is not wanted. Sums run
// in a fixed order, so the result does not depend on the number of threads.
void conv3_backward(const float* x, const float* weights, const float* dy, float* dx, float* dw, int64_t n, int in,
                    int out, Arithmetic arithmetic);

}  // namespace zp
