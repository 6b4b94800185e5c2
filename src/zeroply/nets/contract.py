"""The base class of nets: an architecture with its weights, for one game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.specs import Spec

Weights = Mapping[str, NDArray[np.float32]]
"""The arrays of a net by name."""


def is_statistic(name: str) -> bool:
    """Whether an array is a running statistic of batch normalisation, which is measured instead of trained."""
    return name.endswith(("running_mean", "running_var"))


def count_parameters(weights: Weights) -> int:
    """Number of weights, without running statistics of batch normalisation."""
    return sum(array.size for name, array in weights.items() if not is_statistic(name))


def check_weights(shapes: Mapping[str, tuple[int, ...]], weights: Weights) -> None:
    """Raise ZeroplyError unless the arrays are those of `shapes`, and all values are finite."""
    for name in sorted(shapes.keys() ^ weights.keys()):
        fault = "missing" if name in shapes else "unexpected"
        raise ZeroplyError(f"the weights do not fit the net: array '{name}' is {fault}")
    for name, shape in shapes.items():
        array = weights[name]
        if array.shape != shape:
            raise ZeroplyError(
                f"the weights do not fit the net: array '{name}' has shape {list(array.shape)}, not {list(shape)}"
            )
        if not np.isfinite(array).all() or (name.endswith("running_var") and (array < 0).any()):
            raise ZeroplyError(f"array '{name}' of the net contains NaN, infinite or negative variance values")


class Net(ABC):
    """Maps a board to a preference for each move."""

    spec: Spec
    """The architecture, such as `wpc`."""
    encoding: str
    """A description of the net's input."""
    name: str | None = None
    """The shipped net or the file it was loaded from; None for other nets."""

    def __init__(self, game: Game, weights: Weights) -> None:
        self.game = game
        self.weights = weights

    @property
    def parameters(self) -> int:
        """Number of weights that were trained."""
        return count_parameters(self.weights)

    @abstractmethod
    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """[n, cells]: a preference for every legal move, -inf elsewhere."""

    def evaluation(self) -> _core.Evaluation:
        """The net as an evaluation for search; only nets that evaluate boards and run in the core have one."""
        raise ZeroplyError(f"net {self.spec} prefers moves but does not evaluate boards, so search cannot use it")
