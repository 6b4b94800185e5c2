"""W.fig8: how long nets survive as evolution goes on (Lin and White 2009, Fig. 8).

The survival time of a net is the number of generations it has been a parent. In the paper it stays below ten for
thousands of generations and then climbs to hundreds, which it takes as a sign of convergence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.lin_white.curves import (
    ABOUT_READINGS,
    END,
    Spread,
    about_scale,
    claim,
    draw_curves,
    legend_below,
    logarithmic,
    most_seeds,
    scale_of,
    seeds_table,
    side_by_side,
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
from zeroply.studies.study import COLOURS, Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure


HUNDREDS = 100
"""Generations that are called hundreds."""
REPEATED = {
    "repeatability": ".2f",
    "weights": ".2g",
    "steps": ".2g",
    "inheritance": ".2f",
    "a tenth": ".2f",
    "games": ".1f",
    "above 0": ".2f",
}
"""What is measured of kept populations, and how it is shown."""
REPEATED_TITLE = (
    "how far a tournament tells nets apart; sizes of weights and mutation steps (root of the mean square); how far "
    "children are like parents, as it is and with a tenth of the steps; different games that the parents play with "
    "Black against one net; share of weights above 0"
)
ABOUT_5_000 = (4_000, 6_500)
"""Where survival time may begin to rise."""
ABOUT_600 = (300, 1_200)
"""Half to twice the paper's survival time."""


class Fig8(Study):
    """Survival times."""

    name = "W.fig8"
    title = "how many generations coevolved nets survive"
    source = "Lin and White 2009, Fig. 8 and section II (Results)"
    packages = ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each reading of the paper and seed."""
        return plan_units(READINGS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve; the run itself counts."""
        record = evolved(self.place, unit, progress)
        return {**survival_measures(record), **repeat_measures(record)}

    def report(self, found: Found) -> Report:
        """Survival times against generation."""
        groups = by_plan(found)
        times = {plan: Survival.of(some) for plan, some in groups.items()}
        return Report(
            "The survival time of a net is the number of generations it has been a parent; shown is the mean over all "
            "parents; if survivors were drawn by lot it would be 2. Reading: where nets have equal points, parents go "
            "before offspring. Once nets play alike this decides who survives. Repeatability is the correlation of the "
            "points that the same parents and offspring win in two tournaments against different extra offspring: at 0 "
            "selection is by lot. Inheritance is the correlation of the points of parents and their children against "
            "the same nets: at 0 the children of the best are like any others, and selection has nothing to build on. "
            "Each step is multiplied by a random number of its own, so that steps spread and their mean square grows. "
            f"{ABOUT_READINGS} {about_scale(found)}",
            [
                Table(
                    "survival",
                    "mean survival time in generations, and new parents in a generation",
                    [{"setting": plan.name, **row} for plan, its in times.items() for row in its.rows()],
                ),
                Table(
                    "repeatability",
                    REPEATED_TITLE,
                    [{"setting": plan.name, **row} for plan, some in groups.items() for row in repeat_rows(some)],
                ),
                seeds_table(found, "survival times of each seed at every observation", survival_columns),
                seeds_table(found, "what was measured of each kept population", repeat_columns, "populations"),
            ],
            side_by_side({plan.name: survival_claims(scale_of(found), its) for plan, its in times.items()}),
            [
                Drawing(
                    "survival",
                    "mean survival time of the parents: a thin line for each seed, thick the smoothed median",
                    lambda figure: _draw(figure, times),
                )
            ],
        )


