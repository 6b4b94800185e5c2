"""L.table4: how often the largest output of a net is a legal move (Liskowski et al. 2018, Table IV).

The nets are those of L.table3, split by position. Only nets with the encoding `vmoves` see which moves are legal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import plan_units, trained
from zeroply.studies.liskowski.reporting import about_scale, gather, trained_measures
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.liskowski.table3 import ENCODINGS, NETS, by_encoding, plans
from zeroply.studies.measured import average
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

PAPER = {"Conv4": (99.95, 99.95, 100.0), "Conv6": (99.99, 99.99, 100.0), "Conv8": (99.99, 99.99, 100.0)}
"""Table IV, in the order of ENCODINGS."""
VERY_CLOSE, PERFECT = 99.9, 99.995
"""What is called very close to perfection, below the lowest number of the paper; and what is printed as 100.00."""


class Table4(NetStudy):
    """Legal moves by encoding and depth."""

    name = "L.table4"
    title = "how often a net's largest output is a legal move"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table IV and section V-B2"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per net."""
        return plan_units(plans(("position",), deeper=False), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net; its run counts legal moves on test examples."""
        result = trained_measures(trained(self.folders, unit, progress).result)
        share, n = result["valid"] / 100, result["positions"]
        return {**result, "valid error": 100 * math.sqrt(share * (1 - share) / n)}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form."""
        means = {key: one.rounded(3) for key, one in gather(units, by_encoding, "valid").items()}
        rows: list[dict[str, Any]] = []
        for net in NETS:
            ours = {encoding: means[net, encoding, "position"] for encoding in ENCODINGS}
            rows.append({"net": net, "what": "ours", **ours})
            rows.append({"net": net, "what": "paper", **dict(zip(ENCODINGS, PAPER[net], strict=True))})
        each = {f"{net} {encoding}": one for (net, encoding, _), one in means.items()}
        sighted = {name: one for name, one in each.items() if name.endswith("vmoves")}
        blind = [one for name, one in each.items() if name not in sighted]
        positions = sum(measures["positions"] for _, measures in units)
        return Report(
            "The share of test examples of Unique-S, split by position, in which the largest of a net's 60 outputs "
            f"belongs to a legal move; {positions:,} positions in all. {about_scale(scale)}",
            [ResultTable("valid", "largest output is a legal move, in percent", rows)],
            [
                Claim("table IV", f"All nets come very close to perfection ({VERY_CLOSE} %)", each, above(VERY_CLOSE)),
                Claim("table IV", "Nets that see the legal moves make no mistake at all", sighted, above(PERFECT)),
                Claim(
                    "table IV",
                    "Nets that see the legal moves make fewer mistakes than those that do not",
                    average(list(sighted.values())) - average(blind),
                    above(0),
                    note="points",
                ),
            ],
        )
