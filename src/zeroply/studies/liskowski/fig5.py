"""L.fig5: Conv8+BN with the engine for one stage of the game (Liskowski et al. 2018, section VI-E, Fig. 5).

In each of four stages the engine at depth 5 makes the net's moves; what that gains against the engine at depths 1 to 5
shows where look-ahead is worth most. The engine stands where the paper has Edax; the figure's numbers are not readable,
so the claims made in words are tested.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.specs import Spec
from zeroply.studies.liskowski.nets import trained
from zeroply.studies.liskowski.reporting import Mean, about_scale, cell, claim, gather, over, scale_of, verdict
from zeroply.studies.liskowski.requirements import MatchStudy
from zeroply.studies.liskowski.strength import against, engine, match_text, meet
from zeroply.studies.liskowski.table9 import DEPTHS, PLAN
from zeroply.studies.study import (
    COLOURS,
    Claim,
    Drawing,
    Found,
    Measures,
    Progress,
    Report,
    Scale,
    Table,
    Unit,
    part_of,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STAGES = ((1, 15), (16, 30), (31, 45), (46, 60))
HELPER: dict[Scale, int] = {"smoke": 2, "cpu": 5, "paper": 5}
"""Depth of the engine that takes over."""
NONE = "none"

Means = dict[tuple[str, int], Mean]
"""By stage and depth of the opponent."""


class Fig5(MatchStudy):
    """Where look-ahead is worth most."""

    name = "L.fig5"
    title = "what Conv8+BN gains when the engine plays one stage of the game for it"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Fig. 5 and section VI-E"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each net, stage and depth of the opponent."""
        return [
            PLAN.unit(scale, seed, stage=stage, depth=depth)
            for seed in range(1, seeds + 1)
            for stage in (NONE, *map(words, STAGES))
            for depth in DEPTHS[scale]
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train the net and let it, or its hybrid, play the engine."""
        net = trained(self.place, unit, part_of(progress, 0, 0.9))
        scale, depth, rest = unit.settings["scale"], unit.settings["depth"], part_of(progress, 0.9, 1)
        opponent = engine(depth)
        if unit.settings["stage"] == NONE:
            found = against(net, {str(opponent): opponent}, self.place, scale, unit.seed, rest)[str(opponent)]
        else:
            first, last = next(stage for stage in STAGES if words(stage) == unit.settings["stage"])
            hybrid = Spec("hybrid", net.player, engine(HELPER[scale]), first=first, last=last)
            found = meet(hybrid, opponent, self.place, scale, unit.seed, rest)
        return {"rate": found["score"], "rate error": found["error"], **found}

    def report(self, found: Found) -> Report:
        """Winning rates and gains by stage and depth."""
        scale = scale_of(found)
        means: Means = gather(found, lambda unit: (unit.settings["stage"], unit.settings["depth"]), "rate")
        gains = {(stage, n): means[stage, n] - means[NONE, n] for stage, n in means if stage != NONE}
        stages = [NONE, *map(words, STAGES)]
        rates = [{"engine plays": stage, **_by_depth(scale, means, stage)} for stage in stages]
        rows = [{"engine plays": stage, **_by_depth(scale, gains, stage, signed=True)} for stage in stages[1:]]
        return Report(
            f"Conv8+BN, and hybrids in which engine(depth={HELPER[scale]}) makes the moves of one stage, against the "
            f"engine at several depths. {match_text(scale)} Moves are counted from 1; the "
            "openings hold the first seven. A gain is the hybrid's rate less that of the net alone. "
            f"{about_scale(scale)}",
            [
                Table("gains", "gain in winning rate by depth of the opponent, in points ± standard error", rows),
                Table("rates", "winning rate by depth of the opponent, in percent ± standard error", rates),
            ],
            _claims(scale, means, gains),
            [
                Drawing(
                    "gains",
                    "gain in winning rate when the engine plays one stage, by depth of the opponent",
                    lambda figure: _draw(figure, scale, gains),
                )
            ],
        )


def words(stage: tuple[int, int]) -> str:
    """A stage by its moves."""
    return f"{stage[0]}-{stage[1]}"


def _by_depth(scale: Scale, means: Means, stage: str, signed: bool = False) -> dict[str, Any]:
    some = {n: means[stage, n] for n in DEPTHS[scale]}
    return {f"depth {n}": one.signed if signed else cell(one) for n, one in some.items()}


def _claims(scale: Scale, means: Means, gains: Means) -> list[Claim]:
    depths, stages = DEPTHS[scale], [words(stage) for stage in STAGES]
    rates = {stage: over([means[stage, n] for n in depths]) for stage in (NONE, *stages)}
    by_stage = {stage: rates[stage] - rates[NONE] for stage in stages}
    by_depth = {n: over([means[stage, n] for stage in stages]) - means[NONE, n] for n in depths}
    losers = [f"{stage} against depth {n}" for (stage, n), gain in gains.items() if gain.positive is False]
    winners = [gain for gain in gains.values() if gain.positive]
    steps = [rates[b] - rates[a] for a, b in itertools.pairwise(stages)]
    last = [rates[stages[-1]] - rates[stage] for stage in stages[:-1]]
    nearest = min(last, key=lambda one: one.value)
    return [
        claim(
            scale,
            "Letting the engine play any stage improves the net",
            f"clearly in {len(winners)} of {len(gains)} cases, clearly not in {', '.join(losers) or 'none'}",
            verdict(gains.values()),
        ),
        claim(
            scale,
            "There is more to gain at later stages",
            ", ".join(f"{stage}: {gain.signed}" for stage, gain in by_stage.items()),
            verdict(steps),
        ),
        claim(
            scale,
            "The last stage gains most",
            f"46-60 less the best other one: {nearest.signed} points",
            verdict(last),
        ),
        claim(
            scale,
            "The gains are largest against depth 3",
            ", ".join(f"{n}: {gain.signed}" for n, gain in by_depth.items()),
            verdict(by_depth[3] - gain for n, gain in by_depth.items() if n != 3) if 3 in by_depth else None,
        ),
    ]


def _draw(figure: Figure, scale: Scale, gains: Means) -> None:
    panel = figure.subplots()
    depths = DEPTHS[scale]
    width = 0.8 / len(STAGES)
    for number, (stage, colour) in enumerate(zip(STAGES, COLOURS, strict=False)):
        some = [gains[words(stage), n] for n in depths]
        places = np.arange(len(depths)) + (number - (len(STAGES) - 1) / 2) * width
        values, errors = [one.value for one in some], [one.error for one in some]
        panel.bar(places, values, width, yerr=errors, color=colour, capsize=3, label=f"moves {words(stage)}")
    panel.axhline(0, color="#555555", linewidth=0.8)
    panel.set_xticks(range(len(depths)), [f"engine(depth={n})" for n in depths])
    panel.set_ylabel("gain in winning rate (points)")
    panel.set_xlabel("opponent")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", ncols=4, frameon=False)
