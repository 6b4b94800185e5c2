// The interface of value nets to search; see make_net_evaluation in batch_search.hpp.
#pragma once

#include <cstdint>

namespace zp {

class BoardNet {
  public:
    virtual ~BoardNet() = default;
    // Number of cells of its boards, or 0 for any size.
    virtual int cells() const = 0;
    // The value of a board for the side to move (0 Black, 1 White); stones[cells]: 1 Black, -1 White, 0 empty. Its
    // absolute value is below 1e8. Thread-safe.
    virtual float value(const int8_t* stones, int mover) const = 0;
};

}  // namespace zp
