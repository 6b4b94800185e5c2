#include "winograd.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "threads.hpp"

namespace zp {
namespace {

constexpr int kPanel = 16;                // channels that lie together: a cache line of floats
constexpr int kParts = kPanel / kVector;  // vectors of a panel's row
constexpr int kPoints = 36;               // points of a transformed tile
constexpr int kTiles = 4;                 // tiles of a board
constexpr int kBlock = kBoardBlock;       // boards that go through together
// Rows of a product that are summed in registers at a time.
constexpr int kRows = kVector == 16 ? 12 : kVector == 8 ? 6 : 3;
constexpr int kWeightRows = kVector == 4 ? 2 : 4;  // divides kPanel

using Vector = Lanes<kVector>;

int panels_of(int channels) { return (channels + kPanel - 1) / kPanel; }

// Transformed boards: [point, panel, tile, 16]. Points are not a power of two apart, which would cost cache.
struct Spectrum {
    float* data;
    int panels;
    int64_t rows;  // tiles

    static size_t point_stride(int panels, int64_t rows) {
        return static_cast<size_t>(panels) * rows * kPanel + kPanel;
    }
    static size_t floats(int panels, int64_t rows) { return kPoints * point_stride(panels, rows); }
    float* panel(int point, int panel) const {
        return data + point * point_stride(panels, rows) + static_cast<size_t>(panel) * rows * kPanel;
    }
    size_t points_apart() const { return point_stride(panels, rows); }
};

// --- the transforms: B^T d B, A^T m A, and their transposes
// -----------------------------------------------------------

template <class Load, class Store>
[[gnu::always_inline]] inline void six_to_six(Load d, Store o) {
    const Vector d0 = d(0), d1 = d(1), d2 = d(2), d3 = d(3), d4 = d(4), d5 = d(5);
    const Vector p = d4 - 4.0f * d2, q = d3 - 4.0f * d1, r = d4 - d2, s = 2.0f * (d3 - d1);
    o(0, 4.0f * d0 - 5.0f * d2 + d4);
    o(1, p + q);
    o(2, p - q);
    o(3, r + s);
    o(4, r - s);
    o(5, 4.0f * d1 - 5.0f * d3 + d5);
}

template <class Load, class Store>
[[gnu::always_inline]] inline void six_to_six_transposed(Load e, Store o) {
    const Vector e0 = e(0), e1 = e(1), e2 = e(2), e3 = e(3), e4 = e(4), e5 = e(5);
    const Vector p = e1 + e2, q = e1 - e2, r = e3 + e4, s = 2.0f * (e3 - e4);
    o(0, 4.0f * e0);
    o(1, 4.0f * (e5 - q) - s);
    o(2, -5.0f * e0 - 4.0f * p - r);
    o(3, q + s - 5.0f * e5);
    o(4, e0 + p + r);
    o(5, e5);
}

template <class Load, class Store>
[[gnu::always_inline]] inline void six_to_four(Load e, Store o) {
    const Vector e1 = e(1), e2 = e(2), e3 = e(3), e4 = e(4);
    const Vector p = e1 + e2, q = e1 - e2, r = e3 + e4, s = e3 - e4;
    o(0, e(0) + p + r);
    o(1, q + 2.0f * s);
    o(2, p + 4.0f * r);
    o(3, q + 8.0f * s + e(5));
}

template <class Load, class Store>
[[gnu::always_inline]] inline void four_to_six(Load d, Store o) {
    const Vector d0 = d(0), d1 = d(1), d2 = d(2), d3 = d(3);
    const Vector even = d0 + d2, odd = d1 + d3, even4 = d0 + 4.0f * d2, odd4 = 2.0f * d1 + 8.0f * d3;
    o(0, d0);
    o(1, even + odd);
    o(2, even - odd);
    o(3, even4 + odd4);
    o(4, even4 - odd4);
    o(5, d3);
}

bool inside(int row, int column) { return row >= 0 && row < 8 && column >= 0 && column < 8; }

// One vector of channels of a board, cells `cell` floats apart, to its four tiles of points `point` floats apart.
void transform_input(const float* board, size_t cell, float* to, size_t point) {
    for (int tile = 0; tile < kTiles; ++tile) {
        const int top = tile / 2 * 4 - 1, left = tile % 2 * 4 - 1;
        Vector half[6][6];
        for (int j = 0; j < 6; ++j) {
            six_to_six(
                [&](int i) {
                    return inside(top + i, left + j) ? load_lanes<kVector>(board + ((top + i) * 8 + left + j) * cell)
                                                     : Vector{};
                },
                [&](int i, Vector v) { half[i][j] = v; });
        }
        for (int i = 0; i < 6; ++i) {
            six_to_six([&](int j) { return half[i][j]; },
                       [&](int j, Vector v) { store_lanes<kVector>(to + (i * 6 + j) * point + tile * kPanel, v); });
        }
    }
}

void transform_input_transposed(const float* from, size_t point, float* board, size_t cell) {
    Vector sums[kBoardCells] = {};
    for (int tile = 0; tile < kTiles; ++tile) {
        const int top = tile / 2 * 4 - 1, left = tile % 2 * 4 - 1;
        Vector half[6][6];
        for (int i = 0; i < 6; ++i) {
            six_to_six_transposed(
                [&](int j) { return load_lanes<kVector>(from + (i * 6 + j) * point + tile * kPanel); },
                [&](int j, Vector v) { half[i][j] = v; });
        }
        for (int j = 0; j < 6; ++j) {
            six_to_six_transposed([&](int i) { return half[i][j]; },
                                  [&](int i, Vector v) {
                                      if (inside(top + i, left + j)) sums[(top + i) * 8 + left + j] += v;
                                  });
        }
    }
    for (int c = 0; c < kBoardCells; ++c) store_lanes<kVector>(board + c * cell, sums[c]);
}

void transform_output(const float* from, size_t point, Vector bias, Vector least, float* board, size_t cell) {
    for (int tile = 0; tile < kTiles; ++tile) {
        const int top = tile / 2 * 4, left = tile % 2 * 4;
        Vector half[6][4];
        for (int i = 0; i < 6; ++i) {
            six_to_four([&](int j) { return load_lanes<kVector>(from + (i * 6 + j) * point + tile * kPanel); },
                        [&](int j, Vector v) { half[i][j] = v; });
        }
        for (int j = 0; j < 4; ++j) {
            six_to_four([&](int i) { return half[i][j]; },
                        [&](int i, Vector v) {
                            store_lanes<kVector>(board + ((top + i) * 8 + left + j) * cell, larger(v + bias, least));
                        });
        }
    }
}

void transform_output_transposed(const float* board, size_t cell, float* to, size_t point) {
    for (int tile = 0; tile < kTiles; ++tile) {
        const int top = tile / 2 * 4, left = tile % 2 * 4;
        Vector half[6][4];
        for (int j = 0; j < 4; ++j) {
            four_to_six([&](int i) { return load_lanes<kVector>(board + ((top + i) * 8 + left + j) * cell); },
                        [&](int i, Vector v) { half[i][j] = v; });
        }
        for (int i = 0; i < 6; ++i) {
            four_to_six([&](int j) { return half[i][j]; },
                        [&](int j, Vector v) { store_lanes<kVector>(to + (i * 6 + j) * point + tile * kPanel, v); });
        }
    }
}

// --- the weights
// ------------------------------------------------------------------------------------------------------

constexpr float kG[6][3] = {{1.0f / 4, 0, 0},
                            {-1.0f / 6, -1.0f / 6, -1.0f / 6},
                            {-1.0f / 6, 1.0f / 6, -1.0f / 6},
                            {1.0f / 24, 1.0f / 12, 1.0f / 6},
                            {1.0f / 24, -1.0f / 12, 1.0f / 6},
                            {0, 0, 1}};

// A matrix for each point: [point, panel of columns, row, 16]. Rows are padded to whole panels with zeros.
struct Matrices {
    float* data;
    int rows, panels;  // rows padded

