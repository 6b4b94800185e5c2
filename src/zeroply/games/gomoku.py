"""Gomoku on boards from 5x5 to 20x20: five in a row, column or diagonal win; a full board is a draw."""

from functools import cache
from typing import Annotated

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.text import Notation
from zeroply.specs import Spec


def gomoku(
    size: Annotated[int, "side of the board, 5 to 20"] = 15,
    exact: Annotated[bool, "only exactly five win, six or more do not"] = False,
) -> Game:
    """Get five or more in a row."""
    if not 5 <= size <= 20:
        raise ZeroplyError(f"gomoku is played on sizes from 5 to 20, not {size}")
    options = (("size", size), ("exact", exact))
    spec = Spec("gomoku", size=size, exact=exact)
    return Game("gomoku", options, Notation.go(size), "stones", _rules(size, exact), spec)


@cache
def _rules(size: int, exact: bool) -> _core.Game:
    return _core.gomoku(size, exact)
