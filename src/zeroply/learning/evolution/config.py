"""Settings of evolution, and presets.

`schaul` is the strategy of Schaul and Schmidhuber 2009 (section V-C); `hill-climbing` is what they found much worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from zeroply import chance
from zeroply.arena.populations import Colours
from zeroply.arena.scores import By
from zeroply.errors import ZeroplyError
from zeroply.learning.evolution.fitness import Fitness
from zeroply.learning.evolution.objectives import objectives
from zeroply.learning.strategies import Strategy
from zeroply.learning.strategies.cma_es import CmaEs
from zeroply.learning.strategies.mu_lambda import MuLambda
from zeroply.nets.population import PopulationNet

Preset = Literal["schaul", "hill-climbing", "cma-es"]

PRESETS: dict[Preset, Mapping[str, Any]] = {
    # reading: the paper's "population size of 15" contradicts its own "(10+10)", and N(0, 0.1) is a deviation of 0.1.
    "schaul": {"strategy": "elitist", "parents": 10, "offspring": 10, "sigma": 0.1},
    "hill-climbing": {"strategy": "elitist", "parents": 1, "offspring": 1, "sigma": 0.1},
    "cma-es": {"strategy": "cma-es", "offspring": None, "sigma": 1.0},
}


@dataclass(frozen=True, kw_only=True)
class EvolveConfig:
    """Settings that decide what evolves."""

    game: str = "atarigo(size=5)"
    """Spec of the game."""
    net: str = "mdrnn(k=10)"
    """Spec of a population net."""
    strategy: Literal["elitist", "cma-es"] = "elitist"
    """elitist: the best nets stay and have mutated copies; cma-es: all nets are drawn from an adapted distribution."""
    parents: int = 10
    """Nets that stay (elitist)."""
    offspring: int | None = 10
    """New nets in each generation; the default of CMA-ES depends on the number of weights."""
    sigma: float = 0.1
    """Standard deviation of the change of a weight; for CMA-ES the initial one."""
    weights_scale: float = 1.0
    """Factor of the random initial weights (elitist)."""
    generations: int = 100
    """Number of generations."""
    opponents: tuple[str, ...] = ("naive",)
    """Specs of the opponents."""
    games: int = 100
    """Games per net, opponent and board size in each generation, even."""
    sizes: tuple[int, ...] = ()
    """Board sizes to play on; by default that of the game."""
    by: By | None = None
    """How a game is scored: result and length, the result alone, or discs; by default length, Othello discs."""
    colours: Colours = "both"
    """Colours of the nets in their games: both in turn, always black or always white."""
    temperature: float = 0.0
    """0 for greedy play; above 0 the nets draw their moves from the Gibbs distribution."""
    objectives: tuple[str, ...] = ()
    """Objectives for Pareto selection: score, black, white and speed, such as black(opponent=naive); by default only
    the mean score counts."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if self.generations < 1:
            raise ZeroplyError(f"evolution needs 1 generation or more, not {self.generations}")
        if self.strategy == "elitist" and (self.parents < 1 or self.offspring is None or self.offspring < 1):
            raise ZeroplyError("evolution needs 1 parent or more, and 1 offspring or more")
        if (self.offspring or 0) > 10_000 or self.parents > 10_000:
            raise ZeroplyError("evolution takes at most 10000 parents and 10000 offspring")
        if not 0 < self.sigma <= 1000:
            raise ZeroplyError(f"sigma must be above 0 and at most 1000, not {self.sigma}")
        check_scale(self.weights_scale)
        if self.strategy != "elitist" and self.weights_scale != 1:
            raise ZeroplyError("weights_scale goes with strategy=elitist: cma-es draws its first nets itself")
        if self.objectives and self.colours != "both":
            raise ZeroplyError("objectives compare games with both colours: use colours=both")
        objectives(self.objectives, self.fitness)

    @cached_property
    def fitness(self) -> Fitness:
        """How nets are evaluated."""
        return Fitness(
            game=self.game,
            opponents=self.opponents,
            games=self.games,
            sizes=self.sizes,
            by=self.by,
            temperature=self.temperature,
            colours=self.colours,
        )

    def start(self, net: PopulationNet) -> Strategy:
        """The strategy at its first generation."""
        key = chance.key(self.seed, "evolve", "start")
        if self.strategy == "cma-es":
            return CmaEs(net.parameters, self.offspring, self.sigma, key)
        # reading: the first generation is mu + lambda untrained nets.
        first = net.initial(chance.keys(key, np.arange(self.parents + (self.offspring or 0))))
        return MuLambda(first * np.float32(self.weights_scale), self.parents, self.sigma)


def check_scale(scale: float) -> None:
    """Raise ZeroplyError if initial weights cannot be multiplied by a factor."""
    if not 0 < scale <= 1000:
        raise ZeroplyError(f"weights_scale must be above 0 and at most 1000, not {scale}")


def preset(name: Preset, **changes: Any) -> EvolveConfig:
    """The configuration of a preset, with changes to it; a change of None is ignored."""
    if name not in PRESETS:
        raise ZeroplyError(f"unknown preset '{name}': presets are {', '.join(get_args(Preset))}")
    return EvolveConfig(**{**PRESETS[name], **{key: value for key, value in changes.items() if value is not None}})
