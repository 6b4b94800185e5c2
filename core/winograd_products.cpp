#include "winograd_products.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "threads.hpp"

namespace zp {
namespace {

// Rows and panels of columns of a product that are summed in registers at a time.
constexpr int kRows = kVector == 16 ? 8 : kVector == 8 ? 6 : 3;
constexpr int kColumns = kVector == 16 ? 2 : 1;
constexpr int kWeightRows = kVector == 16 ? 8 : kVector == 8 ? 4 : 2;  // divides kPanel

// --- the weights ---------------------------------------------------------------------------------------------------

struct WeightsBlock {
    float point[kPoints][kPanel][kPanel];  // [point, row, column]
};

// G g G^T of 16 inputs to 16 outputs: block.point[k][output][input].
void transform_block(const float* weights, int in, int out, int first_in, int first_out, WeightsBlock& block) {
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
                    block.point[i * 6 + j][o][c] =
                        kG[j][0] * half[i][0][c] + kG[j][1] * half[i][1][c] + kG[j][2] * half[i][2][c];
                }
            }
        }
    }
}

// The upper half of a float, rounded to nearest, ties to even.
uint32_t rounded(float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// Rows of a block to the units of a matrix.
void store_rows(const float (*rows)[kPanel], Arithmetic arithmetic, float* to) {
    if (arithmetic == Arithmetic::kSingle) {
        std::memcpy(to, rows, sizeof(float) * kPanel * kPanel);
        return;
    }
    for (int pair = 0; pair < kPanel / 2; ++pair) {
        uint32_t units[kPanel];
        for (int c = 0; c < kPanel; ++c) {
            units[c] = rounded(rows[2 * pair][c]) | rounded(rows[2 * pair + 1][c]) << 16;
        }
        std::memcpy(to + pair * kPanel, units, sizeof units);
    }
}

// --- products in single precision ----------------------------------------------------------------------------------

// to[M, Q panels] = a[M, k] b[k, Q panels], where a lies in panels `apart` floats from each other.
template <int M, int Q>
void multiply_rows(const float* a, size_t apart, int a_panels, const float* b, size_t b_apart, float* to,
                   size_t to_apart) {
    Vector sums[M][Q][kParts];
    for (auto& row : sums) {
        for (auto& panel : row) std::fill_n(panel, kParts, Vector{});  // an empty initialiser goes through memory
    }
    for (int p = 0; p < a_panels; ++p, a += apart) {
        for (int k = 0; k < kPanel; ++k, b += kPanel) {
            Vector row[Q][kParts];
            for (int q = 0; q < Q; ++q) {
                for (int part = 0; part < kParts; ++part) {
                    row[q][part] = load_lanes<kVector>(b + q * b_apart + part * kVector);
                }
            }
            for (int m = 0; m < M; ++m) {
                const float factor = a[m * kPanel + k];
                for (int q = 0; q < Q; ++q) {
                    for (int part = 0; part < kParts; ++part) sums[m][q][part] += factor * row[q][part];
                }
            }
        }
    }
    for (int m = 0; m < M; ++m) {
        for (int q = 0; q < Q; ++q) {
            for (int part = 0; part < kParts; ++part) {
                store_lanes<kVector>(to + q * to_apart + m * kPanel + part * kVector, sums[m][q][part]);
            }
        }
    }
}

template <int M, int Q>
void multiply_rest(int rows, const float* a, size_t apart, int a_panels, const float* b, size_t b_apart, float* to,
                   size_t to_apart) {
    if constexpr (M > 0) {
        if (rows == M) return multiply_rows<M, Q>(a, apart, a_panels, b, b_apart, to, to_apart);
        multiply_rest<M - 1, Q>(rows, a, apart, a_panels, b, b_apart, to, to_apart);
    }
}

template <int Q>
void multiply_panels(const Spectrum& from, const Matrices& matrices, const Spectrum& to, int point, int q) {
    const size_t apart = static_cast<size_t>(from.rows) * kPanel, to_apart = static_cast<size_t>(to.rows) * kPanel;
    const size_t b_apart = static_cast<size_t>(matrices.rows) * kPanel;
    const float* b = matrices.at(point, q, 0);
    int64_t row = 0;
    for (; row + kRows <= from.rows; row += kRows) {
        multiply_rows<kRows, Q>(from.at(point, 0, row), apart, from.panels, b, b_apart, to.at(point, q, row), to_apart);
    }
    multiply_rest<kRows - 1, Q>(static_cast<int>(from.rows - row), from.at(point, 0, row), apart, from.panels, b,
                                b_apart, to.at(point, q, row), to_apart);
}

// gradient[kWeightRows, Q panels] += a^T b.
template <int Q>
void add_block(const float* a, const float* b, size_t b_apart, int64_t rows, float* to, size_t to_apart) {
    constexpr int M = kWeightRows;
    Vector sums[M][Q][kParts];
    for (int m = 0; m < M; ++m) {
        for (int q = 0; q < Q; ++q) {
            for (int part = 0; part < kParts; ++part) {
                sums[m][q][part] = load_lanes<kVector>(to + q * to_apart + m * kPanel + part * kVector);
            }
        }
    }
    for (int64_t t = 0; t < rows; ++t, a += kPanel, b += kPanel) {
        Vector row[Q][kParts];
        for (int q = 0; q < Q; ++q) {
            for (int part = 0; part < kParts; ++part) {
                row[q][part] = load_lanes<kVector>(b + q * b_apart + part * kVector);
            }
        }
        for (int m = 0; m < M; ++m) {
            for (int q = 0; q < Q; ++q) {
                for (int part = 0; part < kParts; ++part) sums[m][q][part] += a[m] * row[q][part];
            }
        }
    }
    for (int m = 0; m < M; ++m) {
        for (int q = 0; q < Q; ++q) {
            for (int part = 0; part < kParts; ++part) {
                store_lanes<kVector>(to + q * to_apart + m * kPanel + part * kVector, sums[m][q][part]);
            }
        }
    }
}

template <int Q>
void add_panels(const Spectrum& from, const Spectrum& dto, const Matrices& gradient, int point, int q) {
    const size_t b_apart = static_cast<size_t>(dto.rows) * kPanel;
    const size_t to_apart = static_cast<size_t>(gradient.rows) * kPanel;
    for (int row = 0; row < from.panels * kPanel; row += kWeightRows) {
        add_block<Q>(from.at(point, row / kPanel, 0) + row % kPanel, dto.at(point, q, 0), b_apart, from.rows,
                     gradient.at(point, q, row), to_apart);
    }
}

}  // namespace

