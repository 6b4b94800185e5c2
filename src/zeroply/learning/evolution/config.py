"""What decides how nets evolve, and the recipes that are known by name.

`schaul` is that of Schaul and Schmidhuber 2009 (section V-C); `hill-climbing` is what they found much worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from zeroply import chance
from zeroply.arena.scores import By
from zeroply.errors import ZeroplyError
from zeroply.learning.evolution.fitness import Fitness
from zeroply.learning.evolution.objectives import objectives
from zeroply.learning.evolution.strategies import Cma, Elitist, Strategy
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
    """Everything that decides what evolves."""

    game: str = "atarigo(size=5)"
    """Spec of the game."""
    net: str = "mdrnn(k=10)"
    """Spec of a population net."""
    strategy: Literal["elitist", "cma-es"] = "elitist"
    """elitist: the best nets stay and have mutated copies; cma-es: all nets are new, drawn where the best ones were."""
    parents: int = 10
    """Nets that stay (elitist)."""
    offspring: int | None = 10
    """Nets that are new in each generation; none for the usual number of CMA-ES."""
    sigma: float = 0.1
    """Standard deviation of a change of a weight; for CMA-ES that of the first generation."""
    generations: int = 100
    """How many generations are evaluated."""
    opponents: tuple[str, ...] = ("naive",)
    """Specs of the opponents."""
    games: int = 100
    """Games of each net in each generation, against each opponent on each board, even."""
    sizes: tuple[int, ...] = ()
    """Board sizes to play on; none for that of the game."""
    by: By | None = None
    """How a game is scored: result and length, the result alone, or discs; by default length, Othello discs."""
    temperature: float = 0.0
    """0 for greedy play; above, the nets draw their moves from the Gibbs distribution."""
    objectives: tuple[str, ...] = ()
    """Objectives for Pareto selection, of score, black, white and speed, such as black(opponent=naive); none for the
    mean score alone."""
    seed: int = 0
    """What all chance comes from."""

    def __post_init__(self) -> None:
        if self.generations < 1:
            raise ZeroplyError(f"evolution needs 1 generation or more, not {self.generations}")
        if self.strategy == "elitist" and (self.parents < 1 or self.offspring is None or self.offspring < 1):
            raise ZeroplyError("evolution needs 1 parent or more, and 1 offspring or more")
        if (self.offspring or 0) > 10_000 or self.parents > 10_000:
            raise ZeroplyError("evolution takes at most 10000 parents and 10000 offspring")
        if not 0 < self.sigma <= 1000:
            raise ZeroplyError(f"sigma must be above 0 and at most 1000, not {self.sigma}")
        objectives(self.objectives, self.fitness)

    @cached_property
    def fitness(self) -> Fitness:
        """How nets are tried."""
        return Fitness(
            game=self.game,
            opponents=self.opponents,
            games=self.games,
            sizes=self.sizes,
            by=self.by,
            temperature=self.temperature,
        )

    def start(self, net: PopulationNet) -> Strategy:
        """The strategy at its first generation."""
        key = chance.key(self.seed, "evolve", "start")
        if self.strategy == "cma-es":
            return Cma(net.parameters, self.offspring, self.sigma, key)
        return Elitist(net, self.parents, self.offspring or 0, self.sigma, key)


def preset(name: Preset, **changes: Any) -> EvolveConfig:
    """The configuration of a recipe, with changes to it; those that are None change nothing."""
    if name not in PRESETS:
        raise ZeroplyError(f"unknown preset '{name}': there are {', '.join(get_args(Preset))}")
    return EvolveConfig(**{**PRESETS[name], **{key: value for key, value in changes.items() if value is not None}})
