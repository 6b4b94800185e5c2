"""Meetings: every net of one group plays every net of another, each starting as often; scores and lengths are recorded.

This is the relative fitness of Schaul and Schmidhuber 2009 (section V-D); hosts meet parasites in this way, and
champions meet in dominance tournaments and CIAO plots. Two nets that play greedily need two games only.
"""

from __future__ import annotations

from collections.abc import Sequence
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
class MeetingTask:
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
    """[rows, columns]: the chance key of each meeting."""
    openings: tuple[str, ...] = ()
    """Board strings: game 2k and 2k + 1 of a meeting start from opening k, in turn; none for the start of the game."""


@dataclass(frozen=True)
class Met:
    """How some nets (rows) did against others (columns)."""

    scores: NDArray[np.float64]
    """[rows, columns]: the mean score of the row's net; above 0 it has beaten the column's."""
    lengths: NDArray[np.float64]
    """[rows, columns]: the mean number of moves of their games."""

    @classmethod
    def join(cls, parts: Sequence[Met], columns: int) -> Met:
        """One table of several groups of rows."""
        if not parts:
            return cls(np.empty((0, columns)), np.empty((0, columns)))
        return cls(np.concatenate([part.scores for part in parts]), np.concatenate([part.lengths for part in parts]))


def meet(task: MeetingTask) -> Met:
    """Play the games of a task."""
    net, choice = nets.population_net(task.net, game(task.game)), Choice(temperature=task.temperature)
    pairs = np.indices(task.keys.shape).reshape(2, -1).T
    seats = Seats.pairs(pairs, task.games)
    keys = chance.keys(task.keys.reshape(-1, 1), np.arange(task.games)[None, :]).reshape(-1)
    starts = None
    if task.openings:
        order = np.arange(len(seats)) % task.games // 2 % len(task.openings)
        starts = net.game.parse(list(task.openings))[order]
    played = play_members([Population(net, w, choice) for w in (task.rows, task.columns)], seats, keys, starts)
    scores = np.where(seats.first_is_black, 1, -1) * task.scoring.black(played)
    shape = (*task.keys.shape, task.games)
    return Met(*(np.asarray(each.reshape(shape).mean(axis=2), np.float64) for each in (scores, played.lengths)))


def meetings(
    rules: str,
    net: str,
    rows: Weights,
    columns: Weights,
    scoring: Scoring,
    key: int,
    workers: Workers,
    *,
    games: int = 2,
    temperature: float = 0.0,
    openings: Sequence[str] = (),
) -> Met:
    """Every net of the rows against every net of the columns; `key` is the chance key of the table.

    With `openings`, board strings, the games of every meeting start from them in turn, each with both colours.
    """
    keys = chance.keys(chance.keys(key, np.arange(len(rows)))[:, None], np.arange(len(columns))[None, :])
    step = max(1, GAMES_OF_A_TASK // max(1, games * len(columns)))
    work = [
        MeetingTask(
            rules,
            net,
            scoring,
            temperature,
            games,
            rows[low : low + step],
            columns,
            keys[low : low + step],
            tuple(openings),
        )
        for low in range(0, len(rows), step)
    ]
    return Met.join(workers.map(meet, work), len(columns))