void transform_weights(const float* weights, int in, int out, bool transposed, Arithmetic arithmetic,
                       const Matrices& to) {
    const int in_panels = panels_of(in), out_panels = panels_of(out), units = per_unit(arithmetic);
    const int row_panels = transposed ? out_panels : in_panels, rows = kPanel / units;
    parallel_for(static_cast<int64_t>(in_panels) * out_panels, 8, [&](int64_t begin, int64_t end) {
        WeightsBlock block;
        for (int64_t k = begin; k < end; ++k) {
            const int p = static_cast<int>(k / out_panels), q = static_cast<int>(k % out_panels);
            const int row = (transposed ? q : p) * rows, column = transposed ? p : q;
            transform_block(weights, in, out, p * kPanel, q * kPanel, block);
            for (int point = 0; point < kPoints; ++point) {
                if (transposed) {
                    store_rows(block.point[point], arithmetic, to.at(point, column, row));
                    continue;
                }
                float turned[kPanel][kPanel];
                for (int c = 0; c < kPanel; ++c) {
                    for (int o = 0; o < kPanel; ++o) turned[c][o] = block.point[point][o][c];
                }
                store_rows(turned, arithmetic, to.at(point, column, row));
            }
        }
    });
    for (int row = row_panels * rows; row < to.rows; ++row) {  // half a panel of units is left
        for (int point = 0; point < kPoints; ++point) {
            for (int q = 0; q < to.panels; ++q) std::fill_n(to.at(point, q, row), kPanel, 0.0f);
        }
    }
}

void transform_weights_gradient(const Matrices& gradient, int in, int out, float* dw) {
    const int in_panels = panels_of(in), out_panels = panels_of(out);
    parallel_for(static_cast<int64_t>(in_panels) * out_panels, 8, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
            const int p = static_cast<int>(k / out_panels), q = static_cast<int>(k % out_panels);
            const int inputs = std::min(kPanel, in - p * kPanel), outputs = std::min(kPanel, out - q * kPanel);
            float sums[9][kPanel][kPanel];  // [cell of the kernel, input, output]
            for (int c = 0; c < kPanel; ++c) {
                float half[3][6][kPanel] = {};
                for (int i = 0; i < 6; ++i) {
                    for (int j = 0; j < 6; ++j) {
                        const float* row = gradient.at(i * 6 + j, q, p * kPanel + c);
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
                        std::memcpy(sums[a * 3 + b][c], sum, sizeof sum);
                    }
                }
            }
            for (int o = 0; o < outputs; ++o) {
                for (int cell = 0; cell < 9; ++cell) {
                    float* to = dw + (static_cast<size_t>(q * kPanel + o) * 9 + cell) * in + p * kPanel;
                    for (int c = 0; c < inputs; ++c) to[c] = sums[cell][c][o];
                }
            }
        }
    });
}

void multiply(const Spectrum& from, const Matrices& matrices, const Spectrum& to, int point, Arithmetic arithmetic) {
    if (arithmetic == Arithmetic::kBfloat) return bfloat::multiply(from, matrices, to, point);
    int q = 0;
    for (; q + kColumns <= to.panels; q += kColumns) multiply_panels<kColumns>(from, matrices, to, point, q);
    for (; q < to.panels; ++q) multiply_panels<1>(from, matrices, to, point, q);
}

void add_products(const Spectrum& from, const Spectrum& dto, const Matrices& gradient, int point,
                  Arithmetic arithmetic) {
    if (arithmetic == Arithmetic::kBfloat) return bfloat::add_products(from, dto, gradient, point);
    int q = 0;
    for (; q + kColumns <= dto.panels; q += kColumns) add_panels<kColumns>(from, dto, gradient, point, q);
    for (; q < dto.panels; ++q) add_panels<1>(from, dto, gradient, point, q);
}

}  // namespace zp
