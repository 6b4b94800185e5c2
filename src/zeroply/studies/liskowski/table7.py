"""L.table7: the best nets against the 13 published one-ply players and the engine at depth 1 (section VI-B, Table VII),
and against the player that learned preferences from the same games (section VII).

The paper's last column is Edax-1, a different opponent from the engine at depth 1, so these columns cannot be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.reporting import (
    Means,
    about_scale,
    comparison,
    gather,
    label,
    left_out,
    order_claim,
    too_small,
)
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import BEST, PREFERENCES, SEARCH, match_text
from zeroply.studies.liskowski.table5 import BAG, BN
from zeroply.studies.liskowski.table5 import PLANS as REGULARISED
from zeroply.studies.liskowski.table6 import PLANS as SKIPPING
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.study import Scale, Units

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
"""Percent: the lowest winning rate that counts as nearly all games."""
PLANS = tuple({plan.label: plan for plan in (*SKIPPING, *REGULARISED)}[name] for name in PAPER)
COLUMNS = ("accuracy", "suite", BEST, PREFERENCES, SEARCH)


class Table7(SuiteStudy):
    """Winning rates of the best nets."""

    name = "L.table7"
    title = "winning rates of the best nets against 13 published players and the engine at depth 1"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table VII and sections VI-B and VII"
    nets = PLANS

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, and each opponent by itself."""
        means = {column: gather(units, label, column) for column in COLUMNS}
        cells = {(net, column, "position"): one for column in COLUMNS for net, one in means[column].items()}
        paper = {net: (*some[:3], PAPER_PREFERENCES if net == BN else "", some[3]) for net, some in PAPER.items()}
        rates = comparison(paper, COLUMNS, cells, ("position",), theirs="paper (Edax-1)")
        each = "winning rates against each opponent in percent, over seeds"
        return Report(
            f"{match_text(self.folders, scale)} Accuracy is that on the Unique-S test set, split "
            f"by position. {about_scale(scale)} {left_out(scale, PLANS)}",
            [
                ResultTable("rates", "accuracy and winning rates in percent", rates),
                ResultTable("opponents", each, _opponents(units)),
            ],
            _claims(scale, means),
        )


def _opponents(units: Units) -> list[dict[str, Any]]:
    """Mean scores by opponent, a column per net."""
    nets = dict.fromkeys(label(unit) for unit, _ in units)
    rows = []
    for opponent in units[0][1]["opponents"]:
        scores = {n: [m["opponents"][opponent] for unit, m in units if label(unit) == n] for n in nets}
        rows.append({"opponent": opponent, **{n: round(float(np.mean(some)), 1) for n, some in scores.items()}})
    return rows


def _claims(scale: Scale, means: Mapping[str, Means]) -> list[Claim]:
    accuracy, suite, best, preferences, _ = (means[column] for column in COLUMNS)
    nets, small, place = [name for name in PAPER if name in suite], too_small(scale), "table VII"
    printed = {name: PAPER[name][2] for name in nets}
    strongest = f"All nets win most games against the strongest one-ply player ({BEST})"
    lead = {name: suite[BN] - suite[name] for name in nets if name != BN}
    highest, other = "Conv8+BN has the highest average winning rate", "points above the other net"
    beaten = (
        f"Conv8+BN beats {PREFERENCES}, which learned preferences from the same games, in nearly all games "
        f"({NEARLY_ALL} %)"
    )
    nearly = above(NEARLY_ALL)
    return [
        Claim(place, strongest, {n: best[n] for n in nets}, above(50), printed, note="percent").open(small),
        Claim(place, highest, lead, above(0), note=other),
        order_claim("section VI-B", "More accurate nets win more, roughly", {n: accuracy[n] for n in nets}, suite),
        Claim("section VII", beaten, preferences[BN], nearly, PAPER_PREFERENCES, note="percent").open(small),
    ]
