// Python bindings of search and forced wins in games with threats.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings.hpp"
#include "forcing_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

ThreatRules checked_rules(const Batch& batch, int rules) {
    if (rules < 0 || rules > static_cast<int>(ThreatRules::kCaptures)) {
        throw std::invalid_argument("no such rules of threats");
    }
    if (batch.size() > 20) throw std::invalid_argument("boards of games with threats have at most 20x20 cells");
    return static_cast<ThreatRules>(rules);
}

}  // namespace

void bind_forcing(nb::module_& m) {
    m.def(
        "search_threats",
        [](const Batch& batch, int rules, int depth, uint64_t nodes, double seconds, bool all_moves,
           Array<float, 2> preferences, Array<float, 1> scores, Array<int32_t, 1> depths, Array<uint64_t, 1> visited) {
            const int64_t n = batch.length();
            const ThreatRules threats = checked_rules(batch, rules);
            if (depth < 1 || depth > 60) throw std::invalid_argument("depth must be from 1 to 60");
            float* preferences_data = checked(preferences, {n, batch.cells()});
            float* scores_data = checked(scores, {n});
            int32_t* depths_data = checked(depths, {n});
            uint64_t* visited_data = checked(visited, {n});
            run_interruptible([&](Interrupt* interrupt) {
                search_threats(batch, threats, {depth, all_moves, {nodes, seconds, interrupt}}, preferences_data,
                               scores_data, depths_data, visited_data);
            });
        },
        "batch"_a, "rules"_a, "depth"_a, "nodes"_a, "seconds"_a, "all_moves"_a, "preferences"_a.noconvert(),
        "scores"_a.noconvert(), "depths"_a.noconvert(), "visited"_a.noconvert());

    m.def(
        "find_forced_wins",
        [](const Batch& batch, int rules, bool strongest_only, uint64_t nodes, double seconds, Array<int32_t, 1> plies,
           Array<int32_t, 2> lines, Array<uint64_t, 1> visited, Array<uint8_t, 1> complete) {
            const int64_t n = batch.length();
            const ThreatRules threats = checked_rules(batch, rules);
            int32_t* plies_data = checked(plies, {n});
            int32_t* lines_data = checked(lines, {n, batch.cells()});
            uint64_t* visited_data = checked(visited, {n});
            uint8_t* complete_data = checked(complete, {n});
            run_interruptible([&](Interrupt* interrupt) {
                find_forced_wins(batch, threats, strongest_only, {nodes, seconds, interrupt}, plies_data, lines_data,
                                 visited_data, complete_data);
            });
        },
        "batch"_a, "rules"_a, "strongest_only"_a, "nodes"_a, "seconds"_a, "plies"_a.noconvert(), "lines"_a.noconvert(),
        "visited"_a.noconvert(), "complete"_a.noconvert());
}

}  // namespace zp
