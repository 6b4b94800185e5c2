"""S.fig8: the CIAO plot of a coevolutionary run (Schaul and Schmidhuber 2009, figure 8 and section V-D).

All champions of one population against all of the other. The paper reads three things from it by eye, which are counted
here: some progress, more careful play in later generations, and groups that beat each other like rock, paper, scissors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeroply import chance
from zeroply.learning.coevolution.ciao import crossed_pairs, intransitive_triples, progress_seen, sharpness
from zeroply.studies.s_coevolution import coevolution, table_of_meetings
from zeroply.studies.s_runs import Found, Scores, part_of, rounded
from zeroply.studies.study import Claim, Drawing, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COIN = 0.25
"""The share of intransitive triples if every meeting were decided by a coin."""
AMONG = 100
"""Champions, spread over the run, among which triples are counted."""


class Fig8(Study):
    """A typical CIAO plot."""

    name = "S.fig8"
    title = "CIAO plot of a coevolutionary run, with the share of intransitive triples"
    source = "Schaul and Schmidhuber 2009, figure 8 and section V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game and run; the same runs as in S.fig7."""
        return [
            Unit(f"{name} run {seed}", {"scale": scale, "game": name}, seed)
            for name in ("Atari-Go", "Gomoku")
            for seed in range(1, seeds + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Champions of A against champions of B, and a selection of all against itself."""
        found = coevolution(
            self.place, unit.settings["scale"], unit.settings["game"], unit.seed, part_of(progress, 0, 3)
        )
        key, weights = chance.key(unit.seed, unit.name), found.weights
        plot = table_of_meetings(found, weights[0::2], weights[1::2], chance.key(key, "ciao"), part_of(progress, 1, 3))
        some = weights[np.unique(np.linspace(0, len(weights) - 1, AMONG).round().astype(np.int64))]
        among = table_of_meetings(found, some, some, chance.key(key, "among"), part_of(progress, 2, 3))
        upper = np.triu(among, 1)
        triples = intransitive_triples(upper - upper.T)
        return {"scores": rounded(plot, 3), "circles": triples.part, "triples": triples.of}

    def report(self, found: Found) -> Report:
        """The plots, and what can be counted in them."""
        rows = [{"game": unit.settings["game"], "run": unit.seed, **_numbers(measures)} for unit, measures in found]
        return Report(
            "A cell is the mean score of a champion of population A (row) against one of population B (column), two "
            "greedy games, each starting once. *progress*: how much better late rows do against early columns than "
            "early rows against late columns. *sharpness*: mean distance of scores from 0 in the earliest and the "
            f"latest quarter; longer games are nearer to 0. *circles*: the share of triples among {AMONG} champions of "
            "both populations that beat each other in a circle, of those in which each pair is decided (a quarter if "
            "coins decided). *crossed*: the share of pairs of rows that each beat a champion the other loses to, of "
            "those that some champion tells apart.",
            [Table("counted", "what can be counted in a CIAO plot", rows)],
            _claims(found),
            [Drawing("ciao", "scores of A's champions against B's", lambda figure: _draw(figure, found))],
        )


def _plot(measures: Measures) -> Scores:
    return np.asarray(measures["scores"], np.float64)


def _numbers(measures: Measures) -> dict[str, object]:
    plot = _plot(measures)
    early, late = sharpness(plot)
    return {
        "champions": sum(plot.shape),
        "progress": round(progress_seen(plot), 3),
        "sharpness early": round(early, 3),
        "late": round(late, 3),
        "circles": round(measures["circles"] / max(1, measures["triples"]), 3),
        "triples": measures["triples"],
        "crossed": round(crossed_pairs(plot).value, 3),
    }


def _claims(found: Found) -> list[Claim]:
    numbers = [_numbers(measures) for _, measures in found]
    progress = [float(str(one["progress"])) for one in numbers]
    calmer = [float(str(one["sharpness early"])) - float(str(one["late"])) for one in numbers]
    circles = [float(str(one["circles"])) for one in numbers]
    crossed = [float(str(one["crossed"])) for one in numbers]
    return [
        Claim(
            "Later generations are better against earlier ones, to a small degree",
            "progress " + ", ".join(f"{value:+.2f}" for value in progress),
            True if min(progress) > 0 else False if max(progress) <= 0 else None,
        ),
        Claim(
            "Scores are more extreme with early generations and more balanced in later ones (longer games)",
            "sharpness falls by " + ", ".join(f"{value:+.2f}" for value in calmer),
            True if min(calmer) > 0 else False if max(calmer) <= 0 else None,
        ),
        Claim(
            "Often, of two players each beats a group that the other loses to (rock, paper, scissors)",
            "pairs that cross: "
            + ", ".join(f"{100 * value:.0f} %" for value in crossed)
            + "; triples in a circle: "
            + ", ".join(f"{100 * value:.1f} %" for value in circles)
            + f" (coins: {100 * COIN:.0f} %)",
            min(crossed) > 0.5 and min(circles) > 0.01,
        ),
    ]


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
