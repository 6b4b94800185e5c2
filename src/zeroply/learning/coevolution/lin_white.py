"""Coevolution of spatial nets for Othello from scratch, after Lin and White 2009, section II.

Every generation each parent has one mutated child, and all of them play the same extra children; the half with the most
discs are the parents of the next generation. Each weight has its own mutation step, which is mutated too
(`zeroply.learning.strategies.self_adaptive`). Observers measure the parents and change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.files import explained, write_atomically
from zeroply.games import game
from zeroply.learning import champions
from zeroply.learning.champions import POPULATIONS, save_champion, written_champion
from zeroply.learning.coevolution.observers import ObserverConfig, Observers
from zeroply.learning.coevolution.tournaments import Pairings, Tournament, fair, play_games, unfair
from zeroply.learning.evolution.executors import Workers
from zeroply.learning.generations import Generations, GenerationsResult, generation_chart, spread
from zeroply.learning.strategies import Weights, fitness_of
from zeroply.learning.strategies.self_adaptive import Factors, Parents, SelfAdaptive
from zeroply.nets import population_net
from zeroply.nets.spatial import SpatialNet
from zeroply.runs import Array, Chart, Json, TextTable, python_call
from zeroply.runs.checkpoint import packed

KIND = "lin-white"

Equal = Literal["parents", "offspring", "chance"]


@dataclass(frozen=True, kw_only=True)
class LinWhiteConfig:
    """Settings that decide what coevolves, and when it is observed."""

    net: str = "spatial(layer=queen)"
    """Spec of a spatial net: spatial(layer=queen), subsquares, king, rows, lines, or a .json file of squares."""
    generations: int = 10_000
    """Number of generations."""
    population: int = 100
    """Nets per generation, even: one half are parents, the other half their children."""
    opponents: int = 10
    """Extra children that every net plays, even; in the unfair tournament the mean number of games per net."""
    tournament: Tournament = "fair"
    """fair: all play the same extra children, new ones in each generation; lasting: the extra children of the first
    generation stay; unfair: opponents and number of games are random."""
    equal: Equal = "parents"
    """Who is ranked first at equal points. Reading: parents, as if nets were sorted by a stable sort."""
    step: float = 0.05
    """Initial mutation step of every weight."""
    factors: Factors = "own"
    """own: every mutation step of a child is multiplied by its own random number; common: all by the same number;
    same: each by the random number that also moves its weight."""
    save_every: int = 500
    """Write the population and its champion as files every this many generations, and at the end."""
    observe: ObserverConfig = field(default_factory=ObserverConfig)
    """Observers measure the parents by ladders and have no influence on evolution."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if not 4 <= self.population <= 10_000 or self.population % 2:
            raise ZeroplyError(
                f"a population is an even number of nets from 4 to 10000, half of them parents, not {self.population}"
            )
        if not 2 <= self.opponents <= 1000 or self.opponents % 2:
            raise ZeroplyError(f"opponents must be an even number from 2 to 1000, not {self.opponents}")
        if self.generations < 1 or self.save_every < 1:
            raise ZeroplyError("generations and save_every must be 1 or more")
        if not 0 < self.step <= 100:
            raise ZeroplyError(f"the first mutation step must be above 0 and at most 100, not {self.step}")
        if np.float32(self.step) == 0:
            raise ZeroplyError(f"the first mutation step must be above 0 in single precision, and {self.step} is 0")
        if self.observe.last is not None and self.observe.last > self.generations:
            raise ZeroplyError(
                f"every generation up to {self.observe.last} cannot be observed: the last is {self.generations}"
            )

    @property
    def parents(self) -> int:
        """Parents of a generation."""
        return self.population // 2


@dataclass(frozen=True)
class LinWhiteGeneration:
    """Figures of a generation."""

    number: int
    """Counting from 1."""
    best: int
    """Points of the best net."""
    mean: float
    """Mean points of all parents and children."""
    cut: int
    """Points of the last net that survives."""
    fresh: int
    """Survivors that are children."""
    survival: float
    """Mean survival time of the survivors."""
    oldest: int
    """The longest survival time."""


