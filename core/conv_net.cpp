#include "conv_net.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "lanes.hpp"
#include "threads.hpp"
#include "winograd.hpp"

namespace zp {
namespace {

constexpr int kPanel = 16;                // columns of a matrix that lie together
constexpr int kParts = kPanel / kVector;  // vectors of a panel's row
constexpr int kRows = kVector == 16 ? 12 : kVector == 8 ? 6 : 3;
constexpr int64_t kDepth = 256;  // rows of a panel that are used together: 16 KB
constexpr int kMostSlots = 64, kMostChannels = 65536, kMostSide = 64;
constexpr int kWinogradSide = 8, kFewestChannels = 8;  // with fewer channels, padding them costs more than it saves

using Vector = Lanes<kVector>;

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

// A matrix [columns, depth] as panels of 16 columns: [panel, depth, 16].
class Matrix {
  public:
    Matrix(const float* weights, const float* shift, int columns, int64_t depth)
        : columns_(columns),
          panels_((columns + kPanel - 1) / kPanel),
          depth_(depth),
          data_(static_cast<size_t>(panels_) * depth * kPanel),
          shift_(shift, shift + columns) {
        std::fill_n(data_.data(), static_cast<size_t>(panels_) * depth * kPanel, 0.0f);
        for (int c = 0; c < columns; ++c) {
            float* to = data_.data() + (c / kPanel * depth) * kPanel + c % kPanel;
            for (int64_t k = 0; k < depth; ++k) to[k * kPanel] = weights[c * depth + k];
        }
    }

    // to[rows, columns] = from[rows, depth] times the matrix, plus the shift.
    void multiply(const float* from, int64_t rows, bool relu, float* to) const {
        thread_local Scratch scratch;
        const int64_t padded = static_cast<int64_t>(panels_) * kPanel;
        float* sums = scratch.get(static_cast<size_t>(rows) * padded);
        std::fill_n(sums, rows * padded, 0.0f);
        for (int64_t first = 0; first < depth_; first += kDepth) {
            const int64_t depth = std::min(kDepth, depth_ - first);
            for (int q = 0; q < panels_; ++q) {
                const float* b = data_.data() + (q * depth_ + first) * kPanel;
                int64_t row = 0;
                for (; row + kRows <= rows; row += kRows) {
                    add_rows<kRows>(from + row * depth_ + first, b, depth, sums + row * padded + q * kPanel);
                }
                add_rest<kRows - 1>(static_cast<int>(rows - row), from + row * depth_ + first, b, depth,
                                    sums + row * padded + q * kPanel);
            }
        }
        for (int64_t row = 0; row < rows; ++row) {
            for (int c = 0; c < columns_; ++c) {
                const float sum = sums[row * padded + c] + shift_[c];
                to[row * columns_ + c] = relu && sum < 0.0f ? 0.0f : sum;
            }
        }
    }

    int64_t depth() const { return depth_; }

  private:
    template <int M>
    void add_rows(const float* a, const float* b, int64_t depth, float* to) const {
        const int64_t padded = static_cast<int64_t>(panels_) * kPanel;
        Vector sums[M][kParts];
        for (int m = 0; m < M; ++m) {
            for (int part = 0; part < kParts; ++part) {
                sums[m][part] = load_lanes<kVector>(to + m * padded + part * kVector);
            }
        }
        for (int64_t k = 0; k < depth; ++k, b += kPanel) {
            Vector row[kParts];
            for (int part = 0; part < kParts; ++part) row[part] = load_lanes<kVector>(b + part * kVector);
            for (int m = 0; m < M; ++m) {
                const float factor = a[m * depth_ + k];
                for (int part = 0; part < kParts; ++part) sums[m][part] += factor * row[part];
            }
        }
        for (int m = 0; m < M; ++m) {
            for (int part = 0; part < kParts; ++part) {
                store_lanes<kVector>(to + m * padded + part * kVector, sums[m][part]);
            }
        }
    }

    template <int M>
    void add_rest(int rows, const float* a, const float* b, int64_t depth, float* to) const {
        if constexpr (M > 0) {
            if (rows == M) return add_rows<M>(a, b, depth, to);
            add_rest<M - 1>(rows, a, b, depth, to);
        }
    }

