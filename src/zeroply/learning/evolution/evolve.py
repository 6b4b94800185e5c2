"""Evolution: every generation plays, and a strategy makes the next one from its fitness.

After Schaul and Schmidhuber 2009, section V-C. Fitness is noisy, so all nets are evaluated again in each generation,
and the best fitness may fall. The champion is the best member, or the centre of the distribution of strategies that
have one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.learning import champions
from zeroply.learning.evolution import pareto
from zeroply.learning.evolution.config import PRESETS, EvolveConfig, preset
from zeroply.learning.evolution.fitness import Outcome, Trial, evaluate, mean_score
from zeroply.learning.evolution.net_opponents import Hall
from zeroply.learning.evolution.objectives import Objective, objectives, values
from zeroply.learning.evolution.own_fitness import own_fitness, own_scores
from zeroply.learning.generations import Generations, generation_chart
from zeroply.learning.strategies import Fitness, Weights, best_first, fitness_of
from zeroply.nets.population import PopulationNet
from zeroply.runs import Array, Chart, Json, python_call

LAST = "last"
"""The name of the last champion in a checkpoint that does not hold them all."""


@dataclass(frozen=True)
class EvolutionGeneration:
    """Figures of a generation."""

    number: int
    """Counting from 1."""
    best: float
    """Fitness of its champion."""
    mean: float
    """Mean fitness of all its members."""
    wins: float | None = None
    """Share of games its champion won; None with a fitness of one's own, which need not be about games."""
    objectives: tuple[float, ...] = ()
    """Values of the objectives for its champion, if there are several objectives."""


class Evolution(Generations[EvolveConfig, EvolutionGeneration]):
    """Evolve nets against players or against themselves; writes champion.safetensors into the folder.

    The default preset, schaul, is the (10+10) strategy of the paper; hill-climbing has one parent and one offspring;
    cma-es is CMA-ES; self-play is an evolution strategy whose nets play only earlier ones, by default for Othello. They
    differ in the defaults of some options: zeroply evolve --preset cma-es --help

    Example: zeroply evolve --game "atarigo(size=5)" --net "mdrnn(k=10)" --generations 100 --seed 1 --run runs/atari

    Example: zeroply evolve --game "gomoku(size=7)" --objectives black white speed --run runs/gomoku

    Example: zeroply evolve --preset self-play --generations 5000 --seed 1 --run runs/queen
    """

    kind = "evolve"
    config_type = EvolveConfig
    generation_type = EvolutionGeneration
    charts = (
        generation_chart("fitness", "best", "mean"),
        generation_chart("champion", "wins", "objectives"),
        Chart("points per game", "measured", "generation", {"against": "points"}),
    )
    heading = "fitness of the champion of a generation, and mean fitness"
    columns = ("generation", "best", "mean", "won")

    @classmethod
    def presets(cls) -> Mapping[str, EvolveConfig]:
        return {name: preset(name) for name in PRESETS}

    def prepare(self) -> PopulationNet:
        config = self.config
        net = config.fitness.net(config.net)
        self.strategy = config.start(net)
        if config.own_fitness is not None:
            own_fitness(config.own_fitness)
        trials = [] if config.own_fitness else config.fitness.trials()
        self._drawn = {trial.opponent: trial.nets for trial in trials if trial.nets}
        return net

    def inputs(self) -> dict[str, str]:
        fitness = self.config.fitness
        if self.config.own_fitness is not None:
            return {}
        names = [f"{trial.opponent} ({trial.game})" for trial in fitness.trials()]
        return dict(zip(names, fitness.fingerprints, strict=True))

    def start(self) -> None:
        self._done, self._champions, self._hall = 0, list[Weights](), Hall()
        self._objectives = objectives(self.config.objectives, self.config.fitness)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        self._done = int(state["done"])
        self._champions = list(arrays[champions.ARRAY if self.config.save_every == 1 else LAST])
        self._hall.restore(_part(arrays, "hall"))
        self.strategy.restore(_part(arrays, "strategy"))

    @property
    def done(self) -> int:
        return self._done

    def state(self) -> Json:
        return {"done": self._done}

    def arrays(self) -> dict[str, Array]:
        kept = champions.ARRAY if self.config.save_every == 1 else LAST
        return {
            kept: np.stack(self._champions),
            **{f"hall.{name}": array for name, array in self._hall.arrays().items()},
            **{f"strategy.{name}": array for name, array in self._state_of_strategy().items()},
        }

    def _state_of_strategy(self) -> dict[str, Array]:
        state: object = self.strategy.arrays()
        if not isinstance(state, dict) or not all(isinstance(array, np.ndarray) for array in state.values()):
            raise ZeroplyError(f"strategy {self.config.strategy} must give its state as a dict of arrays by name")
        return state

    def champion(self) -> Weights:
        return self._champions[-1]

    def champion_origin(self) -> Json:
        assert self.last is not None or self.run is not None
        last = self.last or self.generations(self.recording)[-1]
        return {**super().champion_origin(), "fitness": last.best}

    def step(self) -> None:
        config, number = self.config, self.done + 1
        key = chance.key(config.seed, self.kind, number)
        population = self._candidates(key)
        centre = self.strategy.centre  # plays along, to be measured
        nets = population if centre is None else np.concatenate([population, centre[None]])
        if centre is not None:
            self._remember(centre, number)
        draws = chance.key(key, "opponents")
        drawn = {spec: which.draw(population, self._hall, draws) for spec, which in self._drawn.items() if which}
        playing = chance.key(key, "games")
        if config.own_fitness is None:
            outcomes = evaluate(config.fitness, config.net, nets, playing, self.workers, drawn)
            fitness, champion = rank(self._objectives, outcomes, len(population))
            figures = _figures(number, self._objectives, outcomes, champion)
        else:
            scores = own_scores(config.own_fitness, config.game, config.net, nets, playing, self.workers)
            fitness, champion = best_of(scores, len(population))
            figures = EvolutionGeneration(number, float(scores[champion]), float(scores.mean()))
        self._keep(nets[champion].copy(), number)  # a view would keep the whole population in memory
        self.log_generation(figures)
        if centre is None:
            self._remember(self.champion(), number)
        if config.measure.is_due(number, config.generations):
            measuring = chance.key(config.seed, "measure")
            points = config.measure.points(config.game, config.net, self.champion(), measuring, self.workers)
            self.log("measured", generation=number, points=points)
        self.strategy.tell(fitness, chance.key(key, "mutation"))
        self._done = number

    def _candidates(self, key: int) -> Weights:
        """The generation to evaluate; raises ZeroplyError if the strategy does not give one."""
        given: object = self.strategy.ask(key)
        fits = isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == self.net.parameters
        if not isinstance(given, np.ndarray) or not fits or not len(given):
            what = f"an array of shape {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
            raise ZeroplyError(
                f"strategy {self.config.strategy} must give an array [members, {self.net.parameters}], not {what}"
            )
        return self.net.checked(given)

    def _remember(self, weights: Weights, generation: int) -> None:
        """Add a champion to the hall of fame, if anyone plays against it."""
        if self._drawn:
            self._hall.add(weights, generation)

    def _keep(self, champion: Weights, generation: int) -> None:
        """Keep the champion of a generation, as the configuration says."""
        every, last = self.config.save_every, self.config.generations
        if every == 1:
            self._champions.append(champion)
            return
        self._champions = [champion]
        if self.run is not None and (generation % every == 0 or generation == last):
            path = champions.written_champion(self.run.folder, generation)
            with explained(f"make {path.parent}"):
                path.parent.mkdir(exist_ok=True)
            origin = {**super().champion_origin(), "generation": generation}
            champions.save_champion(path, self.net, champion, origin)

    @classmethod
    def line(cls, one: EvolutionGeneration) -> str:
        return f"best {one.best:+.2f}, mean {one.mean:+.2f}"

    @classmethod
    def row(cls, one: EvolutionGeneration) -> Sequence[str]:
        won = "" if one.wins is None else f"{100 * one.wins:.0f} %"
        return str(one.number), f"{one.best:+.3f}", f"{one.mean:+.3f}", won