    static size_t floats(int row_panels, int panels) {
        return static_cast<size_t>(kPoints) * row_panels * kPanel * panels * kPanel;
    }
    float* panel(int point, int panel) const {
        return data + (static_cast<size_t>(point) * panels + panel) * rows * kPanel;
    }
};

// G g G^T of 16 inputs to 16 outputs: block[point][output][input].
void transform_weights_block(const float* weights, int in, int out, int first_in, int first_out,
                             float (*block)[kPanel][kPanel]) {
    for (int o = 0; o < kPanel; ++o) {
        float g[9][kPanel] = {};
        const int count = std::min(kPanel, in - first_in);
        if (first_out + o < out) {
            for (int k = 0; k < 9; ++k) {
                std::memcpy(g[k], weights + (static_cast<size_t>(first_out + o) * 9 + k) * in + first_in,
                            count * sizeof(float));
            }
        }
        float half[6][3][kPanel];
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 3; ++j) {
                for (int c = 0; c < kPanel; ++c) {
                    half[i][j][c] = kG[i][0] * g[j][c] + kG[i][1] * g[3 + j][c] + kG[i][2] * g[6 + j][c];
                }
            }
        }
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                for (int c = 0; c < kPanel; ++c) {
                    block[i * 6 + j][o][c] =
                        kG[j][0] * half[i][0][c] + kG[j][1] * half[i][1][c] + kG[j][2] * half[i][2][c];
                }
            }
        }
    }
}

