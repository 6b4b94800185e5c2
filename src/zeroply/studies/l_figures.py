"""What the L studies share when they report: means over seeds, differences with their error, verdicts on claims.

A claim about an order holds if the difference is more than two standard errors, does not hold if it is that much the
other way, and is left open in between. The error of a mean is that between its seeds or that of the sample it was
measured on, whichever is larger, and two nets are taken to be measured on samples of their own, which is careful.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.l_nets import LEFT_OUT, SIZES, SOME_GAMES, Size, encoding_of
from zeroply.studies.study import Claim, Found, Measures, Scale, Unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ERRORS = 2.0
"""Standard errors from which on a difference counts."""
PAR = 0.5
"""Points within which two accuracies are called on par."""
HARDLY = "hardly trained at this scale"
NOT_RUN = "not run"


@dataclass(frozen=True)
class Mean:
    """A mean in percent, with its standard error."""

    value: float
    """The mean."""
    error: float
    """Its standard error."""
    n: int = 1
    """Seeds it was taken over."""

    def __sub__(self, other: Mean) -> Mean:
        return Mean(self.value - other.value, math.hypot(self.error, other.error), min(self.n, other.n))

    def __str__(self) -> str:
        return f"{self.value:.1f} ± {self.error:.1f}"

    @property
    def signed(self) -> str:
        """As a difference."""
        return f"{self.value:+.1f} ± {self.error:.1f}"

    @property
    def positive(self) -> bool | None:
        """Whether it is above 0; None if that is not clear."""
        return None if abs(self.value) <= ERRORS * self.error else self.value > 0


def mean(values: Sequence[float], errors: Sequence[float]) -> Mean:
    """The mean over seeds of numbers in percent, each with the error of its own sample."""
    spread = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Mean(float(np.mean(values)), max(spread, float(np.mean(errors))), len(values))


def over(means: Sequence[Mean]) -> Mean:
    """The mean of several means."""
    error = math.sqrt(sum(one.error**2 for one in means)) / len(means)
    return Mean(float(np.mean([one.value for one in means])), error, min(one.n for one in means))


def gather(found: Found, key: Callable[[Unit], Any], measure: str) -> dict[Any, Mean]:
    """Means over seeds of one measure, which is a share with `NAME error` beside it, by what `key` says of a unit."""
    values: dict[Any, list[tuple[float, float]]] = {}
    for unit, measures in found:
        if measure in measures:
            values.setdefault(key(unit), []).append((measures[measure], measures[f"{measure} error"]))
    return {name: mean([v for v, _ in some], [e for _, e in some]) for name, some in values.items()}


def verdict(differences: Iterable[Mean]) -> bool | None:
    """Whether all differences are above 0: False if one is clearly below, None if it is not clear."""
    found = [one.positive for one in differences]
    return False if False in found else None if None in found or not found else True


def not_above(difference: Mean) -> bool:
    """Whether a difference is not clearly above 0."""
    return difference.positive is not True


def on_par(difference: Mean) -> bool | None:
    """Whether two are about equal: within half a point, or apart by more than that; None if that is not clear."""
    if abs(difference.value) <= PAR:
        return True
    return False if abs(difference.value) - ERRORS * difference.error > PAR else None


def claim(scale: Scale, text: str, ours: str, holds: bool | None) -> Claim:
    """A claim about trained nets; the smoke scale cannot tell."""
    return Claim(text, f"{ours} ({HARDLY})", None) if scale == "smoke" else Claim(text, ours, holds)


def scale_of(found: Found) -> Scale:
    """The scale of the units."""
    scale: Scale = found[0][0].settings["scale"]
    return scale


def accuracy_measures(summary: Measures, name: str = "accuracy") -> dict[str, float]:
    """An accuracy among legal moves in percent with its error, from the summary of an evaluation."""
    return {name: 100 * summary["top1"], f"{name} error": 100 * summary["standard_error"]}


def trained_measures(result: Measures) -> dict[str, Any]:
    """What a training run says of its net: accuracy on its own test and training examples, validity, size, time."""
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


def about_scale(scale: Scale, part: bool = False) -> str:
    """What a scale means, for the text of a report."""
    size: Size = SIZES[scale]
    if scale == "smoke":
        return (
            f"**This is the smoke scale**: nets of width {size.width} that saw {size.samples} examples of the games "
            "that come with zeroply. It shows that everything runs; its numbers say nothing about the paper."
        )
    if scale == "paper":
        return "Full width, the paper's recipe (preset `liskowski`) and the whole of WTHOR."
    games = f"the games of one year ({SOME_GAMES})" if part else "the whole of WTHOR"
    return (
        f"Scale `cpu`: the paper's depths at width {size.width:g}, {size.samples:,} examples a net in batches of "
        f"{size.batch} from {games}, recipe `fast` without random symmetries (AdamW, cosine), because in "
        "trials of a few hundred steps the paper's rate of 0.1 with momentum 0.95 left plain nets near chance. So "
        "orders and differences can be compared with the paper, the numbers themselves cannot."
    )


def left_out(scale: Scale) -> str:
    """Which nets a scale leaves out, for the text of a report."""
    names = sorted(LEFT_OUT.get(scale, ()))
    return f"{', '.join(names)} was not run: it takes longer than all other nets of Table VI together." if names else ""


def gap_claim(found: Found) -> Claim:
    """The nets hardly overfit (section VII)."""
    gaps = [measures["gap"] for _, measures in found if "gap" in measures]
    return claim(
        scale_of(found),
        "Accuracy on the training set is within 1 point of that on the test set (section VII)",
        f"gap {min(gaps):+.1f} to {max(gaps):+.1f} points, mean {np.mean(gaps):+.1f}",
        max(gaps) <= 1,
    )


def cell(value: Mean | None) -> str:
    """A mean in a table; says so where there is none."""
    return NOT_RUN if value is None else str(value)


def three_panels(figure: Figure, names: Sequence[str], label: str) -> list[Axes]:
    """Panels for ours by position, ours by game, and the paper's, whose scale is its own."""
    panels: list[Axes] = list(figure.subplots(1, 3))
    panels[1].sharey(panels[0])
    for panel, title in zip(panels, ("ours, by position", "ours, by game", "paper, by position"), strict=True):
        panel.set_xticks(range(len(names)), names, rotation=20)
        panel.set_title(title)
        panel.grid(axis="y", color="#dddddd", linewidth=0.6)
        panel.margins(x=0.1)
    panels[0].set_ylabel(label)
    return panels


def draw_line(panel: Axes, means: Sequence[Mean], colour: str, label: str) -> None:
    """Means with their errors, joined by a line."""
    values, errors = [one.value for one in means], [one.error for one in means]
    panel.errorbar(range(len(means)), values, errors, fmt="o-", color=colour, capsize=3, label=label)
