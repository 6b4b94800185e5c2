"""The interface of evolution strategies: ask for a generation, tell how it ranked.

A strategy sees rankings only. Its whole state is a few arrays, so that one restored from them continues bit for bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance

Weights = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]


class Strategy(ABC):
    """How the next generation follows from the ranking of this one."""

    @abstractmethod
    def ask(self, key: int) -> Weights:
        """[members, parameters]: the generation to evaluate; `key` is its chance key."""

    @abstractmethod
    def tell(self, best_first: NDArray[np.int64], key: int) -> None:
        """Make the next generation from the numbers of the members, best first; `key` is its chance key."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Set the state to what `arrays` returned."""


def mutated(parents: Weights, sigma: float, key: int) -> Weights:
    """Copies of the parents in which every weight has changed by a draw from N(0, sigma)."""
    keys = chance.keys(key, np.arange(len(parents)))[:, None]
    steps = chance.normal(keys, np.arange(parents.shape[1])[None, :])
    return (parents + sigma * steps).astype(np.float32)
