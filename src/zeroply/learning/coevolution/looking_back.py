"""Looking back at a coevolution of spatial nets: its kept populations, any generation again, how much points tell.

A run keeps its population now and then, and all its chance is keyed by the generation, so any stretch of it can be
evolved again exactly, to be looked at more closely than the first time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, levels
from zeroply.errors import ZeroplyError
from zeroply.learning.coevolution.lin_white import (
    LinWhiteConfig,
    State,
    first_parents,
    next_generation,
    population_file,
    spatial_net,
    with_offspring,
)
from zeroply.learning.coevolution.populations import read_population
from zeroply.learning.coevolution.tournaments import fair
from zeroply.learning.evolution.executors import workers
from zeroply.nets.spatial import SpatialNet
from zeroply.runs import RunRecord
from zeroply.runs.files import Damaged

TOURNAMENTS = 5
"""Of how many the inheritance is the mean."""


def kept_states(run: RunRecord) -> Iterator[State]:
    """The populations that a run has kept so far, in order."""
    keep, last = run.info.config["keep"], run.info.config["generations"]
    for generation in sorted({*range(keep, last + 1, keep), last}):
        path = population_file(run.folder, generation)
        if path.exists():
            try:
                yield _kept(run, generation)
            except Damaged as reason:
                raise ZeroplyError(f"{path} is damaged ({reason}): remove it to go on without it") from None


def _kept(run: RunRecord, generation: int) -> State:
    """The population that a run kept after a generation; raises `Damaged` if there is none."""
    try:
        state = State.from_arrays(read_population(population_file(run.folder, generation)))
    except (KeyError, IndexError):
        raise Damaged("arrays are missing") from None
    if state.generation != generation:
        raise Damaged(f"it is generation {state.generation}")
    return state


def repeatability(config: LinWhiteConfig, net: SpatialNet, state: State, key: int) -> float:
    """How far points tell nets apart: the correlation of the points that the same nets win in two fair tournaments.

    Both are against extra offspring of their own. At 0 selection is by lot, at 1 one tournament says all.
    """
    config = replace(config, tournament="fair")
    first, _ = with_offspring(config, net, state, chance.key(key, 1))
    second, _ = with_offspring(config, net, state, chance.key(key, 2))
    second[: config.population] = first[: config.population]
    return _correlation(*(_points(config, net, weights) for weights in (first, second)))


def inheritance(config: LinWhiteConfig, net: SpatialNet, state: State, key: int) -> float:
    """How far children are like their parents: the correlation of the points that both win against the same nets.

    The mean of several fair tournaments. At 0 a parent that was chosen for its points has children like any other's.
    """
    config = replace(config, tournament="fair")
    found = []
    for number in range(TOURNAMENTS):
        weights, _ = with_offspring(config, net, state, chance.key(key, "inheritance", number))
        points = _points(config, net, weights)
        found.append(_correlation(points[: config.parents], points[config.parents :]))
    return float(np.mean(found))


def variety(config: LinWhiteConfig, net: SpatialNet, state: State, key: int) -> float:
    """How many different games the parents play with Black against the same net: 1 if they play alike.

    The mean over the extra offspring of a fair tournament.
    """
    weights, _ = with_offspring(replace(config, tournament="fair"), net, state, key)
    opponents = np.arange(config.population, config.population + config.opponents)
    black = np.tile(np.arange(config.parents), len(opponents))
    _, moves = net.play(weights, black, np.repeat(opponents, config.parents))
    games = moves.reshape(len(opponents), config.parents, -1)
    return float(np.mean([len(np.unique(those, axis=0)) for those in games]))


def _points(config: LinWhiteConfig, net: SpatialNet, weights: NDArray[np.float32]) -> NDArray[np.int64]:
    pairings = fair(config.population, config.opponents)
    points, _ = net.play(weights, pairings.black, pairings.white)
    return pairings.points(points, config.population)


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Where all are equal in both it is 1, where they are in only one it is 0."""
    equal = [points.min() == points.max() for points in (one, other)]
    if any(equal):
        return float(all(equal))
    return float(np.asarray(np.corrcoef(one, other))[0, 1])


def replayed(run: RunRecord, first: int, last: int) -> Iterator[State]:
    """The parents after each generation from `first` to `last` of a run, evolved again from a population it kept.

    A kept population that is damaged is passed over for an earlier one: the generations are the same.
    """
    if levels.chosen() != run.info.level:
        raise ZeroplyError(
            f"{run.folder} was made at instruction-set level {run.info.level} and this process runs at "
            f"{levels.chosen()}, which may round differently: set {levels.VARIABLE}={run.info.level}"
        )
    config = run.config(LinWhiteConfig)
    net = spatial_net(config.net)
    state = first_parents(config, net)
    for generation in range((first - 1) // config.keep * config.keep, 0, -config.keep):
        with suppress(Damaged):
            state = _kept(run, generation)
            break
    with workers() as those:
        while state.generation < last:
            state, _ = next_generation(config, net, state, those)
            if state.generation >= first:
                yield state
