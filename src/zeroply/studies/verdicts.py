"""How claims are judged: yes, no, or "this does not tell" (None), and what a few runs say of a mean.

A claim about a mean holds if its whole interval lies on the claim's side, and fails if all of it lies on the other.
Studies have few runs, so intervals are Student's, and a claim that needs several comparisons takes wider ones
(Bonferroni): otherwise one in twenty would come out by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
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


def t_quantile(degrees: float, confidence: float = CONFIDENCE) -> float:
    """How many standard errors a two-sided interval reaches to either side; the normal distribution's for infinity.

    With t = sqrt(degrees) tan(angle), Student's density is a power of the cosine of the angle.
    """
    if math.isinf(degrees):
        return NormalDist().inv_cdf((1 + confidence) / 2)
    if not degrees > 0:
        return math.inf
    nodes, weights = np.polynomial.legendre.leggauss(200)
    constant = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        inside = angle * constant * float(weights @ np.cos((nodes + 1) * angle / 2) ** (degrees - 1))
        low, high = (angle, high) if inside < confidence else (low, angle)
    return math.sqrt(degrees) * math.tan((low + high) / 2)


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
        low, high = self.interval(comparisons)
        return True if low > limit else False if high < limit or low == high == limit else None

    def below(self, limit: float = 0.0, comparisons: int = 1) -> Verdict:
        """Whether it is below a limit."""
        return Estimate(-self.value, self.error, self.degrees).above(-limit, comparisons)

    def within(self, limit: float, comparisons: int = 1) -> Verdict:
        """Whether it is nearer to 0 than a limit."""
        return all_of((self.below(limit, comparisons), self.above(-limit, comparisons)))

    def __str__(self) -> str:
        return f"{self.value:+.2f}" + ("" if math.isnan(self.error) else f" ± {self.error:.2f}")


def mean_of(values: ArrayLike) -> Estimate:
    """The mean of independent values, such as one of each run."""
    some = np.asarray(values, np.float64)
    n = len(some)
    error = float(some.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return Estimate(float(some.mean()), error, n - 1)


def difference(one: ArrayLike, other: ArrayLike) -> Estimate:
    """The mean of independent values less that of others (Welch's degrees of freedom)."""
    a, b = mean_of(one), mean_of(other)
    error = math.hypot(a.error, b.error)
    parts = sum(mean.error**4 / mean.degrees for mean in (a, b) if mean.degrees)
    return Estimate(a.value - b.value, error, error**4 / parts if parts > 0 else max(a.degrees, b.degrees))
