"""A game: its rules, its board and its notation, as an immutable value named by a spec.

`zp.game("gomoku(size=9)")` makes one; positions of it come in batches (see `Positions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.facts import DefaultEvaluation, Facts
from zeroply.games.positions import Positions
from zeroply.games.text import BLACK, NAMES, WHITE, Board, Notation, read_board
from zeroply.specs import Spec

DEEPEST_PERFT = 1000
"""The most plies that perft takes; far fewer already take years."""


@cache
def square_symmetries(size: int) -> NDArray[np.int64]:
    """[8, cells]: the cell to which each symmetry of a square board moves each cell.

    Number 0 moves none; bit 0 of a number mirrors columns, bit 1 mirrors rows, and then bit 2 transposes.
    """
    row, column = np.divmod(np.arange(size * size), size)
    images = []
    for k in range(8):
        r = size - 1 - row if k & 2 else row
        c = size - 1 - column if k & 1 else column
        images.append(c * size + r if k & 4 else r * size + c)
    return np.stack(images)


@dataclass(frozen=True, repr=False)
class Game:
    """The rules of one game on one board."""

    name: str
    """The game's name without options, such as `gomoku`."""
    options: tuple[tuple[str, int | bool | str], ...]
    """Every option with its value; two games are equal if name and options are."""
    notation: Notation = field(compare=False)
    """How cells are named."""
    facts: Facts = field(compare=False)
    """What differs between games beside the rules."""
    core: _core.Game = field(compare=False)
    """The rules in the native core."""
    spec: Spec = field(compare=False)
    """The spec it was made from; it prints back as it was written."""

    def __str__(self) -> str:
        return str(self.spec)

    def __repr__(self) -> str:
        return f"game({str(self)!r})"

    def __reduce__(self) -> tuple[Callable[[Spec], Game], tuple[Spec]]:
        from zeroply.games import game

        return game, (self.spec,)

    @cached_property
    def size(self) -> int:
        """Side of the board."""
        return self.core.size

    @cached_property
    def cells(self) -> int:
        """Number of cells of the board."""
        return self.size**2

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """[n, cells]: the cell to which each of the game's n symmetries moves each cell; the first one moves none."""
        return square_symmetries(self.size)[list(self.facts.symmetries)]

    def require(self, name: str, what: str, *, size: int | None = None, hint: str = "") -> None:
        """Raise ZeroplyError unless this is the game that `what` works with."""
        if self.name != name or size not in (None, self.size):
            wanted = name if size is None else f"{name}(size={size})"
            raise ZeroplyError(f"{what} is for {wanted}, not for {self}{hint and ': ' + hint}")

    @property
    def default_evaluation(self) -> DefaultEvaluation:
        """How positions are evaluated by default; raises ZeroplyError if they cannot be searched."""
        if self.facts.evaluation is None:
            raise ZeroplyError(
                f"search needs rules in the core, and those of {self.name} are written in Python: use players that do "
                "not search, such as nets or naive"
            )
        return self.facts.evaluation

    def start(self, n: int = 1) -> Positions:
        """A batch of `n` games at the start."""
        if n < 0:
            raise ZeroplyError(f"a batch cannot hold {n} positions")
        return Positions(self, self.core.start(n))

    def parse(self, text: str | Iterable[str]) -> Positions:
        """Positions from one board string or several."""
        texts = [text] if isinstance(text, str) else list(text)
        return self.make([read_board(one, self.notation) for one in texts])

    def make(self, boards: Sequence[Board]) -> Positions:
        """Positions with the given stones and side to move."""
        n = len(boards)
        for board in boards:
            if board.to_move not in NAMES:
                raise ZeroplyError(f"the side to move is 1 (Black) or -1 (White), not {board.to_move}")
        try:
            batch = self.core.make(
                self._stones(boards),
                np.array([board.to_move < 0 for board in boards], np.uint8),
                np.array([board.captured for board in boards], np.int32).reshape(n, 2),
                np.array([board.ko for board in boards], np.int32),
            )
        except _core.BadPosition as error:
            raise ZeroplyError(f"not a position of {self}: {error}") from None
        return Positions(self, batch)

    def _stones(self, boards: Sequence[Board]) -> NDArray[np.int8]:
        """[n, cells]: the stones of all boards, checked."""
        rows = [np.asarray(board.stones) for board in boards]
        for row in rows:
            if row.shape != (self.cells,):
                raise ZeroplyError(f"a board of {self} has {self.cells} stones, not an array of shape {row.shape}")
        stones = np.stack(rows) if rows else np.zeros((0, self.cells), np.int8)
        if not ((stones == BLACK) | (stones == WHITE) | (stones == 0)).all():
            raise ZeroplyError("stones of a board are 1 (Black), -1 (White) or 0 (empty)")
        return stones.astype(np.int8, copy=False)

    def replay(self, transcript: str | Sequence[int]) -> Positions:
        """The position (a batch of one) after the moves of a transcript, passes omitted."""
        moves = self.notation.cells(transcript) if isinstance(transcript, str) else list(transcript)
        position = self.start()
        for ply, move in enumerate(moves):
            if position.over()[0]:
                raise ZeroplyError(f"move {ply + 1} comes after the end of the game")
            try:
                position.play([move])
            except ZeroplyError as error:
                raise ZeroplyError(f"move {ply + 1}: {error}") from None
        return position

    def perft(self, depth: int, position: Positions | None = None) -> int:
        """Number of move sequences of `depth` plies; a pass is a ply, and a game that ends earlier counts once."""
        if not 0 <= depth <= DEEPEST_PERFT:
            raise ZeroplyError(f"perft needs a depth of 0 or more, and {DEEPEST_PERFT} at most, not {depth}")
        try:
            return self.core.perft((self.start() if position is None else position).batch, depth)
        except ValueError:
            raise ZeroplyError(f"perft takes one position of {self}") from None