// Rows are inputs and columns outputs; or, transposed, rows outputs and columns inputs.
void transform_weights(const float* weights, int in, int out, bool transposed, const Matrices& to) {
    const int in_panels = panels_of(in), out_panels = panels_of(out);
    parallel_for(static_cast<int64_t>(in_panels) * out_panels, 8, [&](int64_t begin, int64_t end) {
        float block[kPoints][kPanel][kPanel];
        for (int64_t k = begin; k < end; ++k) {
            const int p = static_cast<int>(k / out_panels), q = static_cast<int>(k % out_panels);
            transform_weights_block(weights, in, out, p * kPanel, q * kPanel, block);
            for (int point = 0; point < kPoints; ++point) {
                if (transposed) {
                    std::memcpy(to.panel(point, p) + q * kPanel * kPanel, block[point], sizeof block[point]);
                    continue;
                }
                float* rows = to.panel(point, q) + p * kPanel * kPanel;
                for (int c = 0; c < kPanel; ++c) {
                    for (int o = 0; o < kPanel; ++o) rows[c * kPanel + o] = block[point][o][c];
                }
            }
        }
    });
}

// dw[out, 9, in] = G^T dU G.
void transform_weights_gradient(const Matrices& gradient, int in, int out, float* dw) {
    const int in_panels = panels_of(in), out_panels = panels_of(out);
    parallel_for(static_cast<int64_t>(in_panels) * out_panels, 8, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
            const int p = static_cast<int>(k / out_panels), q = static_cast<int>(k % out_panels);
            for (int c = 0; c < std::min(kPanel, in - p * kPanel); ++c) {
                float half[3][6][kPanel] = {};
                for (int i = 0; i < 6; ++i) {
                    for (int j = 0; j < 6; ++j) {
                        const float* row = gradient.panel(i * 6 + j, q) + (p * kPanel + c) * kPanel;
                        for (int a = 0; a < 3; ++a) {
                            for (int o = 0; o < kPanel; ++o) half[a][j][o] += kG[i][a] * row[o];
                        }
                    }
                }
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) {
                        float sum[kPanel] = {};
                        for (int j = 0; j < 6; ++j) {
                            for (int o = 0; o < kPanel; ++o) sum[o] += kG[j][b] * half[a][j][o];
                        }
                        for (int o = 0; o < std::min(kPanel, out - q * kPanel); ++o) {
                            dw[(static_cast<size_t>(q * kPanel + o) * 9 + a * 3 + b) * in + p * kPanel + c] = sum[o];
                        }
                    }
                }
            }
        }
    });
}

