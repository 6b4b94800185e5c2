"""CMA-ES (Hansen and Ostermeier 2001) by the `cma` package, with chance keys in place of its random generator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.learning.strategies.strategy import Arrays, Strategy, Weights

LARGEST_FULL = 500
"""With more weights than this only the diagonal of the covariance matrix is adapted."""


class CmaEs(Strategy):
    """CMA-ES that starts at the origin.

    Only pickle can store the state of the `cma` package. So the state here is the ranking of every generation:
    `restore` repeats all steps with the same draws, which takes milliseconds per step and plays no games.
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
            "seed": math.nan,  # do not seed NumPy's global generator
            "verbose": -9,
        }
        return cma.CMAEvolutionStrategy(self.parameters * [0.0], self.sigma, options)

    def _normal(self, *shape: int) -> NDArray[np.float64]:
        key = chance.key(self.key, len(self.rankings))
        return chance.normal(key, np.arange(math.prod(shape))).reshape(shape)

    def ask(self, key: int) -> Weights:
        """The candidates; their chance key is that of the strategy and the number of the generation."""
        if self._asked is None:
            self._asked = self._strategy.ask()
        return np.asarray(self._asked, np.float32)

    def tell(self, best_first: NDArray[np.int64], key: int) -> None:
        """Adapt the distribution; CMA-ES uses ranks only, so ranks take the place of fitness values."""
        self.ask(key)
        ranks = np.empty(len(best_first))
        ranks[best_first] = np.arange(len(best_first))
        self._strategy.tell(self._asked, ranks.tolist())
        self.rankings.append(best_first)
        self._asked = None

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"rankings": np.array(self.rankings, np.int64).reshape(-1, self.offspring)}

    def restore(self, arrays: Arrays) -> None:
        """Repeat all steps."""
        self.rankings, self._asked = [], None
        self._strategy = self._start()
        for best_first in arrays["rankings"]:
            self.tell(np.asarray(best_first, np.int64), 0)
