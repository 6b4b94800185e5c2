"""What the reports of the L studies share: means over seeds, tables, claims, figures and texts about the scales.

Accuracy is the paper's: how often the largest of the 60 outputs, legal or not, is the expert's move. All seeds are
measured on the same examples or games, so the error of that sample adds to the error between seeds, whose variance is
pooled over the nets of a study. A single seed decides nothing about nets.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.claims import Claim, Rule, above, near
from zeroply.studies.liskowski.nets import LEFT_OUT, NETS, SIZES, SOME_GAMES, SPLITS, Plan, encoding_of, plan_of
from zeroply.studies.measured import Measured, average, pooled_means, share
from zeroply.studies.report import COLOURS, Drawing, ResultTable
from zeroply.studies.study import Measures, Scale, Unit, Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAR = 0.5
"""Points within which two accuracies are on par; less than this is not better."""
ROUGHLY = 0.5
"""Two orders are roughly the same if more than this share of the clear pairs agree."""
MOST_GAP = 1.0
"""Points by which training and test accuracy may differ for nets that hardly overfit."""
TRAINED = 45.0
"""Accuracy in percent below which a net counts as untrained."""
UNTRAINED = "untrained"
NOT_RUN = "not run"

Means = Mapping[str, Measured]
"""By the paper's names of nets."""
Cells = Mapping[tuple[str, str, str], Measured]
"""By net, column of the table and split."""

# Measures


def accuracy_measures(summary: Measures, name: str = "accuracy") -> dict[str, float]:
    """An accuracy in percent with its error, from the summary of an evaluation: of the largest output, or of the best
    legal move for players that rate only those."""
    hits = summary["top1"] if summary["raw"] is None else summary["raw"]
    return {name: 100 * hits, f"{name} error": 100 * math.sqrt(hits * (1 - hits) / summary["positions"])}


def trained_measures(result: Measures) -> dict[str, Any]:
    """The result of a training run: test and training accuracy, legal moves, size and time."""
    test, train = accuracy_measures(result["test"]), accuracy_measures(result["train"], "train")
    return {
        **test,
        **train,
        "gap": train["train"] - test["accuracy"],
        "legal": 100 * result["test"]["top1"],
        "chance": 100 * result["test"]["chance"],
        "curve": result["curve"],
        "valid": 100 * result["test"]["valid"],
        "positions": result["test"]["positions"],
        "parameters": result["parameters"],
        "seconds": round(result["seconds"]),
    }


def label(unit: Unit) -> str:
    """The paper's name of a net."""
    return str(unit.settings["label"])


def by(*names: str) -> Callable[[Unit], Any]:
    """A key for `gather`: several settings of a unit."""
    return lambda unit: tuple(_setting(unit, name) for name in names)


def _setting(unit: Unit, name: str) -> Any:
    return encoding_of(unit.settings["net"]) if name == "encoding" else unit.settings[name]


def gather(units: Units, key: Callable[[Unit], Any], measure: str, digits: int = 1) -> dict[Any, Measured]:
    """Means over seeds of a measure that has its error beside it (`NAME error`), grouped by a key of the unit."""
    values: dict[Any, list[float]] = {}
    errors: dict[Any, list[float]] = {}
    for unit, measures in units:
        if measure in measures:
            values.setdefault(key(unit), []).append(measures[measure])
            errors.setdefault(key(unit), []).append(measures[f"{measure} error"])
    return pooled_means(values, digits, {name: float(np.mean(some)) for name, some in errors.items()})


def untrained_number(value: float, sample: float) -> Measured:
    """A number that does not depend on training, with the error of its sample."""
    return Measured(value, 0.0, sample=sample, digits=1)


# Tables


def comparison(
    paper: Mapping[str, Sequence[Any]],
    columns: Sequence[str],
    means: Cells,
    splits: Sequence[str] = SPLITS,
    theirs: str = "paper",
) -> list[dict[str, Any]]:
    """Rows per net: ours for every split, then the paper's."""
    where = {split: f", by {split}" if len(splits) > 1 else "" for split in splits}
    rows: list[dict[str, Any]] = []
    for net, printed in paper.items():
        for split in splits:
            ours = {column: means.get((net, column, split), NOT_RUN) for column in columns}
            rows.append({"net": net, "what": f"ours{where[split]}", **ours})
        rows.append({"net": net, "what": theirs + where[splits[0]], **dict(zip(columns, printed, strict=True))})
    return rows


