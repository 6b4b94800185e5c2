// A convolution and its gradients, block by block of boards, for callers that say where panels are read and written. A
// block's transformed boards stay in the processor's cache. Results depend neither on the number of threads nor on the
// other boards, but for sums over boards, which run in a fixed order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "threads.hpp"
#include "winograd_products.hpp"

namespace zp {

// Memory of a thread, kept for later calls.
struct Workspace {
    Scratch inputs, outputs, more, matrices, transposed, gradient;
};
inline Workspace& workspace() {
    thread_local Workspace memory;
    return memory;
}

// Boards that are transformed together: few enough for the cache, and enough to use the matrices often.
inline int64_t boards_of_block(int in, int out) { return in + out > 256 ? 32 : 16; }

// A convolution's transformed weights.
struct Kernel {
    Matrices matrices;
    int in, out;
    Arithmetic arithmetic;

    static size_t floats(int in, int out, Arithmetic arithmetic) {
        return floats_of(unit_rows(in, arithmetic), panels_of(out));
    }
    Kernel(float* memory, int in, int out, Arithmetic arithmetic)
        : matrices{memory, unit_rows(in, arithmetic), panels_of(out)}, in(in), out(out), arithmetic(arithmetic) {}
};

// Transforms panels of boards to the rows of a spectrum, in units of channels or, for gradients by weights, of tiles.
class Writer {
  public:
    using Transform = void (*)(const Panel&, float*, size_t);

    Writer(Transform transform, int channels, Arithmetic arithmetic)
        : transform_(transform), panels_(panels_of(channels)), arithmetic_(arithmetic) {}

    // A panel to both spectra; either may be null.
    void write(const Panel& panel, int number, int64_t board, const Spectrum* channels, const Spectrum* tiles) const {
        if (arithmetic_ == Arithmetic::kSingle) {  // both are the same
            const Spectrum& to = channels ? *channels : *tiles;
            return transform_(panel, to.at(0, number, board * kTiles), to.apart());
        }
        alignas(64) float points[kPoints * kTiles * kPanel];
        transform_(panel, points, kTiles * kPanel);
        if (channels) pack_channels(points, *channels, number, board);
        if (tiles) pack_tiles(points, *tiles, number, board);
        if (channels && number + 1 == panels_ && panels_ % 2 != 0) {  // half a panel of units is left
            std::fill(std::begin(points), std::end(points), 0.0f);
            pack_channels(points, *channels, number + 1, board);
        }
    }

