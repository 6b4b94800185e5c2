// Search and forced wins over batches, for games with threats to win at once (forcing.hpp).
#pragma once

#include <cstdint>

#include "batch.hpp"
#include "forcing.hpp"

namespace zp {

// The threats that a game has.
enum class ThreatRules : int { kFives, kExactFives, kCaptures };

struct EngineOptions {
    int depth = 1;
    bool all_moves = false;  // a separate score for every move
    ForcingLimits limits;    // per position
};

// Searches every position: preferences[n, cells] of legal moves, -inf elsewhere; scores[n] of the best move, depths[n]
// of the last finished iteration (0 if the move was found without one), nodes[n]. Decided games score as in
// DecidedByTime.
void search_threats(const Batch& batch, ThreatRules rules, const EngineOptions& options, float* preferences,
                    float* scores, int32_t* depths, uint64_t* nodes);

// Looks in every position for a win of the side to move by threats, first by fours or ataris only, then, unless
// `strongest_only`, also by threes: plies[n], 0 if none was found; lines[n, cells], -1 after their end; nodes[n];
// complete[n]: whether all such threats were tried.
void find_forced_wins(const Batch& batch, ThreatRules rules, bool strongest_only, const ForcingLimits& limits,
                      int32_t* plies, int32_t* lines, uint64_t* nodes, uint8_t* complete);

}  // namespace zp