evolve = python_call(Evolution)


def _part(arrays: Mapping[str, Array], name: str) -> dict[str, Array]:
    """The arrays whose names begin with `name.`, without that."""
    return {key.partition(".")[2]: array for key, array in arrays.items() if key.startswith(f"{name}.")}


def rank(several: Sequence[Objective], outcomes: dict[Trial, Outcome], members: int) -> tuple[Fitness, int]:
    """The fitness of the first `members` nets, and the number of the champion.

    A net beyond them is the centre of the distribution, and the champion. With several objectives fitness follows the
    ranking by Pareto fronts, and the champion of a population is the member of the first front with the highest mean
    score.
    """
    scores = mean_score(outcomes)
    fitness, champion = best_of(scores, members)
    if several:
        reached = values(several, outcomes)[:members]
        front = np.flatnonzero(pareto.fronts(reached) == 0)
        if len(scores) == members:
            champion = int(front[np.argmax(fitness[front])])
        fitness = fitness_of(pareto.ranking(reached), members)
    return fitness, champion


def best_of(scores: Fitness, members: int) -> tuple[Fitness, int]:
    """The fitness of the first `members` nets, and the number of the champion: the best, or a net beyond them."""
    fitness = scores[:members]
    return fitness, int(best_first(fitness)[0]) if len(scores) == members else members


def _figures(
    number: int, several: Sequence[Objective], outcomes: dict[Trial, Outcome], champion: int
) -> EvolutionGeneration:
    fitness = mean_score(outcomes)
    wins = float(np.mean([(outcome.results[champion] > 0).mean() for outcome in outcomes.values()]))
    reached = tuple(float(one.value(outcomes)[champion]) for one in several)
    return EvolutionGeneration(number, float(fitness[champion]), float(fitness.mean()), wins, reached)
