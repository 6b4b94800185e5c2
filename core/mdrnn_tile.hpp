// The kernels of MDRNNs: a few positions of one member in the lanes of vectors. Lane s * P + p is sweep s of position
// p, and each sees the board mirrored such that its sweep begins in the top left corner, so all lanes do the same at
// each cell. Arrays are [cell, number, lane].
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "lanes.hpp"
#include "mdrnn.hpp"

namespace zp {

inline constexpr int kSweeps = 4;

// Gates of an LSTM cell in the order of the weights.
enum Gate : int { kInputGate, kOutputGate, kCandidate, kForgetGate };

// Calls use(constant<M>, first) for blocks of M of `count` outputs; M is `Most`, 2 or 1.
template <int Most, class F>
void in_blocks(int count, F&& use) {
    int first = 0;
    for (; first + Most <= count; first += Most) use(std::integral_constant<int, Most>{}, first);
    if constexpr (Most > 2) {
        for (; first + 2 <= count; first += 2) use(std::integral_constant<int, 2>{}, first);
    }
    for (; first < count; ++first) use(std::integral_constant<int, 1>{}, first);
}

// A matrix [outputs, inputs] cut into the blocks of `in_blocks`, in each of which the weights of one input are
// adjacent.
template <int Most>
class Blocks {
  public:
    void reset(int outputs, int inputs) {
        outputs_ = outputs;
        inputs_ = inputs;
        weights_.resize(static_cast<size_t>(outputs) * inputs);
    }

    // Fills the columns from `at` on with a row-major matrix; `exchange` swaps its first two columns.
    void put(const float* matrix, int columns, int at, bool exchange = false) {
        in_blocks<Most>(outputs_, [&]<int M>(std::integral_constant<int, M>, int first) {
            float* to = weights_.data() + static_cast<size_t>(first) * inputs_ + static_cast<size_t>(at) * M;
            for (int c = 0; c < columns; ++c) {
                const int from = exchange && c < 2 ? c ^ 1 : c;
                for (int m = 0; m < M; ++m) to[c * M + m] = matrix[(first + m) * columns + from];
            }
        });
    }

    const float* block(int first) const { return weights_.data() + static_cast<size_t>(first) * inputs_; }

  private:
    int outputs_ = 0, inputs_ = 0;
    std::vector<float> weights_;
};

template <int V, int N>
class MdrnnTile {
  public:
    static constexpr int L = V * N, P = L / kSweeps;

    // With `keep` the units of all cells of the last layer are kept.
    MdrnnTile(const MdrnnForm& form, int size, bool keep = false)
        : form_(form),
          size_(size),
          cells_(size * size),
          k_(form.hidden),
          keep_(keep),
          layers_(form.layers),
          first_inputs_(form.inputs(0)),
          zeros_(k_),
          edges_(2 * k_),
          buffer_(numbers() * L) {
        float* next = buffer_.data();
        const auto cut = [&](int64_t numbers) { return std::exchange(next, next + lanes(numbers)); };
        inputs_ = cut(cells_ * first_inputs_);
        deeper_ = cut(deeper_numbers());
        units_ = cut(unit_numbers());
        states_ = cut(state_numbers());
        neighbours_ = cut(3 * k_);
        pairs_ = cut(pair_numbers());
        borders_ = cut(2 * k_);
        outputs_ = cut(cells_);
    }

    // The weight vector must stay valid while it is used.
    void load_weights(const float* vector) {
        if (vector == loaded_) return;
        loaded_ = vector;
        for (int l = 0; l < form_.layers; ++l) {
            if (form_.lstm) {
                pack_lstm(layers_[l], vector, form_.inputs(l));
            } else {
                pack_tanh(layers_[l], vector, form_.inputs(l), l == 0);
            }
            vector += form_.layer_parameters(l);
        }
        output_ = vector;
    }

    void clear() { std::fill_n(inputs_, lanes(cells_ * first_inputs_), 0.0f); }

