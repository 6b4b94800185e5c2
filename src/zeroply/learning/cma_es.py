"""CMA-ES: an evolution strategy that adapts the covariance of its Gaussian, in full or only on the diagonal.

After Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), with positive weights; the diagonal form, for many
variables, is sep-CMA-ES (Ros and Hansen 2008). Only the order of the candidates is used. Chance comes from keys, and
the whole state is a handful of arrays, so a strategy taken up again from them goes on bit for bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError

Floats = NDArray[np.float64]

LARGEST_FULL = 500
"""With more variables than this the covariance is kept on the diagonal only."""


@dataclass
class State:
    """Where the strategy stands."""

    mean: Floats
    """[n]: centre of the distribution."""
    sigma: float
    """Step size."""
    covariance: Floats
    """[n, n], or [n] where only the diagonal is kept."""
    path_covariance: Floats
    """[n]: evolution path of the covariance."""
    path_sigma: Floats
    """[n]: evolution path of the step size."""
    generation: int = 0
    """Generations told so far."""

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """The state as arrays; `from_arrays` takes them back."""
        numbers = np.array([self.sigma, self.generation], np.float64)
        return {
            "mean": self.mean,
            "covariance": self.covariance,
            "path_covariance": self.path_covariance,
            "path_sigma": self.path_sigma,
            "numbers": numbers,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.float64]]) -> State:
        """The state that `arrays` gave."""
        fields = {name: array for name, array in arrays.items() if name != "numbers"}
        sigma, generation = arrays["numbers"].tolist()
        return cls(sigma=sigma, generation=int(generation), **fields)

    @classmethod
    def start(cls, n: int, sigma: float) -> State:
        """Round the origin; diagonal if there are many variables."""
        covariance = np.ones(n) if n > LARGEST_FULL else np.eye(n)
        return cls(np.zeros(n), sigma, covariance, np.zeros(n), np.zeros(n))


def default_population(n: int) -> int:
    """The usual number of candidates for n variables."""
    return 4 + int(3 * math.log(n))


class CmaEs:
    """Ask for candidates, tell their order."""

    def __init__(self, state: State, population: int) -> None:
        if population < 4:
            raise ZeroplyError(f"a population has 4 members or more, not {population}")
        self.state = state
        self.population = population
        n = len(state.mean)
        ranks = np.arange(1, population // 2 + 1)
        weights = math.log((population + 1) / 2) - np.log(ranks)
        self.weights: Floats = weights / weights.sum()
        self.effective = 1 / float((self.weights**2).sum())
        mu = self.effective
        self.rate_sigma = (mu + 2) / (n + mu + 5)
        self.damping = 1 + 2 * max(0.0, math.sqrt((mu - 1) / (n + 1)) - 1) + self.rate_sigma
        self.rate_path = (4 + mu / n) / (n + 4 + 2 * mu / n)
        rate_one = 2 / ((n + 1.3) ** 2 + mu)
        rate_mu = 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu)
        faster = 1.0 if state.covariance.ndim == 2 else (n + 2) / 3
        self.rate_one = min(1.0, faster * rate_one)
        self.rate_mu = min(1 - self.rate_one, faster * rate_mu)
        self.expected_norm = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self._axes: Floats | None = None
        self._lengths: Floats = np.ones(n)

    def ask(self, key: int) -> Floats:
        """[population, n]: candidates; the same key gives the same."""
        self._decompose()
        steps = _normal(key, self.population, len(self.state.mean)) * self._lengths
        if self._axes is not None:
            steps = steps @ self._axes.T
        return self.state.mean + self.state.sigma * steps

    def tell(self, best_first: Floats) -> None:
        """Take up the candidates of the last `ask`, best first."""
        s = self.state
        n, mu = len(s.mean), self.effective
        steps = (best_first[: len(self.weights)] - s.mean) / s.sigma
        step = self.weights @ steps
        s.mean = s.mean + s.sigma * step
        rate = self.rate_sigma
        s.path_sigma = (1 - rate) * s.path_sigma + math.sqrt(rate * (2 - rate) * mu) * self._whitened(step)
        norm = float(np.sqrt((s.path_sigma**2).sum()))
        expected = self.expected_norm * math.sqrt(1 - (1 - rate) ** (2 * (s.generation + 1)))
        moving = norm < (1.4 + 2 / (n + 1)) * expected  # else the step size is growing fast: hold the covariance back
        rate = self.rate_path
        s.path_covariance = (1 - rate) * s.path_covariance + moving * math.sqrt(rate * (2 - rate) * mu) * step
        kept = 1 - self.rate_one - self.rate_mu + (0 if moving else self.rate_one * rate * (2 - rate))
        if s.covariance.ndim == 2:
            one, many = np.outer(s.path_covariance, s.path_covariance), (steps.T * self.weights) @ steps
        else:
            one, many = s.path_covariance**2, self.weights @ steps**2
        s.covariance = kept * s.covariance + self.rate_one * one + self.rate_mu * many
        s.sigma *= math.exp(min(1.0, self.rate_sigma / self.damping * (norm / self.expected_norm - 1)))
        s.generation += 1

    def _decompose(self) -> None:
        """Axes and their lengths, from the covariance."""
        covariance = self.state.covariance
        if covariance.ndim == 1:
            self._lengths = np.sqrt(covariance)
            return
        values, self._axes = np.linalg.eigh((covariance + covariance.T) / 2)
        self._lengths = np.sqrt(np.maximum(values, 1e-20))

    def _whitened(self, step: Floats) -> Floats:
        if self._axes is None:
            return step / self._lengths
        return np.asarray(self._axes @ ((self._axes.T @ step) / self._lengths), np.float64)


def _normal(key: int, rows: int, columns: int) -> Floats:
    """[rows, columns]: standard normal numbers (Box and Muller), row by row from keys of their own."""
    keys = chance.keys(key, np.arange(rows))[:, None]
    counters = 2 * np.arange(columns)[None, :]
    radius = np.sqrt(-2 * np.log1p(-chance.uniform(keys, counters)))
    return np.asarray(radius * np.cos(2 * np.pi * chance.uniform(keys, counters + 1)), np.float64)