// --- the products
// -----------------------------------------------------------------------------------------------------

// to[M, 16] = a[M, k] b[k, 16], where a lies in panels of 16 columns, `apart` floats from each other.
template <int M>
void multiply_rows(const float* a, size_t apart, int a_panels, const float* b, float* to) {
    Vector sums[M][kParts];
    for (auto& row : sums) std::fill_n(row, kParts, Vector{});  // an empty initialiser goes through memory
    for (int p = 0; p < a_panels; ++p, a += apart) {
        for (int k = 0; k < kPanel; ++k, b += kPanel) {
            Vector row[kParts];
            for (int part = 0; part < kParts; ++part) row[part] = load_lanes<kVector>(b + part * kVector);
            for (int m = 0; m < M; ++m) {
                const float factor = a[m * kPanel + k];
                for (int part = 0; part < kParts; ++part) sums[m][part] += factor * row[part];
            }
        }
    }
    for (int m = 0; m < M; ++m) {
        for (int part = 0; part < kParts; ++part) store_lanes<kVector>(to + m * kPanel + part * kVector, sums[m][part]);
    }
}

template <int M>
void multiply_rest(int rows, const float* a, size_t apart, int a_panels, const float* b, float* to) {
    if constexpr (M > 0) {
        if (rows == M) return multiply_rows<M>(a, apart, a_panels, b, to);
        multiply_rest<M - 1>(rows, a, apart, a_panels, b, to);
    }
}

// to = from times the matrix of a point.
void multiply(const Spectrum& from, const Matrices& matrices, const Spectrum& to, int point) {
    const size_t apart = static_cast<size_t>(from.rows) * kPanel;
    for (int q = 0; q < to.panels; ++q) {
        const float* b = matrices.panel(point, q);
        int64_t row = 0;
        for (; row + kRows <= from.rows; row += kRows) {
            multiply_rows<kRows>(from.panel(point, 0) + row * kPanel, apart, from.panels, b,
                                 to.panel(point, q) + row * kPanel);
        }
        multiply_rest<kRows - 1>(static_cast<int>(from.rows - row), from.panel(point, 0) + row * kPanel, apart,
                                 from.panels, b, to.panel(point, q) + row * kPanel);
    }
}

// gradient += from^T dto at a point.
void add_products(const Spectrum& from, const Spectrum& dto, const Matrices& gradient, int point) {
    for (int q = 0; q < dto.panels; ++q) {
        for (int p = 0; p < from.panels; ++p) {
            for (int c = 0; c < kPanel; c += kWeightRows) {
                const float *a = from.panel(point, p) + c, *b = dto.panel(point, q);
                float* to = gradient.panel(point, q) + (p * kPanel + c) * kPanel;
                Vector sums[kWeightRows][kParts];
                for (int m = 0; m < kWeightRows; ++m) {
                    for (int part = 0; part < kParts; ++part) {
                        sums[m][part] = load_lanes<kVector>(to + m * kPanel + part * kVector);
                    }
                }
                for (int64_t t = 0; t < from.rows; ++t, a += kPanel, b += kPanel) {
                    Vector row[kParts];
                    for (int part = 0; part < kParts; ++part) row[part] = load_lanes<kVector>(b + part * kVector);
                    for (int m = 0; m < kWeightRows; ++m) {
                        for (int part = 0; part < kParts; ++part) sums[m][part] += a[m] * row[part];
                    }
                }
                for (int m = 0; m < kWeightRows; ++m) {
                    for (int part = 0; part < kParts; ++part) {
                        store_lanes<kVector>(to + m * kPanel + part * kVector, sums[m][part]);
                    }
                }
            }
        }
    }
}

