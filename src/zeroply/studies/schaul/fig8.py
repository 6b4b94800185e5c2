"""S.fig8: the CIAO plot of a coevolutionary run (Schaul and Schmidhuber 2009, figure 8 and section V-D).

All champions of one population against all of the other. The paper reads three things from it by eye, which are counted
here: some progress, more careful play in later generations, and groups that beat each other like rock, paper, scissors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.learning.coevolution import ciao
from zeroply.studies.claims import Claim, above
from zeroply.studies.measured import mean
from zeroply.studies.report import Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.coevolution import ElitistRuns, coevolution, first_runs, table_of_meetings
from zeroply.studies.schaul.runs import GAMES, Scores, rounded
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, part_of

GROUP = 0.1
"""The share of all opponents that is called a group."""
OFTEN = 0.5
"""The share of pairs from which on they are called often."""
AMONG = 100
"""Champions, spread over the run, among which triples are counted."""


class SchaulFig8(ElitistRuns):
    """A typical CIAO plot."""

    name = "S.fig8"
    title = "CIAO plot of a coevolutionary run, with the share of intransitive triples"
    source = "Schaul and Schmidhuber 2009, figure 8 and section V-D"

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, name = unit.settings["scale"], unit.settings["game"]
        run = coevolution(self.folders, scale, name, unit.seed, part_of(progress, 0, 1 / 4))
        key, weights = chance.key(unit.seed, unit.name), run.weights
        report = part_of(progress, 1 / 4, 2 / 4)
        plot = table_of_meetings(run, weights[0::2], weights[1::2], chance.key(key, "ciao"), report)
        some = weights[np.unique(np.linspace(0, len(weights) - 1, AMONG).round().astype(np.int64))]

        def among(word: str, begin: float) -> Scores:
            report = part_of(progress, begin, begin + 1 / 4)
            return _upper(table_of_meetings(run, some, some, chance.key(key, word), report).scores)

        once, again = among("among", 2 / 4), among("again", 3 / 4)
        triples, flips = ciao.intransitive_triples(once), ciao.flipped(once, again)
        early, late = ciao.early_and_late(plot.lengths)
        return {
            "scores": rounded(plot.scores, 3),
            "moves early": round(early, 3),
            "moves late": round(late, 3),
            "circles": triples.part,
            "triples": triples.of,
            "flips": flips.part,
            "pairs": flips.of,
        }

    def findings(self, units: Units, scale: Scale) -> Report:
        rows = [{"game": unit.settings["game"], "run": unit.seed, **counts(m)} for unit, m in units]
        return Report(
            "A cell is the mean score of a champion of population A (row) against one of population B (column), two "
            "greedy games, each starting once. *progress*: how much better late rows do against early columns than "
            "early rows against late columns. *early* and *late*: mean number of moves of the games of the earliest "
            f"quarter of both populations and of the latest. *circles*: among {AMONG} champions of both populations, "
            "the share of decided triples in which they beat each other in a circle. *order*: the largest share that "
            "an order of strength would have if chance turned round as many meetings as it does here when they are "
            "played again (equal moves are chosen at random). *crossed*: of the pairs of rows with different results, "
            f"the share where each beats a group of {100 * GROUP:.0f} % of the columns or more that beats the other.",
            [ResultTable("counted", "what can be counted in a CIAO plot", rows)],
            _claims(rows),
            [Drawing("ciao", "scores of A's champions against B's", lambda figure: _draw(figure, units))],
        )


def _upper(scores: Scores) -> Scores:
    """The table in which each pair meets once, from both points of view."""
    upper = np.triu(scores, 1)
    return upper - upper.T


def counts(measures: Measures) -> dict[str, Any]:
    """What can be counted in the plot of a run."""
    plot = np.asarray(measures["scores"], np.float64)
    return {
        "champions": sum(plot.shape),
        "progress": round(ciao.progress_seen(plot), 3),
        "early": round(measures["moves early"], 1),
        "late": round(measures["moves late"], 1),
        "circles": round(measures["circles"] / max(1, measures["triples"]), 3),
        "order": round(ciao.noisy_order(measures["flips"] / max(1, measures["pairs"])), 3),
        "triples": measures["triples"],
        "crossed": round(ciao.crossed_pairs(plot, GROUP).value, 3),
    }


def _claims(rows: Sequence[dict[str, Any]]) -> list[Claim]:
    def claim(text: str, note: str, number: Callable[[dict[str, Any]], float], limit: float = 0.0) -> Claim:
        """A claim that a number is above a limit in both games, over the runs."""
        ours = {name: mean([number(row) for row in rows if row["game"] == name]) for name in GAMES}
        return Claim("section V-D", text, ours, above(limit), note=note)

    better = "Later generations are better against earlier ones"
    longer = "Games are shorter with players of earlier generations and longer with later ones"
    circles = "There is more rock, paper, scissors than an order of strength with the same share of chance would show"
    often = f"Often (in more than {OFTEN:.0%} of pairs) each of two players beats a group that the other loses to"
    return [
        claim(f"{better}, to a small degree", "progress", lambda r: r["progress"]),
        claim(longer, "moves more", lambda r: r["late"] - r["early"]),
        claim(circles, "share of triples in a circle beyond it", lambda r: r["circles"] - r["order"]),
        claim(often, "share of pairs", lambda r: r["crossed"], OFTEN),
    ]


def _draw(figure: Figure, units: Units) -> None:
    first = first_runs(units)
    panels = figure.subplots(1, len(first), squeeze=False)[0]
    for panel, (game, measures) in zip(panels, first.items(), strict=True):
        plot = np.asarray(measures["scores"], np.float64)
        ends = (0.5, 2 * plot.shape[1] + 0.5, 2 * plot.shape[0] + 0.5, 0.5)
        image = panel.imshow(plot, cmap="gray", vmin=-1, vmax=1, extent=ends, aspect="auto", interpolation="nearest")
        panel.set_title(game, fontsize="medium")
        panel.set_xlabel("generation of B's champion")
    panels[0].set_ylabel("generation of A's champion")
    figure.colorbar(image, ax=panels, label="score of A's champion", shrink=0.9)
