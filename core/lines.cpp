#include "lines.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "batch_of.hpp"
#include "images.hpp"
#include "othello.hpp"
#include "patterns.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr int kTile = 12;  // positions that go through the layers together

using Vector = float __attribute__((vector_size(32)));
constexpr int kHalf = 8;  // floats of a vector; two of them make the lanes of a column

Vector load(const float* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

// sums[row, lanes] += in[row] * column, for M rows; sums stay in registers meanwhile.
template <int M>
void multiply(const float* in, int64_t in_stride, int count, const float* column, float* sums) {
    Vector low[M], high[M];
    for (int m = 0; m < M; ++m) {
        low[m] = load(sums + 2 * kHalf * m);
        high[m] = load(sums + 2 * kHalf * m + kHalf);
    }
    for (int k = 0; k < count; ++k, column += 2 * kHalf) {
        const Vector first = load(column), second = load(column + kHalf);
        for (int m = 0; m < M; ++m) {
            low[m] += first * in[m * in_stride + k];
            high[m] += second * in[m * in_stride + k];
        }
    }
    for (int m = 0; m < M; ++m) {
        store(sums + 2 * kHalf * m, low[m]);
        store(sums + 2 * kHalf * m + kHalf, high[m]);
    }
}

// The same for any number of rows.
void multiply_rows(int rows, const float* in, int64_t in_stride, int count, const float* column, float* sums) {
    int row = 0;
    for (; row + 6 <= rows; row += 6)
        multiply<6>(in + row * in_stride, in_stride, count, column, sums + 2 * kHalf * row);
    for (; row + 2 <= rows; row += 2)
        multiply<2>(in + row * in_stride, in_stride, count, column, sums + 2 * kHalf * row);
    for (; row < rows; ++row) multiply<1>(in + row * in_stride, in_stride, count, column, sums + 2 * kHalf * row);
}

}  // namespace

// Activations [8, kTile, channels] of a tile: of the images, and in the basis of the group.
struct LinesNet::Work {
    std::vector<float> images, waves;
    explicit Work(size_t channels) : images(8 * kTile * channels), waves(8 * kTile * channels) {}
};

LinesNet::LinesNet(std::vector<uint64_t> masks, std::vector<float> table, int width, const std::vector<float>& basis,
                   const std::vector<Layer>& layers, std::vector<int> cells)
    : masks_(std::move(masks)), table_(std::move(table)), width_(width), cells_(std::move(cells)) {
    int64_t entries = 0;
    for (const uint64_t mask : masks_) {
        if (std::popcount(mask) > 10) throw std::invalid_argument("a pattern has at most 10 cells");
        offsets_.push_back(entries);
        entries += power3(std::popcount(mask));
    }
    if (width < 1 || static_cast<int64_t>(table_.size()) != entries * width) {
        throw std::invalid_argument("the table has the wrong size");
    }
    if (basis.size() != 64) throw std::invalid_argument("the basis has 8 rows of 8");
    for (int i = 0; i < 64; ++i) basis_[i / 8][i % 8] = basis[i];
    int before = width * static_cast<int>(masks_.size());
    widest_ = before;
    for (const Layer& layer : layers) {
        const size_t matrix = static_cast<size_t>(layer.in) * layer.out;
        if (layer.in != before || layer.out < 1 || layer.signs.size() != 4 * matrix ||
            layer.pairs.size() != 4 * matrix || layer.shift.size() != static_cast<size_t>(layer.out)) {
            throw std::invalid_argument("the layers do not fit together");
        }
        Packed held{layer.in, layer.out, {}, packed(layer.pairs.data(), 2 * layer.in, 2 * layer.out), layer.shift};
        for (int k = 0; k < 4; ++k) held.signs[k] = packed(layer.signs.data() + k * matrix, layer.in, layer.out);
        layers_.push_back(std::move(held));
        before = layer.out;
        widest_ = std::max<size_t>(widest_, before);
    }
    outputs_ = before;
    share_.fill(0);
    if (layers_.empty() || cells_.size() != static_cast<size_t>(8 * outputs_)) {
        throw std::invalid_argument("every output of every image needs a cell");
    }
    for (const int cell : cells_) {
        if (cell < 0 || cell > 63) throw std::invalid_argument("cells are 0 to 63");
        share_[cell] += 1;
    }
    for (float& share : share_) share = share > 0 ? 1 / share : 0;
}

LinesNet::Matrix LinesNet::packed(const float* matrix, int in, int out) {
    const int columns = (out + kLanes - 1) / kLanes;
    Matrix result{in, out, std::vector<float>(static_cast<size_t>(columns) * in * kLanes)};
    for (int column = 0; column < columns; ++column) {
        for (int k = 0; k < in; ++k) {
            float* to = result.columns.data() + (static_cast<size_t>(column) * in + k) * kLanes;
            const int used = std::min(kLanes, out - column * kLanes);
            std::copy_n(matrix + static_cast<size_t>(k) * out + column * kLanes, used, to);
        }
    }
    return result;
}