// --- boards of any number of channels
// ---------------------------------------------------------------------------------

// Calls use(board of 16 channels, floats between its cells) for a panel of a board; the last one may be padded.
template <class F>
void with_panel(const float* board, int channels, int panel, F&& use) {
    const int first = panel * kPanel, count = std::min(kPanel, channels - first);
    if (count == kPanel) return use(board + first, static_cast<size_t>(channels));
    alignas(64) float padded[kBoardCells][kPanel] = {};
    for (int c = 0; c < kBoardCells; ++c) std::memcpy(padded[c], board + c * channels + first, count * sizeof(float));
    use(&padded[0][0], static_cast<size_t>(kPanel));
}

template <class F>
void to_panel(float* board, int channels, int panel, F&& make) {
    const int first = panel * kPanel, count = std::min(kPanel, channels - first);
    if (count == kPanel) return make(board + first, static_cast<size_t>(channels));
    alignas(64) float padded[kBoardCells][kPanel];
    make(&padded[0][0], static_cast<size_t>(kPanel));
    for (int c = 0; c < kBoardCells; ++c) std::memcpy(board + c * channels + first, padded[c], count * sizeof(float));
}

template <class F>
void by_vector(F&& use) {
    for (int part = 0; part < kParts; ++part) use(part * kVector);
}

void input_to_spectrum(const float* board, int channels, const Spectrum& to, int64_t number) {
    for (int p = 0; p < to.panels; ++p) {
        with_panel(board, channels, p, [&](const float* from, size_t cell) {
            by_vector([&](int lane) {
                transform_input(from + lane, cell, to.panel(0, p) + number * kTiles * kPanel + lane, to.points_apart());
            });
        });
    }
}

void gradient_to_spectrum(const float* board, int channels, const Spectrum& to, int64_t number) {
    for (int p = 0; p < to.panels; ++p) {
        with_panel(board, channels, p, [&](const float* from, size_t cell) {
            by_vector([&](int lane) {
                transform_output_transposed(from + lane, cell, to.panel(0, p) + number * kTiles * kPanel + lane,
                                            to.points_apart());
            });
        });
    }
}

void spectrum_to_output(const Spectrum& from, int64_t number, const float* bias, bool relu, float* board,
                        int channels) {
    const Vector least = Vector{} + (relu ? 0.0f : -std::numeric_limits<float>::infinity());
    for (int p = 0; p < from.panels; ++p) {
        to_panel(board, channels, p, [&](float* to, size_t cell) {
            by_vector([&](int lane) {
                const Vector shift = bias ? load_lanes<kVector>(bias + p * kPanel + lane) : Vector{};
                transform_output(from.panel(0, p) + number * kTiles * kPanel + lane, from.points_apart(), shift, least,
                                 to + lane, cell);
            });
        });
    }
}

void spectrum_to_gradient(const Spectrum& from, int64_t number, float* board, int channels) {
    for (int p = 0; p < from.panels; ++p) {
        to_panel(board, channels, p, [&](float* to, size_t cell) {
            by_vector([&](int lane) {
                transform_input_transposed(from.panel(0, p) + number * kTiles * kPanel + lane, from.points_apart(),
                                           to + lane, cell);
            });
        });
    }
}

// At most kBlock boards. `bias` is padded to whole panels, or null.
void convolve(const Matrices& matrices, const float* x, int64_t boards, int in, int out, const float* bias, bool relu,
              float* y) {
    thread_local Scratch inputs, outputs;
    const int in_panels = panels_of(in), out_panels = panels_of(out);
    const int64_t rows = boards * kTiles;
    const Spectrum from{inputs.get(Spectrum::floats(in_panels, rows)), in_panels, rows};
    const Spectrum to{outputs.get(Spectrum::floats(out_panels, rows)), out_panels, rows};
    for (int64_t k = 0; k < boards; ++k) input_to_spectrum(x + k * kBoardCells * in, in, from, k);
    for (int point = 0; point < kPoints; ++point) multiply(from, matrices, to, point);
    for (int64_t k = 0; k < boards; ++k) spectrum_to_output(to, k, bias, relu, y + k * kBoardCells * out, out);
}

