"""Competitive coevolution of two populations: hosts are judged by the parasites they beat, then the roles change.

After Schaul and Schmidhuber 2009, section V-D, with the enhancements of Rosin and Belew 1995: shared fitness, shared
sampling and a hall of fame, each in a file of its own. No opponent is given from outside; all there is to learn from is
the other population, now and in earlier generations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, levels, nets
from zeroply.arena.scores import By, Scoring
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning import champions
from zeroply.learning.coevolution.hall_of_fame import draw_from
from zeroply.learning.coevolution.meetings import meetings
from zeroply.learning.coevolution.shared_fitness import best_first, shared_fitness
from zeroply.learning.coevolution.shared_sampling import shared_sampling
from zeroply.learning.evolution.executors import Workers, workers
from zeroply.learning.evolution.strategies import mutated
from zeroply.nets.population import PopulationNet
from zeroply.options import turned_off
from zeroply.players import Choice
from zeroply.runs import Run, RunRecord, stored

KIND = "coevolve"
MOST_GAMES = 10_000
"""The most games of one meeting."""
_SECONDS_BETWEEN_CHECKPOINTS = 5.0

Weights = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class HostParasiteConfig:
    """Everything that decides what coevolves."""

    game: str = "atarigo(size=5)"
    """Spec of the game."""
    net: str = "mdrnn(k=10)"
    """Spec of a population net."""
    population: int = 15
    """Members of each of the two populations."""
    kept: int = 5
    """How many of the hosts are parents of their next generation; the paper takes a third."""
    elitist: Annotated[bool, turned_off("These parents do not stay themselves: only mutated copies go on.")] = True
    """Whether these parents stay themselves; if not, only their mutated copies go on."""
    opponents: int = 15
    """How many opponents every host meets."""
    famous: int = 10
    """How many of these are from the hall of fame, once it holds so many."""
    games: int = 2
    """Games of a meeting, even; with greedy play two are enough."""
    temperature: float = 0.0
    """0 for greedy play; above, the nets draw their moves from the Gibbs distribution."""
    sigma: float = 0.1
    """Standard deviation of a change of a weight."""
    by: By | None = None
    """How a game is scored: result and length, the result alone, or discs; by default length, Othello discs."""
    generations: int = 400
    """How many generations are evaluated."""
    seed: int = 0
    """What all chance comes from."""

    def __post_init__(self) -> None:
        if not 2 <= self.population <= 10_000:
            raise ZeroplyError(f"a population has 2 to 10000 members, not {self.population}")
        if not 1 <= self.kept <= self.population:
            raise ZeroplyError(f"from 1 to all {self.population} hosts can be parents, not {self.kept}")
        if not 0 <= self.famous < self.opponents:
            raise ZeroplyError(f"of {self.opponents} opponents from 0 to all but one can be famous, not {self.famous}")
        if self.opponents - self.famous > self.population:
            raise ZeroplyError(
                f"{self.opponents - self.famous} parasites cannot be drawn from a population of {self.population}"
            )
        if self.generations < 1:
            raise ZeroplyError(f"coevolution needs 1 generation or more, not {self.generations}")
        if not 2 <= self.games <= MOST_GAMES or self.games % 2:
            raise ZeroplyError(
                f"a meeting has an even number of games up to {MOST_GAMES:,}, so that each starts as often, "
                f"not {self.games}"
            )
        if not 0 < self.sigma <= 1000:
            raise ZeroplyError(f"sigma must be above 0 and at most 1000, not {self.sigma}")
        Choice(self.temperature)
        self.scoring.check(game(self.game))

    @property
    def scoring(self) -> Scoring:
        """How a game is scored."""
        return Scoring.usual(game(self.game), self.by)


@dataclass(frozen=True)
class Generation:
    """How a generation came out, from the hosts' side."""

    number: int
    """Counting from 1."""
    hosts: int
    """Which population were the hosts: 0 or 1; it is the other's turn in the next generation."""
    best: float
    """Shared fitness of the champion, the best host."""
    beaten: int
    """How many of its opponents the champion beat."""
    score: float
    """The champion's mean score against its opponents."""
    mean: float
    """Mean score of all hosts."""


Progress = Callable[[Generation, int], None]
"""Called with a generation that is done and the number of generations in all."""


@dataclass(frozen=True)
class Coevolved:
    """What a run has come to."""

    champion: Path
    """Net file of the last champion."""
    generations: tuple[Generation, ...]
    """All generations so far."""


