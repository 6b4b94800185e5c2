#include "features.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace zp {
namespace {

constexpr int kMostCells = 20 * 20;
constexpr std::array<std::array<int, 2>, 4> kAxes = {{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};

struct Board {
    const uint8_t* seen;
    int size;

    bool on(int row, int column) const { return row >= 0 && row < size && column >= 0 && column < size; }
    int at(int row, int column) const { return seen[row * size + column]; }
};

void fill_liberties(const Board& board, float* out) {
    const int cells = board.size * board.size;
    std::array<int16_t, kMostCells> chain_of{}, liberty_of{};  // numbers of chains, from 1
    std::array<int16_t, kMostCells> chain;
    int number = 0;
    for (int start = 0; start < cells; ++start) {
        const int colour = board.seen[start];
        if (colour == 0 || chain_of[start] != 0) continue;
        ++number;
        int length = 0, liberties = 0;
        const auto visit = [&](int cell) {
            if (board.seen[cell] == 0) {
                liberties += liberty_of[cell] != number;
                liberty_of[cell] = static_cast<int16_t>(number);
            } else if (board.seen[cell] == colour && chain_of[cell] == 0) {
                chain_of[cell] = static_cast<int16_t>(number);
                chain[length++] = static_cast<int16_t>(cell);
            }
        };
        visit(start);
        for (int next = 0; next < length; ++next) {
            const int cell = chain[next], column = cell % board.size;
            if (cell >= board.size) visit(cell - board.size);
            if (cell + board.size < cells) visit(cell + board.size);
            if (column > 0) visit(cell - 1);
            if (column < board.size - 1) visit(cell + 1);
        }
        if (liberties != 1 && liberties != 2) continue;
        float* plane = out + ((colour - 1) * 2 + liberties - 1) * cells;
        for (int i = 0; i < length; ++i) plane[chain[i]] = 1.0f;
    }
}

void fill_lines(const Board& board, float* out) {
    constexpr int kRow = 5;
    const int cells = board.size * board.size;
    for (const auto& [down, right] : kAxes) {
        for (int start = 0; start < cells; ++start) {
            const int row = start / board.size, column = start % board.size;
            if (!board.on(row + (kRow - 1) * down, column + (kRow - 1) * right)) continue;
            int stones[3] = {};
            for (int i = 0; i < kRow; ++i) ++stones[board.at(row + i * down, column + i * right)];
            for (const int colour : {1, 2}) {
                if (stones[3 - colour] > 0) continue;
                const float share = static_cast<float>(stones[colour]) / kRow;
                for (int i = 0; i < kRow; ++i) {
                    float& best = out[(colour - 1) * cells + (row + i * down) * board.size + column + i * right];
                    best = std::max(best, share);
                }
            }
        }
    }
}

void fill_moves(const Board& board, float* out) {
    const int cells = board.size * board.size;
    for (int cell = 0; cell < cells; ++cell) {
        if (board.seen[cell] != 0) continue;
        for (const auto& [down, right] : kAxes) {
            for (const int sign : {1, -1}) {
                int row = cell / board.size + sign * down, column = cell % board.size + sign * right;
                if (!board.on(row, column)) continue;
                const int turned = board.at(row, column);
                if (turned == 0) continue;
                while (board.on(row, column) && board.at(row, column) == turned) {
                    row += sign * down;
                    column += sign * right;
                }
                if (board.on(row, column) && board.at(row, column) != 0) out[(2 - turned) * cells + cell] = 1.0f;
            }
        }
    }
}

}  // namespace

int feature_planes(Features kind) {
    switch (kind) {
        case Features::kNone:
            return 0;
        case Features::kLiberties:
            return 4;
        case Features::kLines:
        case Features::kMoves:
            return 2;
    }
    throw std::invalid_argument("no such features");
}

void fill_features(Features kind, const uint8_t* seen, int size, float* out) {
    std::fill_n(out, feature_planes(kind) * size * size, 0.0f);
    const Board board{seen, size};
    if (kind == Features::kLiberties) fill_liberties(board, out);
    if (kind == Features::kLines) fill_lines(board, out);
    if (kind == Features::kMoves) fill_moves(board, out);
}

}  // namespace zp
