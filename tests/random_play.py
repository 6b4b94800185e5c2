"""Random games for tests of records: the same seed always gives the same moves."""

from __future__ import annotations

import numpy as np

from zeroply.games import Positions, game
from zeroply.records import GameRecord


def play_on(positions: Positions, plies: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Random moves, played in a single position until the game is over or `plies` are played."""
    moves: list[int] = []
    while len(moves) < plies and not positions.over()[0]:
        moves.append(int(rng.choice(np.flatnonzero(positions.legal()[0]))))
        positions.play(moves[-1:])
    return tuple(moves)


def random_record(
    seed: int,
    spec: str = "othello",
    black: str = "",
    white: str = "",
    event: str = "",
    date: str = "",
    plies: int = 400,
) -> GameRecord:
    """A random game of at most `plies` moves."""
    positions = game(spec).start()
    moves = play_on(positions, plies, np.random.default_rng(seed))
    return GameRecord(positions.game, moves, None, black, white, event, date)
