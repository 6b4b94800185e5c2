// The `lines` nets: contents of board lines looked up in tables of short vectors, then layers over the eight images of
// the board that respect its symmetries. The matrices are explained in nets/lines.py and nets/board_images.py.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "batch.hpp"

namespace zp {

class LinesNet {
  public:
    struct Layer {
        int in, out;
        std::vector<float> signs;  // [4, in, out]
        std::vector<float> pairs;  // [2 in, 2 out]
        std::vector<float> shift;  // [out]: added to the outputs of every image
    };

    // masks: the cells of each pattern; table[sum of 3^cells, width]; basis[8, 8]; cells[8, outputs]: the cell of the
    // board that each output of each image belongs to.
    LinesNet(std::vector<uint64_t> masks, const std::vector<float>& table, int width, const std::vector<float>& basis,
             const std::vector<Layer>& layers, std::vector<int> cells);

    // A logit for every legal move, -inf elsewhere: out[n, 64]; with `all` for every cell, 0 in the centre.
    void prefer(const Batch& batch, bool all, float* out, Interrupt* interrupt) const;

  private:
    static constexpr int kLanes = 16;  // outputs that are computed together
    static constexpr size_t kMostPatterns = 32;

    // A cache line of the table: rows of 16 floats are aligned to one.
    struct alignas(64) CacheLine {
        float values[16] = {};
    };

    static constexpr int pitch(int channels) { return (channels + kLanes - 1) / kLanes * kLanes; }

    // A matrix [in, out] cut into columns of kLanes outputs, the last one filled up with zeros.
    struct Matrix {
        int in;
        std::vector<float> columns;
    };
    struct Packed {
        int in, out;
        std::array<Matrix, 4> signs;
        std::array<Matrix, 2> pairs;  // for the first and the second outputs of a pair
        std::vector<float> shift;
    };
    struct Work;

    static Matrix packed(const float* matrix, int in, int out, int stride);
    void look_up(uint64_t own, uint64_t opponent, float* to) const;
    void change_basis(const float* from, int64_t from_stride, float* to, int64_t to_stride, int length,
                      bool back) const;
    void apply(const Packed& layer, int positions, Work& work) const;
    template <int M, int C>
    void multiply_signs(const Packed& layer, int position, Work& work) const;
    template <int M, int C>
    void multiply_pairs(const Packed& layer, int position, int pair, bool across, Work& work) const;
    void run(const uint64_t* own, const uint64_t* opponent, int positions, Work& work, float* logits) const;

    std::vector<uint64_t> masks_;
    std::vector<int64_t> offsets_;
    std::vector<CacheLine> table_;
    int width_;
    std::array<std::array<float, 8>, 8> basis_;
    std::vector<Packed> layers_;
    std::vector<int> cells_;
    std::array<float, 64> share_;  // 1 / number of outputs of a cell
    int outputs_;
    size_t widest_;
};

}  // namespace zp