    // Sets the inputs of position p: seen[cells] is 1 for an own stone, 2 for an opposing one; features[planes, cells].
    void set_board(int p, const uint8_t* seen, const float* features) {
        for (int row = 0; row < size_; ++row) {
            for (int column = 0; column < size_; ++column) {
                const int cell = row * size_ + column;
                if (seen[cell] != 0) put_input(p, row, column, seen[cell] - 1, 1.0f);
                for (int f = 2; f < first_inputs_; ++f) {
                    const float feature = features[(f - 2) * cells_ + cell];
                    if (feature != 0) put_input(p, row, column, f, feature);
                }
            }
        }
    }

    void run() {
        for (int l = 0; l < form_.layers; ++l) {
            const bool last = l + 1 == form_.layers;
            const float* in = l == 0 ? inputs_ : deeper_;
            const float* to_output = last ? output_ : nullptr;
            if (form_.lstm) {
                lstm_layer(layers_[l], in, form_.inputs(l), to_output, !last || keep_);
            } else {
                tanh_layer(layers_[l], in, form_.inputs(l), to_output, !last || keep_);
            }
            if (!last) stack();
        }
    }

    // The outputs of position p, summed over the four sweeps: values[cells]. The order of addition is the same under
    // all symmetries of the board, so that symmetric cells get exactly the same number.
    void sum_sweeps(int p, float* values) const {
        for (int row = 0; row < size_; ++row) {
            const auto from = [&](int sweep) { return outputs_ + mirrored(sweep, row, 0) * L + sweep * P + p; };
            const float *right = from(0), *left = from(1), *right_up = from(2), *left_up = from(3);
            for (int column = 0; column < size_; ++column, right += L, left -= L, right_up += L, left_up -= L) {
                *values++ = (*right + *left_up) + (*left + *right_up);
            }
        }
    }

    // Unit o at a board cell in a sweep of position p.
    float unit(int p, int sweep, int cell, int o) const {
        const int at = mirrored(sweep, cell / size_, cell % size_);
        return units_[lanes(at * k_ + o) + sweep * P + p];
    }

  private:
    static constexpr int kMaxBlock = std::min(10, kSums / N);  // outputs whose sums are kept in registers
    static constexpr bool kPairs = L == 4 && kVector >= 8;     // two cells fill a vector
    using Vector = Lanes<V>;
    using Several = std::array<Vector, N>;

    struct Layer {
        Blocks<kMaxBlock> all;                   // tanh units: inputs, then the sum of the neighbours
        std::array<Blocks<kMaxBlock>, 4> gates;  // LSTM: the same; kForgetGate: inputs, the neighbour, the other one
        const float *border, *bias, *peephole;
    };

    int64_t deeper_numbers() const { return form_.layers > 1 ? static_cast<int64_t>(cells_) * form_.inputs(1) : 0; }
    int64_t unit_numbers() const { return static_cast<int64_t>(form_.layers > 1 || keep_ ? cells_ : size_) * k_; }
    int64_t state_numbers() const { return form_.lstm ? static_cast<int64_t>(size_) * k_ : 0; }
    int64_t pair_numbers() const { return kPairs ? 2 * (std::max(first_inputs_, 3 * k_) + k_) : 0; }
    int64_t numbers() const {
        return cells_ * first_inputs_ + deeper_numbers() + unit_numbers() + state_numbers() + pair_numbers() + 5 * k_ +
               cells_;
    }

    struct Cell {
        int row, column;
        float* here;                // its units
        const float *above, *left;  // units of its neighbours
    };

    int number(const Cell& cell) const { return cell.row * size_ + cell.column; }

    static constexpr size_t lanes(int64_t numbers) { return static_cast<size_t>(numbers) * L; }

    // The cell of the mirrored board for a cell of the board, and vice versa.
    int mirrored(int sweep, int row, int column) const {
        return (sweep & 2 ? size_ - 1 - row : row) * size_ + (sweep & 1 ? size_ - 1 - column : column);
    }

    void put_input(int p, int row, int column, int number, float value) {
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            const int at = mirrored(sweep, row, column) * first_inputs_ + number;
            inputs_[lanes(at) + sweep * P + p] = value;
        }
    }

