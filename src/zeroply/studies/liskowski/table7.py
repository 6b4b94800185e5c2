"""L.table7: the best nets against the 13 published one-ply players and the engine at depth 1 (Liskowski et al. 2018,
section VI-B, Table VII), and against the player that learned preferences from the same games (section VII).

The paper's last column is Edax-1; the engine at depth 1 is another, weaker or stronger, opponent, so these two columns
cannot be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import Plan, plan_units
from zeroply.studies.liskowski.reporting import (
    ROUGHLY,
    Means,
    about_scale,
    cell,
    gather,
    label,
    left_out,
    same_order,
    too_small,
)
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import BEST, ENGINE, PREFERENCES, match_text, strength
from zeroply.studies.liskowski.table5 import BAG, BN
from zeroply.studies.liskowski.table5 import PLANS as REGULARISED
from zeroply.studies.liskowski.table6 import PLANS as SKIPPING
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

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
        """One unit per net."""
        return plan_units(PLANS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and let it play."""
        return strength(self.folders, unit, progress)

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, and each opponent by itself."""
        columns = ("accuracy", "suite", BEST, PREFERENCES, ENGINE)
        means = {column: gather(units, label, column) for column in columns}
        rows: list[dict[str, Any]] = []
        for name, theirs in PAPER.items():
            ours = {column: cell(means[column].get(name)) for column in columns}
            rows.append({"net": name, "what": "ours", **ours})
            paper = dict(zip(("accuracy", "suite", BEST), theirs[:3], strict=True))
            preferences = PAPER_PREFERENCES if name == BN else ""
            rows.append({"net": name, "what": "paper (Edax-1)", **paper, PREFERENCES: preferences, ENGINE: theirs[3]})
        return Report(
            f"{match_text(scale)} Accuracy is that on the Unique-S test set, split "
            f"by position. {about_scale(scale)} {left_out(scale, PLANS)}",
            [
                ResultTable("rates", "accuracy and winning rates in percent", rows),
                ResultTable(
                    "opponents", "winning rates against each opponent in percent, over seeds", opponents(units)
                ),
            ],
            _claims(scale, means),
        )


def opponents(units: Units) -> list[dict[str, Any]]:
    """Mean scores by opponent, a column per net."""
    nets = dict.fromkeys(label(unit) for unit, _ in units)
    rows = []
    for opponent in units[0][1]["opponents"]:
        scores = {n: [m["opponents"][opponent] for unit, m in units if label(unit) == n] for n in nets}
        rows.append({"opponent": opponent, **{n: round(float(np.mean(some)), 1) for n, some in scores.items()}})
    return rows


def _claims(scale: Scale, means: Mapping[str, Means]) -> list[Claim]:
    nets = [name for name in PAPER if name in means["suite"]]
    printed = {name: PAPER[name][2] for name in nets}
    return [
        Claim(
            "table VII",
            f"All nets win most games against the strongest one-ply player ({BEST})",
            {name: means[BEST][name] for name in nets},
            above(50),
            printed,
            note="percent",
        ).open(too_small(scale)),
        Claim(
            "table VII",
            "Conv8+BN has the highest average winning rate",
            {name: means["suite"][BN] - means["suite"][name] for name in nets if name != BN},
            above(0),
            note="points above the other net",
        ),
        Claim(
            "section VI-B",
            "More accurate nets win more, roughly",
            same_order({name: means["accuracy"][name] for name in nets}, means["suite"]),
            above(ROUGHLY),
            note="share of the pairs that differ clearly in both and are in the same order",
        ),
        Claim(
            "section VII",
            f"Conv8+BN beats {PREFERENCES}, which learned preferences from the same games, in nearly all games "
            f"({NEARLY_ALL} %)",
            means[PREFERENCES][BN],
            above(NEARLY_ALL),
            PAPER_PREFERENCES,
            note="percent",
        ).open(too_small(scale)),
    ]
