"""Settings of evolution, and presets.

`schaul` is the strategy of Schaul and Schmidhuber 2009 (section V-C); `hill-climbing` is what they found much worse;
`self-play` is the recipe by which a spatial net learns Othello from nothing, with no other opponent than itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from zeroply import chance
from zeroply.arena.populations import Colours
from zeroply.arena.scores import By
from zeroply.errors import ZeroplyError
from zeroply.learning.evolution.fitness import Fitness
from zeroply.learning.evolution.measure import MeasureConfig
from zeroply.learning.evolution.objectives import objectives
from zeroply.learning.strategies import Setup, Strategy, strategy
from zeroply.nets.population import PopulationNet

Preset = Literal["schaul", "hill-climbing", "cma-es", "self-play"]

PRESETS: dict[Preset, Mapping[str, Any]] = {
    # reading: the paper's "population size of 15" contradicts its own "(10+10)", and N(0, 0.1) is a deviation of 0.1.
    "schaul": {"strategy": "elitist", "parents": 10, "offspring": 10, "sigma": 0.1},
    "hill-climbing": {"strategy": "elitist", "parents": 1, "offspring": 1, "sigma": 0.1},
    "cma-es": {"strategy": "cma-es", "offspring": None, "sigma": 1.0},
    "self-play": {
        "game": "othello",
        "net": "spatial(layer=queen)",
        "strategy": "es(rate=0.01, decay=2e-5)",
        "offspring": 500,
        "sigma": 0.15,
        "generations": 2000,
        "opponents": ("earlier(n=3)",),
        "games": 12,
        "openings": "random(plies=4, to=9)",
        "by": "result",
        "save_every": 100,
    },
}


@dataclass(frozen=True, kw_only=True)
class EvolveConfig:
    """Settings that decide what evolves."""

    game: str = "atarigo(size=5)"
    """Spec of the game."""
    net: str = "mdrnn(k=10)"
    """Spec of a population net."""
    strategy: str = "elitist"
    """elitist, es, snes, cma-es, self-adaptive, or your own as module:name; options as in es(rate=0.01)."""
    parents: int = 10
    """Nets that stay (elitist, self-adaptive)."""
    offspring: int | None = 10
    """New nets in each generation, for es two for each pair; the defaults of snes and cma-es depend on the number of
    weights."""
    sigma: float = 0.1
    """Standard deviation of the change of a weight; for snes, cma-es and self-adaptive the initial one."""
    weights_scale: float = 1.0
    """Factor of the random initial weights; cma-es draws its own."""
    generations: int = 100
    """Number of generations."""
    opponents: tuple[str, ...] = ("naive",)
    """Specs of the opponents: players, or nets of the run: population(n=3), hall(n=3) or earlier(n=3)."""
    games: int = 100
    """Games per net, opponent and board size in each generation, even; nets of the run share them."""
    openings: str = "none"
    """Spec of the openings, each played with both colours; random ones are new in each generation."""
    sizes: tuple[int, ...] = ()
    """Board sizes to play on; by default that of the game."""
    by: By | None = None
    """How a game is scored: result and length, the result alone, or discs; by default length, Othello discs."""
    colours: Colours = "both"
    """Colours of the nets in their games: both in turn, always black or always white."""
    temperature: float = 0.0
    """0 for greedy play; above 0 the nets draw their moves from the Gibbs distribution."""
    own_fitness: str | None = None
    """Your own fitness in place of games against opponents, a function as module:name; needs --import."""
    objectives: tuple[str, ...] = ()
    """Objectives for Pareto selection: score, black, white and speed, such as black(opponent=naive); by default only
    the mean score counts."""
    save_every: int = 1
    """Store the champion of every generation with the state of the run; above 1 write one every this many generations
    as a file, as suits large nets."""
    measure: MeasureConfig = field(default_factory=MeasureConfig)
    """How champions are measured."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if self.generations < 1:
            raise ZeroplyError(f"evolution needs 1 generation or more, not {self.generations}")
        if self.save_every < 1:
            raise ZeroplyError(f"save_every must be 1 or more, not {self.save_every}")
        if self.parents < 0 or (self.offspring is not None and self.offspring < 1):
            raise ZeroplyError("evolution needs 1 parent or more, and 1 offspring or more")
        if (self.offspring or 0) > 10_000 or self.parents > 10_000:
            raise ZeroplyError("evolution takes at most 10000 parents and 10000 offspring")
        if not 0 < self.sigma <= 1000:
            raise ZeroplyError(f"sigma must be above 0 and at most 1000, not {self.sigma}")
        check_scale(self.weights_scale)
        if self.strategy.startswith("cma-es") and self.weights_scale != 1:
            raise ZeroplyError("weights_scale changes nothing with cma-es, which draws its first nets itself")
        if self.objectives and self.colours != "both":
            raise ZeroplyError("objectives compare games with both colours: use colours=both")
        if self.objectives and self.own_fitness:
            raise ZeroplyError("objectives are about games: a fitness of your own replaces them")
        objectives(self.objectives, self.fitness)
        if self.measure.every:
            self.measure.fitness(self.game)

    @cached_property
    def fitness(self) -> Fitness:
        """How nets are evaluated."""
        return Fitness(
            game=self.game,
            opponents=self.opponents,
            games=self.games,
            openings=self.openings,
            sizes=self.sizes,
            by=self.by,
            temperature=self.temperature,
            colours=self.colours,
        )

    def start(self, net: PopulationNet) -> Strategy:
        """The strategy at its first generation."""
        key = chance.key(self.seed, "evolve", "start")
        setup = Setup(net, self.parents, self.offspring, self.sigma, self.generations, key, self.weights_scale)
        return strategy(self.strategy, setup)


def check_scale(scale: float) -> None:
    """Raise ZeroplyError if initial weights cannot be multiplied by a factor."""
    if not 0 < scale <= 1000:
        raise ZeroplyError(f"weights_scale must be above 0 and at most 1000, not {scale}")


def preset(name: Preset, **changes: Any) -> EvolveConfig:
    """The configuration of a preset, with changes to it; a change of None is ignored."""
    if name not in PRESETS:
        raise ZeroplyError(f"unknown preset '{name}': presets are {', '.join(get_args(Preset))}")
    return EvolveConfig(**{**PRESETS[name], **{key: value for key, value in changes.items() if value is not None}})
