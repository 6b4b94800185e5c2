"""The net contract: an architecture with its weights, for one game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.specs import Spec

Weights = Mapping[str, NDArray[np.float32]]
"""The arrays of a net by name."""


class Net(ABC):
    """Looks at a board and says how much it likes each move."""

    spec: Spec
    """The architecture, such as `wpc`."""
    encoding: str
    """What the net sees, in words."""

    def __init__(self, game: Game, weights: Weights) -> None:
        self.game = game
        self.weights = weights

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return sum(array.size for array in self.weights.values())

    @abstractmethod
    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """[n, cells]: a preference for every legal move, -inf elsewhere."""
