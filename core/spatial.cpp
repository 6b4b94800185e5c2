#include "spatial.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "batch_of.hpp"
#include "chance.hpp"
#include "flips.hpp"
#include "lanes.hpp"
#include "members.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr int kHidden = SpatialShape::kHidden, kLast = SpatialShape::kLast;

constexpr int kFloats = kVector;
using Floats = Lanes<kFloats>;

Floats load(const float* from) { return load_lanes<kFloats>(from); }
void store(float* to, Floats v) { store_lanes<kFloats>(to, v); }

constexpr int padded(int count) { return (count + kFloats - 1) / kFloats * kFloats; }
constexpr int kHiddenPitch = padded(kHidden), kLastPitch = padded(kLast);

// Boards that go through a layer together, in columns of at most kColumns vectors, so that the sums fit in registers.
constexpr int kTile = kFloats == 16 ? 8 : 4, kColumns = 3;
constexpr int kMaxSums = 12;  // vectors of sums that are added to together
constexpr int kPositionsTogether = 32;
constexpr int kCapacity = 64;  // boards that a thread evaluates together

// Minimum and maximum number of games played in lockstep: with more games a member evaluates more boards together, and
// more of them are equal.
constexpr int64_t kMinTogether = 100, kMaxTogether = 5000;

// out[kTile, C vectors] = tanh(bias + in[kTile, count] * weights[count, C vectors]); rows of weights and
// outputs are `pitch` floats apart.
template <int C>
void multiply(const float* in, int in_pitch, int count, const float* weights, const float* bias, int pitch,
              float* out) {
    Floats sums[kTile][C];
    for (int m = 0; m < kTile; ++m) {
        for (int c = 0; c < C; ++c) sums[m][c] = load(bias + c * kFloats);
    }
    for (int k = 0; k < count; ++k, weights += pitch) {
        Floats column[C];
        for (int c = 0; c < C; ++c) column[c] = load(weights + c * kFloats);
        for (int m = 0; m < kTile; ++m) {
            for (int c = 0; c < C; ++c) sums[m][c] += column[c] * in[m * in_pitch + k];
        }
    }
    for (int m = 0; m < kTile; ++m) {
        for (int c = 0; c < C; ++c) store(out + m * pitch + c * kFloats, tanh_lanes(sums[m][c]));
    }
}

// A whole layer of C vectors for kTile boards.
template <int C>
void layer(const float* in, int in_pitch, int count, const float* weights, const float* bias, int pitch, float* out) {
    constexpr int kSome = std::min(C, kColumns), kAt = kSome * kFloats;
    multiply<kSome>(in, in_pitch, count, weights, bias, pitch, out);
    if constexpr (C > kSome) layer<C - kSome>(in, in_pitch, count, weights + kAt, bias + kAt, pitch, out + kAt);
}

// sums[C vectors] = base + sum over i of factors[i] * rows[i], where row i begins at `places[i]` floats of `rows`.
template <int C>
void add_rows(const float* base, const float* rows, const int* places, const float* factors, int count, float* sums) {
    Floats sum[C];
    for (int c = 0; c < C; ++c) sum[c] = load(base + c * kFloats);
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < C; ++c) sum[c] += load(rows + places[i] + c * kFloats) * factors[i];
    }
    for (int c = 0; c < C; ++c) store(sums + c * kFloats, sum[c]);
}

// Squares whose rows are to be added, each with its factor.
struct Squares {
    int count = 0;
    int places[64];
    float factors[64];

    void add(uint64_t set, int pitch, float factor) {
        for (; set != 0; set &= set - 1) {
            places[count] = std::countr_zero(set) * pitch;
            factors[count++] = factor;
        }
    }
};

// Offsets of the parts of a packed member, in floats.
struct Offsets {
    int first_bias, hidden, hidden_bias, last, last_bias, out, out_bias, size;

    Offsets(int nodes, int pitch) {
        first_bias = 64 * pitch;  // before it the first layer: a row for each square
        hidden = first_bias + pitch;
        hidden_bias = hidden + nodes * kHiddenPitch;
        last = hidden_bias + kHiddenPitch;
        last_bias = last + kHidden * kLastPitch;
        out = last_bias + kLastPitch;
        out_bias = out + kLastPitch;
        size = (out_bias + 1 + 15) / 16 * 16;
    }
};

}  // namespace

