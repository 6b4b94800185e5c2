"""L.table2: nets trained on Original, Original-S, Unique and Unique-S, all tested on Original (Liskowski et al. 2018,
section V-B1), with positions split as in the paper and with games split.

The paper draws the test positions of each set by themselves, so that most test positions of Original stand in the
training part of the other sets. How many do is counted here, and how much of "augmentation helps" remains when no
position of a test game, nor an image of one, has been seen in training.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import (
    SIZES,
    Plan,
    SplitBy,
    Trained,
    accuracy,
    examples,
    load_net,
    plan_of,
    plan_units,
    split_of,
    trained,
)
from zeroply.studies.liskowski.reporting import (
    NET_CAPTION,
    about_scale,
    accuracy_measures,
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
from zeroply.studies.study import Folders, Measures, Progress, Scale, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NETS = ("Conv4", "Conv6", "Conv8")
SETS = ("original", "original-s", "unique", "unique-s")
SPLITS: tuple[SplitBy, ...] = ("position", "game")
PAPER = {
    "Conv4": (55.1, 56.9, 55.9, 57.2),
    "Conv6": (57.2, 58.7, 57.9, 59.1),
    "Conv8": (58.1, 60.1, 58.9, 60.5),
}
"""Table II, in the order of SETS."""
_CHUNK = 1 << 20

Means = Mapping[tuple[str, str, str], Measured]
"""By net, set and split."""


def plans(scale: Scale, splits: Sequence[SplitBy] = SPLITS) -> list[Plan]:
    """The nets of Table II; at the scale `cpu` they learn from few games, many times, as theirs did."""
    return [
        Plan(net, net.lower(), dataset, split, part=scale == "cpu")  # type: ignore[arg-type]
        for split in splits
        for net in NETS
        for dataset in SETS
    ]


class Table2(NetStudy):
    """Accuracy by training set."""

    name = "L.table2"
    title = "move prediction by training set: symmetries and duplicates, by position and by game"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table II and section V-B1"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per net, and one per set and split that counts what the test has in common with it."""
        common = [
            Unit(
                f"seen {dataset} by {split}",
                {"scale": scale, "seen": dataset, "split": split, "part": scale == "cpu"},
            )
            for split in SPLITS
            for dataset in SETS
        ]
        return [*common, *plan_units(plans(scale), scale, seeds)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and test it on Original."""
        if "seen" in unit.settings:
            return {"seen": seen(self.folders, unit, progress)}
        net = trained(self.folders, unit, part_of(progress, 0, 0.9))
        return {**trained_measures(net.result), **on_original(self.folders, unit, net, part_of(progress, 0.9, 1))}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, for both splits, and the effect of augmentation."""
        nets = [(unit, measures) for unit, measures in units if "seen" not in unit.settings]
        means = gather(nets, by_set, "on original")
        shares = {(unit.settings["seen"], unit.settings["split"]): m["seen"] for unit, m in units if "seen" in m}
        known = [{"split": split, **{dataset: shares[dataset, split] for dataset in SETS}} for split in SPLITS]
        sizes = {unit.settings["split"]: measures["on original positions"] for unit, measures in nets}
        tested = ", ".join(f"{size:,} by {split}" for split, size in sizes.items())
        return Report(
            f"Three nets trained on four sets and tested on the same test examples of Original ({tested}), "
            "split by position as in the paper (25 % of the plain sets, 5 % of the symmetric ones) and by game (5 % of "
            "the games; training contains nothing of them, not even images). All sets give a net the same number of "
            f"examples, so larger sets repeat less. {about_scale(scale, part=True)}",
            [
                ResultTable("accuracy", "top-1 accuracy on Original's test set in percent", table_rows(means, PAPER)),
                ResultTable(
                    "gain", "effect of symmetries and of removed duplicates in points, over the nets", gains(means)
                ),
                ResultTable("seen", "test positions of Original in the training part of a set, in percent", known),
                ResultTable("nets", NET_CAPTION, [net_row(*one) for one in nets]),
            ],
            [*set_claims("table II", means, "accuracy"), *_depth_claims(means), gap_claim(nets)],
            [
                Drawing(
                    "accuracy",
                    "top-1 accuracy on Original by training set, by position (left) and by game (right)",
                    lambda figure: draw_sets(figure, means, PAPER, "accuracy on Original (%)"),
                )
            ],
        )


def on_original(folders: Folders, unit: Unit, net: Trained, progress: Progress) -> dict[str, float]:
    """A net's accuracy on the test examples of Original, and their number."""
    plan, scale = plan_of(unit), unit.settings["scale"]
    data = examples(folders, scale, "original", plan.part)

    def measure() -> Any:
        return accuracy(load_net(net), data, plan.split, SIZES[scale].measured, progress).summary()

    summary = net.remembered(f"on original by {plan.split}", measure)
    return {**accuracy_measures(summary, "on original"), "on original positions": summary["positions"]}


def seen(folders: Folders, unit: Unit, progress: Progress) -> float:
    """The share of Original's test examples whose position is that of a training example of a set, in percent."""
    scale, split, part = (unit.settings[name] for name in ("scale", "split", "part"))
    original = examples(folders, scale, "original", part)
    data = examples(folders, scale, unit.settings["seen"], part)
    tested = np.sort(_hashes(original, original.side(split_of("original", split), "test")))
    rows = data.side(split_of(data.name, split), "train")
    hit = np.zeros(len(tested), np.bool_)
    for low in range(0, len(rows), _CHUNK):
        hashes = np.unique(_hashes(data, rows[low : low + _CHUNK]))
        hit |= np.isin(tested, hashes)
        progress(min(low + _CHUNK, len(rows)), len(rows))
    return round(100 * float(hit.mean()), 2)


def _hashes(data: Any, rows: Any) -> Any:
    own, opponent, _ = data.take(rows)
    return chance.draw(own, opponent)


def by_set(unit: Unit) -> tuple[str, str, str]:
    """The cell of Tables II and VIII that a unit belongs to."""
    return unit.settings["label"], unit.settings["dataset"], unit.settings["split"]


def table_rows(means: Means, paper: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Rows per net: ours by position, ours by game, the paper's."""
    rows: list[dict[str, Any]] = []
    for net in NETS:
        for split in SPLITS:
            ours = {dataset: cell(means.get((net, dataset, split))) for dataset in SETS}
            rows.append({"net": net, "what": f"ours, by {split}", **ours})
        rows.append({"net": net, "what": "paper, by position", **dict(zip(SETS, paper[net], strict=True))})
    return rows


def gain(means: Means, split: str, more: tuple[str, str], less: tuple[str, str]) -> Measured:
    """What two sets add over two others, on average over nets and pairs."""
    pairs = zip(more, less, strict=True)
    return average([means[net, a, split] - means[net, b, split] for a, b in pairs for net in NETS])


SYMMETRIES = (("original-s", "unique-s"), ("original", "unique"))
DUPLICATES = (("unique", "unique-s"), ("original", "original-s"))


def gains(means: Means) -> list[dict[str, Any]]:
    """The effects of symmetries and of removed duplicates under both splits."""
    effects = {"symmetries": SYMMETRIES, "duplicates": DUPLICATES}
    return [{"split": split, **{name: gain(means, split, *pair) for name, pair in effects.items()}} for split in SPLITS]


def set_claims(place: str, means: Means, what: str) -> list[Claim]:
    """The paper's claims about symmetries and duplicates under both splits, and how much remains by game."""
    claims = [
        Claim(place, f"{text} {what} (split by {split})", gain(means, split, *pair), above(0), note="points")
        for split in SPLITS
        for text, pair in (("Symmetries raise", SYMMETRIES), ("Removing duplicates raises", DUPLICATES))
    ]
    by_position, by_game = (gain(means, split, *SYMMETRIES) for split in SPLITS)
    best = {
        dataset: average([means[net, "unique-s", "position"] - means[net, dataset, "position"] for net in NETS])
        for dataset in SETS[:3]
    }
    return [
        *claims,
        Claim(
            place,
            f"The gain in {what} by symmetries remains when games are split",
            by_game,
            above(0),
            note=f"points; by position {by_position}",
        ).open("" if by_position.interval().low > 0 else "there is no clear gain when positions are split"),
        Claim(place, f"Unique-S gives the highest {what} (split by position)", best, above(0), note="points above"),
    ]


def _depth_claims(means: Means) -> list[Claim]:
    return [
        Claim(
            "table II",
            f"More layers are more accurate (split by {split})",
            {
                f"{deep} minus {flat}": average([means[deep, s, split] - means[flat, s, split] for s in SETS])
                for flat, deep in itertools.pairwise(NETS)
            },
            above(0),
            note="points",
        )
        for split in SPLITS
    ]


def draw_sets(figure: Figure, means: Means, paper: Mapping[str, Sequence[float]], label: str) -> None:
    """Numbers by training set, a line per net; the paper's have their own scale."""
    panels = three_panels(figure, SETS, label)
    for net, colour in zip(NETS, COLOURS, strict=False):
        for panel, split in zip(panels, SPLITS, strict=False):
            draw_line(panel, [means[net, dataset, split] for dataset in SETS], colour, net)
        panels[-1].plot(range(len(SETS)), paper[net], "s--", color=colour, markersize=4)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
