"""An evolution strategy on one mean vector: antithetic pairs, centred ranks, Adam.

After Salimans, Ho, Chen, Sidor and Sutskever, "Evolution Strategies as a Scalable Alternative to Reinforcement
Learning" (2017): every pair of candidates is the mean plus and minus the same noise, and the difference of their ranks
weights that noise in an estimate of the gradient, which Adam (Kingma and Ba 2015) follows. Equal candidates share the
mean of their ranks, so that they do not push the mean anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.learning.strategies.strategy import (
    Arrays,
    Fitness,
    Setup,
    Strategy,
    Weights,
    normal_rows,
    shared_by_equals,
    weighted_sum,
)

FIRST, SECOND, TINY = 0.9, 0.999, 1e-8
"""Adam's decay of the first and second moment, and what keeps it from dividing by 0."""
PAIRS = 100
"""Pairs by default."""


@dataclass(frozen=True)
class Rates:
    """How far the mean moves."""

    first: float
    """Adam's rate in the first generation."""
    last: float
    """Adam's rate in the last generation; in between it falls like half a wave of the cosine."""
    decay: float
    """By which share of themselves the weights shrink in a generation."""
    average: float
    """Decay of the running mean of means that is the champion; 0 for the mean itself."""
    generations: int
    """Generations in which the rate falls."""

    def __post_init__(self) -> None:
        for name, value in (("rate", self.first), ("last_rate", self.last)):
            if not 0 < value <= 100:
                raise ZeroplyError(f"{name} of strategy es must be above 0 and at most 100, not {value}")
        for name, value in (("decay", self.decay), ("average", self.average)):
            if not 0 <= value < 1:
                raise ZeroplyError(f"{name} of strategy es must be from 0 to below 1, not {value}")

    def at(self, steps: int) -> float:
        """The rate after a number of steps."""
        done = min(1.0, steps / max(1, self.generations - 1))
        return self.last + (self.first - self.last) * (1 + math.cos(math.pi * done)) / 2


class Es(Strategy):
    """The strategy at some mean."""

    def __init__(self, mean: NDArray[np.float64], pairs: int, sigma: float, rates: Rates) -> None:
        self.mean, self.pairs, self.sigma, self.rates = mean, pairs, sigma, rates
        self.steps = 0
        self._first, self._second, self._average = (np.zeros_like(mean) for _ in range(3))
        self._noise = np.zeros((0, len(mean)))

    def ask(self, key: int) -> Weights:
        """The mean plus noise, for each pair, then the mean minus the same noise."""
        self._noise = normal_rows(key, self.pairs, len(self.mean))
        change = self.sigma * self._noise
        return np.concatenate([self.mean + change, self.mean - change]).astype(np.float32)

    def tell(self, fitness: Fitness, key: int) -> None:
        """One step of Adam along the estimated gradient of the mean rank."""
        ranks = shared_by_equals(np.linspace(0.5, -0.5, len(fitness)), fitness)
        differences = (ranks[: self.pairs] - ranks[self.pairs :]) / (2 * self.pairs * self.sigma)
        gradient = weighted_sum(differences, self._noise)
        rate = self.rates.at(self.steps)
        self.steps += 1
        self._first = FIRST * self._first + (1 - FIRST) * gradient
        self._second = SECOND * self._second + (1 - SECOND) * gradient**2
        first = self._first / (1 - FIRST**self.steps)
        second = self._second / (1 - SECOND**self.steps)
        self.mean = (self.mean + rate * first / (np.sqrt(second) + TINY)) * (1 - self.rates.decay)
        self._average = self.rates.average * self._average + (1 - self.rates.average) * self.mean

    @property
    def centre(self) -> Weights:
        """The mean, or the running mean of the means so far."""
        if self.steps == 0:
            return self.mean.astype(np.float32)
        return (self._average / (1 - self.rates.average**self.steps)).astype(np.float32)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "steps": np.array([self.steps]),
            "mean": self.mean,
            "first": self._first,
            "second": self._second,
            "average": self._average,
        }

    def restore(self, arrays: Arrays) -> None:
        self.steps, self.mean = int(arrays["steps"][0]), arrays["mean"]
        self._first, self._second, self._average = arrays["first"], arrays["second"], arrays["average"]


def es(
    setup: Setup,
    rate: Annotated[float, "how far Adam moves a weight in a generation"] = 0.01,
    last_rate: Annotated[float | None, "the rate at the end, to which it falls; default: it does not fall"] = None,
    average: Annotated[float, "decay of the running mean of means that is the champion; 0: the last mean"] = 0.0,
    decay: Annotated[float, "share by which weights shrink in a generation"] = 0.0,
) -> Es:
    """Antithetic pairs around one mean, ranks and Adam; starts at an untrained net."""
    offspring = 2 * PAIRS if setup.offspring is None else setup.offspring
    if offspring < 2 or offspring % 2:
        raise ZeroplyError(f"strategy es needs an even number of offspring, two for each pair, not {offspring}")
    rates = Rates(rate, rate if last_rate is None else last_rate, decay, average, setup.generations)
    return Es(setup.untrained(1)[0].astype(np.float64), offspring // 2, setup.sigma, rates)
