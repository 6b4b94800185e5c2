"""How a net sees an Othello position: the encodings of paper L (IV-A), as planes of 0 and 1 made in the core.

All show the mover's discs and the opponent's. `ones` adds a plane of ones, `vmoves` the mover's legal moves, and
`turn`, which the paper suggests, a plane that is 1 if the mover is Black.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError

ENCODINGS = {"pieces": 2, "ones": 3, "vmoves": 3, "turn": 3}
"""Number of planes by the name of the encoding; the order is that of the core."""


def check_encoding(name: str) -> int:
    """The number of an encoding in the core; raises ZeroplyError if there is none of that name."""
    if name not in ENCODINGS:
        raise ZeroplyError(f"unknown encoding '{name}': there are {', '.join(ENCODINGS)}")
    return list(ENCODINGS).index(name)


def encode(
    own: NDArray[np.uint64], opponent: NDArray[np.uint64], encoding: str, black: ArrayLike | None = None
) -> NDArray[np.float32]:
    """[n, planes, 8, 8] of positions [n] given as bit boards; `black` [n] says, for `turn`, if the mover is Black."""
    number = check_encoding(encoding)
    own = np.ascontiguousarray(own, np.uint64)
    opponent = np.ascontiguousarray(opponent, np.uint64)
    if own.ndim != 1 or own.shape != opponent.shape:
        raise ZeroplyError(f"as many own as opposing boards are needed, not shapes {own.shape} and {opponent.shape}")
    if encoding == "turn" and black is None:
        raise ZeroplyError("the encoding 'turn' needs to know for each position if Black is the mover")
    turn = np.zeros(0, np.uint8) if encoding != "turn" else np.ascontiguousarray(black, np.bool_).view(np.uint8)
    if encoding == "turn" and turn.shape != own.shape:
        raise ZeroplyError(f"the movers of {len(own)} positions are needed, not an array of shape {turn.shape}")
    planes = np.empty((len(own), ENCODINGS[encoding], 64), np.float32)
    _core.encode_examples(own, opponent, turn, number, planes)
    return planes.reshape(len(own), ENCODINGS[encoding], 8, 8)
