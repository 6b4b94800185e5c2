"""Fitness: the scores of nets in games against fixed opponents, on one board size or several, with both colours.

After Schaul and Schmidhuber 2009, section IV-B: the mean score over 100 games, alternating who starts. An evaluation is
cut into tasks of a few members each, plain data for any worker; chance is keyed by member and game, so the distribution
of tasks changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, nets
from zeroply.arena.play import Played
from zeroply.arena.populations import Colours, Population, Seats, game_keys, play_members
from zeroply.arena.scores import By, Scoring, lateness
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.learning.evolution.executors import Workers
from zeroply.nets.population import PopulationNet
from zeroply.players import Choice, FollowingPlayer, Player, player
from zeroply.specs import Spec

GAMES_OF_A_TASK = 500
"""A task has as many members as make up this many games; fixed, so that tasks are the same for any workers."""
MOST_GAMES = 1_000_000
"""The most games of a member in one evaluation."""


@dataclass(frozen=True)
class Trial:
    """Games against one opponent on one board."""

    game: str
    """Spec of the game."""
    opponent: str
    """Spec of the opponent."""
    games: int
    """Games of each member, even."""
    colours: Colours = "both"
    """With both, a member has Black in every other game, beginning with the first."""


@dataclass(frozen=True, kw_only=True)
class Fitness:
    """How nets are evaluated."""

    game: str
    """Spec of the game they learn."""
    opponents: tuple[str, ...] = ("naive",)
    """Specs of the opponents."""
    games: int = 100
    """Games against each opponent on each board, even."""
    sizes: tuple[int, ...] = ()
    """Board sizes; none for that of the game."""
    by: By | None = None
    """How a game is scored; by default by length, Othello by discs."""
    temperature: float = 0.0
    """0 for greedy play; above, the nets draw their moves from the Gibbs distribution."""
    colours: Colours = "both"
    """The nets' colours: both in turn, or always the same."""

    def __post_init__(self) -> None:
        if not self.opponents:
            raise ZeroplyError("fitness needs an opponent: name one, such as naive")
        if not 2 <= self.games <= MOST_GAMES or self.games % 2:
            raise ZeroplyError(
                f"fitness needs an even number of games up to {MOST_GAMES:,}, so that each starts as often, "
                f"not {self.games}"
            )
        Choice(self.temperature)
        if len(set(self.trials())) < len(self.trials()):
            raise ZeroplyError("fitness has the same opponent on the same board twice: name each once")
        for trial in self.trials():
            self.scoring.check(game(trial.game))
        _ = self.fingerprints  # builds every opponent

    @property
    def scoring(self) -> Scoring:
        """How a game is scored."""
        return Scoring.usual(game(self.game), self.by)

    def trials(self) -> list[Trial]:
        """Every opponent on every board."""
        boards = [self.game] if not self.sizes else [str(resized(self.game, n)) for n in self.sizes]
        return [Trial(board, opponent, self.games, self.colours) for board in boards for opponent in self.opponents]

    def net(self, spec: str) -> PopulationNet:
        """The net for the game; raises ZeroplyError if it cannot play all boards."""
        own = nets.population_net(spec, game(self.game))
        for trial in self.trials():
            there = nets.population_net(spec, game(trial.game))
            if there.parameters != own.parameters:
                raise ZeroplyError(
                    f"net {spec} has {own.parameters} weights for {self.game} and {there.parameters} for {trial.game}: "
                    "it cannot change its board size"
                )
        return own

    @cached_property
    def fingerprints(self) -> list[str]:
        """One for each trial; differs if its opponent would play differently, as when its file has changed."""
        return [_made(trial).fingerprint() for trial in self.trials()]


def resized(rules: str | Game, size: int) -> Game:
    """The same game on another board."""
    spec = game(rules).spec
    return game(Spec(spec.name, *spec.args, **{**spec.kwargs, "size": size}))


