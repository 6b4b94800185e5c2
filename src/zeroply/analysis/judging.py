"""What moves are worth: exact scores in the ending of Othello, the scores of a searching player before.

A judge is any player whose preferences are scores of moves. The value of a position is the score of its best move, and
what a move loses is the difference to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players import Player
from zeroply.search.endings import solve_moves

EXACT = 14
"""Empty squares from which endings of Othello are solved, unless said otherwise; each more doubles the time."""
MOST_EXACT = 24


@dataclass(frozen=True, eq=False)
class Judged:
    """The moves of n positions, scored for the side to move."""

    scores: NDArray[np.float32]
    """[n, cells]: what each move is worth, -inf where it is illegal."""
    exact: NDArray[np.bool_]
    """[n]: whether the scores are the disc differences of perfect play."""

    @property
    def values(self) -> NDArray[np.float32]:
        """[n]: the score of the best move; 0 where there is none."""
        best = self.scores.max(axis=1)
        return np.where(np.isfinite(best), best, np.float32(0))

    def losses(self, moves: NDArray[np.int64]) -> NDArray[np.float32]:
        """[n]: how much less a move is worth than the best one."""
        return self.values - self.scores[np.arange(len(moves)), moves]


def default_judge(game: Game) -> str:
    """The spec of the player that judges a game unless another one is given."""
    if game.name == "othello":
        return "alphabeta(depth=6, eval=pattern)" if game.size == 8 else "alphabeta(depth=4, eval=mobility)"
    return f"alphabeta(depth=2, eval={'lines' if game.name == 'gomoku' else 'liberties'})"


def judge(positions: Positions, judging: Player, exact: int = EXACT) -> Judged:
    """Score every move of every position; endings of Othello with at most `exact` empty squares are solved."""
    if not 0 <= exact <= MOST_EXACT:
        raise ZeroplyError(f"endings can be solved from 0 to {MOST_EXACT} empty squares on, not {exact}")
    solvable = positions.game.name == "othello" and positions.game.size == 8
    empties = (positions.stones() == 0).sum(axis=1)
    solved = (empties <= exact) & ~positions.over() if solvable else np.zeros(len(positions), np.bool_)
    scores = np.full((len(positions), positions.game.cells), -np.inf, np.float32)
    open_ones = ~solved & ~positions.over()
    if open_ones.any():
        scores[open_ones] = judging.prefer_all(positions[open_ones])
    if solved.any():
        scores[solved] = solve_moves(positions[solved])
    return Judged(scores, np.asarray(solved, np.bool_))
