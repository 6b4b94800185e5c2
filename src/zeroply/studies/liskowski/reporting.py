"""What the L studies share when they report: means over seeds, differences with their error, verdicts on claims.

With every seed all nets of a study are trained and measured anew, so a difference, or any other comparison, is taken
within each seed, and what the seeds say apart is its error (Student's, with one degree of freedom less than seeds). The
error of the examples or games comes on top, because all seeds are measured on the same ones; two nets are taken to be
measured on samples of their own, which is careful. The interval has a part from each error, with its own quantile, and
their root of the sum of squares is its half (Banerjee 1960): with two seeds that happen to agree, degrees of freedom by
Satterthwaite would make it too narrow. One seed leaves everything open.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.liskowski.nets import LEFT_OUT, SIZES, SOME_GAMES, Plan, Size, encoding_of, plan_of
from zeroply.studies.study import Claim, Found, Measures, Scale, Unit
from zeroply.studies.verdicts import CONFIDENCE, Verdict, all_of, t_quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAR = 0.5
"""Points within which two accuracies are called on par."""
ROUGHLY = 0.75
"""Share of pairs that have to agree for two orders to be roughly the same."""
MOST_GAP = 1.0
"""Points by which training and test accuracy may differ for nets that hardly overfit."""
HARDLY = "hardly trained at this scale"
SMALL = "the nets of this scale are too small to tell"
NOT_RUN = "not run"


@dataclass(frozen=True)
class Mean:
    """What each of several seeds gave, or the difference or mean of such numbers, and its error."""

    values: tuple[float, ...]
    """One number of each seed."""
    sample: float = 0.0
    """Standard error that comes from the examples or games it was measured on."""
    trained: bool = True
    """Whether it depends on the chance of training; if not there is one number."""

    def __sub__(self, other: Mean | float) -> Mean:
        taken = other if isinstance(other, Mean) else known(other)
        return _combined((self, taken), (1.0, -1.0))

    def __str__(self) -> str:
        return f"{self.value:.1f} ± {self.error:.1f}"

    @property
    def value(self) -> float:
        """The mean over seeds."""
        return float(np.mean(self.values))

    @property
    def seeds(self) -> float:
        """Standard error that comes from the chance of training; 0 if one seed says nothing of it."""
        return float(np.std(self.values, ddof=1)) / math.sqrt(len(self.values)) if len(self.values) > 1 else 0.0

    @property
    def error(self) -> float:
        """Standard error of both kinds together."""
        return math.hypot(self.sample, self.seeds)

    @property
    def signed(self) -> str:
        """As a difference."""
        return f"{self.value:+.1f} ± {self.error:.1f}"

    def margin(self, comparisons: int = 1) -> float:
        """How far its interval reaches to either side, if it is one of several that are judged together."""
        free = len(self.values) - 1
        if self.trained and not free:
            return math.inf
        confidence = 1 - (1 - CONFIDENCE) / comparisons
        by_seeds = t_quantile(free, confidence) * self.seeds if self.trained else 0.0
        return math.hypot(t_quantile(math.inf, confidence) * self.sample, by_seeds)

    @property
    def positive(self) -> Verdict:
        """Whether it is above 0; None if that is not clear."""
        return self.value > 0 if abs(self.value) > self.margin() else None

    def within(self, limit: float, comparisons: int = 1) -> Verdict:
        """Whether it is no further from 0 than a limit; None if that is not clear."""
        away, margin = abs(self.value), self.margin(comparisons)
        return True if away + margin <= limit else False if away - margin > limit else None


def known(value: float, sample: float = 0.0) -> Mean:
    """A number that no training led to, with the error of its sample."""
    return Mean((value,), sample, trained=False)


def over(means: Sequence[Mean]) -> Mean:
    """The mean of several means, taken within each seed."""
    return _combined(means, [1 / len(means)] * len(means))


def _combined(means: Sequence[Mean], factors: Sequence[float]) -> Mean:
    """A sum of multiples, within each seed."""
    seeds = {len(one.values) for one in means if one.trained}
    if len(seeds) > 1:
        raise ValueError("numbers of seeds differ")
    rows = np.broadcast_arrays(*(factor * np.array(one.values) for one, factor in zip(means, factors, strict=True)))
    sample = math.hypot(*(factor * one.sample for one, factor in zip(means, factors, strict=True)))
    return Mean(tuple(np.sum(rows, axis=0).tolist()), sample, bool(seeds))


Means = Mapping[str, Mean]
"""By the paper's names of nets."""


