"""L.table8: the nets of L.table2 against the 13 published players (section VI-C, Table VIII).

Accuracy only approximates strength. This study asks whether symmetries and removed duplicates make a net win more, for
both splits; here no split favours a net, because nothing is measured on test positions.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.studies.liskowski.nets import NETS, SETS, SPLITS, Plan
from zeroply.studies.liskowski.reporting import about_scale, comparison, gather, order_claim, unit_columns
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import match_text
from zeroply.studies.liskowski.table2 import BY_SET, gain_table, plans, set_claims, sets_drawing
from zeroply.studies.measured import average
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.study import Scale, Units

PAPER = {
    "Conv4": (77.9, 85.2, 80.5, 86.0),
    "Conv6": (84.6, 89.0, 86.5, 90.0),
    "Conv8": (85.4, 91.8, 88.6, 93.1),
}
"""Table VIII, in the order of SETS."""


class Table8(SuiteStudy):
    """Winning rates by training set."""

    name = "L.table8"
    title = "winning rates by training set: symmetries and duplicates, by position and by game"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table VIII and section VI-C"

    def plans(self, scale: Scale) -> Sequence[Plan]:
        """The nets of L.table2."""
        return plans(scale)

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, for both splits."""
        accuracies, rates = (gather(units, BY_SET, measure) for measure in ("accuracy", "suite"))
        rows = [
            {
                **unit_columns(unit, "net", "set", "split"),
                "own test": round(measures["accuracy"], 2),
                **{name: round(score, 1) for name, score in measures["opponents"].items()},
            }
            for unit, measures in units
        ]
        orders = [
            order_claim(
                "section VI-C",
                f"Winning rates order the training sets as accuracy on their own test examples does (split by {split})",
                *({s: average([means[net, s, split] for net in NETS]) for s in SETS} for means in (accuracies, rates)),
            )
            for split in SPLITS
        ]
        return Report(
            f"{match_text(self.folders, scale)} The nets are those of L.table2. {about_scale(scale, part=True)}",
            [
                ResultTable("rates", "winning rate against the suite in percent", comparison(PAPER, SETS, rates)),
                gain_table(rates, "nets"),
                ResultTable("opponents", "winning rates of each net against each opponent in percent", rows),
            ],
            [*set_claims("table VIII", rates, "winning rate"), *orders],
            [sets_drawing("rates", "mean winning rate", rates, PAPER, "winning rate (%)")],
        )
