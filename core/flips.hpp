// Discs turned by a move on an 8x8 board, found along precomputed rays; the fastest form for search.
#pragma once

#include <array>
#include <cstdint>

#include "othello.hpp"
#include "patterns.hpp"

namespace zp {

// The squares in each direction from each square, the nearest first or last by bit order.
struct Rays {
    alignas(32) uint64_t up[64][4];    // towards higher bits: along the row, the column and both diagonals
    alignas(32) uint64_t down[64][4];  // towards lower bits
};

inline constexpr Rays kRays = [] {
    Rays rays{};
    constexpr int columns[4] = {1, 0, -1, 1}, rows[4] = {0, 1, 1, 1};
    for (int square = 0; square < 64; ++square) {
        for (int axis = 0; axis < 4; ++axis) {
            for (const int sign : {1, -1}) {
                uint64_t ray = 0;
                int row = square / 8 + sign * rows[axis], column = square % 8 + sign * columns[axis];
                for (; row >= 0 && row < 8 && column >= 0 && column < 8;
                     row += sign * rows[axis], column += sign * columns[axis]) {
                    ray |= uint64_t{1} << (row * 8 + column);
                }
                (sign > 0 ? rays.up : rays.down)[square][axis] = ray;
            }
        }
    }
    return rays;
}();

#if defined(__AVX2__)
inline uint64_t flips_at(uint64_t own, uint64_t opponent, int square) {
    using Axes = othello64::Axes;
    using Signed = int64_t __attribute__((vector_size(32)));
    const Axes up = *reinterpret_cast<const Axes*>(kRays.up[square]);
    const Axes down = *reinterpret_cast<const Axes*>(kRays.down[square]);
    const Axes step = {1, 8, 7, 9};
    // Up: the lowest square of the ray that is not the opponent's closes the line if it is ours.
    const Axes ends = up & ~opponent;
    const Axes closing = ends & -ends & own;
    const Axes turned_up = (closing + (Axes)(closing != 0)) & up;
    // Down: our highest square of the ray closes the line if no empty square stands above it.
    const Axes mine = down & own;
    const Axes empty = (down & ~opponent) ^ mine;
    Axes shadow = mine | mine >> step;
    shadow |= shadow >> 2 * step;
    shadow |= shadow >> 4 * step;
    const Axes turned_down = down & ~shadow & (Axes)((Signed)mine > (Signed)empty);
    const Axes all = turned_up | turned_down;
    return all[0] | all[1] | all[2] | all[3];
}
#else
inline uint64_t flips_at(uint64_t own, uint64_t opponent, int square) {
    return othello64::flips(own, opponent, uint64_t{1} << square);
}
#endif

// For the last empty square, with every other square filled: a disc more or less on the board in each line through it.
struct LastFlips {
    uint8_t twice[8][256];  // place in the line, own discs of the line: twice the number turned
    uint64_t lines[64][3];  // column and diagonals through a square
    uint8_t place[64][3];   // of the square in them
};

inline constexpr LastFlips kLastFlips = [] {
    LastFlips table{};
    for (int place = 0; place < 8; ++place) {
        for (int own = 0; own < 256; ++own) {
            int turned = 0;
            for (const int step : {1, -1}) {
                int run = 0, at = place + step;
                while (at >= 0 && at < 8 && !(own >> at & 1)) ++run, at += step;
                if (at >= 0 && at < 8) turned += run;
            }
            table.twice[place][own] = static_cast<uint8_t>(2 * turned);
        }
    }
    for (int square = 0; square < 64; ++square) {
        for (int line = 0; line < 3; ++line) {
            const uint64_t below = kRays.down[square][line + 1];
            table.lines[square][line] = kRays.up[square][line + 1] | below | uint64_t{1} << square;
            int place = 0;
            for (uint64_t rest = below; rest != 0; rest &= rest - 1) ++place;
            table.place[square][line] = static_cast<uint8_t>(place);
        }
    }
    return table;
}();

// Twice the number of discs turned by a move to the last empty square.
inline int last_flips_twice(uint64_t own, int square) {
    const auto& table = kLastFlips;
    int total = table.twice[square & 7][own >> (square & 56) & 0xFF];
    for (int line = 0; line < 3; ++line) {
        total += table.twice[table.place[square][line]][extract(own, table.lines[square][line])];
    }
    return total;
}

}  // namespace zp
