"""S.table3 and S.fig10: trained nets on a larger board (Schaul and Schmidhuber 2009, table III, figure 10).

The champions of evolution and coevolution, without those of the first 50 generations, on the board they were trained on
and on a larger one. For trained nets the small board predicts less, but in the paper almost all do better on the
larger board. Champions of one run are relatives, so claims about p use one number per run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.learning.champions import Champions
from zeroply.studies.claims import Claim, above, below, most
from zeroply.studies.measured import mean
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.schaul.coevolution import coevolution
from zeroply.studies.schaul.runs import NET, SIZES, board, evolution_config, evolved, run_seeds, trained, untrained
from zeroply.studies.schaul.scenarios import (
    Printed,
    Scaling,
    agreement,
    by_scenario,
    measure_both,
    pooled,
    scaling,
    scatter,
)
from zeroply.studies.schaul.table1 import in_words
from zeroply.studies.study import Folders, Measures, Progress, Scale, Study, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Method = Literal["Coevolution", "Evolution", "Untrained"]
Scenario = tuple[str, Method, int, int]
"""Game, method, board trained on, board tested on."""
KEYS = ("game", "method", "small", "large")
PRINTED: dict[Scenario, Printed] = {
    ("Atari-Go", "Coevolution", 5, 9): Printed(0.45, 0.92),
    ("Atari-Go", "Evolution", 5, 9): Printed(0.05, 0.61),
    ("Atari-Go", "Evolution", 7, 11): Printed(0.07, 0.98),
    ("Gomoku", "Coevolution", 5, 9): Printed(-0.11, 0.70),
    ("Gomoku", "Evolution", 5, 9): Printed(0.22, 0.73),
    ("Gomoku", "Evolution", 7, 11): Printed(0.43, 0.85),
}
"""Table III of the paper."""
BEFORE: tuple[Scenario, ...] = tuple(
    (name, "Untrained", small, large) for name in ("Atari-Go", "Gomoku") for small, large in ((5, 9), (7, 11))
)
"""Nets with random weights on the same boards, which show what training has changed."""


def nets_of(folders: Folders, scale: Scale, scenario: Scenario, seeds: int, progress: Progress) -> NDArray[np.float32]:
    """[nets, parameters]: champions of all runs of a scenario without the first generations, or untrained nets."""
    name, method, small, _ = scenario
    size = SIZES[scale]
    if method == "Untrained":
        return untrained(NET, board(name, small), seeds * size.nets, chance.key(1, "S.table3", *scenario))
    numbers = _runs(method, scale, seeds)
    runs: list[Champions] = []
    for number, seed in enumerate(numbers):
        report = part_of(progress, number / len(numbers), (number + 1) / len(numbers))
        if method == "Coevolution":
            runs.append(coevolution(folders, scale, name, seed, report))
        else:
            runs.append(evolved(folders, scale, evolution_config(name, small, scale, seed), report))
    return trained(runs, size.ignored, size.trained)


def _runs(method: Method, scale: Scale, seeds: int) -> list[int]:
    return run_seeds(seeds, SIZES[scale].coevolutions if method == "Coevolution" else SIZES[scale].runs)


class TrainedNets(Study):
    """Trained nets on two board sizes; more seeds mean more runs."""

    scenarios: tuple[Scenario, ...]
    """What is measured."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per scenario."""
        usual = {"scale": scale, "seeds": seeds, "opponent": "naive"}
        return [Unit(in_words(one), {**usual, **by_scenario(KEYS, one)}, 1) for one in self.scenarios]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The champions of a scenario on both boards."""
        scale, seeds = unit.settings["scale"], unit.settings["seeds"]
        name, method, small, large = (unit.settings[key] for key in KEYS)
        weights = nets_of(self.folders, scale, (name, method, small, large), seeds, part_of(progress, 0, 1 / 2))
        return measure_both(unit, NET, weights, part_of(progress, 1 / 2, 1), SIZES[scale].games)

    def results(self, units: Units) -> dict[Scenario, Scaling]:
        """The measured scenarios with both boards compared."""
        found = {one: pooled(units, **by_scenario(KEYS, one)) for one in self.scenarios}
        return {one: result for one, result in found.items() if result is not None}


class Table3(TrainedNets):
    """Table III."""

    name = "S.table3"
    title = "trained MDRNNs on the board they learned on and on a larger one"
    source = "Schaul and Schmidhuber 2009, table III and section V-E"
    scenarios = (*PRINTED, *BEFORE)

    def findings(self, units: Units, scale: Scale) -> Report:
        """Ours beside the paper's, scenario by scenario."""
        results, seeds = self.results(units), units[0][0].settings["seeds"]
        before = {one: results[one[0], "Untrained", one[2], one[3]] for one in PRINTED}
        shares = {one: run_shares(results[one], len(_runs(one[1], scale, seeds))) for one in PRINTED}
        changes = [
            {
                "scenario": in_words(one),
                "r": results[one].r,
                "untrained r": before[one].r,
                "p": results[one].p,
                "untrained p": before[one].p,
            }
            for one in PRINTED
        ]
        runs = [
            {
                "scenario": in_words(one),
                "runs": len(some),
                "p of a run": mean(some),
                "lowest": round(min(some), 2),
                "median": round(float(np.median(some)), 2),
                "highest": round(max(some), 2),
                "paper p": PRINTED[one].p,
            }
            for one, some in shares.items()
        ]
        place = "section V-E"
        return Report(
            "Trained nets are generation champions of the runs of S.fig6 (evolution) and S.table2 (coevolution, "
            "elitist), spread evenly over the runs, without the first generations. Performance is against naive, "
            "which the evolved nets were trained against and the coevolved ones never met. Champions of one run are "
            "relatives, so the intervals of r and p over all nets, which take them as independent, are too narrow; *p "
            "of a run* counts runs. *untrained* compares with nets with random weights on the same boards.",
            [
                ResultTable(
                    "scenarios",
                    "ours with 95 % intervals beside the paper's",
                    [_row(one, results[one]) for one in PRINTED],
                ),
                ResultTable("untrained", "r and p of trained and of untrained nets", changes),
                ResultTable("runs", "p of the runs of each scenario", runs),
            ],
            [
                Claim(
                    place,
                    "The correlations are generally (in most scenarios) lower than for untrained nets",
                    {in_words(one): results[one].r - before[one].r for one in PRINTED},
                    below(0),
                    needed=most(len(PRINTED)),
                    note="r minus that of untrained nets",
                ),
                Claim(
                    place,
                    "p is generally (in most scenarios) higher than for untrained nets",
                    {in_words(one): results[one].p - before[one].p for one in PRINTED},
                    above(0),
                    needed=most(len(PRINTED)),
                    note="p minus that of untrained nets",
                ),
                Claim(
                    place,
                    "The large majority of trained nets does better on the larger board",
                    {in_words(one): mean(some) for one, some in shares.items()},
                    above(0.5),
                    note="p of a run",
                ),
                *agreement("table III", {in_words(one): (results[one], PRINTED[one]) for one in PRINTED}),
            ],
            [
                Drawing(
                    "scenarios", "every champion on both boards", lambda f: _draw(f, {k: results[k] for k in PRINTED})
                )
            ],
        )


