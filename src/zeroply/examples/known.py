"""Which examples of one dataset stand in positions that another dataset has too, up to the symmetries of the board.

Positions are compared by a 64-bit hash of their smallest image, from the point of view of the side to move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply.examples.boards import BoardExamples
from zeroply.examples.dataset import Examples

Boards = NDArray[np.uint64]

_AT_A_TIME = 1 << 20
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_REVERSED = np.array([int(f"{byte:08b}"[::-1], 2) for byte in range(256)], np.uint8)
"""Each byte with its bits in reverse order."""
_SWAPS = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
"""The steps that mirror a board of 64 bits at its diagonal: a distance, and the bits that change places across it."""


def unknown(examples: Examples, rows: NDArray[np.uint32], other: Examples) -> NDArray[np.uint32]:
    """Those of the examples whose positions `other` does not have."""
    mine = _hashes(examples, rows)
    known = np.zeros(len(rows), np.bool_)
    for first in range(0, len(other), _AT_A_TIME):
        theirs = np.arange(first, min(first + _AT_A_TIME, len(other)), dtype=np.uint32)
        known |= np.isin(mine, _hashes(other, theirs))
    return rows[~known]


def _hashes(examples: Examples, rows: NDArray[np.uint32]) -> Boards:
    """[n]: a hash that a position shares with its images."""
    out = np.empty(len(rows), np.uint64)
    for first in range(0, len(rows), _AT_A_TIME):
        some = rows[first : first + _AT_A_TIME]
        if isinstance(examples, BoardExamples):
            out[first : first + _AT_A_TIME] = examples.orbits(some)
        else:
            out[first : first + _AT_A_TIME] = canonical(*examples.take(some)[:2])
    return out


def canonical(own: Boards, opponent: Boards) -> Boards:
    """[n]: a hash of boards [n] that is the same for all eight images of a position."""
    return np.asarray(np.min([_mixed(a, b) for a, b in zip(_images(own), _images(opponent), strict=True)], axis=0))


def _mixed(own: Boards, opponent: Boards) -> Boards:
    mixed = own * _SPREAD
    mixed = (mixed ^ (mixed >> np.uint64(29))) + opponent
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _SPREAD
    return np.asarray((mixed ^ (mixed >> np.uint64(29))) * _SPREAD)


def _images(boards: Boards) -> list[Boards]:
    """The eight images of boards [n], in an order that depends on nothing."""
    images = []
    for board in (boards, _transposed(boards)):
        mirrored = _REVERSED[np.ascontiguousarray(board).view(np.uint8)].view(np.uint64)
        images += [board, mirrored, board.byteswap(), mirrored.byteswap()]
    return images


def _transposed(boards: Boards) -> Boards:
    for distance, mask in _SWAPS:
        by = np.uint64(distance)
        differ = (boards ^ (boards >> by)) & np.uint64(mask)
        boards = boards ^ differ ^ (differ << by)
    return boards
