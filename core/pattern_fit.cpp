#include "pattern_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "images.hpp"
#include "patterns.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr int kPlies = PatternEvaluation::kPlies;
constexpr int kPlaces = kVectors * kLanes;
constexpr float kBiasScale = 8;  // the bias may be this much larger than a weight

using Places = std::array<uint16_t, kPlaces>;

// For every entry of a stage's tables that of the mirrored line, or itself.
std::vector<int32_t> mirrored_entries() {
    std::vector<int32_t> result(kPatternWeights);
    for (size_t p = 0; p < kPatterns.size(); ++p) {
        const auto& pattern = kPatterns[p];
        std::vector<int> squares, permutation;
        for (uint64_t rest = pattern.squares; rest != 0; rest &= rest - 1) squares.push_back(__builtin_ctzll(rest));
        for (int cell = 0; cell < pattern.cells; ++cell) permutation.push_back(cell);
        // A symmetry that maps the shape onto itself permutes its cells; the shapes have one such permutation at most.
        for (int k = 1; k < 8; ++k) {
            if (images(pattern.squares)[k] != pattern.squares) continue;
            std::vector<int> seen;
            for (const int square : squares) {
                const int image = __builtin_ctzll(images(uint64_t{1} << square)[k]);
                seen.push_back(static_cast<int>(std::find(squares.begin(), squares.end(), image) - squares.begin()));
            }
            if (!std::is_sorted(seen.begin(), seen.end())) permutation = seen;
        }
        for (int index = 0; index < power3(pattern.cells); ++index) {
            int image = 0;
            for (int cell = 0; cell < pattern.cells; ++cell) {
                image += index / power3(cell) % 3 * power3(permutation[cell]);
            }
            result[kOffsets[p] + index] = kOffsets[p] + image;
        }
    }
    return result;
}

// All parameters in one array: the tables of every stage, then the bias.
class Fit {
  public:
    Fit(const uint64_t* own, const uint64_t* opponent, const float* target, int64_t n, std::span<const int32_t> plies,
        const PatternPrior& prior, Interrupt* interrupt)
        : plies_(plies.begin(), plies.end()),
          stages_(static_cast<int>(plies.size())),
          prior_(prior),
          interrupt_(interrupt),
          mirrored_(mirrored_entries()),
          places_(n),
          target_(n),
          of_ply_(size_t{kPlies} * kPatternWeights),
          bias_of_ply_(kPlies) {
        std::array<std::vector<int64_t>, kPlies> rows;
        for (int64_t i = 0; i < n; ++i) rows[ply_of(__builtin_popcountll(~(own[i] | opponent[i])))].push_back(i);
        int64_t at = 0;
        for (int ply = 0; ply < kPlies; ++ply) {
            begin_[ply] = at;
            for (const int64_t i : rows[ply]) {
                // Another thread may change the caller's arrays: a square never holds two discs here.
                const uint64_t discs = own[i], theirs = opponent[i] & ~discs;
                const PatternTrace trace = PatternTrace::of(discs, theirs);
                std::memcpy(places_[at].data(), trace.own, sizeof(Places));
                target_[at++] = target[i];
            }
        }
        begin_[kPlies] = at;
    }

    size_t size() const { return static_cast<size_t>(stages_) * kPatternWeights + kPlies; }
    int64_t rows() const { return begin_[kPlies]; }

    // The parameters whose prior is that of `white`, independent numbers of variance 1.
    std::vector<float> coloured(const std::vector<float>& white) {
        std::vector<float> x = white;
        spread(x.data(), kRoot);
        symmetrise(x.data());
        const float rest = std::sqrt(1 - prior_.stages * prior_.stages);
        for (int s = 1; s < stages_; ++s) {
            combine(x, s, rest, s - 1, prior_.stages);
        }
        for (int ply = 0; ply < kPlies; ++ply) bias(x)[ply] *= kBiasScale;
        return x;
    }

    // The transpose of `coloured`.
    std::vector<float> whitened(std::vector<float> x) {
        const float rest = std::sqrt(1 - prior_.stages * prior_.stages);
        for (int s = stages_ - 1; s > 0; --s) {
            combine(x, s - 1, 1, s, prior_.stages);
            combine(x, s, rest, s, 0);
        }
        symmetrise(x.data());
        spread(x.data(), kRoot);
        for (int ply = 0; ply < kPlies; ++ply) bias(x)[ply] *= kBiasScale;
        return x;
    }

