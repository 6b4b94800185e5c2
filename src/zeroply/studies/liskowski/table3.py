"""L.table3: encodings of the board and numbers of layers, trained and tested on Unique-S (section V-B2).

The split is by position, as in the paper, and by game. L.table4 uses the same nets.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.studies.claims import Claim, above, below, near
from zeroply.studies.liskowski.nets import NETS, SPLITS, Plan, SplitBy
from zeroply.studies.liskowski.reporting import (
    PAR,
    Cells,
    about_scale,
    by,
    comparison,
    curves,
    draw_splits,
    gap_claim,
    gather,
    layer_gains,
    nets_table,
)
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.measured import Measured, average
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.study import Scale, Units

ENCODINGS = ("pieces", "ones", "vmoves")
PAPER = {"Conv4": (57.2, 57.3, 57.3), "Conv6": (59.2, 59.1, 59.0), "Conv8": (60.5, 60.6, 59.0)}
"""Table III, in the order of ENCODINGS."""
DEEPER = "Conv10"
BY_ENCODING = by("label", "encoding", "split")


def plans(splits: Sequence[SplitBy] = SPLITS, deeper: bool = True) -> list[Plan]:
    """The nets of Tables III and IV, and the one of ten layers."""
    some = [
        Plan(net, net.lower() if encoding == "pieces" else f"{net.lower()}(encoding={encoding})", split=split)
        for split in splits
        for net in NETS
        for encoding in ENCODINGS
    ]
    return some + [Plan(DEEPER, DEEPER.lower(), split=split) for split in splits if deeper]


class Table3(NetStudy):
    """Accuracy by encoding and depth."""

    name = "L.table3"
    title = "move prediction by board encoding and number of layers, by position and by game"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table III and section V-B2"
    nets = plans()

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, for both splits."""
        means = gather(units, BY_ENCODING, "accuracy")
        rows = comparison({**PAPER, DEEPER: ("no better than Conv8", "", "")}, ENCODINGS, means)
        lines = {(encoding, net, split): one for (net, encoding, split), one in means.items()}
        paper = dict(zip(ENCODINGS, zip(*PAPER.values(), strict=True), strict=True))
        ticks, what = (*NETS, DEEPER), "accuracy on Unique-S (%)"
        caption = "top-1 accuracy by number of layers, by position (left) and by game (right)"
        return Report(
            "All nets learn from Unique-S and are tested on test examples of Unique-S, split by position as in the "
            f"paper and by game (then no image of a test position is in training). {about_scale(scale)}",
            [ResultTable("accuracy", "top-1 accuracy on the Unique-S test set in percent", rows), nets_table(units)],
            [*(claim for split in SPLITS for claim in _claims(means, split)), gap_claim(units)],
            [
                Drawing("accuracy", caption, lambda figure: draw_splits(figure, lines, paper, ticks, what)),
                curves(units),
            ],
        )


def _claims(means: Cells, split: str) -> list[Claim]:
    def gain(net: str, encoding: str) -> Measured:
        return means[net, encoding, split] - means[net, "pieces", split]

    layers, where = layer_gains(means, ENCODINGS, split), f"(split by {split})"
    ten = means[DEEPER, "pieces", split] - means["Conv8", "pieces", split]
    ones, moves = (average([gain(net, encoding) for net in NETS]) for encoding in ENCODINGS[1:])
    note = f"mean over the nets; Conv8 {gain('Conv8', 'vmoves')}, in the paper -1.5"
    place, table = "section V-B2", "table III"
    return [
        Claim(place, f"Accuracy rises with the number of layers {where}", layers, above(0), note="points"),
        Claim(place, f"Ten layers do not improve on eight by {PAR} points {where}", ten, below(PAR)),
        Claim(table, f"Pieces and ones are on par, within {PAR} points {where}", ones, near(0, PAR)),
        Claim(table, f"Knowing the legal moves does not help by {PAR} points {where}", moves, below(PAR), note=note),
    ]
