#include "stability.hpp"

#include <array>

namespace zp {
namespace {

// Stable discs of one edge, by its own and opposing discs: those that no sequence of moves on the edge alone can turn.
using EdgeTable = std::array<std::array<uint8_t, 256>, 256>;

int edge_stable(const EdgeTable& done, int own, int opponent) {
    int stable = own;
    for (int square = 0; square < 8; ++square) {
        const int bit = 1 << square;
        if ((own | opponent) & bit) continue;
        for (const bool mine : {true, false}) {
            // Either side may play here, whether it turns anything or not.
            const int mover = (mine ? own : opponent), other = (mine ? opponent : own);
            int turned = 0;
            for (const int step : {1, -1}) {
                int run = 0, at = square + step;
                while (at >= 0 && at < 8 && other >> at & 1) run |= 1 << at, at += step;
                if (at >= 0 && at < 8 && mover >> at & 1) turned |= run;
            }
            const int after_mover = mover | bit | turned, after_other = other & ~turned;
            stable &= mine ? done[after_mover][after_other] | ~own : done[after_other][after_mover];
        }
    }
    return stable & own;
}

const EdgeTable& edge_table() {
    static const EdgeTable table = [] {
        EdgeTable result{};
        // Fuller edges first: a move leads to one of them.
        for (int discs = 8; discs >= 0; --discs) {
            for (int own = 0; own < 256; ++own) {
                for (int opponent = 0; opponent < 256; ++opponent) {
                    if (own & opponent || __builtin_popcount(own | opponent) != discs) continue;
                    result[own][opponent] = static_cast<uint8_t>(edge_stable(result, own, opponent));
                }
            }
        }
        return result;
    }();
    return table;
}

constexpr uint64_t kLeft = 0x0101010101010101, kRight = 0x8080808080808080;

// The discs on the left column, packed, and back.
int packed(uint64_t board) { return static_cast<int>((board & kLeft) * 0x0102040810204080 >> 56); }
uint64_t column(uint64_t bits) { return bits * 0x0002040810204081 & kLeft; }

// Squares whose line in one direction is full.
struct FullLines {
    uint64_t rows, columns, diagonals7, diagonals9;
};

FullLines full_lines(uint64_t discs) {
    FullLines full;
    uint64_t rows = discs;
    rows &= rows >> 1;
    rows &= rows >> 2;
    rows &= rows >> 4;
    full.rows = (rows & kLeft) * 0xFF;
    uint64_t columns = discs;
    columns &= columns >> 8 | columns << 56;
    columns &= columns >> 16 | columns << 48;
    columns &= columns >> 32 | columns << 32;
    full.columns = columns;
    // Along diagonals: an empty square spoils all squares of its diagonal.
    constexpr uint64_t from1 = ~kLeft, from2 = from1 & from1 << 1, from4 = 0xF0F0F0F0F0F0F0F0;
    constexpr uint64_t to6 = ~kRight, to5 = to6 & to6 >> 1, to3 = 0x0F0F0F0F0F0F0F0F;
    uint64_t up = ~discs, down = ~discs;
    up |= (up & from1) << 7, down |= (down & to6) >> 7;
    up |= (up & from2) << 14, down |= (down & to5) >> 14;
    up |= (up & from4) << 28, down |= (down & to3) >> 28;
    full.diagonals7 = ~(up | down);
    up = down = ~discs;
    up |= (up & to6) << 9, down |= (down & from1) >> 9;
    up |= (up & to5) << 18, down |= (down & from2) >> 18;
    up |= (up & to3) << 36, down |= (down & from4) >> 36;
    full.diagonals9 = ~(up | down);
    return full;
}

}  // namespace

uint64_t stable_discs(uint64_t own, uint64_t opponent) {
    const EdgeTable& edges = edge_table();
    uint64_t stable =
        edges[own & 0xFF][opponent & 0xFF] | static_cast<uint64_t>(edges[own >> 56][opponent >> 56]) << 56 |
        column(edges[packed(own)][packed(opponent)]) | column(edges[packed(own >> 7)][packed(opponent >> 7)]) << 7;
    const FullLines full = full_lines(own | opponent);
    stable |= own & full.rows & full.columns & full.diagonals7 & full.diagonals9;
    // A disc is stable if in every direction its line is full, or ends at the border, or leans on a stable disc.
    constexpr uint64_t kInner = 0x007E7E7E7E7E7E00;
    for (uint64_t before = 0; before != stable;) {
        before = stable;
        const uint64_t rows = stable >> 1 | stable << 1 | full.rows;
        const uint64_t columns = stable >> 8 | stable << 8 | full.columns;
        const uint64_t diagonals7 = stable >> 7 | stable << 7 | full.diagonals7;
        const uint64_t diagonals9 = stable >> 9 | stable << 9 | full.diagonals9;
        stable |= rows & columns & diagonals7 & diagonals9 & own & kInner;
    }
    return stable;
}

}  // namespace zp
