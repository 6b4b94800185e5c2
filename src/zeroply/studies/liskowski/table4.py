"""L.table4: how often the largest output of a net is a legal move (Liskowski et al. 2018, Table IV).

The nets are those of L.table3, split by position. No net is told which moves are legal but those that see `vmoves`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from zeroply.studies.liskowski.nets import plan_units, trained
from zeroply.studies.liskowski.reporting import about_scale, claim, gather, over, scale_of, trained_measures, verdict
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.liskowski.table3 import ENCODINGS, NETS, by_encoding, plans
from zeroply.studies.study import Found, Measures, Progress, Report, Scale, Table, Unit

PAPER = {"Conv4": (99.95, 99.95, 100.0), "Conv6": (99.99, 99.99, 100.0), "Conv8": (99.99, 99.99, 100.0)}
"""Table IV, in the order of ENCODINGS."""
VERY_CLOSE = 99.9
"""What is called very close to perfection: below the lowest number of the paper."""


class Table4(NetStudy):
    """Legal moves by encoding and depth."""

    name = "L.table4"
    title = "how often a net's largest output is a legal move"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table IV and section V-B2"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each net."""
        return plan_units(plans(("position",), deeper=False), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net; its run counts legal moves on test examples."""
        found = trained_measures(trained(self.place, unit, progress).result)
        share, n = found["valid"] / 100, found["positions"]
        return {**found, "valid error": 100 * math.sqrt(share * (1 - share) / n)}

    def report(self, found: Found) -> Report:
        """The table in the paper's form."""
        scale, means = scale_of(found), gather(found, by_encoding, "valid")
        rows: list[dict[str, Any]] = []
        for net in NETS:
            ours = {encoding: round(means[net, encoding, "position"].value, 3) for encoding in ENCODINGS}
            rows.append({"net": net, "what": "ours", **ours})
            rows.append({"net": net, "what": "paper", **dict(zip(ENCODINGS, PAPER[net], strict=True))})
        sighted = [means[net, "vmoves", "position"] for net in NETS]
        others = [means[net, encoding, "position"] for net in NETS for encoding in ENCODINGS[:2]]
        told, blind = [one.value for one in sighted], [one.value for one in others]
        positions = sum(measures["positions"] for _, measures in found)
        return Report(
            "The share of test examples of Unique-S, split by position, in which the largest of a net's 60 outputs "
            f"belongs to a legal move; {positions:,} positions in all. {about_scale(scale)}",
            [Table("valid", "largest output is a legal move, in percent, mean over seeds", rows)],
            [
                claim(
                    scale,
                    f"All nets come very close to perfection ({VERY_CLOSE} % or more)",
                    f"{min(blind):.2f} to {max(blind):.2f} % without, {min(told):.2f} to {max(told):.2f} % with vmoves",
                    verdict(one - VERY_CLOSE for one in (*sighted, *others)),
                ),
                claim(
                    scale,
                    "Nets that see the legal moves make no mistake at all",
                    f"{min(told):.4f} % or more",
                    round(min(told), 2) == 100,
                ),
                claim(
                    scale,
                    "Nets that see the legal moves make fewer mistakes than those that do not",
                    f"{100 - max(told):.3f} to {100 - min(told):.3f} % against {100 - max(blind):.3f} to "
                    f"{100 - min(blind):.3f} %",
                    (over(sighted) - over(others)).positive,
                ),
            ],
        )
