"""Positions as plain arrays and back, exactly, so that they can be pickled and go to other processes.

The core makes a position from stones, side to move, captures and ko, but with no last move. So a position that has one
is made a ply earlier, and the move is played again. Any earlier position will do if the move leads to the same board,
and one can be told from the board alone; what the copy holds is compared with what was asked for.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.positions import Positions

if TYPE_CHECKING:
    from zeroply.games.definition import Game

_DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
_WHO_MOVED = _core.ntuples([[0]], [0], [1.0, 1.0, 1.0], True)  # 1 if the side to move has moved last, else -1


class Held(NamedTuple):
    """All that n positions hold."""

    stones: NDArray[np.int8]
    """[n, cells]: 1 Black, -1 White, 0 empty."""
    to_move: NDArray[np.int8]
    """[n]: 1 Black, -1 White."""
    captured: NDArray[np.int32]
    """[n, 2]: stones taken by Black and by White."""
    ko: NDArray[np.int32]
    """[n]: the cell that ko forbids, or -1."""
    last: NDArray[np.int32]
    """[n]: the cell of the last move, or -1."""
    passed: NDArray[np.bool_]
    """[n]: whether the side to move has moved last too, as the other had to pass."""

    def rows(self, which: NDArray[np.int64]) -> Held:
        """What some of them hold."""
        stones, to_move, captured, ko, last, passed = self
        return Held(stones[which], to_move[which], captured[which], ko[which], last[which], passed[which])

    def equals(self, other: Held) -> bool:
        """Whether these hold the same."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self._fields)


def held(positions: Positions) -> Held:
    """All that positions hold, from which `restored` makes them again."""
    return Held(
        positions.stones(),
        positions.to_move(),
        positions.captured(),
        positions.ko(),
        positions.last_move(),
        _passed(positions),
    )


def restored(game: Game, wanted: Held) -> Positions:
    """The positions that hold all of this."""
    try:
        positions = _restored(game, wanted)
    except (_core.BadPosition, ZeroplyError) as error:
        raise ZeroplyError(f"not positions of {game}: {error}") from None
    if not held(positions).equals(wanted):
        raise ZeroplyError(f"not positions of {game}: their last moves do not lead there")
    return positions


def _restored(game: Game, wanted: Held) -> Positions:
    side = np.where(wanted.passed, -wanted.to_move, wanted.to_move)  # who has no move passes again
    positions = _made(game, wanted.stones, side, wanted.captured, wanted.ko)
    moved = np.flatnonzero(wanted.last >= 0)
    if len(moved):
        some = wanted.rows(moved)
        earlier = _a_ply_earlier(game, some)
        earlier.play(some.last)
        positions[moved] = earlier
    return positions


def _made(
    game: Game, stones: NDArray[np.int8], side: NDArray[np.int8], captured: NDArray[np.int32], ko: NDArray[np.int32]
) -> Positions:
    return Positions(game, game.core.make(stones, (side < 0).astype(np.uint8), captured, ko))


def _passed(positions: Positions) -> NDArray[np.bool_]:
    """[n]: who has moved last, where anything asks for it: evaluations of Othello 8x8."""
    if positions.game.name != "othello" or positions.game.size != 8:
        return np.zeros(len(positions), np.bool_)
    moved = np.empty(len(positions), np.float32)
    _WHO_MOVED.values(positions.batch, moved)
    return (moved > 0) & ~positions.over()


def _a_ply_earlier(game: Game, after: Held) -> Positions:
    """Positions from which the last moves lead to those that hold this."""
    rows = np.arange(len(after.last))
    stones, captured = after.stones.copy(), after.captured.copy()
    colour = stones[rows, after.last]
    stones[rows, after.last] = 0
    if game.name == "othello":
        stones[rows, _turned(game, after, colour)] *= -1
    if game.name == "atarigo":
        side = (colour < 0).astype(np.int64)
        ko = np.flatnonzero(after.ko >= 0)  # where the one stone stood that was taken
        stones[ko, after.ko[ko]] = -colour[ko]
        captured[ko, side[ko]] -= 1
        for i in np.flatnonzero(captured[rows, side] >= _needed(game)):
            taken = _prisoners(game, stones[i], int(after.last[i]), int(colour[i]), int(captured[i, side[i]]))
            stones[i, taken] = -colour[i]
            captured[i, side[i]] -= len(taken)
    return _made(game, stones, colour, captured, np.full(len(rows), -1, np.int32))


def _turned(game: Game, after: Held, colour: NDArray[np.int8]) -> NDArray[np.int64]:
    """[n]: Othello: a disc that the last move may have turned, the only one: it has another one behind it.

    In the other directions the move turns nothing, since it has left nothing there to be turned.
    """
    rows, (row, column) = np.arange(len(after.last)), np.divmod(after.last, game.size)
    board = np.pad(after.stones.reshape(-1, game.size, game.size), ((0, 0), (2, 2), (2, 2)))
    turned = np.full(len(rows), -1, np.int64)
    for down, right in _DIRECTIONS:
        near, far = (board[rows, row + 2 + k * down, column + 2 + k * right] == colour for k in (1, 2))
        turned = np.where(near & far, after.last + down * game.size + right, turned)
    return turned


def _prisoners(game: Game, stones: NDArray[np.int8], last: int, colour: int, captured: int) -> list[int]:
    """Atari-Go: stones that the winning move may have taken; `stones` are those left, but for the one it played.

    A chain that was taken has become a region of empty cells with nothing but stones of the winner around it.
    """
    regions = _surrounded(game, stones, last, colour)
    for some in chain.from_iterable(combinations(regions, k) for k in range(1, len(regions) + 1)):
        taken = sorted(frozenset().union(*some))
        if captured - _needed(game) < len(taken) <= captured and _may_be(game, stones, colour, taken):
            return taken
    raise ZeroplyError(f"nothing can have been captured at {game.notation.name(last)}")


def _surrounded(game: Game, stones: NDArray[np.int8], last: int, colour: int) -> list[frozenset[int]]:
    """The regions of empty cells beside `last`, once it is played, that no stone of the other side touches."""
    found: dict[frozenset[int], bool] = {}
    for first in _beside(game, last):
        if stones[first] or any(first in region for region in found):
            continue
        region, border = {first}, {first}
        touched = False
        while border and not touched:
            border = {cell for at in border for cell in _beside(game, at)} - region - {last}
            touched = any(stones[cell] == -colour for cell in border)
            border = {cell for cell in border if not stones[cell]}
            region |= border
        found[frozenset(region)] = touched
    return [region for region, touched in found.items() if not touched]


def _may_be(game: Game, stones: NDArray[np.int8], colour: int, taken: list[int]) -> bool:
    """Whether there can be a position with these stones put back."""
    before = stones[None].copy()
    before[0, taken] = -colour
    try:
        _made(game, before, np.array([colour]), np.zeros((1, 2), np.int32), np.full(1, -1, np.int32))
    except _core.BadPosition:
        return False
    return True


def _beside(game: Game, cell: int) -> list[int]:
    row, column = divmod(cell, game.size)
    near = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return [r * game.size + c for r, c in near if 0 <= r < game.size and 0 <= c < game.size]


def _needed(game: Game) -> int:
    """Atari-Go: how many stones win."""
    return int(dict(game.options)["captures"])
