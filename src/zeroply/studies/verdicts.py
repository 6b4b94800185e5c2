"""How claims are judged: yes, no, or "this does not tell" (None), and what a few runs say of a mean.

A claim about a mean holds if its whole interval lies on the claim's side, and fails if all of it lies on the other.
Studies have few runs, so intervals are Student's, and a claim that needs several comparisons takes wider ones
(Bonferroni): otherwise one in twenty would come out by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from zeroply.arena.statistics import Interval

CONFIDENCE = 0.95
"""Of all intervals."""

Verdict = bool | None
"""Whether something is so; None if this does not tell."""


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """False if one is, None if one does not tell or there is none, else True."""
    known = set(verdicts)
    return False if False in known else None if None in known or not known else True


def any_of(verdicts: Iterable[Verdict]) -> Verdict:
    """True if one is, None if one does not tell or there is none, else False."""
    return opposite(all_of(opposite(verdict) for verdict in verdicts))


def opposite(verdict: Verdict) -> Verdict:
    """Whether it is not so."""
    return None if verdict is None else not verdict


def above(interval: Interval, limit: float) -> Verdict:
    """Whether a number with this interval is above a limit."""
    low, high = interval
    return True if low > limit else False if high < limit or low == high == limit else None


def ahead(some: Sequence[float], others: Sequence[float], comparisons: int = 1) -> Verdict:
    """Whether one sample ranks higher than another, or lower: the exact rank-sum test, either way at 5 %.

    It takes three values of each to tell. Where it is one of several comparisons that all have to hold, any one that
    fails decides, so each must fail the more clearly.
    """
    low, high = (rank_sum_chance(one, other) for one, other in ((others, some), (some, others)))
    return True if high <= 1 - CONFIDENCE else False if low <= (1 - CONFIDENCE) / comparisons else None


def rank_sum_chance(some: Sequence[float], others: Sequence[float]) -> float:
    """The chance that, if all values were dealt at random, the first sample would rank as high as it does or higher."""
    values = np.array([*some, *others], np.float64)
    ranks = [int((values < one).sum() + (values <= one).sum()) for one in values]  # twice, so whole for ties too
    ways = np.zeros((len(some) + 1, sum(ranks) + 1))  # [n, s]: to choose n values whose ranks have the sum s
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    return float(ways[-1, sum(ranks[: len(some)]) :].sum() / ways[-1].sum())


def t_inside(t: float, degrees: float) -> float:
    """The chance that Student's t is nearer to 0 than this; the normal distribution's for infinitely many degrees."""
    from scipy import special

    if math.isinf(degrees):
        return 1 - 2 * NormalDist().cdf(-abs(t))
    return float(2 * special.stdtr(degrees, abs(t)) - 1)


def t_quantile(degrees: float, confidence: float = CONFIDENCE) -> float:
    """How many standard errors a two-sided interval reaches to either side; infinitely many without a second value."""
    from scipy import special

    if math.isinf(degrees):
        return NormalDist().inv_cdf((1 + confidence) / 2)
    return float(special.stdtrit(degrees, (1 + confidence) / 2)) if degrees > 0 else math.inf


def together(scores: Sequence[float]) -> float:
    """Several independent standard normal numbers as one (Stouffer)."""
    return sum(scores) / math.sqrt(len(scores))


def chi_square_quantile(degrees: float, share: float = CONFIDENCE) -> float:
    """What a sum of so many squared standard normal numbers stays below with this chance."""
    from scipy import special

    return float(special.chdtri(degrees, 1 - share))


@dataclass(frozen=True)
class Estimate:
    """A number found from a few runs, or the difference of two."""

    value: float
    """The number."""
    error: float
    """Its standard error; NaN if nothing is known of it."""
    degrees: float = math.inf
    """Degrees of freedom of the error; infinity if it is known exactly."""

    def interval(self, comparisons: int = 1) -> Interval:
        """The interval of one of several comparisons that are judged together; everything if there is no error."""
        if math.isnan(self.error):
            return Interval(-math.inf, math.inf)
        half = t_quantile(self.degrees, 1 - (1 - CONFIDENCE) / comparisons) * self.error if self.error else 0.0
        return Interval(self.value - half, self.value + half)

    def above(self, limit: float = 0.0, comparisons: int = 1) -> Verdict:
        """Whether it is above a limit."""
        return above(self.interval(comparisons), limit)

    def below(self, limit: float = 0.0, comparisons: int = 1) -> Verdict:
        """Whether it is below a limit."""
        return Estimate(-self.value, self.error, self.degrees).above(-limit, comparisons)

    def within(self, limit: float, comparisons: int = 1) -> Verdict:
        """Whether it is nearer to 0 than a limit."""
        return all_of((self.below(limit, comparisons), self.above(-limit, comparisons)))

    def __sub__(self, other: Estimate) -> Estimate:
        """The difference of two independent ones (Welch's degrees of freedom)."""
        error = math.hypot(self.error, other.error)
        parts = sum(one.error**4 / one.degrees for one in (self, other) if one.degrees)
        degrees = error**4 / parts if parts > 0 else max(self.degrees, other.degrees)
        return Estimate(self.value - other.value, error, degrees)

    @property
    def normal_score(self) -> float:
        """How far it is from 0: as unlikely as a standard normal number of this size; NaN if there is no error."""
        if not self.error > 0:
            return math.nan
        outside = max(1e-15, 1 - t_inside(self.value / self.error, self.degrees))
        return math.copysign(-NormalDist().inv_cdf(outside / 2), self.value)

    def __str__(self) -> str:
        return f"{self.value:+.2f}" + ("" if math.isnan(self.error) else f" ± {self.error:.2f}")


def mean_of(values: ArrayLike) -> Estimate:
    """The mean of independent values, such as one of each run."""
    some = np.asarray(values, np.float64)
    n = len(some)
    error = float(some.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return Estimate(float(some.mean()), error, n - 1)


def difference(one: ArrayLike, other: ArrayLike) -> Estimate:
    """The mean of independent values less that of others."""
    return mean_of(one) - mean_of(other)
