#include "mdrnn.hpp"

#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lanes.hpp"
#include "mdrnn_tile.hpp"
#include "members.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr int kMaxCells = 20 * 20, kMaxFeatures = 4;
constexpr int kMaxHidden = 256, kMaxLayers = 16, kMaxDistances = 10;

// Tiles for several positions, for two and for one; the first fills the vectors best.
constexpr int kManyLanes = std::max(16, 2 * kVector);
using Many = MdrnnTile<kVector, kManyLanes / kVector>;
using Two = MdrnnTile<std::min(8, kVector), 8 / std::min(8, kVector)>;
using One = MdrnnTile<4, 1>;

// The value of a board: tanh of the mean output over its cells. Rounded to steps of 2^-20, because
// moves of equal value must be exactly equal.
float squashed_mean(const float* outputs, int cells) {
    double total = 0;
    for (int cell = 0; cell < cells; ++cell) total += outputs[cell];
    return static_cast<float>(std::nearbyint(std::tanh(total / cells) * 0x1.0p20) * 0x1.0p-20 + 0.0);
}

void sigmoid(float* values, int count) {
    for (int first = 0; first < count; first += kVector) {
        float some[kVector] = {};
        const int here = std::min(kVector, count - first);
        std::copy_n(values + first, here, some);
        store_lanes<kVector>(some, sigmoid_lanes(load_lanes<kVector>(some)));
        std::copy_n(some, here, values + first);
    }
}

template <class Tile>
void encode_position(Tile& tile, int p, const MdrnnForm& form, const uint8_t* seen, int size) {
    float features[kMaxFeatures * kMaxCells];
    fill_features(form.features, seen, size, features);
    tile.set_board(p, seen, features);
}

class MdrnnBoardNet final : public BoardNet {
  public:
    MdrnnBoardNet(const MdrnnForm& form, std::vector<float> vector, int size)
        : form_(form), vector_(std::move(vector)), size_(size) {}

    int cells() const override { return size_ * size_; }

    void values(const int8_t* stones, int cells, const int* movers, int count, float* out) const override {
        for (int first = 0; first < count;) {
            const int8_t* const boards = stones + static_cast<size_t>(first) * cells;
            const int left = count - first;
            if (left == 1) {
                first += evaluate(one_, boards, movers + first, left, out + first);
            } else if (left == 2) {
                first += evaluate(two_, boards, movers + first, left, out + first);
            } else {
                first += evaluate(many_, boards, movers + first, left, out + first);
            }
        }
    }

  private:
    // Tiles whose weights are loaded.
    template <class Tile>
    struct Idle {
        std::mutex guard;
        std::vector<std::unique_ptr<Tile>> tiles;
    };

    // Evaluates as many boards as a tile takes; returns their number.
    template <class Tile>
    int evaluate(Idle<Tile>& idle, const int8_t* boards, const int* movers, int count, float* out) const {
        std::unique_ptr<Tile> tile = borrow(idle);
        const int here = std::min<int>(count, Tile::P);
        tile->clear();
        for (int i = 0; i < here; ++i, boards += cells()) {
            uint8_t seen[kMaxCells];
            const int own = movers[i] == 0 ? 1 : -1;
            for (int cell = 0; cell < cells(); ++cell) seen[cell] = boards[cell] == 0 ? 0 : boards[cell] == own ? 1 : 2;
            encode_position(*tile, i, form_, seen, size_);
        }
        tile->run();
        for (int i = 0; i < here; ++i) {
            float outputs[kMaxCells];
            tile->sum_sweeps(i, outputs);
            out[i] = squashed_mean(outputs, cells());
        }
        const std::lock_guard lock(idle.guard);
        idle.tiles.push_back(std::move(tile));
        return here;
    }

    template <class Tile>
    std::unique_ptr<Tile> borrow(Idle<Tile>& idle) const {
        {
            const std::lock_guard lock(idle.guard);
            if (!idle.tiles.empty()) {
                std::unique_ptr<Tile> tile = std::move(idle.tiles.back());
                idle.tiles.pop_back();
                return tile;
            }
        }
        auto tile = std::make_unique<Tile>(form_, size_);
        tile->load_weights(vector_.data());
        return tile;
    }

    MdrnnForm form_;
    std::vector<float> vector_;
    int size_;
    mutable Idle<Many> many_;
    mutable Idle<Two> two_;
    mutable Idle<One> one_;
};

}  // namespace

int64_t MdrnnForm::layer_parameters(int layer) const {
    const int64_t k = hidden, in = inputs(layer);
    // LSTM: inputs of the gates, neighbours (two matrices for the forget gate), biases, peepholes, two borders.
    if (lstm) return 4 * k * in + 5 * k * k + 4 * k + 3 * k + 2 * k;
    return k * in + k * k + std::max(1, distances) * k;
}

int64_t MdrnnForm::parameters() const {
    int64_t total = hidden;
    for (int layer = 0; layer < layers; ++layer) total += layer_parameters(layer);
    return total;
}

