"""Time per board of population nets: in batches and one at a time, on one thread.

Positions come from random games at every stage, and a population of twenty members shares them. Every figure is the
best of several short trials in CPU time. It is listed with the time that Schaul and Schmidhuber 2009 (section III)
report for the same net and board, and with the target of this project.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from zeroply import chance, levels
from zeroply.bench.positions import scattered
from zeroply.games import Positions, game
from zeroply.nets import population_net
from zeroply.players import player
from zeroply.progress import Progress, no_progress
from zeroply.search.threads import on_threads

TRIALS = 5
MEMBERS = 20
"""Members of the population, as in a generation of Schaul and Schmidhuber."""
POSITIONS = 2000
"""Positions per batch."""
BURST = 500
"""Single boards per timing."""
GENERATIONS_BAR = 12.0
"""Target for generations of 110 spatial nets per second on two cores."""
CHILDREN_GAMES = 1000
"""Random games whose positions are used for nets that evaluate every child."""


@dataclass(frozen=True)
class Case:
    """One measurement."""

    net: str
    """Spec of the net."""
    game: str
    """Spec of the game."""
    how: Literal["batch", "single", "children"] = "batch"
    """Many boards per call, one board per call, or many positions per call with every child evaluated."""
    paper: float | None = None
    """Microseconds per board in the paper."""
    bar: float | None = None
    """Target in microseconds per board with AVX-512."""
    bar_v3: float | None = None
    """The same with AVX2."""


CASES = (
    Case("mdrnn(k=10)", "atarigo(size=5)", paper=2000, bar=1.2, bar_v3=3.0),
    Case("mdrnn(k=10)", "atarigo(size=9)", paper=20000, bar=5, bar_v3=12.5),
    Case("mdrnn(k=10)", "atarigo(size=19)", bar=20, bar_v3=50),
    Case("mdrnn(k=10)", "atarigo(size=9)", "single", paper=20000, bar=10, bar_v3=10),
    Case("mdrnn(k=10, border=distance)", "atarigo(size=9)"),
    Case("mdrnn(k=10, layers=2)", "atarigo(size=9)"),
    Case("mdrnn(k=10, features=true)", "atarigo(size=9)"),
    Case("mdrnn(k=10, output=value)", "atarigo(size=9)", "children"),
    Case("mdlstm(k=10)", "atarigo(size=9)"),
    Case("mlp(hidden=100)", "atarigo(size=5)"),
    Case("mlp(hidden=100)", "atarigo(size=9)"),
    Case("spatial(layer=queen)", "othello", "children", bar=0.30, bar_v3=0.40),
)
"""The measurements of `zeroply bench nets`."""


@dataclass(frozen=True)
class NetSpeed:
    """One measured figure."""

    net: str
    """Spec of the net."""
    game: str
    """Spec of the game."""
    how: str
    """As in `Case`."""
    microseconds: float
    """CPU time per board."""
    paper: float | None
    """The paper's value, in microseconds."""
    bar: float | None
    """The target at this instruction-set level, in microseconds."""

    @property
    def times_the_paper(self) -> float | None:
        """How many times faster than the paper."""
        return None if self.paper is None else self.paper / self.microseconds

    @property
    def of_the_bar(self) -> float | None:
        """Time divided by the target; above 1 is too slow."""
        return None if self.bar is None else self.microseconds / self.bar


def net_speeds(seconds: float, progress: Progress = no_progress) -> list[NetSpeed]:
    """Every case, for about `seconds` each, on one thread; `progress(done, total)` is called after each."""
    with on_threads(1):
        speeds = []
        for case in CASES:
            speeds.append(measure(case, seconds))
            progress(len(speeds), len(CASES))
        return speeds


def measure(case: Case, seconds: float) -> NetSpeed:
    """One case, on all threads of the core."""
    rules = game(case.game)
    net = population_net(case.net, rules)
    weights = net.initial(chance.keys(1, np.arange(MEMBERS)))
    if case.how == "children":
        positions, boards = _whole_games(case.game)
    else:
        positions = scattered(case.game, 1 if case.how == "single" else POSITIONS)
        boards = len(positions)
    members = (np.arange(len(positions)) % MEMBERS).astype(np.int32)
    calls = BURST if case.how == "single" else 1  # between two looks at the clock, which takes time too
    best = float("inf")
    for _ in range(TRIALS):
        bursts, start = 0, time.process_time()
        while (spent := time.process_time() - start) < seconds / TRIALS or bursts == 0:
            for _ in range(calls):
                net.prefer(weights, members, positions)
            bursts += 1
        best = min(best, spent / (bursts * calls * boards))
    bar = {"v4": case.bar, "v3": case.bar_v3}.get(levels.chosen())
    return NetSpeed(case.net, case.game, case.how, 1e6 * best, case.paper, bar)


