"""The authors' nets of 2008 in our games: do they score there what the authors recorded?

A recorded score and ours are both means over some games, so they differ by chance. `Agreement` divides each difference
by its standard error: if rules, opponents, net and scoring are the same, the squares of these residuals average 1.
"""

from __future__ import annotations

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
        """[n]: the variance of a game, given its colour; two games against the trend keep it above 0."""
        games, sums = self.games(by), np.zeros(len(self.results))
        for colour in (games[:, ::2], games[:, 1::2]):
            n = colour.shape[1] + 2
            sums += (np.square(colour).sum(axis=1) + 2) / n - np.square(colour.sum(axis=1) / n)
        return sums / 2


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

    @property
    def squares(self) -> Scores:
        """[n]: squared differences over their variance."""
        both = self.variance * (1 / THEIR_GAMES + 1 / self.games)
        return np.asarray(np.square(self.recorded - self.ours) / both, np.float64)

    def measures(self) -> dict[str, Any]:
        """For the log: correlation, both means, and the mean square with its standard error."""
        squares = self.squares
        error = float(squares.std(ddof=1)) / np.sqrt(len(squares)) if len(squares) > 1 else None
        return {
            "n": len(squares),
            "correlation": pearson(self.recorded, self.ours),
            "possible": self.possible,
            "recorded": float(self.recorded.mean()),
            "ours": float(self.ours.mean()),
            "square": float(squares.mean()),
            "error": error,
        }

    @property
    def possible(self) -> float:
        """The correlation that two measurements of the same nets would have, given the chance in games."""
        noise = float(self.variance.mean()) / self.games
        spread = float(self.ours.var())
        true = max(spread - noise, 0.0)
        theirs = true + float(self.variance.mean()) / THEIR_GAMES
        return true / float(np.sqrt(spread * theirs)) if spread * theirs > 0 else 0.0


def mean_square(measures: Mapping[str, Any]) -> Measured:
    """The mean squared residual with its interval."""
    error = measures["error"]
    return Measured(measures["square"], float("nan") if error is None else error, measures["n"] - 1, measures["n"])
