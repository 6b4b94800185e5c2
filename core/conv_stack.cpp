#include "conv_stack.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "winograd_blocks.hpp"

namespace zp {
namespace {

using Floats = std::vector<float>;

Floats padded(const float* values, int channels) {
    Floats result(static_cast<size_t>(panels_of(channels)) * kPanel);
    if (values) std::copy_n(values, channels, result.data());
    return result;
}

// Normalisation of a layer's results: relu(x * scale + shift); padding becomes zero.
struct Affine {
    Floats scale, shift, mean;

    Affine(const StackLayer& layer, float epsilon, const LayerResults& results)
        : scale(padded(layer.scale, layer.out)), shift(padded(layer.shift, layer.out)), mean(scale.size()) {
        for (int c = 0; c < layer.out; ++c) {
            if (!layer.scale) {
                scale[c] = 1.0f;
                continue;
            }
            scale[c] /= std::sqrt(results.variance[c] + epsilon);
            shift[c] -= results.mean[c] * scale[c];
            mean[c] = results.mean[c];
        }
    }
};

void normalise(const Panel& from, const Affine& affine, int number, Panel& to) {
    by_vector([&](int lane) {
        const Vector scale = load_lanes<kVector>(affine.scale.data() + number * kPanel + lane);
        const Vector shift = load_lanes<kVector>(affine.shift.data() + number * kPanel + lane);
        for (int c = 0; c < kCells; ++c) {
            const Vector value = load_lanes<kVector>(&from.cells[c][lane]) * scale + shift;
            store_lanes<kVector>(&to.cells[c][lane], larger(value, Vector{}));
        }
    });
}

// Means of a block's channels and sums of squared differences from them, panel by panel and board by board.
struct Moments {
    float *mean, *squares;  // [channels, padded]

    // The moments of boards 0 to k from those of the boards before k.
    void add(const Panel& panel, int number, int64_t k) const {
        by_vector([&](int lane) {
            Vector sum{}, more{}, spread{}, spread2{};
            for (int c = 0; c < kCells; c += 2) {
                sum += load_lanes<kVector>(&panel.cells[c][lane]);
                more += load_lanes<kVector>(&panel.cells[c + 1][lane]);
            }
            const Vector here = (sum + more) * (1.0f / kCells);
            for (int c = 0; c < kCells; c += 2) {
                const Vector one = load_lanes<kVector>(&panel.cells[c][lane]) - here;
                const Vector two = load_lanes<kVector>(&panel.cells[c + 1][lane]) - here;
                spread += one * one;
                spread2 += two * two;
            }
            spread += spread2;
            float *means = mean + number * kPanel + lane, *all = squares + number * kPanel + lane;
            if (k == 0) {
                store_lanes<kVector>(means, here);
                store_lanes<kVector>(all, spread);
                return;
            }
            const Vector before = load_lanes<kVector>(means), apart = here - before;
            const auto boards = static_cast<float>(k), weight = kCells * boards / (boards + 1);
            store_lanes<kVector>(means, before + apart * (1.0f / (boards + 1)));
            store_lanes<kVector>(all, load_lanes<kVector>(all) + spread + apart * apart * weight);
        });
    }
};

// Mean and variance of each channel from those of blocks of boards.
void combine(const Floats& parts, int64_t n, int64_t block, LayerResults& to) {
    const auto channels = static_cast<int>(to.mean.size());
    const int64_t padded = static_cast<int64_t>(panels_of(channels)) * kPanel;
    std::vector<double> means(channels), squares(channels);
    const auto each = [&](auto&& use) {
        for (int64_t first = 0; first < n; first += block) {
            const float* part = parts.data() + first / block * 2 * padded;
            const auto cells = static_cast<double>(std::min(block, n - first) * kCells);
            for (int c = 0; c < channels; ++c) use(c, cells, part[c], part[padded + c]);
        }
    };
    const auto all = static_cast<double>(n * kCells);
    each([&](int c, double cells, float part, float) { means[c] += part * (cells / all); });
    each([&](int c, double cells, float part, float part_squares) {
        const double difference = part - means[c];
        squares[c] += part_squares + cells * difference * difference;
    });
    for (int c = 0; c < channels; ++c) {
        to.mean[c] = static_cast<float>(means[c]);
        to.variance[c] = static_cast<float>(squares[c] / all);
    }
}

// The gradient by a normalised panel, before ReLU, replaces that after it; and sums over the cells of it, and of it
// times the difference from the mean.
void through_relu(const Panel& results, const Affine& affine, int number, Panel& gradient, float* sums,
                  float* products) {
    by_vector([&](int lane) {
        const Vector scale = load_lanes<kVector>(affine.scale.data() + number * kPanel + lane);
        const Vector shift = load_lanes<kVector>(affine.shift.data() + number * kPanel + lane);
        const Vector mean = load_lanes<kVector>(affine.mean.data() + number * kPanel + lane);
        Vector sum{}, product{};
        for (int c = 0; c < kCells; ++c) {
            const Vector x = load_lanes<kVector>(&results.cells[c][lane]);
            const Vector all = load_lanes<kVector>(&gradient.cells[c][lane]);
            const Vector passed = x * scale + shift > Vector{} ? all : Vector{};
            store_lanes<kVector>(&gradient.cells[c][lane], passed);
            sum += passed;
            product += passed * (x - mean);
        }
        store_lanes<kVector>(sums + number * kPanel + lane, sum);
        store_lanes<kVector>(products + number * kPanel + lane, product);
    });
}

// Sums for each board, [n, 2, channels]: of the gradient before ReLU, and of it times the difference from the mean.
class BoardSums {
  public:
    BoardSums(int64_t n, int channels) : padded_(panels_of(channels) * kPanel), sums_(n * 2 * padded_) {}

