"""L.table4: how often the largest output of a net is a legal move (Table IV), with the nets of L.table3.

Only nets with the encoding `vmoves` see which moves are legal.
"""

from __future__ import annotations

import math

from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.reporting import about_scale, comparison, gather
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.liskowski.table3 import BY_ENCODING, ENCODINGS, plans
from zeroply.studies.measured import average
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

PAPER = {"Conv4": (99.95, 99.95, 100.0), "Conv6": (99.99, 99.99, 100.0), "Conv8": (99.99, 99.99, 100.0)}
"""Table IV, in the order of ENCODINGS."""
VERY_CLOSE, PERFECT = 99.9, 99.995
"""Very close to perfection, below the lowest number of the paper; and what is printed as 100.00."""


class Table4(NetStudy):
    """Legal moves by encoding and depth."""

    name = "L.table4"
    title = "how often a net's largest output is a legal move"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table IV and section V-B2"
    nets = plans(("position",), deeper=False)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net; its run counts legal moves on test examples."""
        result = super().measure(unit, progress)
        share, n = result["valid"] / 100, result["positions"]
        return {**result, "valid error": 100 * math.sqrt(share * (1 - share) / n)}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form."""
        means = gather(units, BY_ENCODING, "valid", digits=3)
        each = {f"{net} {encoding}": one for (net, encoding, _), one in means.items()}
        sighted = {name: one for name, one in each.items() if name.endswith("vmoves")}
        better = average([*sighted.values()]) - average([one for name, one in each.items() if name not in sighted])
        fewer = "Nets that see the legal moves make fewer mistakes than those that do not"
        positions = sum(measures["positions"] for _, measures in units)
        rows = comparison(PAPER, ENCODINGS, means, ("position",))
        return Report(
            "The share of test examples of Unique-S, split by position, in which the largest of a net's 60 outputs "
            f"belongs to a legal move; {positions:,} positions in all. {about_scale(scale)}",
            [ResultTable("valid", "largest output is a legal move, in percent", rows)],
            [
                Claim("table IV", f"All nets come very close to perfection ({VERY_CLOSE} %)", each, above(VERY_CLOSE)),
                Claim("table IV", "Nets that see the legal moves make no mistake at all", sighted, above(PERFECT)),
                Claim("table IV", fewer, better, above(0), note="points"),
            ],
        )
