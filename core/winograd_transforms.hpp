// The transforms of Winograd's F(4x4, 3x3) for a panel: 16 channels of a board of 8x8, cell by cell, and its 36 points,
// each with four tiles. The points of interpolation are 0, +-sqrt(1/2), +-sqrt(2) and infinity, whose rounding errors
// are half of those of the usual 0, +-1, +-2 and infinity.
#pragma once

#include <cstddef>

#include "lanes.hpp"

namespace zp {

inline constexpr int kPanel = 16;                // channels that lie together: a cache line of floats
inline constexpr int kParts = kPanel / kVector;  // vectors of a panel's row
inline constexpr int kPoints = 36;               // points of a transformed tile
inline constexpr int kTiles = 4;                 // tiles of a board
inline constexpr int kCells = 64;

using Vector = Lanes<kVector>;

// 16 channels of a board.
struct alignas(64) Panel {
    float cells[kCells][kPanel];
};

// The points of interpolation, and their powers.
inline constexpr float kA = 0.70710678118654752f, kB = 1.4142135623730951f;
inline constexpr float kA2 = 0.5f, kB2 = 2.0f, kA3 = kA * kA2, kB3 = kB * kB2;
inline constexpr float kA2B2 = kA2 + kB2;

// The matrix G of the weights: w -> G w G^T.
inline constexpr float kNa = -2.0f / 3, kNb = 1.0f / 6;
inline constexpr float kG[6][3] = {{1, 0, 0},
                                   {kNa, kNa * kA, kNa * kA2},
                                   {kNa, -kNa * kA, kNa * kA2},
                                   {kNb, kNb * kB, kNb * kB2},
                                   {kNb, -kNb * kB, kNb * kB2},
                                   {0, 0, 1}};

// A panel to its points, which lie `apart` floats from each other; the four tiles of a point are rows of 16.
void transform_input(const Panel& panel, float* to, size_t apart);
// The points of a convolution's result to the panel.
void transform_output(const float* from, size_t apart, Panel& panel);
// Their transposes, for gradients.
void transform_input_transposed(const float* from, size_t apart, Panel& panel);
void transform_output_transposed(const Panel& panel, float* to, size_t apart);

// Calls body(lane) for every vector of a panel's row.
template <class F>
[[gnu::always_inline]] inline void by_vector(F&& body) {
    for (int part = 0; part < kParts; ++part) body(part * kVector);
}

}  // namespace zp
