"""Steps per second of vector environments with random legal actions, on one thread, beside pgx in the same run."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from zeroply.bench.games import Speed, measure
from zeroply.envs import vector
from zeroply.search.threads import on_threads

CASES = (("othello", None), ("othello", "random"), ("gomoku(size=9)", None), ("atarigo(size=9)", None))
"""Games and opponents."""
STEPS = 50
"""Steps of all environments per trial."""
PGX = "pgx with auto-reset"


def environment_speeds(seconds: float, batch: int) -> list[Speed]:
    """One row per case, and one of pgx if it is installed. Drawing the actions is part of the time."""
    with on_threads(1):
        speeds = [
            measure(f"zeroply, against {opponent or 'itself'}", game, _trial(game, opponent, batch), seconds)
            for game, opponent in CASES
        ]
    if importlib.util.find_spec("pgx"):
        speeds.append(measure(PGX, "othello", _pgx_trial(batch), seconds))
    return speeds


def _trial(game: str, opponent: str | None, batch: int) -> Callable[[], tuple[int, int]]:
    envs, dice = vector(game, batch, opponent=opponent), np.random.default_rng(1)
    seen, _ = envs.reset(seed=1)

    def trial() -> tuple[int, int]:
        nonlocal seen
        games = 0
        for _ in range(STEPS):
            mask = seen["action_mask"]
            actions = (dice.random(mask.shape, np.float32) * mask).argmax(axis=1)
            seen, _, ended, _, _ = envs.step(actions)
            games += int(ended.sum())
        return games, STEPS * batch

    return trial


def _pgx_trial(batch: int) -> Callable[[], tuple[int, int]]:
    """Its own way to reset, with steps, actions and resets compiled into one function."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("othello")
    step = auto_reset(env.step, env.init)

    def advance(state: Any, key: Any) -> Any:
        draw, rest = jax.random.split(key)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        return step(state, jax.random.categorical(draw, logits), rest)

    advance_all = jax.jit(jax.vmap(advance))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), batch))
    number = 0

    def trial() -> tuple[int, int]:
        nonlocal state, number
        ended = 0
        for _ in range(STEPS):
            number += 1
            state = advance_all(state, jax.random.split(jax.random.PRNGKey(number), batch))
            ended += int(state.terminated.sum())
        return ended, STEPS * batch

    return trial
