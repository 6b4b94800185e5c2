"""Analysis of a coevolution run of spatial nets: its saved populations, any generation again, how reliable points are.

A run saves its population at intervals, and its chance is keyed by the generation, so any range of generations can be
evolved again exactly, to be measured in more detail.
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
    first_parents,
    next_generation,
    population_file,
    spatial_net,
    strategy_of,
)
from zeroply.learning.coevolution.tournaments import fair
from zeroply.learning.evolution.executors import workers as make_workers
from zeroply.learning.strategies import Weights
from zeroply.learning.strategies.self_adaptive import Parents
from zeroply.nets.spatial import SpatialNet
from zeroply.runs import RunRecord
from zeroply.runs.checkpoint import unpacked
from zeroply.runs.files import Damaged, read_file

TOURNAMENTS = 5
"""Tournaments over which the inheritance is averaged."""


def saved_parents(run: RunRecord) -> Iterator[Parents]:
    """The populations that a run has saved so far, in order."""
    every, last = run.info.config["save_every"], run.info.config["generations"]
    for generation in sorted({*range(every, last + 1, every), last}):
        path = population_file(run.folder, generation)
        if path.exists():
            try:
                yield _saved(run, generation)
            except Damaged as reason:
                raise ZeroplyError(f"{path} is damaged ({reason}): remove it to continue without it") from None


def _saved(run: RunRecord, generation: int) -> Parents:
    """The population that a run saved after a generation; raises `Damaged` if there is none."""
    try:
        parents = Parents.from_arrays(unpacked(read_file(population_file(run.folder, generation)))[0])
    except (KeyError, IndexError):
        raise Damaged("arrays are missing") from None
    if parents.generation != generation:
        raise Damaged(f"it is generation {parents.generation}")
    return parents


def repeatability(config: LinWhiteConfig, net: SpatialNet, parents: Parents, key: int) -> float:
    """How reliable points are: the correlation of the points that the same nets win in two fair tournaments.

    Each tournament has its own extra children. At 0 selection is random, at 1 a second tournament adds nothing.
    """
    first, second = (_with_children(config, parents, chance.key(key, number)) for number in (1, 2))
    second[: config.population] = first[: config.population]
    return _correlation(*(_points(config, net, weights) for weights in (first, second)))


def inheritance(config: LinWhiteConfig, net: SpatialNet, parents: Parents, key: int) -> float:
    """How similar children are to their parents: the correlation of the points of both against the same nets.

    The mean of several fair tournaments. At 0 the children of a good parent are no better than those of others.
    """
    matches = []
    for number in range(TOURNAMENTS):
        weights = _with_children(config, parents, chance.key(key, "inheritance", number))
        points = _points(config, net, weights)
        matches.append(_correlation(points[: config.parents], points[config.parents :]))
    return float(np.mean(matches))


def variety(config: LinWhiteConfig, net: SpatialNet, parents: Parents, key: int) -> float:
    """How many different games the parents play with Black against the same net: 1 if they all play the same game.

    The mean over the extra children of a fair tournament.
    """
    weights = _with_children(config, parents, key)
    opponents = np.arange(config.population, config.population + config.opponents)
    black = np.tile(np.arange(config.parents), len(opponents))
    _, moves = net.play(weights, black, np.repeat(opponents, config.parents))
    games = moves.reshape(len(opponents), config.parents, -1)
    return float(np.mean([len(np.unique(moves, axis=0)) for moves in games]))


def _with_children(config: LinWhiteConfig, parents: Parents, key: int) -> Weights:
    """Parents, children and the extra children of a fair tournament."""
    return strategy_of(replace(config, tournament="fair"), parents).ask(key)


def _points(config: LinWhiteConfig, net: SpatialNet, weights: NDArray[np.float32]) -> NDArray[np.int64]:
    pairings = fair(config.population, config.opponents)
    points, _ = net.play(weights, pairings.black, pairings.white)
    return pairings.points(points, config.population)


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """1 if all points are equal in both, 0 if they are equal in only one."""
    equal = [points.min() == points.max() for points in (one, other)]
    if any(equal):
        return float(all(equal))
    return float(np.asarray(np.corrcoef(one, other))[0, 1])


def replayed(run: RunRecord, first: int, last: int) -> Iterator[Parents]:
    """The parents after each generation from `first` to `last` of a run, evolved again from a saved population.

    If a saved population is damaged, an earlier one is used: the generations are the same.
    """
    if levels.chosen() != run.info.level:
        raise ZeroplyError(
            f"{run.folder} was made at instruction-set level {run.info.level} and this process runs at "
            f"{levels.chosen()}, which may round differently: set {levels.VARIABLE}={run.info.level}"
        )
    config = run.config(LinWhiteConfig)
    net = spatial_net(config.net)
    parents = first_parents(config, net)
    for generation in range((first - 1) // config.save_every * config.save_every, 0, -config.save_every):
        with suppress(Damaged):
            parents = _saved(run, generation)
            break
    strategy = strategy_of(config, parents)
    with make_workers() as workers:
        while strategy.parents.generation < last:
            next_generation(config, net, strategy, workers)
            if strategy.parents.generation >= first:
                yield strategy.parents
