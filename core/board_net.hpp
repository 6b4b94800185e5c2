// What search asks of a net that values boards. A net of any kind and game becomes an evaluation by this one face; see
// make_net_evaluation in searching.hpp.
#pragma once

#include <cstdint>

namespace zp {

class BoardNet {
  public:
    virtual ~BoardNet() = default;
    // Cells of the boards it values, or 0 if boards of any size will do.
    virtual int cells() const = 0;
    // How good a board is for the side to move (0 Black, 1 White); stones[cells]: 1 Black, -1 White, 0 empty. Below 1e8
    // in size. Several threads may ask at once.
    virtual float value(const int8_t* stones, int mover) const = 0;
};

}  // namespace zp
