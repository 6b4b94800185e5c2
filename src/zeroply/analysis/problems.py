"""Othello positions with scored moves, such as those of OBF files, solved exactly and compared with their scores."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from zeroply.records import Problem
from zeroply.search import Limit
from zeroply.search.endings import solve
from zeroply.search.patterns import shipped_tables
from zeroply.search.threads import on_threads


@dataclass(frozen=True)
class Answer:
    """The solver's answer to a problem; scores are for the side to move, after a pass if one is forced."""

    number: int
    """The number of the problem, from 1."""
    problem: Problem
    """The position and its scored moves."""
    outcome_only: bool
    """Whether only win, draw or loss was requested, and scores are 1, 0 or -1."""
    empties: int
    """Empty squares."""
    score: int | None
    """The disc difference with best play, or the outcome; None if the search was not finished."""
    move: int
    """A best move; -1 if the game is over or the search was not finished."""
    nodes: int
    """Positions visited."""
    seconds: float
    """Wall time in seconds."""
    cpu_seconds: float
    """CPU time in seconds of all threads."""

    @property
    def expected(self) -> int | None:
        """The score in the file; None if there is none."""
        value = self.problem.value
        return int(np.sign(value)) if self.outcome_only and value is not None else value

    @property
    def right(self) -> bool | None:
        """Whether score and move agree with the file; None if it has no score or the search was not finished."""
        if self.score is None or self.expected is None:
            return None
        scored = dict(self.problem.scores).get(self.move)
        if scored is not None and self.outcome_only:
            scored = int(np.sign(scored))
        return self.score == self.expected and scored in (None, self.expected)


def answers(
    problems: Sequence[Problem],
    *,
    first: int = 1,
    outcome_only: bool = False,
    limit: Limit | None = None,
    table: int = 0,
    threads: int = 1,
) -> Iterator[Answer]:
    """Answers to problems in their order, numbered from `first`; all threads solve one problem together.

    `limit` is that of each problem, by default none, and `table` the size of the transposition table as a power of 2, 0
    for one by the empty squares.
    """
    shipped_tables()  # read before the first position is timed
    for number, problem in enumerate(problems, first):
        with on_threads(threads):
            solved = answer(number, problem, outcome_only=outcome_only, limit=limit, table=table)
        yield solved


def answer(
    number: int, problem: Problem, *, outcome_only: bool = False, limit: Limit | None = None, table: int = 0
) -> Answer:
    """Solve one problem on the threads of the core."""
    limit = limit or Limit()
    positions = problem.game.parse(problem.position)
    clock, processor = time.perf_counter(), time.process_time()
    solved = solve(positions, outcome_only=outcome_only, nodes=limit.nodes, seconds=limit.seconds, log2_entries=table)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    complete = bool(solved.complete[0])
    return Answer(
        number,
        problem,
        outcome_only,
        int((positions.stones() == 0).sum()),
        int(solved.scores[0]) if complete else None,
        int(solved.moves[0]) if complete else -1,
        int(solved.nodes[0]),
        clock,
        processor,
    )
