"""L.table2: nets trained on Original, Original-S, Unique and Unique-S, all tested on Original (section V-B1).

The paper draws the test positions of each set separately, so most test positions of Original are in the training part
of the other sets. This study counts them, and measures how much augmentation helps when training contains no position
of a test game, nor an image of one. The paper also gives more batches to sets with duplicates; Conv4 is trained with
equal numbers of batches and with the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import (
    LARGEST_SET,
    NETS,
    SETS,
    SPLITS,
    Plan,
    SplitBy,
    accuracy_on,
    examples,
    split_of,
    trained,
)
from zeroply.studies.liskowski.reporting import (
    Cells,
    Means,
    about_scale,
    accuracy_measures,
    by,
    comparison,
    curves,
    draw_splits,
    gap_claim,
    gather,
    layer_gains,
    nets_table,
    trained_measures,
)
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.measured import Measured, average
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.study import Folders, Measures, Progress, Scale, Unit, Units, part_of

PAPER = {
    "Conv4": (55.1, 56.9, 55.9, 57.2),
    "Conv6": (57.2, 58.7, 57.9, 59.1),
    "Conv8": (58.1, 60.1, 58.9, 60.5),
}
"""Table II, in the order of SETS."""
BY_SET = by("label", "dataset", "split")
_CHUNK = 1 << 20


def plans(scale: Scale, splits: Sequence[SplitBy] = SPLITS) -> list[Plan]:
    """The nets of Table II; at the scale `cpu` they repeat few games often, as the paper's did."""
    part = scale == "cpu"
    return [Plan(net, net.lower(), one, split, part) for split in splits for net in NETS for one in SETS]


