#include "pattern_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "chance.hpp"
#include "images.hpp"
#include "patterns.hpp"
#include "threads.hpp"

namespace zp {
namespace {

// For every entry of a stage's tables the entry that stands for it: itself or that of the mirrored line.
std::vector<int32_t> representatives() {
    std::vector<int32_t> result(kPatternWeights);
    for (size_t p = 0; p < kPatterns.size(); ++p) {
        const auto& pattern = kPatterns[p];
        std::vector<int> squares;
        for (uint64_t rest = pattern.squares; rest != 0; rest &= rest - 1) squares.push_back(__builtin_ctzll(rest));
        // A symmetry that maps the shape onto itself permutes its cells.
        std::vector<std::vector<int>> permutations;
        for (int k = 0; k < 8; ++k) {
            if (images(pattern.squares)[k] != pattern.squares) continue;
            std::vector<int> permutation;
            for (const int square : squares) {
                const int image = __builtin_ctzll(images(uint64_t{1} << square)[k]);
                permutation.push_back(
                    static_cast<int>(std::find(squares.begin(), squares.end(), image) - squares.begin()));
            }
            permutations.push_back(permutation);
        }
        for (int index = 0; index < power3(pattern.cells); ++index) {
            int best = index;
            for (const auto& permutation : permutations) {
                int image = 0;
                for (int cell = 0; cell < pattern.cells; ++cell) {
                    image += index / power3(cell) % 3 * power3(permutation[cell]);
                }
                best = std::min(best, image);
            }
            result[kOffsets[p] + index] = kOffsets[p] + best;
        }
    }
    return result;
}

}  // namespace

void fit_patterns(const uint64_t* own, const uint64_t* opponent, const float* target, int64_t n, uint64_t key,
                  const FitSettings& settings, float* weights, float* bias, double* error) {
    const std::vector<int32_t> stands_for = representatives();
    std::array<std::vector<int64_t>, kStages> rows;
    for (int64_t i = 0; i < n; ++i) rows[stage_of(__builtin_popcountll(~(own[i] | opponent[i])))].push_back(i);
    // A bias belongs to one stage, because stages are ranges of empties.
    const auto fit = [&](int64_t begin, int64_t end) {
        for (int64_t stage = begin; stage < end; ++stage) {
            auto& mine = rows[stage];
            float* w = weights + stage * kPatternWeights;
            for (int epoch = 0; epoch < settings.epochs; ++epoch) {
                const uint64_t shuffle =
                    derive(derive(key, static_cast<uint64_t>(stage)), static_cast<uint64_t>(epoch));
                for (size_t i = mine.size(); i > 1; --i) {
                    std::swap(mine[i - 1], mine[below(draw(shuffle, i), static_cast<uint32_t>(i))]);
                }
                const float progress = settings.epochs > 1 ? static_cast<float>(epoch) / (settings.epochs - 1) : 0;
                const float rate = settings.rate * std::pow(0.05f, progress);
                double squares = 0;
                for (const int64_t i : mine) {
                    if (i % 256 == 0) Interrupt::check(settings.interrupt);
                    std::array<int32_t, kFeatures> at;
                    int f = 0;
                    // Another thread may change the caller's arrays: a square never holds two discs here.
                    const uint64_t discs = own[i], theirs = opponent[i] & ~discs;
                    const int empties = __builtin_popcountll(~(discs | theirs));
                    float value = bias[std::min(60, empties)];
                    each_feature(discs, theirs, [&](int offset) {
                        at[f] = stands_for[offset];
                        value += w[at[f++]];
                    });
                    const float residual = target[i] - value;
                    squares += static_cast<double>(residual) * residual;
                    bias[std::min(60, empties)] += rate * 0.1f * residual;
                    for (const int32_t offset : at) w[offset] += rate * (residual - settings.decay * w[offset]);
                }
                error[stage] = mine.empty() ? 0 : std::sqrt(squares / static_cast<double>(mine.size()));
            }
            for (int offset = 0; offset < kPatternWeights; ++offset) w[offset] = w[stands_for[offset]];
        }
    };
    parallel_for(kStages, 1, fit, settings.interrupt);
}

}  // namespace zp