SpatialShape::SpatialShape(std::vector<std::vector<int>> patterns, bool discs, float limit)
    : patterns_(std::move(patterns)), discs_(discs), limit_(limit) {
    if (!(limit > 0)) throw std::invalid_argument("sums are cut at a number above 0");
    if (patterns_.empty() || patterns_.size() > 1024) throw std::invalid_argument("a layer has 1 to 1024 patterns");
    for (auto& squares : patterns_) {
        if (squares.empty()) throw std::invalid_argument("a pattern has one square or more");
        uint64_t seen = 0;
        for (const int square : squares) {
            if (square < 0 || square > 63) throw std::invalid_argument("a pattern's squares are 0 to 63");
            if (seen >> square & 1) throw std::invalid_argument("a pattern names a square once");
            seen |= uint64_t{1} << square;
        }
    }
}

int64_t SpatialShape::parameters() const {
    int64_t inputs = 0;
    for (const auto& squares : patterns_) inputs += static_cast<int64_t>(squares.size());
    return inputs + nodes() + (nodes() + 1) * kHidden + (kHidden + 1) * kLast + kLast + 1;
}

// Boards to be evaluated by one member, and the buffers of its layers.
class SpatialNets::Work {
  public:
    explicit Work(const SpatialNets& nets, int capacity = kCapacity)
        : nets_(nets),
          offsets_(nets.nodes_, nets.pitch_),
          base_(lines(nets.pitch_)),
          first_(lines((capacity + kTile) * nets.pitch_)) {}

    bool has_room(int boards) const { return count_ + boards <= kCapacity; }
    int count() const { return count_; }
    void use(const float* member) { member_ = member; }

    // Adds a board; returns its number.
    int add(uint64_t black, uint64_t white) {
        sum_board(black, white, row(count_));
        discs_[count_] = static_cast<float>(std::popcount(white) - std::popcount(black));
        return count_++;
    }

    // Adds the board after each move of a state, lowest square first; returns the number of the first.
    int add_children(const Othello::State& state) {
        const bool white_moves = state.mover == kWhite;
        const uint64_t black = white_moves ? state.opponent : state.own,
                       white = white_moves ? state.own : state.opponent;
        const int first = count_, before = std::popcount(white) - std::popcount(black);
        const float placed = white_moves ? 1.0f : -1.0f;
        float* base = base_.data()->lanes;
        sum_board(black, white, base);
        for (uint64_t rest = state.moves; rest != 0; rest &= rest - 1) {
            const int square = std::countr_zero(rest);
            const uint64_t flipped = flips_at(state.own, state.opponent, square);
            Squares changed;
            changed.add(rest & -rest, nets_.pitch_, placed);
            changed.add(flipped, nets_.pitch_, 2 * placed);
            add_squares(base, changed, row(count_));
            discs_[count_] = static_cast<float>(before) + placed * static_cast<float>(1 + 2 * std::popcount(flipped));
            ++count_;
        }
        return first;
    }

    // Evaluates all boards added, and empties the list.
    void evaluate() {
        const int tiles = (count_ + kTile - 1) / kTile, pitch = nets_.pitch_;
        std::fill(row(count_), row(tiles * kTile), 0.0f);  // padding rows must not hold NaN
        for (float* at = row(0); at < row(tiles * kTile); at += kFloats) store(at, tanh_lanes(load(at)));
        for (int tile = 0; tile < tiles; ++tile) {
            alignas(64) float hidden[kTile * kHiddenPitch], last[kTile * kLastPitch];
            layer<kHiddenPitch / kFloats>(row(tile * kTile), pitch, nets_.nodes_, member_ + offsets_.hidden,
                                          member_ + offsets_.hidden_bias, kHiddenPitch, hidden);
            layer<kLastPitch / kFloats>(hidden, kHiddenPitch, kHidden, member_ + offsets_.last,
                                        member_ + offsets_.last_bias, kLastPitch, last);
            for (int m = 0; m < kTile && tile * kTile + m < count_; ++m) {
                const int board = tile * kTile + m;
                float sum = member_[offsets_.out_bias];
                for (int k = 0; k < kLast; ++k) sum += last[m * kLastPitch + k] * member_[offsets_.out + k];
                if (nets_.discs_) sum += discs_[board];
                values_[board] = std::clamp(sum, -nets_.limit_, nets_.limit_);
            }
        }
        count_ = 0;
    }