@dataclass(frozen=True)
class FitnessTask:
    """Some members in one trial."""

    net: str
    """Spec of the net."""
    trial: Trial
    """Opponent and board."""
    fingerprint: str
    """Fingerprint of the opponent."""
    scoring: Scoring
    """How games are scored."""
    temperature: float
    """Of the members' play."""
    weights: NDArray[np.float32]
    """[members, parameters]."""
    first: int
    """Number of the first member, for chance."""
    key: int
    """Chance key of the evaluation."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a trial: arrays [members, games], every other game with Black if a member has both colours."""

    scores: NDArray[np.float64]
    """Score of each game."""
    results: NDArray[np.int8]
    """1 won, 0 drawn, -1 lost."""
    lateness: NDArray[np.float64]
    """How long each game lasted: 0 as short as possible, 1 as long."""

    @property
    def mean(self) -> NDArray[np.float64]:
        """[members]: the mean score."""
        return np.asarray(self.scores.mean(axis=1), np.float64)

    @classmethod
    def join(cls, parts: Sequence[Outcome]) -> Outcome:
        """The outcome of several groups of members."""
        return cls(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.results for part in parts]),
            np.concatenate([part.lateness for part in parts]),
        )


def try_members(task: FitnessTask) -> Outcome:
    """Play the games of a task."""
    rules, members, games = game(task.trial.game), len(task.weights), task.trial.games
    population = Population(nets.population_net(task.net, rules), task.weights, Choice(temperature=task.temperature))
    seats = Seats.pairs(np.stack([np.arange(members), np.zeros(members)], axis=1), games, task.trial.colours)
    keys = game_keys(task.key, np.arange(task.first, task.first + members), games)
    played = play_members([population, _opponent(task.trial, task.fingerprint)], seats, keys)
    return _seen_by_members(played, seats, task.scoring, (members, games))


def _seen_by_members(played: Played, seats: Seats, scoring: Scoring, shape: tuple[int, int]) -> Outcome:
    sign = np.where(seats.first_is_black, 1, -1)
    return Outcome(
        (sign * scoring.black(played)).reshape(shape),
        (sign * played.winner).astype(np.int8).reshape(shape),
        lateness(played.final.game, played.lengths).reshape(shape),
    )


def tasks(fitness: Fitness, net: str, weights: NDArray[np.float32], key: int) -> list[FitnessTask]:
    """An evaluation, cut into tasks: trial by trial, member by member."""
    step = max(1, GAMES_OF_A_TASK // fitness.games)
    return [
        FitnessTask(
            net,
            trial,
            fingerprint,
            fitness.scoring,
            fitness.temperature,
            weights[low : low + step],
            low,
            chance.key(key, "trial", number),
        )
        for number, (trial, fingerprint) in enumerate(zip(fitness.trials(), fitness.fingerprints, strict=True))
        for low in range(0, len(weights), step)
    ]


def evaluate(
    fitness: Fitness, net: str, weights: NDArray[np.float32], key: int, workers: Workers
) -> dict[Trial, Outcome]:
    """The outcome of every trial for all members."""
    work = tasks(fitness, net, weights, key)
    parts: dict[Trial, list[Outcome]] = {}
    for task, outcome in zip(work, workers.map(try_members, work), strict=True):
        parts.setdefault(task.trial, []).append(outcome)
    return {trial: Outcome.join(outcomes) for trial, outcomes in parts.items()}


def mean_score(outcomes: dict[Trial, Outcome]) -> NDArray[np.float64]:
    """[members]: the mean score over all trials, which is the paper's fitness."""
    return np.asarray(np.mean([outcome.mean for outcome in outcomes.values()], axis=0), np.float64)


def _made(trial: Trial) -> Player:
    opponent = player(trial.opponent, trial.game)
    if isinstance(opponent, FollowingPlayer):
        opponent.close()
        raise ZeroplyError(
            f"player {opponent} follows whole games and cannot be an opponent in evolution: choose another"
        )
    return opponent


@lru_cache(maxsize=64)
def _opponent(trial: Trial, fingerprint: str) -> Player:
    """The opponent of a trial, made once in each worker, and anew if it has changed."""
    opponent = _made(trial)
    if opponent.fingerprint() != fingerprint:
        raise ZeroplyError(
            f"the player {trial.opponent} of a worker differs from that of the run: give all workers the same files"
        )
    return opponent
