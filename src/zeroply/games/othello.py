"""Othello on even boards from 4x4 to 16x16: most discs at the end win; forced passes are made by `play`.

A side without any disc left (a wipe-out) cannot move and neither can the other, so the game ends there.
"""

from functools import cache
from typing import Annotated

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.text import Notation
from zeroply.specs import Spec


def othello(size: Annotated[int, "side of the board, even, 4 to 16"] = 8) -> Game:
    """Turn the discs you enclose; most discs at the end win."""
    if size % 2 or not 4 <= size <= 16:
        raise ZeroplyError(f"othello is played on even sizes from 4 to 16, not {size}")
    return Game(
        "othello",
        (("size", size),),
        Notation.othello(size),
        "discs",
        _rules(size),
        Spec("othello", size=size),
    )


@cache
def _rules(size: int) -> _core.Game:
    return _core.othello(size)
