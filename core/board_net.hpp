// The interface of value nets to search; see make_net_evaluation in batch_search.hpp.
#pragma once

#include <cstdint>

namespace zp {

class BoardNet {
  public:
    virtual ~BoardNet() = default;
    // Number of cells of its boards, or 0 for any size.
    virtual int cells() const = 0;
    // The values of boards for the side to move (0 Black, 1 White): stones[count, cells], 1 Black, -1 White, 0 empty;
    // movers[count], out[count]. A board's value does not depend on the others, and its absolute value is below 1e8.
    // Thread-safe.
    virtual void values(const int8_t* stones, int cells, const int* movers, int count, float* out) const = 0;
};

}  // namespace zp
