"""L.table7: the best nets against the 13 published one-ply players and the engine at depth 1 (Liskowski et al. 2018,
section VI-B, Table VII), and against the player that learned preferences from the same games (section VII).

The paper's last column is Edax-1; the engine at depth 1 is another, weaker or stronger, opponent, so these two columns
cannot be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeroply.studies.liskowski.nets import Plan, plan_units
from zeroply.studies.liskowski.reporting import (
    Means,
    about_scale,
    cell,
    claim,
    gather,
    label,
    left_out,
    level_claim,
    same_order,
    scale_of,
    verdict,
)
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import BEST, ENGINE, PREFERENCES, match_text, strength
from zeroply.studies.liskowski.table5 import BAG, BN
from zeroply.studies.liskowski.table5 import PLANS as REGULARISED
from zeroply.studies.liskowski.table6 import PLANS as SKIPPING
from zeroply.studies.study import Claim, Found, Measures, Progress, Report, Scale, Table, Unit

PAPER = {
    "ResNet-56-np-p": (60.5, 94.3, 87.7, 80.7),
    "DenseNet-100": (61.9, 94.1, 87.5, 79.0),
    "WideNet-40-4": (62.2, 96.3, 92.2, 88.1),
    BN: (62.7, 96.7, 93.2, 87.5),
    BAG: (64.0, 96.6, 93.5, 87.6),
}
"""Table VII: accuracy, then winning rates against the 13, the best of them and Edax-1, in percent."""
PAPER_PREFERENCES = 93.9
"""Conv8+BN against IPrefN (section VII)."""
NEARLY_ALL = 80
"""Percent from which on a winning rate is called that of nearly all games."""
PLANS: tuple[Plan, ...] = tuple({plan.label: plan for plan in (*SKIPPING, *REGULARISED)}[name] for name in PAPER)


class Table7(SuiteStudy):
    """Winning rates of the best nets."""

    name = "L.table7"
    title = "winning rates of the best nets against 13 published players and the engine at depth 1"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table VII and sections VI-B and VII"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each net."""
        return plan_units(PLANS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and let it play."""
        return strength(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """The table in the paper's form, and each opponent by itself."""
        scale = scale_of(found)
        columns = ("accuracy", "suite", BEST, PREFERENCES, ENGINE)
        means = {column: gather(found, label, column) for column in columns}
        rows: list[dict[str, Any]] = []
        for name, theirs in PAPER.items():
            ours = {column: cell(means[column].get(name)) for column in columns}
            rows.append({"net": name, "what": "ours", **ours})
            paper = dict(zip(("accuracy", "suite", BEST), theirs[:3], strict=True))
            preferences = PAPER_PREFERENCES if name == BN else ""
            rows.append(
                {"net": name, "what": "paper", **paper, PREFERENCES: preferences, ENGINE: f"Edax-1: {theirs[3]}"}
            )
        return Report(
            f"{match_text(scale)} Accuracy is that on the Unique-S test set, split "
            f"by position. {about_scale(scale)} {left_out(scale, PLANS)}",
            [
                Table("rates", "accuracy and winning rates in percent ± standard error", rows),
                Table("opponents", "winning rates against each opponent in percent, mean over seeds", opponents(found)),
            ],
            _claims(scale, means),
        )


def opponents(found: Found) -> list[dict[str, Any]]:
    """Mean scores by opponent, a column for each net."""
    nets = dict.fromkeys(label(unit) for unit, _ in found)
    rows = []
    for opponent in found[0][1]["opponents"]:
        scores = {n: [m["opponents"][opponent] for unit, m in found if label(unit) == n] for n in nets}
        rows.append({"opponent": opponent, **{n: round(float(np.mean(some)), 1) for n, some in scores.items()}})
    return rows


def _claims(scale: Scale, means: Mapping[str, Means]) -> list[Claim]:
    nets = [name for name in PAPER if name in means["suite"]]
    best = {name: means[BEST][name] for name in nets}
    weakest = min(best, key=lambda name: best[name].value)
    strongest = max(nets, key=lambda name: means["suite"][name].value)
    leads = [means["suite"][BN] - means["suite"][name] for name in nets if name != BN]
    nearest = min(leads, key=lambda one: one.value)
    order = sorted(nets, key=lambda name: means["accuracy"][name].value)
    rates = ", ".join(f"{means['suite'][name].value:.1f}" for name in order)
    alike, told = same_order({name: means["accuracy"][name] for name in nets}, means["suite"])
    preference = means[PREFERENCES][BN]
    return [
        level_claim(
            scale,
            f"All nets are stronger than any of the one-ply players, the strongest ({BEST}) included",
            f"the weakest is {weakest} with {best[weakest]} % against {BEST}",
            verdict(one - 50 for one in best.values()),
        ),
        claim(
            scale,
            "Conv8+BN has the highest average winning rate",
            f"the highest is that of {strongest}; Conv8+BN is {nearest.signed} points from the best other net",
            verdict(leads),
        ),
        claim(
            scale,
            "More accurate nets win more, roughly",
            f"in order of accuracy ({', '.join(order)}) the rates are {rates}: {told}",
            alike,
        ),
        level_claim(
            scale,
            f"Conv8+BN beats {PREFERENCES}, which learned preferences from the same games, in nearly all games "
            f"({NEARLY_ALL} % or more)",
            f"{preference} % (paper: {PAPER_PREFERENCES} %)",
            (preference - NEARLY_ALL).positive,
        ),
    ]
