// Exact endings of Othello on 8x8: the final disc difference with best play, empty squares to the winner.
//
// Principal-variation search with null windows. The last squares are ordered by parity alone (endgame_last); further
// away a transposition table (endgame_table), the opponent's mobility and, if there is one, the pattern evaluation
// order the moves (endgame_moves); stable discs bound the score; several threads may solve one position (endgame_team).
// All scores are from the point of view of the side to move.
#pragma once

#include <cstdint>
#include <memory>

#include "endgame_team.hpp"
#include "patterns.hpp"

namespace zp {

struct Solution {
    int score = 0;          // disc difference for the side to move; 0 if not complete
    int move = -1;          // square, or -1 if it has none (a pass or the end) or the search is not complete
    uint64_t nodes = 0;     // positions visited
    bool complete = false;  // whether the search finished
};

class EndgameTable;

class EndgameSolver {
  public:
    // `log2_entries` sizes the transposition table (16 bytes times this power of two); `evaluation` may be null.
    explicit EndgameSolver(const PatternEvaluation* evaluation, int log2_entries = 20);
    ~EndgameSolver();

    // The score if it lies in (alpha, beta), else the nearer of the two; -64 to 64 is exact, -1 to 1 gives win, draw or
    // loss. Calls do not share table entries, and 2^log2_entries of the table are used (0: all). Score and move depend
    // on the position alone, whatever the number of threads. A search that reaches a limit returns complete = false;
    // with several threads, the limit of nodes may be exceeded by some thousands.
    Solution solve(uint64_t own, uint64_t opponent, int alpha = -64, int beta = 64, const SolveLimits& limits = {},
                   int log2_entries = 0, int threads = 1);

  private:
    const PatternEvaluation* evaluation_;
    int log2_entries_;
    std::unique_ptr<EndgameTable> local_, table_;  // the latter is made when it is first needed
};

}  // namespace zp
