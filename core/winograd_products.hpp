// The matrix products of Winograd's convolution, 36 of them, in single precision or of numbers rounded to bfloat16, and
// the arrays that they take. An array consists of units of 32 bits: a float, or two neighbours in bfloat16, whose
// products are added up in single precision.
#pragma once

#include <cstdint>
#include <memory>

#include "winograd_transforms.hpp"

namespace zp {

enum class Arithmetic { kSingle, kBfloat };

// Whether this processor, and the level of the core, multiply bfloat16 numbers.
bool has_bfloat();

inline int panels_of(int channels) { return (channels + kPanel - 1) / kPanel; }

// Numbers in a unit.
inline int per_unit(Arithmetic arithmetic) { return arithmetic == Arithmetic::kBfloat ? 2 : 1; }

// Floats at any vector's alignment that only grow; what they held is lost.
class Scratch {
  public:
    float* get(size_t floats) {
        if (floats > size_) {
            buffer_ = std::make_unique<LaneBuffer>(floats);
            size_ = floats;
        }
        return buffer_->data();
    }

  private:
    std::unique_ptr<LaneBuffer> buffer_;
    size_t size_ = 0;
};

// Transformed boards: [point, panel, row, 16 units]. Points are not a power of two apart, which would cost cache.
struct Spectrum {
    float* data;
    int panels;
    int64_t rows;

    Spectrum(Scratch& scratch, int panels, int64_t rows)
        : data(scratch.get(kPoints * (panels * rows * kPanel + kPanel))), panels(panels), rows(rows) {}

    float* at(int point, int panel, int64_t row) const {
        return data + point * apart() + (panel * rows + row) * kPanel;
    }
    size_t apart() const { return panels * rows * kPanel + kPanel; }
};

// A matrix for each point: [point, panel of columns, row, 16 units]. Rows are padded to whole panels with zeros.
struct Matrices {
    float* data;
    int rows, panels;

    float* at(int point, int panel, int row) const {
        return data + ((static_cast<size_t>(point) * panels + panel) * rows + row) * kPanel;
    }
};

// Rows of units of the matrices for a number of channels, a whole number of panels of units.
inline int unit_rows(int channels, Arithmetic arithmetic) {
    return panels_of((channels + per_unit(arithmetic) - 1) / per_unit(arithmetic)) * kPanel;
}
inline size_t floats_of(int rows, int panels) { return static_cast<size_t>(kPoints) * rows * panels * kPanel; }

// weights[out, 9, in] to matrices with rows for inputs and columns for outputs; or, transposed, the reverse. In
// bfloat16 two rows share a unit.
void transform_weights(const float* weights, int in, int out, bool transposed, Arithmetic arithmetic,
                       const Matrices& to);

// dw[out, 9, in] from the gradients by the transformed weights, with rows for inputs.
void transform_weights_gradient(const Matrices& gradient, int in, int out, float* dw);

// to = from times the matrix of a point; `from` has a row for each tile, with channels in its units.
void multiply(const Spectrum& from, const Matrices& matrices, const Spectrum& to, int point, Arithmetic arithmetic);

// gradient += from^T dto at a point; in bfloat16 the units of both are pairs of tiles.
void add_products(const Spectrum& from, const Spectrum& dto, const Matrices& gradient, int point,
                  Arithmetic arithmetic);

// Rounds points[36, 4 tiles, 16] of a panel to a board's rows: two channels to a unit, or two tiles.
void pack_channels(const float* points, const Spectrum& to, int panel, int64_t board);
void pack_tiles(const float* points, const Spectrum& to, int panel, int64_t board);

// The kernels for bfloat16, which only some processors can run.
namespace bfloat {
void multiply(const Spectrum& from, const Matrices& matrices, const Spectrum& to, int point);
void add_products(const Spectrum& from, const Spectrum& dto, const Matrices& gradient, int point);
// A panel from its rounded numbers, and back.
void expand(const float* units, Panel& panel);
void shrink(const Panel& panel, float* units);
}  // namespace bfloat

}  // namespace zp
