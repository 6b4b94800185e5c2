"""Positions as a browser tells and draws them: replayed from the moves, since the server keeps no games.

A few games are remembered all the same, only to save time: a click then costs one move and not the whole game.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions, game
from zeroply.records.record import full_spec
from zeroply.web.server import bounded_cache, schemas

MOST_RECENT = 500
"""Games that are remembered, each as far as it was played."""

_recent: dict[tuple[Game, str | None, tuple[int, ...]], Reached] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Reached:
    """A game as far as it was played."""

    game: Game
    """Its rules."""
    positions: list[Positions]
    """The first position and that after each move, each a batch of one."""
    movers: list[int]
    """Who made each move."""
    moves: list[int]
    """The cells played."""
    setup: str | None
    """The board string of the first position; None for the usual start."""

    @property
    def last(self) -> Positions:
        """Where the game stands."""
        return self.positions[-1]


def reach(where: schemas.Where) -> Reached:
    """Replay what a browser sent; a game that has just been seen a move before is not replayed from its start."""
    the_game, setup, moves = game(where.game), where.setup, tuple(where.moves)
    key = (the_game, setup)
    with _lock:
        known = _recent.get((*key, moves)) or (_recent.get((*key, moves[:-1])) if moves else None)
    reached = known or _begin(the_game, setup)
    for cell in moves[len(reached.moves) :]:
        reached = after(reached, cell)
    with _lock:
        bounded_cache.insert(_recent, (*key, moves), reached, MOST_RECENT)
    return reached


def _begin(the_game: Game, setup: str | None) -> Reached:
    position = the_game.start()
    if setup is None:
        return Reached(the_game, [position], [], [], None)
    placed = the_game.parse(setup)
    return Reached(the_game, [placed], [], [], None if placed.text() == position.text() else placed.text()[0])


def after(reached: Reached, cell: int) -> Reached:
    """The game with one more move."""
    position, number = reached.last, len(reached.moves) + 1
    if position.over()[0]:
        raise ZeroplyError(f"move {number} comes after the end of the game")
    try:
        following = position.after([cell])
    except ZeroplyError as error:
        raise ZeroplyError(f"move {number}: {error}") from None
    return Reached(
        reached.game,
        [*reached.positions, following],
        [*reached.movers, int(position.to_move()[0])],
        [*reached.moves, cell],
        reached.setup,
    )


def shown(reached: Reached) -> schemas.Position:
    """All that a board shows."""
    position, the_game = reached.last, reached.game
    stones = position.stones()[0]
    over, side, ko = bool(position.over()[0]), int(position.to_move()[0]), int(position.ko()[0])
    return schemas.Position(
        game=str(full_spec(the_game)),
        size=the_game.size,
        look=the_game.facts.look,
        letters=the_game.notation.letters,
        from_top=the_game.notation.from_top,
        stones=stones.tolist(),
        to_move=1 if side > 0 else -1,
        legal=np.flatnonzero(position.legal()[0]).tolist(),
        over=over,
        winner=_sign(int(position.winner()[0])),
        score=int(position.score()[0]),
        status=position.status()[0],
        ko=ko if ko >= 0 else None,
        margin=abs(int(position.score()[0])) if the_game.facts.margin and over else None,
        tallies=_tallies(position),
        winning=np.flatnonzero(position.winning()[0]).tolist(),
        passed=bool(reached.movers) and not over and side == reached.movers[-1],
        turns=[
            schemas.Turn(colour=1 if colour > 0 else -1, cell=cell, name=the_game.notation.name(cell))
            for colour, cell in zip(reached.movers, reached.moves, strict=True)
        ],
        board=position.text()[0],
        start=reached.setup,
    )


def _tallies(position: Positions) -> list[str]:
    """What is counted beside the names of Black and White: their discs, or the stones they have captured."""
    facts, stones = position.game.facts, position.stones()[0]
    if facts.margin:
        return [f"{int((stones == colour).sum())} {facts.margin}" for colour in (1, -1)]
    return [f"{count} captured" for count in position.captured()[0].tolist()] if facts.captures else ["", ""]


def _sign(number: int) -> Literal[1, 0, -1]:
    return 1 if number > 0 else -1 if number < 0 else 0


def finite(values: NDArray[np.floating[Any]]) -> list[float | None]:
    """Numbers for JSON: six digits, none where there is no value."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]
