#include "winograd_transforms.hpp"

#include <utility>

namespace zp {
namespace {

// Calls body(0), body(1), ... with constants, so that every vector of a tile can stay in a register.
template <class F, int... I>
[[gnu::always_inline]] inline void unrolled(F&& body, std::integer_sequence<int, I...>) {
    (body(std::integral_constant<int, I>{}), ...);
}
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(F&& body) {
    unrolled(body, std::make_integer_sequence<int, N>{});
}

// B^T d
template <class Load, class Store>
[[gnu::always_inline]] inline void six_to_six(Load d, Store o) {
    const Vector d0 = d(0), d1 = d(1), d2 = d(2), d3 = d(3), d4 = d(4), d5 = d(5);
    const Vector p = d4 - kB2 * d2, q = kA * (d3 - kB2 * d1), r = d4 - kA2 * d2, s = kB * (d3 - kA2 * d1);
    o(0, d0 - kA2B2 * d2 + d4);
    o(1, p + q);
    o(2, p - q);
    o(3, r + s);
    o(4, r - s);
    o(5, d1 - kA2B2 * d3 + d5);
}

// B e
template <class Load, class Store>
[[gnu::always_inline]] inline void six_to_six_transposed(Load e, Store o) {
    const Vector e0 = e(0), e1 = e(1), e2 = e(2), e3 = e(3), e4 = e(4), e5 = e(5);
    const Vector p = e1 + e2, q = kA * (e1 - e2), r = e3 + e4, s = kB * (e3 - e4);
    o(0, e0);
    o(1, e5 - kB2 * q - kA2 * s);
    o(2, -kA2B2 * e0 - kB2 * p - kA2 * r);
    o(3, q + s - kA2B2 * e5);
    o(4, e0 + p + r);
    o(5, e5);
}

// A^T e
template <class Load, class Store>
[[gnu::always_inline]] inline void six_to_four(Load e, Store o) {
    const Vector e1 = e(1), e2 = e(2), e3 = e(3), e4 = e(4);
    const Vector p = e1 + e2, q = e1 - e2, r = e3 + e4, s = e3 - e4;
    o(0, e(0) + p + r);
    o(1, kA * q + kB * s);
    o(2, kA2 * p + kB2 * r);
    o(3, kA3 * q + kB3 * s + e(5));
}

// A d
template <class Load, class Store>
[[gnu::always_inline]] inline void four_to_six(Load d, Store o) {
    const Vector d0 = d(0), d1 = d(1), d2 = d(2), d3 = d(3);
    const Vector even = d0 + kA2 * d2, odd = kA * d1 + kA3 * d3, even2 = d0 + kB2 * d2, odd2 = kB * d1 + kB3 * d3;
    o(0, d0);
    o(1, even + odd);
    o(2, even - odd);
    o(3, even2 + odd2);
    o(4, even2 - odd2);
    o(5, d3);
}

constexpr bool inside(int row, int column) { return row >= 0 && row < 8 && column >= 0 && column < 8; }

// The first tile that contains a cell, with its border.
constexpr int first_tile(int row, int column) { return (row > 4) * 2 + (column > 4); }

#define ZP_INLINE __attribute__((always_inline))

}  // namespace

void transform_input(const Panel& panel, float* to, size_t apart) {
    by_vector([&](int lane) ZP_INLINE {
        unrolled<kTiles>([&](auto tile) ZP_INLINE {
            constexpr int top = tile / 2 * 4 - 1, left = tile % 2 * 4 - 1;
            Vector half[6][6];
            unrolled<6>([&](auto j) ZP_INLINE {
                six_to_six(
                    [&](int i) ZP_INLINE {
                        return inside(top + i, left + j)
                                   ? load_lanes<kVector>(&panel.cells[(top + i) * 8 + left + j][lane])
                                   : Vector{};
                    },
                    [&](int i, Vector v) ZP_INLINE { half[i][j] = v; });
            });
            unrolled<6>([&](auto i) ZP_INLINE {
                six_to_six([&](int j) ZP_INLINE { return half[i][j]; },
                           [&](int j, Vector v)
                               ZP_INLINE { store_lanes<kVector>(to + (i * 6 + j) * apart + tile * kPanel + lane, v); });
            });
        });
    });
}

void transform_input_transposed(const float* from, size_t apart, Panel& panel) {
    by_vector([&](int lane) ZP_INLINE {
        unrolled<kTiles>([&](auto tile) ZP_INLINE {
            constexpr int top = tile / 2 * 4 - 1, left = tile % 2 * 4 - 1;
            Vector half[6][6];
            unrolled<6>([&](auto i) ZP_INLINE {
                six_to_six_transposed(
                    [&](int j)
                        ZP_INLINE { return load_lanes<kVector>(from + (i * 6 + j) * apart + tile * kPanel + lane); },
                    [&](int j, Vector v) ZP_INLINE { half[i][j] = v; });
            });
            unrolled<6>([&](auto j) ZP_INLINE {
                six_to_six_transposed([&](int i) ZP_INLINE { return half[i][j]; },
                                      [&](int i, Vector v) ZP_INLINE {
                                          if (!inside(top + i, left + j)) return;
                                          float* cell = &panel.cells[(top + i) * 8 + left + j][lane];
                                          if (first_tile(top + i, left + j) < tile) v += load_lanes<kVector>(cell);
                                          store_lanes<kVector>(cell, v);
                                      });
            });
        });
    });
}

void transform_output(const float* from, size_t apart, Panel& panel) {
    by_vector([&](int lane) ZP_INLINE {
        unrolled<kTiles>([&](auto tile) ZP_INLINE {
            constexpr int top = tile / 2 * 4, left = tile % 2 * 4;
            Vector half[6][4];
            unrolled<6>([&](auto i) ZP_INLINE {
                six_to_four(
                    [&](int j)
                        ZP_INLINE { return load_lanes<kVector>(from + (i * 6 + j) * apart + tile * kPanel + lane); },
                    [&](int j, Vector v) ZP_INLINE { half[i][j] = v; });
            });
            unrolled<4>([&](auto j) ZP_INLINE {
                six_to_four([&](int i) ZP_INLINE { return half[i][j]; },
                            [&](int i, Vector v)
                                ZP_INLINE { store_lanes<kVector>(&panel.cells[(top + i) * 8 + left + j][lane], v); });
            });
        });
    });
}

void transform_output_transposed(const Panel& panel, float* to, size_t apart) {
    by_vector([&](int lane) ZP_INLINE {
        unrolled<kTiles>([&](auto tile) ZP_INLINE {
            constexpr int top = tile / 2 * 4, left = tile % 2 * 4;
            Vector half[6][4];
            unrolled<4>([&](auto j) ZP_INLINE {
                four_to_six([&](int i)
                                ZP_INLINE { return load_lanes<kVector>(&panel.cells[(top + i) * 8 + left + j][lane]); },
                            [&](int i, Vector v) ZP_INLINE { half[i][j] = v; });
            });
            unrolled<6>([&](auto i) ZP_INLINE {
                four_to_six([&](int j) ZP_INLINE { return half[i][j]; },
                            [&](int j, Vector v) ZP_INLINE {
                                store_lanes<kVector>(to + (i * 6 + j) * apart + tile * kPanel + lane, v);
                            });
            });
        });
    });
}

}  // namespace zp
