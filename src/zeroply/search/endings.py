"""Exact endings of Othello: the final disc difference with best play, empty squares to the winner.

`solve` gives one best move of each position, `solve_moves` scores all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.search.evaluation import Limit, is_whole
from zeroply.search.patterns import shipped_tables

UNSOLVED = int(np.iinfo(np.int32).min)
"""Stands for the score of a position whose search was not finished."""


@dataclass(frozen=True)
class Solved:
    """The endings of n positions, seen by the side to move."""

    scores: NDArray[np.int32]
    """[n]: the disc difference with best play, or 1, 0, -1 if win, draw or loss was asked for; `UNSOLVED`, which is far
    below any score, where the search came to a limit first."""
    moves: NDArray[np.int32]
    """[n]: a best move, -1 if the game is over or was not solved."""
    nodes: NDArray[np.uint64]
    """[n]: positions visited."""
    complete: NDArray[np.bool_]
    """[n]: whether the search came to its end within the limits."""


def solvable(game: Game) -> bool:
    """Whether endings of a game can be solved."""
    return game.matches("othello", size=8)


def solve(
    positions: Positions,
    *,
    outcome_only: bool = False,
    nodes: int | None = None,
    seconds: float | None = None,
    log2_entries: int = 0,
    tables: _core.PatternTables | None = None,
) -> Solved:
    """Solve positions of Othello 8x8; limits are for each position, `log2_entries` sizes the transposition table.

    A position that is not solved within the limits has the score `UNSOLVED`, move -1 and `complete` False. `tables`
    order the moves, by default those shipped; they change the time it takes, never the score.
    """
    positions.game.require("othello", "the endgame solver", size=8)
    limit = Limit(nodes=nodes, seconds=seconds)
    if not is_whole(log2_entries) or not 0 <= log2_entries <= 28:
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
    return Solved(np.where(finished, scores, np.int32(UNSOLVED)), moves, visited, finished)


def solve_moves(
    positions: Positions, *, outcome_only: bool = False, seconds: float | None = None
) -> NDArray[np.float32]:
    """[n, cells]: the exact score of every move for the side to move, -inf elsewhere.

    `seconds` are shared by the moves of a position; a move that is not solved within its part is NaN.
    """
    legal = positions.legal()
    out = np.full((len(positions), positions.game.cells), -np.inf, np.float32)
    row, cell = np.nonzero(legal)
    following = positions[row].after(cell.astype(np.int32))
    same = following.to_move() == positions.to_move()[row]
    part = None if seconds is None else seconds / max(1, int(legal.sum(axis=1).max(initial=0)))
    solved = solve(following, outcome_only=outcome_only, seconds=part)
    out[row, cell] = np.where(solved.complete, np.where(same, 1, -1) * solved.scores, np.float32(np.nan))
    return out
