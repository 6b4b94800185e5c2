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
constexpr int kBiasPlace = kFeatures;  // the first idle place of a position holds the number of its bias
static_assert(kBiasPlace < kPlaces);
constexpr int kBiases = 2 * kPlies;  // of quiet positions by ply, then of wild ones
constexpr float kBiasScale = 8;      // the bias may be this much larger than a weight

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

// All parameters in one array: the tables of every stage, then the bias of quiet positions and that of wild ones.
class Fit {
  public:
    Fit(const PatternExamples& examples, std::span<const int32_t> plies, const PatternPrior& prior,
        Interrupt* interrupt)
        : plies_(plies.begin(), plies.end()),
          stages_(static_cast<int>(plies.size())),
          prior_(prior),
          interrupt_(interrupt),
          mirrored_(mirrored_entries()),
          places_(examples.n),
          target_(examples.n),
          of_table_(size_t{kSharedTables} * kPatternWeights),
          bias_sums_(kBiases) {
        std::array<std::vector<int64_t>, kPlies> rows;
        for (int64_t i = 0; i < examples.n; ++i) {
            rows[ply_of(__builtin_popcountll(~(examples.own[i] | examples.opponent[i])))].push_back(i);
        }
        int64_t at = 0;
        for (int ply = 0; ply < kPlies; ++ply) {
            begin_[ply] = at;
            for (const int64_t i : rows[ply]) {
                // Another thread may change the caller's arrays: a square never holds two discs here.
                const uint64_t discs = examples.own[i], theirs = examples.opponent[i] & ~discs;
                const PatternTrace trace = PatternTrace::of(discs, theirs);
                std::memcpy(places_[at].data(), trace.own, sizeof(Places));
                places_[at][kBiasPlace] = static_cast<uint16_t>(ply + (examples.wild[i] != 0 ? kPlies : 0));
                target_[at++] = examples.target[i];
            }
        }
        begin_[kPlies] = at;
        int first = 0;
        while (first + 1 < kPlies && begin_[first + 1] == 0) ++first;
        first_with_rows_ = place_of_table(plies_, table_of(first)).stage;
        use_all();
    }

    // What `coloured` and `whitened` look at: all stages, or only those before ply `end` that have positions. The
    // others are 0 then.
    void use_all() { first_ = 0, last_ = stages_; }
    void use_before(int end) {
        first_ = first_with_rows_;
        while (last_ > 0 && plies_[last_ - 1] >= end) --last_;
        first_ = std::min(first_, last_);
    }

    size_t size() const { return static_cast<size_t>(stages_) * kPatternWeights + kBiases; }

    // The parameters whose prior is that of `white`, independent numbers of variance 1.
    std::vector<float> coloured(const std::vector<float>& white) {
        std::vector<float> x = white;
        spread(x.data(), kRoot);
        symmetrise(x.data());
        const float rest = std::sqrt(1 - prior_.stages * prior_.stages);
        for (int s = std::min(last_, stages_ - 1) - 1; s >= first_; --s) combine(x, s, rest, s + 1, prior_.stages);
        scale_biases(x, kBiasScale);
        return x;
    }

    // The transpose of `coloured`.
    std::vector<float> whitened(std::vector<float> x) {
        const float rest = std::sqrt(1 - prior_.stages * prior_.stages);
        for (int s = first_; s < std::min(last_, stages_ - 1); ++s) {
            combine(x, s + 1, 1, s, prior_.stages);
            combine(x, s, rest, s, 0);
        }
        symmetrise(x.data());
        spread(x.data(), kRoot);
        scale_biases(x, kBiasScale);
        return x;
    }

    // Sets the stages that are not used and all from ply `end` on to 0. A stage depends on later ones only, so those
    // after `end` stay as they are.
    void freeze(std::vector<float>& x, int end) const {
        for (int s = 0; s < stages_; ++s) {
            if (s >= first_ && s < last_) continue;
            std::fill_n(x.data() + static_cast<size_t>(s) * kPatternWeights, kPatternWeights, 0.0f);
        }
        for (int ply = end; ply < kPlies; ++ply) x[x.size() - kBiases + ply] = x[x.size() - kPlies + ply] = 0;
    }

    template <class F>
    void each_used(F&& use) const {
        const auto first = static_cast<size_t>(first_) * kPatternWeights;
        const auto last = static_cast<size_t>(last_) * kPatternWeights;
        for (size_t i = first; i < last; ++i) use(i);
        for (size_t i = size() - kBiases; i < size(); ++i) use(i);
    }

