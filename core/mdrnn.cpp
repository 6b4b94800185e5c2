#include "mdrnn.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "lanes.hpp"
#include "members.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr int kSweeps = 4;
constexpr int kStones = 2;  // inputs of a cell: an own stone, an opposing stone
constexpr int kMostCells = 19 * 19;

// The tile that fills the vectors best; what is left over goes through smaller ones.
constexpr int kWide = 2 * kVector > 16 ? 2 * kVector : 16;

// How many inputs a cell of layer `layer` has: the stones, or what the sweeps of the layer below say there: the one in
// the same direction, the sum of the two that mirror one axis, and the opposite one.
int inputs_of(const MdrnnForm& form, int layer) { return layer == 0 ? kStones : 3 * form.hidden; }

// Gates of an LSTM cell in the order of the weights. The forget gate of a neighbour sees that neighbour with kForget
// and the other one with kOther.
enum Gate : int { kInput, kOutput, kCandidate, kForget, kOther };

int64_t layer_parameters(const MdrnnForm& form, int layer) {
    const int64_t k = form.hidden, inputs = inputs_of(form, layer);
    if (form.lstm) return 4 * k * inputs + 5 * k * k + 4 * k + 3 * k + 2 * k;
    return k * inputs + k * k + std::max(1, form.distances) * k;
}

// Calls use(constant<M>, first) for blocks of at most `Most` of `count` outputs; all have one of three sizes.
template <int Most, class F>
void in_blocks(int count, F&& use) {
    int first = 0;
    for (; first + Most <= count; first += Most) use(std::integral_constant<int, Most>{}, first);
    if constexpr (Most > 2) {
        for (; first + 2 <= count; first += 2) use(std::integral_constant<int, 2>{}, first);
    }
    for (; first < count; ++first) use(std::integral_constant<int, 1>{}, first);
}

// A matrix whose rows are outputs and whose columns are inputs, cut into the blocks of `in_blocks`, in each of which
// the weights of one input stand together.
struct Packed {
    int outputs = 0, inputs = 0;
    std::vector<float> weights;

    void reset(int rows, int columns) {
        outputs = rows;
        inputs = columns;
        weights.resize(static_cast<size_t>(rows) * columns);
    }

    // Puts `columns` columns of a row-major matrix where `at` says; `order` may exchange the first two.
    template <int Most>
    void put(const float* matrix, int columns, int at, bool exchange = false) {
        in_blocks<Most>(outputs, [&]<int M>(std::integral_constant<int, M>, int first) {
            float* to = weights.data() + static_cast<size_t>(first) * inputs + static_cast<size_t>(at) * M;
            for (int c = 0; c < columns; ++c) {
                const int from = exchange ? c ^ 1 : c;
                for (int m = 0; m < M; ++m) to[c * M + m] = matrix[(first + m) * columns + from];
            }
        });
    }
};

struct LayerWeights {
    Packed all;                             // tanh units: inputs, then neighbours
    std::array<Packed, 4> gates;            // LSTM: inputs, then neighbours (own and other ones for kForget)
    std::vector<float> none;                // zeros
    const float *border, *bias, *peephole;  // in the vector
};

}  // namespace

// Up to L / 4 positions of one member, as L lanes: lane s * P + p is sweep s of position p, and each sees the board
// mirrored such that its sweep begins in the top left corner. Arrays are [cell, number, lane].
template <int V, int N>
struct Mdrnn::Tile {
    static constexpr int L = V * N, P = L / kSweeps, kMost = std::min(10, kSums / N);
    using Vector = Lanes<V>;
    using Several = std::array<Vector, N>;

    const MdrnnForm& form;
    const int size, cells, k;
    std::vector<LayerWeights> layers;
    const float* output = nullptr;
    LaneBuffer inputs, deeper, units, states, neighbours, borders, outputs;

    Tile(const MdrnnForm& form, int size, bool keep)
        : form(form),
          size(size),
          cells(size * size),
          k(form.hidden),
          layers(form.layers),
          inputs(static_cast<size_t>(cells) * kStones * L),
          deeper(form.layers > 1 ? static_cast<size_t>(cells) * 3 * k * L : 0),
          units(static_cast<size_t>(form.layers > 1 || keep ? cells : size) * k * L),
          states(form.lstm ? static_cast<size_t>(size) * k * L : 0),
          neighbours(static_cast<size_t>(3) * k * L),
          borders(static_cast<size_t>(2) * k * L),
          outputs(static_cast<size_t>(cells) * L) {}

    static Several load(const float* from) {
        Several v;
        for (int i = 0; i < N; ++i) v[i] = load_lanes<V>(from + i * V);
        return v;
    }
    static void store(float* to, const Several& v) {
        for (int i = 0; i < N; ++i) store_lanes<V>(to + i * V, v[i]);
    }

