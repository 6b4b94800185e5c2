// A fixed-size set of up to 64*W bits, the board of every game larger than 64 cells.
//
// Boards are laid out row by row with one spare column (stride = size + 1), so that a shift by one cell in any
// of the eight directions never wraps onto the board: the spare column and everything outside is masked off.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

namespace zp {

// Index of the k-th set bit (k from 0); k must be less than the number of set bits.
inline int nth_bit(uint64_t word, int k) {
#if defined(__BMI2__)
    return std::countr_zero(_pdep_u64(uint64_t{1} << k, word));
#else
    for (; k > 0; --k) word &= word - 1;
    return std::countr_zero(word);
#endif
}

template <int W>
struct Bits {
    uint64_t word[W] = {};

    static Bits single(int bit) {
        Bits result;
        result.set(bit);
        return result;
    }

    bool test(int bit) const { return word[bit >> 6] >> (bit & 63) & 1; }
    void set(int bit) { word[bit >> 6] |= uint64_t{1} << (bit & 63); }
    void reset(int bit) { word[bit >> 6] &= ~(uint64_t{1} << (bit & 63)); }

    bool any() const {
        uint64_t all = 0;
        for (int i = 0; i < W; ++i) all |= word[i];
        return all != 0;
    }

    int count() const {
        int total = 0;
        for (int i = 0; i < W; ++i) total += std::popcount(word[i]);
        return total;
    }

    // Index of the lowest set bit; the set must not be empty.
    int first() const {
        int i = 0;
        while (word[i] == 0) ++i;
        return i * 64 + std::countr_zero(word[i]);
    }

    int nth(int k) const {
        for (int i = 0; i < W - 1; ++i) {
            const int here = std::popcount(word[i]);
            if (k < here) return i * 64 + nth_bit(word[i], k);
            k -= here;
        }
        return (W - 1) * 64 + nth_bit(word[W - 1], k);
    }

    template <class F>
    void for_each(F&& visit) const {
        for (int i = 0; i < W; ++i) {
            for (uint64_t rest = word[i]; rest != 0; rest &= rest - 1) visit(i * 64 + std::countr_zero(rest));
        }
    }

    // Shifts by 1 to 63 bits.
    Bits operator<<(int n) const {
        Bits result;
        result.word[0] = word[0] << n;
        for (int i = 1; i < W; ++i) result.word[i] = word[i] << n | word[i - 1] >> (64 - n);
        return result;
    }

    Bits operator>>(int n) const {
        Bits result;
        for (int i = 0; i < W - 1; ++i) result.word[i] = word[i] >> n | word[i + 1] << (64 - n);
        result.word[W - 1] = word[W - 1] >> n;
        return result;
    }

    Bits operator&(const Bits& other) const {
        Bits result;
        for (int i = 0; i < W; ++i) result.word[i] = word[i] & other.word[i];
        return result;
    }

    Bits operator|(const Bits& other) const {
        Bits result;
        for (int i = 0; i < W; ++i) result.word[i] = word[i] | other.word[i];
        return result;
    }

    Bits operator^(const Bits& other) const {
        Bits result;
        for (int i = 0; i < W; ++i) result.word[i] = word[i] ^ other.word[i];
        return result;
    }

    Bits without(const Bits& other) const {
        Bits result;
        for (int i = 0; i < W; ++i) result.word[i] = word[i] & ~other.word[i];
        return result;
    }

    bool operator==(const Bits&) const = default;
};

}  // namespace zp
