"""L.table3: encodings of the board and numbers of layers, trained and tested on Unique-S (Liskowski et al. 2018,
section V-B2), split by position as in the paper and by game; and the ten layers that did not help.

L.table4 uses the same nets: how often their largest output is a legal move.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zeroply.studies.claims import Claim, above, below, near
from zeroply.studies.liskowski.nets import Plan, SplitBy, encoding_of, plan_units, trained
from zeroply.studies.liskowski.reporting import (
    NET_CAPTION,
    PAR,
    about_scale,
    cell,
    draw_line,
    gap_claim,
    gather,
    net_row,
    three_panels,
    trained_measures,
)
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.measured import Measured, average
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NETS = ("Conv4", "Conv6", "Conv8")
ENCODINGS = ("pieces", "ones", "vmoves")
SPLITS: tuple[SplitBy, ...] = ("position", "game")
PAPER = {"Conv4": (57.2, 57.3, 57.3), "Conv6": (59.2, 59.1, 59.0), "Conv8": (60.5, 60.6, 59.0)}
"""Table III, in the order of ENCODINGS."""
DEEPER = "Conv10"

Means = Mapping[tuple[str, str, str], Measured]
"""By net, encoding and split."""


def plans(splits: Sequence[SplitBy] = SPLITS, deeper: bool = True) -> list[Plan]:
    """The nets of Tables III and IV, and the one of ten layers."""
    some = [
        Plan(net, net.lower() if encoding == "pieces" else f"{net.lower()}(encoding={encoding})", split=split)
        for split in splits
        for net in NETS
        for encoding in ENCODINGS
    ]
    return some + [Plan(DEEPER, DEEPER.lower(), split=split) for split in splits if deeper]


def by_encoding(unit: Unit) -> tuple[str, str, str]:
    """The cell of Tables III and IV that a unit belongs to."""
    return unit.settings["label"], encoding_of(unit.settings["net"]), unit.settings["split"]


class Table3(NetStudy):
    """Accuracy by encoding and depth."""

    name = "L.table3"
    title = "move prediction by board encoding and number of layers, by position and by game"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table III and section V-B2"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per net."""
        return plan_units(plans(), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net, which is tested on its own test set."""
        return trained_measures(trained(self.folders, unit, progress).result)

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, for both splits."""
        means = gather(units, by_encoding, "accuracy")
        return Report(
            "All nets learn from Unique-S and are tested on test examples of Unique-S, split by position as in the "
            f"paper and by game (then no image of a test position is in training). {about_scale(scale)}",
            [
                ResultTable("accuracy", "top-1 accuracy on the Unique-S test set in percent", _rows(means)),
                ResultTable("nets", NET_CAPTION, [net_row(*one) for one in units]),
            ],
            [*_claims(means), gap_claim(units)],
            [
                Drawing(
                    "accuracy",
                    "top-1 accuracy by number of layers, by position (left) and by game (right)",
                    lambda figure: _draw(figure, means),
                )
            ],
        )


def _rows(means: Means) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for net in (*NETS, DEEPER):
        for split in SPLITS:
            ours = {e: cell(means.get((net, e, split))) for e in ENCODINGS}
            rows.append({"net": net, "what": f"ours, by {split}", **ours})
        theirs: Sequence[float | str] = PAPER.get(net, ("no better than Conv8", "", ""))
        rows.append({"net": net, "what": "paper, by position", **dict(zip(ENCODINGS, theirs, strict=True))})
    return rows


def _claims(means: Means) -> list[Claim]:
    claims: list[Claim] = []
    for split in SPLITS:

        def gap(net: str, other: str, encoding: str = "pieces", base: str = "pieces", split: str = split) -> Measured:
            return means[net, encoding, split] - means[other, base, split]

        steps = {
            f"{deep} minus {flat}": average([gap(deep, flat, encoding, encoding) for encoding in ENCODINGS])
            for flat, deep in itertools.pairwise(NETS)
        }
        ones, moves = (average([gap(net, net, encoding) for net in NETS]) for encoding in ENCODINGS[1:])
        where = f"(split by {split})"
        claims += [
            Claim("section V-B2", f"Accuracy rises with the number of layers {where}", steps, above(0), note="points"),
            Claim(
                "section V-B2",
                f"Ten layers do not improve on eight by {PAR} points {where}",
                gap(DEEPER, "Conv8"),
                below(PAR),
            ),
            Claim("table III", f"Pieces and ones are on par, within {PAR} points {where}", ones, near(0, PAR)),
            Claim(
                "table III",
                f"Knowing the legal moves does not help by {PAR} points {where}",
                moves,
                below(PAR),
                note=f"mean over the nets; Conv8 {gap('Conv8', 'Conv8', 'vmoves')}, in the paper -1.5",
            ),
        ]
    return claims


def _draw(figure: Figure, means: Means) -> None:
    panels = three_panels(figure, [*NETS, DEEPER], "accuracy on Unique-S (%)")
    for number, (encoding, colour) in enumerate(zip(ENCODINGS, COLOURS, strict=False)):
        for panel, split in zip(panels, SPLITS, strict=False):
            depths = [*NETS, *[DEEPER] * (encoding == "pieces")]
            draw_line(panel, [means[net, encoding, split] for net in depths], colour, encoding)
        panels[-1].plot(range(len(NETS)), [PAPER[net][number] for net in NETS], "s--", color=colour, markersize=4)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
