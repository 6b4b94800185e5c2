// The last empty squares of exact endings: null-window searches without a table, in which parity alone orders the
// moves. Most of the time of a search is spent here.
#pragma once

#include <cstdint>

namespace zp {

// The most empty squares that are solved here.
inline constexpr int kLastSquares = 7;

inline constexpr uint64_t kCorners = 0x8100000000000081;

// The quadrant of each square; by parity, moves into a quadrant with an odd number of empty squares are better.
constexpr uint64_t quadrant_of(int square) { return uint64_t{0x0F0F0F0F} << ((square & 4) | (square & 32)); }

// The quadrants that have an odd number of empty squares.
uint64_t odd_quadrants(uint64_t empty);

// The score of a finished game: empty squares go to the winner.
int final_score(uint64_t own, uint64_t opponent);

// The opponent's stable discs are counted only if alpha is at least this, by number of empty squares.
constexpr int stability_threshold(int empties) { return empties < 9 ? 30 : empties < 13 ? 20 : empties < 17 ? 8 : -8; }

// Thrown where the limit of nodes is reached.
struct NodesSpent {};

// Positions visited, except those with one empty square. Endings of four empty squares are always finished.
struct NodeCount {
    uint64_t nodes = 0, max = ~uint64_t{0};

    void add() {
        if (++nodes > max) throw NodesSpent{};
    }
};

// An upper bound on the score if that is alpha or less, else a lower bound above alpha. `odd`: the odd quadrants.
int solve_last(uint64_t own, uint64_t opponent, int alpha, int empties, uint64_t odd, NodeCount& count);

}  // namespace zp
