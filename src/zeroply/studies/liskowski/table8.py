"""L.table8: the nets of L.table2 against the 13 published players (Liskowski et al. 2018, section VI-C, Table VIII).

Accuracy is only a stand-in for strength. Whether symmetries and removed duplicates make a net win more is asked for
nets trained under both splits: here the split cannot flatter a net, because nothing is measured on test positions.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.studies.liskowski.nets import plan_units
from zeroply.studies.liskowski.reporting import about_scale, claim, gather, over, same_order, scale_of
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import match_text, strength
from zeroply.studies.liskowski.table2 import NETS, SETS, SPLITS, by_set, draw_sets, gains, plans, set_claims, table_rows
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Table, Unit
from zeroply.studies.verdicts import all_of

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
        """One unit for each net of L.table2."""
        return plan_units(plans(scale), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and let it play."""
        return strength(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """The table in the paper's form, for both splits."""
        scale, means = scale_of(found), gather(found, by_set, "suite")
        rows = [
            {
                "net": unit.settings["label"],
                "set": unit.settings["dataset"],
                "split": unit.settings["split"],
                "seed": unit.seed,
                "own test": round(measures["accuracy"], 2),
                **{name: round(score, 1) for name, score in measures["opponents"].items()},
            }
            for unit, measures in found
        ]
        return Report(
            f"{match_text(scale)} The nets are those of L.table2. {about_scale(scale, part=True)}",
            [
                Table("rates", "winning rate against the suite in percent ± standard error", table_rows(means, PAPER)),
                Table(
                    "gain", "what symmetries and removed duplicates add, in points ± s.e., mean over nets", gains(means)
                ),
                Table("opponents", "winning rates of each net against each opponent in percent", rows),
            ],
            [*set_claims(scale, means, "winning rate"), _agreement(scale, found)],
            [
                Drawing(
                    "rates",
                    "mean winning rate by training set, by position (left) and by game (right)",
                    lambda figure: draw_sets(figure, means, PAPER, "winning rate (%)"),
                )
            ],
        )


def _agreement(scale: Scale, found: Found) -> Claim:
    """Whether accuracy and strength order the sets alike."""
    accuracies, rates = (gather(found, by_set, measure) for measure in ("accuracy", "suite"))
    parts, verdicts = [], []
    for split in SPLITS:
        accuracy, rate = (
            {dataset: over([means[net, dataset, split] for net in NETS]) for dataset in SETS}
            for means in (accuracies, rates)
        )
        alike, told = same_order(accuracy, rate)
        verdicts.append(alike)
        parts.append(f"by {split} {' < '.join(sorted(SETS, key=lambda one: rate[one].value))}, {told}")
    return claim(
        scale,
        "Winning rates order the training sets as accuracy (on each set's own test examples) does",
        f"winning rates {'; '.join(parts)}",
        all_of(verdicts),
    )
