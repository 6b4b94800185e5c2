// The pattern evaluation of Othello: the value of a position is a sum of table entries, one for the contents of each
// line, edge and corner (after Buro's Logistello, 1997). Tables depend on the stage of the game; symmetric lines share
// a table. Values are disc differences expected at the end, seen by the side to move.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include "images.hpp"

namespace zp {

struct PatternShape {
    uint64_t squares;  // of the first instance
    int cells;
    int images;  // instances: the shape on the board under symmetries given by `which`
    uint8_t which[8];
};

// Symmetries: 0 as it is, 1 columns mirrored, 2 rows mirrored, 3 both, 4 to 7 the same transposed.
inline constexpr std::array<PatternShape, 11> kPatterns = {{
    {0x0000000001020408, 4, 4, {0, 1, 2, 3}},              // diagonals of 4
    {0x0000000102040810, 5, 4, {0, 1, 2, 3}},              // of 5
    {0x0000010204081020, 6, 4, {0, 1, 2, 3}},              // of 6
    {0x0001020408102040, 7, 4, {0, 1, 2, 3}},              // of 7
    {0x0102040810204080, 8, 2, {0, 1}},                    // of 8
    {0x000000000000FF00, 8, 4, {0, 2, 4, 5}},              // second lines
    {0x0000000000FF0000, 8, 4, {0, 2, 4, 5}},              // third
    {0x00000000FF000000, 8, 4, {0, 2, 4, 5}},              // fourth
    {0x00000000000042FF, 10, 4, {0, 2, 4, 5}},             // edges with both X squares
    {0x0000000000070707, 9, 4, {0, 1, 2, 3}},              // corners of 3x3
    {0x0000000000001F1F, 10, 8, {0, 1, 2, 3, 4, 5, 6, 7}}  // corners of 2x5
}};

constexpr int power3(int n) { return n == 0 ? 1 : 3 * power3(n - 1); }

inline constexpr int kFeatures = [] {
    int total = 0;
    for (const auto& pattern : kPatterns) total += pattern.images;
    return total;
}();

inline constexpr std::array<int, kPatterns.size() + 1> kOffsets = [] {
    std::array<int, kPatterns.size() + 1> offsets{};
    for (size_t p = 0; p < kPatterns.size(); ++p) offsets[p + 1] = offsets[p] + power3(kPatterns[p].cells);
    return offsets;
}();

inline constexpr int kPatternWeights = kOffsets.back();  // of one stage
inline constexpr int kStages = 10;                       // of six plies each

constexpr int stage_of(int empties) {
    return empties >= 60 ? 0 : (60 - empties) / 6 < kStages ? (60 - empties) / 6 : kStages - 1;
}

// The bits of `board` at `squares`, packed to the low end.
inline uint32_t extract(uint64_t board, uint64_t squares) {
#if defined(__BMI2__)
    return static_cast<uint32_t>(_pext_u64(board, squares));
#else
    uint32_t packed = 0;
    for (int at = 0; squares != 0; squares &= squares - 1, ++at) {
        packed |= static_cast<uint32_t>((board & squares & -squares) != 0) << at;
    }
    return packed;
#endif
}

// Bits as digits of base 3: bit i counts 3^i.
inline constexpr std::array<uint16_t, 1024> kTernary = [] {
    std::array<uint16_t, 1024> table{};
    for (int bits = 0; bits < 1024; ++bits) {
        int value = 0;
        for (int i = 9; i >= 0; --i) value = 3 * value + (bits >> i & 1);
        table[bits] = static_cast<uint16_t>(value);
    }
    return table;
}();

// Calls visit(offset) with the place in a stage's weights of each of the features: own discs count 1, opposing 2.
template <class F>
inline void each_feature(uint64_t own, uint64_t opponent, F&& visit) {
    const auto mine = images(own), theirs = images(opponent);
    [&]<size_t... P>(std::index_sequence<P...>) {
        (
            [&] {
                constexpr PatternShape pattern = kPatterns[P];
                for (int i = 0; i < pattern.images; ++i) {
                    const int k = pattern.which[i];
                    visit(kOffsets[P] + kTernary[extract(mine[k], pattern.squares)] +
                          2 * kTernary[extract(theirs[k], pattern.squares)]);
                }
            }(),
            ...);
    }(std::make_index_sequence<kPatterns.size()>{});
}

// The places of all features within their tables, three vectors of 16, the last two of them idle.
inline constexpr int kLanes = 16;
inline constexpr int kVectors = (kFeatures + kLanes - 1) / kLanes;
using PatternLanes = uint16_t __attribute__((vector_size(2 * kLanes)));

// What a disc of value 1 on a square adds to the place of each feature.
struct PatternSteps {
    alignas(2 * kLanes) uint16_t of[64][kVectors * kLanes];

