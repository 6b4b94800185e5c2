#include "mlp.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "lanes.hpp"
#include "members.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr int kTogether = 4;  // positions that share the loads of the output weights
constexpr int kColumns = 2;   // vectors of outputs at a time

}  // namespace

Mlp::Mlp(int cells, int hidden) : cells_(cells), hidden_(hidden) {
    if (cells < 1 || cells > 20 * 20) throw std::invalid_argument("cells are 1 to 400");
    if (hidden < 1 || hidden > 4096) throw std::invalid_argument("hidden units are 1 to 4096");
}

void Mlp::hidden_layer(const float* weights, const uint8_t* seen, float* units) const {
    std::copy_n(weights + static_cast<int64_t>(2) * cells_ * hidden_, hidden_, units);
    for (int cell = 0; cell < cells_; ++cell) {
        if (seen[cell] == 0) continue;
        const float* from = weights + (static_cast<int64_t>(seen[cell] - 1) * cells_ + cell) * hidden_;
        for (int h = 0; h < hidden_; ++h) units[h] += from[h];
    }
    for (int h = 0; h < hidden_; h += kVector) {
        float some[kVector] = {};
        const int count = std::min(kVector, hidden_ - h);
        std::copy_n(units + h, count, some);
        store_lanes<kVector>(some, sigmoid_lanes(load_lanes<kVector>(some)));
        std::copy_n(some, count, units + h);
    }
}

// The outputs of M positions: values[M, cells] from units[M, hidden].
template <int M>
void Mlp::output_layer(const float* weights, const float* units, float* values) const {
    using Vector = Lanes<kVector>;
    const float* matrix = weights + static_cast<int64_t>(hidden_) * (2 * cells_ + 1);
    const float* bias = matrix + static_cast<int64_t>(hidden_) * cells_;
    int cell = 0;
    for (; cell + kColumns * kVector <= cells_; cell += kColumns * kVector) {
        Vector sums[M][kColumns];
        for (int m = 0; m < M; ++m) {
            for (int c = 0; c < kColumns; ++c) sums[m][c] = load_lanes<kVector>(bias + cell + c * kVector);
        }
        for (int h = 0; h < hidden_; ++h) {
            Vector row[kColumns];
            for (int c = 0; c < kColumns; ++c) {
                row[c] = load_lanes<kVector>(matrix + static_cast<int64_t>(h) * cells_ + cell + c * kVector);
            }
            for (int m = 0; m < M; ++m) {
                for (int c = 0; c < kColumns; ++c) sums[m][c] += row[c] * units[m * hidden_ + h];
            }
        }
        for (int m = 0; m < M; ++m) {
            for (int c = 0; c < kColumns; ++c)
                store_lanes<kVector>(values + m * cells_ + cell + c * kVector, sums[m][c]);
        }
    }
    for (; cell < cells_; cell += kVector) {  // the rest in one shorter vector
        const int count = std::min(kVector, cells_ - cell);
        const auto part = [&](const float* from) {
            float some[kVector] = {};
            std::copy_n(from, count, some);
            return load_lanes<kVector>(some);
        };
        Vector sums[M];
        for (int m = 0; m < M; ++m) sums[m] = part(bias + cell);
        for (int h = 0; h < hidden_; ++h) {
            const Vector row = part(matrix + static_cast<int64_t>(h) * cells_ + cell);
            for (int m = 0; m < M; ++m) sums[m] += row * units[m * hidden_ + h];
        }
        for (int m = 0; m < M; ++m) {
            float some[kVector];
            store_lanes<kVector>(some, sums[m]);
            std::copy_n(some, count, values + m * cells_ + cell);
        }
    }
}

void Mlp::prefer(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                 Interrupt* interrupt) const {
    if (batch.cells() != cells_) throw std::invalid_argument("this net is for another board size");
    const ByMember by(members, batch.length(), rows, kTogether);
    const auto evaluate = [&](int64_t begin, int64_t end) {
        std::vector<uint8_t> seen(cells_);
        std::vector<float> units(static_cast<size_t>(kTogether) * hidden_),
            values(static_cast<size_t>(kTogether) * cells_);
        for (int64_t g = begin; g < end; ++g) {
            Interrupt::check(interrupt);
            const MemberGroup& group = by.groups[g];
            const float* vector = weights + group.member * parameters();
            for (int p = 0; p < group.count; ++p) {
                batch.seen(by.order[group.first + p], seen.data());
                hidden_layer(vector, seen.data(), units.data() + static_cast<int64_t>(p) * hidden_);
            }
            if (group.count == kTogether) {
                output_layer<kTogether>(vector, units.data(), values.data());
            } else {
                for (int p = 0; p < group.count; ++p) {
                    output_layer<1>(vector, units.data() + static_cast<int64_t>(p) * hidden_,
                                    values.data() + p * cells_);
                }
            }
            for (int p = 0; p < group.count; ++p) {
                const int64_t position = by.order[group.first + p];
                batch.mask_illegal(position, values.data() + p * cells_, out + position * cells_);
            }
        }
    };
    parallel_for(static_cast<int64_t>(by.groups.size()), 16, evaluate, interrupt);
}

}  // namespace zp
