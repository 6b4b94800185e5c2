"""What the studies of Liskowski et al. 2018 share when they report: means over seeds, and texts about the scales.

All nets of a study are trained and measured anew with every seed, so nets are compared within each seed. The error of
the examples or games adds to the error between seeds, because all seeds are measured on the same ones. A single seed
decides nothing about nets.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.claims import Claim, Rule, near
from zeroply.studies.liskowski.nets import LEFT_OUT, SIZES, SOME_GAMES, Plan, Size, encoding_of, plan_of
from zeroply.studies.measured import Measured, mean, share
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
NOT_RUN = "not run"

Means = Mapping[str, Measured]
"""By the paper's names of nets."""


def too_small(scale: Scale) -> str:
    """Why claims about how good nets are, not about which are better, are not decided; empty at the paper's scale."""
    return "" if scale == "paper" else "the nets of this scale are too small to tell"


def label(unit: Unit) -> str:
    """The paper's name of a net."""
    return str(unit.settings["label"])


def gather(units: Units, key: Callable[[Unit], Any], measure: str) -> dict[Any, Measured]:
    """Means over seeds of one measure, a share in percent with `NAME error` beside it, grouped by a key of the unit."""
    values: dict[Any, list[tuple[float, float]]] = {}
    for unit, measures in units:
        if measure in measures:
            values.setdefault(key(unit), []).append((measures[measure], measures[f"{measure} error"]))
    return {
        name: mean([value for value, _ in some], 1, float(np.mean([error for _, error in some])), paired=True)
        for name, some in values.items()
    }


def untrained_number(value: float, sample: float) -> Measured:
    """A number that does not depend on training, with the error of its sample."""
    return Measured(value, 0.0, sample=sample, digits=1)


def same_order(one: Mapping[Any, Measured], other: Mapping[Any, Measured]) -> Measured:
    """Of the pairs that differ clearly in both measures, the share that both order in the same way."""
    clear = [
        (first, second)
        for a, b in itertools.combinations(one, 2)
        for first, second in [tuple(Rule(low=0).holds((its[a] - its[b]).interval()) for its in (one, other))]
        if first is not None and second is not None
    ]
    return share(sum(a == b for a, b in clear), len(clear))


def accuracy_measures(summary: Measures, name: str = "accuracy") -> dict[str, float]:
    """An accuracy among legal moves in percent with its error, from the summary of an evaluation."""
    return {name: 100 * summary["top1"], f"{name} error": 100 * summary["standard_error"]}


def trained_measures(result: Measures) -> dict[str, Any]:
    """The result of a training run: accuracy on its own test and training examples, validity, size, time."""
    return {
        **accuracy_measures(result["test"]),
        **accuracy_measures(result["train"], "train"),
        "gap": 100 * (result["train"]["top1"] - result["test"]["top1"]),
        "as is": 100 * result["test"]["raw"],
        "valid": 100 * result["test"]["valid"],
        "positions": result["test"]["positions"],
        "parameters": result["parameters"],
        "seconds": round(result["seconds"]),
    }


def net_row(unit: Unit, measures: Measures) -> dict[str, Any]:
    """One net in a table of all nets."""
    return {
        "net": unit.settings["label"],
        "encoding": encoding_of(unit.settings["net"]),
        "set": unit.settings["dataset"],
        "split": unit.settings["split"],
        "seed": unit.seed,
        "parameters": measures["parameters"],
        "own test": round(measures["accuracy"], 2),
        "training": round(measures["train"], 2),
        "gap": round(measures["gap"], 2),
        "as is": round(measures["as is"], 2),
        "valid": round(measures["valid"], 3),
        "s": measures["seconds"],
    }


NET_CAPTION = (
    "every net; top-1 accuracy among legal moves in percent on test and training examples of its own set, their gap, "
    "accuracy of the largest output legal or not (as is), how often that is legal (valid), and seconds of training"
)
ERRORS = (
    "An interval covers the error of the examples or games and the error between seeds; nets are compared within each "
    "seed, and one seed decides nothing about nets."
)


def about_scale(scale: Scale, part: bool = False) -> str:
    """What a scale means, for the text of a report."""
    size: Size = SIZES[scale]
    if scale == "smoke":
        return (
            f"**This is the smoke scale**: nets of width {size.width} that saw {size.samples} examples of the games "
            "that come with zeroply. It shows that everything runs; its numbers say nothing about the paper."
        )
    if scale == "paper":
        return f"Full width, the paper's recipe (preset `liskowski`) and the whole of WTHOR. {ERRORS}"
    games = f"the games of one year ({SOME_GAMES})" if part else "the whole of WTHOR"
    return (
        f"Scale `cpu`: the paper's depths at width {size.width:g}, {size.samples:,} examples per net in batches of "
        f"{size.batch} from {games}, recipe `fast` without random symmetries (AdamW, cosine), because in "
        "trials of a few hundred steps the paper's rate of 0.1 with momentum 0.95 left plain nets near chance. Orders "
        f"and differences can be compared with the paper, the numbers themselves cannot. {ERRORS}"
    )


def left_out(scale: Scale, plans: Iterable[Plan]) -> str:
    """Which of some nets a scale leaves out, for the text of a report."""
    names = sorted({plan.label for plan in plans} & LEFT_OUT.get(scale, frozenset()))
    return f"Not run, because they take longest: {', '.join(names)}." if names else ""


def gap_claim(units: Units) -> Claim:
    """The nets hardly overfit (section VII)."""
    nets = [
        (unit, {"gap": m["gap"], "gap error": math.hypot(m["train error"], m["accuracy error"])}) for unit, m in units
    ]
    gaps = {plan.words: gap for plan, gap in gather(nets, plan_of, "gap").items()}
    text = f"Accuracy on the training set is within {MOST_GAP:g} point of that on the test set"
    return Claim("section VII", text, gaps, near(0, MOST_GAP), note="training minus test, in points")


def cell(value: Measured | None) -> Measured | str:
    """A mean in a table, or a note that it is missing."""
    return NOT_RUN if value is None else value


def three_panels(figure: Figure, names: Sequence[str], label: str) -> list[Axes]:
    """Panels for ours by position, ours by game, and the paper's, which has its own scale."""
    panels: list[Axes] = list(figure.subplots(1, 3))
    panels[1].sharey(panels[0])
    for panel, title in zip(panels, ("ours, by position", "ours, by game", "paper, by position"), strict=True):
        panel.set_xticks(range(len(names)), names, rotation=20)
        panel.set_title(title)
        panel.grid(axis="y", color="#dddddd", linewidth=0.6)
        panel.margins(x=0.1)
    panels[0].set_ylabel(label)
    return panels


def errors_of(means: Sequence[Measured]) -> list[float]:
    """Standard errors for a figure."""
    return [math.hypot(one.sample, 0.0 if math.isnan(one.error) else one.error) for one in means]


def draw_line(panel: Axes, means: Sequence[Measured], colour: str, label: str) -> None:
    """Means with their errors, joined by a line."""
    values = [one.value for one in means]
    panel.errorbar(range(len(means)), values, errors_of(means), fmt="o-", color=colour, capsize=3, label=label)
