"""W.fig8: how long nets survive during evolution (Lin and White 2009, Fig. 8).

The survival time of a net is the number of generations it has been a parent. In the paper it stays below ten for
thousands of generations and then climbs to hundreds, which it takes as a sign of convergence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from zeroply.runs import RunRecord
from zeroply.studies.claims import Claim, Rule, above, below
from zeroply.studies.lin_white.curves import END, LINES, MOST, Course, Panel, drawing, over_seeds, share_of_seeds, when
from zeroply.studies.lin_white.run_study import RunStudy, claim, course_rows, seeds_table
from zeroply.studies.lin_white.runs import LONG, LinWhiteSize, repeat_measures, survival_measures
from zeroply.studies.measured import Measured
from zeroply.studies.report import Drawing, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Units

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


class Survival(Course):
    """Mean survival times of parents."""

    @property
    def converged(self) -> Measured:
        """The share of seeds in which nets survived for hundreds of generations at some time."""
        return share_of_seeds([value >= HUNDREDS for value in self.highest().runs])

    @property
    def rise(self) -> Measured:
        """How many times longer nets survive in the last tenth of the run than in the first."""
        before = self.between(0, END * self.generations[-1])
        return over_seeds([b / max(a, 1e-9) for a, b in zip(before.runs, self.end.runs, strict=True)])

    @property
    def long(self) -> list[int | None]:
        """For each seed the first generation at which nets survive for long; None if there is none."""
        return self.first(self.seeds >= LONG)


def repeat_courses(runs: Sequence[Measures]) -> dict[str, Course]:
    """Measures of the populations that runs stored."""
    return {name: Course.of(runs, name, digits, "kept") for name, digits in REPEATED.items()}


def survival_columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """Survival times of a run by generation, for `seeds_table`."""
    names = {"generation": "generations", "survival": "survival", "oldest": "oldest", "new": "fresh"}
    return {column: measures[name] for column, name in names.items()}


def _repeat_columns(measures: Measures) -> dict[str, Sequence[Any]]:
    return {"generation": measures["kept"]} | {name: measures[name] for name in REPEATED}


def survival_claims(scale: Scale, times: Survival) -> list[Claim]:
    """The paper's claims about survival times."""
    judged = partial(claim, scale, "figure 8")
    low, high = ABOUT_5_000
    rising = [
        first is not None and low <= first <= high and end >= top / 2
        for first, end, top in zip(times.long, times.end.runs, times.highest().runs, strict=True)
    ]
    return [
        judged(
            f"Before generation 4,000 nets survive less than {LONG} generations on average",
            times.highest(4_000),
            below(LONG),
            note="generations, at most",
            needs=4_000,
        ),
        judged(
            f"From about generation 5,000 ({low:,} to {high:,}) on survival time rises and stays "
            "(in the last tenth it is half of its highest or more)",
            share_of_seeds(rising),
            above(MOST),
            note=f"share of seeds; first at {LONG} in generation: {when(times.long)}; {times.end} in the last tenth",
        ),
        judged(
            f"At generation 10,000 nets survive for hundreds of generations ({HUNDREDS} or more)",
            times.last,
            above(HUNDREDS),
            note=f"generations; highest at any observation: {times.highest()}",
        ),
        judged(
            f"They survive about 600 generations ({ABOUT_600[0]} to {ABOUT_600[1]:,})",
            times.last,
            Rule(*ABOUT_600),
            printed=600,
            note="generations",
        ),
    ]


class LinWhiteFig8(RunStudy[Sequence[Measures]]):
    """Survival times."""

    name = "W.fig8"
    title = "how many generations coevolved nets survive"
    source = "Lin and White 2009, Fig. 8 and section II (Results)"
    text = (
        "The survival time of a net is the number of generations it has been a parent; shown is the mean over all "
        "parents; random survival would give 2. Reading: where nets have equal points, parents go before "
        "offspring. Once nets play alike this decides who survives. Repeatability is the correlation of the points "
        "that the same parents and offspring win in two tournaments against different extra offspring: at 0 "
        "selection is random. Inheritance is the correlation of the points of parents and their children against "
        "the same nets: at 0 the children of the best are like any others, and selection has nothing to build on. "
        "Each step is multiplied by a random number of its own, so that steps spread and their mean square grows."
    )

    def measures(self, record: RunRecord, size: LinWhiteSize, progress: Progress) -> Measures:
        return {**survival_measures(record), **repeat_measures(record)}

    def setting(self, runs: Sequence[Measures]) -> Sequence[Measures]:
        return runs

    def tables(self, settings: Mapping[str, Sequence[Measures]], units: Units) -> list[ResultTable]:
        times = {
            name: {"survival": Course.of(runs, "survival"), "new": Course.of(runs, "fresh")}
            for name, runs in settings.items()
        }
        repeated = {name: repeat_courses(runs) for name, runs in settings.items()}
        caption = "mean survival time in generations, and new parents per generation"
        return [
            ResultTable("survival", caption, course_rows(times)),
            ResultTable("repeatability", REPEATED_TITLE, course_rows(repeated, list)),
            seeds_table(units, "survival times of each seed at every observation", survival_columns),
            seeds_table(units, "measures of each stored population", _repeat_columns, "populations"),
        ]

    def claims(self, scale: Scale, setting: Sequence[Measures]) -> list[Claim]:
        return survival_claims(scale, Survival.of(setting, "survival"))

    def drawings(self, settings: Mapping[str, Sequence[Measures]]) -> list[Drawing]:
        times = {name: Course.of(runs, "survival") for name, runs in settings.items()}
        caption, label = f"mean survival time of the parents: {LINES}", "mean survival time (generations)"
        return [drawing("survival", caption, [Panel(times), Panel(times, log=True)], label)]