def label(unit: Unit) -> str:
    """The paper's name of a net."""
    return str(unit.settings["label"])


def gather(found: Found, key: Callable[[Unit], Any], measure: str) -> dict[Any, Mean]:
    """Means over seeds of one measure, which is a share with `NAME error` beside it, by what `key` says of a unit."""
    values: dict[Any, list[tuple[float, float]]] = {}
    for unit, measures in found:
        if measure in measures:
            values.setdefault(key(unit), []).append((measures[measure], measures[f"{measure} error"]))
    return {
        name: Mean(tuple(v for v, _ in some), float(np.mean([e for _, e in some]))) for name, some in values.items()
    }


def verdict(differences: Iterable[Mean]) -> Verdict:
    """Whether all differences are above 0: False if one is clearly below, None if it is not clear."""
    some = list(differences)
    if any(one.value < -one.margin(len(some)) for one in some):
        return False
    return True if all_of(one.positive for one in some) else None


def not_above(difference: Mean, comparisons: int = 1) -> Verdict:
    """Whether one is no better than another: False if it clearly is, True if it clearly is not by half a point."""
    if difference.value > difference.margin(comparisons):
        return False
    return True if difference.value + difference.margin(comparisons) <= PAR else None


def on_par(difference: Mean) -> Verdict:
    """Whether two are about equal: within half a point, or apart by more than that; None if that is not clear."""
    return difference.within(PAR)


def same_order(one: Mapping[Any, Mean], other: Mapping[Any, Mean]) -> tuple[Verdict, str]:
    """Whether two measures order the same things alike, roughly, and in words: of the pairs that differ clearly in
    both, three quarters have to agree; None if those are fewer than half of all pairs."""
    pairs = list(itertools.combinations(one, 2))
    both = [((one[a] - one[b]).positive, (other[a] - other[b]).positive) for a, b in pairs]
    clear = [pair for pair in both if None not in pair]
    agree = sum(a == b for a, b in clear)
    told = f"{agree} of {len(clear)} pairs that differ clearly in both are in the same order, of {len(pairs)} pairs"
    return (None if 2 * len(clear) < len(pairs) or not clear else agree >= ROUGHLY * len(clear)), told


def claim(scale: Scale, text: str, ours: str, holds: Verdict) -> Claim:
    """A claim about trained nets; the smoke scale cannot tell."""
    return Claim(text, f"{ours} ({HARDLY})", None) if scale == "smoke" else Claim(text, ours, holds)


def level_claim(scale: Scale, text: str, ours: str, holds: Verdict) -> Claim:
    """A claim about how good nets are, not which are better: small nets cannot tell."""
    return claim(scale, text, ours, holds) if scale == "paper" else claim(scale, text, f"{ours} ({SMALL})", None)


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


ERRORS = (
    "A standard error (±) is that of the examples or games together with that between seeds; what is compared is "
    "compared within each seed. Claims are judged by 95 % intervals (Student's over seeds), and one seed decides "
    "nothing about nets."
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
        f"Scale `cpu`: the paper's depths at width {size.width:g}, {size.samples:,} examples a net in batches of "
        f"{size.batch} from {games}, recipe `fast` without random symmetries (AdamW, cosine), because in "
        "trials of a few hundred steps the paper's rate of 0.1 with momentum 0.95 left plain nets near chance. So "
        f"orders and differences can be compared with the paper, the numbers themselves cannot. {ERRORS}"
    )


def left_out(scale: Scale, plans: Iterable[Plan]) -> str:
    """Which of some nets a scale leaves out, for the text of a report."""
    names = sorted({plan.label for plan in plans} & LEFT_OUT.get(scale, frozenset()))
    return f"Not run, because they take longest: {', '.join(names)}." if names else ""


def gap_claim(found: Found) -> Claim:
    """The nets hardly overfit (section VII)."""
    nets = [
        (unit, {"gap": m["gap"], "gap error": math.hypot(m["train error"], m["accuracy error"])}) for unit, m in found
    ]
    gaps = list(gather(nets, plan_of, "gap").values())
    values = [gap.value for gap in gaps]
    return claim(
        scale_of(found),
        "Accuracy on the training set is within 1 point of that on the test set (section VII)",
        f"gap {min(values):+.1f} to {max(values):+.1f} points, mean {np.mean(values):+.1f}",
        all_of(gap.within(MOST_GAP, len(gaps)) for gap in gaps),
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
