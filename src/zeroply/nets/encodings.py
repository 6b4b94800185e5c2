"""Input encodings of nets: planes of zeros and ones, named as in Liskowski et al. 2018, section IV-B.

`pieces`, `ones` and `vmoves` are the paper's. `turn` adds the side to move, as its conclusion proposes. A net may
take `bits` instead: the two bitboards of the position, from which it computes its own features.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games.positions import Plane, plane_numbers

Encoding = Literal["pieces", "ones", "vmoves", "turn"]
"""The name of an encoding."""
Inputs = Literal["planes", "bits"]
"""Input of a module: planes [n, planes, size, size] float32, or own and opposing stones [n] int64 each."""

PLANES: dict[Encoding, tuple[Plane, ...]] = {
    "pieces": ("own", "opponent"),
    "ones": ("own", "opponent", "ones"),
    "vmoves": ("own", "opponent", "legal"),
    "turn": ("own", "opponent", "black-to-move"),
}
"""The planes of each encoding, in order."""


def planes_of(encoding: str) -> tuple[Plane, ...]:
    """The planes of an encoding; raises ZeroplyError for an unknown name."""
    for name, planes in PLANES.items():
        if name == encoding:
            return planes
    raise ZeroplyError(f"unknown encoding '{encoding}': choose from {', '.join(PLANES)}")


def encode(
    own: NDArray[np.uint64], opponent: NDArray[np.uint64], encoding: str, black: ArrayLike | None = None
) -> NDArray[np.float32]:
    """[n, planes, 8, 8] of Othello positions [n] given as bitboards, the same as `Positions.planes`.

    `black` [n] is whether Black is to move; only the encoding `turn` needs it.
    """
    kinds = planes_of(encoding)
    own = np.ascontiguousarray(own, np.uint64)
    opponent = np.ascontiguousarray(opponent, np.uint64)
    if own.ndim != 1 or own.shape != opponent.shape:
        raise ZeroplyError(
            f"own and opposing boards must have the same shape [n], not shapes {own.shape} and {opponent.shape}"
        )
    turn = np.zeros(0, np.uint8)
    if "black-to-move" in kinds:
        if black is None:
            raise ZeroplyError(f"the encoding '{encoding}' needs `black`: whether Black is to move in each position")
        turn = np.ascontiguousarray(black, np.bool_).view(np.uint8)
        if turn.shape != own.shape:
            raise ZeroplyError(
                f"`black` must have one value per position: expected {len(own)}, got an array of shape {turn.shape}"
            )
    planes = np.empty((len(own), len(kinds), 64), np.float32)
    _core.encode_examples(own, opponent, turn, plane_numbers(kinds), planes)
    return planes.reshape(len(own), len(kinds), 8, 8)


def words(encoding: Encoding) -> str:
    """A description of an encoding, for net files."""
    return f"planes: {', '.join(PLANES[encoding])}"


def playable(game: Game) -> NDArray[np.int64]:
    """The cells where a move is possible, in order: the cells empty at the start, 60 of Othello's 64."""
    return np.flatnonzero(game.start().stones()[0] == 0)