    PatternLanes at(int square, int vector) const {
        return *reinterpret_cast<const PatternLanes*>(of[square] + vector * kLanes);
    }
};

inline constexpr PatternSteps kPatternSteps = [] {
    PatternSteps steps{};
    for (int square = 0; square < 64; ++square) {
        const auto seen = images(uint64_t{1} << square);
        int feature = 0;
        for (const auto& pattern : kPatterns) {
            for (int i = 0; i < pattern.images; ++i, ++feature) {
                const uint64_t here = seen[pattern.which[i]];
                if ((here & pattern.squares) == 0) continue;
                int before = 0;
                for (uint64_t rest = pattern.squares & (here - 1); rest != 0; rest &= rest - 1) ++before;
                steps.of[square][feature] = static_cast<uint16_t>(power3(before));
            }
        }
    }
    return steps;
}();

// Where the table of each feature begins.
inline constexpr std::array<int, kFeatures> kFeatureOffsets = [] {
    std::array<int, kFeatures> offsets{};
    int feature = 0;
    for (size_t p = 0; p < kPatterns.size(); ++p) {
        for (int i = 0; i < kPatterns[p].images; ++i) offsets[feature++] = kOffsets[p];
    }
    return offsets;
}();

// The features of a position as either side sees them, carried along from move to move: a move costs a few vector
// additions for each disc it turns, where a board seen for the first time costs some hundred steps.
struct PatternTrace {
    PatternLanes own[kVectors];    // as seen by the side to move
    PatternLanes other[kVectors];  // as seen by its opponent

    static PatternTrace of(uint64_t own, uint64_t opponent) {
        PatternTrace trace{};
        for (uint64_t rest = own; rest != 0; rest &= rest - 1) trace.add(__builtin_ctzll(rest), 1, 2);
        for (uint64_t rest = opponent; rest != 0; rest &= rest - 1) trace.add(__builtin_ctzll(rest), 2, 1);
        return trace;
    }

    // After the side to move has played on `square` and turned discs; seen by the opponent, whose turn it is.
    PatternTrace after(int square, uint64_t turned) const {
        PatternTrace next;
        PatternLanes flipped[kVectors];
        sum(turned, flipped);
        for (int v = 0; v < kVectors; ++v) {
            const PatternLanes step = kPatternSteps.at(square, v);
            next.own[v] = other[v] + flipped[v] + step + step;
            next.other[v] = own[v] - flipped[v] + step;
        }
        return next;
    }

    PatternTrace passed() const {
        PatternTrace next;
        for (int v = 0; v < kVectors; ++v) next.own[v] = other[v], next.other[v] = own[v];
        return next;
    }

    static void sum(uint64_t squares, PatternLanes* total) {
        for (int v = 0; v < kVectors; ++v) total[v] = PatternLanes{};
        for (; squares != 0; squares &= squares - 1) {
            const int square = __builtin_ctzll(squares);
            for (int v = 0; v < kVectors; ++v) total[v] += kPatternSteps.at(square, v);
        }
    }

  private:
    void add(int square, uint16_t seen, uint16_t seen_by_other) {
        for (int v = 0; v < kVectors; ++v) {
            own[v] += kPatternSteps.at(square, v) * seen;
            other[v] += kPatternSteps.at(square, v) * seen_by_other;
        }
    }
};

// Tables for all stages, in 1/128 of a disc.
class PatternEvaluation {
  public:
    static constexpr float kUnit = 1.0f / 128;

    // weights[kStages, kPatternWeights], bias[61] by number of empty squares.
    PatternEvaluation(std::span<const int16_t> weights, std::span<const int16_t> bias)
        : weights_(weights.begin(), weights.end()), bias_(bias.begin(), bias.end()) {}

    // Expected disc difference for `own`, which is to move, in 1/128 of a disc.
    int value(uint64_t own, uint64_t opponent) const {
        return value(PatternTrace::of(own, opponent), __builtin_popcountll(~(own | opponent)));
    }

    // The same of a position with `empties` empty squares whose features are known.
    int value(const PatternTrace& trace, int empties) const { return total(trace.own, empties); }

    // The same of the position after a move, for the side whose turn it then is: the mover again after a pass.
    int value_after(const PatternTrace& before, int square, uint64_t turned, bool passed, int empties) const {
        PatternLanes places[kVectors];
        PatternTrace::sum(turned, places);
        for (int v = 0; v < kVectors; ++v) {
            const PatternLanes step = kPatternSteps.at(square, v);
            places[v] = passed ? before.own[v] - places[v] + step : before.other[v] + places[v] + step + step;
        }
        return total(places, empties);
    }

  private:
    int total(const PatternLanes* places, int empties) const {
        alignas(2 * kLanes) uint16_t place[kVectors * kLanes];
        std::memcpy(place, places, sizeof place);
        const int16_t* stage = weights_.data() + static_cast<size_t>(stage_of(empties)) * kPatternWeights;
        int sum = bias_[empties < 60 ? empties : 60];
        [&]<size_t... F>(std::index_sequence<F...>) {
            ((sum += stage[kFeatureOffsets[F] + place[F]]), ...);
        }(std::make_index_sequence<kFeatures>{});
        return sum;
    }

    std::vector<int16_t> weights_, bias_;
};

}  // namespace zp
