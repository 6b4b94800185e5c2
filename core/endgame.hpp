// Exact endings of Othello on 8x8: the final disc difference with best play, empty squares to the winner.
//
// Principal-variation search with null windows. Close to the end only parity orders the moves; further away a
// transposition table, the opponent's mobility and (if there is one) the pattern evaluation do; stable discs bound the
// score. All scores are from the point of view of the side to move.
#pragma once

#include <cstdint>
#include <memory>

#include "interrupt.hpp"
#include "patterns.hpp"

namespace zp {

struct Solution {
    int score = 0;          // disc difference for the side to move; 0 if not complete
    int move = -1;          // square, or -1 if it has none (a pass or the end) or the search is not complete
    uint64_t nodes = 0;     // positions visited
    bool complete = false;  // whether the search finished
};

struct SolveLimits {
    uint64_t nodes = 0;              // 0 is no limit
    double seconds = 0;              // 0 is no limit
    Interrupt* interrupt = nullptr;  // may stop the search with an exception
};

class EndgameSolver {
  public:
    // `log2_entries` sizes the transposition table (24 bytes per entry); `evaluation` may be null.
    explicit EndgameSolver(const PatternEvaluation* evaluation, int log2_entries = 20);
    ~EndgameSolver();

    // The score if it lies in (alpha, beta), else a bound beyond; -64 to 64 is exact, -1 to 1 gives win, draw or loss.
    // Calls do not share table entries, and 2^log2_entries of the table are used (0: all), so that the result depends
    // on the position alone. A search that reaches a limit returns complete = false.
    Solution solve(uint64_t own, uint64_t opponent, int alpha = -64, int beta = 64, const SolveLimits& limits = {},
                   int log2_entries = 0);

  private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace zp
