"""L.table8: the nets of L.table2 against the 13 published players (Liskowski et al. 2018, section VI-C, Table VIII).

Accuracy is only a stand-in for strength. Whether symmetries and removed duplicates make a net win more is asked for
nets trained under both splits: here the split cannot flatter a net, because nothing is measured on test positions.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import plan_units
from zeroply.studies.liskowski.reporting import ROUGHLY, about_scale, gather, same_order
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import match_text, strength
from zeroply.studies.liskowski.table2 import NETS, SETS, SPLITS, by_set, draw_sets, gains, plans, set_claims, table_rows
from zeroply.studies.measured import average
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

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

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per net of L.table2."""
        return plan_units(plans(scale), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and let it play."""
        return strength(self.folders, unit, progress)

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, for both splits."""
        means = gather(units, by_set, "suite")
        rows = [
            {
                "net": unit.settings["label"],
                "set": unit.settings["dataset"],
                "split": unit.settings["split"],
                "seed": unit.seed,
                "own test": round(measures["accuracy"], 2),
                **{name: round(score, 1) for name, score in measures["opponents"].items()},
            }
            for unit, measures in units
        ]
        return Report(
            f"{match_text(scale)} The nets are those of L.table2. {about_scale(scale, part=True)}",
            [
                ResultTable("rates", "winning rate against the suite in percent", table_rows(means, PAPER)),
                ResultTable(
                    "gain", "effect of symmetries and of removed duplicates in points, over nets", gains(means)
                ),
                ResultTable("opponents", "winning rates of each net against each opponent in percent", rows),
            ],
            [*set_claims("table VIII", means, "winning rate"), *_agreement(units)],
            [
                Drawing(
                    "rates",
                    "mean winning rate by training set, by position (left) and by game (right)",
                    lambda figure: draw_sets(figure, means, PAPER, "winning rate (%)"),
                )
            ],
        )


def _agreement(units: Units) -> list[Claim]:
    """Whether accuracy and strength order the sets in the same way."""
    accuracy, rate = (gather(units, by_set, measure) for measure in ("accuracy", "suite"))
    return [
        Claim(
            "section VI-C",
            f"Winning rates order the training sets as accuracy on their own test examples does (split by {split})",
            same_order(
                *({s: average([means[net, s, split] for net in NETS]) for s in SETS} for means in (accuracy, rate))
            ),
            above(ROUGHLY),
            note="share of the pairs that differ clearly in both and are in the same order",
        )
        for split in SPLITS
    ]
