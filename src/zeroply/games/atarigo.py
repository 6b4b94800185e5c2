"""Atari-Go on boards from 5x5 to 19x19: the first to capture wins; nobody may pass.

The capture game of Schaul and Schmidhuber (2009, section II-A). A move that captures is never suicide. Suicide is
allowed and loses at once, or is illegal; a side without a legal move has lost.
"""

from functools import cache
from typing import Annotated, Literal

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.text import Notation
from zeroply.specs import Spec


def atarigo(
    size: Annotated[int, "side of the board, 5 to 19"] = 9,
    captures: Annotated[int, "stones to capture; they are removed, and simple ko applies"] = 1,
    suicide: Annotated[Literal["loses", "illegal"], "what happens to a move without a liberty"] = "loses",
) -> Game:
    """Capture first; nobody may pass."""
    if not 5 <= size <= 19:
        raise ZeroplyError(f"atarigo is played on sizes from 5 to 19, not {size}")
    if not 1 <= captures <= 1000:
        raise ZeroplyError(f"atarigo needs captures from 1 to 1000, not {captures}")
    options = (("size", size), ("captures", captures), ("suicide", suicide))
    spec = Spec("atarigo", size=size, captures=captures, suicide=Spec(suicide))
    return Game("atarigo", options, Notation.go(size), "stones", _rules(size, captures, suicide), spec)


@cache
def _rules(size: int, captures: int, suicide: str) -> _core.Game:
    return _core.atarigo(size, captures, suicide == "loses")