class Survival:
    """Survival times of several seeds at the same generations."""

    def __init__(self, generations: Series, times: tuple[Series, ...], fresh: tuple[Series, ...]) -> None:
        self.generations, self.times, self.fresh = generations, times, fresh

    @classmethod
    def of(cls, found: Found) -> Survival:
        """Those of all seeds of one plan."""
        return cls(
            np.array(found[0][1]["generations"], float),
            tuple(np.array(measures["survival"], float) for _, measures in found),
            tuple(np.array(measures["fresh"], float) for _, measures in found),
        )

    def between(self, first: float, last: float) -> Spread:
        """The mean from one generation to another."""
        some = (self.generations >= first) & (self.generations <= last)
        some[-1] |= not some.any()
        return Spread(tuple(float(one[some].mean()) for one in self.times), ".1f")

    @property
    def end(self) -> Spread:
        """At the end of the run."""
        return Spread(tuple(float(one[-1]) for one in self.times), ".1f")

    def highest(self, last: float = math.inf) -> Spread:
        """The highest mean from one observation to the next, up to a generation."""
        some = self.generations <= last
        return Spread(tuple(float(one[some].max(initial=0.0)) for one in self.times), ".1f")

    @property
    def converged(self) -> Verdict:
        """Whether nets survived for hundreds of generations at some time, in most seeds; None if in half of them."""
        twice = 2 * sum(value >= HUNDREDS for value in self.highest().values)
        return None if twice == len(self.times) else twice > len(self.times)

    @property
    def rise(self) -> Spread:
        """How many times longer nets survive in the last tenth of the run than in the first."""
        whole = self.generations[-1]
        before, later = self.between(0, END * whole).values, self.last_tenth.values
        return Spread(tuple(b / max(a, 1e-9) for a, b in zip(before, later, strict=True)), ".1f")

    @property
    def last_tenth(self) -> Spread:
        """The mean over the last tenth of the run."""
        whole = self.generations[-1]
        return self.between((1 - END) * whole, whole)

    @property
    def long(self) -> list[int | None]:
        """For each seed the first generation at which nets survive for long; None if there is none."""
        found = [np.flatnonzero(one >= LONG) for one in self.times]
        return [int(self.generations[rows[0]]) if len(rows) else None for rows in found]

    def rows(self, wanted: int = 10) -> list[dict[str, Any]]:
        """A table of about so many generations."""
        step = max(1, len(self.generations) // wanted)
        return [
            {
                "generation": int(self.generations[at]),
                "survival": str(Spread(tuple(float(one[at]) for one in self.times), ".1f")),
                "new": str(Spread(tuple(float(one[at]) for one in self.fresh), ".1f")),
            }
            for at in range(step - 1, len(self.generations), step)
        ]


def repeat_rows(found: Found) -> list[dict[str, Any]]:
    """What was measured of the populations that runs kept, by generation; earlier results know less."""
    forms = {name: form for name, form in REPEATED.items() if all(name in measures for _, measures in found)}
    return [
        {"generation": generation}
        | {name: str(Spread(tuple(measures[name][at] for _, measures in found), form)) for name, form in forms.items()}
        for at, generation in enumerate(found[0][1]["kept"])
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
    """What was measured of the kept populations of a run, for `seeds_table`; earlier results know less."""
    return {"generation": measures["kept"]} | {name: measures[name] for name in REPEATED if name in measures}


def survival_claims(scale: Scale, times: Survival) -> list[Claim]:
    """What the paper says of survival times."""
    early, end = times.highest(4_000), times.end
    lasting = [a >= b / 2 for a, b in zip(times.last_tenth.values, times.highest().values, strict=True)]
    since = [first is not None and ABOUT_5_000[0] <= first <= ABOUT_5_000[1] for first in times.long]
    return [
        claim(
            scale,
            4_000,
            f"Before generation 4,000 nets survive less than {LONG} generations on average",
            f"at most {early}",
            early.median < LONG,
        ),
        claim(
            scale,
            10_000,
            f"From about generation 5,000 ({ABOUT_5_000[0]:,} to {ABOUT_5_000[1]:,}) on survival time rises and stays "
            "(in the last tenth it is half of its highest or more)",
            f"first at {LONG} in generation: {when(times.long)}; {times.last_tenth} in the last tenth",
            most_seeds([one and other for one, other in zip(since, lasting, strict=True)]),
        ),
        claim(
            scale,
            10_000,
            f"At generation 10,000 nets survive for hundreds of generations ({HUNDREDS} or more)",
            f"{end} generations; highest at any observation: {times.highest()}",
            end.median >= HUNDREDS,
        ),
        claim(
            scale,
            10_000,
            f"They survive about 600 generations ({ABOUT_600[0]} to {ABOUT_600[1]:,})",
            f"{end} generations",
            ABOUT_600[0] <= end.median <= ABOUT_600[1],
        ),
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
