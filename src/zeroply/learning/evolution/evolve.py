"""Evolution as a run: every generation is tried, ranked and followed by the next; all champions are kept.

After Schaul and Schmidhuber 2009, section V-C. Fitness is noisy, so all nets are evaluated anew in each generation, and
the best fitness may fall. The generations of a run depend on its configuration and seed only, not on who plays the
games nor on how often it was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, levels
from zeroply.arena.unchanged import STORED, check_unchanged
from zeroply.learning import champions
from zeroply.learning.evolution import pareto
from zeroply.learning.evolution.config import EvolveConfig
from zeroply.learning.evolution.executors import Workers, workers
from zeroply.learning.evolution.fitness import Outcome, Trial, evaluate, mean_score
from zeroply.learning.evolution.objectives import Objective, objectives, values
from zeroply.nets.population import PopulationNet
from zeroply.runs import Run, RunRecord, stored

KIND = "evolve"
_SECONDS_BETWEEN_CHECKPOINTS = 5.0


@dataclass(frozen=True)
class Generation:
    """How a generation came out."""

    number: int
    """Counting from 1."""
    best: float
    """Fitness of its champion."""
    mean: float
    """Mean fitness of all its members."""
    wins: float
    """Share of games its champion won."""
    objectives: tuple[float, ...] = ()
    """What its champion reached in each objective, if there are several."""


Progress = Callable[[Generation, int], None]
"""Called with a generation that is done and the number of generations in all."""


@dataclass(frozen=True)
class Evolved:
    """What a run has come to."""

    champion: Path
    """Net file of the last champion."""
    generations: tuple[Generation, ...]
    """All generations so far."""


def evolve(
    config: EvolveConfig,
    folder: str | os.PathLike[str],
    where: str = "threads",
    progress: Progress | None = None,
) -> Evolved:
    """Evolve nets as a run in a new folder; `where` says who plays the games (see `executors.workers`)."""
    net = config.fitness.net(config.net)
    config.start(net)
    settings = {**stored(config), STORED: config.fitness.fingerprints}
    with (
        workers(where) as those,
        Run.create(folder, kind=KIND, config=settings, seed=config.seed, level=levels.chosen()) as run,
    ):
        return _evolve(config, net, run, those, progress)


def resume(run: Run, where: str = "threads", progress: Progress | None = None) -> Evolved:
    """Go on with evolution from where its run stands."""
    if run.finished:
        return evolved(run)
    config = run.config(EvolveConfig, STORED)
    check_unchanged(run, config.fitness.fingerprints)
    with workers(where) as those:
        return _evolve(config, config.fitness.net(config.net), run, those, progress)


def evolved(run: RunRecord) -> Evolved:
    """What a run has come to, from its events."""
    return Evolved(run.folder / champions.FILE, tuple(_generations(run)))


def _generations(run: RunRecord) -> list[Generation]:
    return [
        Generation(event["number"], event["best"], event["mean"], event["wins"], tuple(event.get("objectives", ())))
        for event in run.events("generation")
    ]


def _evolve(config: EvolveConfig, net: PopulationNet, run: Run, those: Workers, progress: Progress | None) -> Evolved:
    strategy, several = config.start(net), objectives(config.objectives, config.fitness)
    kept: list[NDArray[np.float32]] = []
    if run.arrays is not None:
        kept = list(run.arrays[champions.ARRAY])
        strategy.restore(run.arrays)
    while len(kept) < config.generations:
        number = len(kept) + 1
        key = chance.key(config.seed, KIND, number)
        population = strategy.ask()
        outcomes = evaluate(config.fitness, config.net, population, chance.key(key, "games"), those)
        best_first, champion = rank(several, outcomes)
        kept.append(population[champion].copy())  # a view would keep the whole population
        done = _summary(number, several, outcomes, champion)
        run.log("generation", **_fields(done))
        strategy.tell(best_first, chance.key(key, "mutation"))
        if number == config.generations or run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
            run.save({"generation": number}, {champions.ARRAY: np.stack(kept), **strategy.arrays()})
        if progress:
            progress(done, config.generations)
    _finish(config, net, run, kept)
    return evolved(run)


def rank(several: Sequence[Objective], outcomes: dict[Trial, Outcome]) -> tuple[NDArray[np.int64], int]:
    """Numbers of the members, best first, and that of the champion.

    With several objectives the ranking is Pareto's, and the champion is the member of the first front with the highest
    mean score.
    """
    fitness = mean_score(outcomes)
    if not several:
        best_first = np.argsort(-fitness, kind="stable").astype(np.int64)
        return best_first, int(best_first[0])
    reached = values(several, outcomes)
    first = np.flatnonzero(pareto.fronts(reached) == 0)
    return pareto.ranking(reached), int(first[np.argmax(fitness[first])])


def _summary(number: int, several: Sequence[Objective], outcomes: dict[Trial, Outcome], champion: int) -> Generation:
    fitness = mean_score(outcomes)
    wins = float(np.mean([(outcome.results[champion] > 0).mean() for outcome in outcomes.values()]))
    reached = tuple(float(one.value(outcomes)[champion]) for one in several)
    return Generation(number, float(fitness[champion]), float(fitness.mean()), wins, reached)


def _fields(done: Generation) -> dict[str, Any]:
    """An event; the objectives only where there are several."""
    fields = dict(vars(done))
    if not done.objectives:
        fields.pop("objectives")
    return fields


def _finish(config: EvolveConfig, net: PopulationNet, run: Run, kept: Sequence[NDArray[np.float32]]) -> None:
    last = _generations(run)[-1]
    training = {
        "run": "evolve",
        **stored(config),
        "seed": config.seed,
        "generation": last.number,
        "fitness": last.best,
    }
    champions.save_champion(run.folder / champions.FILE, net, kept[-1], training)
    run.finish({"champion": champions.FILE, **_fields(last)})
