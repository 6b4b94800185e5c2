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
    Mean,
    about_scale,
    accuracy_measures,
    cell,
    claim,
    draw_line,
    gap_claim,
    gather,
    net_row,
    over,
    scale_of,
    three_panels,
    trained_measures,
    verdict,
)
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.study import (
    COLOURS,
    Claim,
    Drawing,
    Found,
    Measures,
    Place,
    Progress,
    Report,
    Scale,
    Table,
    Unit,
    part_of,
)

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

Means = Mapping[tuple[str, str, str], Mean]
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
        """One unit for each net, and one for each set and split that counts what the test has in common with it."""
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
            return {"seen": seen(self.place, unit, progress)}
        net = trained(self.place, unit, part_of(progress, 0, 0.9))
        return {**trained_measures(net.result), **on_original(self.place, unit, net, part_of(progress, 0.9, 1))}

    def report(self, found: Found) -> Report:
        """The table in the paper's form, for both splits, and what remains of augmentation."""
        scale = scale_of(found)
        nets = [(unit, measures) for unit, measures in found if "seen" not in unit.settings]
        means = gather(nets, by_set, "on original")
        shares = {(unit.settings["seen"], unit.settings["split"]): m["seen"] for unit, m in found if "seen" in m}
        tables = [
            Table(
                "accuracy",
                "top-1 accuracy on Original's test set in percent ± standard error",
                table_rows(means, PAPER),
            ),
            Table(
                "gain", "what symmetries and removed duplicates add, in points ± s.e., mean over the nets", gains(means)
            ),
            Table(
                "seen", "test positions of Original that stand in the training part of a set, in percent", _seen(shares)
            ),
            Table("nets", NET_CAPTION, [net_row(*one) for one in nets]),
        ]
        return Report(
            f"Three nets trained on four sets and tested on the same test examples of Original ({_tested(nets)}), "
            "split by position as in the paper (25 % of the plain sets, 5 % of the symmetric ones) and by game (5 % of "
            "the games; nothing of them is in training, not even as an image). All sets give a net the same number of "
            f"examples, so larger sets repeat less. {about_scale(scale, part=True)}",
            tables,
            [*set_claims(scale, means, "accuracy"), *_depth_claims(scale, means), gap_claim(nets)],
            [
                Drawing(
                    "accuracy",
                    "top-1 accuracy on Original by training set, by position (left) and by game (right)",
                    lambda figure: draw_sets(figure, means, PAPER, "accuracy on Original (%)"),
                )
            ],
        )


def on_original(place: Place, unit: Unit, net: Trained, progress: Progress) -> dict[str, float]:
    """A net's accuracy on the test examples of Original, and how many of them there were."""
    plan, scale = plan_of(unit), unit.settings["scale"]
    data = examples(place, scale, "original", plan.part)

    def measure() -> Any:
        return accuracy(load_net(net), data, plan.split, SIZES[scale].measured, progress).summary()

    found = net.remembered(f"on original by {plan.split}", measure)
    return {**accuracy_measures(found, "on original"), "on original positions": found["positions"]}


def seen(place: Place, unit: Unit, progress: Progress) -> float:
    """The share of Original's test examples whose position is that of a training example of a set, in percent."""
    scale, split, part = (unit.settings[name] for name in ("scale", "split", "part"))
    original = examples(place, scale, "original", part)
    data = examples(place, scale, unit.settings["seen"], part)
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
    """What a number of Tables II and VIII belongs to."""
    return unit.settings["label"], unit.settings["dataset"], unit.settings["split"]


