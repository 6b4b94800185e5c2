"""Two board sizes compared, net by net: what S.table1, S.table3, S.fig5, S.fig10 and the studies beyond have in common.

A scenario says which nets, which game, which opponent, and a smaller and a larger board. Its measures are the
performance of every net on both; from these come Pearson's correlation and the proportion p of nets that do better on
the larger board (Schaul and Schmidhuber 2009, section V-B), beside the paper's, in standard errors of both samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.learning.evolution.scaling import Scaling, correlations_apart, proportions_apart, scaling
from zeroply.studies.schaul.runs import board, performance, rounded
from zeroply.studies.study import COLOURS, Claim, Found, Progress, Unit, part_of
from zeroply.studies.verdicts import CONFIDENCE, t_quantile, together

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THEIR_NETS = 200
"""Nets of a scenario in the paper, at the least."""


@dataclass(frozen=True)
class Published:
    """What the paper prints for a scenario."""

    correlation: float
    """Pearson's coefficient."""
    higher: float
    """The proportion p."""


def measure_both(unit: Unit, net: str, weights: NDArray[np.float32], progress: Progress, games: int) -> dict[str, Any]:
    """The performance of nets on the smaller and the larger board of a unit's scenario."""
    found = {}
    for number, which in enumerate(("small", "large")):
        the_game = board(unit.settings["game"], unit.settings[which])
        key = chance.key(unit.seed, unit.name, which)
        scores = performance(
            the_game,
            net,
            weights,
            unit.settings["opponent"],
            games,
            key,
            part_of(progress, number / 2, (number + 1) / 2),
        )
        found[which] = rounded(scores)
    return found


def pooled(found: Found, **wanted: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The performance of all nets of the units with these settings, on both boards; None if there are none."""
    chosen = [measures for unit, measures in found if wanted.items() <= unit.settings.items()]
    if not chosen:
        return None
    small, large = (np.concatenate([np.asarray(one[which]) for one in chosen]) for which in ("small", "large"))
    return small, large


def compared(measures: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Scaling:
    """Both boards compared."""
    return scaling(*measures)


def row(result: Scaling, published: Published | None) -> dict[str, Any]:
    """Columns of a table: ours with intervals beside the paper's, and the distance in standard errors."""
    low, high = result.correlation_interval
    p_low, p_high = result.higher_interval
    ours = {
        "n": result.nets,
        "r": round(result.correlation, 2),
        "r 95 %": f"{low:.2f} to {high:.2f}",
        "p": round(result.higher, 2),
        "p 95 %": f"{p_low:.2f} to {p_high:.2f}",
        "gain": round(result.gain, 3),
    }
    if published is None:
        return ours
    apart = distances(result, published)
    theirs = {
        "S r": published.correlation,
        "r apart": round(apart[0], 1),
        "S p": published.higher,
        "p apart": round(apart[1], 1),
    }
    return {**ours, **theirs}


def distances(result: Scaling, published: Published) -> tuple[float, float]:
    """How many standard errors our correlation and our p are from the paper's."""
    n = max(result.nets, 5)
    return (
        correlations_apart(result.correlation, n, published.correlation, THEIR_NETS),
        proportions_apart(result.higher, n, published.higher, THEIR_NETS),
    )


def agreement(results: Sequence[tuple[str, Scaling, Published]]) -> list[Claim]:
    """Whether all scenarios agree with the paper's: one claim on correlations, one on proportions."""
    return [
        agree(
            f"Our {what} agree with the paper's", [(name, distances(ours, theirs)[n]) for name, ours, theirs in results]
        )
        for n, what in enumerate(("correlations", "proportions p"))
    ]


def agree(claim: str, apart: Sequence[tuple[str, float]]) -> Claim:
    """Whether distances from the paper's values, as normal scores, are what chance gives, one by one and together.

    Many small distances the same way are no chance, so what they add up to is one more comparison, all of them at 95 %.
    """
    limit = t_quantile(math.inf, 1 - (1 - CONFIDENCE) / (len(apart) + 1))
    beyond = [f"{name} {distance:+.1f}" for name, distance in apart if abs(distance) > limit]
    worst = max(apart, key=lambda one: abs(one[1]))
    joint = together([distance for _, distance in apart])
    return Claim(
        f"{claim}, one by one and together (within {limit:.1f} standard errors of both samples)",
        f"{len(apart) - len(beyond)} of {len(apart)} do; together they are {joint:+.1f} apart; "
        + ("beyond the limit: " + "; ".join(beyond) if beyond else f"the furthest is {worst[0]} {worst[1]:+.1f}"),
        not beyond and abs(joint) <= limit,
    )


def scatter(
    panel: Axes, measures: tuple[NDArray[np.float64], NDArray[np.float64]], title: str, small: int, large: int
) -> None:
    """Every net as a point: its performance on the smaller and on the larger board."""
    result = compared(measures)
    panel.plot([-1, 1], [-1, 1], color="#999999", linewidth=0.8, linestyle=":")
    panel.scatter(*measures, s=12, color=COLOURS[0], alpha=0.55, linewidths=0)
    panel.set_xlim(-1.03, 1.03)
    panel.set_ylim(-1.03, 1.03)
    panel.set_aspect("equal")
    panel.set_title(f"{title}\nr = {result.correlation:.2f}, p = {result.higher:.2f}", fontsize="medium")
    panel.set_xlabel(f"performance on {small}x{small}")
    panel.set_ylabel(f"performance on {large}x{large}")
