// Batch normalisation with the statistics of the batch, then ReLU, as one operation with few passes over memory (Ioffe
// and Szegedy 2015). Arrays are [rows, channels]; sums run in a fixed order, whatever the number of threads.
#pragma once

#include <cstdint>

namespace zp {

struct BatchNorm {
    const float *weight, *bias;  // [channels]
    float epsilon;
    int channels;
};

// y = relu(weight (x - mean) / sqrt(variance + epsilon) + bias); mean and variance (biased) are those of the batch.
void norm_relu_forward(const BatchNorm& norm, const float* x, int64_t rows, float* y, float* mean, float* variance);

// The gradients by x, weight and bias from dy, the gradient by y.
void norm_relu_backward(const BatchNorm& norm, const float* x, const float* mean, const float* variance,
                        const float* dy, int64_t rows, float* dx, float* dweight, float* dbias);

}  // namespace zp
