"""S.fig5: the same untrained nets on 5x5 and 9x9 against random (Schaul and Schmidhuber 2009, figure 5).

It shows two scenarios of S.table1 net by net: a point per net, its performance on both boards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from zeroply.studies.claims import Claim, above
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.schaul.scenarios import Scaling, agreement, scatter
from zeroply.studies.schaul.table1 import HIGH, PRINTED, Scenario, measure_scenario, result_of, scenario_unit
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENARIOS: tuple[Scenario, ...] = (("Atari-Go", "random", 5, 9), ("Gomoku", "random", 5, 9))
"""The figure shows one game and does not name it; both are drawn."""


class Fig5(Study):
    """Untrained nets on 5x5 and 9x9."""

    name = "S.fig5"
    title = "the same untrained MDRNNs on 5x5 and 9x9 against random"
    source = "Schaul and Schmidhuber 2009, figure 5"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per game and seed; the same nets and games as in S.table1."""
        return [scenario_unit(scenario, scale, seed) for scenario in SCENARIOS for seed in range(1, seeds + 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Untrained nets on both boards."""
        return measure_scenario(unit, progress)

    def findings(self, units: Units, scale: Scale) -> Report:
        """The points and their correlations."""
        results = {one: result_of(units, one) for one in SCENARIOS}
        atari = results[SCENARIOS[0]]
        return Report(
            "Every point is a net with weights from N(0, 1). Above the dotted line it does better on the larger board.",
            [
                ResultTable(
                    "correlation",
                    "5x5 and 9x9 against random, beside table I of the paper",
                    [{"game": one[0], **its.row, **PRINTED[one].row} for one, its in results.items()],
                )
            ],
            [
                Claim(
                    "figure 5",
                    f"Performance on the two boards is highly correlated (Atari-Go, above {HIGH})",
                    atari.r,
                    above(HIGH),
                    PRINTED[SCENARIOS[0]].r,
                ),
                *agreement("table I", {one[0]: (its, PRINTED[one]) for one, its in results.items()}),
            ],
            [Drawing("scatter", "performance on 5x5 and 9x9 against random", lambda figure: _draw(figure, results))],
        )


def _draw(figure: Figure, results: dict[Scenario, Scaling]) -> None:
    for panel, (one, result) in zip(figure.subplots(1, len(results)), results.items(), strict=True):
        scatter(panel, result, one[0], one[2], one[3])