    float value(int board) const { return values_[board]; }

    // The moves of a state with the highest value; the boards after its moves were added from number `board` on.
    uint64_t best_moves(const Othello::State& state, int board) const {
        const float sign = state.mover == kWhite ? 1.0f : -1.0f;
        uint64_t moves = state.moves;
        float best = -std::numeric_limits<float>::infinity();
        for (uint64_t rest = state.moves; rest != 0; rest &= rest - 1) {
            const float preference = sign * value(board++);
            if (preference > best) {
                best = preference;
                moves = rest & -rest;
            } else if (preference == best) {
                moves |= rest & -rest;
            }
        }
        return moves;
    }

  private:
    static std::vector<Line> lines(int floats) { return std::vector<Line>((floats + 15) / 16); }
    float* row(int board) { return first_.data()->lanes + board * nets_.pitch_; }

    void sum_board(uint64_t black, uint64_t white, float* sums) const {
        Squares discs;
        discs.add(white, nets_.pitch_, 1.0f);
        discs.add(black, nets_.pitch_, -1.0f);
        add_squares(member_ + offsets_.first_bias, discs, sums);
    }

    void add_squares(const float* base, const Squares& squares, float* sums) const {
        for (int at = 0; at < nets_.pitch_;) at += add_some<kMaxSums>(base, squares, at, sums);
    }

    // Adds C vectors from `at` on, or as many as there are; enough not to wait for one another. Returns how many
    // floats.
    template <int C>
    int add_some(const float* base, const Squares& squares, int at, float* sums) const {
        if constexpr (C > 1) {
            if (at + C * kFloats > nets_.pitch_) return add_some<C - 1>(base, squares, at, sums);
        }
        add_rows<C>(base + at, member_ + at, squares.places, squares.factors, squares.count, sums + at);
        return C * kFloats;
    }

    const SpatialNets& nets_;
    const Offsets offsets_;
    const float* member_ = nullptr;
    std::vector<Line> base_, first_;
    int count_ = 0;
    float discs_[kCapacity], values_[kCapacity];
};

SpatialNets::SpatialNets(const SpatialShape& shape, const float* weights, int64_t members)
    : nodes_(shape.nodes()), pitch_(padded(nodes_)), discs_(shape.discs()), limit_(shape.limit()), members_(members) {
    if (members < 1) throw std::invalid_argument("a population has one member or more");
    size_ = Offsets(nodes_, pitch_).size;
    packed_.resize(members * size_ / 16);
    parallel_for(members, 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            pack(shape, weights + i * shape.parameters(), packed_[0].lanes + i * size_);
        }
    });
}

void SpatialNets::pack(const SpatialShape& shape, const float* weights, float* to) const {
    const Offsets places(nodes_, pitch_);
    for (int node = 0; node < nodes_; ++node) {
        for (const int square : shape.patterns()[node]) to[square * pitch_ + node] = *weights++;
    }
    std::copy_n(weights, nodes_, to + places.first_bias);
    weights += nodes_;
    const auto transpose = [&](int inputs, int outputs, int pitch, float* matrix, float* bias) {
        for (int o = 0; o < outputs; ++o) {
            for (int i = 0; i < inputs; ++i) matrix[i * pitch + o] = *weights++;
        }
        for (int o = 0; o < outputs; ++o) bias[o] = *weights++;
    };
    transpose(nodes_, kHidden, kHiddenPitch, to + places.hidden, to + places.hidden_bias);
    transpose(kHidden, kLast, kLastPitch, to + places.last, to + places.last_bias);
    transpose(kLast, 1, 1, to + places.out, to + places.out_bias);
}

