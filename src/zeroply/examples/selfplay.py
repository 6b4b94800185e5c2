"""Games of a player against itself from varied openings: training data without a download.

The first moves of a game are drawn from the Gibbs distribution over the player's own preferences, so openings vary but
are reasonable, and every move is a useful example. After them the player plays its best move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, games
from zeroply.arena.play import play
from zeroply.errors import ZeroplyError
from zeroply.players import FollowingPlayer, player
from zeroply.players.contract import Choice
from zeroply.progress import Progress, no_progress
from zeroply.records import GameRecord

_BLOCK = 64  # games at a time


@dataclass(frozen=True, kw_only=True)
class SelfPlay:
    """Settings of self-play."""

    games: int
    """How many games to play."""
    game: str = "othello"
    """Spec of the game."""
    player: str = "engine(depth=5)"
    """Spec of the player of both sides."""
    plies: int = 16
    """Number of random opening moves."""
    temperature: float = 2.0
    """Temperature of the random moves, in units of the player's preferences: discs for the engine of Othello."""
    seed: int = 1
    """Random seed."""

    def __post_init__(self) -> None:
        if self.games < 1 or not 0 <= self.plies <= 60:
            raise ZeroplyError("self-play needs at least one game and from 0 to 60 random opening moves")


def self_play(config: SelfPlay, progress: Progress = no_progress) -> list[GameRecord]:
    """Play all games; the same configuration always gives the same games."""
    game = games.game(config.game)
    records = []
    drawing = Choice(temperature=config.temperature)  # validated before the player, which may take long to build
    with player(config.player, game) as one:
        if isinstance(one, FollowingPlayer):
            raise ZeroplyError(f"self-play needs a player of zeroply, not the program {config.player}")
        for low in range(0, config.games, _BLOCK):
            progress(low, config.games)
            numbers = np.arange(low, min(low + _BLOCK, config.games))
            keys = chance.keys(chance.key(config.seed, "selfplay"), numbers)
            positions = game.start(len(numbers))
            one.choice = drawing
            moves: list[NDArray[np.int32]] = []
            for _ in range(config.plies):
                moves.append(one.choose(positions, keys))
                positions.play(moves[-1])
            one.choice = Choice()
            played = play([one], np.zeros((len(numbers), 2), np.int64), positions, keys)
            table = np.concatenate([np.array(moves, np.int16).reshape(-1, len(numbers)).T, played.moves], axis=1)
            records += [GameRecord(game, tuple(row[row >= 0].tolist())) for row in table]
    return records


def different(records: Sequence[GameRecord]) -> list[GameRecord]:
    """The games without repetitions of earlier ones."""
    first: dict[tuple[int, ...], GameRecord] = {}
    for record in records:
        first.setdefault(record.moves, record)
    return list(first.values())