    float* sums(int64_t board) { return sums_.data() + board * 2 * padded_; }
    float* products(int64_t board) { return sums(board) + padded_; }

    // The totals [2, channels, padded].
    std::vector<double> totals() const {
        std::vector<double> result(2 * padded_);
        for (size_t k = 0; k < sums_.size(); k += result.size()) {
            for (size_t c = 0; c < result.size(); ++c) result[c] += sums_[k + c];
        }
        return result;
    }

  private:
    int64_t padded_;
    Floats sums_;
};

// The gradient by a convolution's results: scale g + slope (x - mean) + level, where g is the gradient before ReLU.
struct Spread {
    Floats scale, slope, level;

    Spread(const StackLayer& layer, const Affine& affine, float epsilon, const LayerResults& results, BoardSums& sums,
           int64_t n, const StackGradient& gradient)
        : scale(affine.scale), slope(scale.size()), level(scale.size()) {
        const std::vector<double> totals = sums.totals();
        const double *sum = totals.data(), *product = totals.data() + scale.size();
        const auto cells = static_cast<double>(n * kCells);
        for (int c = 0; c < layer.out; ++c) {
            gradient.shift[c] = static_cast<float>(sum[c]);
            if (!layer.scale) continue;
            const double inverse = 1.0 / std::sqrt(static_cast<double>(results.variance[c]) + epsilon);
            gradient.scale[c] = static_cast<float>(product[c] * inverse);
            slope[c] = static_cast<float>(-scale[c] * inverse * inverse * product[c] / cells);
            level[c] = static_cast<float>(-scale[c] * sum[c] / cells - slope[c] * affine.mean[c]);
        }
    }

    void operator()(const Panel& results, const Panel& gradient, int number, Panel& to) const {
        by_vector([&](int lane) {
            const Vector factor = load_lanes<kVector>(scale.data() + number * kPanel + lane);
            const Vector rise = load_lanes<kVector>(slope.data() + number * kPanel + lane);
            const Vector base = load_lanes<kVector>(level.data() + number * kPanel + lane);
            for (int c = 0; c < kCells; ++c) {
                const Vector x = load_lanes<kVector>(&results.cells[c][lane]);
                const Vector passed = load_lanes<kVector>(&gradient.cells[c][lane]);
                store_lanes<kVector>(&to.cells[c][lane], factor * passed + (rise * x + base));
            }
        });
    }
};

// Memory of panels that are gone, for those to come: fresh memory costs a fifth of a training step.
class Pool {
  public:
    std::unique_ptr<LaneBuffer> take(size_t floats) {
        const std::lock_guard lock(mutex_);
        for (size_t k = free_.size(); k-- > 0;) {
            if (free_[k].first != floats) continue;
            auto memory = std::move(free_[k].second);
            free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(k));
            return memory;
        }
        return std::make_unique<LaneBuffer>(floats);
    }
    void give(size_t floats, std::unique_ptr<LaneBuffer> memory) {
        const std::lock_guard lock(mutex_);
        if (free_.size() == kMost) free_.erase(free_.begin());
        free_.emplace_back(floats, std::move(memory));
    }

  private:
    static constexpr size_t kMost = 64;
    std::mutex mutex_;
    std::vector<std::pair<size_t, std::unique_ptr<LaneBuffer>>> free_;  // the oldest first
};

Pool& pool() {
    static Pool memory;
    return memory;
}

}  // namespace

Panels::Panels(int64_t n, int channels, Arithmetic arithmetic)
    : count_(panels_of(channels)),
      floats_(kCells * kPanel / per_unit(arithmetic)),
      arithmetic_(arithmetic),
      size_((n + kBlock - 1) / kBlock * kBlock * count_ * floats_ + floats_) {  // prefetching goes beyond the last
    memory_ = pool().take(size_);
    data_ = memory_->data();
}