class Table2(NetStudy):
    """Accuracy by training set."""

    name = "L.table2"
    title = "move prediction by training set: symmetries and duplicates, by position and by game"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table II and section V-B1"

    def plans(self, scale: Scale) -> Sequence[Plan]:
        """Three nets on four sets, under both splits; one also with other numbers of batches."""
        others = [replace(plan, other_counts=True) for plan in plans(scale, SPLITS[:1]) if _counted(plan, scale)]
        return [*plans(scale), *others]

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """Also a unit per set and split that counts the test positions it contains."""
        part = scale == "cpu"
        seen = [seen_unit(f"seen {one} by {split}", scale, one, split, part) for split in SPLITS for one in SETS]
        return [*seen, *super().units(scale, seeds)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and test it on Original."""
        if "seen" in unit.settings:
            return {"seen": seen(self.folders, unit, progress)}
        net = trained(self.folders, unit, part_of(progress, 0, 0.9))
        summary = accuracy_on(self.folders, unit, net, "original", part_of(progress, 0.9, 1))
        tested = {**accuracy_measures(summary, "on original"), "on original positions": summary["positions"]}
        return {**trained_measures(net.result), **tested}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, for both splits, and the effect of augmentation."""
        every = [(unit, measures) for unit, measures in units if "seen" not in unit.settings]
        nets = [one for one in every if not one[0].settings["other_counts"]]
        means = gather(nets, BY_SET, "on original")
        shares = {(unit.settings["seen"], unit.settings["split"]): m["seen"] for unit, m in units if "seen" in m}
        known = [{"split": split, **{dataset: shares[dataset, split] for dataset in SETS}} for split in SPLITS]
        sizes = {unit.settings["split"]: measures["on original positions"] for unit, measures in nets}
        tested = ", ".join(f"{size:,} by {split}" for split, size in sizes.items())
        deeper = [
            Claim(
                "table II",
                f"More layers are more accurate (split by {split})",
                layer_gains(means, SETS, split),
                above(0),
                note="points",
            )
            for split in SPLITS
        ]
        return Report(
            f"Three nets trained on four sets and tested on the same test examples of Original ({tested}), "
            "split by position as in the paper (25 % of the plain sets, 5 % of the symmetric ones) and by game (5 % of "
            "the games; training contains nothing of them, not even images). "
            f"{_counts_text(scale)} {about_scale(scale, part=True)}",
            [
                ResultTable(
                    "accuracy", "top-1 accuracy on Original's test set in percent", comparison(PAPER, SETS, means)
                ),
                gain_table(means, "the nets"),
                _counts_table(every, scale),
                ResultTable("seen", "test positions of Original in the training part of a set, in percent", known),
                nets_table(every),
            ],
            [*set_claims("table II", means, "accuracy"), *deeper, gap_claim(nets), _counts_claim(every, scale)],
            [
                sets_drawing("accuracy", "top-1 accuracy on Original", means, PAPER, "accuracy on Original (%)"),
                curves(nets),
            ],
        )


# Numbers of batches

COUNTED = NETS[0]
"""The net that is also trained with the other numbers of batches, the one that trains fastest."""
EQUAL, PRINTED = "equal", "the paper's"


def _counted(plan: Plan, scale: Scale) -> bool:
    """Whether a net is also trained with another number of batches: Unique-S has the same number in both cases."""
    return plan.label == COUNTED and plan.dataset != LARGEST_SET


def _counts_text(scale: Scale) -> str:
    if scale == "paper":
        return f"Numbers of batches are the paper's; {COUNTED} is also trained with those of Unique-S on all sets."
    return (
        "All sets give a net the same number of examples, so larger sets repeat less; "
        f"{COUNTED} is also trained with numbers in the paper's proportions."
    )


def _by_counts(units: Units, scale: Scale) -> dict[tuple[str, str], Measured]:
    """The accuracy of Conv4 by numbers of batches and set, split by position."""
    own, other = (PRINTED, EQUAL) if scale == "paper" else (EQUAL, PRINTED)
    some = [one for one in units if (one[0].settings["label"], one[0].settings["split"]) == (COUNTED, SPLITS[0])]
    means = gather(some, by("other_counts", "dataset"), "on original")
    found = {(other if is_other else own, dataset): mean for (is_other, dataset), mean in means.items()}
    return found | {(other, LARGEST_SET): means[False, LARGEST_SET]}


def _counts_table(units: Units, scale: Scale) -> ResultTable:
    means = _by_counts(units, scale)
    rows = [{"batches": counts, **{one: means[counts, one] for one in SETS}} for counts in (EQUAL, PRINTED)]
    caption = f"accuracy of {COUNTED} on Original by numbers of batches, which in the paper grow with the size of a set"
    return ResultTable("counts", caption, rows)


def _counts_claim(units: Units, scale: Scale) -> Claim:
    means = _by_counts(units, scale)
    equal, printed = (
        average([means[counts, a] - means[counts, b] for a, b in zip(*DUPLICATES, strict=True)])
        for counts in (EQUAL, PRINTED)
    )
    text = f"Removing duplicates gains more with equal numbers of batches than with the paper's ({COUNTED})"
    return Claim("beyond the paper", text, equal - printed, above(0), note="points")


def seen_unit(name: str, scale: Scale, dataset: str, split: str, part: bool) -> Unit:
    """A unit that counts the test positions of Original in a training set."""
    return Unit(name, {"scale": scale, "seen": dataset, "split": split, "part": part})


def seen(folders: Folders, unit: Unit, progress: Progress) -> float:
    """The percentage of Original's test examples whose position is also that of a training example of a set."""
    scale, split, part = (unit.settings[name] for name in ("scale", "split", "part"))
    original = examples(folders, scale, "original", part)
    data = examples(folders, scale, unit.settings["seen"], part)
    tested = np.sort(_hashes(original, original.side(split_of("original", split), "test")))
    rows = data.side(split_of(data.name, split), "train")
    hit = np.zeros(len(tested), np.bool_)
    for low in range(0, len(rows), _CHUNK):
        hit |= np.isin(tested, np.unique(_hashes(data, rows[low : low + _CHUNK])))
        progress(min(low + _CHUNK, len(rows)), len(rows))
    return round(100 * float(hit.mean()), 2)


def _hashes(data: Any, rows: Any) -> Any:
    own, opponent, _ = data.take(rows)
    return chance.draw(own, opponent)


# Shared with L.table8

SYMMETRIES = (("original-s", "unique-s"), ("original", "unique"))
DUPLICATES = (("unique", "unique-s"), ("original", "original-s"))


def gain(means: Cells, split: str, more: tuple[str, ...], less: tuple[str, ...]) -> Measured:
    """What some sets add over others, on average over nets and pairs."""
    pairs = zip(more, less, strict=True)
    return average([means[net, a, split] - means[net, b, split] for a, b in pairs for net in NETS])


def gain_table(means: Cells, nets: str) -> ResultTable:
    """The effects of symmetries and of removed duplicates under both splits."""
    effects = {"symmetries": SYMMETRIES, "duplicates": DUPLICATES}
    rows = [{"split": split, **{name: gain(means, split, *pair) for name, pair in effects.items()}} for split in SPLITS]
    return ResultTable("gain", f"effect of symmetries and of removed duplicates in points, over {nets}", rows)


def set_claims(place: str, means: Cells, what: str) -> list[Claim]:
    """The paper's claims about symmetries and duplicates under both splits, and how much remains by game."""
    by_position, by_game = (gain(means, split, *SYMMETRIES) for split in SPLITS)
    best: Means = {dataset: gain(means, "position", ("unique-s",), (dataset,)) for dataset in SETS[:3]}
    remains = f"The gain in {what} by symmetries remains when games are split"
    unclear = "" if by_position.interval().low > 0 else "there is no clear gain when positions are split"
    return [
        *(
            Claim(place, f"{text} {what} (split by {split})", gain(means, split, *pair), above(0), note="points")
            for split in SPLITS
            for text, pair in (("Symmetries raise", SYMMETRIES), ("Removing duplicates raises", DUPLICATES))
        ),
        Claim(place, remains, by_game, above(0), note=f"points; by position {by_position}").open(unclear),
        Claim(place, f"Unique-S gives the highest {what} (split by position)", best, above(0), note="points above"),
    ]


def sets_drawing(name: str, what: str, means: Cells, paper: Mapping[str, Sequence[float]], label: str) -> Drawing:
    """Numbers by training set, a line per net."""
    caption = f"{what} by training set, by position (left) and by game (right)"
    return Drawing(name, caption, lambda figure: draw_splits(figure, means, paper, SETS, label))
