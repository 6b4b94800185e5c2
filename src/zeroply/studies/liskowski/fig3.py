"""L.fig3: top-k accuracy of Conv8+BN by number of the move and number of legal moves (section V-B5, Fig. 3).

The figure's numbers are not readable, so the claims made in words are tested. The paper counts the four discs of the
start as moves; here moves are counted from 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zeroply.studies.claims import Claim, above, near
from zeroply.studies.liskowski.nets import SIZES, accuracy, examples, load_net, plan_of, trained
from zeroply.studies.liskowski.reporting import about_scale, trained_measures
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.liskowski.table9 import PLAN
from zeroply.studies.measured import Measured, mean
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Range = tuple[int, int]
"""First and last, both included."""
STAGES: dict[str, Range] = {f"{low}-{low + 9}": (low, low + 9) for low in range(1, 61, 10)}
FIRST = "1-10"
TOP = (1, 2, 3)
MOVES, LEGAL = 61, 40
EVERY, LATE = (1, 60), (46, 60)
ANY, MANY = (1, LEGAL - 1), (10, LEGAL - 1)
STEADY = 10.0
"""Points by which the stages after the beginning may differ from their mean to be largely consistent."""
FEWEST = 5
"""Cells of the figure with fewer positions are blank."""


class Fig3(NetStudy):
    """Accuracy through the game."""

    name = "L.fig3"
    title = "top-k accuracy of Conv8+BN by number of the move and of legal moves"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Fig. 3 and section V-B5"
    nets = (PLAN,)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train the net and count its hits on test examples of Unique-S."""
        net = trained(self.folders, unit, part_of(progress, 0, 0.8))
        scale, plan = unit.settings["scale"], plan_of(unit)
        data = examples(self.folders, scale, plan.dataset)
        result = accuracy(load_net(net), data, plan.split, SIZES[scale].figure, part_of(progress, 0.8, 1))
        cells = [[one["move"], one["legal"], one["positions"], *one["top"][: len(TOP)]] for one in result.cells()]
        return {**trained_measures(net.result), "cells": cells}

    def findings(self, units: Units, scale: Scale) -> Report:
        """Heat maps, and accuracy by stage of the game."""
        hits = Hits(units)
        stages = [{"moves": name, **hits.about(moves), **hits.shares(moves)} for name, moves in STAGES.items()]
        choices = [
            {"legal moves": legal, "positions": int(n), **hits.shares(EVERY, (legal, legal))}
            for legal, n in enumerate(hits.counts.sum(axis=0))
            if n
        ]
        caption = "top-1, top-2 and top-3 accuracy by number of the move and of legal moves"
        return Report(
            f"{int(hits.counts.sum()):,} test examples of Unique-S (split by position), the same for each of "
            f"{len(units)} net(s). Moves are counted from 1 to 60; the paper counts the four discs of the start too. "
            f"{about_scale(scale)}",
            [
                ResultTable("stages", "top-k accuracy in percent by stage of the game", stages),
                ResultTable("choices", "top-k accuracy in percent by number of legal moves", choices),
            ],
            _claims(hits),
            [Drawing("accuracy", caption, lambda figure: _draw(figure, hits))],
        )


class Hits:
    """How often each net found the expert's move, on the same examples."""

    def __init__(self, units: Units) -> None:
        self.counts: NDArray[np.float64] = np.zeros((MOVES, LEGAL))
        """[moves, legal]: examples."""
        self.hits: NDArray[np.float64] = np.zeros((len(units), len(TOP), MOVES, LEGAL))
        """[nets, top, moves, legal]: how many of them each net found."""
        for net, (_, measures) in enumerate(units):
            for move, legal, positions, *top in measures["cells"]:
                self.counts[move, legal] = positions
                self.hits[net, :, move, legal] = positions * np.array(top)

    def share(self, k: int, moves: Range, legal: Range = ANY) -> Measured:
        """Top-k accuracy in percent over a range of moves and of numbers of legal moves."""
        where = (slice(moves[0], moves[1] + 1), slice(legal[0], legal[1] + 1))
        n = float(self.counts[where].sum())
        if not n:
            return Measured(math.nan, digits=1)
        shares = [100 * float(one[k - 1][where].sum()) / n for one in self.hits]
        sample = float(np.mean([math.sqrt(max(0.0, p * (100 - p)) / n) for p in shares]))
        return mean(shares, 1, sample, paired=True)

    def shares(self, moves: Range, legal: Range = ANY) -> dict[str, Measured]:
        """Top-1 to top-3 accuracy."""
        return {f"top {k}": self.share(k, moves, legal) for k in TOP}

    def about(self, moves: Range) -> dict[str, Any]:
        """The number of examples in a range of moves, and their mean number of legal moves."""
        some = self.counts[moves[0] : moves[1] + 1].sum(axis=0)
        legal = float((some * np.arange(LEGAL)).sum() / some.sum()) if some.any() else 0.0
        return {"positions": int(some.sum()), "legal moves": round(legal, 1)}


def _claims(hits: Hits) -> list[Claim]:
    top, place = hits.share, "section V-B5"
    rest, first = top(1, (11, 60)), top(1, STAGES[FIRST])
    gains = {stage: top(3, moves) - top(1, moves) for stage, moves in STAGES.items()}
    apart = {stage: top(1, moves) - rest for stage, moves in STAGES.items() if stage != FIRST}
    more = {stage: gains[FIRST] - gain for stage, gain in gains.items() if stage != FIRST}
    late = {
        "all": top(1, LATE) - top(1, EVERY),
        f"{MANY[0]} legal moves or more": top(1, LATE, MANY) - top(1, EVERY, MANY),
    }
    steady = f"After that accuracy remains largely consistent (stages within {STEADY:g} points of their mean)"
    gained = "From top-1 to top-3 most is gained in the beginning, where there are many good moves"
    good = "Predictions are good in the last stage, also when there are many moves"
    return [
        Claim(place, "In the game's beginning predictions are less accurate", rest - first, above(0)),
        Claim(place, steady, apart, near(0, STEADY), note="points from the mean of moves 11-60"),
        Claim(place, gained, more, above(0), note="points gained more than in another stage"),
        Claim(place, good, late, above(0), note="points above all moves"),
    ]


def _draw(figure: Figure, hits: Hits) -> None:
    counts, per_cell = hits.counts, hits.hits.mean(axis=0)
    panels = figure.subplots(1, len(TOP), sharey=True)
    most = int(max(np.flatnonzero((counts >= FEWEST).any(axis=0)), default=1))
    ends = (0.5, 60.5, 0.5, most + 0.5)
    for k, panel in zip(TOP, panels, strict=True):
        with np.errstate(invalid="ignore", divide="ignore"):
            shown = np.where(counts >= FEWEST, 100 * per_cell[k - 1] / counts, np.nan)[1:, 1 : most + 1].T
        image = panel.imshow(shown, origin="lower", aspect="auto", extent=ends, vmin=0, vmax=100)
        panel.set_title(f"top {k}")
        panel.set_xlabel("number of the move")
    panels[0].set_ylabel("legal moves")
    panels[0].yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(image, ax=panels, label="expert's move found (%)")