def unit_columns(unit: Unit, *columns: str) -> dict[str, Any]:
    """The net of a unit and its seed in a row of a table."""
    names = {"net": "label", "set": "dataset"}
    return {column: _setting(unit, names.get(column, column)) for column in columns} | {"seed": unit.seed}


def nets_table(units: Units) -> ResultTable:
    """Every net of a study."""
    rows = [
        {
            **unit_columns(unit, "net", "encoding", "set", "split"),
            "parameters": measures["parameters"],
            "own test": round(measures["accuracy"], 2),
            "training": round(measures["train"], 2),
            "gap": round(measures["gap"], 2),
            "legal": round(measures["legal"], 2),
            "chance": round(measures["chance"], 1),
            "valid": round(measures["valid"], 3),
            "state": UNTRAINED if measures["accuracy"] < TRAINED else "trained",
            "s": measures["seconds"],
        }
        for unit, measures in units
    ]
    return ResultTable(
        "nets",
        "every net; accuracy of its largest output in percent on test and training examples of its own set, their gap, "
        "accuracy of its best legal move (legal) and of random legal moves (chance), how often the largest output is "
        f"legal (valid), whether it is trained (at least {TRAINED:g} %), and seconds of training",
        rows,
    )


# Claims


def too_small(scale: Scale) -> str:
    """Why claims about the strength of nets are not decided; empty at the paper's scale."""
    return "" if scale == "paper" else "the nets of this scale are too small to tell"


def untrained(units: Units) -> str:
    """Why claims are not decided if some nets are untrained, with their names; empty if none is."""
    names = dict.fromkeys(
        plan_of(unit).words
        for unit, measures in units
        if measures.get("accuracy", TRAINED) < TRAINED and "net" in unit.settings
    )
    return f"{UNTRAINED} nets: {', '.join(names)}" if names else ""


def gap_claim(units: Units) -> Claim:
    """The nets hardly overfit (section VII)."""
    nets = [
        (unit, {"gap": m["gap"], "gap error": math.hypot(m["train error"], m["accuracy error"])}) for unit, m in units
    ]
    gaps = {plan.words: gap for plan, gap in gather(nets, plan_of, "gap").items()}
    text = f"Accuracy on the training set is within {MOST_GAP:g} point of that on the test set"
    return Claim("section VII", text, gaps, near(0, MOST_GAP), note="training minus test, in points")


def layer_gains(means: Cells, columns: Sequence[str], split: str) -> Means:
    """What more layers add, on average over the columns of a table."""
    return {
        f"{deep} minus {flat}": average([means[deep, one, split] - means[flat, one, split] for one in columns])
        for flat, deep in itertools.pairwise(NETS)
    }


def same_order(one: Mapping[Any, Measured], other: Mapping[Any, Measured]) -> Measured:
    """Of the pairs that differ clearly in both measures, the share that both order in the same way."""
    clear = [
        (first, second)
        for a, b in itertools.combinations(one, 2)
        for first, second in [tuple(Rule(low=0).holds((its[a] - its[b]).interval()) for its in (one, other))]
        if first is not None and second is not None
    ]
    return share(sum(a == b for a, b in clear), len(clear))


def order_claim(place: str, text: str, one: Mapping[Any, Measured], other: Mapping[Any, Measured]) -> Claim:
    """Two measures order nets or sets in roughly the same way."""
    note = "share of the pairs that differ clearly in both and are in the same order"
    return Claim(place, text, same_order(one, other), above(ROUGHLY), note=note)


# Figures


def errors_of(means: Sequence[Measured]) -> list[float]:
    """Standard errors for a figure."""
    return [math.hypot(one.sample, 0.0 if math.isnan(one.error) else one.error) for one in means]


