"""Evaluations, and alpha-beta search over them in the native core.

An evaluation gives the value of a position for the side to move. `search` looks `depth` plies ahead: depth 1 evaluates
each child, and a forced pass costs no depth. The score of the best move (and of
moves equal to it) is exact; the others are upper bounds unless `all_moves`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions

MAX_DEPTH = 60
"""The largest search depth: a game of Othello has 60 moves."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """Limits of a search; it ends at the first one reached."""

    depth: int = 1
    """Plies from the root."""
    nodes: int | None = None
    """Number of positions visited; depth 1 is always finished."""
    seconds: float | None = None
    """Wall time; depth 1 is always finished."""

    def __post_init__(self) -> None:
        if not is_integer(self.depth) or not 1 <= self.depth <= MAX_DEPTH:
            raise ZeroplyError(f"depth must be a whole number from 1 to {MAX_DEPTH}, not {self.depth}")
        if self.nodes is not None and (not is_integer(self.nodes) or not 1 <= self.nodes < 2**63):
            raise ZeroplyError(f"nodes must be 1 or more, a whole number below 2^63, not {self.nodes}")
        if self.seconds is not None and not (_is_number(self.seconds) and 0 < self.seconds < float("inf")):
            raise ZeroplyError(f"seconds must be above 0, not {self.seconds}")


def is_integer(number: object) -> bool:
    """Whether this is an integer; bool does not count."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _is_number(number: object) -> bool:
    return is_integer(number) or isinstance(number, float | np.floating)


@dataclass(frozen=True)
class SearchResult:
    """The result of searching n positions."""

    preferences: NDArray[np.float32]
    """[n, cells]: the score of every root move, -inf elsewhere."""
    scores: NDArray[np.float32]
    """[n]: the best score, for the side to move; the result where the game is over."""
    depths: NDArray[np.int32]
    """[n]: the last depth that was finished."""
    nodes: NDArray[np.uint64]
    """[n]: positions visited."""


class Evaluation:
    """An evaluation of the positions of one game."""

    def __init__(self, game: Game, core: _core.Evaluation, digest: str = "", selective: bool = False) -> None:
        """`digest` identifies the contents of the evaluation's file; `selective`: supports ProbCut."""
        self.game = game
        self.core = core
        self.digest = digest
        self.selective = selective

    def values(self, positions: Positions) -> NDArray[np.float32]:
        """[n]: the value of each position for the side to move; finished games by their result."""
        self._check(positions)
        out = np.empty(len(positions), np.float32)
        self.core.values(positions.batch, out)
        return out

    def search(
        self,
        positions: Positions,
        limit: Limit,
        *,
        all_moves: bool = False,
        table: bool = True,
        ends_by_board: bool = False,
        selective: float = 0.0,
    ) -> SearchResult:
        """Search every position.

        With `ends_by_board` the board of a finished game is evaluated like any other, as in players that only compare
        boards, instead of by its result. `selective` above 0 is ProbCut's threshold in standard deviations.
        """
        self._check(positions)
        if not 0 <= selective < float("inf"):
            raise ZeroplyError(f"the threshold of selective search must be 0 or more, not {selective}")
        if selective > 0 and not self.selective:
            raise ZeroplyError("selective search is for the evaluation pattern only")
        n = len(positions)
        result = SearchResult(
            np.empty((n, self.game.cells), np.float32),
            np.empty(n, np.float32),
            np.empty(n, np.int32),
            np.empty(n, np.uint64),
        )
        self.core.search(
            positions.batch,
            int(limit.depth),
            int(limit.nodes or 0),
            float(limit.seconds or 0),
            table,
            all_moves,
            ends_by_board,
            selective,
            result.preferences,
            result.scores,
            result.depths,
            result.nodes,
        )
        return result

    def _check(self, positions: Positions) -> None:
        if positions.game != self.game:
            raise ZeroplyError(f"this evaluation is for {self.game}, not for positions of {positions.game}")
