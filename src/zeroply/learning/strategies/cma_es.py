"""CMA-ES (Hansen and Ostermeier 2001) by the `cmaes` package (Nomura and Shibata 2024), also in its separable form.

The package adapts its learning rate to noisy fitness on request (Nomura, Akimoto and Ono 2023). Its state is plain
numbers and arrays, and its generator is seeded before every generation from the chance key, so a restored strategy
continues bit for bit.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.learning.strategies.strategy import Arrays, Fitness, Setup, Strategy, Weights

LARGEST_FULL = 500
"""With more weights than this only the diagonal of the covariance matrix is adapted."""

UNUSED = "_funhist_values"
"""What the package only uses to advise when to stop; it begins with arbitrary numbers."""


class CmaEs(Strategy):
    """CMA-ES that starts at the origin."""

    def __init__(
        self,
        parameters: int,
        offspring: int | None,
        sigma: float,
        key: int,
        separable: bool | None = None,
        adapt_rates: bool = False,
    ) -> None:
        """`separable` adapts only the diagonal, by default with many weights; `adapt_rates` is for noisy fitness."""
        self.offspring = offspring or 4 + int(3 * math.log(parameters))
        separable = parameters > LARGEST_FULL if separable is None else separable
        if self.offspring < 4:
            raise ZeroplyError(f"CMA-ES needs 4 offspring or more, not {self.offspring}")
        if separable and adapt_rates:
            raise ZeroplyError("separable CMA-ES cannot adapt its rates: give separable=false or adapt_rates=false")
        self.key = key
        try:
            import cmaes
        except ImportError:
            raise ZeroplyError("CMA-ES needs cmaes: install it with pip install '.[train]'") from None
        start, size = np.zeros(parameters), self.offspring
        self._package: Any = (
            cmaes.SepCMA(start, sigma, population_size=size)
            if separable
            else cmaes.CMA(start, sigma, population_size=size, lr_adapt=adapt_rates)
        )
        self._asked: list[NDArray[np.float64]] = []

    @property
    def generation(self) -> int:
        """Generations so far."""
        return int(self._package.generation)

    @property
    def mean(self) -> NDArray[np.float64]:
        """[parameters]: the centre of the distribution."""
        return np.array(self._package.mean, np.float64)

    @property
    def step(self) -> float:
        """The step size."""
        return float(vars(self._package)["_sigma"])

    @property
    def centre(self) -> Weights:
        """The mean."""
        return self.mean.astype(np.float32)

    def ask(self, key: int) -> Weights:
        """The candidates; their chance key is that of the strategy and the number of the generation."""
        self._package.reseed_rng(chance.key(self.key, self.generation) % 2**32)
        self._asked = [self._package.ask() for _ in range(self.offspring)]
        return np.asarray(self._asked, np.float32)

    def tell(self, fitness: Fitness, key: int) -> None:
        """Adapt the distribution."""
        self._package.tell(list(zip(self._asked, (-fitness).tolist(), strict=True)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            name.lstrip("_"): np.atleast_1d(value)
            for name, value in vars(self._package).items()
            if isinstance(value, int | float | np.ndarray) and name != UNUSED
        }

    def restore(self, arrays: Arrays) -> None:
        for name, value in vars(self._package).items():
            if name.lstrip("_") in arrays:
                stored = np.array(arrays[name.lstrip("_")])
                setattr(self._package, name, stored if isinstance(value, np.ndarray) else type(value)(stored[0]))


def cma_es(
    setup: Setup,
    separable: Annotated[bool | None, "adapt only the diagonal; default: with more than 500 weights"] = None,
    adapt_rates: Annotated[bool, "adapt the learning rates to noisy fitness"] = False,
) -> CmaEs:
    """CMA-ES by the cmaes package; starts at weights of 0."""
    return CmaEs(setup.net.parameters, setup.offspring, setup.sigma, setup.key, separable, adapt_rates)
