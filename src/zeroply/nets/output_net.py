"""Nets of positions: a logit per move, the value of the position, or a value per move.

The value of a position is for the side to move, so a move then counts by the position it leads to (Liskowski et al.
2018, sections IV and VIII).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.nets import encodings
from zeroply.nets.contract import Net, Weights
from zeroply.nets.encodings import Encoding, playable

Output = Literal["moves", "value", "actions"]
"""What a net outputs: a logit per move, the value of the position, or a value per move."""


class OutputNet(Net):
    """A net with a row of outputs per position."""

    def __init__(self, game: Game, weights: Weights, planes: Encoding, output: Output) -> None:
        super().__init__(game, weights)
        self.planes = planes
        self.output = output
        self.encoding = encodings.words(planes)
        self._cells = playable(game)

    @abstractmethod
    def outputs(self, positions: Positions) -> NDArray[np.float32]:
        """[n, outputs]: raw outputs, illegal moves included; moves are in the order of `playable(game)`."""

    @property
    def output_size(self) -> int:
        """Outputs per position."""
        return 1 if self.output == "value" else len(self._cells)

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """The net's output for each legal move; for a value net, the value of the position after it."""
        legal = positions.legal()
        if self.output == "value":
            return self._after(positions, legal)
        preferences = np.zeros(legal.shape, np.float32)
        preferences[:, self._cells] = self.outputs(positions)
        preferences[~legal] = -np.inf
        return preferences

    def values(self, positions: Positions) -> NDArray[np.float32]:
        """[n]: the value of each position for the side to move, from -1 to 1; the result where the game is over."""
        result = (positions.winner() * positions.to_move()).astype(np.float32)
        live = ~positions.over()
        if live.any():
            result[live] = np.tanh(self.outputs(positions[live])[:, 0])
        return result

    def _after(self, positions: Positions, legal: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The value of the position after each move, for the side that makes it; ended games count by their result."""
        rows, cells = np.nonzero(legal)
        preferences = np.full(legal.shape, -np.inf, np.float32)
        if len(rows):
            children = positions[rows].after(cells.astype(np.int32))
            preferences[rows, cells] = self.values(children) * (children.to_move() * positions.to_move()[rows])
        return preferences
