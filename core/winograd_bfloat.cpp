// Products of bfloat16 numbers with the instruction vdpbf16ps, in functions that are compiled for processors that have
// it and called only on those. They round as the instruction does: inputs that are denormal count as zero.
#include <stdexcept>

#include "winograd_products.hpp"

namespace zp {

#if defined(__AVX512F__)

#define ZP_BFLOAT [[gnu::target("avx512bf16")]]

bool has_bfloat() { return __builtin_cpu_supports("avx512bf16"); }

namespace {

constexpr int kRows = 8, kColumns = 2;

// The sum plus a . b of each unit; `a` is one unit for all.
ZP_BFLOAT inline __m512 dot(__m512 sum, const float* a, __m512 b) {
    return _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_ps(*a), (__m512bh)b);
}

// to[M, Q panels] = a[M, k] b[k, Q panels], where a lies in panels `apart` floats from each other.
template <int M, int Q>
ZP_BFLOAT void multiply_rows(const float* a, size_t apart, int a_panels, const float* b, size_t b_apart, float* to,
                             size_t to_apart) {
    __m512 sums[M][Q];
    for (int m = 0; m < M; ++m) {
        for (int q = 0; q < Q; ++q) sums[m][q] = _mm512_setzero_ps();
    }
    for (int p = 0; p < a_panels; ++p, a += apart) {
        for (int k = 0; k < kPanel; ++k, b += kPanel) {
            __m512 row[Q];
            for (int q = 0; q < Q; ++q) row[q] = _mm512_load_ps(b + q * b_apart);
            for (int m = 0; m < M; ++m) {
                for (int q = 0; q < Q; ++q) sums[m][q] = dot(sums[m][q], a + m * kPanel + k, row[q]);
            }
        }
    }
    for (int m = 0; m < M; ++m) {
        for (int q = 0; q < Q; ++q) _mm512_store_ps(to + q * to_apart + m * kPanel, sums[m][q]);
    }
}

template <int Q>
ZP_BFLOAT void multiply_panels(const Spectrum& from, const Matrices& matrices, const Spectrum& to, int point, int q) {
    const size_t apart = static_cast<size_t>(from.rows) * kPanel, to_apart = static_cast<size_t>(to.rows) * kPanel;
    const size_t b_apart = static_cast<size_t>(matrices.rows) * kPanel;
    const float* b = matrices.at(point, q, 0);
    int64_t row = 0;
    for (; row + kRows <= from.rows; row += kRows) {
        multiply_rows<kRows, Q>(from.at(point, 0, row), apart, from.panels, b, b_apart, to.at(point, q, row), to_apart);
    }
    for (; row < from.rows; row += kTiles) {  // the last board
        multiply_rows<kTiles, Q>(from.at(point, 0, row), apart, from.panels, b, b_apart, to.at(point, q, row),
                                 to_apart);
    }
}

// gradient[kRows, Q panels] += a^T b.
template <int Q>
ZP_BFLOAT void add_block(const float* a, const float* b, size_t b_apart, int64_t rows, float* to, size_t to_apart) {
    __m512 sums[kRows][Q];
    for (int m = 0; m < kRows; ++m) {
        for (int q = 0; q < Q; ++q) sums[m][q] = _mm512_load_ps(to + q * to_apart + m * kPanel);
    }
    for (int64_t t = 0; t < rows; ++t, a += kPanel, b += kPanel) {
        __m512 row[Q];
        for (int q = 0; q < Q; ++q) row[q] = _mm512_load_ps(b + q * b_apart);
        for (int m = 0; m < kRows; ++m) {
            for (int q = 0; q < Q; ++q) sums[m][q] = dot(sums[m][q], a + m, row[q]);
        }
    }
    for (int m = 0; m < kRows; ++m) {
        for (int q = 0; q < Q; ++q) _mm512_store_ps(to + q * to_apart + m * kPanel, sums[m][q]);
    }
}

template <int Q>
ZP_BFLOAT void add_panels(const Spectrum& from, const Spectrum& dto, const Matrices& gradient, int point, int q) {
    const size_t b_apart = static_cast<size_t>(dto.rows) * kPanel;
    const size_t to_apart = static_cast<size_t>(gradient.rows) * kPanel;
    for (int row = 0; row < from.panels * kPanel; row += kRows) {
        add_block<Q>(from.at(point, row / kPanel, 0) + row % kPanel, dto.at(point, q, 0), b_apart, from.rows,
                     gradient.at(point, q, row), to_apart);
    }
}

}  // namespace

