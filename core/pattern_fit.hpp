// Fitting the tables of the pattern evaluation to positions with known or estimated results: ridge regression, solved
// by conjugate gradients.
#pragma once

#include <cstdint>
#include <span>

#include "interrupt.hpp"

namespace zp {

// What is assumed about the tables before any position is seen: every weight is small, entries that differ in few cells
// and the same entry at neighbouring stages are alike.
struct PatternPrior {
    float ridge = 1;      // pull towards zero: variance of the noise over that of a weight
    float cells = 0.7f;   // correlation of two entries of a table that differ in one cell
    float stages = 0.9f;  // correlation of an entry and the same entry at the next stage
};

// Boards seen by the side to move, and the disc difference it can expect. Right after a random move the side to move
// is better off than the board shows to an evaluation that expects good moves: such positions, the wild ones, have
// constant terms of their own, so that they teach what patterns are worth without shifting the others.
struct PatternExamples {
    const uint64_t* own;
    const uint64_t* opponent;
    const float* target;
    const uint8_t* wild;
    int64_t n;
};

// The number of independent numbers that make the weights of so many stages.
int64_t pattern_parameters(int stages);

// Least squares with this prior. plies[stages] as PatternEvaluation has them. white[pattern_parameters(stages)]: where
// the fit starts, all 0 for the prior's mean, and where it ends; stages and constant terms from ply `end` on are not
// changed. weights[stages, kPatternWeights] and bias[61], that of
// quiet positions, in discs get the result. Returns the root mean square error on these positions. The result does not
// depend on the number of threads.
double fit_patterns(const PatternExamples& examples, std::span<const int32_t> plies, const PatternPrior& prior,
                    int iterations, int end, float* white, float* weights, float* bias, Interrupt* interrupt);

}  // namespace zp
