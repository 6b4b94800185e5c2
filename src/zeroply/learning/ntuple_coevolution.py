"""Coevolution of n-tuple weights by CMA-ES: the members of a generation play each other, and that is their fitness.

After Jaśkowski and Szubert, "Coevolutionary CMA-ES for Knowledge-Free Learning of Game Position Evaluation" (IEEE
TCIAIG 2016). Every generation is a round robin from random openings, each opening played with both colours by every
two; the points won order the candidates of CMA-ES. The champion is the mean of the distribution, which noise harms
least; its largest weight is written as 1, because moves depend on the proportions only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance, levels
from zeroply.arena.unchanged import STORED, check_unchanged
from zeroply.errors import ZeroplyError
from zeroply.learning.evolution.strategies import Cma
from zeroply.learning.ntuple_champion import Learned, Progress, Yardstick, learned, measure, summary
from zeroply.learning.ntuple_shapes import shape
from zeroply.runs import Run, stored

KIND = "ntuple-coevolution"
_SECONDS_BETWEEN_CHECKPOINTS = 10.0


@dataclass(frozen=True, kw_only=True)
class CoevolutionConfig:
    """Everything that decides what evolves."""

    shape: str = "all-2"
    """Which tuples: wpc, all-2, all-3, all-4, 2x2, or some joined by +, such as all-4+2x2."""
    generations: int = 500
    """Generations of CMA-ES."""
    population: int | None = None
    """Members of a generation; by default 4 + 3 ln(number of weights)."""
    sigma: float = 1.0
    """First step size; moves depend on the proportions of weights only, so any will do."""
    openings: int = 5
    """Openings that every two members of a generation play, with both colours."""
    plies: int = 6
    """Random moves of an opening."""
    seed: int = 0
    """What all chance comes from."""
    yardstick: Yardstick = field(default_factory=Yardstick)
    """How the champion is measured."""

    def __post_init__(self) -> None:
        shape(self.shape)
        if self.generations < 1 or not 1 <= self.openings <= 1000:
            raise ZeroplyError("coevolution needs 1 generation or more, and 1 to 1000 openings")
        if self.population is not None and not 4 <= self.population <= 1000:
            raise ZeroplyError(f"a population has 4 to 1000 members, not {self.population}")
        if not 0 < self.sigma <= 1000:
            raise ZeroplyError(f"sigma must be above 0 and at most 1000, not {self.sigma}")
        if not 0 <= self.plies <= 40:
            raise ZeroplyError(f"plies must be from 0 to 40, not {self.plies}")


def coevolve(config: CoevolutionConfig, folder: str | os.PathLike[str], progress: Progress | None = None) -> Learned:
    """Coevolve a player as a run in a new folder, which also gets the champion's `.player` file."""
    settings = {**stored(config), STORED: config.yardstick.fingerprints()}
    with Run.create(folder, kind=KIND, config=settings, seed=config.seed, level=levels.chosen()) as run:
        return _coevolve(config, run, progress)


def resume(run: Run, progress: Progress | None = None) -> Learned:
    """Go on with coevolution from where its run stands."""
    config = run.config(CoevolutionConfig, STORED)
    if not run.finished:
        check_unchanged(run, config.yardstick.fingerprints())
    return _coevolve(config, run, progress)


def round_robin(
    core: _core.TupleShape, weights: NDArray[np.float32], openings: int, plies: int, key: int
) -> NDArray[np.float64]:
    """[members]: points per game of each member against all others, over the same openings."""
    pairs = np.array(list(combinations(range(len(weights)), 2)), np.int32)
    sides = np.repeat(np.concatenate([pairs, pairs[:, ::-1]]), openings, axis=0)
    black, white = np.ascontiguousarray(sides[:, 0]), np.ascontiguousarray(sides[:, 1])
    starts = np.tile(chance.keys(chance.key(key, "openings"), np.arange(openings)), 2 * len(pairs))
    keys = chance.keys(chance.key(key, "games"), np.arange(len(sides)))
    results = np.empty(len(sides), np.int8)
    _core.play_ntuple_games(core, weights, black, white, starts, keys, plies, results)
    points = np.zeros(len(weights))
    np.add.at(points, black, (1 + results) / 2)
    np.add.at(points, white, (1 - results) / 2)
    return points / (2 * openings * (len(weights) - 1))


def _coevolve(config: CoevolutionConfig, run: Run, progress: Progress | None) -> Learned:
    the_shape = shape(config.shape)
    core = the_shape.core()
    strategy = Cma(the_shape.weights, config.population, config.sigma, chance.key(config.seed, KIND, "candidates"))
    if run.arrays:
        strategy.restore(run.arrays)
    while (done := len(strategy.rankings)) < config.generations and not run.finished:
        key = chance.key(config.seed, KIND, done)
        fitness = round_robin(core, strategy.ask(), config.openings, config.plies, key)
        strategy.tell(np.argsort(-fitness, kind="stable"), key)
        done += 1
        due = config.yardstick.is_due(done - 1, done, config.generations)
        if due:
            score = measure(run, config.yardstick, the_shape, _scaled(strategy.mean))
            run.log("measure", generations=done, score=score, sigma=strategy.step, best_fitness=float(fitness.max()))
        if due or run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
            run.save({}, strategy.arrays())
        if progress:
            progress(done, config.generations)
    result = learned(run, config.yardstick.opponent, "generations")
    if not run.finished:
        run.finish(summary(result))
    return result


def _scaled(mean: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.asarray(mean / np.abs(mean).max(), np.float32)
