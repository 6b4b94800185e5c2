"""How long a move takes: players play whole games against themselves, one position at a time, on one thread.

Processor time is what compares, because other programs on the machine do not count in it; players take turns game by
game, so that whatever slows the machine down slows all of them down.
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
    """Processor time of every move in seconds."""
    clock: list[float] = field(default_factory=list)
    """Time of every move by the clock in seconds."""

    @property
    def mean(self) -> float:
        """Mean processor time of a move in seconds."""
        return float(np.mean(self.processor))


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
        clock, processor = time.perf_counter(), time.process_time()
        moves = player.choose(position, keys)
        pace.processor.append(time.process_time() - processor)
        pace.clock.append(time.perf_counter() - clock)
        position.play(moves)
