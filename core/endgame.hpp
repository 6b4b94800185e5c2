// Exact endings of Othello on 8x8: the final disc difference with best play, empty squares to the winner.
//
// Principal-variation search with null windows. Close to the end only parity orders the moves; further away a
// transposition table, the opponent's mobility and (if there is one) the pattern evaluation do; stable discs bound the
// score. All scores are seen by the side to move.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "patterns.hpp"

namespace zp {

struct Solution {
    int score = 0;       // disc difference for the side to move
    int move = -1;       // square, or -1 if it has none (a pass or the end)
    uint64_t nodes = 0;  // positions visited
    bool complete = false;
};

class EndgameSolver {
  public:
    // `log2_entries` sizes the transposition table (24 bytes an entry); `evaluation` may be null.
    explicit EndgameSolver(const PatternEvaluation* evaluation, int log2_entries = 20);
    ~EndgameSolver();

    // The score if it lies in (alpha, beta), else a bound beyond; -64 to 64 is exact, -1 to 1 tells win, draw or loss.
    // Nothing is remembered from one call to the next, and of the table 2^log2_entries are used (0: all), so that the
    // answer depends on the position alone. Gives up (complete = false) after `max_nodes` positions or `seconds`, where
    // these are not 0.
    Solution solve(uint64_t own, uint64_t opponent, int alpha = -64, int beta = 64, uint64_t max_nodes = 0,
                   double seconds = 0, int log2_entries = 0);

  private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace zp
