"""The authors' nets of 2008 in our games: do they score there what the authors recorded?

A recorded score and ours are both means over some games, so they differ by chance. `Agreement` compares the squared
differences with those that chance explains: if rules, opponents, net and scoring are the same, their ratio is 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.scores import Scoring
from zeroply.learning.evolution.executors import Threads
from zeroply.learning.evolution.fitness import Fitness, evaluate
from zeroply.progress import Progress, no_progress
from zeroply.studies.measured import Measured, pearson
from zeroply.studies.schaul.archive import Nets
from zeroply.studies.schaul.runs import Scores, Weights, authors_form, board

THEIR_GAMES = 100
"""Games behind a recorded score."""
_BLOCK = 20  # nets measured between two reports of progress


@dataclass(frozen=True)
class Replayed:
    """Games of some nets on one board: arrays [n, games], every other game with Black."""

    results: NDArray[np.float64]
    """1 won, 0 drawn, -1 lost."""
    lateness: NDArray[np.float64]
    """0 as short as possible, 1 as long as possible."""

    def games(self, by: str = "result") -> NDArray[np.float64]:
        """The score of each game, by its result alone or also by its length."""
        return self.results if by == "result" else self.results * (1 - Scoring("length").share * self.lateness)

    def scores(self, by: str = "result") -> Scores:
        """[n]: the mean score of each net."""
        return np.asarray(self.games(by).mean(axis=1), np.float64)

    def variance(self, by: str = "result") -> Scores:
        """[n]: the variance of a game, given its colour."""
        games = self.games(by)
        colours = games[:, ::2], games[:, 1::2]
        return np.asarray(np.mean([one.var(axis=1, ddof=min(1, one.shape[1] - 1)) for one in colours], axis=0))


def replay(
    nets: Nets, name: str, size: int, opponent: str, games: int, key: int, progress: Progress = no_progress
) -> Replayed:
    """Play the recorded nets on a board; they are all greedy."""
    results, late = np.empty((len(nets), games)), np.empty((len(nets), games))
    done = 0
    for k, rows, weights in nets.by_units():
        for low in range(0, len(rows), _BLOCK):
            some = slice(low, low + _BLOCK)
            results[rows[some]], late[rows[some]] = play(
                authors_form(k), weights[some], board(name, size), opponent, games, chance.key(key, k, low)
            )
            done += len(rows[some])
            progress(done, len(nets))
    return Replayed(results, late)


def replay_paper_form(nets: Nets, name: str, size: int, opponent: str, games: int, key: int) -> Replayed:
    """The same weights in the net that the text describes: the border passes through the hidden weights."""
    results, late = np.empty((len(nets), games)), np.empty((len(nets), games))
    for k, rows, weights in nets.by_units():
        results[rows], late[rows] = play(
            f"mdrnn(k={k})", paper_form(weights, k), board(name, size), opponent, games, chance.key(key, k)
        )
    return Replayed(results, late)


def paper_form(weights: Weights, k: int) -> Weights:
    """[n, parameters]: weights in the order of the paper's net, where an own stone is the first input."""
    border, hidden, inputs, output = np.split(weights, np.cumsum([k, k * k, 2 * k]), axis=1)
    swapped = inputs.reshape(-1, k, 2)[:, :, ::-1].reshape(-1, 2 * k)
    return np.ascontiguousarray(np.concatenate([swapped, hidden, border, output], axis=1))


def play(
    net: str, weights: Weights, spec: str, opponent: str, games: int, key: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Results and lateness [n, games] of nets of one form."""
    fitness = Fitness(game=spec, opponents=(opponent,), games=games, by="result")
    with Threads() as workers:
        (outcome,) = evaluate(fitness, net, weights, key, workers).values()
    return outcome.results.astype(np.float64), outcome.lateness


@dataclass(frozen=True)
class Agreement:
    """Recorded scores beside ours."""

    recorded: Scores
    """[n]."""
    ours: Scores
    """[n]."""
    variance: Scores
    """[n]: of one game."""
    games: int
    """Our games per net."""

    @classmethod
    def of(cls, recorded: Scores, replayed: Replayed, by: str = "result") -> Agreement:
        """Recorded scores and the same nets in our games."""
        return cls(recorded, replayed.scores(by), replayed.variance(by), replayed.results.shape[1])

    def __getitem__(self, rows: Any) -> Agreement:
        return Agreement(self.recorded[rows], self.ours[rows], self.variance[rows], self.games)

    def ratio(self) -> dict[str, Any]:
        """The squared differences of all nets over what chance in the games explains, with its standard error."""
        expected = self.variance * (1 / THEIR_GAMES + 1 / self.games)
        squares, total = np.square(self.recorded - self.ours), float(expected.sum())
        if not total:
            return {"n": len(squares), "ratio": 0.0, "error": None}
        ratio = float(squares.sum()) / total
        error = float(np.sqrt(np.square(squares - ratio * expected).sum())) / total
        return {"n": len(squares), "ratio": ratio, "error": error if len(squares) > 1 else None}

    def measures(self) -> dict[str, Any]:
        """For the log: correlation, both means, and the ratio."""
        means = {"recorded": float(self.recorded.mean()), "ours": float(self.ours.mean())}
        return {"correlation": pearson(self.recorded, self.ours), "possible": self.possible, **means, **self.ratio()}

    @property
    def possible(self) -> float:
        """The correlation that two measurements of the same nets would have, given the chance in games."""
        spread, noise = float(self.ours.var()), float(self.variance.mean())
        true = max(spread - noise / self.games, 0.0)
        product = spread * (true + noise / THEIR_GAMES)
        return true / math.sqrt(product) if product > 0 else 0.0


def ratio_of(measures: Mapping[str, Any]) -> Measured:
    """A logged ratio with its interval."""
    error = math.nan if measures["error"] is None else measures["error"]
    return Measured(measures["ratio"], error, measures["n"] - 1, measures["n"])
