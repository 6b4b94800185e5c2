"""Competitive coevolution of two populations: hosts are ranked by the parasites they beat, then the roles change.

After Schaul and Schmidhuber 2009, section V-D, with the enhancements of Rosin and Belew 1995: shared fitness, shared
sampling and a hall of fame, each in a separate file. The only opponents are members of the other population, now and
in earlier generations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, nets
from zeroply.arena.scores import By, Scoring
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning import champions
from zeroply.learning.coevolution.hall_of_fame import draw_from
from zeroply.learning.coevolution.meetings import meetings
from zeroply.learning.coevolution.shared_fitness import best_first, shared_fitness
from zeroply.learning.coevolution.shared_sampling import shared_sampling
from zeroply.learning.evolution.config import check_scale
from zeroply.learning.evolution.executors import Workers
from zeroply.learning.generations import Generations, generation_chart
from zeroply.learning.strategies import Weights, fitness_of
from zeroply.learning.strategies.mu_lambda import MuLambda
from zeroply.nets.population import PopulationNet
from zeroply.options import turned_off
from zeroply.players import Choice
from zeroply.runs import Array, Json, python_call

KIND = "coevolve"
MOST_GAMES = 10_000
"""The most games between a host and an opponent."""


@dataclass(frozen=True, kw_only=True)
class HostParasiteConfig:
    """Settings that decide what coevolves."""

    game: str = "atarigo(size=5)"
    """Spec of the game."""
    net: str = "mdrnn(k=10)"
    """Spec of a population net."""
    population: int = 15
    """Members of each of the two populations."""
    parents: int = 5
    """Hosts that are parents of the next generation; the paper takes a third."""
    elitist: Annotated[bool, turned_off("Replace the parents: only mutated copies stay.")] = True
    """Whether the parents stay; if not, only their mutated copies do."""
    opponents: int = 15
    """Opponents of every host."""
    hall_of_fame: int = 10
    """Opponents from the hall of fame, once it is that large."""
    shared_hall: bool = False
    """Draw from one hall of fame with the champions of both populations; by default from that of the parasites."""
    shared_sampling: Annotated[bool, turned_off("Draw parasites at random.")] = True
    """Whether parasites are chosen by shared sampling; if not, they are drawn at random."""
    games: int = 2
    """Games between a host and an opponent, even; with greedy play two are enough."""
    temperature: float = 0.0
    """0 for greedy play; above 0 the nets draw their moves from the Gibbs distribution."""
    sigma: float = 0.1
    """Standard deviation of the change of a weight."""
    weights_scale: float = 1.0
    """Factor of the random initial weights."""
    by: By | None = None
    """How a game is scored: result and length, the result alone, or discs; by default length, Othello discs."""
    generations: int = 400
    """Number of generations."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if not 2 <= self.population <= 10_000:
            raise ZeroplyError(f"a population has 2 to 10000 members, not {self.population}")
        if not 1 <= self.parents <= self.population:
            raise ZeroplyError(
                f"parents must be from 1 to {self.population}, the size of a population, not {self.parents}"
            )
        if not 0 <= self.hall_of_fame < self.opponents:
            raise ZeroplyError(
                f"hall_of_fame must be below the number of opponents, {self.opponents}, not {self.hall_of_fame}"
            )
        if self.opponents - self.hall_of_fame > self.population:
            raise ZeroplyError(
                f"{self.opponents - self.hall_of_fame} parasites cannot be drawn from a population of {self.population}"
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
        check_scale(self.weights_scale)
        Choice(self.temperature)
        self.scoring.check(game(self.game))

    @property
    def scoring(self) -> Scoring:
        """How a game is scored."""
        return Scoring.usual(game(self.game), self.by)


@dataclass(frozen=True)
class HostParasiteGeneration:
    """Figures of a generation of hosts."""

    number: int
    """Counting from 1."""
    hosts: int
    """Which population were the hosts: 0 or 1; the other one follows in the next generation."""
    best: float
    """Shared fitness of the champion, the best host."""
    beaten: int
    """Opponents that the champion beat."""
    score: float
    """The champion's mean score against its opponents."""
    mean: float
    """Mean score of all hosts."""


class HostPopulation:
    """One of the two populations: its strategy, and how its members did when they were last hosts."""

    def __init__(self, config: HostParasiteConfig, population: Weights) -> None:
        self.strategy = MuLambda(population, config.parents, config.sigma, plus=config.elitist)
        self.beaten = np.zeros((len(population), 0), bool)
        """[members, opponents]: whom each member, or the parent it is a copy of, beat."""
        self.scores = np.zeros(len(population))
        """[members]: its mean score then."""

    @property
    def population(self) -> Weights:
        """[members, parameters]."""
        return self.strategy.population

    def tell(self, order: NDArray[np.int64], beaten: NDArray[np.bool_], scores: NDArray[np.float64], key: int) -> None:
        """Make the next generation; copies inherit what their parents did."""
        self.strategy.tell(fitness_of(order, len(order)), key)
        self.beaten, self.scores = beaten[self.strategy.origins], scores[self.strategy.origins]


class Populations:
    """The state between two generations: two populations, and the champions of all generations."""

    def __init__(self, config: HostParasiteConfig, net: PopulationNet) -> None:
        self.config = config
        numbers = np.arange(config.population)
        starts = (chance.key(config.seed, KIND, "start", which) for which in (0, 1))
        scale = np.float32(config.weights_scale)
        self.sides = [HostPopulation(config, net.initial(chance.keys(start, numbers)) * scale) for start in starts]
        self.champions: list[NDArray[np.float32]] = []
        """The best host of every generation: of population 0, then 1, then 0, ..."""

    def arrays(self) -> dict[str, Array]:
        """The state."""
        state: dict[str, Array] = {champions.ARRAY: np.stack(self.champions)}
        for which, side in enumerate(self.sides):
            own = {**side.strategy.arrays(), "beaten": side.beaten, "scores": side.scores}
            state |= {f"{name} {which}": array for name, array in own.items()}
        return state

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Set the state to what `arrays` returned."""
        self.champions = list(arrays[champions.ARRAY])
        for which, side in enumerate(self.sides):
            own = {
                name.removesuffix(f" {which}"): array for name, array in arrays.items() if name.endswith(f" {which}")
            }
            side.strategy.restore(own)
            side.beaten, side.scores = own["beaten"], own["scores"]

    def hall_of_fame(self, which: int) -> Weights:
        """[n, parameters]: the champions of a population, or of both.

        reading: each population has a hall of fame of its own; `shared_hall` is that of the authors' scripts.
        """
        rows = self.champions if self.config.shared_hall else self.champions[which::2]
        return np.stack(rows) if rows else np.empty((0, self.sides[which].population.shape[1]), np.float32)

    def opponents(self, parasites: int, key: int) -> Weights:
        """[opponents, parameters]: parasites by shared sampling, then members of their hall of fame.

        reading: a parasite is sampled by whom it beat when it was last host (all of them members or champions of the
        population that is host now); a mutated copy that has not played yet by whom its parent beat.
        """
        config, side, hall = self.config, self.sides[parasites], self.hall_of_fame(parasites)
        drawn = draw_from(len(hall), config.hall_of_fame, chance.key(key, "hall of fame"))
        wanted = min(config.opponents - len(drawn), config.population)
        if config.shared_sampling and side.beaten.shape[1]:
            chosen = shared_sampling(side.beaten, side.scores, wanted)
        else:
            chosen = draw_from(config.population, wanted, chance.key(key, "parasites")).tolist()
        return np.concatenate([side.population[chosen], hall[drawn]])

    def generation(self, workers: Workers) -> HostParasiteGeneration:
        """The hosts play their opponents, the best joins the hall of fame, and the next generation is made."""
        config, number = self.config, len(self.champions) + 1
        key = chance.key(config.seed, KIND, number)
        hosts, parasites = (number - 1) % 2, number % 2
        side = self.sides[hosts]
        population = side.strategy.ask(key)
        scores = meetings(
            config.game,
            config.net,
            population,
            self.opponents(parasites, key),
            config.scoring,
            chance.key(key, "games"),
            workers,
            games=config.games,
            temperature=config.temperature,
        ).scores
        beaten = scores > 0
        order = best_first(beaten, scores)
        champion = int(order[0])
        self.champions.append(population[champion].copy())  # a view would keep the whole population in memory
        side.tell(order, beaten, scores.mean(axis=1), chance.key(key, "mutation"))
        return HostParasiteGeneration(
            number,
            hosts,
            float(shared_fitness(beaten)[champion]),
            int(beaten[champion].sum()),
            float(scores[champion].mean()),
            float(scores.mean()),
        )


class HostParasite(Generations[HostParasiteConfig, HostParasiteGeneration]):
    """Coevolve nets without other opponents; writes champion.safetensors into the folder.

    The default preset, schaul, has two populations, hosts and parasites, with shared fitness, shared sampling and a
    hall of fame. The other preset, lin-white, coevolves spatial nets of Othello and has its own options:
    zeroply coevolve --preset lin-white --help

    Example: zeroply coevolve --preset schaul --game "atarigo(size=5)" --generations 400 --seed 1 --run runs/coevolved
    """

    kind = KIND
    config_type = HostParasiteConfig
    generation_type = HostParasiteGeneration
    charts = (
        generation_chart("champion", "best", "beaten"),
        generation_chart("score", "score", "mean"),
    )
    heading = "the best host of a generation: shared fitness, opponents beaten, mean score; mean score of all hosts"
    columns = ("generation", "population", "fitness", "beaten", "score", "mean")

    def prepare(self) -> PopulationNet:
        return nets.population_net(self.config.net, game(self.config.game))

    def start(self) -> None:
        self.populations = Populations(self.config, self.net)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        self.populations.restore(arrays)

    def step(self) -> None:
        self.log_generation(self.populations.generation(self.workers))

    @property
    def done(self) -> int:
        return len(self.populations.champions)

    def arrays(self) -> dict[str, Array]:
        return self.populations.arrays()

    def champion(self) -> NDArray[np.float32]:
        return self.populations.champions[-1]

    @classmethod
    def line(cls, one: HostParasiteGeneration) -> str:
        return f"beat {one.beaten}, score {one.score:+.2f}"

    @classmethod
    def row(cls, one: HostParasiteGeneration) -> Sequence[str]:
        numbers = (f"{one.best:.2f}", str(one.beaten), f"{one.score:+.3f}", f"{one.mean:+.3f}")
        return str(one.number), "AB"[one.hosts], *numbers


coevolve = python_call(HostParasite)
