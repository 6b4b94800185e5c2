"""W.fig8: how long nets survive during evolution (Lin and White 2009, Fig. 8).

The survival time of a net is the number of generations it has been a parent. In the paper it stays below ten for
thousands of generations and then climbs to hundreds, which it takes as a sign of convergence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.claims import Claim, Rule, above, below
from zeroply.studies.lin_white.curves import (
    ABOUT_READINGS,
    END,
    MOST,
    about_scale,
    draw_curves,
    legend_below,
    logarithmic,
    over_seeds,
    seeds_table,
    share_of_seeds,
    side_by_side,
    too_short,
    when,
)
from zeroply.studies.lin_white.runs import (
    LONG,
    READINGS,
    Plan,
    Series,
    by_plan,
    evolved,
    plan_units,
    repeat_measures,
    survival_measures,
)
from zeroply.studies.measured import Measured
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units

if TYPE_CHECKING:
    from matplotlib.figure import Figure


HUNDREDS = 100
"""Generations that are called hundreds."""
REPEATED = {"repeatability": 2, "weights": 1, "steps": 1, "inheritance": 2, "a tenth": 2, "games": 1, "above 0": 2}
"""What is measured of stored populations, and with how many digits it is shown."""
REPEATED_TITLE = (
    "repeatability of tournaments; sizes of weights and mutation steps (root of the mean square); inheritance, as it "
    "is and with a tenth of the steps; different games that the parents play with Black against one net; share of "
    "weights above 0"
)
ABOUT_5_000 = (4_000, 6_500)
"""Where survival time may begin to rise."""
ABOUT_600 = (300, 1_200)
"""Half to twice the paper's survival time."""
PLACE = "figure 8"


class Fig8(Study):
    """Survival times."""

    name = "W.fig8"
    title = "how many generations coevolved nets survive"
    source = "Lin and White 2009, Fig. 8 and section II (Results)"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per reading of the paper and seed."""
        return plan_units(READINGS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve; the run itself counts survivors."""
        record = evolved(self.folders, unit, progress)
        return {**survival_measures(record), **repeat_measures(record)}

    def findings(self, units: Units, scale: Scale) -> Report:
        """Survival times against generation."""
        groups = by_plan(units)
        times = {plan: Survival.of(some) for plan, some in groups.items()}
        return Report(
            "The survival time of a net is the number of generations it has been a parent; shown is the mean over all "
            "parents; random survival would give 2. Reading: where nets have equal points, parents go before "
            "offspring. Once nets play alike this decides who survives. Repeatability is the correlation of the points "
            "that the same parents and offspring win in two tournaments against different extra offspring: at 0 "
            "selection is random. Inheritance is the correlation of the points of parents and their children against "
            "the same nets: at 0 the children of the best are like any others, and selection has nothing to build on. "
            "Each step is multiplied by a random number of its own, so that steps spread and their mean square grows. "
            f"{ABOUT_READINGS} {about_scale(units, scale)}",
            [
                ResultTable(
                    "survival",
                    "mean survival time in generations, and new parents per generation",
                    [{"setting": plan.name, **row} for plan, its in times.items() for row in its.rows()],
                ),
                ResultTable(
                    "repeatability",
                    REPEATED_TITLE,
                    [{"setting": plan.name, **row} for plan, some in groups.items() for row in repeat_rows(some)],
                ),
                seeds_table(units, "survival times of each seed at every observation", survival_columns),
                seeds_table(units, "measures of each stored population", repeat_columns, "populations"),
            ],
            side_by_side({plan.name: survival_claims(scale, its) for plan, its in times.items()}),
            [
                Drawing(
                    "survival",
                    "mean survival time of the parents: thin lines are seeds, thick the smoothed median",
                    lambda figure: _draw(figure, times),
                )
            ],
        )


