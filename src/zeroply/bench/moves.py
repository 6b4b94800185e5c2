"""Time per move: players play whole games against themselves, one position or many at a time, on one thread.

Players are compared by the CPU time of the playing thread, which excludes other programs and threads; with one thread
the core works in the calling thread. Players take turns game by game, so that other load slows all of them down alike.
Reading the clock is expensive compared with a move of a few microseconds, so every game is played first, and then all
its moves are computed again between two readings; only the slowest move is found by timing each.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.openings import openings as make_openings
from zeroply.bench import LARGEST
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players import FollowingPlayer, Player
from zeroply.progress import Progress, no_progress
from zeroply.search.threads import on_threads


@dataclass
class MoveTime:
    """Time of one player's moves."""

    player: str
    """The player's spec."""
    moves: int = 0
    """Moves made."""
    processor: float = 0.0
    """CPU time of all moves in seconds, of the calling thread."""
    clock: float = 0.0
    """Wall time of all moves in seconds."""
    slowest: float = 0.0
    """CPU time in seconds of the slowest move, or per move of the slowest batch."""

    @property
    def mean(self) -> float:
        """Mean CPU time per move in seconds."""
        return self.processor / self.moves

    @property
    def mean_wall(self) -> float:
        """Mean wall time per move in seconds."""
        return self.clock / self.moves


def measure_moves(
    players: Sequence[Player],
    game: Game,
    games: int,
    *,
    batch: int = 1,
    openings: str = "random(plies=8)",
    seed: int = 0,
    progress: Progress = no_progress,
) -> list[MoveTime]:
    """The time per move of each player over the same openings; `progress(done, total)` is called after each game.

    With `batch` above 1, that many games are played at a time, with one call of the player for all of them.
    """
    if not (players and 1 <= games <= LARGEST and batch >= 1):
        raise ZeroplyError(
            f"measuring moves needs at least one player, 1 to {LARGEST:,} games, and batches of 1 or more"
        )
    for player in players:
        if isinstance(player, FollowingPlayer):
            raise ZeroplyError(f"{player} runs in another process, whose CPU time cannot be measured")
    starts = make_openings(openings, game, seed, games).positions(0, games)
    paces = [MoveTime(str(player)) for player in players]
    with on_threads(1):
        for low in range(0, games, batch):
            high = min(low + batch, games)
            keys = chance.keys(chance.key(seed, "bench"), np.arange(low, high))
            for place, (player, pace) in enumerate(zip(players, paces, strict=True), 1):
                _play(player, starts[low:high], keys, pace)
                progress(low * len(players) + place * (high - low), games * len(players))
    return paces


def _play(player: Player, positions: Positions, keys: NDArray[np.uint64], pace: MoveTime) -> None:
    calls: list[tuple[Positions, NDArray[np.uint64]]] = []
    while len(positions):
        calls.append((positions.copy(), keys))
        begun = time.thread_time()
        moves = player.choose(positions, keys)
        pace.slowest = max(pace.slowest, (time.thread_time() - begun) / len(positions))
        pace.moves += len(positions)
        positions.play(moves)
        live = ~positions.over()
        if not live.all():
            positions, keys = positions[live], keys[live]
    clock, processor = time.perf_counter(), time.thread_time()
    for some, their_keys in calls:
        player.choose(some, their_keys)
    pace.processor += time.thread_time() - processor
    pace.clock += time.perf_counter() - clock
