"""W.fig4, W.fig5, W.mobility and W.iagno: how many nets beat a fixed strategy as evolution goes on.

Four studies of one form (Lin and White 2009, section II): all parents climb the ladder of a strategy every so many
generations, with Black and without look-ahead, while the strategy looks further and further ahead. What the paper says
of each is in words only; the figures in its text cannot be read.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from zeroply.studies.lin_white.curves import (
    ABOUT_READINGS,
    ALL,
    MOST,
    SOME,
    STRETCH,
    Curves,
    about_scale,
    claim,
    draw_ladder,
    ladder_columns,
    most_seeds,
    rows_of,
    scale_of,
    seeds_table,
    side_by_side,
    when,
)
from zeroply.studies.lin_white.runs import READINGS, by_plan, evolved, ladder_measures, plan_units
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import Verdict, all_of


class LadderStudy(Study):
    """The parents of the paper's runs against one strategy."""

    packages = ()
    strategy: ClassVar[str]
    """Who has White."""
    shown: ClassVar[tuple[int, ...]]
    """The ply-depths of the figure."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each reading of the paper and seed."""
        return plan_units(READINGS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, and count who beats the strategy."""
        return ladder_measures(evolved(self.place, unit, progress), self.strategy)

    def report(self, found: Found) -> Report:
        """Counts against generation, beside what the paper says."""
        curves = {plan: Curves.of(some) for plan, some in by_plan(found).items()}
        first = next(iter(curves.values()))
        depths = [depth for depth in self.shown if depth in first.depths] or first.depths
        return Report(
            f"Spatial nets with the queen layer coevolve from nothing in fair tournaments. After a generation that is "
            f"observed, each of the {first.parents} parents plays the {self.strategy} strategy with Black and without "
            "look-ahead; the strategy has White and begins at ply-depth 0, where it evaluates each child, and is given "
            "two plies more each time it loses. A draw ends the climb, and equal moves go to the lowest square. "
            f"{ABOUT_READINGS} {about_scale(found)}",
            [
                Table(
                    "ladder",
                    f"how many of {first.parents} parents beat {self.strategy}, by its ply-depth",
                    [{"setting": plan.name, **row} for plan, its in curves.items() for row in rows_of(its)],
                ),
                seeds_table(found, "the same of each seed at every observation", ladder_columns),
            ],
            side_by_side({plan.name: self.claims(scale_of(found), its) for plan, its in curves.items()}),
            [
                Drawing(
                    "ladder",
                    f"number of nets that beat {self.strategy}: a thin line for each seed, thick the smoothed median",
                    lambda figure: draw_ladder(figure, curves, depths),
                )
            ],
        )

    @abstractmethod
    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """What the paper says of this strategy."""


def _majority_at_the_end(scale: Scale, curves: Curves, depth: int, text: str) -> Claim:
    end = curves.end(depth)
    ours = f"{end} of {curves.parents} in the last tenth; first majority: {_first(curves, depth)}"
    return claim(scale, 10_000, text, ours, curves.share(end.median) > MOST)


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
        early, late = curves.at(2, 100), curves.between(2, 6_000, 10_000)
        kept, top = curves.lowest(4, 7_000, 10_000), curves.most(6)
        return [
            claim(
                scale,
                100,
                "After 100 generations over half of the nets beat ply-depth 2",
                f"{early} of {curves.parents} at generation 100; first majority: {_first(curves, 2)}",
                curves.share(early.median) > MOST,
            ),
            claim(
                scale,
                10_000,
                "From about generation 6,000 on essentially all nets beat ply-depth 2",
                f"{late} of {curves.parents} on average",
                curves.share(late.median) >= ALL,
            ),
            _majority_at_the_end(scale, curves, 4, "In the end the majority of nets beats ply-depth 4"),
            claim(
                scale,
                10_000,
                "From about generation 7,000 on essentially all nets beat ply-depth 4, and this is not lost",
                f"{kept} of {curves.parents} over the worst {STRETCH} generations",
                curves.share(kept.median) >= ALL,
            ),
            claim(
                scale,
                10_000,
                "Some nets learn to beat ply-depth 6 for a short time; it does not last",
                f"at most {top} at any time, {curves.end(6)} in the last tenth",
                curves.share(top.median) >= SOME and curves.end(6).median < top.median / 2,
            ),
        ]


class Fig5(LadderStudy):
    """Against the piece differential."""

    name = "W.fig5"
    title = "how many coevolved nets beat the piece-differential strategy looking 2, 4 and 6 plies ahead"
    source = "Lin and White 2009, Fig. 5 and section II (Results)"
    strategy = "pieces"
    shown = (2, 4, 6)

    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """Early and sporadic wins at ply-depth 2, none around 3,000, then all at once up to 6."""
        early, low = curves.at(2, 100), curves.between(2, 2_900, 3_500)
        return [
            claim(
                scale,
                100,
                "By generation 100 over half of the nets beat ply-depth 2",
                f"{early} of {curves.parents} at generation 100; first majority: {_first(curves, 2)}",
                curves.share(early.median) > MOST,
            ),
            claim(
                scale,
                3_500,
                "By generation 3,000 the nets lose all ability to beat it",
                f"at most {curves.most(2, before=2_900)} of {curves.parents} beat ply-depth 2 before, {low} from "
                "generation 2,900 to 3,500",
                curves.lost(2, 2_900, 3_500),
            ),
            claim(
                scale,
                10_000,
                "There is a sudden shift from not beating ply-depth 2 to beating 6 (in the paper from 4,000 to 5,000)",
                f"majority at ply-depth 2 after {LOST} generations without, and at 6: {_shifts(curves)}",
                most_seeds([sudden(curves, seed) for seed in range(curves.seeds)]),
            ),
            _majority_at_the_end(scale, curves, 6, "In the end the majority of nets beats ply-depth 6"),
        ]


SINCE = 3_000
"""From where on a shift is looked for; in the paper the nets have lost all ability by then."""
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


def sudden(curves: Curves, seed: int) -> Verdict:
    """Whether a seed shifts from not beating ply-depth 2 to beating 6; None if ply-depth 2 was never lost."""
    if 6 not in curves.beaten or curves.generations[-1] < SINCE:
        return None
    found = shift(curves, seed)
    if found is None:
        return None
    two, six = found
    return two is not None and six is not None and six - two <= SUDDEN


def _shifts(curves: Curves) -> str:
    if 6 not in curves.beaten or curves.generations[-1] < SINCE:
        return "(not observed)"
    found = [shift(curves, seed) for seed in range(curves.seeds)]
    return ", ".join("never lost" if one is None else " and ".join(when([at]) for at in one) for one in found)


class Mobility(LadderStudy):
    """Against the mobility strategy."""

    name = "W.mobility"
    title = "how many coevolved nets beat the mobility strategy"
    source = "Lin and White 2009, section II (Results)"
    strategy = "mobility"
    shown = (0, 2, 4)

    def claims(self, scale: Scale, curves: Curves) -> list[Claim]:
        """Learned for a while, then lost for ever at any look-ahead."""
        early, later = curves.between(2, 0, 1_000), curves.between(2, 4_000, 5_000)
        peak, end, again = curves.most(2), curves.between(2, 5_500, 10_000), curves.highest(2, 5_500, 10_000)
        level = curves.end(0)
        return [
            claim(
                scale,
                10_000,
                "Until about generation 5,000 the nets slowly learn to beat ply-depth 2",
                f"{early} of {curves.parents} up to generation 1,000, {later} from 4,000 to 5,000, at most {peak} ever",
                curves.share(later.median - early.median) >= SOME,
            ),
            claim(
                scale,
                10_000,
                "After that they lose all ability against ply-depth 2 and more, and never regain it",
                f"{end} of {curves.parents} from generation 5,500 on, {again} over the best {STRETCH} generations",
                all_of([curves.lost(2, 5_500, 10_000), curves.share(again.median) < SOME]),
            ),
            claim(
                scale,
                10_000,
                "In the end the nets beat it at equal ply-depth (0)",
                f"{level} of {curves.parents} in the last tenth",
                curves.share(level.median) > MOST,
            ),
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
        end = curves.end(0)
        return [
            claim(
                scale,
                10_000,
                "The evolved nets play well against Iagno at equal ply-depth (here it solves endings, and its "
                "random opening moves are the lowest squares)",
                f"{end} of {curves.parents} beat it in the last tenth, at most {curves.most(0)} at any time",
                curves.share(end.median) > MOST,
            )
        ]