def table_rows(means: Means, paper: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """One row for each net: ours by position, ours by game, the paper's."""
    rows: list[dict[str, Any]] = []
    for net in NETS:
        for split in SPLITS:
            ours = {dataset: cell(means.get((net, dataset, split))) for dataset in SETS}
            rows.append({"net": net, "what": f"ours, by {split}", **ours})
        rows.append({"net": net, "what": "paper, by position", **dict(zip(SETS, paper[net], strict=True))})
    return rows


def gain(means: Means, split: str, more: tuple[str, str], less: tuple[str, str]) -> list[Mean]:
    """What two sets add over two others, for each net and pair."""
    pairs = zip(more, less, strict=True)
    return [means[net, a, split] - means[net, b, split] for a, b in pairs for net in NETS]


SYMMETRIES = (("original-s", "unique-s"), ("original", "unique"))
DUPLICATES = (("unique", "unique-s"), ("original", "original-s"))


def gains(means: Means) -> list[dict[str, Any]]:
    """The effects of symmetries and of removed duplicates under both splits."""
    return [
        {
            "split": split,
            "symmetries": over(gain(means, split, *SYMMETRIES)).signed,
            "duplicates": _duplicates(means, split),
        }
        for split in SPLITS
    ]


def _duplicates(means: Means, split: str) -> str:
    return over(gain(means, split, *DUPLICATES)).signed


def set_claims(scale: Scale, means: Means, what: str) -> list[Claim]:
    """What the paper says of symmetries and duplicates, under both splits, and what remains under the honest one."""
    claims = []
    totals = {}
    for split in SPLITS:
        for text, pair in (("Symmetries raise", SYMMETRIES), ("Removing duplicates raises", DUPLICATES)):
            some = gain(means, split, *pair)
            total = over(some)
            totals[text, split] = total
            above = sum(one.value > 0 for one in some)
            ours = f"{total.signed} points, above 0 for {above} of {len(some)} pairs of nets"
            claims.append(claim(scale, f"{text} {what} (split by {split})", ours, total.positive))
    by_position, by_game = (totals["Symmetries raise", split] for split in SPLITS)
    remains = f", {max(0.0, by_game.value / by_position.value):.0%} of it" if by_position.positive else ""
    claims.append(
        claim(
            scale,
            f"The gain in {what} by symmetries remains when games are split",
            f"{by_position.signed} points by position, {by_game.signed} by game{remains}; "
            f"difference {(by_game - by_position).signed}",
            None if by_position.positive is not True else by_game.positive,
        )
    )
    best = {net: max(SETS, key=lambda dataset: means[net, dataset, "position"].value) for net in NETS}
    claims.append(
        claim(
            scale,
            f"Unique-S gives the highest {what} (split by position)",
            ", ".join(f"{net}: {dataset}" for net, dataset in best.items()),
            verdict(over([means[n, "unique-s", "position"] - means[n, d, "position"] for n in NETS]) for d in SETS[:3]),
        )
    )
    return claims


def _depth_claims(scale: Scale, means: Means) -> list[Claim]:
    claims = []
    for split in SPLITS:
        steps = [
            over([means[deep, dataset, split] - means[flat, dataset, split] for dataset in SETS])
            for flat, deep in itertools.pairwise(NETS)
        ]
        ours = f"Conv6 - Conv4 {steps[0].signed}, Conv8 - Conv6 {steps[1].signed} points"
        claims.append(claim(scale, f"More layers are more accurate (split by {split})", ours, verdict(steps)))
    return claims


def _seen(shares: Mapping[tuple[str, str], float]) -> list[dict[str, Any]]:
    return [{"split": split, **{dataset: shares[dataset, split] for dataset in SETS}} for split in SPLITS]


def _tested(nets: Found) -> str:
    sizes = {unit.settings["split"]: measures["on original positions"] for unit, measures in nets}
    return ", ".join(f"{size:,} by {split}" for split, size in sizes.items())


def draw_sets(figure: Figure, means: Means, paper: Mapping[str, Sequence[float]], label: str) -> None:
    """Numbers by training set, a line for each net; the paper's have a scale of their own."""
    panels = three_panels(figure, SETS, label)
    for net, colour in zip(NETS, COLOURS, strict=False):
        for panel, split in zip(panels, SPLITS, strict=False):
            draw_line(panel, [means[net, dataset, split] for dataset in SETS], colour, net)
        panels[-1].plot(range(len(SETS)), paper[net], "s--", color=colour, markersize=4)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
