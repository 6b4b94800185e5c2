"""Evolution against fixed opponents: every generation is evaluated and ranked, and a strategy makes the next one.

After Schaul and Schmidhuber 2009, section V-C. Fitness is noisy, so all nets are evaluated again in each generation,
and the best fitness may fall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.learning import champions
from zeroply.learning.evolution import pareto
from zeroply.learning.evolution.config import PRESETS, EvolveConfig, preset
from zeroply.learning.evolution.fitness import Outcome, Trial, evaluate, mean_score
from zeroply.learning.evolution.objectives import Objective, objectives, values
from zeroply.learning.generations import Generations, generation_chart
from zeroply.nets.population import PopulationNet
from zeroply.runs import Array, Json, python_call


@dataclass(frozen=True)
class EvolutionGeneration:
    """Figures of a generation."""

    number: int
    """Counting from 1."""
    best: float
    """Fitness of its champion."""
    mean: float
    """Mean fitness of all its members."""
    wins: float
    """Share of games its champion won."""
    objectives: tuple[float, ...] = ()
    """Values of the objectives for its champion, if there are several objectives."""


class Evolution(Generations[EvolveConfig, EvolutionGeneration]):
    """Evolve nets against fixed opponents; writes champion.safetensors into the folder.

    The default preset, schaul, is the (10+10) strategy of the paper; hill-climbing has one parent and one offspring;
    cma-es is CMA-ES. They differ in the defaults of some options: zeroply evolve --preset cma-es --help

    Example: zeroply evolve --game "atarigo(size=5)" --net "mdrnn(k=10)" --generations 100 --seed 1 --run runs/atari

    Example: zeroply evolve --game "gomoku(size=7)" --objectives black white speed --run runs/gomoku
    """

    kind = "evolve"
    config_type = EvolveConfig
    generation_type = EvolutionGeneration
    charts = (generation_chart("fitness", "best", "mean"), generation_chart("champion", "wins", "objectives"))
    heading = "fitness of the best net of a generation, and mean fitness"
    columns = ("generation", "best", "mean", "won")

    @classmethod
    def presets(cls) -> Mapping[str, EvolveConfig]:
        return {name: preset(name) for name in PRESETS}

    def prepare(self) -> PopulationNet:
        net = self.config.fitness.net(self.config.net)
        self.strategy = self.config.start(net)
        return net

    def inputs(self) -> dict[str, str]:
        fitness = self.config.fitness
        names = [f"{trial.opponent} ({trial.game})" for trial in fitness.trials()]
        return dict(zip(names, fitness.fingerprints, strict=True))

    def start(self) -> None:
        self._champions: list[NDArray[np.float32]] = []
        self._objectives = objectives(self.config.objectives, self.config.fitness)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        self._champions = list(arrays[champions.ARRAY])
        self.strategy.restore(arrays)

    @property
    def done(self) -> int:
        return len(self._champions)

    def arrays(self) -> dict[str, Array]:
        return {champions.ARRAY: np.stack(self._champions), **self.strategy.arrays()}

    def champion(self) -> NDArray[np.float32]:
        return self._champions[-1]

    def champion_origin(self) -> Json:
        assert self.last is not None or self.run is not None
        last = self.last or self.generations(self.recording)[-1]
        return {**super().champion_origin(), "fitness": last.best}

    def step(self) -> None:
        number = self.done + 1
        key = chance.key(self.config.seed, self.kind, number)
        population = self.strategy.ask(key)
        games = chance.key(key, "games")
        outcomes = evaluate(self.config.fitness, self.config.net, population, games, self.workers)
        best_first, champion = rank(self._objectives, outcomes)
        self._champions.append(population[champion].copy())  # a view would keep the whole population in memory
        self.log_generation(_figures(number, self._objectives, outcomes, champion))
        self.strategy.tell(best_first, chance.key(key, "mutation"))

    @classmethod
    def line(cls, one: EvolutionGeneration) -> str:
        return f"best {one.best:+.2f}, mean {one.mean:+.2f}"

    @classmethod
    def row(cls, one: EvolutionGeneration) -> Sequence[str]:
        return str(one.number), f"{one.best:+.3f}", f"{one.mean:+.3f}", f"{100 * one.wins:.0f} %"


evolve = python_call(Evolution)


def rank(several: Sequence[Objective], outcomes: dict[Trial, Outcome]) -> tuple[NDArray[np.int64], int]:
    """Numbers of the members, best first, and the number of the champion.

    With several objectives the ranking is by Pareto fronts, and the champion is the member of the first front with the
    highest mean score.
    """
    fitness = mean_score(outcomes)
    if not several:
        best_first = np.argsort(-fitness, kind="stable").astype(np.int64)
        return best_first, int(best_first[0])
    reached = values(several, outcomes)
    first = np.flatnonzero(pareto.fronts(reached) == 0)
    return pareto.ranking(reached), int(first[np.argmax(fitness[first])])


def _figures(
    number: int, several: Sequence[Objective], outcomes: dict[Trial, Outcome], champion: int
) -> EvolutionGeneration:
    fitness = mean_score(outcomes)
    wins = float(np.mean([(outcome.results[champion] > 0).mean() for outcome in outcomes.values()]))
    reached = tuple(float(one.value(outcomes)[champion]) for one in several)
    return EvolutionGeneration(number, float(fitness[champion]), float(fitness.mean()), wins, reached)
