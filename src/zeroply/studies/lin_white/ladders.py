"""W.fig4, W.fig5, W.mobility and W.iagno: how many nets beat a fixed strategy during evolution.

Four studies of one form (Lin and White 2009, section II): at regular generations all parents climb the ladder of a
strategy, with Black and without look-ahead, while the strategy looks further and further ahead. The paper describes the
results in words; the figures in its text cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zeroply.runs import RunRecord
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.lin_white.curves import (
    ALL,
    MOST,
    SOME,
    STRETCH,
    Ladder,
    ladder_drawing,
    over_seeds,
    share_of_seeds,
    when,
)
from zeroply.studies.lin_white.run_study import RunStudy, claim, course_rows, ladder_columns, seeds_table
from zeroply.studies.lin_white.runs import LinWhiteSize, ladder_measures
from zeroply.studies.report import Drawing, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Units

PLACE = "section II (Results)"
ABLE = 0.2
"""The share of nets that must have been able before an ability can be lost."""


class LadderStudy(RunStudy[Ladder]):
    """The parents of the paper's runs against one strategy."""

    strategy: ClassVar[str]
    """The strategy, which has White."""
    shown: ClassVar[tuple[int, ...]] = (2, 4, 6)
    """The ply-depths of the figure."""

    def measures(self, record: RunRecord, size: LinWhiteSize, progress: Progress) -> Measures:
        return ladder_measures(record, self.strategy)

    def setting(self, runs: Sequence[Measures]) -> Ladder:
        return Ladder.of(runs)

    def about(self, setting: Ladder) -> str:
        return (
            f"Spatial nets with the queen layer coevolve from random weights in fair tournaments. At regular "
            f"generations each of the {setting.parents} parents plays the {self.strategy} strategy with Black and "
            "without look-ahead; the strategy has White and begins at ply-depth 0, where it evaluates each child, and "
            "gets two plies more each time it loses. A draw ends the climb, and equal moves go to the lowest square."
        )

    def tables(self, settings: Mapping[str, Ladder], units: Units) -> list[ResultTable]:
        parents = next(iter(settings.values())).parents
        columns = {name: {f"ply-depth {d}": one for d, one in its.rungs.items()} for name, its in settings.items()}
        caption = f"how many of {parents} parents beat {self.strategy}, by its ply-depth"
        return [
            ResultTable("ladder", caption, course_rows(columns)),
            seeds_table(units, "the same of each seed at every observation", ladder_columns),
        ]

    def drawings(self, settings: Mapping[str, Ladder]) -> list[Drawing]:
        rungs = next(iter(settings.values())).rungs
        depths = [depth for depth in self.shown if depth in rungs] or rungs
        return [ladder_drawing("ladder", self.strategy, settings, depths)]


def _majority(scale: Scale, ladder: Ladder, depth: int, text: str, early: bool = False) -> Claim:
    """More than half of the nets beat a ply-depth: at generation 100, or in the end."""
    rung, rule = ladder[depth], above(MOST * ladder.parents)
    first = when(rung.first(ladder.majority(depth))) if depth in ladder.rungs else "(not observed)"
    note = f"of {ladder.parents}{'' if early else ' in the last tenth'}; first majority: {first}"
    ours, needs = (rung.at(100), 100) if early else (rung.end, 10_000)
    return claim(scale, PLACE, text, ours, rule, note=note, needs=needs)


def _never_able(ladder: Ladder, depth: int, before: int) -> str:
    """Why a loss of ability cannot be decided, if hardly a net was able before; empty if it can."""
    most = ladder[depth].highest(before - 1)
    return "" if most.value >= ABLE * ladder.parents else f"at most {most} nets were able before"


class LinWhiteFig4(LadderStudy):
    """Against the positional strategy."""

    name = "W.fig4"
    title = "how many coevolved nets beat the positional strategy looking 2, 4 and 6 plies ahead"
    source = "Lin and White 2009, Fig. 4 and section II (Results)"
    strategy = "positional"

    def claims(self, scale: Scale, setting: Ladder) -> list[Claim]:
        n, judged = setting.parents, partial(claim, scale, PLACE)
        top, end = setting[6].highest(), setting[6].end
        most, half = "most at any time", "last tenth minus half of that"
        fall = over_seeds([last - highest / 2 for last, highest in zip(end.runs, top.runs, strict=True)])
        return [
            _majority(scale, setting, 2, "After 100 generations over half of the nets beat ply-depth 2", early=True),
            judged(
                "From about generation 6,000 on essentially all nets beat ply-depth 2",
                setting[2].between(6_000, 10_000),
                above(ALL * n),
                f"of {n} on average",
            ),
            _majority(scale, setting, 4, "In the end the majority of nets beats ply-depth 4"),
            judged(
                "From about generation 7,000 on essentially all nets beat ply-depth 4, and this is not lost",
                setting[4].worst(7_000, 10_000),
                above(ALL * n),
                f"of {n} over the worst {STRETCH} generations",
            ),
            judged(
                "Some nets learn to beat ply-depth 6 for a short time; it does not last",
                {most: top, half: fall},
                {most: above(SOME * n), half: below(0)},
                f"of {n}",
            ),
        ]


