// An 8x8 board under its eight symmetries, by shifts and masks, and which squares lie side by side.
#pragma once

#include <array>
#include <cstdint>

namespace zp {

constexpr uint64_t mirror_rows(uint64_t b) { return __builtin_bswap64(b); }

constexpr uint64_t mirror_columns(uint64_t b) {
    b = (b >> 1 & 0x5555555555555555) | (b & 0x5555555555555555) << 1;
    b = (b >> 2 & 0x3333333333333333) | (b & 0x3333333333333333) << 2;
    return (b >> 4 & 0x0F0F0F0F0F0F0F0F) | (b & 0x0F0F0F0F0F0F0F0F) << 4;
}

constexpr uint64_t transpose(uint64_t b) {
    uint64_t t = (b ^ b >> 7) & 0x00AA00AA00AA00AA;
    b ^= t ^ t << 7;
    t = (b ^ b >> 14) & 0x0000CCCC0000CCCC;
    b ^= t ^ t << 14;
    t = (b ^ b >> 28) & 0x00000000F0F0F0F0;
    return b ^ t ^ t << 28;
}

// The board under symmetry 0 to 7, numbered as in geometry.hpp.
constexpr std::array<uint64_t, 8> images(uint64_t b) {
    std::array<uint64_t, 8> all{};
    all[0] = b;
    all[1] = mirror_columns(b);
    all[2] = mirror_rows(b);
    all[3] = mirror_rows(all[1]);
    for (int k = 0; k < 4; ++k) all[k + 4] = transpose(all[k]);
    return all;
}

// The board under one of them.
constexpr uint64_t board_image(uint64_t b, int symmetry) {
    if (symmetry & 1) b = mirror_columns(b);
    if (symmetry & 2) b = mirror_rows(b);
    return symmetry & 4 ? transpose(b) : b;
}

// The squares beside each square of an 8x8 board.
inline constexpr std::array<uint64_t, 64> kBeside = [] {
    std::array<uint64_t, 64> beside{};
    for (int square = 0; square < 64; ++square) {
        for (int row = square / 8 - 1; row <= square / 8 + 1; ++row) {
            for (int column = square % 8 - 1; column <= square % 8 + 1; ++column) {
                if (row < 0 || row > 7 || column < 0 || column > 7 || row * 8 + column == square) continue;
                beside[square] |= uint64_t{1} << (row * 8 + column);
            }
        }
    }
    return beside;
}();

}  // namespace zp