Panels::~Panels() {
    if (memory_) pool().give(size_, std::move(memory_));
}

StackResults stack_forward(const std::vector<StackLayer>& layers, float epsilon, Arithmetic arithmetic, const float* x,
                           int64_t n, float* y) {
    StackResults results;
    results.reserve(layers.size());
    for (const StackLayer& layer : layers) results.emplace_back(n, layer.out, arithmetic);
    std::vector<Affine> affines;
    for (size_t number = 0; number < layers.size(); ++number) {
        const StackLayer& layer = layers[number];
        const int out_panels = panels_of(layer.out);
        const Kernel kernel(workspace().matrices.get(Kernel::floats(layer.in, layer.out, arithmetic)), layer.in,
                            layer.out, arithmetic);
        transform_weights(layer.weights, layer.in, layer.out, false, arithmetic, kernel.matrices);
        const int64_t size = boards_of_block(layer.in, layer.out), blocks = (n + size - 1) / size;
        Floats parts(blocks * 2 * out_panels * kPanel);
        parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; ++block) {
                const int64_t first = block * size;
                float* part = parts.data() + block * 2 * out_panels * kPanel;
                const Moments moments{part, part + out_panels * kPanel};
                convolve(
                    kernel, std::min(size, n - first),
                    [&](int64_t k, int p, Panel& panel) {
                        if (number == 0) return read_cells(x, layer.in, first + k, p, panel);
                        normalise(results.at(number - 1).panels.read(first + k, p, panel), affines.back(), p, panel);
                    },
                    [&](int64_t k, int p, const Panel& panel) {
                        if (layer.scale) moments.add(panel, p, k);
                        results.at(number).panels.write(first + k, p, panel);
                    });
            }
        });
        if (layer.scale) combine(parts, n, size, results.at(number));
        affines.emplace_back(layer, epsilon, results.at(number));
    }
    const int channels = layers.back().out, panels = panels_of(channels);
    parallel_for(n, 4, [&](int64_t begin, int64_t end) {
        Panel panel;
        for (int64_t k = begin; k < end; ++k) {
            for (int p = 0; p < panels; ++p) {
                normalise(results.back().panels.read(k, p, panel), affines.back(), p, panel);
                write_cells(panel, p, k, y, channels);
            }
        }
    });
    return results;
}

void stack_backward(const std::vector<StackLayer>& layers, float epsilon, Arithmetic arithmetic, const float* x,
                    int64_t n, const StackResults& results, const float* dy, float* dx,
                    const std::vector<StackGradient>& gradients) {
    std::vector<Affine> affines;
    for (size_t k = 0; k < layers.size(); ++k) affines.emplace_back(layers[k], epsilon, results.at(k));
    const int channels = layers.back().out;
    auto above = std::make_unique<Panels>(n, channels, arithmetic);  // the gradient before ReLU
    auto sums = std::make_unique<BoardSums>(n, channels);
    const auto enter = [&](size_t number, Panels& to, int64_t k, int p, Panel& panel) {
        Panel space;
        through_relu(results.at(number).panels.read(k, p, space), affines[number], p, panel, sums->sums(k),
                     sums->products(k));
        to.write(k, p, panel);
    };
    parallel_for(n, 4, [&](int64_t begin, int64_t end) {
        Panel panel;
        for (int64_t k = begin; k < end; ++k) {
            for (int p = 0; p < panels_of(channels); ++p) {
                read_cells(dy, channels, k, p, panel);
                enter(layers.size() - 1, *above, k, p, panel);
            }
        }
    });
    for (size_t number = layers.size(); number-- > 0;) {
        const StackLayer& layer = layers[number];
        const Spread spread(layer, affines[number], epsilon, results.at(number), *sums, n, gradients[number]);
        auto below = number > 0 ? std::make_unique<Panels>(n, layer.in, arithmetic) : nullptr;
        if (number > 0) sums = std::make_unique<BoardSums>(n, layer.in);
        differentiate(
            layer.weights, layer.in, layer.out, n, arithmetic, gradients[number].weights, number > 0 || dx,
            [&](int64_t k, int p, Panel& panel) {
                if (number == 0) return read_cells(x, layer.in, k, p, panel);
                normalise(results.at(number - 1).panels.read(k, p, panel), affines[number - 1], p, panel);
            },
            [&](int64_t k, int p, Panel& panel) {
                Panel space;
                spread(results.at(number).panels.read(k, p, space), above->read(k, p, panel), p, panel);
            },
            [&](int64_t k, int p, Panel& panel) {
                if (number > 0) return enter(number - 1, *below, k, p, panel);
                write_cells(panel, p, k, dx, layer.in);
            });
        above = std::move(below);
    }
}

}  // namespace zp
