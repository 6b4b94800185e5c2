"""Two board sizes compared, net by net: Pearson's correlation r, and the proportion p of nets that do better on the
larger board (Schaul and Schmidhuber 2009, section V-B).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zeroply.studies.claims import Claim, near
from zeroply.studies.measured import Measured, average, correlation, pearson, share
from zeroply.studies.report import COLOURS, Drawing, Figure
from zeroply.studies.schaul.runs import Scores
from zeroply.studies.study import Measures

Scenario = tuple[str, str, int, int]
"""Game, opponent or method, smaller and larger board size."""
THEIR_NETS = 200
"""Nets of a scenario in the paper, at least."""
MARGIN, MEAN_MARGIN = 0.25, 0.05
"""Margins of agreement with the paper's r and p: in every scenario, and on average over all scenarios."""


@dataclass(frozen=True)
class Scaling:
    """How nets do on two boards."""

    small: Scores
    """The performance of each net on the smaller board."""
    large: Scores
    """And on the larger one."""
    runs: Sequence[int] = ()
    """How many of the nets come from each run, in their order."""
    ties: float = 0.5
    """What a net counts for p if it does equally well on both; 0 in the authors' scripts."""

    @property
    def r(self) -> Measured:
        """Pearson's correlation of the performance on both."""
        return correlation(pearson(self.small, self.large), len(self.small))

    @property
    def p(self) -> Measured:
        """The share of nets that do better on the larger board."""
        better = float((self.large > self.small).sum() + self.ties * (self.large == self.small).sum())
        return share(better, len(self.small))

    @property
    def each(self) -> list[Scaling]:
        """The nets of each run: champions of one run are relatives, so claims count runs."""
        small, large = (np.split(scores, np.cumsum(self.runs)[:-1]) for scores in (self.small, self.large))
        return [Scaling(*both) for both in zip(small, large, strict=True)]

    @property
    def shares(self) -> list[float]:
        """p of each run."""
        return [run.p.value for run in self.each]

    @property
    def on_large(self) -> list[float]:
        """Mean performance on the larger board of each run."""
        return [float(run.large.mean()) for run in self.each]

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


def scaling(small: ArrayLike, large: ArrayLike, runs: Sequence[int] = ()) -> Scaling:
    """Compare the performance of the same nets on two boards."""
    return Scaling(np.asarray(small, np.float64), np.asarray(large, np.float64), runs)


def pooled(several: Sequence[Measures]) -> Scaling:
    """All nets of several units on both boards; each unit counts as a run."""
    small, large = (np.concatenate([one[which] for one in several]) for which in ("small", "large"))
    return scaling(small, large, [len(one["small"]) for one in several])


def in_words(scenario: Sequence[object]) -> str:
    """A scenario in words."""
    *names, small, large = map(str, scenario)
    return f"{' '.join(names)} {small} vs {large}"


def agreement(place: str, results: Mapping[str, tuple[Scaling, Printed]]) -> list[Claim]:
    """Whether correlations and proportions agree with the printed ones, one by one and on average."""
    claims = []
    for at, (symbol, what) in enumerate((("r", "correlations"), ("p", "proportions p"))):
        # Both samples have an error.
        gaps = {name: (ours.r, ours.p)[at] - theirs.scaling[at] for name, (ours, theirs) in results.items()}
        printed = {name: (theirs.r, theirs.p)[at] for name, (_, theirs) in results.items()}
        text = f"Our {what} agree with the paper's within"
        note, mean_note = (
            f"differences of {symbol}, ours minus the paper's",
            f"mean difference over {len(gaps)} scenarios",
        )
        mean_gap, mean_rule = average(list(gaps.values())), near(0, MEAN_MARGIN)
        claims += [
            Claim(place, f"{text} {MARGIN} in every scenario", gaps, near(0, MARGIN), printed, note=note),
            Claim(place, f"{text} {MEAN_MARGIN} on average", mean_gap, mean_rule, note=mean_note),
        ]
    return claims


def scatter(name: str, caption: str, results: Mapping[Scenario, Scaling], naming: str) -> Drawing:
    """A panel per scenario, a point per net; `naming` is the template of the titles."""

    def draw(figure: Figure) -> None:
        rows = 2 if len(results) > 3 else 1
        figure.set_size_inches(*(10, 7) if rows == 2 else (9, 4.5))
        panels = figure.subplots(rows, (len(results) + rows - 1) // rows, squeeze=False).ravel()
        for panel, ((game, other, small, large), its) in zip(panels, results.items(), strict=True):
            panel.plot([-1, 1], [-1, 1], color="#999999", linewidth=0.8, linestyle=":")
            panel.scatter(its.small, its.large, s=12, color=COLOURS[0], alpha=0.55, linewidths=0)
            panel.set(xlim=(-1.03, 1.03), ylim=(-1.03, 1.03), aspect="equal")
            title = naming.format(game=game, other=other.lower())
            panel.set_title(f"{title}\nr = {its.r.value:.2f}, p = {its.p.value:.2f}", fontsize="medium")
            panel.set(xlabel=f"performance on {small}x{small}", ylabel=f"performance on {large}x{large}")

    return Drawing(name, caption, draw)
