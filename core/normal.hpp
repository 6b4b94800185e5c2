// Draws from the standard normal distribution, counter-based like all chance, and mutation by them.
#pragma once

#include <cstdint>

namespace zp {

// out[i]: the draw of keys[i] and counters[i], by Box and Muller from one draw of 64 bits: the upper half makes the
// radius, the lower one the angle.
void normals(const uint64_t* keys, const uint64_t* counters, int64_t n, double* out);

// Self-adaptive Gaussian mutation (Lin and White 2009, section II-C): for child i of parent parents[i], every weight j
// has a step of its own, step' = step * exp(tau * R), weight' = weight + step' * R, where the two R are the draws 2 j
// and 2 j + 1 of keys[i], or both the draw 2 j (`one_draw`). All arrays are [members, parameters].
void mutate(const float* weights, const float* steps, int64_t parameters, const int32_t* parents, const uint64_t* keys,
            int64_t children, double tau, bool one_draw, float* child_weights, float* child_steps);

}  // namespace zp
