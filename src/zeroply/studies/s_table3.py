"""S.table3 and S.fig10: trained nets on a larger board (Schaul and Schmidhuber 2009, table III, figure 10).

The champions of evolution and coevolution, without those of the first 50 generations, on the board they were trained on
and on a larger one. For trained nets the small board predicts less, but almost all do better on the larger board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.learning.champions import Champions
from zeroply.learning.evolution.scaling import Scaling, scaling
from zeroply.studies.s_coevolution import coevolution
from zeroply.studies.s_fig6 import run_config
from zeroply.studies.s_runs import NET, SIZES, Found, evolved, part_of, run_seeds, trained
from zeroply.studies.s_scenarios import Published, agreement, compared, measure_both, pooled, row, scatter
from zeroply.studies.s_table1 import PUBLISHED as UNTRAINED
from zeroply.studies.study import Claim, Drawing, Measures, Place, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Method = Literal["Coevolution", "Evolution"]
Scenario = tuple[str, Method, int, int]
"""Game, method, board trained on, board tested on."""

PUBLISHED: dict[Scenario, Published] = {
    ("Atari-Go", "Coevolution", 5, 9): Published(0.45, 0.92),
    ("Atari-Go", "Evolution", 5, 9): Published(0.05, 0.61),
    ("Atari-Go", "Evolution", 7, 11): Published(0.07, 0.98),
    ("Gomoku", "Coevolution", 5, 9): Published(-0.11, 0.70),
    ("Gomoku", "Evolution", 5, 9): Published(0.22, 0.73),
    ("Gomoku", "Evolution", 7, 11): Published(0.43, 0.85),
}
"""Table III of the paper."""
KEYS = ("game", "method", "small", "large")


def champions_of(place: Place, scale: Scale, scenario: Scenario, seeds: int, progress: Progress) -> NDArray[np.float32]:
    """[nets, parameters]: champions of all runs of a scenario, the first generations left out."""
    name, method, small, _ = scenario
    size = SIZES[scale]
    numbers = run_seeds(seeds, size.coevolutions if method == "Coevolution" else size.runs)
    found: list[Champions] = []
    for number, seed in enumerate(numbers):
        report = part_of(progress, number, len(numbers))
        if method == "Coevolution":
            found.append(coevolution(place, scale, name, seed, report))
        else:
            found.append(evolved(place, scale, run_config(name, small, scale, seed), report))
    return trained(found, size.ignored, size.trained)


def scenario_units(scenarios: Sequence[Scenario], scale: Scale, seeds: int) -> list[Unit]:
    """One unit for each scenario; more seeds mean more runs."""
    return [
        Unit(
            f"{name} {method} {small} vs {large}",
            {
                "scale": scale,
                "seeds": seeds,
                "opponent": "naive",
                **dict(zip(KEYS, (name, method, small, large), strict=True)),
            },
            1,
        )
        for name, method, small, large in scenarios
    ]


def measure_scenario(place: Place, unit: Unit, progress: Progress) -> Measures:
    """The champions of a scenario on both boards."""
    scale, seeds = unit.settings["scale"], unit.settings["seeds"]
    name, method, small, large = (unit.settings[key] for key in KEYS)
    weights = champions_of(place, scale, (name, method, small, large), seeds, part_of(progress, 0, 2))
    return measure_both(unit, NET, weights, part_of(progress, 1, 2), SIZES[scale].games)


def results(found: Found) -> dict[Scenario, Scaling]:
    """Every scenario that was measured, its boards compared."""
    return {
        scenario: compared(measures)
        for scenario in PUBLISHED
        if (measures := pooled(found, **dict(zip(KEYS, scenario, strict=True)))) is not None
    }


class Table3(Study):
    """Trained nets on two board sizes."""

    name = "S.table3"
    title = "trained MDRNNs on the board they learned on and on a larger one"
    source = "Schaul and Schmidhuber 2009, table III and section V-E"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each scenario."""
        return scenario_units(list(PUBLISHED), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The champions of a scenario on both boards."""
        return measure_scenario(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """Ours beside the paper's, scenario by scenario."""
        known = results(found)
        rows = [_row(scenario, result, found) for scenario, result in known.items()]
        return Report(
            "All nets are generation champions of the runs of S.fig6 (evolution) and S.table2 (coevolution, elitist), "
            "spread evenly over the runs, without the first generations. Performance is against naive, which the "
            "evolved nets were trained against and the coevolved ones never met. Champions of one run are relatives, "
            "so the intervals, which take them as independent, are too narrow. Columns as in S.table1; *on small* and "
            "*on large* are mean performances.",
            [
                Table("scenarios", "ours with 95 % intervals beside the paper's (S)", rows),
                Table("runs", "p and mean performance, run by run", list(_run_rows(found))),
            ],
            _claims(known),
            [Drawing("scenarios", "every champion on both boards", lambda figure: _draw(figure, found, list(known)))],
        )


class Fig10(Study):
    """Coevolved nets on two board sizes."""

    name = "S.fig10"
    title = "coevolved MDRNNs on 5x5 and 9x9"
    source = "Schaul and Schmidhuber 2009, figure 10 and section V-E"
    scenarios: tuple[Scenario, ...] = (("Atari-Go", "Coevolution", 5, 9), ("Gomoku", "Coevolution", 5, 9))

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game; the same nets and games as in S.table3."""
        return scenario_units(self.scenarios, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The champions of a scenario on both boards."""
        return measure_scenario(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """The points, and where most of them lie."""
        known = results(found)
        rows = [_row(scenario, result, found) for scenario, result in known.items()]
        higher = {one[0]: result.higher for one, result in known.items()}
        return Report(
            "Every point is a champion of a coevolutionary run on 5x5. Above the dotted line it does better on 9x9.",
            [Table("points", "5x5 and 9x9 against naive, beside table III of the paper (S)", rows)],
            [
                Claim(
                    "Most coevolved nets do better on the larger board, on which they were not trained",
                    ", ".join(f"{name}: p = {value:.2f}" for name, value in higher.items()),
                    all(result.higher_interval.low > 0.5 for result in known.values()),
                )
            ],
            [Drawing("scatter", "performance on 5x5 and 9x9", lambda f: _draw(f, found, list(known)))],
        )


def _row(scenario: Scenario, result: Scaling, found: Found) -> dict[str, Any]:
    name, method, small, large = scenario
    measures = pooled(found, **dict(zip(KEYS, scenario, strict=True)))
    means = [round(float(side.mean()), 2) for side in measures] if measures else [0.0, 0.0]
    both = {"on small": means[0], "on large": means[1]}
    return {"game": name, "method": method, "sizes": f"{small} vs {large}", **both, **row(result, PUBLISHED[scenario])}


def _run_rows(found: Found) -> Iterator[dict[str, Any]]:
    """The lowest, the middle and the highest p among the runs of each scenario: champions of a run are relatives."""
    for unit, measures in found:
        name, method, small, large = (unit.settings[key] for key in KEYS)
        size, seeds = SIZES[unit.settings["scale"]], unit.settings["seeds"]
        runs = len(run_seeds(seeds, size.coevolutions if method == "Coevolution" else size.runs))
        low, high = np.asarray(measures["small"]), np.asarray(measures["large"])
        groups = np.array_split(np.arange(len(low)), runs)
        shares = sorted(scaling(low[rows], high[rows]).higher for rows in groups if len(rows))
        yield {
            "game": name,
            "method": method,
            "sizes": f"{small} vs {large}",
            "runs": runs,
            "lowest p": round(shares[0], 2),
            "median p": round(float(np.median(shares)), 2),
            "highest p": round(shares[-1], 2),
            "runs with p above 1/2": sum(share > 0.5 for share in shares),
            "S p": PUBLISHED[name, method, small, large].higher,
        }


def _claims(known: dict[Scenario, Scaling]) -> list[Claim]:
    """What the paper says of its table; it compares with untrained nets against naive."""
    before = {one: UNTRAINED[one[0], "naive", one[2], one[3]] for one in known}
    lower = [one for one, result in known.items() if result.correlation < before[one].correlation]
    higher = [one for one, result in known.items() if result.higher > before[one].higher]
    grows = [one for one, result in known.items() if result.higher_interval.low > 0.5]
    return [
        Claim(
            "The correlations are generally much lower than for untrained nets",
            f"in {len(lower)} of {len(known)} scenarios lower than the paper's table I has it",
            len(lower) > len(known) / 2,
        ),
        Claim(
            "p is much higher than for untrained nets",
            f"in {len(higher)} of {len(known)} scenarios higher than the paper's table I has it",
            len(higher) > len(known) / 2,
        ),
        Claim(
            "The large majority of trained nets does better on the larger board",
            f"p from {min(r.higher for r in known.values()):.2f} to {max(r.higher for r in known.values()):.2f}; "
            f"above one half with the whole interval in {len(grows)} of {len(known)}",
            len(grows) == len(known),
        ),
        agreement([(" ".join(map(str, one)), result, PUBLISHED[one]) for one, result in known.items()]),
    ]


def _draw(figure: Figure, found: Found, scenarios: Sequence[Scenario]) -> None:
    rows = 2 if len(scenarios) > 3 else 1
    if rows == 2:
        figure.set_size_inches(10, 7)
    panels = figure.subplots(rows, (len(scenarios) + rows - 1) // rows, squeeze=False).ravel()
    for panel, (name, method, small, large) in zip(panels, scenarios, strict=False):
        measures = pooled(found, **dict(zip(KEYS, (name, method, small, large), strict=True)))
        if measures:
            scatter(panel, measures, f"{name}, {method.lower()}", small, large)