    void pack_tanh(Layer& layer, const float* vector, int in, bool first) {
        layer.all.reset(k_, in + k_);
        if (form_.distances > 0) {  // borders, neighbours, inputs (opposing stones first)
            layer.border = vector;
            vector += form_.distances * k_;
            layer.all.put(vector, k_, in);
            layer.all.put(vector + k_ * k_, in, 0, first);
        } else {  // inputs, neighbours, border
            layer.all.put(vector, in, 0);
            layer.all.put(vector + k_ * in, k_, in);
            layer.border = vector + k_ * (in + k_);
        }
    }

    void pack_lstm(Layer& layer, const float* vector, int in) {
        const float* hidden = vector + 4 * k_ * in;
        for (int gate = 0; gate < 4; ++gate) {
            const int seen = gate == kForgetGate ? 2 : 1;
            layer.gates[gate].reset(k_, in + seen * k_);
            layer.gates[gate].put(vector + gate * k_ * in, in, 0);
            for (int n = 0; n < seen; ++n) layer.gates[gate].put(hidden + (gate + n) * k_ * k_, k_, in + n * k_);
        }
        layer.bias = hidden + 5 * k_ * k_;
        layer.peephole = layer.bias + 4 * k_;
        layer.border = layer.peephole + 3 * k_;
    }

    template <int M>
    static void begin(const float* bias, Vector (&sums)[M][N]) {
        for (int m = 0; m < M; ++m) {
            for (int n = 0; n < N; ++n) sums[m][n] = Vector{} + bias[m];
        }
    }

    static void add_up(const float* one, const float* other, float* to, size_t length) {
        for (size_t i = 0; i < length; i += V) {
            store_lanes<V>(to + i, load_lanes<V>(one + i) + load_lanes<V>(other + i));
        }
    }

    // sums += weights * z over `count` inputs; moves on to the weights of the next ones.
    template <int M>
    static void add(const float*& weights, const float* z, int count, Vector (&sums)[M][N]) {
        for (int i = 0; i < count; ++i, z += L, weights += M) {
            Several v;
            for (int n = 0; n < N; ++n) v[n] = load_lanes<V>(z + n * V);
            for (int m = 0; m < M; ++m) {
                for (int n = 0; n < N; ++n) sums[m][n] += v[n] * weights[m];
            }
        }
    }

    // Calls visit(cells) for all cells, one or (if they are `paired`) two at a time. Diagonal by diagonal, so that
    // consecutive cells do not depend on each other. A missing neighbour is the `border`. Without `keep`
    // units overwrite those of the cell above.
    template <bool Paired, class F>
    void each_cell(bool keep, const float* border, F&& visit) {
        const size_t length = lanes(k_);
        const auto cell_at = [&](int row, int column) {
            float* here = units_ + (keep ? row * size_ + column : column) * length;
            const float* above = row == 0 ? border : keep ? here - size_ * length : here;
            return Cell{row, column, here, above, column == 0 ? border : here - length};
        };
        for (int diagonal = 0; diagonal < 2 * size_ - 1; ++diagonal) {
            int row = std::max(0, diagonal - size_ + 1);
            const int last = std::min(diagonal, size_ - 1);
            if constexpr (Paired) {
                for (; row < last; row += 2) {
                    visit(std::array{cell_at(row, diagonal - row), cell_at(row + 1, diagonal - row - 1)});
                }
            }
            for (; row <= last; ++row) visit(std::array{cell_at(row, diagonal - row)});
        }
    }

    // What is added to the sums of tanh units: for each missing neighbour a vector, by distance from the corner.
    const float* edge_bias(const Layer& layer, const Cell& cell, int held = 0) {
        const auto [row, column] = std::pair{cell.row, cell.column};
        if (form_.distances == 0 || (row > 0 && column > 0)) return zeros_.data();
        const auto vector = [&](int along) {
            return layer.border + std::min({along, size_ - 1 - along, form_.distances - 1}) * k_;
        };
        float* sum = edges_.data() + held * k_;
        for (int o = 0; o < k_; ++o) {
            sum[o] = row > 0 ? vector(row)[o] : column > 0 ? vector(column)[o] : vector(0)[o] + vector(0)[o];
        }
        return sum;
    }

    // The border vector in every lane; zeros where it is added by `edge_bias`.
    float* broadcast(const float* border, int at) {
        float* to = borders_ + lanes(at * k_);
        for (int o = 0; o < k_; ++o) std::fill_n(to + lanes(o), L, form_.distances > 0 ? 0.0f : border[o]);
        return to;
    }

