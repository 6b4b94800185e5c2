"""Othello on even boards from 4x4 to 16x16: most discs at the end win; forced passes are made by `play`.

A side without any disc left (a wipe-out) cannot move and neither can the other, so the game ends there.
"""

from functools import cache
from typing import Annotated

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.facts import DefaultEvaluation, Facts, Features, Gtp, Sgf, SuggestedPlayer
from zeroply.games.text import Notation
from zeroply.specs import Spec

SIZES = range(4, 17, 2)
OPPONENTS = (
    SuggestedPlayer("greedy", "Greedy", "Turns as many discs as it can. Easy to beat."),
    SuggestedPlayer(
        "alphabeta(depth=3, eval=mobility)", "Mobility, 3 plies", "Looks ahead for more moves than the other side has."
    ),
)
OPPONENTS_8 = (
    SuggestedPlayer(
        "alphabeta(depth=2, eval=positional)",
        "Square values, 2 plies",
        "Knows what squares are worth; looks two plies ahead.",
    ),
    SuggestedPlayer("iagno(level=1)", "Iagno 1", "GNOME Iagno's strategy, easy."),
    SuggestedPlayer("iagno(level=2)", "Iagno 2", "GNOME Iagno's strategy, medium."),
    SuggestedPlayer("iagno(level=3)", "Iagno 3", "GNOME Iagno's strategy, hard."),
    SuggestedPlayer("engine(depth=1)", "Engine 1", "zeroply's own engine, one ply ahead."),
    SuggestedPlayer("engine(depth=3)", "Engine 3", "zeroply's own engine, three plies; exact in the last 6 moves."),
    SuggestedPlayer("engine(depth=5)", "Engine 5", "zeroply's own engine, five plies; exact in the last 10 moves."),
    SuggestedPlayer(
        "engine(depth=8)", "Engine 8", "zeroply's own engine, eight plies; exact in the last 16 moves. Very strong."
    ),
)


def othello(size: Annotated[int, "side of the board, even, 4 to 16"] = 8) -> Game:
    """Turn the discs you enclose; most discs at the end win."""
    if size not in SIZES:
        raise ZeroplyError(f"othello is played on even sizes from 4 to 16, not {size}")
    return Game(
        "othello", (("size", size),), Notation.othello(size), _facts(size), _rules(size), Spec("othello", size=size)
    )


@cache
def _facts(size: int) -> Facts:
    usual = size == 8
    return Facts(
        title="Othello",
        look="discs",
        offered={"size": SIZES},
        margin="discs",
        passes=True,
        solvable=usual,
        longest=size**2 - 4,
        evaluation=DefaultEvaluation("pattern", depth=6, half_won=5.5, unit="discs")
        if usual
        else DefaultEvaluation("mobility", depth=4, half_won=5.5),
        # As Quarry, GRhino and GoGui write them: the letters of Go, but rows from the top.
        gtp=Gtp(
            ("Othello", "Reversi"),
            Notation(size, Notation.go(size).letters, from_top=True),
            setup="grhino-setup_board",
        ),
        sgf=Sgf(number=2, size=8, cell_names="read"),
        ggf=True,
        open_spiel="othello" if usual else None,
        features=Features(3, ("own moves", "opposing moves")),
        player="net(othello)" if usual else None,
        opponents=OPPONENTS + (OPPONENTS_8 if usual else ()),
    )


@cache
def _rules(size: int) -> _core.Game:
    return _core.othello(size)
