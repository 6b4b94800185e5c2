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

// sums[C, M, lanes] += in[row] * column, for M rows and C columns, which are `stride` apart. The sums stay in registers
// meanwhile, and there are enough of them not to wait for one another.
template <int M, int C>
void multiply(const float* in, int64_t in_stride, int count, const float* columns, int64_t stride, float* sums) {
    Vector low[C][M], high[C][M];
    const auto place = [&](int c, int m) { return sums + (c * M + m) * 2 * kHalf; };
    for (int c = 0; c < C; ++c) {
        for (int m = 0; m < M; ++m) {
            low[c][m] = load(place(c, m));
            high[c][m] = load(place(c, m) + kHalf);
        }
    }
    for (int k = 0; k < count; ++k, columns += 2 * kHalf) {
        for (int c = 0; c < C; ++c) {
            const Vector first = load(columns + c * stride), second = load(columns + c * stride + kHalf);
            for (int m = 0; m < M; ++m) {
                low[c][m] += first * in[m * in_stride + k];
                high[c][m] += second * in[m * in_stride + k];
            }
        }
    }
    for (int c = 0; c < C; ++c) {
        for (int m = 0; m < M; ++m) {
            store(place(c, m), low[c][m]);
            store(place(c, m) + kHalf, high[c][m]);
        }
    }
}

// to[row, C * lanes] from sums[C, M, lanes], rows `stride` apart.
template <int M, int C>
void put(const float* sums, float* to, int64_t stride) {
    for (int c = 0; c < C; ++c) {
        for (int m = 0; m < M; ++m) {
            std::copy_n(sums + (c * M + m) * 2 * kHalf, 2 * kHalf, to + m * stride + c * 2 * kHalf);
        }
    }
}

// Calls use(number, column) over all columns, C at a time and the rest one by one.
template <int C, class F>
void by_columns(int64_t columns, F&& use) {
    int64_t column = 0;
    for (; column + C <= columns; column += C) use(std::integral_constant<int, C>{}, column);
    for (; column < columns; ++column) use(std::integral_constant<int, 1>{}, column);
}

}  // namespace

// Of a tile: what goes into and comes out of a layer, in the basis of the group [8, tile, channels]; and of one
// position the activations of the images [8, channels]. Channels are a multiple of the vectors' length.
struct LinesNet::Work {
    int64_t tile;
    std::vector<float> in, out, images;
    Work(int64_t tile, size_t channels)
        : tile(tile), in(8 * tile * channels), out(8 * tile * channels), images(8 * channels) {}
};

