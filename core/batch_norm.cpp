#include "batch_norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "threads.hpp"

namespace zp {
namespace {

constexpr int64_t kRows = 256;  // rows that are summed in single precision; their sums are added in double

int64_t blocks_of(int64_t rows) { return (rows + kRows - 1) / kRows; }

// Calls body(block, first row, rows) for every block.
template <class F>
void each_block(int64_t rows, F&& body) {
    parallel_for(blocks_of(rows), 4, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * kRows;
            body(block, first, std::min(kRows, rows - first));
        }
    });
}

// The factor and the shift of each channel: normalised x = x * scale + shift.
struct Affine {
    std::vector<float> scale, shift;

    Affine(const BatchNorm& norm, const float* mean, const float* variance)
        : scale(norm.channels), shift(norm.channels) {
        for (int c = 0; c < norm.channels; ++c) {
            scale[c] = norm.weight[c] / std::sqrt(variance[c] + norm.epsilon);
            shift[c] = norm.bias[c] - mean[c] * scale[c];
        }
    }
};

// Means of a block's channels, and sums of squared differences from them.
void block_moments(const float* __restrict x, int64_t rows, int channels, float* __restrict mean,
                   float* __restrict squares) {
    std::fill_n(mean, channels, 0.0f);
    std::fill_n(squares, channels, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
        for (int c = 0; c < channels; ++c) mean[c] += x[r * channels + c];
    }
    for (int c = 0; c < channels; ++c) mean[c] /= static_cast<float>(rows);
    for (int64_t r = 0; r < rows; ++r) {
        for (int c = 0; c < channels; ++c) {
            const float difference = x[r * channels + c] - mean[c];
            squares[c] += difference * difference;
        }
    }
}

void moments(const float* x, int64_t rows, int channels, float* mean, float* variance) {
    std::vector<float> parts(blocks_of(rows) * 2 * channels);
    each_block(rows, [&](int64_t block, int64_t first, int64_t count) {
        float* part = parts.data() + block * 2 * channels;
        block_moments(x + first * channels, count, channels, part, part + channels);
    });
    std::vector<double> means(channels), squares(channels);
    const auto each_part = [&](auto&& use) {
        for (int64_t block = 0; block < blocks_of(rows); ++block) {
            const auto count = static_cast<double>(std::min(kRows, rows - block * kRows));
            const float* part = parts.data() + block * 2 * channels;
            for (int c = 0; c < channels; ++c) use(c, count, part[c], part[channels + c]);
        }
    };
    const auto all = static_cast<double>(rows);
    each_part([&](int c, double count, float part_mean, float) { means[c] += part_mean * (count / all); });
    each_part([&](int c, double count, float part_mean, float part_squares) {
        const double difference = part_mean - means[c];
        squares[c] += part_squares + count * difference * difference;
    });
    for (int c = 0; c < channels; ++c) {
        mean[c] = static_cast<float>(means[c]);
        variance[c] = static_cast<float>(squares[c] / all);
    }
}

void normalise(const float* __restrict x, int64_t rows, int channels, const float* __restrict scale,
               const float* __restrict shift, float* __restrict y) {
    for (int64_t r = 0; r < rows; ++r) {
        for (int c = 0; c < channels; ++c) {
            const float value = x[r * channels + c] * scale[c] + shift[c];
            y[r * channels + c] = value < 0.0f ? 0.0f : value;
        }
    }
}

// Sums of a block over the rows where ReLU lets the gradient pass: of dy (x - mean), and of dy.
void block_gradients(const float* __restrict x, const float* __restrict dy, int64_t rows, int channels,
                     const float* __restrict scale, const float* __restrict shift, const float* __restrict mean,
                     float* __restrict products, float* __restrict sums) {
    std::fill_n(products, channels, 0.0f);
    std::fill_n(sums, channels, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
        for (int c = 0; c < channels; ++c) {
            const float value = x[r * channels + c], gradient = dy[r * channels + c];
            const float passed = value * scale[c] + shift[c] > 0.0f ? gradient : 0.0f;
            products[c] += passed * (value - mean[c]);
            sums[c] += passed;
        }
    }
}

// dx = scale dy + slope (x - mean) + level, with dy where ReLU lets it pass.
void spread_gradients(const float* __restrict x, const float* __restrict dy, int64_t rows, int channels,
                      const float* __restrict scale, const float* __restrict shift, const float* __restrict mean,
                      const float* __restrict slope, const float* __restrict level, float* __restrict dx) {
    for (int64_t r = 0; r < rows; ++r) {
        for (int c = 0; c < channels; ++c) {
            const float value = x[r * channels + c], gradient = dy[r * channels + c];
            const float passed = value * scale[c] + shift[c] > 0.0f ? gradient : 0.0f;
            dx[r * channels + c] = scale[c] * passed + slope[c] * (value - mean[c]) + level[c];
        }
    }
}

}  // namespace

void norm_relu_forward(const BatchNorm& norm, const float* x, int64_t rows, float* y, float* mean, float* variance) {
    const int channels = norm.channels;
    moments(x, rows, channels, mean, variance);
    const Affine affine(norm, mean, variance);
    each_block(rows, [&](int64_t, int64_t first, int64_t count) {
        normalise(x + first * channels, count, channels, affine.scale.data(), affine.shift.data(),
                  y + first * channels);
    });
}

void norm_relu_backward(const BatchNorm& norm, const float* x, const float* mean, const float* variance,
                        const float* dy, int64_t rows, float* dx, float* dweight, float* dbias) {
    const int channels = norm.channels;
    const Affine affine(norm, mean, variance);
    const float *scale = affine.scale.data(), *shift = affine.shift.data();
    std::vector<float> parts(blocks_of(rows) * 2 * channels);
    each_block(rows, [&](int64_t block, int64_t first, int64_t count) {
        float* part = parts.data() + block * 2 * channels;
        block_gradients(x + first * channels, dy + first * channels, count, channels, scale, shift, mean, part,
                        part + channels);
    });
    std::vector<double> products(channels), sums(channels);
    for (int64_t block = 0; block < blocks_of(rows); ++block) {
        const float* part = parts.data() + block * 2 * channels;
        for (int c = 0; c < channels; ++c) {
            products[c] += part[c];
            sums[c] += part[channels + c];
        }
    }
    std::vector<float> slope(channels), level(channels);
    const auto all = static_cast<double>(rows);
    for (int c = 0; c < channels; ++c) {
        const double inverse = 1.0 / std::sqrt(static_cast<double>(variance[c]) + norm.epsilon);
        dweight[c] = static_cast<float>(products[c] * inverse);
        dbias[c] = static_cast<float>(sums[c]);
        slope[c] = static_cast<float>(-scale[c] * inverse * inverse * products[c] / all);
        level[c] = static_cast<float>(-scale[c] * sums[c] / all);
    }
    each_block(rows, [&](int64_t, int64_t first, int64_t count) {
        spread_gradients(x + first * channels, dy + first * channels, count, channels, scale, shift, mean, slope.data(),
                         level.data(), dx + first * channels);
    });
}

}  // namespace zp