    void tanh_layer(const Layer& layer, const float* in, int count, const float* to_output, bool keep) {
        each_cell<kPairs>(keep, broadcast(layer.border, 0), [&](const auto& cells) {
            tanh_units(layer, cells, in, count);
            if (to_output == nullptr) return;
            for (const Cell& cell : cells) store_output(number(cell), cell.here, to_output);
        });
    }

    void tanh_units(const Layer& layer, const std::array<Cell, 1>& cells, const float* in, int count) {
        const Cell& cell = cells[0];
        const float *bias = edge_bias(layer, cell), *x = in + lanes(number(cell) * count);
        float *both = neighbours_, *here = cell.here;
        const int k = k_;
        add_up(cell.above, cell.left, both, lanes(k));
        in_blocks<kMaxBlock>(k, [=, &layer]<int M>(std::integral_constant<int, M>, int first) {
            Vector sums[M][N];
            begin<M>(bias + first, sums);
            const float* weights = layer.all.block(first);
            add<M>(weights, x, count, sums);
            add<M>(weights, both, k, sums);
            float* to = here + lanes(first);
#pragma GCC unroll 16
            for (int m = 0; m < M; ++m) {
                for (int n = 0; n < N; ++n) store_lanes<V>(to + m * L + n * V, tanh_lanes(sums[m][n]));
            }
        });
    }

    // The same for one position and two cells, side by side in a vector of 8.
    void tanh_units(const Layer& layer, const std::array<Cell, 2>& cells, const float* in, int count) {
        const Cell &one = cells[0], &other = cells[1];
        const float *bias = edge_bias(layer, one, 0), *other_bias = edge_bias(layer, other, 1);
        const float *x = in + lanes(number(one) * count), *other_x = in + lanes(number(other) * count);
        const float *above = one.above, *left = one.left, *other_above = other.above, *other_left = other.left;
        float *z = pairs_, *here = one.here, *other_here = other.here;
        const int k = k_;
        for (int i = 0; i < count; ++i) {
            store_lanes<8>(z + 8 * i, joined(load_lanes<4>(x + 4 * i), load_lanes<4>(other_x + 4 * i)));
        }
        for (int o = 0; o < k; ++o) {
            const Lanes<4> sum = load_lanes<4>(above + 4 * o) + load_lanes<4>(left + 4 * o);
            const Lanes<4> other_sum = load_lanes<4>(other_above + 4 * o) + load_lanes<4>(other_left + 4 * o);
            store_lanes<8>(z + 8 * (count + o), joined(sum, other_sum));
        }
        in_blocks<kMaxBlock>(k, [=, &layer]<int M>(std::integral_constant<int, M>, int first) {
            Lanes<8> sums[M];
            for (int m = 0; m < M; ++m) {
                sums[m] = joined(Lanes<4>{} + bias[first + m], Lanes<4>{} + other_bias[first + m]);
            }
            const float* weights = layer.all.block(first);
            for (int i = 0; i < count + k; ++i, weights += M) {
                const Lanes<8> v = load_lanes<8>(z + 8 * i);
                for (int m = 0; m < M; ++m) sums[m] += v * weights[m];
            }
#pragma GCC unroll 16
            for (int m = 0; m < M; ++m) {
                const Lanes<8> units = tanh_lanes(sums[m]);
                store_lanes<4>(here + 4 * (first + m), low_half(units));
                store_lanes<4>(other_here + 4 * (first + m), high_half(units));
            }
        });
    }

    // The output of a cell: the weighted sum of its units.
    void store_output(int cell, const float* units, const float* weights) {
        Several out{};
        for (int o = 0; o < k_; ++o, units += L) {
            for (int n = 0; n < N; ++n) out[n] += load_lanes<V>(units + n * V) * weights[o];
        }
        for (int n = 0; n < N; ++n) store_lanes<V>(outputs_ + lanes(cell) + n * V, out[n]);
    }

