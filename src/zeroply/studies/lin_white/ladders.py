"""W.fig4, W.fig5, W.mobility and W.iagno: how many nets beat a fixed strategy during evolution.

Four studies of one form (Lin and White 2009, section II): at regular generations all parents climb the ladder of a
strategy, with Black and without look-ahead, while the strategy looks further and further ahead. The paper describes the
results in words; the figures in its text cannot be read.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from zeroply.studies.claims import Claim, above, below
from zeroply.studies.lin_white.curves import (
    ABOUT_READINGS,
    ALL,
    MOST,
    SOME,
    STRETCH,
    Curves,
    about_scale,
    draw_ladder,
    ladder_columns,
    over_seeds,
    rows_of,
    seeds_table,
    share_of_seeds,
    side_by_side,
    too_short,
    when,
)
from zeroply.studies.lin_white.runs import READINGS, by_plan, evolved, ladder_measures, plan_units
from zeroply.studies.measured import Measured
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units


class LadderStudy(Study):
    """The parents of the paper's runs against one strategy."""

    strategy: ClassVar[str]
    """The strategy, which has White."""
    shown: ClassVar[tuple[int, ...]]
    """The ply-depths of the figure."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per reading of the paper and seed."""
        return plan_units(READINGS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, and count the nets that beat the strategy."""
        return ladder_measures(evolved(self.folders, unit, progress), self.strategy)

    def findings(self, units: Units, scale: Scale) -> Report:
        """Counts against generation."""
        curves = {plan: Curves.of(some) for plan, some in by_plan(units).items()}
        first = next(iter(curves.values()))
        depths = [depth for depth in self.shown if depth in first.depths] or first.depths
        return Report(
            f"Spatial nets with the queen layer coevolve from random weights in fair tournaments. At regular "
            f"generations each of the {first.parents} parents plays the {self.strategy} strategy with Black and "
            "without look-ahead; the strategy has White and begins at ply-depth 0, where it evaluates each child, and "
            "gets two plies more each time it loses. A draw ends the climb, and equal moves go to the lowest square. "
            f"{ABOUT_READINGS} {about_scale(units, scale)}",
            [
                ResultTable(
                    "ladder",
                    f"how many of {first.parents} parents beat {self.strategy}, by its ply-depth",
                    [{"setting": plan.name, **row} for plan, its in curves.items() for row in rows_of(its)],
                ),
                seeds_table(units, "the same of each seed at every observation", ladder_columns),
            ],
            side_by_side({plan.name: self.claims(scale, its) for plan, its in curves.items()}),
            [
                Drawing(
                    "ladder",
                    f"number of nets that beat {self.strategy}: thin lines are seeds, thick the smoothed median",
                    lambda figure: draw_ladder(figure, curves, depths),
                )
            ],
        )

    @abstractmethod
    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """The paper's claims about this strategy."""


PLACE = "section II (Results)"


def _early(scale: Scale, curves: Curves, text: str) -> Claim:
    note = f"of {curves.parents}; first majority: {_first(curves, 2)}"
    return Claim(PLACE, text, curves.at(2, 100), above(MOST * curves.parents), note=note).open(too_short(scale, 100))


def _majority_at_the_end(scale: Scale, curves: Curves, depth: int, text: str) -> Claim:
    note = f"of {curves.parents} in the last tenth; first majority: {_first(curves, depth)}"
    claim = Claim(PLACE, text, curves.end(depth), above(MOST * curves.parents), note=note)
    return claim.open(too_short(scale, 10_000))


def _first(curves: Curves, depth: int) -> str:
    return when(curves.first_majority(depth)) if depth in curves.beaten else "(not observed)"


class Fig4(LadderStudy):
    """Against the positional strategy."""

    name = "W.fig4"
    title = "how many coevolved nets beat the positional strategy looking 2, 4 and 6 plies ahead"
    source = "Lin and White 2009, Fig. 4 and section II (Results)"
    strategy = "positional"
    shown = (2, 4, 6)

    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """Early wins at ply-depth 2, lasting ones at 4, none that last at 6."""
        n, top, end, short = curves.parents, curves.most(6), curves.end(6), too_short(scale, 10_000)
        return [
            _early(scale, curves, "After 100 generations over half of the nets beat ply-depth 2"),
            Claim(
                PLACE,
                "From about generation 6,000 on essentially all nets beat ply-depth 2",
                curves.between(2, 6_000, 10_000),
                above(ALL * n),
                note=f"of {n} on average",
            ).open(short),
            _majority_at_the_end(scale, curves, 4, "In the end the majority of nets beats ply-depth 4"),
            Claim(
                PLACE,
                "From about generation 7,000 on essentially all nets beat ply-depth 4, and this is not lost",
                curves.lowest(4, 7_000, 10_000),
                above(ALL * n),
                note=f"of {n} over the worst {STRETCH} generations",
            ).open(short),
            Claim(
                PLACE,
                "Some nets learn to beat ply-depth 6 for a short time; it does not last",
                {"most at any time": top, "last tenth minus half of that": _half(top, end)},
                {"most at any time": above(SOME * n), "last tenth minus half of that": below(0)},
                note=f"of {n}",
            ).open(short),
        ]


def _half(top: Measured, end: Measured) -> Measured:
    """A number at the end minus half of the highest one, within each seed."""
    return over_seeds([last - most / 2 for last, most in zip(end.runs, top.runs, strict=True)])


class Fig5(LadderStudy):
    """Against the piece differential."""

    name = "W.fig5"
    title = "how many coevolved nets beat the piece-differential strategy looking 2, 4 and 6 plies ahead"
    source = "Lin and White 2009, Fig. 5 and section II (Results)"
    strategy = "pieces"
    shown = (2, 4, 6)

    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """Early and sporadic wins at ply-depth 2, none around 3,000, then all at once up to 6."""
        seeds = [sudden(curves, seed) for seed in range(curves.seeds)]
        lost = "" if any(one is not None for one in seeds) else "no seed lost ply-depth 2"
        return [
            _early(scale, curves, "By generation 100 over half of the nets beat ply-depth 2"),
            Claim(
                PLACE,
                "By generation 3,000 the nets lose all ability to beat it",
                curves.between(2, 2_900, 3_500),
                below(SOME * curves.parents),
                note=f"of {curves.parents} from generation 2,900 to 3,500",
            ).open(too_short(scale, 3_500) or curves.never_able(2, 2_900)),
            Claim(
                PLACE,
                "There is a sudden shift from not beating ply-depth 2 to beating 6 (in the paper from 4,000 to 5,000)",
                share_of_seeds(seeds),
                above(MOST),
                note=f"share of seeds; majority at ply-depth 2 after {LOST} generations without, and at 6: "
                f"{_shifts(curves)}",
            ).open(too_short(scale, 10_000) or lost),
            _majority_at_the_end(scale, curves, 6, "In the end the majority of nets beats ply-depth 6"),
        ]


SINCE = 3_000
"""The first generation of a shift; in the paper the nets have lost all ability by then."""
LOST = 500
"""Generations without a majority at ply-depth 2 from which on it counts as not beaten."""
SUDDEN = 100
"""Generations within which the majority at ply-depth 6 follows; the paper has about 11."""


def shift(curves: Curves, seed: int) -> tuple[int | None, int | None] | None:
    """When, from `SINCE` on, most nets of a seed first beat ply-depth 2 again and then 6; None if it was never lost."""
    generations = curves.generations
    two, six = (curves.beaten[depth][seed] > MOST * curves.parents for depth in (2, 6))
    last = 0.0
    for at in np.flatnonzero(two):
        if generations[at] >= SINCE and generations[at] - last > LOST:
            after = generations[at:][six[at:]]
            return int(generations[at]), int(after[0]) if len(after) else None
        last = generations[at]
    return (None, None) if generations[-1] - last > LOST else None


def sudden(curves: Curves, seed: int) -> bool | None:
    """Whether a seed shifts from not beating ply-depth 2 to beating 6; None if ply-depth 2 was never lost."""
    both = shift(curves, seed) if 6 in curves.beaten and curves.generations[-1] >= SINCE else None
    if both is None:
        return None
    two, six = both
    return two is not None and six is not None and six - two <= SUDDEN


def _shifts(curves: Curves) -> str:
    if 6 not in curves.beaten or curves.generations[-1] < SINCE:
        return "(not observed)"
    both = [shift(curves, seed) for seed in range(curves.seeds)]
    return ", ".join("never lost" if one is None else " and ".join(when([at]) for at in one) for one in both)


class Mobility(LadderStudy):
    """Against the mobility strategy."""

    name = "W.mobility"
    title = "how many coevolved nets beat the mobility strategy"
    source = "Lin and White 2009, section II (Results)"
    strategy = "mobility"
    shown = (0, 2, 4)

    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """Learned for a while, then lost for ever at any look-ahead."""
        n, short = curves.parents, too_short(scale, 10_000)
        early, later = curves.between(2, 0, 1_000), curves.between(2, 4_000, 5_000)
        after = {
            "on average": curves.between(2, 5_500, 10_000),
            f"over the best {STRETCH} generations": curves.highest(2, 5_500, 10_000),
        }
        return [
            Claim(
                PLACE,
                f"Until about generation 5,000 the nets slowly learn to beat ply-depth 2 (by {SOME:.0%} of them)",
                later - early,
                above(SOME * n),
                note=f"more of {n} from 4,000 to 5,000 than up to 1,000",
            ).open(short),
            Claim(
                PLACE,
                "After that they lose all ability against ply-depth 2 and more, and never regain it",
                after,
                below(SOME * n),
                note=f"of {n} from generation 5,500 on",
            ).open(short or curves.never_able(2, 5_500)),
            Claim(
                PLACE,
                "In the end the nets beat it at equal ply-depth (0)",
                curves.end(0),
                above(MOST * n),
                note=f"of {n} in the last tenth",
            ).open(short),
        ]


class Iagno(LadderStudy):
    """Against Iagno."""

    name = "W.iagno"
    title = "how many coevolved nets beat Iagno's whole strategy"
    source = "Lin and White 2009, section II (Results)"
    strategy = "iagno"
    shown = (0, 2, 4)

    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """Good play at equal ply-depth."""
        return [
            Claim(
                PLACE,
                "The evolved nets play well against Iagno at equal ply-depth (here it solves endings, and its "
                "random opening moves are the lowest squares)",
                curves.end(0),
                above(MOST * curves.parents),
                note=f"of {curves.parents} in the last tenth; at most {curves.most(0)} at any time",
            ).open(too_short(scale, 10_000))
        ]
