#include "normal.hpp"

#include <algorithm>
#include <cmath>

#include "chance.hpp"
#include "threads.hpp"
#include "vector_math.hpp"

namespace zp {
namespace {

constexpr double kLargest = 1e15;  // no weight and no step becomes larger, so that nets can add them up

Doubles root(Doubles x) {
    for (int lane = 0; lane < kDoubles; ++lane) x[lane] = std::sqrt(x[lane]);
    return x;
}

Doubles normal_of(Words bits) {
    const Words high = bits >> 32;
    const Halves centred = __builtin_convertvector(high - (uint64_t{1} << 31), Halves);
    const Doubles unit = (__builtin_convertvector(centred, Doubles) + (0x1.0p31 + 0.5)) * 0x1.0p-32;
    return root(-2.0 * log_of(unit)) * cos_of_turn(bits & 0xFFFFFFFF);
}

}  // namespace

void normals(const uint64_t* keys, const uint64_t* counters, int64_t n, double* out) {
    parallel_for(n, 1 << 14, [&](int64_t begin, int64_t end) {
        for (int64_t first = begin; first < end; first += kDoubles) {
            const int64_t count = std::min<int64_t>(kDoubles, end - first);
            Words bits{};
            for (int64_t i = 0; i < count; ++i) bits[i] = draw(keys[first + i], counters[first + i]);
            const Doubles drawn = normal_of(bits);
            for (int64_t i = 0; i < count; ++i) out[first + i] = drawn[i];
        }
    });
}

void mutate(const float* weights, const float* steps, int64_t parameters, const int32_t* parents, const uint64_t* keys,
            int64_t children, double tau, bool one_draw, float* child_weights, float* child_steps) {
    parallel_for(children, 1, [&](int64_t begin, int64_t end) {
        for (int64_t child = begin; child < end; ++child) {
            const float* weight = weights + parents[child] * parameters;
            const float* step = steps + parents[child] * parameters;
            for (int64_t first = 0; first < parameters; first += kDoubles) {
                const int64_t count = std::min<int64_t>(kDoubles, parameters - first);
                Words for_step{}, for_weight{};
                for (int64_t i = 0; i < kDoubles; ++i) {
                    const auto counter = static_cast<uint64_t>(2 * (first + i));
                    for_step[i] = draw(keys[child], counter);
                    for_weight[i] = one_draw ? for_step[i] : draw(keys[child], counter + 1);
                }
                const Doubles factor = exp_of(tau * normal_of(for_step)), way = normal_of(for_weight);
                for (int64_t i = 0; i < count; ++i) {
                    const int64_t at = child * parameters + first + i;
                    child_steps[at] = static_cast<float>(std::min(step[first + i] * factor[i], kLargest));
                    const double moved = weight[first + i] + child_steps[at] * way[i];
                    child_weights[at] = static_cast<float>(std::clamp(moved, -kLargest, kLargest));
                }
            }
        }
    });
}

}  // namespace zp
