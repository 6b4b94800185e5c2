"""A fitness of one's own, named as `module:name` in the configuration of a run, in place of games against opponents.

It is a function `fitness(net, weights, keys)`: the architecture, weights `[members, parameters]` and a random key per
member, `[members]`; it returns a number per member, higher is better. Workers call it with some members at a time, so
the value of a member must depend on its own weights and key alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, nets, plugins
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning.evolution.executors import Workers

MEMBERS_OF_A_TASK = 16


@dataclass(frozen=True)
class OwnTask:
    """Some members to evaluate."""

    name: str
    """The function, as `module:name`."""
    game: str
    """Spec of the game."""
    net: str
    """Spec of the net."""
    weights: NDArray[np.float32]
    """[members, parameters]."""
    keys: NDArray[np.uint64]
    """[members]: random keys."""


def own_fitness(name: str) -> Callable[..., Any]:
    """The function of that name; raises ZeroplyError if its module was not imported or has no such function."""
    found = plugins.named(name, "fitness")
    if not callable(found):
        raise ZeroplyError(f"fitness {name} must be a function of a net, weights and keys")
    return found


def own_scores(
    name: str, game: str, net: str, weights: NDArray[np.float32], key: int, workers: Workers
) -> NDArray[np.float64]:
    """[members]: the fitness of all members; `key` is the chance key of the evaluation."""
    keys, step = chance.keys(key, np.arange(len(weights))), MEMBERS_OF_A_TASK
    parts = [slice(low, low + step) for low in range(0, len(weights), step)]
    work = [OwnTask(name, game, net, weights[part], keys[part]) for part in parts]
    return np.concatenate(workers.map(score_members, work))


def score_members(task: OwnTask) -> NDArray[np.float64]:
    """[members]: what the function returns, checked."""
    given = own_fitness(task.name)(nets.population_net(task.net, game(task.game)), task.weights, task.keys)
    try:
        scores = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise ZeroplyError(f"fitness {task.name} must return numbers, not {type(given).__name__}") from None
    members = len(task.weights)
    if scores.shape != (members,):
        raise ZeroplyError(
            f"fitness {task.name} must return a number per member: expected {members}, got an array of shape "
            f"{scores.shape}"
        )
    if not np.isfinite(scores).all():
        raise ZeroplyError(f"fitness {task.name} returned NaN or an infinite number")
    return scores