    void lstm_layer(const Layer& layer, const float* in, int count, const float* to_output, bool keep) {
        const float *border = broadcast(layer.border, 0), *border_state = broadcast(layer.border + k_, 1);
        float *both = neighbours_, *up = both + lanes(k_), *beside = up + lanes(k_);
        each_cell<false>(keep, border, [&](const auto& cells) {
            const Cell& cell = cells[0];
            float* here = cell.here;
            const float* x = in + lanes(number(cell) * count);
            float* state = states_ + lanes(cell.column * k_);  // the state of the cell above until it is overwritten
            const float* state_above = cell.row == 0 ? border_state : state;
            const float* state_left = cell.column == 0 ? border_state : state - lanes(k_);
            std::copy_n(cell.above, lanes(k_), up);
            std::copy_n(cell.left, lanes(k_), beside);
            add_up(up, beside, both, lanes(k_));
            in_blocks<kMaxBlock>(k_, [&]<int M>(std::integral_constant<int, M>, int first) {
                const auto gate = [&](Gate which, const float* seen, const float* then, Vector(&sums)[M][N]) {
                    begin<M>(layer.bias + which * k_ + first, sums);
                    const float* weights = layer.gates[which].block(first);
                    add<M>(weights, x, count, sums);
                    add<M>(weights, seen, k_, sums);
                    if (then != nullptr) add<M>(weights, then, k_, sums);
                };
                Vector input[M][N], output[M][N], candidate[M][N], keep_up[M][N], keep_left[M][N];
                gate(kInputGate, both, nullptr, input);
                gate(kOutputGate, both, nullptr, output);
                gate(kCandidate, both, nullptr, candidate);
                gate(kForgetGate, up, beside, keep_up);
                gate(kForgetGate, beside, up, keep_left);
                for (int m = 0; m < M; ++m) {
                    const float* peep = layer.peephole + first + m;
                    for (int n = 0; n < N; ++n) {
                        const size_t at = lanes(first + m) + n * V;
                        const Vector one = load_lanes<V>(state_above + at), other = load_lanes<V>(state_left + at);
                        const Vector let_in = sigmoid_lanes(input[m][n] + (one + other) * peep[0]);
                        const Vector f = sigmoid_lanes(keep_up[m][n] + one * peep[k_]);
                        const Vector g = sigmoid_lanes(keep_left[m][n] + other * peep[k_]);
                        // f one + g other, in a form whose rounding does not change when rows and columns do.
                        const Vector kept = ((f + g) * (one + other) + (f - g) * (one - other)) * 0.5f;
                        const Vector now = let_in * tanh_lanes(candidate[m][n]) + kept;
                        store_lanes<V>(state + at, now);
                        const Vector unit = sigmoid_lanes(output[m][n] + now * peep[2 * k_]) * tanh_lanes(now);
                        store_lanes<V>(here + at, unit);
                    }
                }
            });
            if (to_output != nullptr) store_output(number(cell), here, to_output);
        });
    }

    // The inputs of the next layer from the units of this one.
    void stack() {
        for (int row = 0; row < size_; ++row) {
            for (int column = 0; column < size_; ++column) {
                float* to = deeper_ + lanes((row * size_ + column) * 3 * k_);
                for (int sweep = 0; sweep < kSweeps; ++sweep) {
                    const auto from = [&](int mirror) {
                        return units_ + lanes(mirrored(mirror, row, column) * k_) + (sweep ^ mirror) * P;
                    };
                    const float *same = from(0), *beside = from(1), *below = from(2), *opposite = from(3);
                    for (int o = 0; o < k_; ++o) {
                        for (int p = 0; p < P; ++p) {
                            float* lane = to + lanes(o) + sweep * P + p;
                            lane[0] = same[lanes(o) + p];
                            lane[lanes(k_)] = beside[lanes(o) + p] + below[lanes(o) + p];
                            lane[lanes(2 * k_)] = opposite[lanes(o) + p];
                        }
                    }
                }
            }
        }
    }

    const MdrnnForm form_;
    const int size_, cells_, k_;
    const bool keep_;
    std::vector<Layer> layers_;
    const int first_inputs_;
    std::vector<float> zeros_, edges_;
    LaneBuffer buffer_;
    float *inputs_, *deeper_, *units_, *states_, *neighbours_, *pairs_, *borders_, *outputs_;  // in the buffer
    const float *loaded_ = nullptr, *output_ = nullptr;
};

}  // namespace zp
