"""evolution.strategies: which evolution strategy learns, how fast, and how what it finds scales to larger boards.

All strategies get the same number of games. Those of the papers keep their own fitness: elitist plays against earlier
champions from openings like the strategies of today; Lin and White's plays members of its own generation from the usual
start (reading: in place of the extra children that never survive), `x10-common` with ten times the games and one random
factor for all mutation steps of a child.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.learning.evolution.config import EvolveConfig
from zeroply.learning.evolution.evolve import Evolution
from zeroply.learning.evolution.executors import Threads
from zeroply.learning.evolution.fitness import resized
from zeroply.learning.evolution.measure import MeasureConfig
from zeroply.nets import files
from zeroply.nets.population import VECTOR
from zeroply.studies.claims import Claim, above
from zeroply.studies.measured import difference, mean
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grid, grouped


@dataclass(frozen=True)
class Task:
    """What is learned, and whom champions are measured against."""

    game: str
    net: str
    sigma: float
    """Change of a weight; MDRNNs start with weights ten times as large as spatial nets."""
    opponents: tuple[str, ...]
    openings: str
    """Those from which nets of a run meet."""
    measured_from: str
    """Those from which champions are measured."""
    large: int | None
    """Size of the larger board on which the last champions are tried too."""


OTHELLO = ("random(plies=4, to=9)", "random(plies=8)")
SHORT = ("random(plies=1, to=4)", "random(plies=4)")
TASKS = {
    "queen Othello": Task("othello", "spatial(layer=queen)", 0.15, ("greedy", "net(othello-swh)"), *OTHELLO, None),
    "Atari-Go 9x9": Task("atarigo(size=9)", "mdrnn(k=10)", 0.3, ("naive", "random"), *SHORT, 15),
    "Gomoku 9x9": Task("gomoku(size=9)", "mdrnn(k=10)", 0.3, ("naive", "random"), *SHORT, 15),
}
OWN: dict[str, Any] = {"openings": "none", "by": None, "opponents": ("population(n=6)",), "sigma": 0.05}
"""The fitness of Lin and White."""
STRATEGIES: dict[str, dict[str, Any]] = {
    "elitist": {"strategy": "elitist", "parents": 50, "offspring": 50},
    "Lin-White": {"strategy": "self-adaptive", "parents": 50, "offspring": 50, **OWN},
    "x10-common": {
        "strategy": "self-adaptive(factors=common)",
        "parents": 50,
        "offspring": 50,
        **OWN,
        "games": 120,
        "opponents": ("population(n=60)",),
    },
    "SNES": {"strategy": "snes", "offspring": 100},
    "ES": {"strategy": "es(rate=0.01, last_rate=0.001, average=0.95, decay=2e-5)", "offspring": 500},
    "CMA": {"strategy": "cma-es", "offspring": 100},
}


@dataclass(frozen=True)
class Size:
    """How much work."""

    games: int
    """Games of a run."""
    seeds: int
    """Runs of each strategy and task."""
    members: int
    """The most parents and offspring of a generation."""
    measures: int
    """Measurements in a run."""
    measured: int
    """Games of each of them."""


SIZES: dict[Scale, Size] = {
    "smoke": Size(200, 1, 4, 2, 4),
    "cpu": Size(3_000_000, 3, 10_000, 20, 1000),
    "paper": Size(30_000_000, 3, 10_000, 40, 2000),
}


def config_of(task: str, strategy: str, scale: Scale, seed: int) -> EvolveConfig:
    """The run of a strategy."""
    its, size = TASKS[task], SIZES[scale]
    usual: dict[str, Any] = {
        "game": its.game,
        "net": its.net,
        "sigma": its.sigma,
        "games": 12,
        "opponents": ("earlier(n=3)",),
        "openings": its.openings,
        "by": "result",
        "parents": 0,
    }
    settings = {**usual, **STRATEGIES[strategy]}
    settings |= {name: min(settings[name], size.members) for name in ("parents", "offspring")}
    nets = settings["offspring"] + settings["parents"]
    generations = max(2, round(size.games / (nets * settings["games"])))
    every = max(1, generations // size.measures)
    measure = MeasureConfig(every=every, opponents=its.opponents, games=size.measured, openings=its.measured_from)
    return EvolveConfig(**settings, generations=generations, save_every=max(2, every), measure=measure, seed=seed)


class EvolutionStrategies(Study):
    """Strategies side by side."""

    name = "evolution.strategies"
    title = "evolution strategies with the same number of games"
    source = "our experiment with the nets of Schaul and Schmidhuber 2009 and of Lin and White 2009"
    packages = ("scipy", "cmaes")

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        numbers = list(range(1, seeds * SIZES[scale].seeds + 1))
        return grid("{task} {strategy} run {seed}", numbers, scale=scale, task=[*TASKS], strategy=[*STRATEGIES])

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, task = unit.settings["scale"], TASKS[unit.settings["task"]]
        config = config_of(unit.settings["task"], unit.settings["strategy"], scale, unit.seed)
        name = re.sub(r"[^A-Za-z0-9]+", "-", unit.name)
        run = shared_run(self.folders.results / "evolution.runs" / scale / name, Evolution(config), progress)
        found = list(run.events("measured"))
        nets = (config.offspring or 0) + config.parents
        measures: dict[str, Any] = {
            "games": [one["generation"] * nets * config.games for one in found],
            "points": {who: [round(one["points"][who], 4) for one in found] for who in task.opponents},
        }
        if task.large is not None:
            champion = files.read(str(run.folder / "champion.safetensors"))[1][VECTOR]
            board, key = str(resized(task.game, task.large)), chance.key(unit.seed, unit.name)
            with Threads() as workers:
                measures["large"] = config.measure.points(board, config.net, champion, key, workers)
        return measures

    def findings(self, units: Units, scale: Scale) -> Report:
        cases = grouped(units, "task", "strategy")
        last = {
            (task, strategy): {who: [run["points"][who][-1] for run in runs] for who in TASKS[task].opponents}
            for (task, strategy), runs in cases.items()
        }
        rows = [
            {"task": task, "strategy": strategy, "games": cases[task, strategy][0]["games"][-1], "opponent": who}
            | {"points": mean(points, 3), "larger board": _larger(cases[task, strategy], who)}
            for (task, strategy), reached in last.items()
            for who, points in reached.items()
        ]
        gains = {
            f"{task} against {TASKS[task].opponents[0]}, {other}": difference(
                last[task, "ES"][TASKS[task].opponents[0]], last[task, other][TASKS[task].opponents[0]]
            )
            for task in TASKS
            for other in ("elitist", "Lin-White")
            if (task, "ES") in last and (task, other) in last
        }
        queen = [last["queen Othello", "ES"]["greedy"]] if ("queen Othello", "ES") in last else []
        claims = [
            Claim("our experiment", "The evolution strategy ends higher than those of the papers", gains, above(0))
        ]
        claims += [
            Claim("our experiment", "It wins most games of queen Othello against greedy", mean(one), above(0.5))
            for one in queen
        ]
        return Report(
            "Every strategy gets the same number of games. Champions (for SNES, ES and CMA the centres of their "
            "distributions) play fixed opponents from random openings, points per game with draws as halves. Where "
            "the net plays on any board, the last champions are also tried on 15x15.",
            [ResultTable("strategies", "points per game of the last champions, means over runs", rows)],
            claims if gains else claims[1:],
            [
                Drawing(
                    "curves", "points per game against the first opponent over games played", lambda f: _draw(f, cases)
                )
            ],
        )


Cases = Mapping[tuple[Any, ...], Sequence[Measures]]


def _larger(runs: Sequence[Measures], who: str) -> Any:
    """Points on the larger board, if it was tried."""
    return mean([run["large"][who] for run in runs], 3) if "large" in runs[0] else ""


def _draw(figure: Figure, cases: Cases) -> None:
    panels = figure.subplots(1, len(TASKS), sharey=True)
    for (name, task), panel in zip(TASKS.items(), panels, strict=True):
        for colour, strategy in zip(COLOURS, STRATEGIES, strict=False):
            for number, run in enumerate(cases.get((name, strategy), ())):
                points = np.array(run["points"][task.opponents[0]])
                label = strategy if number == 0 else None
                panel.plot(run["games"], points, color=colour, linewidth=1.2, label=label)
        panel.set(title=f"{name}, {task.opponents[0]}", xlabel="games", ylim=(-0.02, 1.02))
    panels[0].legend(frameon=False)
