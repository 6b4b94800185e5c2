"""Time of a generation of self-play: whole games in the core beside the same games move by move from Python.

Both ways play the same games in turns, and the best of several trials counts. A generation also draws the candidates
and adapts the strategy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zeroply import chance
from zeroply.arena.member_games import play_games
from zeroply.arena.openings import openings
from zeroply.arena.populations import Population, Seats, play_members
from zeroply.games import game
from zeroply.nets import population_net
from zeroply.progress import Progress, no_progress
from zeroply.search.threads import on_threads

TRIALS = 3
CASES: tuple[tuple[str, str, float | None], ...] = (
    ("spatial(layer=queen)", "othello", 0.3),
    ("mdrnn(k=10)", "atarigo(size=5)", None),
    ("mdrnn(k=10)", "atarigo(size=9)", None),
    ("mdrnn(k=10)", "gomoku(size=9)", None),
    ("mlp(hidden=100)", "atarigo(size=9)", None),
)
"""Net, game, and the target for a generation in seconds of wall time on two free cores."""


@dataclass(frozen=True)
class Clock:
    """Seconds of one trial."""

    wall: float
    """Wall time."""
    cpu: float
    """CPU time over all threads."""


@dataclass(frozen=True)
class TournamentSpeed:
    """The times of one case."""

    net: str
    """Spec of the net."""
    game: str
    """Spec of the game."""
    nets: int
    """Candidates of a generation."""
    games: int
    """Games of a generation."""
    core: Clock
    """All games, in the core."""
    lockstep: Clock
    """The same games, move by move."""
    generation: Clock
    """A whole generation."""
    bar: float | None
    """Target for the wall time of a generation."""

    @property
    def ratio(self) -> float:
        """How many times less CPU time the core takes."""
        return self.lockstep.cpu / self.core.cpu


def tournament_speeds(
    nets: int, games: int, threads: int, progress: Progress = no_progress, trials: int = TRIALS
) -> list[TournamentSpeed]:
    """Every case, for generations of `nets` candidates with `games` games each."""
    with on_threads(threads):
        speeds = []
        for net, rules, bar in CASES:
            speeds.append(measure(net, rules, bar, nets, games, trials))
            progress(len(speeds), len(CASES))
        return speeds


def measure(net_spec: str, game_spec: str, bar: float | None, nets: int, games: int, trials: int) -> TournamentSpeed:
    """One case: every candidate plays the same openings against the same three nets."""
    rules = game(game_spec)
    net = population_net(net_spec, rules)
    weights = net.initial(chance.keys(1, np.arange(nets + 3)))
    pairs = games // 2
    member, number = np.repeat(np.arange(nets), pairs), np.tile(np.arange(pairs), nets)
    seats = Seats.pairs(np.stack([member, nets + number % 3], axis=1), 2)
    starts = openings("random(plies=4)", rules, 1, pairs).positions(0, pairs)[np.repeat(number, 2)]
    keys = chance.keys(2, np.arange(len(seats)))
    one_side = Seats(np.zeros(seats.sides.shape, np.int64), seats.members)
    population = Population(net, weights)

    def in_the_core() -> None:
        play_games(net, weights, seats.members, starts, keys)

    def move_by_move() -> None:
        play_members([population], one_side, keys, starts)

    generation = _generation(net_spec, game_spec, nets, games)
    core, lockstep, whole = _best([in_the_core, move_by_move, generation], trials)
    return TournamentSpeed(str(net.spec), str(rules), nets, len(seats), core, lockstep, whole, bar)


def _generation(net: str, game_spec: str, nets: int, games: int) -> Callable[[], None]:
    """What plays a generation of the preset self-play."""
    from zeroply.learning.evolution.config import preset
    from zeroply.learning.evolution.evolve import rank
    from zeroply.learning.evolution.executors import workers
    from zeroply.learning.evolution.fitness import evaluate

    config = preset("self-play", net=net, game=game_spec, offspring=nets, games=games, openings="random(plies=2, to=4)")
    architecture = population_net(net, game(game_spec))
    strategy = config.start(architecture)
    others = {config.opponents[0]: architecture.initial(chance.keys(3, np.arange(3)))}

    def play() -> None:
        with workers() as executor:
            outcomes = evaluate(config.fitness, net, strategy.ask(1), 2, executor, others)
        strategy.tell(rank((), outcomes, nets)[0], 3)

    return play


def _best(ways: list[Callable[[], None]], trials: int) -> list[Clock]:
    """The best wall time and CPU time of each way, which take turns."""
    times: list[list[Clock]] = [[] for _ in ways]
    for _ in range(trials):
        for way, clocks in zip(ways, times, strict=True):
            wall, cpu = time.perf_counter(), time.process_time()
            way()
            clocks.append(Clock(time.perf_counter() - wall, time.process_time() - cpu))
    return [Clock(min(one.wall for one in clocks), min(one.cpu for one in clocks)) for clocks in times]
