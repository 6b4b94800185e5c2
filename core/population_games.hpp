// Whole games between members of a population, in lockstep: what arena/populations.py does move by move, for nets
// whose preferences come from the core. The games and their chance are the same.
#pragma once

#include <cstdint>
#include <functional>

#include "batch.hpp"
#include "choose.hpp"
#include "interrupt.hpp"

namespace zp {

// Fills out[n, cells] with the preference of members[i] for every legal move of position i, -inf elsewhere.
using Prefer = std::function<void(const Batch&, const int32_t* members, float* out, Interrupt*)>;

struct PopulationGames {
    const Batch& starts;     // [n]
    const int32_t* black;    // [n]: the member that has Black
    const int32_t* white;    // [n]
    const uint64_t* keys;    // [n]: the chance keys of the games
    double temperature = 0;  // of both sides
    Ties ties = Ties::kRandom;
};

// Plays all games to their end. Fills scores[n], Black's, and lengths[n], the moves after the start positions. Throws
// std::invalid_argument if a preference is NaN or +inf.
void play_population(const Prefer& prefer, const PopulationGames& games, int32_t* scores, int32_t* lengths,
                     Interrupt* interrupt);

}  // namespace zp
