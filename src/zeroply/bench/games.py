"""Random games per second: in the core, through the Python batch API, and in other packages.

Every figure is the best of several short trials in one process; ratios compare plies per second, which is also
meaningful between Atari-Go here and Go elsewhere.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.arena.play import play
from zeroply.games import game
from zeroply.players import player
from zeroply.search.threads import on_threads

TRIALS = 3
PEER_GAMES = (("othello", "othello"), ("gomoku(size=9)", "gomoku(size=9)"), ("atarigo(size=9)", "go(board_size=9)"))
CORE_GAMES = (
    "othello",
    "othello(size=10)",
    "gomoku(size=9)",
    "gomoku(size=15)",
    "atarigo(size=5)",
    "atarigo(size=9)",
    "atarigo(size=19)",
)


@dataclass(frozen=True)
class Speed:
    """One measured figure."""

    what: str
    """Which program, such as `core, 1 thread`."""
    game: str
    """Which game."""
    games_per_second: float
    """Whole random games."""
    plies_per_second: float
    """Moves made in them."""


def measure(what: str, name: str, trial: Callable[[], tuple[int, int]], seconds: float) -> Speed:
    """Repeat `trial`, which plays some games and returns (games, plies), and return the fastest trial."""
    trial()
    best = (0.0, 0.0)
    for _ in range(TRIALS):
        start = time.perf_counter()
        games, plies = trial()
        while (spent := time.perf_counter() - start) < seconds / TRIALS:
            more_games, more_plies = trial()
            games, plies = games + more_games, plies + more_plies
        best = max(best, (games / spent, plies / spent))
    return Speed(what, name, *best)


def core_speeds(seconds: float) -> list[Speed]:
    """Random games inside the core, on one thread."""
    with on_threads(1):
        return [measure("core, 1 thread", name, _core_trial(name), seconds) for name in CORE_GAMES]


def _core_trial(name: str) -> Callable[[], tuple[int, int]]:
    rules = game(name).core
    number = 0

    def trial() -> tuple[int, int]:
        nonlocal number
        number += 1
        tally = rules.random_games(chance.key(number), 512)
        return tally.games, tally.plies

    return trial


def batch_speeds(seconds: float, threads: int, batch: int) -> list[Speed]:
    """`random` against itself, move by move through the Python batch API."""
    with on_threads(threads):
        what = f"Python, {threads} threads, batch {batch}"
        return [measure(what, name, _batch_trial(name, batch), seconds) for name in CORE_GAMES]


def _batch_trial(name: str, batch: int) -> Callable[[], tuple[int, int]]:
    rules = game(name)
    players = [player("random", rules), player("random", rules)]
    seats = np.tile(np.array([[0, 1], [1, 0]], np.int64), (batch // 2, 1))
    number = 0

    def trial() -> tuple[int, int]:
        nonlocal number
        number += 1
        played = play(players, seats, rules.start(len(seats)), chance.keys(number, np.arange(len(seats))))
        return len(seats), int(played.lengths.sum())

    return trial


def peer_speeds(seconds: float) -> list[Speed]:
    """The same in OpenSpiel and pgx, if installed."""
    speeds = []
    if importlib.util.find_spec("pyspiel"):
        for name, theirs in PEER_GAMES:
            speeds.append(measure("OpenSpiel", name, _open_spiel_trial(theirs), seconds))
    if importlib.util.find_spec("pgx"):
        for name, theirs in (("othello", "othello"), ("atarigo(size=9)", "go_9x9")):
            speeds.append(measure("pgx, batch 1024", name, _pgx_trial(theirs, 1024), seconds))
    return speeds


def _open_spiel_trial(name: str) -> Callable[[], tuple[int, int]]:
    import pyspiel

    rules = pyspiel.load_game(name)
    dice = random.Random(1)

    def trial() -> tuple[int, int]:
        state, plies = rules.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(dice.choice(state.legal_actions()))
            plies += 1
        return 1, plies

    return trial


def _pgx_trial(name: str, batch: int) -> Callable[[], tuple[int, int]]:
    import jax
    import pgx

    env = pgx.make(name)
    start, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))

    def draw_move(key: Any, legal: Any) -> Any:
        return jax.random.categorical(key, jax.numpy.where(legal, 0.0, -jax.numpy.inf), axis=-1)

    choose = jax.jit(draw_move)
    number = 0

    def trial() -> tuple[int, int]:
        nonlocal number
        number += 1
        key = jax.random.PRNGKey(number)
        state, plies = start(jax.random.split(key, batch)), 0
        while not bool(state.terminated.all()):
            key, draw = jax.random.split(key)
            plies += int((~state.terminated).sum())
            state = step(state, choose(draw, state.legal_action_mask))
        return batch, plies

    return trial
