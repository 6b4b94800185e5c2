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

from zeroply.studies.l_figures import Mean, about_scale, claim, scale_of, trained_measures
from zeroply.studies.l_nets import accuracy, examples, load_net, plan_of, trained
from zeroply.studies.l_table9 import PLAN
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit, part_of

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


class Fig3(Study):
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
        scale = scale_of(found)
        counts, hits = tables(found)
        stages = [_stage_row(counts, hits, low, high) for low, high in STAGES]
        choices = [
            {
                "legal moves": legal,
                "positions": int(counts[:, legal].sum()),
                **_shares(counts, hits, (1, 60), (legal, legal)),
            }
            for legal in range(1, LEGAL)
            if counts[:, legal].sum()
        ]
        return Report(
            f"{int(counts.sum()):,} test examples of Unique-S (split by position), {len(found)} net(s). Moves are "
            f"counted from 1 to 60; the paper counts the four discs of the start too. {about_scale(scale)}",
            [
                Table("stages", "top-k accuracy in percent by stage of the game", stages),
                Table("choices", "top-k accuracy in percent by number of legal moves", choices),
            ],
            _claims(scale, counts, hits),
            [
                Drawing(
                    "accuracy",
                    "top-1, top-2 and top-3 accuracy by number of the move and of legal moves",
                    lambda figure: _draw(figure, counts, hits),
                )
            ],
        )


Counts = NDArray[np.float64]


def tables(found: Found) -> tuple[Counts, Counts]:
    """[moves, legal]: examples; [top, moves, legal]: hits; of all nets together."""
    counts, hits = np.zeros((MOVES, LEGAL)), np.zeros((len(TOP), MOVES, LEGAL))
    for _, measures in found:
        for move, legal, positions, *top in measures["cells"]:
            counts[move, legal] += positions
            hits[:, move, legal] += positions * np.array(top)
    return counts, hits


def share(
    counts: Counts, hits: Counts, k: int, moves: tuple[int, int], legal: tuple[int, int] = (1, LEGAL - 1)
) -> Mean:
    """Top-k accuracy in percent over a range of moves and of numbers of legal moves."""
    where = (slice(moves[0], moves[1] + 1), slice(legal[0], legal[1] + 1))
    n, hit = counts[where].sum(), hits[k - 1][where].sum()
    if not n:
        return Mean(math.nan, math.inf)
    return Mean(100 * hit / n, 100 * math.sqrt(hit / n * (1 - hit / n) / n))


def _shares(counts: Counts, hits: Counts, moves: tuple[int, int], legal: tuple[int, int]) -> dict[str, float]:
    return {f"top {k}": round(share(counts, hits, k, moves, legal).value, 1) for k in TOP}


def _stage_row(counts: Counts, hits: Counts, low: int, high: int) -> dict[str, Any]:
    some = counts[low : high + 1]
    n = some.sum()
    legal = float((some.sum(axis=0) * np.arange(LEGAL)).sum() / n) if n else 0.0
    return {
        "moves": f"{low}-{high}",
        "positions": int(n),
        "legal moves": round(legal, 1),
        **_shares(counts, hits, (low, high), (1, LEGAL - 1)),
    }


def _claims(scale: Scale, counts: Counts, hits: Counts) -> list[Claim]:
    def top(k: int, moves: tuple[int, int], legal: tuple[int, int] = (1, LEGAL - 1)) -> Mean:
        return share(counts, hits, k, moves, legal)

    first, rest = top(1, STAGES[0]), top(1, (11, 60))
    later = {f"{low}-{high}": top(1, (low, high)).value for low, high in STAGES[1:]}
    apart = max(later.values()) - min(later.values())
    gains = {stage: top(3, stage) - top(1, stage) for stage in STAGES}
    most = max(gains, key=lambda stage: gains[stage].value)
    others = max((gains[stage] for stage in STAGES[1:]), key=lambda one: one.value)
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
            ", ".join(f"{stage}: {value:.1f}" for stage, value in later.items()),
            apart <= STEADY,
        ),
        claim(
            scale,
            "From top-1 to top-3 most is gained in the beginning, where there are many good moves",
            f"moves 1-10 {gains[STAGES[0]].signed}; the most is gained in {most[0]}-{most[1]}, {gains[most].signed}",
            (gains[STAGES[0]] - others).positive,
        ),
        claim(
            scale,
            "Predictions are good in the last stage, also when there are many moves",
            f"moves 46-60 {late} % (all {all_moves} %); with {MANY} legal moves or more {wide} % (all {wide_all} %)",
            _both((late - all_moves).positive, (wide - wide_all).positive),
        ),
    ]


def _both(one: bool | None, other: bool | None) -> bool | None:
    return False if False in (one, other) else None if None in (one, other) else True


def _draw(figure: Figure, counts: Counts, hits: Counts) -> None:
    panels = figure.subplots(1, len(TOP), sharey=True)
    most = int(max(np.flatnonzero((counts >= FEWEST).any(axis=0)), default=1))
    for k, panel in zip(TOP, panels, strict=True):
        with np.errstate(invalid="ignore", divide="ignore"):
            shown = np.where(counts >= FEWEST, 100 * hits[k - 1] / counts, np.nan)[1:, 1 : most + 1].T
        image = panel.imshow(
            shown, origin="lower", aspect="auto", extent=(0.5, 60.5, 0.5, most + 0.5), vmin=0, vmax=100
        )
        panel.set_title(f"top {k}")
        panel.set_xlabel("number of the move")
    panels[0].set_ylabel("legal moves")
    figure.colorbar(image, ax=panels, label="expert's move found (%)")
