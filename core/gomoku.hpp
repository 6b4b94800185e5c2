// Gomoku: the first to have five stones in a row wins; a full board is a draw.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>

#include "rules.hpp"

namespace zp {

template <int W>
class Gomoku {
  public:
    static constexpr int kWords = W;
    using Set = Bits<W>;

    struct State : StateBase {
        int8_t winner = 0;  // 1 Black, -1 White
        uint16_t plies = 0;
        Set stones[2];
    };

    Geometry<W> geometry;
    std::array<int, 4> steps;        // the directions of rows, as differences of bits
    std::array<Set, 4> five_starts;  // by direction: the first cells of five cells in a row on the board

    // With `exactly_five`, six or more in a row do not win.
    Gomoku(int size, bool exactly_five)
        : geometry(size, size + 1),
          steps{1, geometry.stride, geometry.stride + 1, geometry.stride - 1},
          exactly_five_(exactly_five) {
        for (int d = 0; d < 4; ++d) {
            Set ahead = geometry.board;
            five_starts[d] = ahead;
            for (int i = 1; i < 5; ++i) {
                ahead = ahead >> steps[d];
                five_starts[d] = five_starts[d] & ahead;
            }
        }
    }

    State start() const { return State{}; }

    Set legal(const State& s) const {
        return s.over ? Set{} : geometry.board.without(s.stones[kBlack] | s.stones[kWhite]);
    }

    void play(State& s, int bit) const {
        Set& own = s.stones[s.mover];
        own.set(bit);
        s.last = static_cast<int16_t>(bit);
        ++s.plies;
        if (makes_five(own, bit)) {
            s.winner = s.mover == kBlack ? 1 : -1;
            s.over = true;
        } else if (s.plies == geometry.cells) {
            s.over = true;
        }
        s.mover ^= 1;
    }

    int score(const State& s) const { return s.winner; }
    int move_number(const State& s) const { return s.plies + 1; }

    State make(const Setup<W>& position) const {
        State s;
        s.mover = static_cast<uint8_t>(position.mover);
        bool five[2] = {};
        for (const int colour : {kBlack, kWhite}) {
            s.stones[colour] = position.stones[colour];
            s.stones[colour].for_each([&](int bit) { five[colour] |= makes_five(s.stones[colour], bit); });
        }
        if (five[position.mover]) {
            throw std::invalid_argument("the side to move already has five in a row");
        }
        s.plies = static_cast<uint16_t>((s.stones[kBlack] | s.stones[kWhite]).count());
        s.winner = five[kBlack] ? 1 : five[kWhite] ? -1 : 0;
        s.over = s.winner != 0 || s.plies == geometry.cells;
        return s;
    }

    Setup<W> setup(const State& s) const {
        Setup<W> position;
        position.mover = s.mover;
        position.stones[kBlack] = s.stones[kBlack];
        position.stones[kWhite] = s.stones[kWhite];
        return position;
    }

    // Is the stone at `bit` part of a winning row of `own`?
    bool makes_five(const Set& own, int bit) const {
        for (const int step : steps) {
            const int row = 1 + run(own, bit, step) + run(own, bit, -step);
            if (exactly_five_ ? row == 5 : row >= 5) return true;
        }
        return false;
    }

  private:
    static int run(const Set& own, int bit, int step) {
        int length = 0;
        for (int at = bit + step; at >= 0 && at < 64 * W && own.test(at); at += step) ++length;
        return length;
    }

    bool exactly_five_;
};

}  // namespace zp
