"""Gomoku on boards from 5x5 to 20x20: five in a row, column or diagonal win; a full board is a draw."""

from functools import cache
from typing import Annotated

import numpy as np

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.facts import DefaultEvaluation, Facts, Features, Gtp, Sgf, SuggestedPlayer
from zeroply.games.positions import Positions
from zeroply.games.text import Notation
from zeroply.specs import Spec

SIZES = range(5, 21)
OPPONENTS = (
    SuggestedPlayer(
        "alphabeta(depth=1, eval=lines)", "Lines, 1 ply", "Counts open rows of five; does not look at your reply."
    ),
    SuggestedPlayer("alphabeta(depth=2, eval=lines)", "Lines, 2 plies", "Counts open rows of five; sees your reply."),
    SuggestedPlayer(
        "alphabeta(depth=4, eval=lines)", "Lines, 4 plies", "Counts open rows of five; at most 2 seconds a move."
    ),
    SuggestedPlayer(
        "engine(depth=6)", "Engine 6", "zeroply's own engine, six plies; reads out fours and threes. Strong."
    ),
)


def gomoku(
    size: Annotated[int, "side of the board, 5 to 20"] = 15,
    exact: Annotated[bool, "only exactly five win, six or more do not"] = False,
) -> Game:
    """Get five or more in a row."""
    if size not in SIZES:
        raise ZeroplyError(f"gomoku is played on sizes from 5 to 20, not {size}")
    options = (("size", size), ("exact", exact))
    spec = Spec("gomoku", size=size, exact=exact)
    return Game("gomoku", options, Notation.go(size), _facts(size, exact), _rules(size, exact), spec)


@cache
def _facts(size: int, exact: bool) -> Facts:
    return Facts(
        title="Gomoku",
        look="stones",
        offered={"size": SIZES},
        shortest=9,
        longest=size**2,
        winning=_rows,
        threats=1 if exact else 0,
        column_i=True,
        evaluation=DefaultEvaluation("lines", depth=2, half_won=300),
        gtp=Gtp(("Gomoku", "Five in a row", "Gobang"), Notation.go(size)),
        # RU as Gomocup and c-gomoku-cli number the rules.
        sgf=Sgf(number=4, size=15, rules={"1": {"exact": True}, "4": "Renju"}),
        open_spiel=None if exact else f"gomoku(size={size})",
        features=Features(2, ("own open lines", "opposing open lines")),
        opponents=OPPONENTS,
    )


def _rows(position: Positions) -> list[int]:
    """The cells of the winner's rows of five or more."""
    size, winner = position.game.size, int(position.winner()[0])
    own = {divmod(int(cell), size) for cell in np.flatnonzero(position.stones()[0] == winner)}
    rows = set()
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row, column in own:
            line = [(row + i * down, column + i * right) for i in range(5)]
            rows |= set(line) if own.issuperset(line) else set()
    return sorted(row * size + column for row, column in rows)


@cache
def _rules(size: int, exact: bool) -> _core.Game:
    return _core.gomoku(size, exact)
