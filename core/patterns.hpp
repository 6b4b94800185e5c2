// The pattern evaluation of Othello: the value of a position is a sum of table entries, one for the contents of each
// line, edge and corner (after Buro's Logistello, 1997). Tables change from ply to ply; symmetric lines share a table.
// Values are disc differences expected at the end, seen by the side to move.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
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
    {0x000000000103070F, 10, 4, {0, 1, 2, 3}},             // corners of 4+3+2+1, with the diagonals of 4
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

// Moves made so far, as the tables count them: 0 at the start of a game, 60 on a full board.
constexpr int ply_of(int empties) { return empties >= 60 ? 0 : 60 - empties; }

// Two plies share a table, so that a search of a few plies finds more of it in the cache.
inline constexpr int kSharedTables = 31;
constexpr int table_of(int ply) { return ply / 2; }

// Where a table lies between the stages, which are given by ply.
struct StagePlace {
    int stage;    // the one before
    float later;  // how far on the way to the next one
};

inline StagePlace place_of_table(std::span<const int32_t> plies, int table) {
    const float ply = table + 1 == kSharedTables ? 60.0f : 2.0f * static_cast<float>(table) + 0.5f;
    int stage = 0;
    while (stage + 2 < static_cast<int>(plies.size()) && static_cast<float>(plies[stage + 1]) <= ply) ++stage;
    const auto first = static_cast<float>(plies[stage]), last = static_cast<float>(plies[stage + 1]);
    return {stage, (ply - first) / (last - first)};
}

inline void check_stages(std::span<const int32_t> plies) {
    if (plies.size() < 2 || plies.front() != 0 || plies.back() != 60) {
        throw std::invalid_argument("the first stage is at ply 0 and the last at ply 60");
    }
    for (size_t s = 1; s < plies.size(); ++s) {
        if (plies[s] <= plies[s - 1]) throw std::invalid_argument("every stage is at a later ply than the one before");
    }
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

// The tables, in 1/128 of a disc. They are given at some plies only, the stages, and interpolated between. The constant
// term, which differs between odd and even plies, is given for each.
class PatternEvaluation {
  public:
    static constexpr float kUnit = 1.0f / 128;
    static constexpr int kPlies = 61;
    static constexpr int kDepths = 17;  // of ProbCut's deviations; deeper searches use the last

    // plies[stages]: rising from 0 to 60; weights[stages, kPatternWeights]; bias[61] by number of empty squares;
    // deviations[stages, kDepths]: in discs, of the error of ProbCut's shallow search.
    PatternEvaluation(std::span<const int32_t> plies, std::span<const int16_t> weights, std::span<const int16_t> bias,
                      std::span<const float> deviations)
        : weights_(new int16_t[size_t{kSharedTables} * kPatternWeights]),
          bias_(bias.begin(), bias.end()),
          deviations_(size_t{kSharedTables} * kDepths) {
        check_stages(plies);
        for (const float deviation : deviations) {
            if (!(deviation > 0 && deviation < 128)) throw std::invalid_argument("a deviation lies between 0 and 128");
        }
        for (int t = 0; t < kSharedTables; ++t) {
            const auto [stage, later] = place_of_table(plies, t);
            const int16_t* low = weights.data() + static_cast<size_t>(stage) * kPatternWeights;
            const int16_t* high = low + kPatternWeights;
            int16_t* table = weights_.get() + static_cast<size_t>(t) * kPatternWeights;
            const auto share = static_cast<int32_t>(std::lrint(later * kOne));
            for (int i = 0; i < kPatternWeights; ++i) {
                table[i] = static_cast<int16_t>(((kOne - share) * low[i] + share * high[i] + kOne / 2) >> kLog2One);
            }
            for (int d = 0; d < kDepths; ++d) {
                deviations_[t * kDepths + d] =
                    (1 - later) * deviations[stage * kDepths + d] + later * deviations[(stage + 1) * kDepths + d];
            }
        }
    }

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

    // Standard deviation, in discs, of the difference between a search of `depth` plies and ProbCut's shallow one.
    float deviation(int depth, int empties) const {
        return deviations_[table_of(ply_of(empties)) * kDepths + (depth < kDepths ? depth : kDepths - 1)];
    }

  private:
    int total(const PatternLanes* places, int empties) const {
        alignas(2 * kLanes) uint16_t place[kVectors * kLanes];
        std::memcpy(place, places, sizeof place);
        const int16_t* table = weights_.get() + static_cast<size_t>(table_of(ply_of(empties))) * kPatternWeights;
        int sum = bias_[empties < 60 ? empties : 60];
        [&]<size_t... F>(std::index_sequence<F...>) {
            ((sum += table[kFeatureOffsets[F] + place[F]]), ...);
        }(std::make_index_sequence<kFeatures>{});
        return sum;
    }

    static constexpr int kLog2One = 14;
    static constexpr int32_t kOne = 1 << kLog2One;

    std::unique_ptr<int16_t[]> weights_;  // [kSharedTables, kPatternWeights]
    std::vector<int16_t> bias_;
    std::vector<float> deviations_;  // [kSharedTables, kDepths]
};

}  // namespace zp
