// Hex: Black connects the top and the bottom row, White the left and the right column; there are no draws.
//
// A cell has six neighbours: left, right, up, down, up right and down left. With the swap rule White may, as its first
// move, play on Black's only stone: that stone is removed and White gets a stone on its mirror image in the diagonal.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "rules.hpp"

namespace zp {

template <int W>
class Hex {
  public:
    static constexpr int kWords = W;
    using Set = Bits<W>;

    struct State : StateBase {
        int8_t winner = 0;  // 1 Black, -1 White
        uint16_t plies = 0;
        Set stones[2];
        Set reached[2][2];  // by colour: stones connected to its first and to its second edge
    };

    Geometry<W> geometry;

    Hex(int size, bool swap) : geometry(size, size + 1), swap_(swap) {
        for (int i = 0; i < size; ++i) {
            edge_[kBlack][0].set(geometry.bit_of_cell[i]);
            edge_[kBlack][1].set(geometry.bit_of_cell[size * (size - 1) + i]);
            edge_[kWhite][0].set(geometry.bit_of_cell[size * i]);
            edge_[kWhite][1].set(geometry.bit_of_cell[size * i + size - 1]);
        }
    }

    State start() const { return State{}; }

    Set legal(const State& s) const {
        if (s.over) return Set{};
        const Set empty = geometry.board.without(s.stones[kBlack] | s.stones[kWhite]);
        return can_swap(s) ? empty | s.stones[kBlack] : empty;
    }

    void play(State& s, int bit) const {
        if (can_swap(s) && s.stones[kBlack].test(bit)) {
            const int plies = s.plies;
            s = State{};
            s.plies = static_cast<uint16_t>(plies);
            s.mover = kWhite;
            bit = geometry.symmetry[kTransposed][bit];
        }
        s.stones[s.mover].set(bit);
        s.last = static_cast<int16_t>(bit);
        ++s.plies;
        connect(s, s.mover, bit);
        s.mover ^= 1;
    }

    int score(const State& s) const { return s.winner; }
    int move_number(const State& s) const { return s.plies + 1; }

    State make(const Setup<W>& position) const {
        State s;
        s.mover = static_cast<uint8_t>(position.mover);
        int count[2];
        for (const int colour : {kBlack, kWhite}) {
            s.stones[colour] = position.stones[colour];
            count[colour] = s.stones[colour].count();
            for (const int side : {0, 1}) {
                s.reached[colour][side] = flood(s.stones[colour] & edge_[colour][side], s.stones[colour]);
            }
            if ((s.reached[colour][0] & s.reached[colour][1]).any()) s.winner = colour == kBlack ? 1 : -1;
        }
        s.over = s.winner != 0;
        if (s.over && (s.winner > 0) == (s.mover == kBlack)) {
            throw std::invalid_argument("the side to move is already connected");
        }
        // A swap leaves White a stone ahead of the usual count, and is a move that adds no stone.
        const bool swapped = swap_ && count[kWhite] > 0 && count[kWhite] >= count[kBlack] + (s.mover == kBlack);
        s.plies = static_cast<uint16_t>(count[kBlack] + count[kWhite] + swapped);
        return s;
    }

    Setup<W> setup(const State& s) const {
        Setup<W> position;
        position.mover = s.mover;
        position.stones[kBlack] = s.stones[kBlack];
        position.stones[kWhite] = s.stones[kWhite];
        return position;
    }

    // The number of empty cells that a colour must fill to connect its edges; more than the board has if it cannot.
    int distance(const State& s, int colour) const {
        const Set& own = s.stones[colour];
        const Set open = geometry.board.without(s.stones[colour ^ 1]);
        Set seen = flood(own & edge_[colour][0], own);
        Set next = (edge_[colour][0] & open).without(seen);
        for (int filled = 0; filled <= geometry.cells; ++filled) {
            if ((seen & edge_[colour][1]).any()) return filled;
            next = (next | (neighbours(seen) & open)).without(seen);
            if (!next.any()) break;
            seen = flood(seen | next, own | seen | next);
            next = Set{};
        }
        return geometry.cells + 1;
    }

  private:
    static constexpr int kTransposed = 4;  // as numbered in geometry.hpp

    bool can_swap(const State& s) const {
        return swap_ && s.plies == 1 && s.mover == kWhite && s.stones[kBlack].count() == 1;
    }

    Set neighbours(const Set& set) const {
        const int stride = geometry.stride;
        return (set << 1 | set >> 1 | set << stride | set >> stride | set << (stride - 1) | set >> (stride - 1)) &
               geometry.board;
    }

    // All cells of `through` that are connected to `from`, which is part of it.
    Set flood(Set from, const Set& through) const {
        for (;;) {
            const Set grown = from | (neighbours(from) & through);
            if (grown == from) return from;
            from = grown;
        }
    }

    // Notes what the new stone at `bit` connects.
    void connect(State& s, int colour, int bit) const {
        const Set stone = Set::single(bit), around = neighbours(stone);
        for (const int side : {0, 1}) {
            Set& reached = s.reached[colour][side];
            if (edge_[colour][side].test(bit) || (around & reached).any()) {
                reached = reached | flood(stone, s.stones[colour]);
            }
        }
        if (s.reached[colour][0].test(bit) && s.reached[colour][1].test(bit)) {
            s.winner = colour == kBlack ? 1 : -1;
            s.over = true;
        }
    }

    bool swap_;
    Set edge_[2][2];  // by colour: the first and the last row or column
};

}  // namespace zp
