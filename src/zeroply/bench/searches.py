"""What the parts of search gain: mode strong at equal depth, nets that value all children of a node in one call, and
several threads on one position. Every ratio compares figures of one run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from zeroply.bench.positions import scattered
from zeroply.games import game
from zeroply.nets import population_net
from zeroply.progress import Progress, no_progress
from zeroply.search import EVALUATIONS, Evaluation, Limit
from zeroply.search.threads import on_threads

MODES = (
    ("othello", "pattern", 6),
    ("othello", "pattern", 8),
    ("othello", "pattern", 10),
    ("othello", "mobility", 6),
    ("gomoku(size=9)", "lines", 3),
    ("atarigo(size=9)", "liberties", 3),
)
"""Game, evaluation and depth of the searches compared in both modes."""
NETS = (
    ("mdrnn(k=10, output=value)", "othello", 3),
    ("mdrnn(k=10, output=value)", "gomoku(size=9)", 2),
    ("spatial(layer=queen)", "othello", 4),
)
"""Net, game and depth of the searches compared with and without calls for all children."""
THREADS = (("othello", "pattern", 10, "exact"), ("othello", "pattern", 12, "strong"))
"""Game, evaluation, depth and mode of the searches compared on one thread and on several."""


@dataclass(frozen=True)
class Gain:
    """Two ways to search the same positions."""

    what: str
    """What is compared."""
    game: str
    """Spec of the game."""
    evaluation: str
    """The evaluation."""
    depth: int
    """Plies."""
    before: float
    """CPU time per search without it, in seconds."""
    after: float
    """The same with it; with several threads that of one thread, which works until the search is done."""
    same_move: float
    """Share of positions with the same best move."""

    @property
    def ratio(self) -> float:
        """How many times faster."""
        return self.before / self.after


def measure(positions: int, threads: int, progress: Progress = no_progress) -> list[Gain]:
    """Every comparison over that many positions; `progress(done, total)` is called after each."""
    gains = []
    total = len(MODES) + len(NETS) + len(THREADS)

    def note(gain: Gain) -> None:
        gains.append(gain)
        progress(len(gains), total)

    with on_threads(1):
        for name, evaluation, depth in MODES:
            judge = EVALUATIONS.build(evaluation, game=game(name))
            note(_gain("mode strong", name, evaluation, depth, positions, judge, {}, {"mode": "strong"}))
        for net, name, depth in NETS:
            judge = _net(net, name)
            note(_gain("children in one call", name, net, depth, positions, judge, {"together": False}, {}))
    with on_threads(threads):
        for name, evaluation, depth, mode in THREADS:
            judge = EVALUATIONS.build(evaluation, game=game(name))
            what, several = f"{threads} threads, mode {mode}", {"mode": mode, "threads": threads}
            note(_gain(what, name, evaluation, depth, positions, judge, {"mode": mode}, several))
    return gains


def _net(spec: str, name: str) -> Evaluation:
    rules = game(name)
    net = population_net(spec, rules)
    return Evaluation(rules, net.evaluation(net.initial([1])[0]))


def _gain(
    what: str,
    name: str,
    evaluation: str,
    depth: int,
    count: int,
    judge: Evaluation,
    before: dict[str, Any],
    after: dict[str, Any],
) -> Gain:
    """Both ways take turns position by position, so that other load slows both down alike."""
    positions = scattered(name, count)
    limit, spent, same = Limit(depth=depth), [0.0, 0.0], 0
    for i in range(count):
        moves = []
        for way, options in enumerate((before, after)):
            begun = time.thread_time()
            found = judge.search(positions[i], limit, **options)
            spent[way] += time.thread_time() - begun
            moves.append(int(found.preferences[0].argmax()))
        same += moves[0] == moves[1]
    return Gain(what, name, evaluation, depth, spent[0] / count, spent[1] / count, same / count)
