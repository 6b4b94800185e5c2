"""How the performance of the same nets on two board sizes goes together.

After Schaul and Schmidhuber 2009 (section V-B): Pearson's coefficient over the nets, and the proportion p of nets that
score higher on the larger board. Both come with intervals, because a few hundred nets say little to the second digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from zeroply.arena.statistics import Interval, wilson


@dataclass(frozen=True)
class BoardScaling:
    """Two board sizes compared."""

    nets: int
    """How many nets."""
    correlation: float
    """Pearson's coefficient; 0 if all nets do the same on one of the boards."""
    correlation_interval: Interval
    """Its 95 % interval (Fisher's transformation)."""
    higher: float
    """The proportion p of nets that score higher on the larger board; equals count half."""
    higher_interval: Interval
    """Its 95 % interval (Wilson's)."""
    gain: float
    """Mean of the score on the larger board less that on the smaller one."""


def scaling(small: ArrayLike, large: ArrayLike) -> BoardScaling:
    """Compare the scores of the same nets on a small and a large board."""
    x, y = np.asarray(small, np.float64), np.asarray(large, np.float64)
    n = len(x)
    r = pearson(x, y)
    higher = float((y > x).sum() + 0.5 * (y == x).sum())
    return BoardScaling(n, r, fisher_interval(r, n), higher / n, wilson(higher, n), float((y - x).mean()))


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
