"""S.fig8: the CIAO plot of a coevolutionary run (Schaul and Schmidhuber 2009, figure 8 and section V-D).

All champions of one population against all of the other. The paper reads three things from it by eye, which are counted
here: some progress, more careful play in later generations, and groups that beat each other like rock, paper, scissors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from zeroply import chance
from zeroply.learning.coevolution.ciao import (
    crossed_pairs,
    early_and_late,
    flipped,
    intransitive_triples,
    noisy_order,
    progress_seen,
)
from zeroply.studies.schaul.coevolution import coevolution, table_of_meetings
from zeroply.studies.schaul.runs import SIZES, Scores, rounded, run_seeds
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit, part_of
from zeroply.studies.verdicts import Estimate, all_of, mean_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUP = 0.1
"""The share of all opponents that is called a group."""
OFTEN = 0.5
"""The share of pairs from which on they are called often."""
AMONG = 100
"""Champions, spread over the run, among which triples are counted."""


class Fig8(Study):
    """A typical CIAO plot."""

    name = "S.fig8"
    title = "CIAO plot of a coevolutionary run, with the share of intransitive triples"
    source = "Schaul and Schmidhuber 2009, figure 8 and section V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game and run; the same runs as in S.fig7, the first is drawn."""
        return [
            Unit(f"{name} run {seed}", {"scale": scale, "game": name}, seed)
            for name in ("Atari-Go", "Gomoku")
            for seed in run_seeds(seeds, SIZES[scale].coevolutions)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Champions of A against champions of B, and a selection of all against itself, twice."""
        found = coevolution(
            self.place, unit.settings["scale"], unit.settings["game"], unit.seed, part_of(progress, 0, 1 / 4)
        )
        key, weights = chance.key(unit.seed, unit.name), found.weights
        report = part_of(progress, 1 / 4, 2 / 4)
        plot = table_of_meetings(found, weights[0::2], weights[1::2], chance.key(key, "ciao"), report)
        some = weights[np.unique(np.linspace(0, len(weights) - 1, AMONG).round().astype(np.int64))]
        once, again = (
            _upper(
                table_of_meetings(found, some, some, chance.key(key, word), part_of(progress, low, low + 1 / 4)).scores
            )
            for word, low in (("among", 2 / 4), ("again", 3 / 4))
        )
        triples, flips = intransitive_triples(once), flipped(once, again)
        early, late = early_and_late(plot.lengths)
        return {
            "scores": rounded(plot.scores, 3),
            "moves early": round(early, 3),
            "moves late": round(late, 3),
            "circles": triples.part,
            "triples": triples.of,
            "flips": flips.part,
            "pairs": flips.of,
        }

    def report(self, found: Found) -> Report:
        """The plots, and what can be counted in them."""
        rows = [{"game": unit.settings["game"], "run": unit.seed, **vars(_Counts.of(m))} for unit, m in found]
        return Report(
            "A cell is the mean score of a champion of population A (row) against one of population B (column), two "
            "greedy games, each starting once. *progress*: how much better late rows do against early columns than "
            "early rows against late columns. *early* and *late*: mean number of moves of the games of the earliest "
            f"quarter of both populations and of the latest. *circles*: the share of triples among {AMONG} champions "
            "of both populations that beat each other in a circle, of those in which each pair is decided. *order*: "
            "the share that an order of strength would have at most, if chance turned round as many meetings as here "
            "when they are played again (equal moves are chosen at random). *crossed*: the share of pairs of rows that "
            f"each beat a group of {100 * GROUP:.0f} % of all columns or more to which the other loses, of those that "
            "some champion tells apart.",
            [Table("counted", "what can be counted in a CIAO plot", rows)],
            _claims(found),
            [Drawing("ciao", "scores of A's champions against B's", lambda figure: _draw(figure, found))],
        )


def _upper(scores: Scores) -> Scores:
    """The table in which a pair is met once, as seen by either."""
    upper = np.triu(scores, 1)
    return upper - upper.T


def _plot(measures: Measures) -> Scores:
    return np.asarray(measures["scores"], np.float64)


@dataclass(frozen=True)
class _Counts:
    """What can be counted in the plot of a run."""

    champions: int
    progress: float
    early: float
    late: float
    circles: float
    order: float
    triples: int
    crossed: float

    @classmethod
    def of(cls, measures: Measures) -> _Counts:
        plot = _plot(measures)
        return cls(
            sum(plot.shape),
            round(progress_seen(plot), 3),
            round(measures["moves early"], 1),
            round(measures["moves late"], 1),
            round(measures["circles"] / max(1, measures["triples"]), 3),
            round(noisy_order(measures["flips"] / max(1, measures["pairs"])), 3),
            measures["triples"],
            round(crossed_pairs(plot, GROUP).value, 3),
        )


def _claims(found: Found) -> list[Claim]:
    names = dict.fromkeys(unit.settings["game"] for unit, _ in found)
    counts = {
        name: [_Counts.of(measures) for unit, measures in found if unit.settings["game"] == name] for name in names
    }
    return [
        _claim(
            "Later generations are better against earlier ones, to a small degree",
            "progress",
            {name: mean_of([one.progress for one in some]) for name, some in counts.items()},
        ),
        _claim(
            "Games are shorter with players of earlier generations and longer with later ones",
            "moves more",
            {name: mean_of([one.late - one.early for one in some]) for name, some in counts.items()},
        ),
        _claim(
            "There is more rock, paper, scissors than an order of strength with the same share of chance would show",
            "share of triples in a circle beyond it",
            {name: mean_of([one.circles - one.order for one in some]) for name, some in counts.items()},
        ),
        _claim(
            "Often, of two players each beats a group that the other loses to",
            "share of pairs",
            {name: mean_of([one.crossed for one in some]) for name, some in counts.items()},
            OFTEN,
        ),
    ]


def _claim(claim: str, what: str, found: Mapping[str, Estimate], limit: float = 0.0) -> Claim:
    """A claim that a number is above a limit in both games, over the runs."""
    said = f"{what}: " + ", ".join(f"{name} {value}" for name, value in found.items())
    return Claim(claim, said, all_of(value.above(limit, comparisons=len(found)) for value in found.values()))


def _draw(figure: Figure, found: Found) -> None:
    first = [(unit, measures) for unit, measures in found if unit.seed == 1]
    panels = figure.subplots(1, len(first), squeeze=False)[0]
    for panel, (unit, measures) in zip(panels, first, strict=True):
        plot = _plot(measures)
        ends = (0.5, 2 * plot.shape[1] + 0.5, 2 * plot.shape[0] + 0.5, 0.5)
        image = panel.imshow(plot, cmap="gray", vmin=-1, vmax=1, extent=ends, aspect="auto", interpolation="nearest")
        panel.set_title(unit.settings["game"], fontsize="medium")
        panel.set_xlabel("generation of B's champion")
    panels[0].set_ylabel("generation of A's champion")
    figure.colorbar(image, ax=panels, label="score of A's champion", shrink=0.9)