@dataclass
class State:
    """Where coevolution stands between two generations."""

    populations: list[Weights]
    """Two of [members, parameters]."""
    beaten: list[NDArray[np.bool_]]
    """Of each population [members, opponents]: whom each member beat when it was last host."""
    scores: list[NDArray[np.float64]]
    """Of each population [members]: the mean score of that time."""
    champions: list[NDArray[np.float32]]
    """The best host of every generation: those of population 0, then 1, then 0, ..."""

    @classmethod
    def start(cls, net: PopulationNet, members: int, seed: int) -> State:
        """Two untrained populations that have not played."""
        keys = [chance.keys(chance.key(seed, KIND, "start", which), np.arange(members)) for which in (0, 1)]
        return cls(
            [net.initial(those) for those in keys],
            [np.zeros((members, 0), bool) for _ in keys],
            [np.zeros(members) for _ in keys],
            [],
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is needed to go on; `from_arrays` takes it back."""
        found: dict[str, NDArray[Any]] = {champions.ARRAY: np.stack(self.champions)}
        for which in (0, 1):
            found |= {
                f"population {which}": self.populations[which],
                f"beaten {which}": self.beaten[which],
                f"scores {which}": self.scores[which],
            }
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> State:
        """The state that `arrays` gave."""
        populations, beaten, scores = (
            [arrays[f"{what} {which}"] for which in (0, 1)] for what in ("population", "beaten", "scores")
        )
        return cls(populations, beaten, scores, list(arrays[champions.ARRAY]))

    def hall_of_fame(self, which: int) -> Weights:
        """[n, parameters]: the champions of a population. reading: each population has a hall of fame of its own."""
        rows = self.champions[which::2]
        return np.stack(rows) if rows else np.empty((0, self.populations[which].shape[1]), np.float32)


def coevolve(
    config: HostParasiteConfig,
    folder: str | os.PathLike[str],
    where: str = "threads",
    progress: Progress | None = None,
) -> Coevolved:
    """Coevolve nets as a run in a new folder; `where` says who plays the games (see `executors.workers`)."""
    nets.population_net(config.net, game(config.game))
    with (
        workers(where) as those,
        Run.create(folder, kind=KIND, config=stored(config), seed=config.seed, level=levels.chosen()) as run,
    ):
        return _coevolve(config, run, those, progress)


def resume(run: Run, where: str = "threads", progress: Progress | None = None) -> Coevolved:
    """Go on with coevolution from where its run stands."""
    config = run.config(HostParasiteConfig)
    with workers(where) as those:
        return _coevolve(config, run, those, progress)


def coevolved(run: RunRecord) -> Coevolved:
    """What a run has come to, from its events."""
    names = list(Generation.__dataclass_fields__)
    found = tuple(Generation(*(event[name] for name in names)) for event in run.events("generation"))
    return Coevolved(run.folder / champions.FILE, found)


def _coevolve(config: HostParasiteConfig, run: Run, those: Workers, progress: Progress | None) -> Coevolved:
    net = nets.population_net(config.net, game(config.game))
    state = State.from_arrays(run.arrays) if run.arrays else State.start(net, config.population, config.seed)
    while len(state.champions) < config.generations and not run.finished:
        done = generation(config, state, those)
        run.log("generation", **vars(done))
        if done.number == config.generations or run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
            run.save({"generation": done.number}, state.arrays())
        if progress:
            progress(done, config.generations)
    result = coevolved(run)
    if not run.finished:
        last = vars(result.generations[-1])
        training = {"run": KIND, **stored(config), "seed": config.seed, "generation": last["number"]}
        champions.save_champion(run.folder / champions.FILE, net, state.champions[-1], training)
        run.finish({"champion": champions.FILE, **last})
    return result


def generation(config: HostParasiteConfig, state: State, those: Workers) -> Generation:
    """The hosts meet their opponents, the best of them becomes famous, and their population moves on."""
    number = len(state.champions) + 1
    key = chance.key(config.seed, KIND, number)
    hosts, parasites = (number - 1) % 2, number % 2
    opponents = choose_opponents(config, state, parasites, key)
    scores = meetings(
        config.game,
        config.net,
        state.populations[hosts],
        opponents,
        config.scoring,
        chance.key(key, "games"),
        those,
        games=config.games,
        temperature=config.temperature,
    ).scores
    beaten = scores > 0
    order = best_first(beaten, scores)
    champion = int(order[0])
    state.champions.append(state.populations[hosts][champion].copy())  # a view would keep the whole population
    _follow(config, state, hosts, order[: config.kept], beaten, scores.mean(axis=1), chance.key(key, "mutation"))
    return Generation(
        number,
        hosts,
        float(shared_fitness(beaten)[champion]),
        int(beaten[champion].sum()),
        float(scores[champion].mean()),
        float(scores.mean()),
    )


def choose_opponents(config: HostParasiteConfig, state: State, parasites: int, key: int) -> Weights:
    """[opponents, parameters]: parasites by shared sampling, then members of their hall of fame.

    reading: a parasite is known by whom it beat when it was last host (all of them members or champions of the
    population that is host now); a mutated copy that has not played yet by what its parent did.
    """
    hall = state.hall_of_fame(parasites)
    famous = draw_from(len(hall), config.famous, chance.key(key, "hall of fame"))
    wanted = min(config.opponents - len(famous), config.population)
    if state.beaten[parasites].shape[1]:
        chosen = shared_sampling(state.beaten[parasites], state.scores[parasites], wanted)
    else:
        chosen = draw_from(config.population, wanted, chance.key(key, "parasites")).tolist()
    return np.concatenate([state.populations[parasites][chosen], hall[famous]])


def _follow(
    config: HostParasiteConfig,
    state: State,
    hosts: int,
    parents: NDArray[np.int64],
    beaten: NDArray[np.bool_],
    scores: NDArray[np.float64],
    key: int,
) -> None:
    """The hosts' next generation: the parents, if they stay, and mutated copies of them; with their records."""
    stay = parents if config.elitist else parents[:0]
    copied = parents[np.arange(config.population - len(stay)) % len(parents)]
    before = state.populations[hosts]
    state.populations[hosts] = np.concatenate([before[stay], mutated(before[copied], config.sigma, key)])
    rows = np.concatenate([stay, copied])
    state.beaten[hosts], state.scores[hosts] = beaten[rows], scores[rows]