@dataclass(frozen=True)
class GenerationSpeed:
    """Time per generation, including mutation and selection."""

    what: str
    """The method."""
    net: str
    """Spec of the net."""
    game: str
    """Spec of the game."""
    nets: int
    """Nets per generation."""
    games: int
    """Games per generation."""
    threads: int
    """Threads of the core."""
    seconds: float
    """Wall time."""
    cpu_seconds: float
    """CPU time over all threads."""
    bar: float
    """Target for the wall time in seconds on two cores."""


def generation_speeds(seconds: float, threads: int = 2) -> list[GenerationSpeed]:
    """Generations of the two papers that evolve nets, starting untrained: the best of several short trials."""
    with on_threads(threads):
        return [
            *(_evolution(f"atarigo(size={size})", bar, seconds, threads) for size, bar in ((5, 0.15), (9, 1.0))),
            _coevolution(seconds, threads),
        ]


def _evolution(game_spec: str, bar: float, seconds: float, threads: int) -> GenerationSpeed:
    from zeroply.learning.evolution.config import preset
    from zeroply.learning.evolution.evolve import rank
    from zeroply.learning.evolution.executors import workers
    from zeroply.learning.evolution.fitness import evaluate

    config = preset("schaul", game=game_spec)
    strategy = config.start(population_net(config.net, game(game_spec)))
    nets = len(strategy.ask(0))

    with workers() as executor:

        def generation(number: int) -> None:
            key = chance.key(1, number)
            outcomes = evaluate(config.fitness, config.net, strategy.ask(key), key, executor)
            strategy.tell(rank((), outcomes, nets)[0], key)

        clock, processor = _of_a_generation(generation, seconds)
    what = "evolution, Schaul and Schmidhuber"
    return GenerationSpeed(what, config.net, game_spec, nets, nets * config.games, threads, clock, processor, bar)


def _coevolution(seconds: float, threads: int) -> GenerationSpeed:
    from zeroply.learning.coevolution import lin_white
    from zeroply.learning.evolution.executors import workers

    config = lin_white.LinWhiteConfig()
    net = lin_white.spatial_net(config.net)
    strategy = lin_white.strategy_of(config, lin_white.first_parents(config, net))

    with workers() as executor:

        def generation(_: int) -> None:
            lin_white.next_generation(config, net, strategy, executor)

        clock, processor = _of_a_generation(generation, seconds)
    nets, games = config.population + config.opponents, config.population * config.opponents
    what, bar = "coevolution, Lin and White", 1 / GENERATIONS_BAR
    return GenerationSpeed(what, config.net, "othello", nets, games, threads, clock, processor, bar)


def _of_a_generation(generation: Callable[[int], None], seconds: float) -> tuple[float, float]:
    """Wall time and CPU time, the best of several trials each."""
    number, best, cost = 0, float("inf"), float("inf")
    for _ in range(TRIALS):
        first, clock, processor = number, time.perf_counter(), time.process_time()
        while (spent := time.perf_counter() - clock) < seconds / TRIALS or number == first:
            generation(number)
            number += 1
        best = min(best, spent / (number - first))
        cost = min(cost, (time.process_time() - processor) / (number - first))
    return best, cost


def _whole_games(name: str) -> tuple[Positions, int]:
    """All positions of random games, and how many children they have."""
    rules = game(name)
    random = player("random", rules)
    keys = chance.keys(1, np.arange(CHILDREN_GAMES))
    positions = rules.start(CHILDREN_GAMES)
    stages = []
    while not positions.over().all():
        stages.append(positions.boards())
        positions.play(random.choose(positions, keys))
        live = ~positions.over()
        positions, keys = positions[live], keys[live]
    everything = rules.make([board for stage in stages for board in stage])
    return everything, int(everything.legal().sum())
