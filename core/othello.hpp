// Othello on boards of even size: bitboards of one word up to 8x8, of several words above.
//
// Own and opposing discs are kept from the side to move's point of view, together with its legal moves, so the
// end of the game and forced passes are known as soon as a move is made. Moves and flips are found by
// parallel-prefix fills (Kogge-Stone): each direction is filled through opposing discs in three doubling steps.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "interrupt.hpp"
#include "rules.hpp"

namespace zp {

namespace othello64 {

// The four axes of the board: along the row, the column and both diagonals. Discs on the outer columns cannot be
// passed sideways.
inline constexpr uint64_t kInner = 0x7E7E7E7E7E7E7E7E;
inline constexpr uint64_t kAny = ~uint64_t{0};

#if defined(__AVX2__)
// All four at a time, one in each lane.
using Axes = uint64_t __attribute__((vector_size(32)));

template <class F>
uint64_t over_axes(F&& along) {
    const Axes all = along(Axes{1, 8, 7, 9}, Axes{kInner, kAny, kInner, kInner});
    return all[0] | all[1] | all[2] | all[3];
}
inline Axes nonzero(Axes x) { return (Axes)(x != 0); }
#else
using Axes = uint64_t;

template <class F>
uint64_t over_axes(F&& along) {
    return along(Axes{1}, kInner) | along(Axes{8}, kAny) | along(Axes{7}, kInner) | along(Axes{9}, kInner);
}
inline Axes nonzero(Axes x) { return x != 0 ? kAny : 0; }
#endif

// Opposing discs reached from `from` in an unbroken line, towards higher and towards lower bits.
struct Fill {
    Axes up, down;
};

inline Fill fill(uint64_t from, uint64_t opponent, Axes step, Axes passable) {
    const Axes open = opponent & passable;
    const Axes open_up = open & (open << step);
    const Axes open_down = open_up >> step;
    const Axes start = Axes{} | from;
    const Axes two = step + step;
    Axes up = open & (start << step);
    Axes down = open & (start >> step);
    up |= open & (up << step);
    down |= open & (down >> step);
    up |= open_up & (up << two);
    down |= open_down & (down >> two);
    up |= open_up & (up << two);
    down |= open_down & (down >> two);
    return {up, down};
}

inline uint64_t legal(uint64_t own, uint64_t opponent, uint64_t board) {
    const uint64_t reached = over_axes([&](Axes step, Axes passable) {
        const auto [up, down] = fill(own, opponent, step, passable);
        return (up << step) | (down >> step);
    });
    return reached & board & ~(own | opponent);
}

// Discs turned by a move to `square` (a single bit).
inline uint64_t flips(uint64_t own, uint64_t opponent, uint64_t square) {
    return over_axes([&](Axes step, Axes passable) {
        const auto [up, down] = fill(square, opponent, step, passable);
        return (up & nonzero(own & (up << step))) | (down & nonzero(own & (down >> step)));
    });
}

// Number of move sequences of exactly `depth` plies; a pass is a ply.
inline uint64_t perft(uint64_t own, uint64_t opponent, uint64_t board, int depth, Interrupt* interrupt) {
    if (depth > 4) Interrupt::check(interrupt);
    const uint64_t moves = legal(own, opponent, board);
    if (moves == 0) {
        if (legal(opponent, own, board) == 0) return 1;  // over: the game itself is one sequence
        return depth == 1 ? 1 : perft(opponent, own, board, depth - 1, interrupt);
    }
    if (depth == 1) return std::popcount(moves);
    uint64_t total = 0;
    for (uint64_t rest = moves; rest != 0; rest &= rest - 1) {
        const uint64_t square = rest & -rest;
        const uint64_t turned = flips(own, opponent, square);
        total += perft(opponent ^ turned, own ^ turned ^ square, board, depth - 1, interrupt);
    }
    return total;
}

}  // namespace othello64

// Sizes 4, 6 and 8, in the top left corner of an 8x8 board.
class Othello {
  public:
    static constexpr int kWords = 1;
    using Set = Bits<1>;

    struct State : StateBase {
        uint64_t own, opponent;
        uint64_t moves;
    };

    Geometry<1> geometry;

    explicit Othello(int size) : geometry(size, 8), board_(geometry.board.word[0]) {}

    State start() const {
        const int low = geometry.size / 2 - 1;
        const auto square = [&](int row, int column) { return uint64_t{1} << (row * 8 + column); };
        Setup<1> position;
        position.stones[kWhite].word[0] = square(low, low) | square(low + 1, low + 1);
        position.stones[kBlack].word[0] = square(low, low + 1) | square(low + 1, low);
        return make(position);
    }

    Set legal(const State& s) const { return Set{{s.moves}}; }

    void play(State& s, int bit) const {
        const uint64_t square = uint64_t{1} << bit;
        const uint64_t turned = othello64::flips(s.own, s.opponent, square);
        const uint64_t own = s.own ^ turned ^ square;
        s.own = s.opponent ^ turned;
        s.opponent = own;
        s.mover ^= 1;
        s.passed = false;
        s.last = static_cast<int16_t>(bit);
        find_moves(s);
    }

    int score(const State& s) const {
        const int difference = std::popcount(s.own) - std::popcount(s.opponent);
        return s.mover == kBlack ? difference : -difference;
    }

    int move_number(const State& s) const { return std::popcount(s.own | s.opponent) - 3; }

