"""Coevolution of spatial nets of Othello from nothing, after Lin and White 2009, section II.

Every generation each parent has one mutated child, and all of them play the same extra offspring; the half that wins
most discs are the parents of the next generation. Each weight has a mutation step of its own, which is mutated too, so
that evolution finds its own pace. Observers look on and change nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance, levels
from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.games import game
from zeroply.learning.champions import FILE, POPULATIONS, save_champion, written_champion
from zeroply.learning.coevolution.observers import Observers, Watch
from zeroply.learning.coevolution.populations import write_population
from zeroply.learning.coevolution.tournaments import Pairings, Tournament, fair, play_games, unfair
from zeroply.learning.evolution.executors import Workers, workers
from zeroply.nets import population_net
from zeroply.nets.spatial import SpatialNet
from zeroply.runs import Run, RunRecord, stored

KIND = "lin-white"
_SECONDS_BETWEEN_CHECKPOINTS = 10.0

Equal = Literal["parents", "offspring", "chance"]
Factors = Literal["own", "common", "same"]


@dataclass(frozen=True, kw_only=True)
class LinWhiteConfig:
    """Everything that decides what coevolves, and when it is looked at."""

    net: str = "spatial(layer=queen)"
    """Spec of a spatial net: spatial(layer=queen), subsquares, king, rows, lines, or a .json file of squares."""
    generations: int = 10_000
    """How many generations there are."""
    population: int = 100
    """Nets of a generation, even: parents, and as many offspring."""
    opponents: int = 10
    """Extra offspring that every net meets, even; in the unfair tournament it plays so many games on average."""
    tournament: Tournament = "fair"
    """fair: all meet the same extra offspring, new ones in each generation; lasting: those of the first generation for
    good; unfair: opponents and number of games are chance."""
    equal: Equal = "parents"
    """Who goes first where points are equal. Reading: parents, as if nets were sorted in the order they are kept in."""
    step: float = 0.05
    """First mutation step of every weight."""
    factors: Factors = "own"
    """own: every step of a child is multiplied by a random number of its own; common: all by one; same: by the number
    that its weight moves by."""
    keep: int = 500
    """Every so many generations, and at the end, the population and its champion are kept as files."""
    watch: Watch = field(default_factory=Watch)
    """The observers, which measure the parents by ladders, without influence on evolution."""
    seed: int = 0
    """What all chance comes from."""

    def __post_init__(self) -> None:
        if not 4 <= self.population <= 10_000 or self.population % 2:
            raise ZeroplyError(
                f"a population is an even number of nets from 4 to 10000, half of them parents, not {self.population}"
            )
        if not 2 <= self.opponents <= 1000 or self.opponents % 2:
            raise ZeroplyError(f"nets meet an even number of opponents from 2 to 1000, not {self.opponents}")
        if self.generations < 1 or self.keep < 1:
            raise ZeroplyError("coevolution needs 1 generation or more, and keeps populations every 1 or more")
        if not 0 < self.step <= 100:
            raise ZeroplyError(f"the first mutation step must be above 0 and at most 100, not {self.step}")
        if np.float32(self.step) == 0:
            raise ZeroplyError(f"the first mutation step must be above 0 in single precision, and {self.step} is 0")
        if self.watch.last is not None and self.watch.last > self.generations:
            raise ZeroplyError(
                f"every generation up to {self.watch.last} cannot be observed: the last is {self.generations}"
            )

    @property
    def parents(self) -> int:
        """Parents of a generation."""
        return self.population // 2


@dataclass
class State:
    """The parents after a generation, the best first."""

    generation: int
    """How many generations there have been."""
    weights: NDArray[np.float32]
    """[parents, parameters]."""
    steps: NDArray[np.float32]
    """[parents, parameters]: the mutation step of every weight."""
    born: NDArray[np.int64]
    """[parents]: the generation each was born in; the first parents in 0."""
    names: NDArray[np.int64]
    """[parents]: a number of its own for every net there ever was."""

    @property
    def ages(self) -> NDArray[np.int64]:
        """[parents]: survival times, in generations each has been a parent, the one to come included."""
        return self.generation + 1 - self.born

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All there is, for `from_arrays`."""
        return {
            "generation": np.array([self.generation]),
            "weights": self.weights,
            "steps": self.steps,
            "born": self.born,
            "names": self.names,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> State:
        """The state that `arrays` gave."""
        return cls(int(arrays["generation"][0]), arrays["weights"], arrays["steps"], arrays["born"], arrays["names"])


@dataclass(frozen=True)
class Generation:
    """How a generation came out."""

    number: int
    """Counting from 1."""
    best: int
    """Points of the best net."""
    mean: float
    """Mean points of all parents and offspring."""
    cut: int
    """Points of the last net that survives."""
    fresh: int
    """How many of the survivors are offspring."""
    survival: float
    """Mean survival time of the survivors."""
    oldest: int
    """The longest survival time."""


Progress = Callable[[Generation, int], None]
"""Called with a generation that is done and the number of generations in all."""


@dataclass(frozen=True)
class Coevolved:
    """What a run has come to."""

    champion: Path
    """Net file of the last champion."""
    generations: tuple[Generation, ...]
    """All generations so far."""
    observed: tuple[tuple[int, dict[str, list[int]]], ...]
    """Of each observation the generation, and by strategy the highest ply-depth each parent beat (-1 for none)."""


def tau(parameters: int) -> float:
    """How fast mutation steps change: 1 / sqrt(2 sqrt(number of weights))."""
    return float((2 * parameters**0.5) ** -0.5)


def coevolve(
    config: LinWhiteConfig,
    folder: str | os.PathLike[str],
    where: str = "threads",
    progress: Progress | None = None,
) -> Coevolved:
    """Coevolve nets as a run in a new folder; `where` says who plays the games (see `executors.workers`)."""
    net = spatial_net(config.net)
    config = replace(config, net=str(net.spec))  # a layer from a file is kept with the run
    Observers(net, config.watch)  # so that what they refuse is known before anything is written
    with (
        workers(where) as those,
        Run.create(folder, kind=KIND, config=stored(config), seed=config.seed, level=levels.chosen()) as run,
    ):
        return _coevolve(config, run, those, progress)


def resume(run: Run, where: str = "threads", progress: Progress | None = None) -> Coevolved:
    """Go on with coevolution from where its run stands."""
    config = run.config(LinWhiteConfig)
    with workers(where) as those:
        return _coevolve(config, run, those, progress)


def coevolved(run: RunRecord) -> Coevolved:
    """What a run has come to, from its events."""
    names = list(Generation.__dataclass_fields__)
    generations, observed = [], []
    for event in run.events():
        if event["event"] == "generation":
            generations.append(Generation(*(event[name] for name in names)))
        elif event["event"] == "observed":
            observed.append((event["generation"], event["heights"]))
    return Coevolved(run.folder / FILE, tuple(generations), tuple(observed))


def spatial_net(spec: str) -> SpatialNet:
    """The architecture that is to evolve."""
    net = population_net(spec, game("othello"))
    if not isinstance(net, SpatialNet):
        raise ZeroplyError(f"this kind of coevolution is for spatial nets, not for {spec}")
    return net


def _coevolve(config: LinWhiteConfig, run: Run, those: Workers, progress: Progress | None) -> Coevolved:
    net = spatial_net(config.net)
    observers = Observers(net, config.watch)
    state = State.from_arrays(run.arrays) if run.arrays else first_parents(config, net)
    while state.generation < config.generations and not run.finished:
        state, done = next_generation(config, net, state, those)
        run.log("generation", **vars(done))
        if config.watch.is_due(done.number):
            run.log(
                "observed",
                generation=done.number,
                heights=observers.heights(state.weights, state.names),
                step=float(np.exp(np.log(np.maximum(state.steps, 1e-30)).mean())),
                weight=float(np.sqrt((state.weights.astype(np.float64) ** 2).mean())),
            )
        if done.number % config.keep == 0 or done.number == config.generations:
            _keep(config, run.folder, net, state)
        if done.number == config.generations or run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
            run.save({}, state.arrays())
        if progress:
            progress(done, config.generations)
    if not run.finished:
        _save_champion(config, run.folder / FILE, net, state)
        run.finish({"champion": FILE, "generations": state.generation, "survival": float(state.ages.mean())})
    return coevolved(run)


def first_parents(config: LinWhiteConfig, net: SpatialNet) -> State:
    """Parents that know nothing."""
    numbers = np.arange(config.parents)
    weights = net.initial(chance.keys(chance.key(config.seed, KIND, "start"), numbers))
    born = np.zeros(config.parents, np.int64)
    return State(0, weights, np.full_like(weights, config.step), born, numbers.astype(np.int64))


def next_generation(config: LinWhiteConfig, net: SpatialNet, state: State, those: Workers) -> tuple[State, Generation]:
    """Offspring, tournament, selection."""
    number, parents, nets = state.generation + 1, config.parents, config.population
    key = chance.key(config.seed, KIND, number)
    weights, steps = with_offspring(config, net, state, key)
    pairings = tournament(config, key)
    points = pairings.points(play_games(net, weights, pairings, those), nets)
    kept = survivors(points, config, key)
    named = np.concatenate([state.names, number * nets + np.arange(parents)])
    born = np.concatenate([state.born, np.full(parents, number, np.int64)])
    after = State(number, weights[kept], steps[kept], born[kept], named[kept])
    done = Generation(
        number,
        int(points[kept[0]]),
        float(points.mean()),
        int(points[kept[-1]]),
        int((kept >= parents).sum()),
        float(after.ages.mean()),
        int(after.ages.max()),
    )
    return after, done


def with_offspring(
    config: LinWhiteConfig, net: SpatialNet, state: State, key: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights and steps of the parents, a child of each, and but for the unfair tournament the extra offspring.

    Reading: the extra offspring are children of parents drawn at random, no parent twice while there are others.
    """
    drawn = np.argsort(chance.draw(chance.key(key, "extra"), np.arange(config.parents)), kind="stable")
    extra = drawn[:0] if config.tournament == "unfair" else np.resize(drawn, config.opponents)
    of = np.concatenate([np.arange(config.parents), extra]).astype(np.int32)
    keys = chance.keys(chance.key(key, "offspring"), np.arange(len(of)))
    all_weights, all_steps = (np.empty((config.parents + len(of), net.parameters), np.float32) for _ in range(2))
    all_weights[: config.parents], all_steps[: config.parents] = state.weights, state.steps
    children = slice(config.parents, None)
    parents, rate = (state.weights, state.steps, of), tau(net.parameters)
    if config.factors == "common":
        numbers, ones = np.arange(len(of), dtype=np.int32), np.ones((len(of), 1), np.float32)
        factors = np.empty_like(ones)
        _core.mutate(ones, ones, numbers, chance.keys(keys, 0), rate, False, np.empty_like(ones), factors)
        parents, rate = (state.weights[of], state.steps[of] * factors, numbers), 0.0
    _core.mutate(*parents, keys, rate, config.factors == "same", all_weights[children], all_steps[children])
    if config.tournament == "lasting" and state.generation > 0:
        all_weights[config.population :] = _first_opponents(config)
    return all_weights, all_steps


@lru_cache(maxsize=1)
def _first_opponents(config: LinWhiteConfig) -> NDArray[np.float32]:
    """The extra offspring of the first generation."""
    net = spatial_net(config.net)
    weights, _ = with_offspring(config, net, first_parents(config, net), chance.key(config.seed, KIND, 1))
    weights.flags.writeable = False  # every caller gets the same array
    return weights[config.population :]


def tournament(config: LinWhiteConfig, key: int) -> Pairings:
    """Who meets whom in the generation that `key` names."""
    if config.tournament == "unfair":
        return unfair(config.population, config.opponents, chance.key(key, "tournament"))
    return fair(config.population, config.opponents)


def survivors(points: NDArray[np.int64], config: LinWhiteConfig, key: int) -> NDArray[np.int64]:
    """[parents]: the nets with most points, the best first."""
    nets = np.arange(config.population)
    first = {
        "parents": nets,
        "offspring": -nets,
        "chance": chance.draw(chance.key(key, "equal"), nets),
    }[config.equal]
    return np.asarray(np.lexsort((first, -points))[: config.parents], np.int64)


def _keep(config: LinWhiteConfig, folder: Path, net: SpatialNet, state: State) -> None:
    """Write the population and its champion as files."""
    with explained(f"make {folder / POPULATIONS}"):
        (folder / POPULATIONS).mkdir(exist_ok=True)
    write_population(population_file(folder, state.generation), state.arrays())
    _save_champion(config, written_champion(folder, state.generation), net, state)


def population_file(folder: Path, generation: int) -> Path:
    """Where a run keeps its population after a generation."""
    return folder / POPULATIONS / f"{generation:06}.safetensors"


def _save_champion(config: LinWhiteConfig, path: Path, net: SpatialNet, state: State) -> None:
    training = {"run": KIND, **stored(config), "seed": config.seed, "generation": state.generation}
    save_champion(path, net, state.weights[0], training)
