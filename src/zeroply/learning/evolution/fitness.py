"""Fitness: the scores of nets in games against players or nets of the run, on any board sizes, with both colours.

After Schaul and Schmidhuber 2009, section IV-B: the mean score over 100 games, alternating who starts. With openings
every opening is played twice, colours swapped, and all members have the same openings and opponents. An evaluation is
cut into tasks of some members each, plain data for any worker; chance is keyed by member and game, so the distribution
of tasks changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, nets
from zeroply.arena.member_games import play_games
from zeroply.arena.openings import Opening, openings, positions_of
from zeroply.arena.populations import Colours, Population, Seats, game_keys, play_members
from zeroply.arena.scores import By, Scoring, lateness
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.learning.evolution.executors import Threads, Workers
from zeroply.learning.evolution.net_opponents import NetOpponents, net_opponents
from zeroply.nets.population import PopulationNet
from zeroply.players import Choice, FollowingPlayer, Player, player
from zeroply.specs import Spec

GAMES_OF_A_TASK = 500
"""A task has as many members as make up this many games."""
GAMES_IN_THE_CORE = 100_000
"""The same for games between nets whose workers are threads: the core spreads them over its own threads."""
MOST_GAMES = 1_000_000
"""The most games of a member in one evaluation."""


@dataclass(frozen=True)
class Trial:
    """Games against one opponent on one board."""

    game: str
    """Spec of the game."""
    opponent: str
    """Spec of the opponent, a player or nets of the run such as `earlier(n=3)`."""
    games: int
    """Games of each member, even."""
    colours: Colours = "both"
    """With both, a member has Black in every other game, beginning with the first."""

    @property
    def nets(self) -> NetOpponents | None:
        """How opponents are drawn from the run, if they are."""
        return net_opponents(self.opponent)


@dataclass(frozen=True, kw_only=True)
class Fitness:
    """How nets are evaluated."""

    game: str
    """Spec of the game they learn."""
    opponents: tuple[str, ...] = ("naive",)
    """Specs of the opponents: players, or nets of the run (see `zeroply.learning.evolution.net_opponents`)."""
    games: int = 100
    """Games against each opponent on each board, even."""
    openings: str = "none"
    """Spec of the openings; random ones are new in each generation."""
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
            openings(self.openings, game(trial.game), pairs=self.games // 2)
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
        return [trial.opponent if trial.nets else _made(trial).fingerprint() for trial in self.trials()]

    def starts(self, board: str, key: int) -> tuple[Opening, ...]:
        """The openings of the games on a board in the evaluation with this key, one for two games; none if unused."""
        if self.openings == "none":
            return ()
        pairs = self.games // 2
        seed = chance.key(key, "openings")
        found = openings(self.openings, game(board), seed, pairs)
        rows = chance.below(len(found), seed, np.arange(pairs)) if found.listed else np.arange(pairs)
        return tuple(found[int(row)] for row in rows)


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
    starts: tuple[Opening, ...] = ()
    """Openings, one for two games; none for the usual start."""
    opponents: NDArray[np.float32] | None = None
    """[opponents, parameters]: the nets of the run that take turns as opponents, if it is not a player."""


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
    keys = game_keys(task.key, np.arange(task.first, task.first + members), games)
    starts = rules.start(members * games)
    if task.starts:
        starts = positions_of(rules, task.starts)[np.tile(np.repeat(np.arange(games // 2), 2), members)]
    net, choice = nets.population_net(task.net, rules), Choice(temperature=task.temperature)
    turns = {"both": [True, False], "black": [True, True], "white": [False, False]}[task.trial.colours]
    black = np.tile(turns, members * games // 2)  # whether the member has Black
    if task.opponents is None:
        pairs = np.stack([np.arange(members), np.zeros(members)], axis=1)
        seats = Seats.pairs(pairs, games, task.trial.colours)
        sides: list[Population | Player] = [
            Population(net, task.weights, choice),
            _opponent(task.trial, task.fingerprint),
        ]
        played = play_members(sides, seats, keys, starts)
        winner, scores, lengths = played.winner, played.final.score(), played.lengths
    else:
        member = np.repeat(np.arange(members), games)
        other = members + np.tile(np.repeat(np.arange(games // 2), 2) % len(task.opponents), members)
        both = np.where(black[:, None], np.stack([member, other], 1), np.stack([other, member], 1))
        finished = play_games(net, np.concatenate([task.weights, task.opponents]), both, starts, keys, choice)
        winner, scores = np.sign(finished.scores).astype(np.int8), finished.scores
        lengths = finished.lengths.astype(np.int64)
    plies = lengths + starts.move_number() if task.starts else lengths
    shape, sign = (members, games), np.where(black, 1, -1)
    return Outcome(
        (sign * task.scoring.points(rules, winner, scores, plies)).reshape(shape),
        (sign * winner).astype(np.int8).reshape(shape),
        lateness(rules, plies).reshape(shape),
    )


def tasks(
    fitness: Fitness,
    net: str,
    weights: NDArray[np.float32],
    key: int,
    opponents: Mapping[str, NDArray[np.float32]] | None = None,
    together: int = GAMES_OF_A_TASK,
) -> list[FitnessTask]:
    """An evaluation, cut into tasks: trial by trial, member by member.

    `opponents` has the opponents [n, parameters] that were drawn from the run, by spec.
    """
    drawn = opponents or {}
    boards = {trial.game: fitness.starts(trial.game, key) for trial in fitness.trials()}
    work = []
    for number, (trial, fingerprint) in enumerate(zip(fitness.trials(), fitness.fingerprints, strict=True)):
        others = drawn.get(trial.opponent)
        step = max(1, (GAMES_OF_A_TASK if others is None else together) // fitness.games)
        work += [
            FitnessTask(
                net,
                trial,
                fingerprint,
                fitness.scoring,
                fitness.temperature,
                weights[low : low + step],
                low,
                chance.key(key, "trial", number),
                boards[trial.game],
                others,
            )
            for low in range(0, len(weights), step)
        ]
    return work


def evaluate(
    fitness: Fitness,
    net: str,
    weights: NDArray[np.float32],
    key: int,
    workers: Workers,
    opponents: Mapping[str, NDArray[np.float32]] | None = None,
) -> dict[Trial, Outcome]:
    """The outcome of every trial for all members."""
    together = GAMES_IN_THE_CORE if isinstance(workers, Threads) else GAMES_OF_A_TASK
    work = tasks(fitness, net, weights, key, opponents, together)
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