class Survival:
    """Survival times of several seeds at the same generations."""

    def __init__(self, generations: Series, times: tuple[Series, ...], fresh: tuple[Series, ...]) -> None:
        self.generations, self.times, self.fresh = generations, times, fresh

    @classmethod
    def of(cls, units: Units) -> Survival:
        """The survival times of all seeds of one plan."""
        return cls(
            np.array(units[0][1]["generations"], float),
            tuple(np.array(measures["survival"], float) for _, measures in units),
            tuple(np.array(measures["fresh"], float) for _, measures in units),
        )

    def between(self, first: float, last: float) -> Measured:
        """The mean from one generation to another."""
        some = (self.generations >= first) & (self.generations <= last)
        some[-1] |= not some.any()
        return over_seeds([float(one[some].mean()) for one in self.times])

    @property
    def end(self) -> Measured:
        """At the end of the run."""
        return over_seeds([float(one[-1]) for one in self.times])

    def highest(self, last: float = math.inf) -> Measured:
        """The highest mean from one observation to the next, up to a generation."""
        some = self.generations <= last
        return over_seeds([float(one[some].max(initial=0.0)) for one in self.times])

    @property
    def converged(self) -> Measured:
        """The share of seeds in which nets survived for hundreds of generations at some time."""
        return share_of_seeds([value >= HUNDREDS for value in self.highest().runs])

    @property
    def rise(self) -> Measured:
        """How many times longer nets survive in the last tenth of the run than in the first."""
        before, later = self.between(0, END * self.generations[-1]).runs, self.last_tenth.runs
        return over_seeds([b / max(a, 1e-9) for a, b in zip(before, later, strict=True)])

    @property
    def last_tenth(self) -> Measured:
        """The mean over the last tenth of the run."""
        return self.between((1 - END) * self.generations[-1], self.generations[-1])

    @property
    def long(self) -> list[int | None]:
        """For each seed the first generation at which nets survive for long; None if there is none."""
        rows = [np.flatnonzero(one >= LONG) for one in self.times]
        return [int(self.generations[some[0]]) if len(some) else None for some in rows]

    def rows(self, count: int = 10) -> list[dict[str, Any]]:
        """A table of about so many generations."""
        step = max(1, len(self.generations) // count)
        return [
            {
                "generation": int(self.generations[at]),
                "survival": over_seeds([float(one[at]) for one in self.times]),
                "new": over_seeds([float(one[at]) for one in self.fresh]),
            }
            for at in range(step - 1, len(self.generations), step)
        ]


def repeat_rows(units: Units) -> list[dict[str, Any]]:
    """Measures of the populations that runs stored, by generation."""
    return [
        {"generation": generation}
        | {name: over_seeds([m[name][at] for _, m in units], digits) for name, digits in REPEATED.items()}
        for at, generation in enumerate(units[0][1]["kept"])
    ]


def survival_columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """Survival times of a run by generation, for `seeds_table`."""
    return {
        "generation": measures["generations"],
        "survival": measures["survival"],
        "oldest": measures["oldest"],
        "new": measures["fresh"],
    }


def repeat_columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """Measures of the stored populations of a run, for `seeds_table`."""
    return {"generation": measures["kept"]} | {name: measures[name] for name in REPEATED}


def survival_claims(scale: Scale, times: Survival) -> list[Claim]:
    """The paper's claims about survival times."""
    lasting = [a >= b / 2 for a, b in zip(times.last_tenth.runs, times.highest().runs, strict=True)]
    since = [first is not None and ABOUT_5_000[0] <= first <= ABOUT_5_000[1] for first in times.long]
    short = too_short(scale, 10_000)
    return [
        Claim(
            PLACE,
            f"Before generation 4,000 nets survive less than {LONG} generations on average",
            times.highest(4_000),
            below(LONG),
            note="generations, at most",
        ).open(too_short(scale, 4_000)),
        Claim(
            PLACE,
            f"From about generation 5,000 ({ABOUT_5_000[0]:,} to {ABOUT_5_000[1]:,}) on survival time rises and stays "
            "(in the last tenth it is half of its highest or more)",
            share_of_seeds([one and other for one, other in zip(since, lasting, strict=True)]),
            above(MOST),
            note=f"share of seeds; first at {LONG} in generation: {when(times.long)}; {times.last_tenth} in the last "
            "tenth",
        ).open(short),
        Claim(
            PLACE,
            f"At generation 10,000 nets survive for hundreds of generations ({HUNDREDS} or more)",
            times.end,
            above(HUNDREDS),
            note=f"generations; highest at any observation: {times.highest()}",
        ).open(short),
        Claim(
            PLACE,
            f"They survive about 600 generations ({ABOUT_600[0]} to {ABOUT_600[1]:,})",
            times.end,
            Rule(*ABOUT_600),
            600,
            note="generations",
        ).open(short),
    ]


def _draw(figure: Figure, times: Mapping[Plan, Survival]) -> None:
    left, right = figure.subplots(1, 2)
    logarithmic(right)
    for panel in (left, right):
        for (plan, its), colour in zip(times.items(), COLOURS, strict=False):
            draw_curves(panel, its.generations, its.times, colour, plan.name)
        panel.set_xlabel("generation")
        panel.grid(color="#dddddd", linewidth=0.6)
    left.set_ylabel("mean survival time (generations)")
    legend_below(figure, left)
