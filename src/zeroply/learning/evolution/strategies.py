"""Strategies: how the next generation follows from the ranking of this one.

`Elitist` is the (mu + lambda) evolution strategy of Schaul and Schmidhuber 2009 (section V-C): no crossover, no
self-adaptation, each weight of an offspring changed by a draw from a normal distribution. With one parent and one
offspring it is hill-climbing. `Cma` is CMA-ES by the `cma` package. All see rankings only, and their whole state is a
few arrays, so that a strategy taken up again from them goes on bit for bit.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.nets.population import PopulationNet

Weights = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]

LARGEST_FULL = 500
"""With more weights than this CMA-ES keeps the diagonal of its covariance only."""


class Strategy(ABC):
    """Ask for a generation, tell how it ranked."""

    @abstractmethod
    def ask(self) -> Weights:
        """[members, parameters]: the generation to be evaluated."""

    @abstractmethod
    def tell(self, best_first: NDArray[np.int64], key: int) -> None:
        """Make the next generation; `best_first` are the numbers of the members, `key` names it for chance."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is needed to go on."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Go on from what `arrays` gave."""


def mutated(parents: Weights, sigma: float, key: int) -> Weights:
    """Copies of the parents in which every weight has changed by a draw from N(0, sigma)."""
    keys = chance.keys(key, np.arange(len(parents)))[:, None]
    steps = chance.normal(keys, np.arange(parents.shape[1])[None, :])
    return (parents + sigma * steps).astype(np.float32)


class Elitist(Strategy):
    """(mu + lambda): the best mu stay, and lambda mutated copies of them join; all are evaluated anew."""

    def __init__(self, net: PopulationNet, parents: int, offspring: int, sigma: float, key: int) -> None:
        self.parents, self.offspring, self.sigma = parents, offspring, sigma
        # reading: the first generation is mu + lambda untrained nets.
        self.population = net.initial(chance.keys(key, np.arange(parents + offspring)))

    def ask(self) -> Weights:
        """The parents, best first, then their offspring."""
        return self.population

    def tell(self, best_first: NDArray[np.int64], key: int) -> None:
        """Keep the best; every parent has as many offspring as any other, give or take one."""
        parents = self.population[best_first[: self.parents]]
        copies = parents[np.arange(self.offspring) % self.parents]
        self.population = np.concatenate([parents, mutated(copies, self.sigma, key)])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The generation to be evaluated next."""
        return {"population": self.population}

    def restore(self, arrays: Arrays) -> None:
        """Take the generation from a checkpoint."""
        self.population = np.asarray(arrays["population"], np.float32)


class Cma(Strategy):
    """CMA-ES from the origin.

    The package keeps its state in an object that only pickle can store. So the state kept here is the ranking of every
    generation: going on repeats all steps from the same draws, which takes milliseconds each and plays no games.
    """

    def __init__(self, parameters: int, offspring: int | None, sigma: float, key: int) -> None:
        self.parameters, self.sigma, self.key = parameters, sigma, key
        self.offspring = offspring or 4 + int(3 * math.log(parameters))
        if self.offspring < 4:
            raise ZeroplyError(f"CMA-ES needs 4 offspring or more, not {self.offspring}")
        self.rankings: list[NDArray[np.int64]] = []
        self._strategy = self._start()
        self._asked: list[Any] | None = None

    @property
    def mean(self) -> NDArray[np.float64]:
        """[parameters]: the centre of the distribution."""
        return np.asarray(self._strategy.mean, np.float64)

    @property
    def step(self) -> float:
        """The step size."""
        return float(self._strategy.sigma)

    def _start(self) -> Any:
        try:
            import cma
        except ImportError:
            raise ZeroplyError("CMA-ES needs cma: install it with pip install '.[train]'") from None
        options = {
            "popsize": self.offspring,
            "CMA_diagonal": self.parameters > LARGEST_FULL,
            "randn": self._normal,
            "seed": math.nan,  # chance comes from keys: leave NumPy's own generator alone
            "verbose": -9,
        }
        return cma.CMAEvolutionStrategy(self.parameters * [0.0], self.sigma, options)

    def _normal(self, *shape: int) -> NDArray[np.float64]:
        key = chance.key(self.key, len(self.rankings))
        return chance.normal(key, np.arange(math.prod(shape))).reshape(shape)

    def ask(self) -> Weights:
        """The candidates."""
        if self._asked is None:
            self._asked = self._strategy.ask()
        return np.asarray(self._asked, np.float32)

    def tell(self, best_first: NDArray[np.int64], key: int) -> None:
        """Adapt the distribution; CMA-ES uses ranks only, so these stand for the values."""
        self.ask()
        ranks = np.empty(len(best_first))
        ranks[best_first] = np.arange(len(best_first))
        self._strategy.tell(self._asked, ranks.tolist())
        self.rankings.append(best_first)
        self._asked = None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rankings so far."""
        return {"rankings": np.array(self.rankings, np.int64).reshape(-1, self.offspring)}

    def restore(self, arrays: Arrays) -> None:
        """Repeat all steps."""
        self.rankings, self._asked = [], None
        self._strategy = self._start()
        for best_first in arrays["rankings"]:
            self.tell(np.asarray(best_first, np.int64), 0)
