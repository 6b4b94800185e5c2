"""The weighted piece counter: a weight per cell; the value of a board is the sum over own stones minus the sum over the
opponent's. The simplest net of the field, and the oldest baseline in Othello.
"""

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.contract import Net, Weights
from zeroply.specs import Spec


class Wpc(Net):
    """A weight per cell."""

    spec = Spec("wpc")
    encoding = "board after each move, own stones +1, opposing stones -1"

    def __init__(self, game: Game, weights: Weights) -> None:
        super().__init__(game, weights)
        if list(weights) != ["cells"] or weights["cells"].shape != (game.cells,):
            shapes = ", ".join(f"{name} {list(array.shape)}" for name, array in weights.items())
            raise ZeroplyError(
                f"net wpc for {game} needs one array 'cells' of {game.cells} weights, not {shapes or 'none'}"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            self._cells = np.ascontiguousarray(weights["cells"], np.float32)
            finite = np.isfinite(np.abs(self._cells).sum(dtype=np.float32))
        if not finite:
            raise ZeroplyError("net wpc has weights that are NaN, infinite or too large to add up")

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """The value of the board after each move."""
        out = np.empty((len(positions), self.game.cells), np.float32)
        positions.batch.child_weights(self._cells, out)
        return out


def wpc(game: Game, weights: Weights | None = None) -> Net:
    """A weight per cell; values the board after each move."""
    if weights is None:
        raise ZeroplyError("net wpc has no torch module: train one with zeroply ntuples tdl")
    return Wpc(game, weights)


def from_quarter(rows: NDArray[np.float32]) -> Weights:
    """Weights of a whole board from the weights of its top left quarter [half, half], mirrored both ways."""
    top = np.concatenate([rows, rows[:, ::-1]], axis=1)
    return {"cells": np.concatenate([top, top[::-1]]).reshape(-1).astype(np.float32)}
