// Discs turned by a move on an 8x8 board, found along precomputed rays; the fastest form for search.
#pragma once

#include <array>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "othello.hpp"

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
inline uint64_t united(othello64::Axes axes) {
    const __m128i two = _mm_or_si128(_mm256_castsi256_si128((__m256i)axes), _mm256_extracti128_si256((__m256i)axes, 1));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(two) | _mm_extract_epi64(two, 1));
}
#endif

#if defined(__AVX512VL__) && defined(__AVX512CD__)
inline uint64_t flips_at(uint64_t own, uint64_t opponent, int square) {
    using Axes = othello64::Axes;
    const Axes up = *reinterpret_cast<const Axes*>(kRays.up[square]);
    const Axes down = *reinterpret_cast<const Axes*>(kRays.down[square]);
    // Up: the lowest square of the ray that is not the opponent's closes the line if it is ours.
    const Axes ends = up & ~opponent;
    const Axes closing = ends & -ends & own;
    const Axes turned_up = (closing + (Axes)(closing != 0)) & up;
    // Down: the highest such square.
    const Axes below = down & ~opponent;
    const Axes last = (Axes)_mm256_srlv_epi64(_mm256_set1_epi64x(int64_t{1} << 63), _mm256_lzcnt_epi64((__m256i)below));
    const Axes closing_down = last & own;
    const Axes turned_down = -(closing_down + closing_down) & down;
    return united(turned_up | turned_down);
}
#elif defined(__AVX2__)
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
    return united(turned_up | turned_down);
}
#else
inline uint64_t flips_at(uint64_t own, uint64_t opponent, int square) {
    return othello64::flips(own, opponent, uint64_t{1} << square);
}
#endif

// For the last empty square, with every other square filled. A line through it is packed into eight bits: a row and a
// diagonal by columns, a column by rows.
struct LastFlips {
    uint8_t twice[8][256];      // place in the line, own discs of the line: twice the number turned
    uint64_t diagonals[64][2];  // through a square
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
        for (int i = 0; i < 2; ++i) table.diagonals[square][i] = kRays.up[square][i + 2] | kRays.down[square][i + 2];
    }
    return table;
}();

// Twice the number of discs turned by a move to the last empty square.
inline int last_flips_twice(uint64_t own, int square) {
    constexpr uint64_t kColumn = 0x0101010101010101;
    const auto& table = kLastFlips;
    const int row = square >> 3, column = square & 7;
    return table.twice[column][own >> (square & 56) & 0xFF] +
           table.twice[row][(own >> column & kColumn) * 0x0102040810204080 >> 56] +
           table.twice[column][(own & table.diagonals[square][0]) * kColumn >> 56] +
           table.twice[column][(own & table.diagonals[square][1]) * kColumn >> 56];
}

}  // namespace zp
