"""Hex on boards from 3x3 to 19x19: Black connects top and bottom, White left and right; there are no draws.

Cells are hexagons in slanted rows: each touches its neighbours to the left and right, above and to the upper right,
below and to the lower left. With the swap rule White may answer the first move by playing on its cell. This takes the
stone over: it becomes a White stone on the cell mirrored in the long diagonal. HexGui calls this `swap-pieces`.
"""

from functools import cache
from typing import Annotated

import numpy as np

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.facts import DefaultEvaluation, Facts, Gtp, Sgf, SuggestedPlayer
from zeroply.games.positions import Positions
from zeroply.games.text import Notation
from zeroply.specs import Spec

SIZES = range(3, 20)
NEIGHBOURS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1))
"""Row and column steps to the neighbours of a cell."""
OPPONENTS = (
    SuggestedPlayer(
        "alphabeta(depth=1, eval=distance)", "Distance, 1 ply", "Counts the cells each side needs to connect."
    ),
    SuggestedPlayer(
        "alphabeta(depth=2, eval=distance)", "Distance, 2 plies", "Counts the cells to connect; sees your reply."
    ),
    SuggestedPlayer(
        "alphabeta(depth=4, eval=distance)",
        "Distance, 4 plies",
        "Counts the cells to connect; at most 2 seconds a move.",
    ),
)


def hex(
    size: Annotated[int, "side of the board, 3 to 19"] = 11,
    swap: Annotated[bool, "White's first move may take over Black's stone"] = False,
) -> Game:
    """Connect your two sides: Black top and bottom, White left and right."""
    if size not in SIZES:
        raise ZeroplyError(f"hex is played on sizes from 3 to 19, not {size}")
    options = (("size", size), ("swap", swap))
    spec = Spec("hex", size=size, swap=swap)
    return Game("hex", options, Notation.othello(size), _facts(size, swap), _rules(size, swap), spec)


@cache
def _facts(size: int, swap: bool) -> Facts:
    return Facts(
        title="Hex",
        look="hexagons",
        offered={"size": SIZES},
        shortest=2 * size - 1,
        longest=size**2 + swap,
        symmetries=(0, 3),  # the identity and the rotation by 180 degrees
        swap="swap-pieces" if swap else None,
        winning=_chain,
        evaluation=DefaultEvaluation("distance", depth=2, half_won=2),
        gtp=Gtp(("Hex",), Notation.othello(size)),
        sgf=Sgf(number=11, size=11, cell_names="written"),
        open_spiel=None if swap else f"hex(board_size={size})",
        opponents=OPPONENTS,
    )


def _chain(position: Positions) -> list[int]:
    """The cells of the chain that connects the winner's sides."""
    size, winner = position.game.size, int(position.winner()[0])
    left = {divmod(int(cell), size) for cell in np.flatnonzero(position.stones()[0] == winner)}
    along = 0 if winner > 0 else 1  # the coordinate that grows from the first side to the second
    while left:
        chain, new = set(), {left.pop()}
        while new:
            chain |= new
            left -= new
            new = {(r + down, c + right) for r, c in new for down, right in NEIGHBOURS} & left
        if {cell[along] for cell in chain} >= {0, size - 1}:
            return sorted(row * size + column for row, column in chain)
    return []


@cache
def _rules(size: int, swap: bool) -> _core.Game:
    return _core.hex(size, swap)
