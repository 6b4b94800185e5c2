"""Evaluations, and alpha-beta search over them in the native core.

An evaluation gives the value of a position for the side to move. `search` looks `depth` plies ahead: depth 1 evaluates
each child, and a forced pass costs no depth. The best move, and moves equal to it, have their own scores; the others
have upper bounds unless `all_moves`. There are two modes: *exact* searches full-width and returns the value of plain
minimax, *strong* does everything that finds better moves in the same time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions

MAX_DEPTH = 60
"""The largest search depth: a game of Othello has 60 moves."""
Mode = Literal["exact", "strong"]
"""How to search: for the value of plain minimax, or as strongly as possible."""
MAX_THREADS = 1024
"""Most threads for one position."""
MEMORY = 20
"""Size of a table that is kept between searches, as a power of 2."""


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
    lines: NDArray[np.int16]
    """[n, depth]: the cells of the best line, -1 after its end; without `lines`, [n, 0]."""

    def line(self, number: int) -> list[int]:
        """The best line of a position: the best move and the replies that are best in turn."""
        return [int(cell) for cell in self.lines[number] if cell >= 0]


class Memory:
    """What searches of one evaluation found, kept for later searches of positions of the same game."""

    def __init__(self) -> None:
        self.table = _core.SearchTable(MEMORY)


class Evaluation:
    """An evaluation of the positions of one game."""

    def __init__(self, game: Game, core: _core.Evaluation, digest: str = "") -> None:
        """`digest` identifies the contents of the evaluation's file."""
        _ = game.default_evaluation  # raises if it cannot be searched
        self.game = game
        self.core = core
        self.digest = digest

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
        mode: Mode = "exact",
        all_moves: bool = False,
        lines: bool = False,
        threads: int = 1,
        memory: Memory | None = None,
        table: bool = True,
        together: bool = True,
        ends_by_board: bool = False,
    ) -> SearchResult:
        """Search every position.

        `all_moves` asks for a separate score of every move, `lines` for the best line. Each position is searched by one
        thread and with an empty transposition table, so that its result depends on nothing else. With `threads` above
        1, that many threads search it together: in mode exact, scores and best moves stay the same, in mode strong
        they may vary from run to run. With `memory`, a single position is searched with what earlier
        searches found; then a result in mode strong depends on them too. With `ends_by_board` the board of a finished
        game is evaluated like any other, as in players that only compare boards, instead of by its result. `table`,
        and calls of a net for all children of a node, `together`, can be turned off to check that they change nothing.
        """
        self._check(positions)
        if mode not in get_args(Mode):
            raise ZeroplyError(f"the mode of a search is exact or strong, not {mode}")
        if not is_integer(threads) or not 1 <= threads <= MAX_THREADS:
            raise ZeroplyError(f"threads must be a whole number from 1 to {MAX_THREADS}, not {threads}")
        n = len(positions)
        result = SearchResult(
            np.empty((n, self.game.cells), np.float32),
            np.empty(n, np.float32),
            np.empty(n, np.int32),
            np.empty(n, np.uint64),
            np.empty((n, limit.depth if lines else 0), np.int16),
        )
        self.core.search(
            positions.batch,
            int(limit.depth),
            int(limit.nodes or 0),
            float(limit.seconds or 0),
            mode == "strong",
            table,
            all_moves,
            ends_by_board,
            int(threads),
            together,
            None if memory is None else memory.table,
            result.preferences,
            result.scores,
            result.depths,
            result.nodes,
            result.lines,
        )
        return result

    def _check(self, positions: Positions) -> None:
        if positions.game != self.game:
            raise ZeroplyError(f"this evaluation is for {self.game}, not for positions of {positions.game}")