def spatial_net(spec: str) -> SpatialNet:
    """The architecture that evolves."""
    net = population_net(spec, game("othello"))
    if not isinstance(net, SpatialNet):
        raise ZeroplyError(f"the preset lin-white coevolves spatial nets, not {spec}")
    return net


def first_parents(config: LinWhiteConfig, net: SpatialNet) -> Parents:
    """Untrained parents."""
    keys = chance.keys(chance.key(config.seed, KIND, "start"), np.arange(config.parents))
    return Parents.first(net.initial(keys), config.step)


def strategy_of(config: LinWhiteConfig, parents: Parents) -> SelfAdaptive:
    """The strategy at some parents."""
    return SelfAdaptive(parents, 0 if config.tournament == "unfair" else config.opponents, config.factors)


def next_generation(
    config: LinWhiteConfig, net: SpatialNet, strategy: SelfAdaptive, workers: Workers
) -> LinWhiteGeneration:
    """Children, tournament, selection; changes the strategy."""
    number = strategy.parents.generation + 1
    key = chance.key(config.seed, KIND, number)
    weights = all_players(config, strategy, key)
    pairings = tournament(config, key)
    points = pairings.points(play_games(net, weights, pairings, workers), config.population)
    best = survivors(points, config, key)
    strategy.tell(fitness_of(best, config.population))
    ages = strategy.parents.ages
    return LinWhiteGeneration(
        number,
        int(points[best[0]]),
        float(points.mean()),
        int(points[best[-1]]),
        int((best >= config.parents).sum()),
        float(ages.mean()),
        int(ages.max()),
    )


def all_players(config: LinWhiteConfig, strategy: SelfAdaptive, key: int) -> Weights:
    """The nets that the strategy asks for; in a lasting tournament with the extra children of the first generation."""
    weights = strategy.ask(key)
    if config.tournament == "lasting" and strategy.parents.generation > 0:
        weights[config.population :] = first_opponents(config)
    return weights


@lru_cache(maxsize=1)
def first_opponents(config: LinWhiteConfig) -> Weights:
    """The extra children of the first generation."""
    strategy = strategy_of(config, first_parents(config, spatial_net(config.net)))
    weights = strategy.ask(chance.key(config.seed, KIND, 1))
    weights.flags.writeable = False  # every caller gets the same array
    return weights[config.population :]


def tournament(config: LinWhiteConfig, key: int) -> Pairings:
    """The pairings of the generation with this chance key."""
    if config.tournament == "unfair":
        return unfair(config.population, config.opponents, chance.key(key, "tournament"))
    return fair(config.population, config.opponents)


def survivors(points: NDArray[np.int64], config: LinWhiteConfig, key: int) -> NDArray[np.int64]:
    """[parents]: the nets with most points, best first."""
    nets = np.arange(config.population)
    first = {
        "parents": nets,
        "offspring": -nets,
        "chance": chance.draw(chance.key(key, "equal"), nets),
    }[config.equal]
    return np.asarray(np.lexsort((first, -points))[: config.parents], np.int64)


