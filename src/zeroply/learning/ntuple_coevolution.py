"""Coevolution of n-tuple weights by CMA-ES: the members of a generation play each other for their fitness.

After Jaśkowski and Szubert, "Coevolutionary CMA-ES for Knowledge-Free Learning of Game Position Evaluation" (IEEE
TCIAIG 2016). Every generation is a round robin from random openings, each played with both colours; the points rank the
candidates of CMA-ES. The champion is the mean of the distribution, which is least affected by noise; its weights are
scaled so that the largest is 1, because moves depend on the proportions only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.learning.ntuple_champion import MeasureConfig, NtupleExperiment
from zeroply.learning.ntuple_shapes import shape
from zeroply.learning.strategies.cma_es import CmaEs
from zeroply.runs import Array, Chart, Json, python_call


@dataclass(frozen=True, kw_only=True)
class NtupleCoevolutionConfig:
    """Settings that decide what evolves."""

    shape: str = "all-2"
    """Which tuples: wpc, all-2, all-3, all-4, 2x2, or some joined by +, such as all-4+2x2."""
    generations: int = 500
    """Generations of CMA-ES."""
    population: int | None = None
    """Members of a generation; by default 4 + 3 ln(number of weights)."""
    sigma: float = 1.0
    """Initial step size; moves depend on the proportions of weights only, so any value works."""
    openings: int = 5
    """Openings per pairing, each played with both colours."""
    plies: int = 6
    """Random moves of an opening."""
    seed: int = 0
    """Random seed."""
    measure: MeasureConfig = field(default_factory=MeasureConfig)
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


class NtupleCoevolution(NtupleExperiment[NtupleCoevolutionConfig]):
    """Coevolve by CMA-ES, every generation a round robin; writes champion.player into the folder.

    Example: zeroply ntuples coevolve --shape all-2 --generations 500 --run runs/all2 --seed 1
    """

    kind = "ntuple-coevolution"
    config_type = NtupleCoevolutionConfig
    unit = "generations"
    charts = (
        Chart("score", "measure", "generations", {"score": "score"}),
        Chart("best fitness", "measure", "generations", {"best fitness": "best_fitness"}),
        Chart("sigma", "measure", "generations", {"sigma": "sigma"}),
    )

    def start(self) -> None:
        config, key = self.config, chance.key(self.config.seed, self.kind, "candidates")
        self.strategy = CmaEs(self.shape.weights, config.population, config.sigma, key)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        self.strategy.restore(arrays)

    def step(self) -> None:
        config, done = self.config, self.done
        key = chance.key(config.seed, self.kind, done)
        fitness = round_robin(self.core, self.strategy.ask(key), config.openings, config.plies, key)
        self.strategy.tell(fitness, key)
        if config.measure.is_due(done, done + 1, config.generations):
            mean = self.strategy.mean
            scaled = np.asarray(mean / np.abs(mean).max(), np.float32)
            self.measure(scaled, sigma=self.strategy.step, best_fitness=float(fitness.max()))

    @property
    def done(self) -> int:
        return self.strategy.generation

    @property
    def total(self) -> int:
        return self.config.generations

    def arrays(self) -> dict[str, Array]:
        return self.strategy.arrays()


coevolve_ntuples = python_call(NtupleCoevolution)