    // The diagonal of the normal equations for `white`, without products of different features.
    std::vector<float> diagonal() {
        std::vector<float> x(size());
        each_ply([&](int ply, float*, float* counts) {
            for (int64_t i = begin_[ply]; i < begin_[ply + 1]; ++i) {
                for (int f = 0; f < kFeatures; ++f) counts[kFeatureOffsets[f] + places_[i][f]] += 1;
            }
            bias_of_ply_[ply] = static_cast<float>(begin_[ply + 1] - begin_[ply]);
        });
        collect(x, 2);
        const float kept = prior_.stages * prior_.stages;
        for (int s = stages_ - 1; s > 0; --s) {
            combine(x, s - 1, 1, s, kept);
            combine(x, s, 1 - kept, s, 0);
        }
        symmetrise(x.data());
        spread(x.data(), kSquares);
        for (int ply = 0; ply < kPlies; ++ply) bias(x)[ply] *= kBiasScale * kBiasScale;
        return x;
    }

    // The sums over all positions of visit(position, value) times the position's features.
    template <class F>
    std::vector<float> sums(const std::vector<float>& x, F&& visit) {
        each_ply([&](int ply, float* table, float* total) {
            const auto [stage, later] = place(ply);
            const float* low = x.data() + static_cast<size_t>(stage) * kPatternWeights;
            const float* high = low + kPatternWeights;
            for (int i = 0; i < kPatternWeights; ++i) table[i] = (1 - later) * low[i] + later * high[i];
            const float constant = x[x.size() - kPlies + ply];
            double bias_total = 0;
            for (int64_t i = begin_[ply]; i < begin_[ply + 1]; ++i) {
                if (i % 256 == 0) Interrupt::check(interrupt_);
                const Places& at = places_[i];
                float value = constant;
                for (int f = 0; f < kFeatures; ++f) value += table[kFeatureOffsets[f] + at[f]];
                const float factor = visit(i, value);
                for (int f = 0; f < kFeatures; ++f) total[kFeatureOffsets[f] + at[f]] += factor;
                bias_total += factor;
            }
            bias_of_ply_[ply] = static_cast<float>(bias_total);
        });
        std::vector<float> result(size());
        collect(result, 1);
        return result;
    }

    const std::vector<float>& targets() const { return target_; }

  private:
    using Kernel = std::array<float, 2>;  // a matrix of 3x3: on the diagonal, and beside it

    // The symmetric square root of the kernel, which has the eigenvalues 1 + 2 cells and 1 - cells.
    Kernel root() const {
        const float all = std::sqrt(1 + 2 * prior_.cells), each = std::sqrt(1 - prior_.cells);
        return {(all + 2 * each) / 3, (all - each) / 3};
    }

    enum Which { kSquares, kRoot };

    // Multiplies every table by the kernel of its cells: a product over cells, one after the other. The diagonal of the
    // normal equations needs the squares of the root's entries.
    void spread(float* x, Which which) {
        Kernel k = root();
        if (which == kSquares) k = {k[0] * k[0], k[1] * k[1]};
        parallel_for(
            stages_ * static_cast<int64_t>(kPatterns.size()), 1,
            [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                    Interrupt::check(interrupt_);
                    const size_t p = t % kPatterns.size();
                    float* table = x + t / kPatterns.size() * kPatternWeights + kOffsets[p];
                    const int entries = power3(kPatterns[p].cells);
                    for (int step = 1; step < entries; step *= 3) {
                        for (int block = 0; block < entries; block += 3 * step) {
                            float* a = table + block;
                            for (int i = 0; i < step; ++i) {
                                const float u = a[i], v = a[i + step], w = a[i + 2 * step], all = k[1] * (u + v + w);
                                a[i] = all + (k[0] - k[1]) * u;
                                a[i + step] = all + (k[0] - k[1]) * v;
                                a[i + 2 * step] = all + (k[0] - k[1]) * w;
                            }
                        }
                    }
                }
            },
            interrupt_);
    }

    void symmetrise(float* x) const {
        for (int s = 0; s < stages_; ++s, x += kPatternWeights) {
            for (int i = 0; i < kPatternWeights; ++i) {
                if (mirrored_[i] > i) x[i] = x[mirrored_[i]] = (x[i] + x[mirrored_[i]]) / 2;
            }
        }
    }

    // Stage `to` becomes a * to + b * from.
    static void combine(std::vector<float>& x, int to, float a, int from, float b) {
        float* out = x.data() + static_cast<size_t>(to) * kPatternWeights;
        const float* in = x.data() + static_cast<size_t>(from) * kPatternWeights;
        for (int i = 0; i < kPatternWeights; ++i) out[i] = a * out[i] + b * in[i];
    }

    float* bias(std::vector<float>& x) const { return x.data() + x.size() - kPlies; }

    // The stage before a ply, and how far the ply lies between it and the next.
    std::pair<int, float> place(int ply) const {
        int stage = 0;
        while (stage + 2 < stages_ && plies_[stage + 1] <= ply) ++stage;
        return {stage, static_cast<float>(ply - plies_[stage]) / static_cast<float>(plies_[stage + 1] - plies_[stage])};
    }

    // Calls use(ply, scratch, sums) for every ply with positions; each has its own sums, which begin at 0.
    template <class F>
    void each_ply(F&& use) {
        parallel_for(
            kPlies, 1,
            [&](int64_t begin, int64_t end) {
                std::vector<float> scratch(kPatternWeights);
                for (auto ply = static_cast<int>(begin); ply < end; ++ply) {
                    float* total = of_ply_.data() + static_cast<size_t>(ply) * kPatternWeights;
                    std::fill_n(total, kPatternWeights, 0.0f);
                    bias_of_ply_[ply] = 0;
                    if (begin_[ply] < begin_[ply + 1]) use(ply, scratch.data(), total);
                }
            },
            interrupt_);
    }

    // Adds the sums of every ply to its two stages, with their shares raised to `power`.
    void collect(std::vector<float>& x, int power) const {
        for (int ply = 0; ply < kPlies; ++ply) {
            bias(x)[ply] = bias_of_ply_[ply];
            if (begin_[ply] == begin_[ply + 1]) continue;
            auto [stage, later] = place(ply);
            float sooner = 1 - later;
            if (power == 2) later *= later, sooner *= sooner;
            const float* total = of_ply_.data() + static_cast<size_t>(ply) * kPatternWeights;
            float* low = x.data() + static_cast<size_t>(stage) * kPatternWeights;
            float* high = low + kPatternWeights;
            for (int i = 0; i < kPatternWeights; ++i) {
                low[i] += sooner * total[i];
                high[i] += later * total[i];
            }
        }
    }

    std::vector<int> plies_;
    int stages_;
    PatternPrior prior_;
    Interrupt* interrupt_;
    std::vector<int32_t> mirrored_;
    std::vector<Places> places_;  // of all positions, in the order of their plies
    std::vector<float> target_;
    std::array<int64_t, kPlies + 1> begin_{};  // the first position of each ply
    std::vector<float> of_ply_;                // [kPlies, kPatternWeights]: sums over the positions of a ply
    std::vector<float> bias_of_ply_;
};

