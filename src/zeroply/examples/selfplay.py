"""Games of a player against itself from varied openings, so that there is something to learn from without a download.

The first moves of a game are drawn from the Gibbs distribution of the player's own preferences, so openings vary but
are never foolish, and every move is an example worth learning; after them the player takes what it likes best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, games
from zeroply.arena.play import play
from zeroply.errors import ZeroplyError
from zeroply.players import FollowingPlayer, player
from zeroply.players.contract import Choice
from zeroply.records import GameRecord

_BLOCK = 64  # games at a time


@dataclass(frozen=True, kw_only=True)
class SelfPlay:
    """What decides which games are played."""

    games: int
    """How many games to play."""
    player: str = "engine(depth=5)"
    """Spec of the player that has both sides."""
    plies: int = 16
    """How many moves at the start are drawn by chance."""
    temperature: float = 2.0
    """How freely they are drawn, in units of the player's preferences: discs for the engine."""
    seed: int = 1
    """What all chance comes from."""

    def __post_init__(self) -> None:
        if self.games < 1 or not 0 <= self.plies <= 60:
            raise ZeroplyError("self-play needs one game or more, and from 0 to 60 moves that are drawn by chance")


def self_play(config: SelfPlay, progress: Callable[[int, int], None] | None = None) -> list[GameRecord]:
    """Play all games; the same configuration always gives the same ones."""
    othello = games.game("othello")
    records = []
    drawing = Choice(temperature=config.temperature)  # before the player, which may take long to make
    with player(config.player, othello) as one:
        if isinstance(one, FollowingPlayer):
            raise ZeroplyError(f"self-play is for players that look at positions, unlike {config.player}")
        for low in range(0, config.games, _BLOCK):
            if progress:
                progress(low, config.games)
            numbers = np.arange(low, min(low + _BLOCK, config.games))
            keys = chance.keys(chance.key(config.seed, "selfplay"), numbers)
            positions = othello.start(len(numbers))
            one.choice = drawing
            moves: list[NDArray[np.int32]] = []
            for _ in range(config.plies):
                moves.append(one.choose(positions, keys))
                positions.play(moves[-1])
            one.choice = Choice()
            played = play([one], np.zeros((len(numbers), 2), np.int64), positions, keys)
            table = np.concatenate([np.array(moves, np.int16).reshape(-1, len(numbers)).T, played.moves], axis=1)
            records += [GameRecord(othello, tuple(row[row >= 0].tolist())) for row in table]
    return records


def different(records: Sequence[GameRecord]) -> list[GameRecord]:
    """The games without those that repeat the moves of an earlier one."""
    first: dict[tuple[int, ...], GameRecord] = {}
    for record in records:
        first.setdefault(record.moves, record)
    return list(first.values())