def draw_means(panel: Axes, x: Sequence[Any], means: Sequence[Measured], colour: str, label: str) -> None:
    """Means with their standard errors, joined by a line."""
    values = [one.value for one in means]
    panel.errorbar(x, values, errors_of(means), fmt="o-", color=colour, capsize=3, label=label)


def draw_splits(
    figure: Figure, means: Cells, paper: Mapping[str, Sequence[float]], ticks: Sequence[str], label: str
) -> None:
    """Panels for ours by position, ours by game and the paper's, which has its own scale; `paper` names the lines."""
    panels: list[Axes] = list(figure.subplots(1, 3))
    panels[1].sharey(panels[0])
    for panel, title in zip(panels, ("ours, by position", "ours, by game", "paper, by position"), strict=True):
        panel.set_xticks(range(len(ticks)), ticks, rotation=20)
        panel.set_title(title)
        panel.grid(axis="y", color="#dddddd", linewidth=0.6)
        panel.margins(x=0.1)
    panels[0].set_ylabel(label)
    for (line, printed), colour in zip(paper.items(), COLOURS, strict=False):
        for panel, split in zip(panels, SPLITS, strict=False):
            some = [means[line, tick, split] for tick in ticks if (line, tick, split) in means]
            draw_means(panel, range(len(some)), some, colour, line)
        panels[-1].plot(range(len(printed)), printed, "s--", color=colour, markersize=4)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)


def curves(units: Units) -> Drawing:
    """Test accuracy during the training of each net with the first seed."""

    def draw(figure: Figure) -> None:
        some = [(unit, measures["curve"]) for unit, measures in units if unit.seed == 1 and measures.get("curve")]
        splits = dict.fromkeys(unit.settings["split"] for unit, _ in some)
        for panel, split in zip(
            figure.subplots(1, max(1, len(splits)), sharey=True, squeeze=False)[0], splits, strict=False
        ):
            mine = [(unit, curve) for unit, curve in some if unit.settings["split"] == split]
            for number, (unit, curve) in enumerate(mine):
                x, y = zip(*curve, strict=True)
                style = ("-", "--", ":", "-.")[number // len(COLOURS) % 4]
                name = plan_of(unit).words.removesuffix(f" by {split}")
                panel.plot(x, y, style, color=COLOURS[number % len(COLOURS)], linewidth=1, label=name)
            panel.set_title(f"by {split}")
            panel.set_xlabel("examples seen")
            panel.grid(color="#dddddd", linewidth=0.6)
            panel.legend(fontsize="xx-small")

    return Drawing("curves", "accuracy on test examples in percent during training, first seed", draw)


# Texts

ERRORS = (
    "An interval covers the error of the examples or games and the error between seeds, whose variance is pooled over "
    "the nets; one seed decides nothing about nets."
)


def about_scale(scale: Scale, part: bool = False) -> str:
    """What a scale means, for the text of a report."""
    size = SIZES[scale]
    if scale == "smoke":
        return (
            f"**This is the smoke scale**: nets of width {size.width} that saw {size.samples} examples of the games "
            "that come with zeroply. It shows that everything runs; its numbers say nothing about the paper."
        )
    if scale == "paper":
        return (
            "Full width, the paper's recipe (preset `liskowski`) and the whole of WTHOR, in fp32 with TF32 products on "
            f"GPUs that have them. {ERRORS}"
        )
    games = f"the games of one year ({SOME_GAMES})" if part else "the whole of WTHOR"
    return (
        f"Scale `cpu`: the paper's depths at width {size.width:g}, {size.samples:,} examples per net in batches of "
        f"{size.batch} from {games}, the paper's rate and momentum with a warm-up, clipped gradients and a "
        "cosine schedule, without which plain nets learn later or not at all (L.recipe). Orders and differences can be "
        f"compared with the paper, the numbers themselves cannot. {ERRORS}"
    )


def left_out(scale: Scale, plans: Iterable[Plan]) -> str:
    """Which of some nets a scale leaves out, for the text of a report."""
    names = sorted({plan.label for plan in plans} & LEFT_OUT.get(scale, frozenset()))
    return f"Not run, because they take longest: {', '.join(names)}." if names else ""
