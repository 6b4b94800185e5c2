// Python bindings of normal draws and mutation.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "bindings.hpp"
#include "normal.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {

void bind_normal(nb::module_& m) {
    m.def(
        "normals",
        [](Array<const uint64_t, 1> keys, Array<const uint64_t, 1> counters, Array<double, 1> out) {
            const auto n = static_cast<int64_t>(keys.shape(0));
            const uint64_t* counters_data = checked(counters, {n});
            double* to = checked(out, {n});
            const GilReleased released;
            normals(keys.data(), counters_data, n, to);
        },
        "keys"_a.noconvert(), "counters"_a.noconvert(), "out"_a.noconvert(),
        "A draw from the standard normal distribution for each key and counter.");

    m.def(
        "mutate",
        [](Array<const float, 2> weights, Array<const float, 2> steps, Array<const int32_t, 1> parents,
           Array<const uint64_t, 1> keys, double tau, bool one_draw, Array<float, 2> child_weights,
           Array<float, 2> child_steps) {
            const auto members = static_cast<int64_t>(weights.shape(0));
            const auto parameters = static_cast<int64_t>(weights.shape(1));
            const auto children = static_cast<int64_t>(parents.shape(0));
            const float* steps_data = checked(steps, {members, parameters});
            const uint64_t* keys_data = checked(keys, {children});
            float* weights_to = checked(child_weights, {children, parameters});
            float* steps_to = checked(child_steps, {children, parameters});
            if (!(tau >= 0 && tau <= 50)) throw std::invalid_argument("tau is from 0 to 50");
            const auto parent_of = copied_below(parents, children, members, "a parent is out of range");
            const GilReleased released;
            mutate(weights.data(), steps_data, parameters, parent_of.data(), keys_data, children, tau, one_draw,
                   weights_to, steps_to);
        },
        "weights"_a.noconvert(), "steps"_a.noconvert(), "parents"_a.noconvert(), "keys"_a.noconvert(), "tau"_a,
        "one_draw"_a, "child_weights"_a.noconvert(), "child_steps"_a.noconvert(),
        "Self-adaptive Gaussian mutation of chosen parents.");
}

}  // namespace zp
