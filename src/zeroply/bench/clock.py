"""How well searches keep their time limits.

Positions come from random games, limits are drawn evenly from a range. On a machine with other load a search also waits
for the processor, which no program can prevent. So what counts is the CPU time that a search uses after its deadline: a
second thread reads the CPU clock of the searching one at that moment. Where it came too late itself, nothing is known.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zeroply import chance
from zeroply.bench import LARGEST
from zeroply.bench.positions import scattered
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players import FollowingPlayer, Player
from zeroply.progress import Progress, no_progress
from zeroply.search.threads import on_threads

PUNCTUAL = 0.0005
"""Seconds after the deadline at which the clock must have been read."""
ALLOWED = 0.003
"""Seconds of CPU time that a search may use after its deadline."""


@dataclass(frozen=True)
class Kept:
    """The time limits of one player's searches."""

    player: str
    """The player's spec."""
    searches: int
    """Number of searches."""
    timed: int
    """How many ended before the deadline, or had their CPU clock read in time at the deadline."""
    longest: float
    """Longest CPU time after the deadline among those, in seconds."""
    late: int
    """How many of them used more than 3 ms."""
    used: float
    """Mean share of the limit that was used, in wall time; above 1 if the machine has other load."""


def measure_clock(
    players: Sequence[Player],
    game: Game,
    searches: int,
    *,
    limits: tuple[float, float] = (0.005, 0.1),
    seed: int = 0,
    progress: Progress = no_progress,
) -> list[Kept]:
    """Each player over the same positions and limits, on one thread; `progress(done, total)` is called now and then."""
    shortest, longest = limits
    if not (players and 1 <= searches <= LARGEST and 0 < shortest <= longest < 60):
        raise ZeroplyError("measuring clocks needs a player, 1 search or more, and limits above 0 and below 60 seconds")
    for player in players:
        if isinstance(player, FollowingPlayer) or player.look_ahead == 0:
            raise ZeroplyError(f"{player} does not search: only players that look ahead have time limits")
    positions = scattered(game, searches, seed)
    numbers = np.arange(searches)
    draws = chance.uniform(chance.keys(chance.key(seed, "clock"), numbers), np.zeros_like(numbers))
    seconds = shortest + (longest - shortest) * draws
    kept = []
    with on_threads(1):
        for number, player in enumerate(players):
            player.within(seconds=shortest).prefer(positions[0])  # tables are read
            beyond, used = np.empty(searches), np.empty(searches)
            for i, limit in enumerate(seconds):
                used[i], beyond[i] = _measure(player, positions[i], float(limit))
                if i % 50 == 49:
                    progress(number * searches + i + 1, len(players) * searches)
            timed = beyond[~np.isnan(beyond)]
            late, share = int((timed > ALLOWED).sum()), float((used / seconds).mean())
            kept.append(Kept(str(player), searches, len(timed), float(timed.max(initial=0)), late, share))
    return kept


def _measure(player: Player, position: Positions, limit: float) -> tuple[float, float]:
    """Wall time of a search, and its CPU time after the deadline; NaN if the clock was not read in time."""
    limited = player.within(seconds=limit)
    clock = time.pthread_getcpuclockid(threading.get_ident())
    begun, ready = threading.Event(), threading.Event()
    deadline, reading = 0.0, (float("inf"), 0.0)

    def read() -> None:
        nonlocal reading
        ready.set()
        begun.wait()
        time.sleep(max(0.0, deadline - time.perf_counter()))
        reading = (time.perf_counter() - deadline, time.clock_gettime(clock))

    watching = threading.Thread(target=read)
    watching.start()
    ready.wait()
    start = time.perf_counter()
    deadline = start + limit
    begun.set()
    limited.prefer(position)
    wall, cpu = time.perf_counter() - start, time.clock_gettime(clock)
    watching.join()
    if wall <= limit:
        return wall, 0.0
    delay, at_deadline = reading
    return wall, max(0.0, cpu - at_deadline) if delay < PUNCTUAL else float("nan")
