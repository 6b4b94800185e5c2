"""Population nets: architectures whose weights are one flat vector, so that a population is a matrix.

Evolution works on these vectors. Each position of a batch is evaluated by the member given for it, all in one call of
the core. A single member is an ordinary net (`Member`) with its vector as its only array.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.contract import Net, Weights
from zeroply.specs import Spec

LARGEST = 1e15
"""The largest weight, so that sums of products stay finite in single precision."""
VECTOR = "vector"
"""The name of the only array of a member in a net file."""


@dataclass(frozen=True)
class MemberGames:
    """Games between members of one population."""

    black: NDArray[np.int32]
    """[n]: the members with Black, rows of the weights."""
    white: NDArray[np.int32]
    """[n]: the members with White."""
    starts: Positions
    """[n]: where the games start."""
    keys: NDArray[np.uint64]
    """[n]: their chance keys."""
    temperature: float
    """0 for the best move, else moves are drawn in proportion to exp(preference / temperature)."""
    lowest: bool
    """Whether the lowest of equal moves is played, instead of one drawn at random."""


@dataclass(frozen=True)
class Finished:
    """What is known of finished games."""

    scores: NDArray[np.int32]
    """[n]: Black's disc difference in Othello, else 1 if Black won, 0 if drawn, -1 if White won."""
    lengths: NDArray[np.int32]
    """[n]: number of moves played after the start position, passes not counted."""


class PopulationNet(ABC):
    """An architecture for a game, without weights."""

    spec: Spec
    """The architecture, such as `mdrnn(k=10)`."""
    encoding: str
    """A description of the net's input."""
    layout: Sequence[tuple[str, tuple[int, ...]]]
    """The parts of the weight vector in order: name and shape, each in row-major order."""

    scales: bool = False
    """Whether the same weights play on any board size."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def named(self, spec: Spec) -> Spec:
        """The spec to save: as given, with options that depend on the board size filled in."""
        return spec

    @property
    def parameters(self) -> int:
        """Length of the weight vector."""
        return sum(math.prod(shape) for _, shape in self.layout)

    def initial(self, keys: ArrayLike) -> NDArray[np.float32]:
        """[members, parameters]: initial weights as in the architecture's paper, one member per key.

        Here all weights are drawn from N(0, 1), as Schaul and Schmidhuber (2009, section IV-B) do.
        """
        rows = np.atleast_1d(np.asarray(keys, np.uint64))[:, None]
        return chance.normal(rows, np.arange(self.parameters, dtype=np.uint64)).astype(np.float32)

    @abstractmethod
    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """[n, cells]: a preference for every legal move, -inf elsewhere; `members` [n] are rows of `weights`."""

    def play_games(self, weights: NDArray[np.float32], games: MemberGames) -> Finished | None:
        """Whole games between members in the core; None if it cannot play them for this architecture."""
        return None

    def evaluation(self, vector: NDArray[np.float32]) -> _core.Evaluation:
        """One member as an evaluation for search, if the architecture evaluates boards."""
        raise ZeroplyError(f"net {self.spec} prefers moves but does not evaluate boards, so search cannot use it")

    def checked(self, weights: ArrayLike) -> NDArray[np.float32]:
        """[members, parameters]: the weights as the core takes them; raises ZeroplyError if they do not fit."""
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(np.atleast_2d(weights), np.float32)
        if array.ndim != 2 or array.shape[1] != self.parameters:
            raise ZeroplyError(f"net {self.spec} has {self.parameters} weights, not {array.shape[-1]}")
        if not np.isfinite(array).all():
            raise ZeroplyError(f"net {self.spec} has weights that are NaN or infinite")
        if array.size and max(array.max(), -array.min()) > LARGEST:
            raise ZeroplyError(f"net {self.spec} has weights above {LARGEST:g}, which are too large to add up")
        return array

    def parts(self, vector: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """The parts of one weight vector by name, as views of it."""
        views, at = {}, 0
        for name, shape in self.layout:
            views[name] = vector[at : at + math.prod(shape)].reshape(shape)
            at += math.prod(shape)
        return views


def played_by(core: Callable[..., None], weights: NDArray[np.float32], games: MemberGames) -> Finished:
    """Games that a method of the core plays."""
    one, n = games, len(games.black)
    done = Finished(np.empty(n, np.int32), np.empty(n, np.int32))
    how = (one.keys, one.temperature, one.lowest)
    core(weights, one.black, one.white, one.starts.batch, *how, done.scores, done.lengths)
    return done


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
        """The member's preferences."""
        return self.architecture.prefer(self.vector, np.zeros(len(positions), np.int32), positions)

    def evaluation(self) -> _core.Evaluation:
        """The member as an evaluation for search."""
        return self.architecture.evaluation(self.vector[0])
