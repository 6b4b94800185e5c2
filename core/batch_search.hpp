// Search and exact endings over batches, with one interface for every game and evaluation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "batch.hpp"
#include "board_net.hpp"
#include "endgame.hpp"
#include "patterns.hpp"
#include "search.hpp"

namespace zp {

class Evaluation {
  public:
    virtual ~Evaluation() = default;

    // Searches every position of the batch: preferences[n, cells], reports[n], and lines[n, limits.depth], cells and
    // -1, unless it is null. A single position may be searched with a table that is kept between searches; every other
    // one is searched with an empty table, so that its result depends on nothing else.
    virtual void search(const Batch& batch, const SearchLimits& limits, const SearchOptions& options, SearchTable* kept,
                        float* preferences, SearchReport* reports, int16_t* lines) const = 0;

    // Static evaluation for the side to move: values[n]; finished games by their result.
    virtual void values(const Batch& batch, float* values, Interrupt* interrupt) const = 0;
};

std::shared_ptr<Evaluation> make_piece_count();
std::shared_ptr<Evaluation> make_weighted_pieces(std::vector<float> weights);
std::shared_ptr<Evaluation> make_mobility();
std::shared_ptr<Evaluation> make_open_lines();
std::shared_ptr<Evaluation> make_liberties();
std::shared_ptr<Evaluation> make_connection_distance();

// squares: the squares of every tuple (0 to 63, first most significant); tables: the index of its first weight.
std::shared_ptr<Evaluation> make_ntuples(const std::vector<std::vector<int>>& squares, const std::vector<int>& tables,
                                         std::vector<float> weights, bool exchange_colours);

std::shared_ptr<Evaluation> make_iagno(const std::vector<float>& weights);

std::shared_ptr<Evaluation> make_patterns(std::shared_ptr<const PatternEvaluation> tables);

// The evaluation by a value net of any kind and game.
std::shared_ptr<Evaluation> make_net_evaluation(std::shared_ptr<const BoardNet> net);

struct SolveOptions {
    int alpha = -64, beta = 64;
    SolveLimits limits;    // per position
    int log2_entries = 0;  // of the transposition table; 0 chooses by the number of empty squares
};

// Solves every position of a batch of Othello 8x8, several at a time, or a single one on all threads: scores[n] for the
// side to move (empty squares to the winner), moves[n] (cell or -1), nodes[n], complete[n]; score 0 and move -1 where
// not complete. `tables` may be null.
void solve(const Batch& batch, const PatternEvaluation* tables, const SolveOptions& options, int32_t* scores,
           int32_t* moves, uint64_t* nodes, uint8_t* complete);

}  // namespace zp
