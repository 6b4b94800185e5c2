// The order in which the solver tries moves, and the shallow searches of the pattern evaluation that judge them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "endgame_table.hpp"
#include "endgame_team.hpp"
#include "patterns.hpp"
#include "transposition_table.hpp"

namespace zp {

// The value of a game that ends with a wipe-out in pattern searches, which are in 1/128 disc. It is far above 64 discs:
// where one side is nearly wiped out, evaluations exceed 64, and only their differences show the way to the wipe-out.
inline constexpr int kWipeout = 250 * 128;

// An upper bound on the score by the opponent's stable discs, or 64 where counting them does not pay.
int stability_bound(uint64_t own, uint64_t opponent, int alpha, int empties);

// Alpha-beta search of the pattern evaluation to a fixed depth.
class PatternSearch {
  public:
    PatternSearch(const PatternEvaluation& evaluation, Watch& watch) : evaluation_(evaluation), watch_(watch) {}

    // Without a table, for the order of moves.
    int shallow(uint64_t own, uint64_t opponent, const PatternTrace& trace, int alpha, int beta, int depth);

    struct RootMove {
        int square, value;
    };

    // All moves, best first, by iterative deepening to `depth`. It ends early if the best value is that of a wipe-out,
    // which is then certain.
    std::vector<RootMove> root(uint64_t own, uint64_t opponent, int depth);

  private:
    struct Entry {
        uint64_t own, opponent;
        int16_t low, high;
        int8_t depth, move;
        uint32_t generation;
    };

    int deep(uint64_t own, uint64_t opponent, const PatternTrace& trace, int alpha, int beta, int depth, bool passed);
    static int leaf(int value) { return std::clamp(value, 1 - kWipeout, kWipeout - 1); }

    const PatternEvaluation& evaluation_;
    Watch& watch_;
    TranspositionTable<Entry>* table_ = nullptr;
    int shift_ = 0;
};

// Ranks the moves of a position with `empties` empty squares: a move that wipes the opponent out, that of the table,
// then by the opponent's mobility, parity and, with enough empty squares, the evaluation. `search` may be null.
void list_moves(uint64_t own, uint64_t opponent, uint64_t moves, int empties, uint64_t odd, int table_move,
                PatternSearch* search, MoveList& list);

}  // namespace zp