Mdrnn::Mdrnn(const MdrnnForm& form) : form_(form) {
    if (form.hidden < 1 || form.hidden > kMaxHidden) throw std::invalid_argument("hidden units are 1 to 256");
    if (form.layers < 1 || form.layers > kMaxLayers) throw std::invalid_argument("layers are 1 to 16");
    if (form.distances < 0 || form.distances > kMaxDistances) throw std::invalid_argument("distances are 0 to 10");
    if (form.lstm && form.distances > 0) throw std::invalid_argument("LSTM cells have one border");
    feature_planes(form.features);
}

// Calls use(position, outputs) for every position of the groups begin to end.
template <class F>
void Mdrnn::evaluate_groups(const Batch& batch, const float* weights, const ByMember& by, int64_t begin, int64_t end,
                            Interrupt* interrupt, F&& use) const {
    std::optional<Many> many;
    std::optional<Two> two;
    std::optional<One> one;
    const auto evaluate = [&](auto& tile, const MemberGroup& group) {
        uint8_t seen[kMaxCells];
        float outputs[kMaxCells];
        if (!tile) tile.emplace(form_, batch.size());
        tile->load_weights(weights + group.member * parameters());
        tile->clear();
        for (int p = 0; p < group.count; ++p) {
            batch.seen(by.order[group.first + p], seen);
            encode_position(*tile, p, form_, seen, batch.size());
        }
        tile->run();
        for (int p = 0; p < group.count; ++p) {
            tile->sum_sweeps(p, outputs);
            use(by.order[group.first + p], outputs);
        }
    };
    for (int64_t g = begin; g < end; ++g) {
        Interrupt::check(interrupt);
        const MemberGroup& group = by.groups[g];
        if (group.count == 1) {
            evaluate(one, group);
        } else if (group.count == 2) {
            evaluate(two, group);
        } else {
            evaluate(many, group);
        }
    }
}

void Mdrnn::prefer(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                   Interrupt* interrupt) const {
    const ByMember by(members, batch.length(), rows, Many::P);
    const auto evaluate = [&](int64_t begin, int64_t end) {
        evaluate_groups(batch, weights, by, begin, end, interrupt, [&](int64_t position, float* outputs) {
            if (form_.distances > 0) sigmoid(outputs, batch.cells());
            batch.mask_illegal(position, outputs, out + position * batch.cells());
        });
    };
    parallel_for(static_cast<int64_t>(by.groups.size()), 4, evaluate, interrupt);
}

void Mdrnn::values(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                   Interrupt* interrupt) const {
    const ByMember by(members, batch.length(), rows, Many::P);
    const auto evaluate = [&](int64_t begin, int64_t end) {
        evaluate_groups(batch, weights, by, begin, end, interrupt, [&](int64_t position, const float* outputs) {
            out[position] = squashed_mean(outputs, batch.cells());
        });
    };
    parallel_for(static_cast<int64_t>(by.groups.size()), 4, evaluate, interrupt);
}

void Mdrnn::child_values(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                         Interrupt* interrupt) const {
    const int cells = batch.cells();
    std::fill_n(out, batch.length() * cells, -std::numeric_limits<float>::infinity());
    std::vector<uint8_t> movers(batch.length());
    batch.mover(movers.data());
    const auto evaluate = [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += 4) {  // few positions have many children
            std::vector<int64_t> parents;
            std::vector<int32_t> moves;
            const auto children = batch.children(begin, std::min(begin + 4, end), parents, moves);
            const auto n = static_cast<int64_t>(parents.size());
            std::vector<int32_t> child_members(n);
            std::vector<uint8_t> next(n);
            for (int64_t i = 0; i < n; ++i) child_members[i] = members[parents[i]];
            children->mover(next.data());
            const ByMember by(child_members.data(), n, rows, Many::P);
            const auto groups = static_cast<int64_t>(by.groups.size());
            evaluate_groups(*children, weights, by, 0, groups, interrupt, [&](int64_t child, const float* outputs) {
                const float value = squashed_mean(outputs, cells);
                const int64_t parent = parents[child];
                out[parent * cells + moves[child]] = next[child] == movers[parent] ? value : -value;
            });
        }
    };
    parallel_for(batch.length(), 4, evaluate, interrupt);
}

void Mdrnn::sweeps(const Batch& batch, int64_t position, const float* weights, float* out) const {
    uint8_t seen[kMaxCells];
    One tile(form_, batch.size(), true);
    tile.load_weights(weights);
    tile.clear();
    batch.seen(position, seen);
    encode_position(tile, 0, form_, seen, batch.size());
    tile.run();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (int cell = 0; cell < batch.cells(); ++cell) {
            for (int o = 0; o < form_.hidden; ++o) *out++ = tile.unit(0, sweep, cell, o);
        }
    }
}

std::shared_ptr<const BoardNet> Mdrnn::board_net(std::vector<float> vector, int size) const {
    if (static_cast<int64_t>(vector.size()) != parameters()) throw std::invalid_argument("the weights do not fit");
    if (size < 1 || size > 20) throw std::invalid_argument("sizes are 1 to 20");
    return std::make_shared<MdrnnBoardNet>(form_, std::move(vector), size);
}

}  // namespace zp
