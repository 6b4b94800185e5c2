"""Atari-Go on boards from 5x5 to 19x19: the first to capture wins; passing is not allowed.

The capture game of Schaul and Schmidhuber (2009, section II-A). A move that captures is never suicide. Suicide is
allowed and loses at once, or is illegal; a side without a legal move has lost.
"""

from functools import cache
from typing import Annotated, Literal

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.facts import DefaultEvaluation, Facts, Features, Gtp, Sgf, SuggestedPlayer
from zeroply.games.text import Notation
from zeroply.specs import Spec

SIZES = range(5, 20)
ENGINE = SuggestedPlayer("engine(depth=6)", "Engine 6", "zeroply's own engine, six plies; reads out ladders. Strong.")
OPPONENTS = (
    SuggestedPlayer(
        "alphabeta(depth=1, eval=liberties)", "Liberties, 1 ply", "Counts liberties; does not look at your reply."
    ),
    SuggestedPlayer(
        "alphabeta(depth=3, eval=liberties)", "Liberties, 3 plies", "Counts liberties; looks three plies ahead."
    ),
    SuggestedPlayer(
        "alphabeta(depth=5, eval=liberties)", "Liberties, 5 plies", "Counts liberties; at most 2 seconds a move."
    ),
)


def atarigo(
    size: Annotated[int, "side of the board, 5 to 19"] = 9,
    captures: Annotated[int, "stones to capture; they are removed, and simple ko applies"] = 1,
    suicide: Annotated[Literal["loses", "illegal"], "what happens to a move without a liberty"] = "loses",
) -> Game:
    """Capture first; passing is not allowed."""
    if size not in SIZES:
        raise ZeroplyError(f"atarigo is played on sizes from 5 to 19, not {size}")
    if not 1 <= captures <= 1000:
        raise ZeroplyError(f"atarigo needs captures from 1 to 1000, not {captures}")
    options = (("size", size), ("captures", captures), ("suicide", suicide))
    spec = Spec("atarigo", size=size, captures=captures, suicide=Spec(suicide))
    return Game("atarigo", options, Notation.go(size), _facts(size, captures), _rules(size, captures, suicide), spec)


@cache
def _facts(size: int, captures: int) -> Facts:
    return Facts(
        title="Atari-Go",
        look="stones",
        offered={"size": SIZES, "captures": range(1, 11)},
        shortest=3,
        longest=size**2,
        captures=True,
        threats=2 if captures == 1 else None,  # the engine plays to the first capture
        evaluation=DefaultEvaluation("liberties", depth=2, half_won=60),
        # GoGui wants one word.
        gtp=Gtp(("AtariGo", "Capture Go", "Go"), Notation.go(size), handicap=True),
        sgf=Sgf(number=1, size=19),
        features=Features(1, ("own atari", "own two liberties", "opposing atari", "opposing two liberties")),
        opponents=OPPONENTS + ((ENGINE,) if captures == 1 else ()),
    )


@cache
def _rules(size: int, captures: int, suicide: str) -> _core.Game:
    return _core.atarigo(size, captures, suicide == "loses")
