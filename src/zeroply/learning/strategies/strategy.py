"""The interface of evolution strategies: ask for a generation, tell how fit its members were.

Fitness is a number per member, higher is better; strategies use its order only, and equal members are equal. The whole
state of a strategy is a few arrays, so that one restored from them continues bit for bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.nets.population import PopulationNet

Weights = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]
Fitness = NDArray[np.float64]


@dataclass(frozen=True)
class Setup:
    """What a strategy is made from."""

    net: PopulationNet
    """The architecture that evolves."""
    parents: int
    """Members that stay, for strategies with parents."""
    offspring: int | None
    """New members in each generation; None for the default of the strategy."""
    sigma: float
    """Standard deviation of the change of a weight, or the initial one."""
    generations: int
    """Generations of the run."""
    key: int
    """Chance key of everything that is drawn at the start."""
    weights_scale: float = 1.0
    """Factor of the random initial weights."""

    def untrained(self, members: int) -> Weights:
        """[members, parameters]: initial weights of the architecture."""
        return self.net.initial(chance.keys(self.key, np.arange(members))) * np.float32(self.weights_scale)


class Strategy(ABC):
    """How the next generation follows from the fitness of this one."""

    @abstractmethod
    def ask(self, key: int) -> Weights:
        """[members, parameters]: the generation to evaluate; `key` is its chance key."""

    @abstractmethod
    def tell(self, fitness: Fitness, key: int) -> None:
        """Adapt to the fitness [members] of what `ask` returned, higher is better; `key` is a chance key."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state between two generations."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Set the state to what `arrays` returned."""

    @property
    def centre(self) -> Weights | None:
        """[parameters]: the net in the middle of the distribution, less subject to noise than any member, if any."""
        return None


def mutated(parents: Weights, sigma: float, key: int) -> Weights:
    """Copies of the parents in which every weight has changed by a draw from N(0, sigma)."""
    return (parents + sigma * normal_rows(key, *parents.shape)).astype(np.float32)


def normal_rows(key: int, rows: int, columns: int) -> NDArray[np.float64]:
    """[rows, columns]: draws from the standard normal distribution; each row has its own chance key."""
    keys = chance.keys(key, np.arange(rows))[:, None]
    return chance.normal(keys, np.arange(columns)[None, :])


def best_first(fitness: Fitness) -> NDArray[np.int64]:
    """[members]: the numbers of the members, best first; of equal ones the lowest number first."""
    return np.argsort(-fitness, kind="stable").astype(np.int64)


def fitness_of(order: NDArray[np.int64], members: int) -> Fitness:
    """[members]: a fitness with this order of (some) members, best first; members that it lacks come last."""
    fitness = np.full(members, -1.0)
    fitness[order] = np.arange(len(order))[::-1]
    return fitness


def shared_by_equals(by_rank: NDArray[np.float64], fitness: Fitness) -> NDArray[np.float64]:
    """[members]: each member's part of the values [members] for the ranks, best first; equal members get the mean."""
    _, group, sizes = np.unique(-fitness, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    sums = np.concatenate([[0.0], np.cumsum(by_rank)])
    return np.asarray(((sums[ends] - sums[ends - sizes]) / sizes)[group], np.float64)


def weighted_sum(weights: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """[columns]: the sum of rows times weights; added row by row, so that the number of threads changes no bit."""
    return np.asarray(np.add.reduce(weights[:, None] * rows, axis=0), np.float64)