double dot(const std::vector<float>& a, const std::vector<float>& b) {
    double total = 0;
    for (size_t i = 0; i < a.size(); ++i) total += static_cast<double>(a[i]) * b[i];
    return total;
}

}  // namespace

// Conjugate gradients with a diagonal preconditioner (Hestenes and Stiefel 1952) for the numbers that `coloured` turns
// into weights, so that the penalty is the same for each of them.
double fit_patterns(const uint64_t* own, const uint64_t* opponent, const float* target, int64_t n,
                    std::span<const int32_t> plies, const PatternPrior& prior, int iterations, float* weights,
                    float* bias, Interrupt* interrupt) {
    Fit fit(own, opponent, target, n, plies, prior, interrupt);
    const std::vector<float> diagonal = fit.diagonal();
    std::vector<float> x(fit.size()), z(fit.size());
    const std::vector<float>& targets = fit.targets();
    std::vector<float> r = fit.whitened(fit.sums(x, [&](int64_t i, float) { return targets[i]; }));
    const auto precondition = [&] {
        for (size_t i = 0; i < z.size(); ++i) z[i] = r[i] / (diagonal[i] + prior.ridge);
    };
    precondition();
    std::vector<float> direction = z;
    double before = dot(r, z);
    for (int iteration = 0; iteration < iterations && before > 0; ++iteration) {
        std::vector<float> image =
            fit.whitened(fit.sums(fit.coloured(direction), [](int64_t, float value) { return value; }));
        for (size_t i = 0; i < image.size(); ++i) image[i] += prior.ridge * direction[i];
        const auto step = static_cast<float>(before / dot(direction, image));
        for (size_t i = 0; i < x.size(); ++i) {
            x[i] += step * direction[i];
            r[i] -= step * image[i];
        }
        precondition();
        const double now = dot(r, z);
        const auto turn = static_cast<float>(now / before);
        for (size_t i = 0; i < x.size(); ++i) direction[i] = z[i] + turn * direction[i];
        before = now;
    }
    const std::vector<float> result = fit.coloured(x);
    std::vector<float> squares(n);
    fit.sums(result, [&](int64_t i, float value) {
        const float residual = targets[i] - value;
        squares[i] = residual * residual;
        return 0.0f;
    });
    double error = 0;
    for (const float square : squares) error += square;
    std::copy_n(result.begin(), plies.size() * kPatternWeights, weights);
    for (int ply = 0; ply < kPlies; ++ply) bias[60 - ply] = result[result.size() - kPlies + ply];
    return n == 0 ? 0 : std::sqrt(error / static_cast<double>(n));
}

}  // namespace zp
