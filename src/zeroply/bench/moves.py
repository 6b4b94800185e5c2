"""How long a move takes: players play whole games against themselves, one position or many at a time, on one thread.

The processor time of the playing thread is what compares, because neither other programs on the machine nor other
threads count in it; with one thread the core works in the calling one. Players take turns game by game, so that
whatever slows the machine down slows all of them down. A look at the clock is dear beside a move of a few microseconds
and slows down what follows it, so every game is played first, and then all its moves are asked for again between two
looks; only the slowest move is found by looking at each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.arena.openings import openings as make_openings
from zeroply.bench import LARGEST
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players import FollowingPlayer, Player


@dataclass
class Pace:
    """How long one player took."""

    player: str
    """The player's spec."""
    moves: int = 0
    """Moves made."""
    processor: float = 0.0
    """Processor time of all moves in seconds, of the thread that asked."""
    clock: float = 0.0
    """Time of all moves by the clock in seconds."""
    slowest: float = 0.0
    """Processor time in seconds of the slowest move, or of a move in the slowest batch."""

    @property
    def mean(self) -> float:
        """Mean processor time of a move in seconds."""
        return self.processor / self.moves

    @property
    def mean_by_the_clock(self) -> float:
        """Mean time of a move by the clock in seconds."""
        return self.clock / self.moves


def measure_moves(
    players: Sequence[Player],
    game: Game,
    games: int,
    *,
    batch: int = 1,
    openings: str = "random(plies=8)",
    seed: int = 0,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> list[Pace]:
    """The pace of each player over the same openings; `told` hears how many games are done, of how many.

    With `batch` above 1 that many games go on at a time, and a player is asked about all of them in one call.
    """
    if not (players and 1 <= games <= LARGEST and batch >= 1):
        raise ZeroplyError(
            f"moves are measured with one player or more, 1 to {LARGEST:,} games, and batches of 1 or more"
        )
    for player in players:
        if isinstance(player, FollowingPlayer):
            raise ZeroplyError(f"{player} runs in a process of its own, whose time cannot be measured here")
    starts = make_openings(openings, game, seed, games).positions(0, games)
    paces = [Pace(str(player)) for player in players]
    before = _core.threads()
    _core.set_threads(1)
    try:
        for low in range(0, games, batch):
            high = min(low + batch, games)
            keys = chance.keys(chance.key(seed, "bench"), np.arange(low, high))
            for place, (player, pace) in enumerate(zip(players, paces, strict=True), 1):
                _play(player, starts[low:high], keys, pace)
                told(low * len(players) + place * (high - low), games * len(players))
    finally:
        _core.set_threads(before)
    return paces


def _play(player: Player, positions: Positions, keys: NDArray[np.uint64], pace: Pace) -> None:
    asked: list[tuple[Positions, NDArray[np.uint64]]] = []
    while len(positions):
        asked.append((positions.copy(), keys))
        begun = time.thread_time()
        moves = player.choose(positions, keys)
        pace.slowest = max(pace.slowest, (time.thread_time() - begun) / len(positions))
        pace.moves += len(positions)
        positions.play(moves)
        live = ~positions.over()
        if not live.all():
            positions, keys = positions[live], keys[live]
    clock, processor = time.perf_counter(), time.thread_time()
    for some, their_keys in asked:
        player.choose(some, their_keys)
    pace.processor += time.thread_time() - processor
    pace.clock += time.perf_counter() - clock
