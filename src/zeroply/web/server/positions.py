"""Positions from requests: replayed from the moves, since the server stores no games.

Recent games are cached, so that a click costs one move instead of a replay of the whole game.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games import game as make_game
from zeroply.records.record import full_spec
from zeroply.web.server import bounded_cache, schemas

MAX_RECENT = 500
"""Games in the cache."""
SHORT = 10
"""Moves that are replayed by the event loop itself."""

_recent: dict[tuple[Game, str | None, tuple[int, ...]], ReplayedGame] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class ReplayedGame:
    """A game up to its current position."""

    game: Game
    """Its rules."""
    positions: list[Positions]
    """The starting position and the position after each move, each a batch of one."""
    movers: list[int]
    """Who made each move."""
    moves: list[int]
    """The cells played."""
    setup: str | None
    """The board string of the starting position; None for the standard start."""

    @property
    def last(self) -> Positions:
        """The current position."""
        return self.positions[-1]


def replay(where: schemas.PositionRequest) -> ReplayedGame:
    """Replay the game of a request; a game that is cached one move earlier is not replayed from its start."""
    game, setup, moves = make_game(where.game), where.setup, tuple(where.moves)
    key = (game, setup)
    replayed = _known(game, where) or _begin(game, setup)
    for cell in moves[len(replayed.moves) :]:
        replayed = after(replayed, cell)
    with _lock:
        bounded_cache.insert(_recent, (*key, moves), replayed, MAX_RECENT)
    return replayed


def is_short(where: schemas.PositionRequest) -> bool:
    """Whether the game of a request is replayed at once: it is short, or in the cache."""
    return len(where.moves) <= SHORT or _known(make_game(where.game), where) is not None


def _known(game: Game, where: schemas.PositionRequest) -> ReplayedGame | None:
    """The game of a request, or all but its last move, from the cache."""
    moves = tuple(where.moves)
    with _lock:
        whole = _recent.get((game, where.setup, moves))
        return whole or (_recent.get((game, where.setup, moves[:-1])) if moves else None)


def _begin(game: Game, setup: str | None) -> ReplayedGame:
    position = game.start()
    if setup is None:
        return ReplayedGame(game, [position], [], [], None)
    placed = game.parse(setup)
    return ReplayedGame(game, [placed], [], [], None if placed.text() == position.text() else placed.text()[0])


def after(replayed: ReplayedGame, cell: int) -> ReplayedGame:
    """The game after one more move."""
    position, number = replayed.last, len(replayed.moves) + 1
    if position.over()[0]:
        raise ZeroplyError(f"move {number} comes after the end of the game")
    try:
        following = position.after([cell])
    except ZeroplyError as error:
        raise ZeroplyError(f"move {number}: {error}") from None
    return ReplayedGame(
        replayed.game,
        [*replayed.positions, following],
        [*replayed.movers, int(position.to_move()[0])],
        [*replayed.moves, cell],
        replayed.setup,
    )


def describe(replayed: ReplayedGame) -> schemas.Position:
    """Everything the board shows."""
    position, game = replayed.last, replayed.game
    stones = position.stones()[0]
    over, side, ko = bool(position.over()[0]), int(position.to_move()[0]), int(position.ko()[0])
    return schemas.Position(
        game=str(full_spec(game)),
        size=game.size,
        look=game.facts.look,
        letters=game.notation.letters,
        from_top=game.notation.from_top,
        stones=stones.tolist(),
        to_move=1 if side > 0 else -1,
        legal=np.flatnonzero(position.legal()[0]).tolist(),
        over=over,
        winner=_sign(int(position.winner()[0])),
        score=int(position.score()[0]),
        status=position.status()[0],
        ko=ko if ko >= 0 else None,
        margin=abs(int(position.score()[0])) if game.facts.margin and over else None,
        tallies=_tallies(position),
        winning=np.flatnonzero(position.winning()[0]).tolist(),
        passed=bool(replayed.movers) and not over and side == replayed.movers[-1],
        turns=[
            schemas.Turn(colour=1 if colour > 0 else -1, cell=cell, name=game.notation.name(cell))
            for colour, cell in zip(replayed.movers, replayed.moves, strict=True)
        ],
        board=position.text()[0],
        start=replayed.setup,
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
    """Numbers for JSON with six digits; None where a value is not finite."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]
