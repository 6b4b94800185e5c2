#include "choose.hpp"

#include <cmath>
#include <limits>

#include "chance.hpp"
#include "threads.hpp"

namespace zp {
namespace {

int greedy(const float* row, int cells, float best, Ties ties, uint64_t bits) {
    int equal = 0;
    for (int cell = 0; cell < cells; ++cell) equal += row[cell] == best;
    int skip = ties == Ties::kLowest ? 0 : static_cast<int>(below(bits, static_cast<uint32_t>(equal)));
    for (int cell = 0; cell < cells; ++cell) {
        if (row[cell] == best && skip-- == 0) return cell;
    }
    return -1;  // only if another thread has changed the row
}

int gibbs(const float* row, int cells, float best, double temperature, uint64_t bits) {
    const auto weight = [&](int cell) { return std::exp((static_cast<double>(row[cell]) - best) / temperature); };
    double total = 0;
    for (int cell = 0; cell < cells; ++cell) total += weight(cell);
    double left = unit(bits) * total;
    int chosen = -1;
    for (int cell = 0; cell < cells; ++cell) {
        const double w = weight(cell);
        if (w == 0) continue;
        chosen = cell;  // the last possible cell, should rounding leave something over
        if (left < w) break;
        left -= w;
    }
    return chosen;
}

}  // namespace

int64_t choose(const float* preferences, int64_t n, int cells, const uint64_t* keys, const uint64_t* counters,
               double temperature, Ties ties, int32_t* moves) {
    constexpr float kIllegal = -std::numeric_limits<float>::infinity();
    Lowest invalid(n);
    parallel_for(n, 256, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const float* row = preferences + i * cells;
            float best = kIllegal;
            bool not_finite = false;
            for (int cell = 0; cell < cells; ++cell) {
                not_finite |= !(row[cell] <= std::numeric_limits<float>::max());
                best = row[cell] > best ? row[cell] : best;
            }
            if (not_finite) {
                invalid.note(i);
                continue;
            }
            if (best == kIllegal) {
                moves[i] = -1;
                continue;
            }
            const uint64_t bits = draw(keys[i], counters[i]);
            moves[i] =
                temperature > 0 ? gibbs(row, cells, best, temperature, bits) : greedy(row, cells, best, ties, bits);
        }
    });
    return invalid.found();
}

}  // namespace zp
