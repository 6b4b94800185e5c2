"""Nets for whole populations: an architecture whose weights are one flat vector, so that a population is a matrix.

Evolution works on such vectors; a batch of positions says for each which member looks at it, and the core answers all
of them in one call. A single member is an ordinary net (`Member`), with its vector as its only array.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.contract import Net, Weights
from zeroply.specs import Spec

LARGEST = 1e15
"""No weight may be larger, so that sums of products stay finite in single precision."""
VECTOR = "vector"
"""The name of the only array of a member in a net file."""


class PopulationNet(ABC):
    """An architecture for a game, without weights."""

    spec: Spec
    """The architecture, such as `mdrnn(k=10)`."""
    encoding: str
    """What the net sees, in words."""
    layout: Sequence[tuple[str, tuple[int, ...]]]
    """The parts of the weight vector in order: name and shape, each part row by row."""

    scales: bool = False
    """Whether the same weights play on any board size."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def named(self, spec: Spec) -> Spec:
        """The spec under which the net is kept: as it was given, unless it left something to the board size."""
        return spec

    @property
    def parameters(self) -> int:
        """Length of the weight vector."""
        return sum(math.prod(shape) for _, shape in self.layout)

    @abstractmethod
    def initial(self, keys: ArrayLike) -> NDArray[np.float32]:
        """[members, parameters]: untrained weights as the architecture's paper draws them, one member a key."""

    @abstractmethod
    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """[n, cells]: a preference for every legal move, -inf elsewhere; `members` [n] are rows of `weights`."""

    def evaluation(self, vector: NDArray[np.float32]) -> _core.Evaluation:
        """One member as an evaluation for search, if it values boards."""
        raise ZeroplyError(f"net {self.spec} likes moves but does not value boards, so it is no evaluation for search")

    def checked(self, weights: ArrayLike) -> NDArray[np.float32]:
        """[members, parameters]: the weights as the core takes them, or why they do not fit."""
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(np.atleast_2d(weights), np.float32)
        if array.ndim != 2 or array.shape[1] != self.parameters:
            raise ZeroplyError(f"net {self.spec} has {self.parameters} weights, not {array.shape[-1]}")
        if not np.isfinite(array).all():
            raise ZeroplyError(f"net {self.spec} has weights that are not finite numbers")
        if array.size and max(array.max(), -array.min()) > LARGEST:
            raise ZeroplyError(f"net {self.spec} has weights above {LARGEST:g}, which are too large to be added up")
        return array

    def parts(self, vector: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """The parts of one weight vector by name, as views of it."""
        found, at = {}, 0
        for name, shape in self.layout:
            found[name] = vector[at : at + math.prod(shape)].reshape(shape)
            at += math.prod(shape)
        return found


class Member(Net):
    """One member of a population: an ordinary net."""

    def __init__(self, net: PopulationNet, weights: Weights) -> None:
        if list(weights) != [VECTOR]:
            raise ZeroplyError(f"net {net.spec} needs one array '{VECTOR}', not {', '.join(weights) or 'none'}")
        self.vector = net.checked(weights[VECTOR])
        if len(self.vector) != 1:
            raise ZeroplyError(f"net {net.spec} needs the weights of one member, not of {len(self.vector)}")
        super().__init__(net.game, {VECTOR: self.vector[0]})
        self.architecture = net
        self.spec = net.spec
        self.encoding = net.encoding

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """What the member says."""
        return self.architecture.prefer(self.vector, np.zeros(len(positions), np.int32), positions)

    def evaluation(self) -> _core.Evaluation:
        """The member as an evaluation for search."""
        return self.architecture.evaluation(self.vector[0])
