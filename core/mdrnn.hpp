// Multi-dimensional recurrent nets for boards of any size (Schaul and Schmidhuber 2009), for whole populations: every
// position names the member that looks at it. What the weights mean and in which order they come is told in
// nets/mdrnn.py.
#pragma once

#include <cstdint>
#include <vector>

#include "batch.hpp"

namespace zp {

struct MdrnnForm {
    int hidden = 10;    // units of each sweep
    int layers = 1;     // nets stacked on one another
    bool lstm = false;  // LSTM cells in place of tanh units
    int distances = 0;  // border vectors by distance from the corner; 0: one vector in the place of missing neighbours
};

class Mdrnn {
  public:
    static constexpr int kMostHidden = 256, kMostLayers = 16;

    explicit Mdrnn(const MdrnnForm& form);

    int hidden() const { return form_.hidden; }
    int64_t parameters() const { return parameters_; }

    // A preference for every legal move, -inf elsewhere: out[n, cells]. weights[rows, parameters], members[n] in [0,
    // rows).
    void prefer(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out) const;

    // What the units of the last layer say in the four sweeps of one position: out[4, cells, hidden], by board cell.
    // Sweep 0 begins in the top left corner; bit 0 of its number mirrors columns, bit 1 rows.
    void sweeps(const Batch& batch, int64_t position, const float* weights, float* out) const;

  private:
    template <int V, int N>
    struct Tile;

    MdrnnForm form_;
    int64_t parameters_;
};

}  // namespace zp