namespace {

const std::vector<Othello::State>& othello_states(const Batch& batch) {
    const auto* known = dynamic_cast<const BatchOf<Othello>*>(&batch);
    if (known == nullptr || batch.cells() != 64) throw std::invalid_argument("spatial nets play othello 8x8");
    return known->states();
}

}  // namespace

void SpatialNets::values(const Batch& batch, const int32_t* members, float* out, Interrupt* interrupt) const {
    const auto& states = othello_states(batch);
    const ByMember sorted(members, batch.length(), members_, kCapacity);
    const auto evaluate = [&](int64_t begin, int64_t end) {
        Work work(*this);
        for (int64_t g = begin; g < end; ++g) {
            Interrupt::check(interrupt);
            const MemberGroup& group = sorted.groups[g];
            work.use(member(group.member));
            for (int i = 0; i < group.count; ++i) {
                const auto& state = states[sorted.order[group.first + i]];
                const bool white_moves = state.mover == kWhite;
                work.add(white_moves ? state.opponent : state.own, white_moves ? state.own : state.opponent);
            }
            work.evaluate();
            for (int i = 0; i < group.count; ++i) out[sorted.order[group.first + i]] = work.value(i);
        }
    };
    parallel_for(static_cast<int64_t>(sorted.groups.size()), 1, evaluate, interrupt);
}

void SpatialNets::prefer(const Batch& batch, const int32_t* members, float* out, Interrupt* interrupt) const {
    const auto& states = othello_states(batch);
    std::fill_n(out, states.size() * 64, -std::numeric_limits<float>::infinity());
    const ByMember sorted(members, batch.length(), members_, kPositionsTogether);
    const auto evaluate = [&](int64_t begin, int64_t end) {
        Work work(*this);
        for (int64_t g = begin; g < end; ++g) {
            Interrupt::check(interrupt);
            const MemberGroup& group = sorted.groups[g];
            const int64_t* positions = sorted.order.data() + group.first;
            work.use(member(group.member));
            int first = 0;  // first position that is not evaluated yet
            const auto flush = [&](int until) {
                work.evaluate();
                int board = 0;
                for (; first < until; ++first) {
                    const auto& state = states[positions[first]];
                    for (uint64_t rest = state.moves; rest != 0; rest &= rest - 1) {
                        const float value = work.value(board++);
                        out[positions[first] * 64 + std::countr_zero(rest)] = state.mover == kWhite ? value : -value;
                    }
                }
            };
            for (int i = 0; i < group.count; ++i) {
                const auto& state = states[positions[i]];
                if (!work.has_room(std::popcount(state.moves))) flush(i);
                work.add_children(state);
            }
            flush(group.count);
        }
    };
    parallel_for(static_cast<int64_t>(sorted.groups.size()), 1, evaluate, interrupt);
}

// A game in progress.
struct SpatialNets::ActiveGame {
    Othello::State state;
    int64_t game;
    int32_t member[2];  // of Black and White
    int ply = 0;
    bool repeats = false;  // same member and same board as the entry before

    int32_t to_move() const { return member[state.mover]; }
    auto view() const { return std::tuple(to_move(), state.mover, state.own, state.opponent); }
};

namespace {

// One of some squares, drawn as choose.cpp does.
uint64_t drawn(uint64_t squares, uint64_t bits) {
    int skip = static_cast<int>(below(bits, static_cast<uint32_t>(std::popcount(squares))));
    for (; skip > 0; --skip) squares &= squares - 1;
    return squares;
}

}  // namespace

