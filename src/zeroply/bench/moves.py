"""How long a move takes: players play whole games against themselves, one position at a time, on one thread.

The processor time of the playing thread is what compares, because neither other programs on the machine nor other
threads count in it; with one thread the core works in the calling one. Players take turns game by game, so that
whatever slows the machine down slows all of them down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from zeroply import _core, chance
from zeroply.arena.openings import openings as make_openings
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players import FollowingPlayer, Player


@dataclass
class Pace:
    """How long one player took."""

    player: str
    """The player's spec."""
    processor: list[float] = field(default_factory=list)
    """Processor time of every move in seconds, of the thread that asked for it."""
    clock: list[float] = field(default_factory=list)
    """Time of every move by the clock in seconds."""

    @property
    def mean(self) -> float:
        """Mean processor time of a move in seconds."""
        return float(np.mean(self.processor))

    @property
    def mean_by_the_clock(self) -> float:
        """Mean time of a move by the clock in seconds."""
        return float(np.mean(self.clock))

    @property
    def slowest(self) -> float:
        """Processor time of the slowest move in seconds."""
        return max(self.processor)


def measure_moves(
    players: Sequence[Player],
    game: Game,
    games: int,
    *,
    openings: str = "random(plies=8)",
    seed: int = 0,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> list[Pace]:
    """The pace of each player over the same openings; `told` hears how many games are done, of how many."""
    if not players or games < 1:
        raise ZeroplyError("moves are measured with one player or more and one game or more")
    for player in players:
        if isinstance(player, FollowingPlayer):
            raise ZeroplyError(f"{player} runs in a process of its own, whose time cannot be measured here")
    starts = make_openings(openings, game, seed, games).positions(0, games)
    paces = [Pace(str(player)) for player in players]
    before = _core.threads()
    _core.set_threads(1)
    try:
        for number in range(games):
            for place, (player, pace) in enumerate(zip(players, paces, strict=True), 1):
                _play(player, starts[number], chance.key(seed, "bench", number), pace)
                told(number * len(players) + place, games * len(players))
    finally:
        _core.set_threads(before)
    return paces


def _play(player: Player, position: Positions, key: int, pace: Pace) -> None:
    keys = np.array([key], np.uint64)
    while not position.over()[0]:
        clock, processor = time.perf_counter(), time.thread_time()
        moves = player.choose(position, keys)
        pace.processor.append(time.thread_time() - processor)
        pace.clock.append(time.perf_counter() - clock)
        position.play(moves)