    int columns_, panels_;
    int64_t depth_;
    LaneBuffer data_;
    std::vector<float> shift_;
};

// The neighbourhoods of a board's cells: to[cells of the result, kernel * kernel, channels], zeros outside the board.
void gather(const float* board, int side, int channels, int kernel, int stride, float* to) {
    const int reach = kernel / 2, count = (side + stride - 1) / stride;
    for (int cell = 0; cell < count * count; ++cell) {
        for (int k = 0; k < kernel * kernel; ++k, to += channels) {
            const int row = cell / count * stride + k / kernel - reach;
            const int column = cell % count * stride + k % kernel - reach;
            if (row < 0 || row >= side || column < 0 || column >= side) {
                std::fill_n(to, channels, 0.0f);
            } else {
                std::copy_n(board + (row * side + column) * channels, channels, to);
            }
        }
    }
}

}  // namespace

ConvNet::ConvNet(int planes, int side) : planes_(planes), inputs_(static_cast<int64_t>(planes) * side * side) {
    require(planes >= 1 && planes <= kMostChannels && side >= 1 && side <= kMostSide, "no such board");
    shapes_ = {{side, planes}};
    longest_ = {inputs_};
}

const ConvNet::Shape& ConvNet::shape(int slot) const {
    require(slot >= 0 && slot < static_cast<int>(shapes_.size()), "an operation reads a slot that is not written");
    return shapes_[slot];
}

void ConvNet::append(int to, Shape made, Step step) {
    require(to >= 0 && to <= static_cast<int>(shapes_.size()) && to < kMostSlots, "slots are numbered in order");
    require(made.channels >= 1 && made.channels <= kMostChannels && made.side >= 1, "an operation has no outputs");
    if (to == static_cast<int>(shapes_.size())) {
        shapes_.emplace_back();
        longest_.push_back(0);
    }
    shapes_[to] = made;
    longest_[to] = std::max(longest_[to], made.floats());
    steps_.push_back(std::move(step));
}

void ConvNet::conv(int from, int to, int kernel, int stride, int out, const float* weights, const float* shift,
                   bool relu) {
    const Shape before = shape(from);
    require(kernel >= 1 && kernel % 2 == 1 && kernel <= kMostSide && stride >= 1 && stride <= before.side && from != to,
            "no such convolution");
    const Shape after{(before.side + stride - 1) / stride, out};
    if (kernel == 3 && stride == 1 && before.side == kWinogradSide && before.channels >= kFewestChannels) {
        const auto kernels = std::make_shared<Conv3>(weights, shift, before.channels, out);
        return append(to, after, [=](Slots slots, int64_t n) { (*kernels)(slots[from], n, relu, slots[to]); });
    }
    const int64_t depth = static_cast<int64_t>(kernel) * kernel * before.channels;
    const auto matrix = std::make_shared<Matrix>(weights, shift, out, depth);
    if (kernel == 1 && stride == 1) {
        return append(to, after, [=](Slots slots, int64_t n) {
            matrix->multiply(slots[from], n * before.cells(), relu, slots[to]);
        });
    }
    append(to, after, [=](Slots slots, int64_t n) {
        thread_local Scratch scratch;
        float* rows = scratch.get(static_cast<size_t>(after.cells()) * depth);
        for (int64_t k = 0; k < n; ++k) {
            gather(slots[from] + k * before.floats(), before.side, before.channels, kernel, stride, rows);
            matrix->multiply(rows, after.cells(), relu, slots[to] + k * after.floats());
        }
    });
}

void ConvNet::linear(int from, int to, int out, const float* weights, const float* shift, bool relu) {
    require(from != to, "an operation writes the slot that it reads");
    const auto matrix = std::make_shared<Matrix>(weights, shift, out, shape(from).floats());
    append(to, {1, out}, [=](Slots slots, int64_t n) { matrix->multiply(slots[from], n, relu, slots[to]); });
}

void ConvNet::affine(int from, int to, const float* scale, const float* shift, bool relu) {
    const Shape same = shape(from);
    const std::vector<float> scales(scale, scale + same.channels), shifts(shift, shift + same.channels);
    append(to, same, [=](Slots slots, int64_t n) {
        const float *x = slots[from], *factor = scales.data(), *more = shifts.data();
        float* y = slots[to];
        for (int64_t row = 0; row < n * same.cells(); ++row, x += same.channels, y += same.channels) {
            for (int c = 0; c < same.channels; ++c) {
                const float value = x[c] * factor[c] + more[c];
                y[c] = relu && value < 0.0f ? 0.0f : value;
            }
        }
    });
}

void ConvNet::add(int first, int second, int to, bool relu) {
    const Shape same = shape(first), other = shape(second);
    require(same.side == other.side && same.channels == other.channels, "only maps of the same shape can be added");
    append(to, same, [=](Slots slots, int64_t n) {
        const float *a = slots[first], *b = slots[second];
        float* y = slots[to];
        for (int64_t k = 0; k < n * same.floats(); ++k) {
            const float sum = a[k] + b[k];
            y[k] = relu && sum < 0.0f ? 0.0f : sum;
        }
    });
}

void ConvNet::join(int first, int second, int to) {
    const Shape a = shape(first), b = shape(second);
    require(a.side == b.side && to != first && to != second, "only maps of the same size can be joined");
    append(to, {a.side, a.channels + b.channels}, [=](Slots slots, int64_t n) {
        float* y = slots[to];
        for (int64_t row = 0; row < n * a.cells(); ++row) {
            y = std::copy_n(slots[first] + row * a.channels, a.channels, y);
            y = std::copy_n(slots[second] + row * b.channels, b.channels, y);
        }
    });
}

void ConvNet::shortcut(int from, int to, int stride, int channels) {
    const Shape before = shape(from);
    require(stride >= 1 && stride <= before.side && channels >= before.channels && from != to, "no such shortcut");
    const Shape after{(before.side + stride - 1) / stride, channels};
    append(to, after, [=](Slots slots, int64_t n) {
        float* y = slots[to];
        for (int64_t k = 0; k < n; ++k) {
            for (int cell = 0; cell < after.cells(); ++cell) {
                const int source = cell / after.side * stride * before.side + cell % after.side * stride;
                const float* x = slots[from] + k * before.floats() + static_cast<int64_t>(source) * before.channels;
                y = std::fill_n(std::copy_n(x, before.channels, y), channels - before.channels, 0.0f);
            }
        }
    });
}

void ConvNet::pool(int from, int to) {
    const Shape before = shape(from), after{before.side / 2, before.channels};
    require(from != to, "an operation writes the slot that it reads");
    append(to, after, [=](Slots slots, int64_t n) {
        float* y = slots[to];
        for (int64_t k = 0; k < n; ++k) {
            for (int cell = 0; cell < after.cells(); ++cell) {
                const int corner = cell / after.side * 2 * before.side + cell % after.side * 2;
                const float* x = slots[from] + k * before.floats() + static_cast<int64_t>(corner) * before.channels;
                const float* below = x + static_cast<int64_t>(before.side) * before.channels;
                for (int c = 0; c < before.channels; ++c) {
                    *y++ = 0.25f * (x[c] + x[before.channels + c] + below[c] + below[before.channels + c]);
                }
            }
        }
    });
}

void ConvNet::mean(int from, int to) {
    const Shape before = shape(from);
    require(from != to, "an operation writes the slot that it reads");
    append(to, {1, before.channels}, [=](Slots slots, int64_t n) {
        for (int64_t k = 0; k < n; ++k) {
            const float* x = slots[from] + k * before.floats();
            float* y = slots[to] + k * before.channels;
            std::fill_n(y, before.channels, 0.0f);
            for (int cell = 0; cell < before.cells(); ++cell) {
                for (int c = 0; c < before.channels; ++c) y[c] += x[cell * before.channels + c];
            }
            for (int c = 0; c < before.channels; ++c) y[c] /= static_cast<float>(before.cells());
        }
    });
}

void ConvNet::run(const float* planes, int64_t n, int slot, float* outputs, Interrupt* interrupt) const {
    const int64_t results = shape(slot).floats();
    const int64_t block = std::clamp<int64_t>((n + thread_count() - 1) / thread_count(), 1, kBoardBlock);
    const auto evaluate = [&](int64_t begin, int64_t end) {
        thread_local Scratch memory[kMostSlots];
        float* slots[kMostSlots];
        for (size_t s = 0; s < longest_.size(); ++s) slots[s] = memory[s].get(static_cast<size_t>(block * longest_[s]));
        for (int64_t number = begin; number < end; ++number) {
            Interrupt::check(interrupt);
            const int64_t first = number * block, boards = std::min(block, n - first);
            const int64_t channels = planes_, cells = inputs_ / channels;
            for (int64_t k = 0; k < boards; ++k) {
                const float* from = planes + (first + k) * inputs_;
                float* to = slots[0] + k * inputs_;
                for (int64_t cell = 0; cell < cells; ++cell) {
                    for (int64_t c = 0; c < channels; ++c) to[cell * channels + c] = from[c * cells + cell];
                }
            }
            for (const Step& step : steps_) step(slots, boards);
            std::copy_n(slots[slot], boards * results, outputs + first * results);
        }
    };
    parallel_for((n + block - 1) / block, 1, evaluate, interrupt);
}

}  // namespace zp
