"""S.fig5: the same untrained nets on 5x5 and 9x9 against random (Schaul and Schmidhuber 2009, figure 5).

It looks at two scenarios of S.table1 net by net: a point for each net, its performance on both boards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from zeroply.studies.schaul.runs import Scores
from zeroply.studies.schaul.scenarios import agreement, compared, pooled, row, scatter
from zeroply.studies.schaul.table1 import PUBLISHED, Scenario, measure_scenario, scenario_unit
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import above

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENARIOS: tuple[Scenario, ...] = (("Atari-Go", "random", 5, 9), ("Gomoku", "random", 5, 9))
"""The figure shows one game and does not say which; both are drawn."""


class Fig5(Study):
    """Untrained nets on 5x5 and 9x9."""

    name = "S.fig5"
    title = "the same untrained MDRNNs on 5x5 and 9x9 against random"
    source = "Schaul and Schmidhuber 2009, figure 5"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game and seed; the same nets and games as in S.table1."""
        return [scenario_unit(scenario, scale, seed) for scenario in SCENARIOS for seed in range(1, seeds + 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Untrained nets on both boards."""
        return measure_scenario(unit, progress)

    def report(self, found: Found) -> Report:
        """The points, and what they say."""
        results = {one: compared(measures) for one in SCENARIOS if (measures := _measures(found, one))}
        rows = [{"game": one[0], **row(result, PUBLISHED[one])} for one, result in results.items()]
        atari = results[SCENARIOS[0]]
        return Report(
            "Every point is a net with weights from N(0, 1). Above the dotted line it does better on the larger board.",
            [Table("correlation", "5x5 and 9x9 against random, beside table I of the paper (S)", rows)],
            [
                Claim(
                    "There is a high correlation of performance between board sizes (Atari-Go)",
                    f"r = {atari.correlation:.2f}, 95 % {atari.correlation_interval.low:.2f} to "
                    f"{atari.correlation_interval.high:.2f}; the paper has {PUBLISHED[SCENARIOS[0]].correlation}",
                    above(atari.correlation_interval, 0.5),
                ),
                *agreement([(one[0], result, PUBLISHED[one]) for one, result in results.items()]),
            ],
            [Drawing("scatter", "performance on 5x5 and 9x9 against random", lambda figure: _draw(figure, found))],
        )


def _measures(found: Found, scenario: Scenario) -> tuple[Scores, Scores] | None:
    return pooled(found, **dict(zip(("game", "opponent", "small", "large"), scenario, strict=True)))


def _draw(figure: Figure, found: Found) -> None:
    for panel, scenario in zip(figure.subplots(1, 2), SCENARIOS, strict=True):
        measures = _measures(found, scenario)
        if measures:
            scatter(panel, measures, scenario[0], scenario[2], scenario[3])
