"""Separable natural evolution strategy (SNES): every weight has its own standard deviation, which adapts.

After Schaul, Glasmachers and Schmidhuber, "High Dimensions and Heavy Tails for Natural Evolution Strategies" (GECCO
2011), algorithm 2: candidates are drawn from a normal distribution without correlations, and its mean and deviations
follow the natural gradient of the expected utility, a function of the rank. Equal candidates share the mean of their
utilities.
"""

from __future__ import annotations

import math
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


class Snes(Strategy):
    """The strategy at some mean and deviations."""

    def __init__(self, mean: NDArray[np.float64], offspring: int, sigma: float, rate: float, sigma_rate: float) -> None:
        self.mean, self.offspring, self.rate, self.sigma_rate = mean, offspring, rate, sigma_rate
        self.sigma = np.full_like(mean, sigma)
        self._noise = np.zeros((0, len(mean)))

    def ask(self, key: int) -> Weights:
        """Candidates drawn from the distribution."""
        self._noise = normal_rows(key, self.offspring, len(self.mean))
        return (self.mean + self.sigma * self._noise).astype(np.float32)

    def tell(self, fitness: Fitness, key: int) -> None:
        """One step along the natural gradient."""
        weights = shared_by_equals(utilities(len(fitness)), fitness)
        self.mean = self.mean + self.rate * self.sigma * weighted_sum(weights, self._noise)
        self.sigma = self.sigma * np.exp(self.sigma_rate / 2 * weighted_sum(weights, self._noise**2 - 1))

    @property
    def centre(self) -> Weights:
        """The mean."""
        return self.mean.astype(np.float32)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"mean": self.mean, "sigma": self.sigma}

    def restore(self, arrays: Arrays) -> None:
        self.mean, self.sigma = arrays["mean"], arrays["sigma"]


def utilities(members: int) -> NDArray[np.float64]:
    """[members]: the utility of each rank, best first; they add up to 0."""
    above = np.maximum(0.0, math.log(members / 2 + 1) - np.log(np.arange(1, members + 1)))
    return np.asarray(above / above.sum() - 1 / members, np.float64)


def snes(
    setup: Setup,
    rate: Annotated[float, "learning rate of the mean"] = 1.0,
    sigma_rate: Annotated[float | None, "learning rate of the deviations; default: (3 + ln n) / (5 sqrt n)"] = None,
) -> Snes:
    """Separable natural evolution strategy; starts at an untrained net."""
    n = setup.net.parameters
    offspring = 4 + int(3 * math.log(n)) if setup.offspring is None else setup.offspring
    usual = (3 + math.log(n)) / (5 * math.sqrt(n))
    sigma_rate = usual if sigma_rate is None else sigma_rate
    if offspring < 2:
        raise ZeroplyError(f"strategy snes needs 2 offspring or more, not {offspring}")
    if not (0 < rate <= 100 and 0 <= sigma_rate <= 100):
        raise ZeroplyError(f"the rates of strategy snes are above 0 and at most 100, not {rate} and {sigma_rate}")
    return Snes(setup.untrained(1)[0].astype(np.float64), offspring, setup.sigma, rate, sigma_rate)
