"""A player of your own, named by a spec like any other: Gomoku by counting stones near a cell.

Python:        python examples/own_player.py
Command line:  zeroply --import own_player match neighbours random --game "gomoku(size=9)"   (in this folder)
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import zeroply as zp
from zeroply.players import PLAYERS


class Neighbours(zp.Player):
    """Prefers cells with many stones, of either colour, in the square around them."""

    def __init__(self, game: zp.Game, radius: int) -> None:
        super().__init__(game)
        row, column = np.divmod(np.arange(game.cells), game.size)
        near = np.maximum(abs(row[:, None] - row), abs(column[:, None] - column)) <= radius
        self._near = near.astype(np.float32)

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        stones = (positions.stones() != 0).astype(np.float32)  # [n, cells]
        return np.where(positions.legal(), stones @ self._near, -np.inf).astype(np.float32)


@PLAYERS.register("neighbours")
def neighbours(game: zp.Game, radius: Annotated[int, "how far it looks, in cells"] = 1) -> zp.Player:
    """Prefers cells with many stones around them."""
    return Neighbours(game, radius)


def main() -> zp.MatchResult:
    """Play against a player that moves at random."""
    return zp.match("neighbours", "random", game="gomoku(size=9)", games=200, seed=1)


if __name__ == "__main__":
    print(main())
