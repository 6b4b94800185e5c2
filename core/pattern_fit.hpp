// Fitting the tables of the pattern evaluation to positions with known or estimated results.
#pragma once

#include <cstdint>

#include "interrupt.hpp"

namespace zp {

struct FitSettings {
    int epochs = 20;
    float rate = 0.01f;              // of the first epoch; falls to a twentieth
    float decay = 1e-6f;             // pull towards zero at every use of a weight
    Interrupt* interrupt = nullptr;  // may stop the fit with an exception, half done
};

// Stochastic gradient descent on the squared error, stage by stage. own[n], opponent[n]: boards seen by the side to
// move; target[n]: disc difference for it. weights[kStages, kPatternWeights] and bias[61] in discs are started from and
// changed. error[kStages] gets the root mean square error of the last epoch, order is a shuffle keyed by `key`.
void fit_patterns(const uint64_t* own, const uint64_t* opponent, const float* target, int64_t n, uint64_t key,
                  const FitSettings& settings, float* weights, float* bias, double* error);

}  // namespace zp
