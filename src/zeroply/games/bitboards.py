"""Boards of up to 64 cells as 64 bits, the form in which examples, pattern fits and some nets store them.

Bit c is cell c, so the bits of Othello's board are its cells row by row from the top left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.positions import Positions

_BITS = 64


def pack(cells: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """[n]: boards [n, cells] as bits; cells beyond the board are 0."""
    if cells.ndim != 2 or cells.shape[1] > _BITS:
        raise ZeroplyError(f"boards of up to {_BITS} cells fit into {_BITS} bits, not an array of shape {cells.shape}")
    padded = np.zeros((len(cells), _BITS // 8), np.uint8)
    packed = np.packbits(cells, axis=1, bitorder="little")
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8")[:, 0].astype(np.uint64, copy=False)


def unpack(boards: NDArray[np.uint64], cells: int = _BITS) -> NDArray[np.int8]:
    """[n, cells]: 1 where boards [n] have a bit, else 0."""
    plain = np.ascontiguousarray(boards, "<u8").view(np.uint8).reshape(-1, _BITS // 8)
    return np.unpackbits(plain, axis=1, bitorder="little", count=cells).view(np.int8)


def bits(positions: Positions) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """[n] each: the stones of the side to move and of the other side."""
    if positions.game.cells > _BITS:
        raise ZeroplyError(f"the cells of {positions.game} do not fit into {_BITS} bits")
    seen = positions.stones() * positions.to_move()[:, None]
    return pack(seen > 0), pack(seen < 0)


def from_bits(
    game: Game,
    own: NDArray[np.uint64],
    opponent: NDArray[np.uint64],
    black: NDArray[np.bool_] | None = None,
) -> Positions:
    """Positions from boards [n] of own and opposing stones; `black` [n] is true where own is Black (default)."""
    n = len(own)
    white = np.zeros(n, np.uint8) if black is None else (~black).astype(np.uint8)
    stones = (unpack(own) - unpack(opponent)) * (1 - 2 * white.astype(np.int8))[:, None]
    return Positions(game, game.core.make(stones, white, np.zeros((n, 2), np.int32), np.full(n, -1, np.int32)))
