#include "features.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace zp {
namespace {

constexpr std::array<std::array<int, 2>, 4> kHalf = {{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};  // the four axes of a board

struct Board {
    const uint8_t* seen;
    int size;

    bool on(int row, int column) const { return row >= 0 && row < size && column >= 0 && column < size; }
    int at(int row, int column) const { return seen[row * size + column]; }
};

void fill_liberties(const Board& board, float* out) {
    const int cells = board.size * board.size;
    std::vector<uint8_t> visited(cells), free(cells);
    std::vector<int> chain, liberties;
    for (int start = 0; start < cells; ++start) {
        const int colour = board.seen[start];
        if (colour == 0 || visited[start]) continue;
        chain.assign(1, start);
        liberties.clear();
        visited[start] = 1;
        for (size_t next = 0; next < chain.size(); ++next) {
            const int row = chain[next] / board.size, column = chain[next] % board.size;
            for (const auto& [down, right] :
                 {std::array{0, 1}, std::array{0, -1}, std::array{1, 0}, std::array{-1, 0}}) {
                if (!board.on(row + down, column + right)) continue;
                const int beside = (row + down) * board.size + column + right;
                if (board.seen[beside] == 0 && !free[beside]) {
                    free[beside] = 1;
                    liberties.push_back(beside);
                } else if (board.seen[beside] == colour && !visited[beside]) {
                    visited[beside] = 1;
                    chain.push_back(beside);
                }
            }
        }
        for (const int cell : liberties) free[cell] = 0;
        if (liberties.size() != 1 && liberties.size() != 2) continue;
        float* plane = out + ((colour - 1) * 2 + static_cast<int>(liberties.size()) - 1) * cells;
        for (const int cell : chain) plane[cell] = 1.0f;
    }
}

void fill_lines(const Board& board, float* out) {
    constexpr int kRow = 5;
    const int cells = board.size * board.size;
    for (const auto& [down, right] : kHalf) {
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
        for (const auto& [down, right] : kHalf) {
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
