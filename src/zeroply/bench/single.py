"""One position at a time, as interactive programs play: random games by the names of moves, beside OpenSpiel.

Trials of both alternate, and CPU time is compared, so other work on the machine hardly changes the ratio.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from zeroply.bench.games import PEER_GAMES
from zeroply.games import game
from zeroply.search.threads import on_threads

TRIALS = 10
"""Trials of each; the fastest one counts."""

Trial = Callable[[random.Random], int]
"""Plays one random game and returns the number of moves."""


@dataclass(frozen=True)
class SingleSpeed:
    """Random games of one game, one position at a time."""

    game: str
    """The game; OpenSpiel plays Go where zeroply plays Atari-Go."""
    games_per_second: float
    """Games per second of CPU time."""
    microseconds: float
    """CPU time per move: the legal moves, a draw, and playing it."""
    open_spiel: float | None
    """The same in OpenSpiel; None if it is not installed."""

    @property
    def ratio(self) -> float | None:
        """How many times faster than OpenSpiel."""
        return None if self.open_spiel is None else self.open_spiel / self.microseconds


def single_speeds(seconds: float) -> list[SingleSpeed]:
    """One row per game, measured for about so many seconds each."""
    peers = importlib.util.find_spec("pyspiel") is not None
    rows = []
    with on_threads(1):
        for name, theirs in PEER_GAMES:
            trials = [_ours(name), *([_open_spiel(theirs)] if peers else [])]
            (fastest, plies), *others = _alternating(trials, seconds)
            rows.append(SingleSpeed(name, 1e6 / (fastest * plies), fastest, others[0][0] if others else None))
    return rows


def _alternating(trials: list[Trial], seconds: float) -> list[tuple[float, float]]:
    """Least CPU time per move in microseconds, and mean moves per game, of each program."""
    best, plies, games = [float("inf")] * len(trials), [0] * len(trials), [0] * len(trials)
    for number in range(TRIALS):
        for which, trial in enumerate(trials):
            dice, moves, spent = random.Random(number), 0, 0.0
            begun = time.thread_time()
            while spent < seconds / TRIALS / len(trials):
                moves += trial(dice)
                games[which] += 1
                spent = time.thread_time() - begun
            plies[which] += moves
            best[which] = min(best[which], 1e6 * spent / moves)
    return [(us, moves / count) for us, moves, count in zip(best, plies, games, strict=True)]


def _ours(name: str) -> Trial:
    rules = game(name)

    def trial(dice: random.Random) -> int:
        position, plies = rules.start(), 0
        while moves := position.legal_moves()[0]:
            position.play(dice.choice(moves))
            plies += 1
        return plies

    return trial


def _open_spiel(name: str) -> Trial:
    import pyspiel

    rules = pyspiel.load_game(name)

    def trial(dice: random.Random) -> int:
        state, plies = rules.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(dice.choice(state.legal_actions()))
            plies += 1
        return plies

    return trial