class Fig10(TrainedNets):
    """Coevolved nets on two board sizes."""

    name = "S.fig10"
    title = "coevolved MDRNNs on 5x5 and 9x9"
    source = "Schaul and Schmidhuber 2009, figure 10 and section V-E"
    scenarios = (("Atari-Go", "Coevolution", 5, 9), ("Gomoku", "Coevolution", 5, 9))

    def findings(self, units: Units, scale: Scale) -> Report:
        """The points, and where most of them lie."""
        results, runs = self.results(units), len(_runs("Coevolution", scale, units[0][0].settings["seeds"]))
        return Report(
            "Every point is a champion of a coevolutionary run on 5x5. Above the dotted line it does better on 9x9.",
            [
                ResultTable(
                    "points",
                    "5x5 and 9x9 against naive, beside table III of the paper",
                    [_row(one, result) for one, result in results.items()],
                )
            ],
            [
                Claim(
                    "figure 10",
                    "Most coevolved nets do better on the larger board, on which they were not trained",
                    {one[0]: mean(run_shares(result, runs)) for one, result in results.items()},
                    above(0.5),
                    {one[0]: PRINTED[one].p for one in results},
                    note="p of a run",
                )
            ],
            [Drawing("scatter", "performance on 5x5 and 9x9", lambda figure: _draw(figure, results))],
        )


def _row(scenario: Scenario, result: Scaling) -> dict[str, Any]:
    name, method, small, large = scenario
    names = {"game": name, "method": method, "sizes": f"{small} vs {large}"}
    return {**names, **result.means, **result.row, **PRINTED[scenario].row}


def run_shares(result: Scaling, runs: int) -> list[float]:
    """p of every run of a scenario, whose nets are spread evenly over the runs."""
    groups = np.array_split(np.arange(len(result.small)), runs)
    return [scaling(result.small[rows], result.large[rows]).p.value for rows in groups if len(rows)]


def _draw(figure: Figure, results: dict[Scenario, Scaling]) -> None:
    rows = 2 if len(results) > 3 else 1
    figure.set_size_inches(*(10, 7) if rows == 2 else (9, 4.5))
    panels = figure.subplots(rows, (len(results) + rows - 1) // rows, squeeze=False).ravel()
    for panel, ((name, method, small, large), result) in zip(panels, results.items(), strict=True):
        scatter(panel, result, f"{name}, {method.lower()}", small, large)