std::vector<float> padded(const float* bias, int out) {
    std::vector<float> shift(static_cast<size_t>(panels_of(out)) * kPanel);
    std::copy_n(bias, out, shift.data());
    return shift;
}

}  // namespace

Conv3::Conv3(const float* weights, const float* bias, int in, int out)
    : in_(in), out_(out), matrices_(Matrices::floats(panels_of(in), panels_of(out))), bias_(padded(bias, out)) {
    transform_weights(weights, in, out, false, {matrices_.data(), panels_of(in) * kPanel, panels_of(out)});
}

void Conv3::operator()(const float* x, int64_t boards, bool relu, float* y) const {
    const Matrices matrices{const_cast<float*>(matrices_.data()), panels_of(in_) * kPanel, panels_of(out_)};
    for (int64_t first = 0; first < boards; first += kBlock) {
        convolve(matrices, x + first * kBoardCells * in_, std::min<int64_t>(kBlock, boards - first), in_, out_,
                 bias_.data(), relu, y + first * kBoardCells * out_);
    }
}

void conv3_forward(const float* x, const float* weights, const float* bias, float* y, int64_t n, int in, int out) {
    const int in_panels = panels_of(in), out_panels = panels_of(out);
    thread_local Scratch kept;
    const Matrices matrices{kept.get(Matrices::floats(in_panels, out_panels)), in_panels * kPanel, out_panels};
    transform_weights(weights, in, out, false, matrices);
    const std::vector<float> shift = bias ? padded(bias, out) : std::vector<float>();
    parallel_for((n + kBlock - 1) / kBlock, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * kBlock;
            convolve(matrices, x + first * kBoardCells * in, std::min<int64_t>(kBlock, n - first), in, out,
                     bias ? shift.data() : nullptr, false, y + first * kBoardCells * out);
        }
    });
}

void conv3_backward(const float* x, const float* weights, const float* dy, float* dx, float* dw, int64_t n, int in,
                    int out) {
    const int in_panels = panels_of(in), out_panels = panels_of(out);
    thread_local Scratch kept, sums, inputs, outputs;
    const size_t size = Matrices::floats(in_panels, out_panels);
    const Matrices transposed{dx ? kept.get(size) : nullptr, out_panels * kPanel, in_panels};
    if (dx) transform_weights(weights, in, out, true, transposed);
    const Matrices gradient{dw ? sums.get(size) : nullptr, in_panels * kPanel, out_panels};
    if (dw) std::fill_n(gradient.data, size, 0.0f);
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t boards = std::min<int64_t>(kBlock, n - first), rows = boards * kTiles;
        const Spectrum from{inputs.get(Spectrum::floats(in_panels, rows)), in_panels, rows};
        const Spectrum dto{outputs.get(Spectrum::floats(out_panels, rows)), out_panels, rows};
        parallel_for(boards, 4, [&](int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; ++k) {
                if (dw) input_to_spectrum(x + (first + k) * kBoardCells * in, in, from, k);
                gradient_to_spectrum(dy + (first + k) * kBoardCells * out, out, dto, k);
            }
        });
        parallel_for(kPoints, 1, [&](int64_t begin, int64_t end) {
            for (int64_t point = begin; point < end; ++point) {
                if (dw) add_products(from, dto, gradient, static_cast<int>(point));
                if (dx) multiply(dto, transposed, from, static_cast<int>(point));  // takes the place of the inputs
            }
        });
        if (!dx) continue;
        parallel_for(boards, 4, [&](int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; ++k) {
                spectrum_to_gradient(from, k, dx + (first + k) * kBoardCells * in, in);
            }
        });
    }
    if (dw) transform_weights_gradient(gradient, in, out, dw);
}

}  // namespace zp
