"""What a net sees of a position: planes of zeros and ones, named as in Liskowski et al. 2018, section IV-B.

`pieces`, `ones` and `vmoves` are the paper's. `turn` tells who is to move, which its conclusion proposes. A net may
instead ask for `bits`: the two bitboards of the position, from which it makes what it needs itself.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games.positions import Plane

Encoding = Literal["pieces", "ones", "vmoves", "turn"]
"""The name of an encoding."""
Inputs = Literal["planes", "bits"]
"""What a module is called with: planes [n, planes, size, size] float32, or own and opposing stones [n] int64 each."""

PLANES: dict[Encoding, tuple[Plane, ...]] = {
    "pieces": ("own", "opponent"),
    "ones": ("own", "opponent", "ones"),
    "vmoves": ("own", "opponent", "legal"),
    "turn": ("own", "opponent", "black-to-move"),
}
"""The planes of each encoding, in order."""


def words(encoding: Encoding) -> str:
    """An encoding in words, for net files."""
    return f"planes: {', '.join(PLANES[encoding])}"


def playable(game: Game) -> NDArray[np.int64]:
    """The cells that a move can name, in order: those empty at the start, so 60 of Othello's 64."""
    return np.flatnonzero(game.start().stones()[0] == 0)


def bits(positions: Positions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[n] each: the stones of the side to move and of the other side; bit c is cell c."""
    if positions.game.cells > 64:
        raise ZeroplyError(f"the cells of {positions.game} do not fit into 64 bits")
    seen = positions.stones() * positions.to_move()[:, None]
    return _packed(seen > 0), _packed(seen < 0)


def _packed(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    padded = np.zeros((len(mask), 64), np.bool_)
    padded[:, : mask.shape[1]] = mask
    return np.packbits(padded, axis=1, bitorder="little").view(np.int64)[:, 0]
