"""L.fig3: top-k accuracy of Conv8+BN by number of the move and number of legal moves (Liskowski et al. 2018, section
V-B5, Fig. 3).

The figure itself is not readable as numbers, so the claims made in words are tested. The paper counts moves with the
four discs of the start, from 5; here they are counted from 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zeroply.studies.liskowski.nets import accuracy, examples, load_net, plan_of, trained
from zeroply.studies.liskowski.reporting import Mean, about_scale, claim, known, scale_of, trained_measures, verdict
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.liskowski.table9 import PLAN
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Table, Unit, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POSITIONS = {"smoke": 1_000, "cpu": 250_000, "paper": 1_950_000}
STAGES = tuple((low, low + 9) for low in range(1, 61, 10))
TOP = (1, 2, 3)
MOVES, LEGAL = 61, 40
STEADY = 10.0
"""Points by which the stages after the beginning may differ to be called largely consistent."""
LATE = (46, 60)
MANY = 10
FEWEST = 5
"""Positions below which a cell of the figure is left blank."""


class Fig3(NetStudy):
    """Accuracy through the game."""

    name = "L.fig3"
    title = "top-k accuracy of Conv8+BN by number of the move and of legal moves"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Fig. 3 and section V-B5"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each seed."""
        return [PLAN.unit(scale, seed) for seed in range(1, seeds + 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train the net and count its hits on test examples of Unique-S."""
        net = trained(self.place, unit, part_of(progress, 0, 0.8))
        scale, plan = unit.settings["scale"], plan_of(unit)
        data = examples(self.place, scale, plan.dataset)
        found = accuracy(load_net(net), data, plan.split, POSITIONS[scale], part_of(progress, 0.8, 1))
        cells = [[one["move"], one["legal"], one["positions"], *one["top"][: len(TOP)]] for one in found.cells()]
        return {**trained_measures(net.result), "cells": cells}

    def report(self, found: Found) -> Report:
        """Heat maps, and accuracy by stage of the game."""
        scale, hits = scale_of(found), Hits(found)
        stages = [_stage_row(hits, low, high) for low, high in STAGES]
        choices = [
            {"legal moves": legal, "positions": int(n), **_shares(hits, (1, 60), (legal, legal))}
            for legal, n in enumerate(hits.counts.sum(axis=0))
            if n
        ]
        return Report(
            f"{int(hits.counts.sum()):,} test examples of Unique-S (split by position), the same for each of "
            f"{len(found)} net(s). Moves are counted from 1 to 60; the paper counts the four discs of the start too. "
            f"{about_scale(scale)}",
            [
                Table("stages", "top-k accuracy in percent by stage of the game, mean over the nets", stages),
                Table("choices", "top-k accuracy in percent by number of legal moves, mean over the nets", choices),
            ],
            _claims(scale, hits),
            [
                Drawing(
                    "accuracy",
                    "top-1, top-2 and top-3 accuracy by number of the move and of legal moves",
                    lambda figure: _draw(figure, hits),
                )
            ],
        )


Counts = NDArray[np.float64]
Range = tuple[int, int]
"""First and last, both included."""


class Hits:
    """How often each net found the expert's move, on the same examples."""

    def __init__(self, found: Found) -> None:
        self.counts: Counts = np.zeros((MOVES, LEGAL))
        """[moves, legal]: examples."""
        self.hits: Counts = np.zeros((len(found), len(TOP), MOVES, LEGAL))
        """[nets, top, moves, legal]: how many of them each net found."""
        for net, (_, measures) in enumerate(found):
            for move, legal, positions, *top in measures["cells"]:
                self.counts[move, legal] = positions
                self.hits[net, :, move, legal] = positions * np.array(top)

    def share(self, k: int, moves: Range, legal: Range = (1, LEGAL - 1)) -> Mean:
        """Top-k accuracy in percent over a range of moves and of numbers of legal moves."""
        where = (slice(moves[0], moves[1] + 1), slice(legal[0], legal[1] + 1))
        n = float(self.counts[where].sum())
        if not n:
            return known(math.nan, math.inf)
        shares = [100 * float(one[k - 1][where].sum()) / n for one in self.hits]
        return Mean(tuple(shares), float(np.mean([math.sqrt(max(0.0, p * (100 - p)) / n) for p in shares])))


def _shares(hits: Hits, moves: Range, legal: Range = (1, LEGAL - 1)) -> dict[str, float]:
    return {f"top {k}": round(hits.share(k, moves, legal).value, 1) for k in TOP}


def _stage_row(hits: Hits, low: int, high: int) -> dict[str, Any]:
    some = hits.counts[low : high + 1]
    n = some.sum()
    legal = float((some.sum(axis=0) * np.arange(LEGAL)).sum() / n) if n else 0.0
    return {
        "moves": f"{low}-{high}",
        "positions": int(n),
        "legal moves": round(legal, 1),
        **_shares(hits, (low, high)),
    }


def _claims(scale: Scale, hits: Hits) -> list[Claim]:
    top = hits.share
    first, rest = top(1, STAGES[0]), top(1, (11, 60))
    later = {f"{low}-{high}": top(1, (low, high)) for low, high in STAGES[1:]}
    low, *_, high = sorted(later.values(), key=lambda one: one.value)
    gains = {stage: top(3, stage) - top(1, stage) for stage in STAGES}
    most = max(gains, key=lambda stage: gains[stage].value)
    late, all_moves = top(1, LATE), top(1, (1, 60))
    wide, wide_all = top(1, LATE, (MANY, LEGAL - 1)), top(1, (1, 60), (MANY, LEGAL - 1))
    return [
        claim(
            scale,
            "In the game's beginning predictions are less accurate",
            f"moves 1-10 {first} %, later {rest} %",
            (rest - first).positive,
        ),
        claim(
            scale,
            f"After that accuracy remains largely consistent (stages within {STEADY:g} points)",
            ", ".join(f"{stage}: {one}" for stage, one in later.items()),
            (high - low).within(STEADY),
        ),
        claim(
            scale,
            "From top-1 to top-3 most is gained in the beginning, where there are many good moves",
            f"moves 1-10 {gains[STAGES[0]].signed}; the most is gained in {most[0]}-{most[1]}, {gains[most].signed}",
            verdict(gains[STAGES[0]] - gains[stage] for stage in STAGES[1:]),
        ),
        claim(
            scale,
            "Predictions are good in the last stage, also when there are many moves",
            f"moves 46-60 {late} % (all {all_moves} %); with {MANY} legal moves or more {wide} % (all {wide_all} %)",
            verdict((late - all_moves, wide - wide_all)),
        ),
    ]


def _draw(figure: Figure, hits: Hits) -> None:
    counts, found = hits.counts, hits.hits.mean(axis=0)
    panels = figure.subplots(1, len(TOP), sharey=True)
    most = int(max(np.flatnonzero((counts >= FEWEST).any(axis=0)), default=1))
    for k, panel in zip(TOP, panels, strict=True):
        with np.errstate(invalid="ignore", divide="ignore"):
            shown = np.where(counts >= FEWEST, 100 * found[k - 1] / counts, np.nan)[1:, 1 : most + 1].T
        image = panel.imshow(
            shown, origin="lower", aspect="auto", extent=(0.5, 60.5, 0.5, most + 0.5), vmin=0, vmax=100
        )
        panel.set_title(f"top {k}")
        panel.set_xlabel("number of the move")
    panels[0].set_ylabel("legal moves")
    panels[0].yaxis.get_major_locator().set_params(integer=True)
    figure.colorbar(image, ax=panels, label="expert's move found (%)")