ZP_BFLOAT void pack_channels(const float* points, const Spectrum& to, int panel, int64_t board) {
    for (int point = 0; point < kPoints; ++point) {
        float* row = to.at(point, panel / 2, board * kTiles) + panel % 2 * (kPanel / 2);
        for (int tile = 0; tile < kTiles; ++tile, points += kPanel, row += kPanel) {
            _mm256_store_si256(reinterpret_cast<__m256i*>(row), (__m256i)_mm512_cvtneps_pbh(_mm512_load_ps(points)));
        }
    }
}

ZP_BFLOAT void pack_tiles(const float* points, const Spectrum& to, int panel, int64_t board) {
    alignas(64) static constexpr uint16_t kOrder[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __m512i order = _mm512_load_si512(kOrder);
    for (int point = 0; point < kPoints; ++point) {
        float* row = to.at(point, panel, board * (kTiles / 2));
        for (int pair = 0; pair < kTiles / 2; ++pair, points += 2 * kPanel, row += kPanel) {
            const __m512i both = (__m512i)_mm512_cvtne2ps_pbh(_mm512_load_ps(points + kPanel), _mm512_load_ps(points));
            _mm512_store_si512(row, _mm512_permutexvar_epi16(order, both));
        }
    }
}

namespace bfloat {

void multiply(const Spectrum& from, const Matrices& matrices, const Spectrum& to, int point) {
    int q = 0;
    for (; q + kColumns <= to.panels; q += kColumns) multiply_panels<kColumns>(from, matrices, to, point, q);
    for (; q < to.panels; ++q) multiply_panels<1>(from, matrices, to, point, q);
}

void add_products(const Spectrum& from, const Spectrum& dto, const Matrices& gradient, int point) {
    int q = 0;
    for (; q + kColumns <= dto.panels; q += kColumns) add_panels<kColumns>(from, dto, gradient, point, q);
    for (; q < dto.panels; ++q) add_panels<1>(from, dto, gradient, point, q);
}

void expand(const float* units, Panel& panel) {
    const __mmask16 all = 0xFFFF;  // because GCC 12 warns of the plain forms
    const auto* from = reinterpret_cast<const __m256i*>(units);
    for (auto& cell : panel.cells) {
        const __m512i wide = _mm512_maskz_cvtepu16_epi32(all, _mm256_load_si256(from++));
        _mm512_store_si512(cell, _mm512_maskz_slli_epi32(all, wide, 16));
    }
}

ZP_BFLOAT void shrink(const Panel& panel, float* units) {
    auto* to = reinterpret_cast<__m256i*>(units);
    for (const auto& cell : panel.cells) {
        _mm256_store_si256(to++, (__m256i)_mm512_cvtneps_pbh(_mm512_load_ps(cell)));
    }
}

}  // namespace bfloat

#else

bool has_bfloat() { return false; }

namespace {

[[noreturn]] void missing() { throw std::logic_error("this level of the core has no products of bfloat16 numbers"); }

}  // namespace

void pack_channels(const float*, const Spectrum&, int, int64_t) { missing(); }
void pack_tiles(const float*, const Spectrum&, int, int64_t) { missing(); }

namespace bfloat {
void multiply(const Spectrum&, const Matrices&, const Spectrum&, int) { missing(); }
void add_products(const Spectrum&, const Spectrum&, const Matrices&, int) { missing(); }
void expand(const float*, Panel&) { missing(); }
void shrink(const Panel&, float*) { missing(); }
}  // namespace bfloat

#endif

}  // namespace zp
