"""Meetings: every net of one group plays every net of another, each starting as often, and the mean score is kept.

This is the relative fitness of Schaul and Schmidhuber 2009 (section V-D); hosts meet parasites in this way, and
champions meet in dominance tournaments and CIAO plots. Two nets that play greedily need two games only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, nets
from zeroply.arena.populations import Population, Seats, play_members
from zeroply.arena.scores import Scoring
from zeroply.games import game
from zeroply.learning.evolution.executors import Workers
from zeroply.players import Choice

Weights = NDArray[np.float32]

GAMES_OF_A_TASK = 2000
"""A task has as many rows as make up this many games; fixed, so that tasks are the same for any workers."""


@dataclass(frozen=True)
class Task:
    """Some rows of a table of meetings."""

    game: str
    """Spec of the game."""
    net: str
    """Spec of the net."""
    scoring: Scoring
    """How games are scored."""
    temperature: float
    """Of all play."""
    games: int
    """Games of a meeting."""
    rows: Weights
    """[rows, parameters]."""
    columns: Weights
    """[columns, parameters]."""
    keys: NDArray[np.uint64]
    """[rows, columns]: what names each meeting for chance."""


def meet(task: Task) -> NDArray[np.float64]:
    """[rows, columns]: the mean score of the row's net."""
    net, choice = nets.population_net(task.net, game(task.game)), Choice(temperature=task.temperature)
    pairs = np.indices(task.keys.shape).reshape(2, -1).T
    seats = Seats.pairs(pairs, task.games)
    keys = chance.keys(task.keys.reshape(-1, 1), np.arange(task.games)[None, :]).reshape(-1)
    played = play_members([Population(net, w, choice) for w in (task.rows, task.columns)], seats, keys)
    scores = np.where(seats.first_is_black, 1, -1) * task.scoring.black(played)
    return np.asarray(scores.reshape(*task.keys.shape, task.games).mean(axis=2), np.float64)


def meetings(
    the_game: str,
    net: str,
    rows: Weights,
    columns: Weights,
    scoring: Scoring,
    key: int,
    workers: Workers,
    *,
    games: int = 2,
    temperature: float = 0.0,
) -> NDArray[np.float64]:
    """[rows, columns]: the mean score of the row's net against the column's; `key` names the table for chance."""
    keys = chance.keys(chance.keys(key, np.arange(len(rows)))[:, None], np.arange(len(columns))[None, :])
    step = max(1, GAMES_OF_A_TASK // max(1, games * len(columns)))
    work = [
        Task(
            the_game,
            net,
            scoring,
            temperature,
            games,
            rows[low : low + step],
            columns,
            keys[low : low + step],
        )
        for low in range(0, len(rows), step)
    ]
    parts = workers.map(meet, work)
    return np.concatenate(parts) if parts else np.empty(keys.shape)