void SpatialNets::play_some(const int32_t* black, const int32_t* white, const Othello::State* starts,
                            const uint64_t* keys, int64_t begin, int64_t end, int32_t* scores, int8_t* moves,
                            Interrupt* interrupt) const {
    static const Othello rules(8);
    Work work(*this);
    std::vector<ActiveGame> games;
    for (int64_t game = begin; game < end; ++game) {
        const Othello::State& start = starts != nullptr ? starts[game] : rules.start();
        if (start.over) {
            scores[game] = rules.score(start);
        } else {
            games.push_back({start, game, {black[game], white[game]}});
        }
    }
    std::vector<ActiveGame*> turn;
    const auto make_moves = [&](size_t first, size_t until) {
        Interrupt::check(interrupt);
        work.evaluate();
        int next = 0, chosen;  // `next` is the first board of the next position
        uint64_t best = 0;     // the squares of the highest value
        for (size_t i = first; i < until; ++i) {
            ActiveGame& active = *turn[i];
            if (!active.repeats) {
                best = work.best_moves(active.state, next);
                next += std::popcount(active.state.moves);
            }
            if (keys != nullptr) {
                const auto counter = static_cast<uint64_t>(rules.move_number(active.state));
                chosen = std::countr_zero(drawn(best, draw(keys[active.game], counter)));
            } else {
                chosen = std::countr_zero(best);
            }
            if (moves != nullptr) moves[active.game * 60 + active.ply] = static_cast<int8_t>(chosen);
            ++active.ply;
            rules.play(active.state, chosen);
        }
    };
    while (!games.empty()) {
        // Sorted by member to move, equal boards adjacent: each is evaluated once.
        turn.clear();
        for (ActiveGame& active : games) turn.push_back(&active);
        std::sort(turn.begin(), turn.end(),
                  [](const ActiveGame* a, const ActiveGame* b) { return a->view() < b->view(); });
        size_t first = 0;
        for (size_t i = 0; i < turn.size(); ++i) {
            ActiveGame& active = *turn[i];
            active.repeats = i > first && active.view() == turn[i - 1]->view();
            if (active.repeats) continue;
            if (i > first &&
                (active.to_move() != turn[first]->to_move() || !work.has_room(std::popcount(active.state.moves)))) {
                make_moves(first, i);
                first = i;
            }
            work.use(member(active.to_move()));
            work.add_children(active.state);
        }
        make_moves(first, turn.size());
        std::erase_if(games, [&](const ActiveGame& active) {
            if (active.state.over) scores[active.game] = rules.score(active.state);
            return active.state.over;
        });
    }
}

void SpatialNets::play(const int32_t* black, const int32_t* white, const Batch* starts, const uint64_t* keys, int64_t n,
                       int32_t* scores, int8_t* moves, Interrupt* interrupt) const {
    const auto states = starts != nullptr ? othello_states(*starts) : std::vector<Othello::State>();  // a copy
    if (starts != nullptr && static_cast<int64_t>(states.size()) != n) {
        throw std::invalid_argument("there must be one start position per game");
    }
    const Othello::State* const first_state = starts != nullptr ? states.data() : nullptr;
    if (moves != nullptr) std::fill_n(moves, n * 60, int8_t{-1});
    const int64_t share = (n + thread_count() - 1) / thread_count();
    const int64_t together = std::clamp(share, kMinTogether, kMaxTogether);
    const auto play_blocks = [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * together;
            play_some(black, white, first_state, keys, first, std::min(first + together, n), scores, moves, interrupt);
        }
    };
    parallel_for((n + together - 1) / together, 1, play_blocks, interrupt);
}

void SpatialNets::values(int64_t number, const uint64_t* boards, int count, float* out) const {
    Work work(*this, std::min(count, kCapacity));
    work.use(member(number));
    for (int first = 0; first < count; first += kCapacity) {
        const int here = std::min(kCapacity, count - first);
        for (int i = 0; i < here; ++i) work.add(boards[2 * (first + i)], boards[2 * (first + i) + 1]);
        work.evaluate();
        for (int i = 0; i < here; ++i) out[first + i] = work.value(i);
    }
}

void SpatialMember::values(const int8_t* stones, int cells, const int* movers, int count, float* out) const {
    std::vector<uint64_t> boards(2 * static_cast<size_t>(count));
    for (int i = 0; i < count; ++i, stones += cells) {
        for (int square = 0; square < 64; ++square) {
            boards[2 * i] |= uint64_t{stones[square] > 0} << square;
            boards[2 * i + 1] |= uint64_t{stones[square] < 0} << square;
        }
    }
    nets_.values(0, boards.data(), count, out);
    for (int i = 0; i < count; ++i) out[i] = movers[i] == kWhite ? out[i] : -out[i];
}

}  // namespace zp
