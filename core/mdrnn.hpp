// Multi-dimensional recurrent nets for boards of any size (Schaul and Schmidhuber 2009), for whole populations: each
// position is evaluated by its own member. nets/mdrnn.py explains the weights and their order; the kernels are in
// mdrnn_tile.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "batch.hpp"
#include "board_net.hpp"
#include "features.hpp"

namespace zp {

struct ByMember;

struct MdrnnForm {
    int hidden = 10;    // units of each sweep
    int layers = 1;     // nets stacked on one another
    bool lstm = false;  // LSTM cells in place of tanh units
    int distances = 0;  // border vectors by distance from the corner; 0: one vector in the place of missing neighbours
    Features features = Features::kNone;

    // Inputs of a cell: own stone, opposing stone and features; or the units of the layer below: the
    // sweep in the same direction, the sum of the two that mirror one axis, and the opposite one.
    int inputs(int layer) const { return layer == 0 ? 2 + feature_planes(features) : 3 * hidden; }
    int64_t layer_parameters(int layer) const;
    int64_t parameters() const;
};

class Mdrnn {
  public:
    explicit Mdrnn(const MdrnnForm& form);

    int hidden() const { return form_.hidden; }
    int64_t parameters() const { return form_.parameters(); }

    // weights[rows, parameters]; members[n] in [0, rows).

    // A preference for every legal move, -inf elsewhere: out[n, cells].
    void prefer(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                Interrupt* interrupt) const;

    // The value of each position for the side to move, from -1 to 1: out[n].
    void values(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                Interrupt* interrupt) const;

    // The value of the board after each legal move for the side that makes it, -inf elsewhere: out[n, cells].
    void child_values(const Batch& batch, const float* weights, int64_t rows, const int32_t* members, float* out,
                      Interrupt* interrupt) const;

    // The units of the last layer in the four sweeps of a position: out[4, cells, hidden], by board cell.
    // Sweep 0 begins in the top left corner; bit 0 of its number mirrors columns, bit 1 rows.
    void sweeps(const Batch& batch, int64_t position, const float* weights, float* out) const;

    // One member as an evaluation for search, on boards of one size.
    std::shared_ptr<const BoardNet> board_net(std::vector<float> vector, int size) const;

  private:
    template <class F>
    void evaluate_groups(const Batch& batch, const float* weights, const ByMember& by, int64_t begin, int64_t end,
                         Interrupt* interrupt, F&& use) const;

    MdrnnForm form_;
};

}  // namespace zp
