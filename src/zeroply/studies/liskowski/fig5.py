"""L.fig5: Conv8+BN with the engine for one stage of the game (section VI-E, Fig. 5).

In one of four stages the engine at depth 5 makes the net's moves; the gain against the engine at depths 1 to 5 shows
where look-ahead is worth most. The engine takes the place of the paper's Edax. The figure's numbers are not readable,
so the claims made in words are tested.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeroply.specs import Spec
from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import SIZES, trained
from zeroply.studies.liskowski.reporting import about_scale, by, errors_of, gather
from zeroply.studies.liskowski.requirements import OPENINGS_FILE, NetStudy
from zeroply.studies.liskowski.strength import match_text, meet, rate_against, rate_measures, searcher
from zeroply.studies.liskowski.table9 import PLAN
from zeroply.studies.measured import Measured, average
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STAGES = {"1-15": (1, 15), "16-30": (16, 30), "31-45": (31, 45), "46-60": (46, 60)}
NONE = "none"

Means = dict[tuple[str, int], Measured]
"""By stage and depth of the opponent."""


class Fig5(NetStudy):
    """Where look-ahead is worth most."""

    name = "L.fig5"
    title = "what Conv8+BN gains when the engine plays one stage of the game for it"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Fig. 5 and section VI-E"
    files = (OPENINGS_FILE,)
    searching = True

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per net, stage and depth of the opponent."""
        return [
            PLAN.unit(scale, seed, stage=stage, depth=depth)
            for seed in range(1, seeds + 1)
            for stage in (NONE, *STAGES)
            for depth in SIZES[scale].depths
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train the net and let it, or its hybrid, play the engine."""
        net = trained(self.folders, unit, part_of(progress, 0, 0.9))
        stage, opponent, rest = (
            unit.settings["stage"],
            searcher(self.folders, unit.settings["depth"]),
            part_of(progress, 0.9, 1),
        )
        if stage == NONE:
            return rate_against(self.folders, unit, net, opponent, rest)
        (first, last), helper = STAGES[stage], searcher(self.folders, SIZES[unit.settings["scale"]].helper)
        hybrid = Spec("hybrid", net.player, helper, first=first, last=last)
        return rate_measures(meet(self.folders, unit, hybrid, opponent, rest))

    def findings(self, units: Units, scale: Scale) -> Report:
        """Winning rates and gains by stage and depth."""
        means: Means = gather(units, by("stage", "depth"), "rate")
        gains = {(stage, n): means[stage, n] - means[NONE, n] for stage, n in means if stage != NONE}
        depths = SIZES[scale].depths

        def rows(some: Means, *stages: str) -> list[dict[str, str | Measured]]:
            return [{"engine plays": stage} | {f"depth {n}": some[stage, n] for n in depths} for stage in stages]

        caption = "gain in winning rate when the engine plays one stage, by depth of the opponent"
        gained = "gain in winning rate by depth of the opponent, in points"
        return Report(
            f"Conv8+BN, and hybrids in which search at depth {SIZES[scale].helper} makes the moves of one stage, "
            f"against search at several depths. {match_text(self.folders, scale)} Moves are counted from 1; the "
            f"openings hold the first seven. A gain is the hybrid's rate minus that of the net alone. "
            f"{about_scale(scale)}",
            [
                ResultTable("gains", gained, rows(gains, *STAGES)),
                ResultTable("rates", "winning rate by depth of the opponent, in percent", rows(means, NONE, *STAGES)),
            ],
            _claims(means, gains, depths),
            [Drawing("gains", caption, lambda figure: _draw(figure, gains, depths))],
        )


def _claims(means: Means, gains: Means, depths: Sequence[int]) -> list[Claim]:
    place, last = "section VI-E", [*STAGES][-1]
    rates = {stage: average([means[stage, n] for n in depths]) for stage in STAGES}
    by_depth = {n: average([gains[stage, n] for stage in STAGES]) for n in depths}
    every = {f"{stage} against depth {n}": gain for (stage, n), gain in gains.items()}
    later = {f"{b} minus {a}": rates[b] - rates[a] for a, b in itertools.pairwise(STAGES)}
    latest = {f"more than {stage}": rates[last] - rates[stage] for stage in STAGES if stage != last}
    most = {f"depth {n}": by_depth[3] - gain for n, gain in by_depth.items() if n != 3} if 3 in by_depth else {}
    return [
        Claim(place, "Letting the engine play any stage improves the net", every, above(0), note="points"),
        Claim(place, "There is more to gain at later stages", later, above(0), note="points"),
        Claim(place, "The last stage gains most", latest, above(0), note="points"),
        Claim(place, "The gains are largest against depth 3", most, above(0), note="points more than against another"),
    ]


def _draw(figure: Figure, gains: Means, depths: Sequence[int]) -> None:
    panel = figure.subplots()
    width = 0.8 / len(STAGES)
    for number, (stage, colour) in enumerate(zip(STAGES, COLOURS, strict=False)):
        some = [gains[stage, n] for n in depths]
        places = np.arange(len(depths)) + (number - (len(STAGES) - 1) / 2) * width
        values, name = [one.value for one in some], f"moves {stage}"
        panel.bar(places, values, width, yerr=errors_of(some), color=colour, capsize=3, label=name)
    panel.axhline(0, color="#555555", linewidth=0.8)
    panel.set_xticks(range(len(depths)), [f"depth {n}" for n in depths])
    panel.set_ylabel("gain in winning rate (points)")
    panel.set_xlabel("opponent")
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", ncols=4, frameon=False)