void LinesNet::look_up(uint64_t own, uint64_t opponent, int place, Work& work) const {
    const auto mine = images(own), theirs = images(opponent);
    const int64_t channels = width_ * static_cast<int64_t>(masks_.size());
    for (int image = 0; image < 8; ++image) {
        float* to = work.images.data() + (image * kTile + place) * channels;
        for (size_t p = 0; p < masks_.size(); ++p, to += width_) {
            const int64_t content =
                kTernary[extract(mine[image], masks_[p])] + 2 * kTernary[extract(theirs[image], masks_[p])];
            std::copy_n(table_.data() + (offsets_[p] + content) * width_, width_, to);
        }
    }
}

// From images to outputs of images, in work.images.
void LinesNet::apply(const Packed& layer, int positions, Work& work) const {
    const int64_t in_plane = static_cast<int64_t>(kTile) * layer.in,
                  out_plane = static_cast<int64_t>(kTile) * layer.out;
    const auto transform = [&](const float* from, float* to, int64_t plane, bool back) {
        const int64_t used = static_cast<int64_t>(positions) * (plane / kTile);
        for (int row = 0; row < 8; ++row) {
            float* result = to + row * plane;
            std::fill_n(result, used, 0.0f);
            for (int k = 0; k < 8; ++k) {
                const float factor = back ? basis_[k][row] : basis_[row][k];
                if (factor == 0) continue;
                const float* source = from + k * plane;
                for (int64_t i = 0; i < used; ++i) result[i] += factor * source[i];
            }
        }
    };
    transform(work.images.data(), work.waves.data(), in_plane, false);
    float* outputs = work.images.data();
    float sums[kTile * kLanes];
    const auto keep = [&](int wave, int first, int width) {
        for (int row = 0; row < positions; ++row) {
            std::memcpy(outputs + wave * out_plane + row * layer.out + first, sums + row * kLanes,
                        sizeof(float) * width);
        }
    };
    for (int wave = 0; wave < 4; ++wave) {
        const float* in = work.waves.data() + wave * in_plane;
        for (int first = 0; first < layer.out; first += kLanes) {
            std::fill_n(sums, positions * kLanes, 0.0f);
            multiply_rows(positions, in, layer.in, layer.in,
                          layer.signs[wave].columns.data() + static_cast<int64_t>(first) * layer.in, sums);
            keep(wave, first, std::min(kLanes, layer.out - first));
        }
    }
    for (int first = 0; first < 2 * layer.out; first += kLanes) {
        const float* column = layer.pairs.columns.data() + static_cast<int64_t>(first) * 2 * layer.in;
        for (int wave = 4; wave < 8; wave += 2) {
            const float* in = work.waves.data() + wave * in_plane;
            std::fill_n(sums, positions * kLanes, 0.0f);
            multiply_rows(positions, in, layer.in, layer.in, column, sums);
            multiply_rows(positions, in + in_plane, layer.in, layer.in,
                          column + static_cast<int64_t>(kLanes) * layer.in, sums);
            for (int lane = 0; lane < std::min(kLanes, 2 * layer.out - first); ++lane) {
                const int output = first + lane;
                float* to = outputs + (wave + output / layer.out) * out_plane + output % layer.out;
                for (int row = 0; row < positions; ++row) to[row * layer.out] = sums[row * kLanes + lane];
            }
        }
    }
    std::swap(work.images, work.waves);
    transform(work.waves.data(), work.images.data(), out_plane, true);
}

void LinesNet::run(int positions, Work& work) const {
    for (size_t l = 0; l < layers_.size(); ++l) {
        const Packed& layer = layers_[l];
        apply(layer, positions, work);
        const bool last = l + 1 == layers_.size();
        for (int image = 0; image < 8; ++image) {
            for (int row = 0; row < positions; ++row) {
                float* values = work.images.data() + (image * kTile + row) * static_cast<int64_t>(layer.out);
                for (int c = 0; c < layer.out; ++c) {
                    const float value = values[c] + layer.shift[c];
                    values[c] = last ? value : std::max(value, 0.0f);
                }
            }
        }
    }
}

void LinesNet::prefer(const Batch& batch, float* out) const {
    const auto* known = dynamic_cast<const BatchOf<Othello>*>(&batch);
    if (known == nullptr || batch.cells() != 64) throw std::invalid_argument("lines nets play othello 8x8");
    const auto& states = known->states();
    const auto n = static_cast<int64_t>(states.size());
    const int64_t tiles = (n + kTile - 1) / kTile;
    parallel_for(tiles, 4, [&](int64_t begin, int64_t end) {
        Work work(widest_);
        for (int64_t tile = begin; tile < end; ++tile) {
            const int64_t first = tile * kTile;
            const int positions = static_cast<int>(std::min<int64_t>(kTile, n - first));
            for (int i = 0; i < positions; ++i) {
                look_up(states[first + i].own, states[first + i].opponent, i, work);
            }
            run(positions, work);
            for (int i = 0; i < positions; ++i) {
                std::array<float, 64> logits{};
                for (int image = 0; image < 8; ++image) {
                    const float* values = work.images.data() + (image * kTile + i) * static_cast<int64_t>(outputs_);
                    for (int o = 0; o < outputs_; ++o) logits[cells_[image * outputs_ + o]] += values[o];
                }
                float* row = out + (first + i) * 64;
                std::fill_n(row, 64, -std::numeric_limits<float>::infinity());
                known->rules().legal(states[first + i]).for_each([&](int bit) {
                    row[bit] = logits[bit] * share_[bit];
                });
            }
        }
    });
}

}  // namespace zp