    void take(const float* vector) {
        for (int l = 0; l < form.layers; ++l) {
            const int in = inputs_of(form, l);
            LayerWeights& layer = layers[l];
            layer.none.assign(k, 0.0f);
            if (form.distances > 0) {  // borders, neighbours, inputs (opposing stones first)
                layer.border = vector;
                const float* matrix = vector + form.distances * k;
                layer.all.reset(k, in + k);
                layer.all.template put<kMost>(matrix + k * k, in, 0, l == 0);
                layer.all.template put<kMost>(matrix, k, in);
            } else if (!form.lstm) {  // inputs, neighbours, border
                layer.all.reset(k, in + k);
                layer.all.template put<kMost>(vector, in, 0);
                layer.all.template put<kMost>(vector + k * in, k, in);
                layer.border = vector + k * in + k * k;
            }
            vector += layer_parameters(form, l);
        }
        output = vector;
    }

    // The board cell that a lane's sweep sees in its row and column.
    int board_cell(int sweep, int row, int column) const {
        return (sweep & 2 ? size - 1 - row : row) * size + (sweep & 1 ? size - 1 - column : column);
    }

    // seen[cells] of position p: 1 an own stone, 2 an opposing one.
    void see(int p, const uint8_t* seen) {
        for (int cell = 0; cell < cells; ++cell) {
            if (seen[cell] == 0) continue;
            const int row = cell / size, column = cell % size;
            for (int sweep = 0; sweep < kSweeps; ++sweep) {
                const int at = board_cell(sweep, row, column) * kStones + seen[cell] - 1;
                inputs.data()[at * L + sweep * P + p] = 1.0f;
            }
        }
    }

    void clear() { std::fill_n(inputs.data(), static_cast<size_t>(cells) * kStones * L, 0.0f); }

    template <int M>
    static void add(const float*& weights, const float* z, int count, Vector (&sums)[M][N]) {
        for (int i = 0; i < count; ++i, z += L, weights += M) {
            const Several v = load(z);
            for (int m = 0; m < M; ++m) {
                for (int n = 0; n < N; ++n) sums[m][n] += v[n] * weights[m];
            }
        }
    }

    void run(bool keep) {
        for (int l = 0; l < form.layers; ++l) {
            const bool last = l + 1 == form.layers;
            const float* in = l == 0 ? inputs.data() : deeper.data();
            tanh_layer(layers[l], in, inputs_of(form, l), last ? output : nullptr, !last || keep);
            if (!last) stack();
        }
    }

    // What is added to the sums of the units of a cell at the border: a vector for each missing neighbour.
    const float* border_bias(const LayerWeights& layer, int row, int column, std::vector<float>& held) const {
        if (form.distances == 0 || (row > 0 && column > 0)) return layer.none.data();
        const auto vector = [&](int along) {
            return layer.border + std::min({along, size - 1 - along, form.distances - 1}) * k;
        };
        std::fill(held.begin(), held.end(), 0.0f);
        if (row == 0) {
            for (int o = 0; o < k; ++o) held[o] += vector(column)[o];
        }
        if (column == 0) {
            for (int o = 0; o < k; ++o) held[o] += vector(row)[o];
        }
        return held.data();
    }

    // With `keep` the units of all cells are kept in `units`, otherwise only those of the last `size` cells.
    void tanh_layer(const LayerWeights& layer, const float* in, int in_count, const float* to_output, bool keep) {
        const size_t cell_length = static_cast<size_t>(k) * L;
        float* border = borders.data();
        for (int o = 0; o < k; ++o) {
            std::fill_n(border + static_cast<size_t>(o) * L, L, form.distances > 0 ? 0.0f : layer.border[o]);
        }
        std::vector<float> held(k);
        float* both = neighbours.data();
        for (int row = 0; row < size; ++row) {
            for (int column = 0; column < size; ++column) {
                const int cell = row * size + column;
                float* here = units.data() + (keep ? cell : column) * cell_length;
                const float* above = row == 0 ? border : keep ? here - size * cell_length : here;
                const float* left = column == 0 ? border : here - cell_length;
                const float* bias = border_bias(layer, row, column, held);
                for (size_t i = 0; i < cell_length; i += V) {
                    store_lanes<V>(both + i, load_lanes<V>(above + i) + load_lanes<V>(left + i));
                }
                Several out{};
                in_blocks<kMost>(k, [&]<int M>(std::integral_constant<int, M>, int first) {
                    Vector sums[M][N];
                    for (int m = 0; m < M; ++m) {
                        for (int n = 0; n < N; ++n) sums[m][n] = Vector{} + bias[first + m];
                    }
                    const float* weights = layer.all.weights.data() + static_cast<size_t>(first) * (in_count + k);
                    add<M>(weights, in + static_cast<size_t>(cell) * in_count * L, in_count, sums);
                    add<M>(weights, both, k, sums);
                    for (int m = 0; m < M; ++m) {
                        for (int n = 0; n < N; ++n) {
                            const Vector unit = tanh_lanes(sums[m][n]);
                            store_lanes<V>(here + static_cast<size_t>(first + m) * L + n * V, unit);
                            if (to_output != nullptr) out[n] += unit * to_output[first + m];
                        }
                    }
                });
                if (to_output != nullptr) store(outputs.data() + static_cast<size_t>(cell) * L, out);
            }
        }
    }

