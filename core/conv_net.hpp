// Trained nets of convolutions, as a list of operations on feature maps [boards, cells, channels]. The operations read
// and write numbered slots, of which slot 0 holds the input planes. Sums run in a fixed order, so that a position's
// outputs depend neither on the other positions of a batch nor on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "interrupt.hpp"

namespace zp {

class ConvNet {
  public:
    ConvNet(int planes, int side);

    // Each adds an operation that writes slot `to`; all raise std::invalid_argument if slots or sizes do not fit.
    // weights[out, kernel * kernel, in] with zero padding; shift[out].
    void conv(int from, int to, int kernel, int stride, int out, const float* weights, const float* shift, bool relu);
    // weights[out, cells * channels] over all cells.
    void linear(int from, int to, int out, const float* weights, const float* shift, bool relu);
    // x * scale + shift, with a scale[channels] and a shift[channels].
    void affine(int from, int to, const float* scale, const float* shift, bool relu);
    void add(int first, int second, int to, bool relu);
    // The channels of both.
    void join(int first, int second, int to);
    // Every stride-th cell of both directions, with channels of zeros added.
    void shortcut(int from, int to, int stride, int channels);
    // Means of squares of 2x2 cells, or of all cells.
    void pool(int from, int to);
    void mean(int from, int to);

    int channels(int slot) const { return shape(slot).channels; }
    int64_t floats(int slot) const { return shape(slot).floats(); }
    int64_t inputs() const { return inputs_; }

    // outputs[n, floats(slot)] from planes[n, planes, side, side].
    void run(const float* planes, int64_t n, int slot, float* outputs, Interrupt* interrupt) const;

  private:
    struct Shape {
        int side = 0, channels = 0;

        int cells() const { return side * side; }
        int64_t floats() const { return static_cast<int64_t>(cells()) * channels; }
    };
    using Slots = float* const*;
    using Step = std::function<void(Slots slots, int64_t boards)>;

    const Shape& shape(int slot) const;
    void append(int to, Shape made, Step step);

    int planes_;
    int64_t inputs_;                // floats per board of the planes
    std::vector<Shape> shapes_;     // as they are after the last operation
    std::vector<int64_t> longest_;  // floats per board of each slot
    std::vector<Step> steps_;
};

}  // namespace zp
