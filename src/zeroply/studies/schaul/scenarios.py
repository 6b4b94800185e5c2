"""Two board sizes compared, net by net: shared by S.table1, S.table3, S.fig5, S.fig10 and the studies beyond the paper.

A scenario names nets, a game, an opponent, and a smaller and a larger board. Every net is measured on both; from this
follow Pearson's correlation r and the proportion p of nets that do better on the larger board (Schaul and Schmidhuber
2009, section V-B).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import chance
from zeroply.learning.evolution.scaling import pearson
from zeroply.studies.claims import Claim, near
from zeroply.studies.measured import Measured, average, correlation, share
from zeroply.studies.report import COLOURS
from zeroply.studies.schaul.runs import Scores, board, performance, rounded
from zeroply.studies.study import Progress, Unit, Units, chosen, part_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THEIR_NETS = 200
"""Nets of a scenario in the paper, at the least."""
MARGIN, MEAN_MARGIN = 0.25, 0.05
"""Agreement with the paper's r and p: within this margin in every scenario, and on average over all scenarios."""


@dataclass(frozen=True)
class Scaling:
    """How nets do on two boards."""

    r: Measured
    """Pearson's correlation of the performance on both."""
    p: Measured
    """The share of nets that do better on the larger board; equals count half."""
    small: Scores
    """The performance of each net on the smaller board."""
    large: Scores
    """And on the larger one."""

    @property
    def means(self) -> dict[str, float]:
        """Mean performance on both boards, for a table."""
        return {"on small": round(float(self.small.mean()), 2), "on large": round(float(self.large.mean()), 2)}

    @property
    def row(self) -> dict[str, Any]:
        """Columns of a table."""
        return {"n": len(self.small), "r": self.r, "p": self.p}


@dataclass(frozen=True)
class Printed:
    """The numbers of a scenario in the paper."""

    r: float
    """Pearson's coefficient."""
    p: float
    """The proportion p."""

    @property
    def scaling(self) -> tuple[Measured, Measured]:
        """Both with the intervals that the paper's number of nets gives."""
        return correlation(self.r, THEIR_NETS), share(self.p * THEIR_NETS, THEIR_NETS)

    @property
    def row(self) -> dict[str, float]:
        """Columns of a table."""
        return {"paper r": self.r, "paper p": self.p}


def scaling(small: ArrayLike, large: ArrayLike) -> Scaling:
    """Compare the performance of the same nets on two boards."""
    x, y = np.asarray(small, np.float64), np.asarray(large, np.float64)
    better = float((y > x).sum() + 0.5 * (y == x).sum())
    return Scaling(correlation(pearson(x, y), len(x)), share(better, len(x)), x, y)


def measure_both(unit: Unit, net: str, weights: NDArray[np.float32], progress: Progress, games: int) -> dict[str, Any]:
    """The performance of nets on the smaller and the larger board of a unit's scenario."""
    measures = {}
    for number, which in enumerate(("small", "large")):
        spec, key = board(unit.settings["game"], unit.settings[which]), chance.key(unit.seed, unit.name, which)
        report = part_of(progress, number / 2, (number + 1) / 2)
        scores = performance(spec, net, weights, unit.settings["opponent"], games, key, report).scores
        measures[which] = rounded(scores)
    return measures


def pooled(units: Units, **wanted: Any) -> Scaling | None:
    """All nets of the units with these settings, on both boards; None if there are none."""
    some = chosen(units, **wanted)
    if not some:
        return None
    return scaling(*(np.concatenate([np.asarray(one[which]) for one in some]) for which in ("small", "large")))


def agreement(place: str, results: Mapping[str, tuple[Scaling, Printed]]) -> list[Claim]:
    """Whether correlations and proportions agree with the printed ones, one by one and on average."""
    claims = []
    for at, (symbol, what) in enumerate((("r", "correlations"), ("p", "proportions p"))):
        gaps = {
            name: (ours.r, ours.p)[at] - theirs.scaling[at] for name, (ours, theirs) in results.items()
        }  # both samples have an error
        printed = {name: (theirs.r, theirs.p)[at] for name, (_, theirs) in results.items()}
        text = f"Our {what} agree with the paper's"
        note = f"differences of {symbol}, ours minus the paper's"
        claims += [
            Claim(place, f"{text} within {MARGIN} in every scenario", gaps, near(0, MARGIN), printed, note=note),
            Claim(
                place,
                f"{text} within {MEAN_MARGIN} on average",
                average(list(gaps.values())),
                near(0, MEAN_MARGIN),
                note=f"mean difference over {len(gaps)} scenarios",
            ),
        ]
    return claims


def scatter(panel: Axes, result: Scaling, title: str, small: int, large: int) -> None:
    """Every net as a point: its performance on the smaller and on the larger board."""
    panel.plot([-1, 1], [-1, 1], color="#999999", linewidth=0.8, linestyle=":")
    panel.scatter(result.small, result.large, s=12, color=COLOURS[0], alpha=0.55, linewidths=0)
    panel.set_xlim(-1.03, 1.03)
    panel.set_ylim(-1.03, 1.03)
    panel.set_aspect("equal")
    panel.set_title(f"{title}\nr = {result.r.value:.2f}, p = {result.p.value:.2f}", fontsize="medium")
    panel.set_xlabel(f"performance on {small}x{small}")
    panel.set_ylabel(f"performance on {large}x{large}")


def by_scenario(keys: Sequence[str], scenario: Sequence[Any]) -> dict[str, Any]:
    """The settings of a scenario."""
    return dict(zip(keys, scenario, strict=True))
