"""Time of exact endings: the same positions on one thread and on several.

The positions come from games that a search player plays against itself after random openings, or from the problems of a
file. The numbers of threads take turns position by position, so that other load slows all of them down alike.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zeroply import chance
from zeroply.arena.openings import openings
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game
from zeroply.players import player
from zeroply.progress import Progress, no_progress
from zeroply.records import Problem, load
from zeroply.search.endings import solve
from zeroply.search.patterns import shipped_tables
from zeroply.search.threads import on_threads

MOST_EMPTIES = 30
"""Positions with more empty squares than this can take hours."""


@dataclass
class EndingTime:
    """Time of all positions on one number of threads."""

    threads: int
    """Threads that solved each position together."""
    nodes: int = 0
    """Positions visited."""
    cpu_seconds: float = 0.0
    """CPU time of all threads."""
    wall_seconds: float = 0.0
    """Wall time."""

    @property
    def nodes_per_cpu_second(self) -> float:
        """Speed of one thread."""
        return self.nodes / max(self.cpu_seconds, 1e-9)


def ending_positions(empties: int, count: int, seed: int) -> Positions:
    """Positions with so many empty squares, from games of a search player against itself after 8 random moves."""
    if not (1 <= empties <= MOST_EMPTIES and 1 <= count <= 10_000):
        raise ZeroplyError(f"a benchmark needs 1 to {MOST_EMPTIES} empty squares and 1 to 10,000 positions")
    othello = game("othello")
    engine = player("alphabeta(depth=3, eval=pattern)", othello)
    positions = openings("random(plies=8)", othello, seed, count).positions(0, count)
    keys = chance.keys(chance.key(seed, "endings"), np.arange(count))
    while (going := ((positions.stones() == 0).sum(axis=1) > empties) & ~positions.over()).any():
        later = positions[going]
        later.play(engine.choose(later, keys[going]))
        positions[np.flatnonzero(going)] = later
    return positions[~positions.over()]


def file_positions(file: Path, first: int = 1, last: int | None = None) -> Positions:
    """The positions of an OBF file from number `first` to `last`, counted from 1."""
    problems = [record for record in load(file) if isinstance(record, Problem)][max(0, first - 1) : last]
    if not problems:
        raise ZeroplyError(f"{file} has no positions from number {first} to {last or 'the last'}")
    return game("othello").parse([problem.position for problem in problems])


def measure_endings(
    positions: Positions, threads: Sequence[int], *, progress: Progress = no_progress
) -> list[EndingTime]:
    """The time of each number of threads; an error if they do not agree on all scores and moves."""
    shipped_tables()  # read before the first position is timed
    times = [EndingTime(number) for number in threads]
    for i in range(len(positions)):
        answers = set()
        for one in times:
            with on_threads(one.threads):
                wall, cpu = time.perf_counter(), time.process_time()
                solved = solve(positions[i : i + 1])
                one.wall_seconds += time.perf_counter() - wall
                one.cpu_seconds += time.process_time() - cpu
            one.nodes += int(solved.nodes[0])
            answers.add((int(solved.scores[0]), int(solved.moves[0])))
        if len(answers) > 1:
            raise AssertionError(f"{positions[i : i + 1].text()[0]} has different answers: {sorted(answers)}")
        progress(i + 1, len(positions))
    return times
