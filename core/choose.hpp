// From preferences to moves: the one way of choosing that all players share.
#pragma once

#include <cstdint>

namespace zp {

enum class Ties : int { kRandom, kLowest };

// preferences[n, cells], -inf where a move is illegal; keys[n] and counters[n] name the draw; moves[n] gets a cell,
// or -1 where every cell is -inf. Temperature 0 takes the highest preference (ties as given); above that the move
// is drawn from the Gibbs distribution exp(preference / temperature). Returns the first row that holds a NaN or
// +inf, or -1.
int64_t choose(const float* preferences, int64_t n, int cells, const uint64_t* keys, const uint64_t* counters,
               double temperature, Ties ties, int32_t* moves);

}  // namespace zp
