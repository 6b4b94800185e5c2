// Short vectors of floats for the kernels of nets, and a tanh for them. Every lane goes through the same operations in
// the same order whatever the length of the vector, so a result does not depend on the contents of the other lanes.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#if defined(__SSE__)
#include <immintrin.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace zp {

template <int Length>
struct VectorOf {
    using type __attribute__((vector_size(sizeof(float) * Length))) = float;
};

template <int Length>
using Lanes = typename VectorOf<Length>::type;

// Floats per vector register, and how many vectors of sums a kernel can keep in registers.
#if defined(__AVX512F__)
inline constexpr int kVector = 16;
inline constexpr int kSums = 20;
#elif defined(__AVX2__)
inline constexpr int kVector = 8;
inline constexpr int kSums = 10;
#elif defined(__aarch64__)
inline constexpr int kVector = 4;
inline constexpr int kSums = 20;
#else
inline constexpr int kVector = 4;
inline constexpr int kSums = 10;
#endif

template <int Length>
inline Lanes<Length> load_lanes(const float* from) {
    Lanes<Length> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <int Length>
inline void store_lanes(float* to, Lanes<Length> v) {
    std::memcpy(to, &v, sizeof v);
}

// Two short vectors as one, and back. GCC has the builtin since version 12.
#if __has_builtin(__builtin_shufflevector)
inline Lanes<8> joined(Lanes<4> low, Lanes<4> high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline Lanes<4> low_half(Lanes<8> v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
inline Lanes<4> high_half(Lanes<8> v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
#else
inline Lanes<8> joined(Lanes<4> low, Lanes<4> high) {
    return Lanes<8>{low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
}
inline Lanes<4> low_half(Lanes<8> v) { return Lanes<4>{v[0], v[1], v[2], v[3]}; }
inline Lanes<4> high_half(Lanes<8> v) { return Lanes<4>{v[4], v[5], v[6], v[7]}; }
#endif

// Maximum and minimum; as intrinsics where the compiler would compare and blend. (With a mask, because GCC 12
// warns of the plain form of 512 bits.)
template <class Vector>
inline Vector larger(Vector a, Vector b) {
#if defined(__AVX512F__)
    if constexpr (sizeof(Vector) == 64) return (Vector)_mm512_maskz_max_ps(0xFFFF, (__m512)a, (__m512)b);
#endif
#if defined(__AVX__)
    if constexpr (sizeof(Vector) == 32) return (Vector)_mm256_max_ps((__m256)a, (__m256)b);
#endif
#if defined(__SSE__)
    if constexpr (sizeof(Vector) == 16) return (Vector)_mm_max_ps((__m128)a, (__m128)b);
#endif
    return a > b ? a : b;
}

template <class Vector>
inline Vector smaller(Vector a, Vector b) {
#if defined(__AVX512F__)
    if constexpr (sizeof(Vector) == 64) return (Vector)_mm512_maskz_min_ps(0xFFFF, (__m512)a, (__m512)b);
#endif
#if defined(__AVX__)
    if constexpr (sizeof(Vector) == 32) return (Vector)_mm256_min_ps((__m256)a, (__m256)b);
#endif
#if defined(__SSE__)
    if constexpr (sizeof(Vector) == 16) return (Vector)_mm_min_ps((__m128)a, (__m128)b);
#endif
    return a < b ? a : b;
}

// tanh to 4e-7: x P(x²) / Q(x²), fitted for the smallest relative error (6e-9) where |x| <= 8; flat beyond.
template <class Vector>
[[gnu::always_inline]] inline Vector tanh_lanes(Vector x) {
    x = smaller(larger(x, Vector{} - 8.0f), Vector{} + 8.0f);
    const Vector z = x * x;
    Vector p = z * 1.5230407157673653e-08f + 2.1894653400522657e-05f;
    p = p * z + 0.0035715976264327765f;
    p = p * z + 0.1344449818134308f;
    p = p * z + 1.0f;
    Vector q = z * 8.52244227189658e-07f + 0.0003411291108932346f;
    q = q * z + 0.02616444043815136f;
    q = q * z + 0.4677782356739044f;
    q = q * z + 1.0f;
    return x * p / q;
}

template <class Vector>
[[gnu::always_inline]] inline Vector sigmoid_lanes(Vector x) {
    return tanh_lanes(x * 0.5f) * 0.5f + 0.5f;
}

// An uninitialised array of floats, aligned for any vector; in large pages of memory if it is large, where the system
// has them.
class LaneBuffer {
  public:
    explicit LaneBuffer(size_t floats) {
        size_t bytes = floats * sizeof(float), align = kAlign;
        if (bytes >= kPage / 2) {
            align = kPage;
            bytes = (bytes + kPage - 1) / kPage * kPage;
        }
        const std::align_val_t aligned{align};
        data_ = {static_cast<float*>(::operator new(bytes, aligned)), Free{aligned}};
#if defined(MADV_HUGEPAGE)
        if (align == kPage) madvise(data_.get(), bytes, MADV_HUGEPAGE);  // if it fails, memory is only slower
#endif
    }

    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }

  private:
    static constexpr size_t kAlign = 64, kPage = size_t{1} << 21;
    struct Free {
        std::align_val_t aligned;
        void operator()(float* data) const { ::operator delete(data, aligned); }
    };
    std::unique_ptr<float, Free> data_{nullptr, Free{std::align_val_t{kAlign}}};
};

}  // namespace zp
