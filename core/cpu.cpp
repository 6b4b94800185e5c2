// The instruction-set levels that this processor can load; compiled for the baseline.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

NB_MODULE(_cpu, m) {
    m.def(
        "levels",
        [] {
            std::vector<std::string> levels{"baseline"};
#if defined(__x86_64__)
            __builtin_cpu_init();
            const auto v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                            __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                            __builtin_cpu_supports("popcnt");
            const auto v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl");
            for (const std::string level : {ZEROPLY_LEVELS}) {
                if ((level == "v3" && v3) || (level == "v4" && v4)) levels.push_back(level);
            }
#endif
            return levels;
        },
        "Levels the core was built for and this processor has, plainest first: baseline, v3 (AVX2), v4 (AVX-512).");
}
