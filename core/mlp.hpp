// Multi-layer perceptrons with one hidden layer of sigmoid units, the baseline of Schaul and Schmidhuber 2009, for
// whole populations: each position is evaluated by its own member.
#pragma once

#include <cstdint>

#include "batch.hpp"

namespace zp {

class Mlp {
  public:
    Mlp(int cells, int hidden);

    int64_t parameters() const { return static_cast<int64_t>(hidden_) * (3 * cells_ + 1) + cells_; }

    // A preference for every legal move, -inf elsewhere: out[n, cells]. weights[rows, parameters]: from own stones
    // [cells, hidden], from opposing stones [cells, hidden], biases [hidden], to the outputs [hidden, cells], biases
    // [cells]; members[n] in [0, rows).
    void prefer(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                Interrupt* interrupt) const;

  private:
    void hidden_layer(const float* weights, const uint8_t* seen, float* units) const;
    template <int M>
    void output_layer(const float* weights, const float* units, float* values) const;

    int cells_, hidden_;
};

}  // namespace zp
