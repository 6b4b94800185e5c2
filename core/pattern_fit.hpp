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

// Least squares with this prior. own[n], opponent[n]: boards seen by the side to move; target[n]: disc difference for
// it; plies[stages] as PatternEvaluation has them. weights[stages, kPatternWeights] and bias[61] in discs get the
// result. Returns the root mean square error on these positions. The result does not depend on the number of threads.
double fit_patterns(const uint64_t* own, const uint64_t* opponent, const float* target, int64_t n,
                    std::span<const int32_t> plies, const PatternPrior& prior, int iterations, float* weights,
                    float* bias, Interrupt* interrupt);

}  // namespace zp