    State make(const Setup<1>& position) const {
        State s;
        s.mover = static_cast<uint8_t>(position.mover);
        s.own = position.stones[position.mover].word[0];
        s.opponent = position.stones[position.mover ^ 1].word[0];
        find_moves(s);
        return s;
    }

    Setup<1> setup(const State& s) const {
        Setup<1> position;
        position.mover = s.mover;
        position.stones[s.mover].word[0] = s.own;
        position.stones[s.mover ^ 1].word[0] = s.opponent;
        return position;
    }

    // Tells positions apart like `hash`, faster.
    uint64_t key(const State& s) const { return mix(mix(s.own + s.mover * kGolden) ^ s.opponent * kGolden); }

    uint64_t perft(const State& s, int depth, Interrupt* interrupt) const {
        return othello64::perft(s.own, s.opponent, board_, depth, interrupt);
    }

  private:
    void find_moves(State& s) const {
        s.moves = othello64::legal(s.own, s.opponent, board_);
        if (s.moves != 0) return;
        s.moves = othello64::legal(s.opponent, s.own, board_);
        if (s.moves == 0) {
            s.over = true;
        } else {
            std::swap(s.own, s.opponent);
            s.mover ^= 1;
            s.passed = true;
        }
    }

    uint64_t board_;
};

// Sizes 10 to 16, direction by direction over bit sets of several words.
template <int W>
class LargeOthello {
  public:
    static constexpr int kWords = W;
    using Set = Bits<W>;

    struct State : StateBase {
        Set own, opponent, moves;
    };

    Geometry<W> geometry;

    explicit LargeOthello(int size) : geometry(size, size + 1) {}

    State start() const {
        const int low = geometry.size / 2 - 1;
        const auto bit = [&](int row, int column) { return row * geometry.stride + column; };
        Setup<W> position;
        position.stones[kWhite].set(bit(low, low));
        position.stones[kWhite].set(bit(low + 1, low + 1));
        position.stones[kBlack].set(bit(low, low + 1));
        position.stones[kBlack].set(bit(low + 1, low));
        return make(position);
    }

    Set legal(const State& s) const { return s.moves; }

    void play(State& s, int bit) const {
        const Set square = Set::single(bit);
        const Set turned = flips(s.own, s.opponent, square);
        const Set own = s.own | turned | square;
        s.own = s.opponent.without(turned);
        s.opponent = own;
        s.mover ^= 1;
        s.passed = false;
        s.last = static_cast<int16_t>(bit);
        find_moves(s);
    }

    int score(const State& s) const {
        const int difference = s.own.count() - s.opponent.count();
        return s.mover == kBlack ? difference : -difference;
    }

    int move_number(const State& s) const { return (s.own | s.opponent).count() - 3; }

    State make(const Setup<W>& position) const {
        State s;
        s.mover = static_cast<uint8_t>(position.mover);
        s.own = position.stones[position.mover];
        s.opponent = position.stones[position.mover ^ 1];
        find_moves(s);
        return s;
    }

    Setup<W> setup(const State& s) const {
        Setup<W> position;
        position.mover = s.mover;
        position.stones[s.mover] = s.own;
        position.stones[s.mover ^ 1] = s.opponent;
        return position;
    }

    uint64_t perft(const State& s, int depth, Interrupt* interrupt) const {
        return perft(s.own, s.opponent, depth, interrupt);
    }

  private:
    // Calls visit(shift) for the eight directions, where shift(set) moves a set by one cell.
    template <class F>
    void each_direction(F&& visit) const {
        for (const int step : {1, geometry.stride - 1, geometry.stride, geometry.stride + 1}) {
            visit([step](const Set& set) { return set << step; });
            visit([step](const Set& set) { return set >> step; });
        }
    }

    Set legal_moves(const Set& own, const Set& opponent) const {
        const Set empty = geometry.board.without(own | opponent);
        Set moves;
        each_direction([&](auto shift) {
            for (Set line = shift(own) & opponent; line.any(); line = line & opponent) {
                line = shift(line);
                moves = moves | (line & empty);
            }
        });
        return moves;
    }

    Set flips(const Set& own, const Set& opponent, const Set& square) const {
        Set turned;
        each_direction([&](auto shift) {
            Set passed;
            Set at = shift(square);
            for (; (at & opponent).any(); at = shift(at)) passed = passed | at;
            if ((at & own).any()) turned = turned | passed;
        });
        return turned;
    }

    void find_moves(State& s) const {
        s.moves = legal_moves(s.own, s.opponent);
        if (s.moves.any()) return;
        s.moves = legal_moves(s.opponent, s.own);
        if (s.moves.any()) {
            std::swap(s.own, s.opponent);
            s.mover ^= 1;
            s.passed = true;
        } else {
            s.over = true;
        }
    }

    uint64_t perft(const Set& own, const Set& opponent, int depth, Interrupt* interrupt) const {
        if (depth > 4) Interrupt::check(interrupt);
        const Set moves = legal_moves(own, opponent);
        if (!moves.any()) {
            if (!legal_moves(opponent, own).any()) return 1;
            return depth == 1 ? 1 : perft(opponent, own, depth - 1, interrupt);
        }
        if (depth == 1) return moves.count();
        uint64_t total = 0;
        moves.for_each([&](int bit) {
            const Set square = Set::single(bit);
            const Set turned = flips(own, opponent, square);
            total += perft(opponent.without(turned), own | turned | square, depth - 1, interrupt);
        });
        return total;
    }
};

}  // namespace zp
