"""Exact endings of Othello: the final disc difference with best play, empty squares to the winner.

`solve` returns the score and one best move of each position, `solve_moves` the score of every move, `solve_line` a line
of perfect play.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.search.evaluation import Limit, is_integer
from zeroply.search.patterns import shipped_tables

UNSOLVED = int(np.iinfo(np.int32).min)
"""The score of a position whose search was not finished."""


@dataclass(frozen=True)
class SolveResult:
    """The exact scores of n positions for the side to move."""

    scores: NDArray[np.int32]
    """[n]: the disc difference with best play, or 1, 0, -1 with `outcome_only`; `UNSOLVED`, far below any score, where
    the search reached a limit."""
    moves: NDArray[np.int32]
    """[n]: a best move, or -1 if the game is over or the position is not solved."""
    nodes: NDArray[np.uint64]
    """[n]: positions visited."""
    complete: NDArray[np.bool_]
    """[n]: whether the search finished within the limits."""


def solve(
    positions: Positions,
    *,
    outcome_only: bool = False,
    nodes: int | None = None,
    seconds: float | None = None,
    log2_entries: int = 0,
    tables: _core.PatternTables | None = None,
) -> SolveResult:
    """Solve positions of Othello 8x8; limits are per position, the table has 2^`log2_entries` times 16 bytes.

    Several positions are solved at the same time, each on one thread; a single one is solved by all threads together.
    The number of threads changes neither scores nor moves, but which nodes are visited, and so perhaps what is solved
    within a limit.

    A position that is not solved within the limits has the score `UNSOLVED`, move -1 and `complete` False. `tables`
    (default: the shipped ones) order the moves; they change the time, never the score.
    """
    positions.game.require("othello", "the endgame solver", size=8)
    limit = Limit(nodes=nodes, seconds=seconds)
    if not is_integer(log2_entries) or not 0 <= log2_entries <= 28:
        raise ZeroplyError(
            f"log2_entries must be a whole number from 1 to 28, or 0 to choose by the position, not {log2_entries}"
        )
    n = len(positions)
    scores, moves = np.empty(n, np.int32), np.empty(n, np.int32)
    visited, complete = np.empty(n, np.uint64), np.empty(n, np.uint8)
    low, high = (-1, 1) if outcome_only else (-64, 64)
    _core.solve(
        positions.batch,
        tables or shipped_tables(),
        low,
        high,
        int(limit.nodes or 0),
        float(limit.seconds or 0),
        int(log2_entries),
        scores,
        moves,
        visited,
        complete,
    )
    finished = complete.view(np.bool_)
    scores = np.sign(scores) if outcome_only else scores
    return SolveResult(np.where(finished, scores, np.int32(UNSOLVED)), moves, visited, finished)


def solve_moves(
    positions: Positions, *, outcome_only: bool = False, seconds: float | None = None
) -> NDArray[np.float32]:
    """[n, cells]: the exact score of every move for the side to move, -inf elsewhere.

    `seconds` is divided among the moves of a position; a move that is not solved in its share is NaN.
    """
    legal = positions.legal()
    out = np.full((len(positions), positions.game.cells), -np.inf, np.float32)
    row, cell = np.nonzero(legal)
    children = positions[row].after(cell.astype(np.int32))
    same = children.to_move() == positions.to_move()[row]
    share = None if seconds is None else seconds / max(1, int(legal.sum(axis=1).max(initial=0)))
    solved = solve(children, outcome_only=outcome_only, seconds=share)
    out[row, cell] = np.where(solved.complete, np.where(same, 1, -1) * solved.scores, np.float32(np.nan))
    return out


def solve_line(position: Positions, *, seconds: float | None = None) -> list[int]:
    """A line of perfect play from one position to the end of the game; empty if it is not solved in time."""
    at, line = position.copy(), list[int]()
    deadline = None if seconds is None else time.monotonic() + seconds
    while not at.over()[0]:
        left = None if deadline is None else max(1e-6, deadline - time.monotonic())
        solved = solve(at, seconds=left)
        if not solved.complete[0]:
            return []
        line.append(int(solved.moves[0]))
        at.play(solved.moves)
    return line
