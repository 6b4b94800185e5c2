// Discs that can never be turned again: a bound on the final score.
#pragma once

#include <cstdint>

namespace zp {

// A set of discs of `own` that are certainly stable.
uint64_t stable_discs(uint64_t own, uint64_t opponent);

}  // namespace zp
