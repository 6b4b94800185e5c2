"""The (mu + lambda) and (mu, lambda) evolution strategies of Schaul and Schmidhuber 2009, sections V-C and V-D.

There is no crossover and no self-adaptation: each weight of an offspring changes by a draw from a normal distribution.
With one parent and one offspring the plus strategy is hill climbing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.learning.strategies.strategy import Arrays, Fitness, Setup, Strategy, Weights, best_first, mutated


class MuLambda(Strategy):
    """The best mu members have lambda mutated copies; with `plus` they also stay themselves."""

    def __init__(self, population: Weights, parents: int, sigma: float, plus: bool = True) -> None:
        """`population` is the first generation: mu + lambda members with `plus`, else lambda."""
        self.population = population
        self.parents, self.sigma, self.plus = parents, sigma, plus
        self.origins = np.arange(len(population), dtype=np.int64)
        """[members]: the number of the member of the previous generation that each is, or is a copy of."""

    def ask(self, key: int) -> Weights:
        """The parents that stay, best first, then the offspring; drawn by the last `tell`."""
        return self.population

    def tell(self, fitness: Fitness, key: int) -> None:
        """Each parent has the same number of offspring as any other, plus or minus one."""
        parents = best_first(fitness)[: self.parents]
        stay = parents if self.plus else parents[:0]
        copied = parents[np.arange(len(self.population) - len(stay)) % len(parents)]
        offspring = mutated(self.population[copied], self.sigma, key)
        self.population = np.concatenate([self.population[stay], offspring])
        self.origins = np.concatenate([stay, copied])

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"population": self.population}

    def restore(self, arrays: Arrays) -> None:
        self.population = np.asarray(arrays["population"], np.float32)


def elitist(setup: Setup) -> MuLambda:
    """The best members stay and have mutated copies: (mu + lambda)."""
    if setup.parents < 1 or setup.offspring is None or setup.offspring < 1:
        raise ZeroplyError("evolution needs 1 parent or more, and 1 offspring or more")
    # reading: the first generation is mu + lambda untrained nets.
    return MuLambda(setup.untrained(setup.parents + setup.offspring), setup.parents, setup.sigma)
