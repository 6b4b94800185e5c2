// Where cells lie in the bit sets of a board, and the board's eight symmetries.
//
// A cell is numbered row by row from the top left: cell = row * size + column. Its bit is row * stride + column.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bits.hpp"

namespace zp {

// Cell that symmetry `k` (0 to 7) moves `cell` to: bit 0 mirrors columns, bit 1 mirrors rows, then bit 2 transposes.
inline int symmetric_cell(int cell, int size, int k) {
    int row = cell / size, column = cell % size;
    if (k & 1) column = size - 1 - column;
    if (k & 2) row = size - 1 - row;
    return k & 4 ? column * size + row : row * size + column;
}

template <int W>
struct Geometry {
    int size, stride, cells;
    Bits<W> board;                                  // all cells
    std::vector<uint16_t> bit_of_cell;              // [cells]
    std::vector<uint16_t> cell_of_bit;              // [64 * W]
    std::array<std::vector<uint16_t>, 8> symmetry;  // bit to bit, [64 * W] each

    Geometry(int size, int stride)
        : size(size), stride(stride), cells(size * size), bit_of_cell(cells), cell_of_bit(64 * W) {
        for (int cell = 0; cell < cells; ++cell) {
            const int bit = cell / size * stride + cell % size;
            bit_of_cell[cell] = static_cast<uint16_t>(bit);
            cell_of_bit[bit] = static_cast<uint16_t>(cell);
            board.set(bit);
        }
        for (int k = 0; k < 8; ++k) {
            symmetry[k].resize(64 * W);
            for (int cell = 0; cell < cells; ++cell) {
                symmetry[k][bit_of_cell[cell]] = bit_of_cell[symmetric_cell(cell, size, k)];
            }
        }
    }

    Bits<W> image(const Bits<W>& set, int k) const {
        Bits<W> result;
        set.for_each([&](int bit) { result.set(symmetry[k][bit]); });
        return result;
    }
};

}  // namespace zp