    // The inputs of the next layer from the units of this one.
    void stack() {
        for (int row = 0; row < size; ++row) {
            for (int column = 0; column < size; ++column) {
                const auto from = [&](int mirrored, int sweep) {
                    return units.data() + static_cast<size_t>(board_cell(mirrored, row, column)) * k * L +
                           (sweep ^ mirrored) * P;
                };
                float* to = deeper.data() + static_cast<size_t>(row * size + column) * 3 * k * L;
                for (int sweep = 0; sweep < kSweeps; ++sweep) {
                    const float *same = from(0, sweep), *beside = from(1, sweep), *below = from(2, sweep),
                                *opposite = from(3, sweep);
                    for (int o = 0; o < k; ++o) {
                        for (int p = 0; p < P; ++p) {
                            float* lane = to + static_cast<size_t>(o) * L + sweep * P + p;
                            const size_t at = static_cast<size_t>(o) * L + p;
                            lane[0] = same[at];
                            lane[static_cast<size_t>(k) * L] = beside[at] + below[at];
                            lane[static_cast<size_t>(2) * k * L] = opposite[at];
                        }
                    }
                }
            }
        }
    }

    // What the four sweeps say together of the cells of position p. The sum has an order that no symmetry of the board
    // changes, so that cells that look alike get the very same number.
    void gather(int p, float* values) const {
        const float* from = const_cast<LaneBuffer&>(outputs).data();
        for (int row = 0; row < size; ++row) {
            for (int column = 0; column < size; ++column) {
                const auto said = [&](int sweep) { return from[board_cell(sweep, row, column) * L + sweep * P + p]; };
                values[row * size + column] = (said(0) + said(3)) + (said(1) + said(2));
            }
        }
        if (form.distances == 0) return;
        for (int first = 0; first < cells; first += V) {
            float some[V] = {};
            const int count = std::min(V, cells - first);
            std::copy_n(values + first, count, some);
            store_lanes<V>(some, sigmoid_lanes(load_lanes<V>(some)));
            std::copy_n(some, count, values + first);
        }
    }
};

Mdrnn::Mdrnn(const MdrnnForm& form) : form_(form), parameters_(form.hidden) {
    if (form.hidden < 1 || form.hidden > kMostHidden) throw std::invalid_argument("hidden units are 1 to 256");
    if (form.layers < 1 || form.layers > kMostLayers) throw std::invalid_argument("layers are 1 to 16");
    if (form.distances < 0 || form.distances > 10) throw std::invalid_argument("distances are 0 to 10");
    if (form.lstm && form.distances > 0) throw std::invalid_argument("LSTM cells have one border");
    for (int l = 0; l < form.layers; ++l) parameters_ += layer_parameters(form, l);
}

void Mdrnn::prefer(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out) const {
    const int cells = batch.cells();
    constexpr int wide = kWide / kSweeps;
    const ByMember by(members, batch.length(), rows, wide);
    const auto evaluate = [&]<class T>(std::optional<T>& tile, const MemberGroup& group) {
        if (!tile) tile.emplace(form_, batch.size(), false);
        uint8_t seen[kMostCells];
        float values[kMostCells];
        tile->take(weights + group.member * parameters_);
        tile->clear();
        for (int p = 0; p < group.count; ++p) {
            batch.seen(by.order[group.first + p], seen);
            tile->see(p, seen);
        }
        tile->run(false);
        for (int p = 0; p < group.count; ++p) {
            const int64_t position = by.order[group.first + p];
            tile->gather(p, values);
            batch.keep_legal(position, values, out + position * cells);
        }
    };
    parallel_for(static_cast<int64_t>(by.groups.size()), 4, [&](int64_t begin, int64_t end) {
        std::optional<Tile<kVector, kWide / kVector>> many;
        std::optional<Tile<std::min(8, kVector), 8 / std::min(8, kVector)>> two;
        std::optional<Tile<4, 1>> one;
        for (int64_t g = begin; g < end; ++g) {
            const MemberGroup& group = by.groups[g];
            if (group.count == 1) {
                evaluate(one, group);
            } else if (group.count == 2) {
                evaluate(two, group);
            } else {
                evaluate(many, group);
            }
        }
    });
}

void Mdrnn::sweeps(const Batch& batch, int64_t position, const float* weights, float* out) const {
    const int size = batch.size(), cells = batch.cells(), k = form_.hidden;
    Tile<4, 1> tile(form_, size, true);
    uint8_t seen[kMostCells];
    batch.seen(position, seen);
    tile.take(weights);
    tile.clear();
    tile.see(0, seen);
    tile.run(true);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (int cell = 0; cell < cells; ++cell) {
            float* to =
                out + (static_cast<int64_t>(sweep) * cells + tile.board_cell(sweep, cell / size, cell % size)) * k;
            for (int o = 0; o < k; ++o) to[o] = tile.units.data()[(cell * k + o) * 4 + sweep];
        }
    }
}

}  // namespace zp