  private:
    Transform transform_;
    int panels_;
    Arithmetic arithmetic_;
};

// Convolves `boards` boards on the calling thread: read(board, panel, Panel&) gives the inputs, and
// write(board, panel, Panel&) takes the results.
template <class Read, class Write>
void convolve(const Kernel& kernel, int64_t boards, Read&& read, Write&& write) {
    Workspace& memory = workspace();
    const int in_panels = panels_of(kernel.in), out_panels = panels_of(kernel.out);
    const int64_t rows = boards * kTiles;
    const Spectrum from(memory.inputs, kernel.matrices.rows / kPanel, rows), to(memory.outputs, out_panels, rows);
    const Writer writer(transform_input, kernel.in, kernel.arithmetic);
    Panel panel;
    for (int p = 0; p < in_panels; ++p) {
        for (int64_t k = 0; k < boards; ++k) {
            read(k, p, panel);
            writer.write(panel, p, k, &from, nullptr);
        }
    }
    for (int point = 0; point < kPoints; ++point) multiply(from, kernel.matrices, to, point, kernel.arithmetic);
    for (int p = 0; p < out_panels; ++p) {
        for (int64_t k = 0; k < boards; ++k) {
            transform_output(to.at(0, p, k * kTiles), to.apart(), panel);
            write(k, p, panel);
        }
    }
}

// The gradients of a convolution of n boards: dw[out, 9, in] unless null and, if `by_input`, panels to
// write_dx(board, panel, Panel&); read_x gives panels of the inputs, read_dy of the gradient by the results.
template <class ReadX, class ReadDy, class WriteDx>
void differentiate(const float* weights, int in, int out, int64_t n, Arithmetic arithmetic, float* dw, bool by_input,
                   ReadX&& read_x, ReadDy&& read_dy, WriteDx&& write_dx) {
    const bool single = arithmetic == Arithmetic::kSingle;
    Workspace& memory = workspace();
    const int in_panels = panels_of(in), out_panels = panels_of(out);
    const Kernel transposed(by_input ? memory.transposed.get(Kernel::floats(out, in, arithmetic)) : nullptr, out, in,
                            arithmetic);
    if (by_input) transform_weights(weights, in, out, true, arithmetic, transposed.matrices);
    const size_t size = floats_of(in_panels * kPanel, out_panels);
    const Matrices gradient{dw ? memory.gradient.get(size) : nullptr, in_panels * kPanel, out_panels};
    if (dw) std::fill_n(gradient.data, size, 0.0f);
    const Writer inputs(transform_input, in, arithmetic), outputs(transform_output_transposed, out, arithmetic);
    const int64_t block = boards_of_block(in, out);
    for (int64_t first = 0; first < n; first += block) {
        const int64_t boards = std::min(block, n - first), rows = boards * kTiles;
        const Spectrum x(memory.inputs, in_panels, single ? rows : rows / 2);
        const Spectrum dx(single ? memory.inputs : memory.matrices, in_panels, rows);
        const Spectrum dy(memory.outputs, transposed.matrices.rows / kPanel, rows);
        const Spectrum dy_tiles(single ? memory.outputs : memory.more, out_panels, single ? rows : rows / 2);
        parallel_for(boards, 4, [&](int64_t begin, int64_t end) {
            Panel panel;
            for (int p = 0; dw && p < in_panels; ++p) {
                for (int64_t k = begin; k < end; ++k) {
                    read_x(first + k, p, panel);
                    inputs.write(panel, p, k, nullptr, &x);
                }
            }
            for (int p = 0; p < out_panels; ++p) {
                for (int64_t k = begin; k < end; ++k) {
                    read_dy(first + k, p, panel);
                    outputs.write(panel, p, k, by_input ? &dy : nullptr, dw ? &dy_tiles : nullptr);
                }
            }
        });
        parallel_for(kPoints, 1, [&](int64_t begin, int64_t end) {
            for (int64_t number = begin; number < end; ++number) {
                const int point = static_cast<int>(number);
                if (dw) add_products(x, dy_tiles, gradient, point, arithmetic);
                if (by_input) multiply(dy, transposed.matrices, dx, point, arithmetic);  // may take the place of x
            }
        });
        if (!by_input) continue;
        parallel_for(boards, 4, [&](int64_t begin, int64_t end) {
            Panel panel;
            for (int p = 0; p < in_panels; ++p) {
                for (int64_t k = begin; k < end; ++k) {
                    transform_input_transposed(dx.at(0, p, k * kTiles), dx.apart(), panel);
                    write_dx(first + k, p, panel);
                }
            }
        });
    }
    if (dw) transform_weights_gradient(gradient, in, out, dw);
}

// A panel of boards [n, 64, channels]; the last one is padded with zeros.
inline void read_cells(const float* boards, int channels, int64_t board, int number, Panel& panel) {
    const float* from = boards + board * kCells * channels + number * kPanel;
    const int count = std::min(kPanel, channels - number * kPanel);
    if (count < kPanel) panel = {};
    for (int c = 0; c < kCells; ++c, from += channels) {
        if (count == kPanel) {
            std::memcpy(panel.cells[c], from, sizeof panel.cells[c]);
        } else {
            std::memcpy(panel.cells[c], from, count * sizeof(float));
        }
    }
}

inline void write_cells(const Panel& panel, int number, int64_t board, float* boards, int channels) {
    float* to = boards + board * kCells * channels + number * kPanel;
    const int count = std::min(kPanel, channels - number * kPanel);
    for (int c = 0; c < kCells; ++c, to += channels) {
        if (count == kPanel) {
            std::memcpy(to, panel.cells[c], sizeof panel.cells[c]);
        } else {
            std::memcpy(to, panel.cells[c], count * sizeof(float));
        }
    }
}

}  // namespace zp