class LinWhite(Generations[LinWhiteConfig, LinWhiteGeneration]):
    """Coevolve spatial nets for Othello (Lin and White 2009); writes champion.safetensors into the folder.

    Half of a generation are parents, half their mutated children; the nets that win most discs are the next parents.
    Observers measure the parents by the ladder of `zeroply ladder`, without influence on evolution.

    Example: zeroply coevolve --preset lin-white --generations 2000 --seed 1 --run runs/queen
    """

    kind = KIND
    config_type = LinWhiteConfig
    generation_type = LinWhiteGeneration
    game = "othello"
    charts = (
        generation_chart("points", "best", "mean", "cut"),
        generation_chart("survival", "fresh", "survival", "oldest"),
        Chart("highest depth beaten", "observed", "generation", {"depth": "heights"}),
        Chart("size of weights and mutation steps", "observed", "generation", {"step": "step", "weight": "weight"}),
    )
    heading = "points of a generation, new parents, and mean survival time of the parents"
    columns = ("generation", "best", "mean", "new", "survival")
    net: SpatialNet

    def prepare(self) -> SpatialNet:
        net = spatial_net(self.config.net)
        self.config = replace(self.config, net=str(net.spec))  # the run holds a layer that was read from a file
        self.observers = Observers(net, self.config.observe)
        return net

    def start(self) -> None:
        self.strategy = strategy_of(self.config, first_parents(self.config, self.net))

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.strategy = strategy_of(self.config, Parents.from_arrays(arrays))

    def step(self) -> None:
        config = self.config
        self.log_generation(next_generation(config, self.net, self.strategy, self.workers))
        parents = self.strategy.parents
        if config.observe.is_due(parents.generation):
            self.log(
                "observed",
                generation=parents.generation,
                heights=self.observers.heights(parents.weights, parents.names),
                step=float(np.exp(np.log(np.maximum(parents.steps, 1e-30)).mean())),
                weight=float(np.sqrt((parents.weights.astype(np.float64) ** 2).mean())),
            )
        if self.run is not None and (parents.generation % config.save_every == 0 or self.complete):
            self._write_population(self.run.folder)

    def _write_population(self, folder: Path) -> None:
        """Write the population and its champion as files."""
        with explained(f"make {folder / POPULATIONS}"):
            (folder / POPULATIONS).mkdir(exist_ok=True)
        write_atomically(population_file(folder, self.done), packed(self.strategy.arrays(), {}))
        save_champion(written_champion(folder, self.done), self.net, self.champion(), self.champion_origin())

    @property
    def done(self) -> int:
        return self.strategy.parents.generation

    def arrays(self) -> dict[str, Array]:
        return self.strategy.arrays()

    def champion(self) -> NDArray[np.float32]:
        return np.asarray(self.strategy.parents.weights[0])

    def summary(self, result: GenerationsResult[LinWhiteGeneration]) -> Json:
        last = result.generations[-1]
        return {"champion": champions.FILE, "generations": last.number, "survival": last.survival}

    @classmethod
    def to_json(cls, result: GenerationsResult[LinWhiteGeneration]) -> Json:
        observed = [{"generation": generation, "heights": heights} for generation, heights in result.observed]
        return {**super().to_json(result), "observed": observed}

    @classmethod
    def report(cls, result: GenerationsResult[LinWhiteGeneration]) -> list[str | TextTable]:
        lines = super().report(result)
        if result.observed:
            heading = "\nparents that beat each strategy with Black, by its ply-depth\n"
            lines[2:2] = [heading, _observed_table(result.observed)]
        return lines

    @classmethod
    def line(cls, one: LinWhiteGeneration) -> str:
        return f"best {one.best:+}, {one.fresh} new, survival {one.survival:.0f}"

    @classmethod
    def row(cls, one: LinWhiteGeneration) -> Sequence[str]:
        return str(one.number), f"{one.best:+}", f"{one.mean:+.1f}", str(one.fresh), f"{one.survival:.1f}"


def _observed_table(observed: Sequence[tuple[int, dict[str, list[int]]]]) -> TextTable:
    """How many parents beat each strategy at each ply-depth."""
    highest = {strategy: max(max(heights[strategy]) for _, heights in observed) for strategy in observed[0][1]}
    columns = [(strategy, depth) for strategy, top in highest.items() for depth in range(0, max(top, 0) + 1, 2)]
    rows = [
        (str(generation), *(str(sum(h >= depth for h in heights[strategy])) for strategy, depth in columns))
        for generation, heights in spread(observed)
    ]
    return TextTable(("generation", *(f"{strategy} {depth}" for strategy, depth in columns)), rows)


coevolve = python_call(LinWhite)


def population_file(folder: Path, generation: int) -> Path:
    """Where a run writes its population after a generation."""
    return folder / POPULATIONS / f"{generation:06}.safetensors"