class LinWhiteFig5(LadderStudy):
    """Against the piece differential."""

    name = "W.fig5"
    title = "how many coevolved nets beat the piece-differential strategy looking 2, 4 and 6 plies ahead"
    source = "Lin and White 2009, Fig. 5 and section II (Results)"
    strategy = "pieces"

    def claims(self, scale: Scale, setting: Ladder) -> list[Claim]:
        n, judged = setting.parents, partial(claim, scale, PLACE)
        shifts = _shifts(setting)
        seeds = [None if one is None else one.sudden for one in shifts]
        words = ["never lost" if one is None else f"{when([one.two])} and {when([one.six])}" for one in shifts]
        return [
            _majority(scale, setting, 2, "By generation 100 over half of the nets beat ply-depth 2", early=True),
            judged(
                "By generation 3,000 the nets lose all ability to beat it",
                setting[2].between(2_900, 3_500),
                below(SOME * n),
                f"of {n} from generation 2,900 to 3,500",
                needs=3_500,
                unless=_never_able(setting, 2, 2_900),
            ),
            judged(
                "There is a sudden shift from not beating ply-depth 2 to beating 6 (in the paper from 4,000 to 5,000)",
                share_of_seeds(seeds),
                above(MOST),
                note=f"share of seeds; majority at ply-depth 2 after {LOST} generations without, and at 6: "
                f"{', '.join(words) or '(not observed)'}",
                unless="" if any(one is not None for one in seeds) else "no seed lost ply-depth 2",
            ),
            _majority(scale, setting, 6, "In the end the majority of nets beats ply-depth 6"),
        ]


SINCE = 3_000
"""The first generation of a shift; in the paper the nets have lost all ability by then."""
LOST = 500
"""Generations without a majority at ply-depth 2 from which on it counts as not beaten."""
SUDDEN = 100
"""Generations within which the majority at ply-depth 6 follows; the paper has about 11."""


@dataclass(frozen=True)
class Shift:
    """When, from `SINCE` on, most nets of a seed first beat ply-depth 2 again, and when they then beat 6."""

    two: int | None = None
    """The generation for ply-depth 2; None if there is none."""
    six: int | None = None
    """The generation for ply-depth 6; None if there is none."""

    @property
    def sudden(self) -> bool:
        """Whether ply-depth 6 follows at once."""
        return self.two is not None and self.six is not None and self.six - self.two <= SUDDEN


def _shifts(ladder: Ladder) -> list[Shift | None]:
    """The shift of each seed, None if it never lost ply-depth 2; nothing if runs are too short to tell."""
    generations = ladder[2].generations
    if 6 not in ladder.rungs or generations[-1] < SINCE:
        return []

    def shift(two: NDArray[np.bool_], six: NDArray[np.bool_]) -> Shift | None:
        last = 0.0
        for at in np.flatnonzero(two):
            if generations[at] >= SINCE and generations[at] - last > LOST:
                after = generations[at:][six[at:]]
                return Shift(int(generations[at]), int(after[0]) if len(after) else None)
            last = generations[at]
        return Shift() if generations[-1] - last > LOST else None

    return [shift(*both) for both in zip(ladder.majority(2), ladder.majority(6), strict=True)]


class Mobility(LadderStudy):
    """Against the mobility strategy."""

    name = "W.mobility"
    title = "how many coevolved nets beat the mobility strategy"
    source = "Lin and White 2009, section II (Results)"
    strategy = "mobility"
    shown = (0, 2, 4)

    def claims(self, scale: Scale, setting: Ladder) -> list[Claim]:
        n, two, judged = setting.parents, setting[2], partial(claim, scale, PLACE)
        return [
            judged(
                f"Until about generation 5,000 the nets slowly learn to beat ply-depth 2 (by {SOME:.0%} of them)",
                two.between(4_000, 5_000) - two.between(0, 1_000),
                above(SOME * n),
                note=f"more of {n} from 4,000 to 5,000 than up to 1,000",
            ),
            judged(
                "After that they lose all ability against ply-depth 2 and more, and never regain it",
                {
                    "on average": two.between(5_500, 10_000),
                    f"over the best {STRETCH} generations": two.best(5_500, 10_000),
                },
                below(SOME * n),
                f"of {n} from generation 5,500 on",
                unless=_never_able(setting, 2, 5_500),
            ),
            judged(
                "In the end the nets beat it at equal ply-depth (0)",
                setting[0].end,
                above(MOST * n),
                f"of {n} in the last tenth",
            ),
        ]


class Iagno(LadderStudy):
    """Against Iagno."""

    name = "W.iagno"
    title = "how many coevolved nets beat Iagno's whole strategy"
    source = "Lin and White 2009, section II (Results)"
    strategy = "iagno"
    shown = (0, 2, 4)

    def claims(self, scale: Scale, setting: Ladder) -> list[Claim]:
        text = (
            "The evolved nets play well against Iagno at equal ply-depth (here it solves endings, and its random "
            "opening moves are the lowest squares)"
        )
        note = f"of {setting.parents} in the last tenth; at most {setting[0].highest()} at any time"
        return [claim(scale, PLACE, text, setting[0].end, above(MOST * setting.parents), note=note)]