LinesNet::LinesNet(std::vector<uint64_t> masks, const std::vector<float>& table, int width,
                   const std::vector<float>& basis, const std::vector<Layer>& layers, std::vector<int> cells)
    : masks_(std::move(masks)), width_(width), cells_(std::move(cells)) {
    if (masks_.size() > kMostPatterns) throw std::invalid_argument("there are at most 32 patterns");
    int64_t entries = 0;
    for (const uint64_t mask : masks_) {
        if (std::popcount(mask) > 10) throw std::invalid_argument("a pattern has at most 10 cells");
        offsets_.push_back(entries);
        entries += power3(std::popcount(mask));
    }
    if (width < 1 || static_cast<int64_t>(table.size()) != entries * width) {
        throw std::invalid_argument("the table has the wrong size");
    }
    table_.resize((table.size() + kLanes - 1) / kLanes);
    std::copy(table.begin(), table.end(), table_.data()->values);
    if (basis.size() != 64) throw std::invalid_argument("the basis has 8 rows of 8");
    for (int i = 0; i < 64; ++i) basis_[i / 8][i % 8] = basis[i];
    int before = width * static_cast<int>(masks_.size());
    widest_ = pitch(before);
    for (const Layer& layer : layers) {
        const size_t matrix = static_cast<size_t>(layer.in) * layer.out;
        if (layer.in != before || layer.out < 1 || layer.signs.size() != 4 * matrix ||
            layer.pairs.size() != 4 * matrix || layer.shift.size() != static_cast<size_t>(layer.out)) {
            throw std::invalid_argument("the layers do not fit together");
        }
        Packed held{layer.in, layer.out, {}, {}, layer.shift};
        held.shift.resize(pitch(layer.out));
        for (int k = 0; k < 4; ++k) {
            held.signs[k] = packed(layer.signs.data() + k * matrix, layer.in, layer.out, layer.out);
        }
        for (int k = 0; k < 2; ++k) {
            held.pairs[k] = packed(layer.pairs.data() + k * layer.out, 2 * layer.in, layer.out, 2 * layer.out);
        }
        layers_.push_back(std::move(held));
        before = layer.out;
        widest_ = std::max<size_t>(widest_, pitch(before));
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

LinesNet::Matrix LinesNet::packed(const float* matrix, int in, int out, int stride) {
    const size_t size = static_cast<size_t>(pitch(out)) * in;
    Matrix result{in, std::vector<float>(size)};
    for (int o = 0; o < out; ++o) {
        for (int k = 0; k < in; ++k) {
            const size_t place = (static_cast<size_t>(o / kLanes) * in + k) * kLanes + o % kLanes;
            result.columns[place] = matrix[static_cast<size_t>(k) * stride + o];
        }
    }
    return result;
}

void LinesNet::look_up(uint64_t own, uint64_t opponent, float* to) const {
    const auto mine = images(own), theirs = images(opponent);
    const float* table = table_.data()->values;
    std::array<const float*, 8 * kMostPatterns> rows;
    size_t n = 0;
    for (int image = 0; image < 8; ++image) {
        for (size_t p = 0; p < masks_.size(); ++p) {
            const int64_t content =
                kTernary[extract(mine[image], masks_[p])] + 2 * kTernary[extract(theirs[image], masks_[p])];
            rows[n] = table + (offsets_[p] + content) * width_;
            __builtin_prefetch(rows[n++]);  // the table is larger than the nearer caches
        }
    }
    const int length = pitch(width_ * static_cast<int>(masks_.size()));
    n = 0;
    for (int image = 0; image < 8; ++image) {
        float* place = to + image * length;
        for (size_t p = 0; p < masks_.size(); ++p, place += width_) std::copy_n(rows[n++], width_, place);
    }
}

// to[row] = sum over k of from[k] * basis[row, k] (or the transposed basis); rows are `stride` apart, `length` long.
void LinesNet::change_basis(const float* from, int64_t from_stride, float* to, int64_t to_stride, int length,
                            bool back) const {
    for (int c = 0; c < length; c += kHalf) {
        Vector parts[8];
        for (int k = 0; k < 8; ++k) parts[k] = load(from + k * from_stride + c);
        for (int row = 0; row < 8; ++row) {
            Vector sum{};
            for (int k = 0; k < 8; ++k) sum += parts[k] * (back ? basis_[k][row] : basis_[row][k]);
            store(to + row * to_stride + c, sum);
        }
    }
}

// From work.in to work.out. Positions go through a layer by sixes; of one alone, the two pairs of parts do.
void LinesNet::apply(const Packed& layer, int positions, Work& work) const {
    int i = 0;
    for (; i + 6 <= positions; i += 6) {
        multiply_signs<6, 1>(layer, i, work);
        for (int pair = 0; pair < 2; ++pair) multiply_pairs<6, 1>(layer, i, pair, false, work);
    }
    for (; i < positions; ++i) {
        multiply_signs<1, 4>(layer, i, work);
        multiply_pairs<2, 2>(layer, i, 0, true, work);
    }
}

// The products of M positions, from `position` on, with the first four matrices of a layer, C columns at a time.
template <int M, int C>
void LinesNet::multiply_signs(const Packed& layer, int position, Work& work) const {
    const int64_t in_length = pitch(layer.in), out_length = pitch(layer.out);
    for (int part = 0; part < 4; ++part) {
        const float* in = work.in.data() + (part * work.tile + position) * in_length;
        float* out = work.out.data() + (part * work.tile + position) * out_length;
        by_columns<C>(out_length / kLanes, [&]<int Columns>(std::integral_constant<int, Columns>, int64_t column) {
            const int64_t stride = static_cast<int64_t>(layer.in) * kLanes;
            float sums[Columns * M * kLanes] = {};
            multiply<M, Columns>(in, in_length, layer.in, layer.signs[part].columns.data() + column * stride, stride,
                                 sums);
            put<M, Columns>(sums, out + column * kLanes, out_length);
        });
    }
}

// The same for the other two matrices, which belong to two pairs of parts: for M positions and one pair, or, with
// `across`, for one position and both pairs (M is 2).
template <int M, int C>
void LinesNet::multiply_pairs(const Packed& layer, int position, int pair, bool across, Work& work) const {
    const int64_t in_length = pitch(layer.in), out_length = pitch(layer.out);
    const int64_t in_step = across ? 2 * work.tile * in_length : in_length;
    const int64_t out_step = across ? 2 * work.tile * out_length : out_length;
    const float* first = work.in.data() + ((4 + 2 * pair) * work.tile + position) * in_length;
    const float* second = first + work.tile * in_length;
    for (int half = 0; half < 2; ++half) {
        const float* matrix = layer.pairs[half].columns.data();
        float* out = work.out.data() + ((4 + 2 * pair + half) * work.tile + position) * out_length;
        by_columns<C>(out_length / kLanes, [&]<int Columns>(std::integral_constant<int, Columns>, int64_t column) {
            const int64_t rows = static_cast<int64_t>(layer.in) * kLanes, stride = 2 * rows;
            const float* from = matrix + column * stride;
            float sums[Columns * M * kLanes] = {};
            multiply<M, Columns>(first, in_step, layer.in, from, stride, sums);
            multiply<M, Columns>(second, in_step, layer.in, from + rows, stride, sums);
            put<M, Columns>(sums, out + column * kLanes, out_step);
        });
    }
}

void LinesNet::run(const uint64_t* own, const uint64_t* opponent, int positions, Work& work, float* logits) const {
    const int first_length = pitch(width_ * static_cast<int>(masks_.size()));
    for (int i = 0; i < positions; ++i) {
        look_up(own[i], opponent[i], work.images.data());
        change_basis(work.images.data(), first_length, work.in.data() + i * first_length, work.tile * first_length,
                     first_length, false);
    }
    for (const Packed& layer : layers_) {
        apply(layer, positions, work);
        const int length = pitch(layer.out);
        const bool last = &layer == &layers_.back();
        for (int i = 0; i < positions; ++i) {
            float* values = work.images.data();
            change_basis(work.out.data() + i * length, work.tile * length, values, length, length, true);
            for (int image = 0; image < 8; ++image, values += length) {
                for (int c = 0; c < length; ++c) {
                    const float value = values[c] + layer.shift[c];
                    values[c] = last || value > 0 ? value : 0;
                }
            }
            if (!last) {
                change_basis(work.images.data(), length, work.in.data() + i * length, work.tile * length, length,
                             false);
                continue;
            }
            std::fill_n(logits + 64 * i, 64, 0.0f);
            for (int place = 0; place < 8 * outputs_; ++place) {
                const float value = work.images[place / outputs_ * length + place % outputs_];
                logits[64 * i + cells_[place]] += value * share_[cells_[place]];
            }
        }
    }
}

void LinesNet::prefer(const Batch& batch, bool all, float* out, Interrupt* interrupt) const {
    const auto* known = dynamic_cast<const BatchOf<Othello>*>(&batch);
    if (known == nullptr || batch.cells() != 64) throw std::invalid_argument("lines nets play othello 8x8");
    const auto& states = known->states();
    const auto n = static_cast<int64_t>(states.size());
    const auto evaluate = [&](int64_t begin, int64_t end) {
        Work work(std::min<int64_t>(kTile, n), widest_);
        std::array<uint64_t, kTile> own, opponent;
        std::array<float, 64 * kTile> logits;
        for (int64_t first = begin * kTile; first < std::min(end * kTile, n); first += kTile) {
            Interrupt::check(interrupt);
            const int positions = static_cast<int>(std::min<int64_t>(kTile, n - first));
            for (int i = 0; i < positions; ++i) {
                own[i] = states[first + i].own;
                opponent[i] = states[first + i].opponent;
            }
            run(own.data(), opponent.data(), positions, work, logits.data());
            for (int i = 0; i < positions; ++i) {
                float* row = out + (first + i) * 64;
                if (all) {
                    std::copy_n(&logits[64 * i], 64, row);
                    continue;
                }
                std::fill_n(row, 64, -std::numeric_limits<float>::infinity());
                known->rules().legal(states[first + i]).for_each([&](int bit) { row[bit] = logits[64 * i + bit]; });
            }
        }
    };
    parallel_for((n + kTile - 1) / kTile, 4, evaluate, interrupt);
}

}  // namespace zp
