// Elementary functions over short vectors of doubles, so that a loop over them keeps all lanes of the processor busy
// and gives the same numbers with every version of the C library. Those of floats are in lanes.hpp.
#pragma once

#include <cstdint>

namespace zp {

#if defined(__AVX512F__)
inline constexpr int kDoubles = 8;
#else
inline constexpr int kDoubles = 4;
#endif

using Doubles = double __attribute__((vector_size(8 * kDoubles)));
using Words = uint64_t __attribute__((vector_size(8 * kDoubles)));
using Halves = int32_t __attribute__((vector_size(4 * kDoubles)));

// The value of sum over i of terms[i] * x^i.
template <int N>
Doubles polynomial(Doubles x, const double (&terms)[N]) {
    Doubles sum = Doubles{} + terms[N - 1];
    for (int i = N - 2; i >= 0; --i) sum = sum * x + terms[i];
    return sum;
}

// e^x for |x| up to 700, within 1e-11 of it.
inline Doubles exp_of(Doubles x) {
    constexpr double kLog2 = 0x1.62e42fefa39efp-1, kToInteger = 0x1.8p52;
    const Doubles shifted = x * (1 / kLog2) + kToInteger;  // its low bits are the nearest whole number
    const Doubles rest = x - (shifted - kToInteger) * kLog2;
    constexpr double kTerms[] = {1,         1,         1.0 / 2,    1.0 / 6,     1.0 / 24,
                                 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
    return (Doubles)((Words)polynomial(rest, kTerms) + ((Words)shifted << 52));
}

// The natural logarithm of positive normal numbers: 2 artanh((m - 1) / (m + 1)) of the mantissa m near 1.
inline Doubles log_of(Doubles x) {
    constexpr uint64_t kHalfRoot = 0x3FE6A09E667F3BCD;  // the bits of sqrt(1/2)
    const Words above = (Words)x - kHalfRoot;
    const Words mantissa = (above & 0x000FFFFFFFFFFFFF) + kHalfRoot;
    const Doubles exponent = __builtin_convertvector(__builtin_convertvector(above >> 52, Halves) << 20 >> 20, Doubles);
    const Doubles s = ((Doubles)mantissa - 1.0) / ((Doubles)mantissa + 1.0);
    constexpr double kTerms[] = {2,        2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                                 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19};
    return exponent * 0x1.62e42fefa39efp-1 + s * polynomial(s * s, kTerms);
}

// The cosine of `turn` / 2^32 of a full turn; turn is below 2^32.
inline Doubles cos_of_turn(Words turn) {
    const Words quarter = (turn + (uint64_t{1} << 29)) >> 30;  // the nearest one
    const Halves rest = __builtin_convertvector(turn - (quarter << 30), Halves);
    const Doubles x = __builtin_convertvector(rest, Doubles) * 0x1.921fb54442d18p-30;  // 2 pi / 2^32
    const Doubles t = x * x;
    constexpr double kCos[] = {1,
                               -1.0 / 2,
                               1.0 / 24,
                               -1.0 / 720,
                               1.0 / 40320,
                               -1.0 / 3628800,
                               1.0 / 479001600,
                               -1.0 / 87178291200,
                               1.0 / 20922789888000};
    constexpr double kSin[] = {1,
                               -1.0 / 6,
                               1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800,
                               1.0 / 6227020800,
                               -1.0 / 1307674368000,
                               1.0 / 355687428096000};
    const Doubles along = polynomial(t, kCos), across = x * polynomial(t, kSin);
    const Doubles value = (quarter & 1) != 0 ? across : along;
    // cos x, -sin x, -cos x, sin x in the four quarters.
    return (Doubles)((Words)value ^ (((quarter + 1) & 2) << 62));
}

}  // namespace zp
