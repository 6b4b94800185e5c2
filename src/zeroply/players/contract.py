"""The player contract: from positions to a preference for every cell.

A player only says how much it likes each move (a float per cell, -inf where a move is illegal). Choosing from
preferences is shared by all players, so a heat map, an analysis or a match works for any of them without knowing its
kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.specs import Spec


@dataclass(frozen=True)
class Choice:
    """How a move is chosen from preferences."""

    temperature: float = 0.0
    """0 takes the best move; above, moves are drawn from the Gibbs distribution exp(preference / temperature)."""
    ties: Literal["random", "lowest"] = "random"
    """Which of several best moves is taken at temperature 0: any at random, or the lowest cell."""

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise ZeroplyError(f"temperature must be 0 or more, not {self.temperature}")

    def moves(self, preferences: ArrayLike, keys: ArrayLike, counters: ArrayLike) -> NDArray[np.int32]:
        """[n]: the chosen cells, -1 where nothing is legal; chance is keyed by `keys` and `counters`, both [n]."""
        rows = np.ascontiguousarray(preferences, np.float32)
        out = np.empty(len(rows), np.int32)
        keys = np.ascontiguousarray(keys, np.uint64)
        counters = np.ascontiguousarray(counters, np.uint64)
        bad = _core.choose(rows, keys, counters, self.temperature, self.ties == "lowest", out)
        if bad >= 0:
            raise ZeroplyError(f"the player's preferences in position {bad} are not numbers below infinity")
        return out


class Player(ABC):
    """Plays one game."""

    choice: Choice = Choice()
    """How its moves are chosen."""
    spec: Spec
    """The spec it was made from."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """[n, cells]: a preference for every legal move, -inf elsewhere."""

    def choose(self, positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """[n]: a move in every position, -1 where the game is over; `keys` name the games for chance."""
        return self.choice.moves(self.prefer(positions), keys, positions.move_number())

    def fingerprint(self) -> str:
        """Differs if the player would play differently, also when only a file it was read from has changed."""
        return str(self.spec)

    def __str__(self) -> str:
        return str(self.spec)

    def __repr__(self) -> str:
        return f"<{self} for {self.game}>"
