// Short vectors of floats for the kernels of nets, and a tanh for them. Every lane goes through the same operations in
// the same order whatever the length of the vector, so a result does not depend on what stands in the other lanes.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace zp {

template <int Length>
struct VectorOf {
    using type __attribute__((vector_size(sizeof(float) * Length))) = float;
};

template <int Length>
using Lanes = typename VectorOf<Length>::type;

// The longest vector of one register, and how many sums a kernel can keep in registers beside what else it needs.
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

// tanh to 4e-7: x P(x²) / Q(x²), fitted for the smallest relative error (6e-9) where |x| <= 8; flat beyond.
template <class Vector>
inline Vector tanh_lanes(Vector x) {
    const Vector low = Vector{} - 8.0f, high = Vector{} + 8.0f;
    x = x > low ? x : low;
    x = x < high ? x : high;
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
inline Vector sigmoid_lanes(Vector x) {
    return tanh_lanes(x * 0.5f) * 0.5f + 0.5f;
}

// Floats at an address that suits any vector; not initialised.
class LaneBuffer {
  public:
    explicit LaneBuffer(size_t floats) : data_(static_cast<float*>(::operator new(floats * sizeof(float), kAlign))) {}

    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }

  private:
    static constexpr std::align_val_t kAlign{64};
    struct Free {
        void operator()(float* data) const { ::operator delete(data, kAlign); }
    };
    std::unique_ptr<float, Free> data_;
};

}  // namespace zp
