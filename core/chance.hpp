// Counter-based chance: a draw is a pure function of a 64-bit key and a counter.
//
// A key names what is being decided (run seed, match, game index); the counter is usually the ply. No draw
// depends on which thread made it or how many were made before. The mixing function is SplitMix64's finaliser
// (Steele, Lea, Flood 2014), so the draws of one key are that generator's sequence read at any place.
// zeroply/chance.py is the same in NumPy.
#pragma once

#include <cstdint>

namespace zp {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;

inline uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9;
    x ^= x >> 27;
    x *= 0x94D049BB133111EB;
    x ^= x >> 31;
    return x;
}

// 64 random bits.
inline uint64_t draw(uint64_t key, uint64_t counter) { return mix(key + kGolden * (counter + 1)); }

// The key of a part of what `key` names; unrelated to the draws of `key` itself.
inline uint64_t derive(uint64_t key, uint64_t part) { return mix(draw(key, part) ^ 0xD1B54A32D192ED03); }

// A number from 0 to n - 1.
inline uint32_t below(uint64_t bits, uint32_t n) { return static_cast<uint32_t>((bits >> 32) * n >> 32); }

// A number in [0, 1).
inline double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

}  // namespace zp
