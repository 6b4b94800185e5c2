// Learning the tables of an n-tuple player by self-play: temporal differences, and games between many sets of weights.
//
// A player looks one ply ahead and values each board for the side that has just moved, whose discs count as Black's
// (the `exchange` way of the .player files). What is learned is the sum; learning squashes it by tanh to [-1, 1],
// which changes no choice of moves.
#pragma once

#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace zp {

// Which squares every copy of every tuple looks at and where its weights begin; copies may share a table.
class TupleShape {
  public:
    // squares[copies][length]: 0 to 63, the first the most significant; tables[copies].
    TupleShape(const std::vector<std::vector<int>>& squares, const std::vector<int>& tables);

    int64_t weights() const { return weights_; }

    // The sum of the weights named, in steps of 2^-20, so that symmetric boards are equal whatever the order of adding.
    double value(const float* weights, uint64_t own, uint64_t opponent) const;

    // Adds `change` to every weight that a copy names on a board, once for each copy.
    void add(float* weights, uint64_t own, uint64_t opponent, float change) const;

  private:
    static constexpr int kBlock = 64;

    // Up to kBlock copies of one length.
    struct Block {
        int length = 0, copies = 0;
        std::vector<int32_t> squares;  // [length, kBlock]
        int32_t tables[kBlock] = {};
    };

    // Calls visit(entries, n) for each block with the entries of the weights that its copies name on a board.
    template <class F>
    void each_block(uint64_t own, uint64_t opponent, F&& visit) const;

    std::vector<Block> blocks_;
    int64_t weights_ = 0;
};

struct TdSettings {
    float rate = 0.01f;    // step size for each weight
    float epsilon = 0.1f;  // share of random moves
    float lambda = 0;      // 0 learns from the next board only, 1 from the result only
    int plies = 0;         // random moves at the start of each game
};

// One batch of self-play: games [first, first + games) are played in parallel by the weights as they are; then the
// weights learn from game after game. Chance is keyed by `key` and the number of the game. Returns the sum of squared
// errors and the number of boards learned from.
struct TdReport {
    double squared_error = 0;
    int64_t boards = 0;
};
TdReport td_self_play(const TupleShape& shape, float* weights, uint64_t key, int64_t first, int64_t games,
                      const TdSettings& settings, Interrupt* interrupt);

// Games between members of a population. weights[members, shape.weights()]; black[n] and white[n] name members;
// the first `plies` moves are random and keyed by openings[n], ties between moves by keys[n]. results[n]: 1 if Black
// won, 0 drawn, -1 lost.
void play_ntuple_games(const TupleShape& shape, const float* weights, const int32_t* black, const int32_t* white,
                       const uint64_t* openings, const uint64_t* keys, int plies, int64_t n, int8_t* results,
                       Interrupt* interrupt);

}  // namespace zp
