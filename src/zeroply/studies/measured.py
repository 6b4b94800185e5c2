"""A number with its uncertainty: the one type for every figure that a study reports.

Runs are few, so intervals of means are Student's. A share has Wilson's interval, a correlation Fisher's. Nets trained
with the same seed belong together, so differences of paired means are taken within each seed; if all seeds were
measured on the same examples or games, the error of that sample adds to the error between seeds, each with its own
quantile (Banerjee 1960). Where many nets have few seeds each, the variance between seeds is pooled over the nets, as in
an analysis of variance. Other differences use Welch's degrees of freedom, or, for shares and correlations, the
intervals of both numbers (Zou and Donner's method of variance estimates recovery).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from zeroply.arena.statistics import Interval, wilson

CONFIDENCE = 0.95
"""Confidence of every interval that is shown; claims with several comparisons use wider ones (Bonferroni)."""
EVERYTHING = Interval(-math.inf, math.inf)
K = TypeVar("K")


@dataclass(frozen=True)
class Measured:
    """A number with its uncertainty."""

    value: float
    """The number."""
    error: float = math.nan
    """Its standard error between runs; NaN if it is unknown."""
    degrees: float = math.inf
    """Degrees of freedom of that error; infinity if it is known exactly."""
    n: float = 1
    """Number of runs, games or nets behind it."""
    sample: float = 0.0
    """Standard error of a sample that all runs share."""
    runs: tuple[float, ...] = ()
    """The number of each run, if differences are taken within runs."""
    pooled: bool = False
    """Whether its error comes from a variance that several means share."""
    kind: Literal["mean", "share", "correlation"] = "mean"
    """Which interval it has."""
    terms: tuple[Measured, Measured] | None = None
    """The two numbers whose difference it is, if its interval follows from theirs."""
    digits: int = 2
    """Digits after the point when it is printed."""

    def interval(self, comparisons: int = 1) -> Interval:
        """The interval as one of several comparisons that are judged together."""
        confidence = 1 - (1 - CONFIDENCE) / comparisons
        if self.terms:
            one, other = self.terms
            (low, high), (other_low, other_high) = (term.interval(comparisons) for term in self.terms)
            return Interval(
                self.value - math.hypot(one.value - low, other_high - other.value),
                self.value + math.hypot(high - one.value, other.value - other_low),
            )
        if self.kind == "share":
            return wilson(self.value * self.n, self.n, confidence)
        if self.kind == "correlation":
            return fisher_interval(self.value, int(self.n), confidence)
        if math.isnan(self.error) or math.isnan(self.value):
            return EVERYTHING
        between = t_quantile(self.degrees, confidence) * self.error if self.error else 0.0
        half = math.hypot(between, t_quantile(math.inf, confidence) * self.sample)
        return Interval(self.value - half, self.value + half)

    def __sub__(self, other: Measured | float) -> Measured:
        if not isinstance(other, Measured):
            return self - exact(other)
        if (self.runs and other.runs) or (self.pooled and other.pooled):
            return combined((self, other), (1, -1))
        value, digits = self.value - other.value, max(self.digits, other.digits)
        if {self.kind, other.kind} != {"mean"} or self.terms or other.terms or self.sample or other.sample:
            return Measured(value, n=min(self.n, other.n), terms=(self, other), digits=digits)
        error = math.hypot(self.error, other.error)
        parts = sum(one.error**4 / one.degrees for one in (self, other) if one.degrees)
        degrees = error**4 / parts if parts > 0 else max(self.degrees, other.degrees)
        return Measured(value, error, degrees, min(self.n, other.n), digits=digits)

    def __neg__(self) -> Measured:
        return exact(0.0) - self

    def __str__(self) -> str:
        low, high = self.interval()
        number = f"{self.value:.{self.digits}f}"
        return number if math.isinf(low) or low == high else f"{number} [{low:.{self.digits}f}, {high:.{self.digits}f}]"

    def rounded(self, digits: int) -> Measured:
        """The same, printed with this many digits after the point."""
        return replace(self, digits=digits)

    def columns(self, name: str) -> dict[str, float | str]:
        """The cells of a CSV file: the value and both ends of its interval, which are empty if it is unknown."""
        low, high = (round(end, self.digits + 2) if math.isfinite(end) else "" for end in self.interval())
        return {name: round(self.value, self.digits + 2), f"{name}_low": low, f"{name}_high": high}


def exact(value: float) -> Measured:
    """A number without uncertainty, such as a printed one."""
    return Measured(value, 0.0)


def mean(values: ArrayLike, digits: int = 2, sample: float = 0.0, paired: bool = False) -> Measured:
    """The mean of independent values, such as one per run; a single one has no known error."""
    some = np.asarray(values, np.float64)
    n = len(some)
    error = float(some.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return Measured(float(some.mean()), error, n - 1, n, sample, tuple(some.tolist()) if paired else (), digits=digits)


def pooled_means(
    groups: Mapping[K, Sequence[float]], digits: int = 2, samples: Mapping[K, float] | None = None
) -> dict[K, Measured]:
    """The mean of each group of runs, with one variance for all groups; `samples` are errors of shared samples."""
    degrees = sum(len(some) - 1 for some in groups.values())
    squares = sum(float(((np.asarray(some) - np.mean(some)) ** 2).sum()) for some in groups.values())
    deviation = math.sqrt(squares / degrees) if degrees else math.nan
    return {
        key: Measured(
            float(np.mean(some)),
            deviation / math.sqrt(len(some)),
            degrees,
            len(some),
            (samples or {}).get(key, 0.0),
            pooled=True,
            digits=digits,
        )
        for key, some in groups.items()
    }


def share(successes: float, trials: float, digits: int = 2) -> Measured:
    """A share of independent trials."""
    return Measured(successes / trials if trials else 0.5, n=trials, kind="share", digits=digits)


def correlation(r: float, n: int, digits: int = 2) -> Measured:
    """A correlation coefficient over n pairs."""
    return Measured(r, n=n, kind="correlation", digits=digits)


def difference(some: ArrayLike, others: ArrayLike) -> Measured:
    """The mean of independent values minus that of others."""
    return mean(some) - mean(others)


def average(several: Sequence[Measured]) -> Measured:
    """The mean of several numbers: within each run if they are paired, otherwise as independent numbers."""
    if all(one.runs for one in several) or all(one.pooled for one in several):
        return combined(several, [1 / len(several)] * len(several))
    halves = [(one.interval().high - one.interval().low) / 2 for one in several]
    error = math.hypot(*halves) / len(several) / t_quantile(math.inf)
    return Measured(float(np.mean([one.value for one in several])), error, n=len(several), digits=several[0].digits)


def combined(several: Sequence[Measured], factors: Sequence[float]) -> Measured:
    """A sum of multiples of paired means, taken within each run, or of different pooled means."""
    digits = max(one.digits for one in several)
    sample = math.hypot(*(factor * one.sample for one, factor in zip(several, factors, strict=True)))
    if all(one.pooled for one in several):
        value = sum(factor * one.value for one, factor in zip(several, factors, strict=True))
        error = math.hypot(*(factor * one.error for one, factor in zip(several, factors, strict=True)))
        degrees, n = (min(getattr(one, name) for one in several) for name in ("degrees", "n"))
        return Measured(value, error, degrees, n, sample, pooled=True, digits=digits)
    if len({len(one.runs) for one in several}) > 1:
        raise ValueError("the means have different numbers of runs")
    rows = [factor * np.array(one.runs) for one, factor in zip(several, factors, strict=True)]
    return mean(np.sum(rows, axis=0), digits, sample, paired=True)


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's correlation coefficient; 0 where one of the two does not vary."""
    a, b = (np.asarray(values, np.float64) for values in (x, y))
    a, b = a - a.mean(), b - b.mean()
    norm = math.sqrt(float(a @ a) * float(b @ b))
    return float(np.clip(a @ b / norm, -1, 1)) if norm > 0 else 0.0


def fisher_interval(r: float, n: int, confidence: float = 0.95) -> Interval:
    """The interval of a correlation coefficient over n pairs; [-1, 1] for less than four."""
    if n < 4 or abs(r) == 1:
        return Interval(-1.0, 1.0) if n < 4 else Interval(r, r)
    half = NormalDist().inv_cdf((1 + confidence) / 2) / math.sqrt(n - 3)
    return Interval(math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def t_quantile(degrees: float, confidence: float = CONFIDENCE) -> float:
    """Standard errors from the middle of a two-sided Student's interval to its ends; infinite for 0 degrees."""
    if math.isinf(degrees):
        return NormalDist().inv_cdf((1 + confidence) / 2)
    from scipy import special

    return float(special.stdtrit(degrees, (1 + confidence) / 2)) if degrees > 0 else math.inf


def split_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table with every measured number split into columns."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        cells |= value.columns(name) if isinstance(value, Measured) else {name: value}
    return cells