    double dot(const std::vector<float>& a, const std::vector<float>& b) const {
        double total = 0;
        each_used([&](size_t i) { total += static_cast<double>(a[i]) * b[i]; });
        return total;
    }

    // The diagonal of the normal equations for `white`, without products of different features.
    std::vector<float> diagonal() {
        std::vector<float> x(size());
        each_table([&](int64_t begin, int64_t end, int, float*, float* counts) {
            for (int64_t i = begin; i < end; ++i) {
                for (int f = 0; f < kFeatures; ++f) counts[kFeatureOffsets[f] + places_[i][f]] += 1;
                bias_sums_[places_[i][kBiasPlace]] += 1;
            }
        });
        collect(x, 2);
        const float kept = prior_.stages * prior_.stages;
        for (int s = first_; s < std::min(last_, stages_ - 1); ++s) {
            combine(x, s + 1, 1, s, kept);
            combine(x, s, 1 - kept, s, 0);
        }
        symmetrise(x.data());
        spread(x.data(), kSquares);
        scale_biases(x, kBiasScale * kBiasScale);
        return x;
    }

    // The sums over all positions of visit(position, value) times the position's features.
    template <class F>
    std::vector<float> sums(const std::vector<float>& x, F&& visit) {
        each_table([&](int64_t begin, int64_t end, int number, float* table, float* total) {
            const auto [stage, later] = place_of_table(plies_, number);
            const float* low = x.data() + static_cast<size_t>(stage) * kPatternWeights;
            const float* high = low + kPatternWeights;
            for (int i = 0; i < kPatternWeights; ++i) table[i] = (1 - later) * low[i] + later * high[i];
            const float* constant = x.data() + x.size() - kBiases;
            for (int64_t i = begin; i < end; ++i) {
                if (i % 256 == 0) Interrupt::check(interrupt_);
                const Places& at = places_[i];
                float value = constant[at[kBiasPlace]];
                for (int f = 0; f < kFeatures; ++f) value += table[kFeatureOffsets[f] + at[f]];
                const float factor = visit(i, value);
                for (int f = 0; f < kFeatures; ++f) total[kFeatureOffsets[f] + at[f]] += factor;
                bias_sums_[at[kBiasPlace]] += factor;
            }
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
        parallel_for((last_ - first_) * static_cast<int64_t>(kPatterns.size()), 1,
                     [&](int64_t begin, int64_t end) {
                         for (int64_t t = begin; t < end; ++t) {
                             Interrupt::check(interrupt_);
                             const size_t p = t % kPatterns.size();
                             float* table = x + (first_ + t / kPatterns.size()) * kPatternWeights + kOffsets[p];
                             const int entries = power3(kPatterns[p].cells);
                             for (int step = 1; step < entries; step *= 3) {
                                 for (int block = 0; block < entries; block += 3 * step) {
                                     float* a = table + block;
                                     for (int i = 0; i < step; ++i) {
                                         const float u = a[i], v = a[i + step], w = a[i + 2 * step],
                                                     all = k[1] * (u + v + w);
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
        x += static_cast<size_t>(first_) * kPatternWeights;
        for (int s = first_; s < last_; ++s, x += kPatternWeights) {
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

    static void scale_biases(std::vector<float>& x, float factor) {
        for (size_t i = x.size() - kBiases; i < x.size(); ++i) x[i] *= factor;
    }

    // Calls use(first row, end, table, scratch, sums) for every table with positions; each has its own sums, which
    // begin at 0.
    template <class F>
    void each_table(F&& use) {
        std::fill(bias_sums_.begin(), bias_sums_.end(), 0.0);
        parallel_for(
            kSharedTables, 1,
            [&](int64_t begin, int64_t end) {
                std::vector<float> scratch(kPatternWeights);
                for (auto table = static_cast<int>(begin); table < end; ++table) {
                    float* total = of_table_.data() + static_cast<size_t>(table) * kPatternWeights;
                    const auto [first, last] = rows_of(table);
                    if (first == last) continue;
                    std::fill_n(total, kPatternWeights, 0.0f);
                    use(first, last, table, scratch.data(), total);
                }
            },
            interrupt_);
    }

    std::pair<int64_t, int64_t> rows_of(int table) const {
        return {begin_[2 * table], begin_[std::min(2 * table + 2, kPlies)]};
    }

    // Adds the sums of every table to its two stages, with their shares raised to `power`.
    void collect(std::vector<float>& x, int power) const {
        for (int i = 0; i < kBiases; ++i) x[x.size() - kBiases + i] = static_cast<float>(bias_sums_[i]);
        for (int table = 0; table < kSharedTables; ++table) {
            const auto [first, last] = rows_of(table);
            if (first == last) continue;
            auto [stage, later] = place_of_table(plies_, table);
            float sooner = 1 - later;
            if (power == 2) later *= later, sooner *= sooner;
            const float* total = of_table_.data() + static_cast<size_t>(table) * kPatternWeights;
            float* low = x.data() + static_cast<size_t>(stage) * kPatternWeights;
            float* high = low + kPatternWeights;
            for (int i = 0; i < kPatternWeights; ++i) {
                low[i] += sooner * total[i];
                high[i] += later * total[i];
            }
        }
    }

    std::vector<int32_t> plies_;
    int stages_;
    PatternPrior prior_;
    Interrupt* interrupt_;
    std::vector<int32_t> mirrored_;
    std::vector<Places> places_;  // of all positions, in the order of their plies
    std::vector<float> target_;
    std::array<int64_t, kPlies + 1> begin_{};  // the first position of each ply
    int first_with_rows_ = 0, first_ = 0, last_ = 0;
    std::vector<float> of_table_;  // [kSharedTables, kPatternWeights]: sums over a table's positions
    std::vector<double> bias_sums_;
};

}  // namespace

// Conjugate gradients with a diagonal preconditioner (Hestenes and Stiefel 1952) for the numbers that `coloured` turns
// into weights, so that the penalty is the same for each of them.
double fit_patterns(const PatternExamples& examples, std::span<const int32_t> plies, const PatternPrior& prior,
                    int iterations, int end, float* white, float* weights, float* bias, Interrupt* interrupt) {
    Fit fit(examples, plies, prior, interrupt);
    std::vector<float> x(white, white + fit.size()), z(fit.size());
    const std::vector<float>& targets = fit.targets();
    const std::vector<float> start = fit.coloured(x);
    fit.use_before(end);
    const std::vector<float> diagonal = fit.diagonal();
    std::vector<float> r = fit.whitened(fit.sums(start, [&](int64_t i, float value) { return targets[i] - value; }));
    for (size_t i = 0; i < r.size(); ++i) r[i] -= prior.ridge * x[i];
    fit.freeze(r, end);
    const auto precondition = [&] { fit.each_used([&](size_t i) { z[i] = r[i] / (diagonal[i] + prior.ridge); }); };
    precondition();
    std::vector<float> direction = z;
    double before = fit.dot(r, z);
    for (int iteration = 0; iteration < iterations && before > 0; ++iteration) {
        std::vector<float> image =
            fit.whitened(fit.sums(fit.coloured(direction), [](int64_t, float value) { return value; }));
        fit.each_used([&](size_t i) { image[i] += prior.ridge * direction[i]; });
        fit.freeze(image, end);
        const auto step = static_cast<float>(before / fit.dot(direction, image));
        fit.each_used([&](size_t i) {
            x[i] += step * direction[i];
            r[i] -= step * image[i];
        });
        precondition();
        const double now = fit.dot(r, z);
        const auto turn = static_cast<float>(now / before);
        fit.each_used([&](size_t i) { direction[i] = z[i] + turn * direction[i]; });
        before = now;
    }
    std::copy(x.begin(), x.end(), white);
    fit.use_all();
    const std::vector<float> result = fit.coloured(x);
    std::vector<float> squares(examples.n);
    fit.sums(result, [&](int64_t i, float value) {
        const float residual = targets[i] - value;
        squares[i] = residual * residual;
        return 0.0f;
    });
    double error = 0;
    for (const float square : squares) error += square;
    std::copy_n(result.begin(), plies.size() * kPatternWeights, weights);
    for (int ply = 0; ply < kPlies; ++ply) bias[60 - ply] = result[result.size() - kBiases + ply];
    return examples.n == 0 ? 0 : std::sqrt(error / static_cast<double>(examples.n));
}

int64_t pattern_parameters(int stages) { return static_cast<int64_t>(stages) * kPatternWeights + kBiases; }

}  // namespace zp
