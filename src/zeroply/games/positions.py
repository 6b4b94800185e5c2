"""Batches of positions. Every question is one call on the whole batch, answered by the native core on several threads;
a single position is a batch of one.

Colours are 1 for Black and -1 for White; cells are numbered row by row from the top left. `play` makes forced passes
itself, so the side to move always has a move unless the game is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.text import NAMES, SYMBOLS, Board, diagram, write_board

if TYPE_CHECKING:
    from zeroply.games.definition import Game

T = TypeVar("T", bound=np.generic)
Plane = Literal["own", "opponent", "black", "white", "legal", "black-to-move", "ones"]
"""What a plane for nets can show; the order is that of the core."""
_PLANES: tuple[str, ...] = get_args(Plane)
_ONE_MOVE = (str, int, np.integer)


def plane_numbers(kinds: Sequence[Plane]) -> list[int]:
    """The numbers of planes in the core."""
    unknown = [kind for kind in kinds if kind not in _PLANES]
    if unknown:
        raise ZeroplyError(f"unknown plane '{unknown[0]}': planes are {', '.join(_PLANES)}")
    return [_PLANES.index(kind) for kind in kinds]


class Positions:
    """A batch of positions of one game."""

    __slots__ = ("batch", "game")

    def __init__(self, game: Game, batch: _core.Batch) -> None:
        self.game = game
        self.batch = batch

    def __len__(self) -> int:
        return len(self.batch)

    def __iter__(self) -> Iterator[Positions]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, which: int | slice | ArrayLike) -> Positions:
        """A new batch with the chosen positions: a number, a slice, an array of numbers or a boolean mask."""
        return Positions(self.game, self.batch.select(self._index(which)))

    def __setitem__(self, which: int | slice | ArrayLike, positions: Positions) -> None:
        """Put the given positions in the chosen places."""
        index = self._index(which)
        if not isinstance(positions, Positions):
            raise ZeroplyError(f"{len(index)} positions of {self.game} are needed here, not {type(positions).__name__}")
        if positions.game != self.game or len(positions) != len(index):
            raise ZeroplyError(f"{len(index)} positions of {self.game} are needed here, not {positions!r}")
        self.batch.assign(index, positions.batch)

    def copy(self) -> Positions:
        """A batch that can be played on without changing this one."""
        return self[:]

    @staticmethod
    def join(batches: Iterable[Positions]) -> Positions:
        """Batches of one game as one, in their order; at least one, because it determines the game."""
        parts = list(batches)
        if not parts:
            raise ZeroplyError("no batches to join: there must be one at least")
        joined = parts[0].game.start(sum(map(len, parts)))
        end = 0
        for part in parts:
            begin, end = end, end + len(part)
            joined[begin:end] = part
        return joined

    def __copy__(self) -> Positions:
        return self.copy()

    def __deepcopy__(self, _: object) -> Positions:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., Positions], tuple[object, ...]]:
        """Everything needed to pickle positions."""
        mover, passed = np.empty((2, len(self)), np.uint8)
        self.batch.mover(mover)
        self.batch.passed(passed)
        return _restored, (self.game, self.stones(), mover, self.captured(), self.ko(), self.last_move(), passed)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same positions of the same game in the same order, however they were reached."""
        if not isinstance(other, Positions):
            return NotImplemented
        return (
            self.game == other.game
            and np.array_equal(self.hash(), other.hash())
            and np.array_equal(self.stones(), other.stones())
        )

    __hash__ = None  # type: ignore[assignment]  # a batch changes when moves are played

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("Positions are not an array: use stones(), legal() or planes() for arrays of what they hold")

    # What the positions are

    def _filled(self, fill: Callable[[NDArray[T]], object], kind: type[T], *more: int) -> NDArray[T]:
        """[n, *more]: an array that the core fills."""
        out = np.empty((len(self), *more), kind)
        fill(out)
        return out

    def legal(self) -> NDArray[np.bool_]:
        """[n, cells]: where the side to move may play; nowhere once the game is over."""
        return self._filled(self.batch.legal, np.uint8, self.game.cells).view(np.bool_)

    def legal_moves(self) -> list[list[str]]:
        """[n]: the names of the legal moves, in the order of the cells; none once the game is over."""
        names, cells, legal = self.game.notation.names, self.game.cells, self.legal().tobytes()
        return [list(compress(names, legal[at : at + cells])) for at in range(0, len(legal), cells)]

    def stones(self) -> NDArray[np.int8]:
        """[n, cells]: 1 Black, -1 White, 0 empty."""
        return self._filled(self.batch.stones, np.int8, self.game.cells)

    def over(self) -> NDArray[np.bool_]:
        """[n]: whether the game has ended."""
        return self._filled(self.batch.over, np.uint8).view(np.bool_)

    def to_move(self) -> NDArray[np.int8]:
        """[n]: 1 if it is Black's turn, -1 if White's."""
        return (1 - 2 * self._filled(self.batch.mover, np.uint8).view(np.int8)).astype(np.int8)

    def score(self) -> NDArray[np.int32]:
        """[n]: Black's result: the disc difference in Othello, else 1 won, 0 drawn or not over, -1 lost."""
        return self._filled(self.batch.score, np.int32)

    def winner(self) -> NDArray[np.int8]:
        """[n]: 1 if Black has won, -1 if White has; 0 if drawn or not over."""
        return (np.sign(self.score()) * self.over()).astype(np.int8)

    def move_number(self) -> NDArray[np.int32]:
        """[n]: number of the move to be made next, from 1; passes are not counted."""
        return self._filled(self.batch.move_number, np.int32)

    def last_move(self) -> NDArray[np.int32]:
        """[n]: cell of the last move, or -1 if none was made."""
        return self._filled(self.batch.last_move, np.int32)

    def captured(self) -> NDArray[np.int32]:
        """[n, 2]: stones captured by Black and by White (Atari-Go)."""
        return self._filled(self.batch.captured, np.int32, 2)

    def ko(self) -> NDArray[np.int32]:
        """[n]: cell that simple ko forbids to the side to move, or -1 (Atari-Go)."""
        return self._filled(self.batch.ko, np.int32)

    def liberties(self) -> NDArray[np.int32]:
        """[n, cells]: liberties of the chain on each cell, 0 on empty cells (Atari-Go only)."""
        try:
            return self._filled(self.batch.liberties, np.int32, self.game.cells)
        except ValueError:
            raise ZeroplyError(f"stones of {self.game} have no liberties") from None

    def winning(self) -> NDArray[np.bool_]:
        """[n, cells]: the stones of the row or chain that has won; nowhere in games that are not won like this."""
        cells, won = self.game.facts.winning, np.zeros((len(self), self.game.cells), np.bool_)
        for row in np.flatnonzero(self.winner()) if cells is not None else ():
            won[row, cells(self[row])] = True  # type: ignore[misc]
        return won

    def hash(self) -> NDArray[np.uint64]:
        """[n]: equal for equal stones, side to move, captures and ko, however they were reached."""
        return self._filled(self.batch.hash, np.uint64)

    def planes(self, kinds: Plane | Sequence[Plane] = ("own", "opponent")) -> NDArray[np.float32]:
        """[n, planes, size, size] of 0 and 1, for nets; own and opponent as the side to move sees them."""
        kinds = [kinds] if isinstance(kinds, str) else kinds
        out = np.empty((len(self), len(kinds), self.game.cells), np.float32)
        self.batch.planes(plane_numbers(kinds), out)
        return out.reshape(len(self), len(kinds), self.game.size, self.game.size)

    # Playing

    def play(self, moves: str | Sequence[str] | ArrayLike) -> None:
        """Play one move in every position: cells, or names such as `f5`; -1 where the game is over.

        A batch of one also takes a single move: `play(37)` or `play("f5")`. If any move is illegal this raises
        ZeroplyError and no position changes.
        """
        cells = self._single(moves) if isinstance(moves, _ONE_MOVE) else self._cells(moves)
        illegal = self.batch.play(cells)
        if illegal >= 0:
            raise ZeroplyError(self._why_illegal(illegal, int(cells[illegal])))

    def after(self, moves: str | Sequence[str] | ArrayLike) -> Positions:
        """The positions after one move each; this batch is not changed."""
        following = self.copy()
        following.play(moves)
        return following

    def symmetry(self, k: int) -> Positions:
        """The positions under symmetry `k` of the game; a move m becomes `game.symmetries[k, m]`."""
        numbers = self.game.facts.symmetries
        if not 0 <= k < len(numbers):
            raise ZeroplyError(f"symmetries of {self.game.name} are numbered 0 to {len(numbers) - 1}, not {k}")
        return Positions(self.game, self.batch.image(numbers[k]))

    # As text and pictures

    def boards(self) -> list[Board]:
        """Each position as stones, side to move, captures and ko."""
        rows = zip(self.stones(), self.to_move(), self.captured(), self.ko(), strict=True)
        return [Board(s, int(side), (int(c[0]), int(c[1])), int(ko)) for s, side, c, ko in rows]

    def text(self) -> list[str]:
        """A board string for each position; `game.parse` reads it back."""
        return [write_board(board, self.game.notation) for board in self.boards()]

    def status(self) -> list[str]:
        """In words: who is to move, or how the game ended."""
        words = []
        rows = zip(self.over(), self.winner(), self.score(), self.to_move(), self.move_number(), strict=True)
        for over, winner, score, side, number in rows:
            if not over:
                words.append(f"move {number}, {NAMES[int(side)]} ({SYMBOLS[int(side)]}) to play")
            elif winner == 0:
                words.append("drawn")
            else:
                by = f" by {abs(score)}" if self.game.facts.margin else ""
                words.append(f"{NAMES[int(winner)]} ({SYMBOLS[int(winner)]}) has won{by}")
        return words

    def __str__(self) -> str:
        boards = zip(self.stones(), self.last_move(), self.status(), strict=True)
        return "\n\n".join(f"{diagram(s, self.game.notation, int(m))}\n{words}" for s, m, words in boards)

    def __repr__(self) -> str:
        return f"<{len(self)} position{'s' if len(self) != 1 else ''} of {self.game}>"

    def svg(self, heat: ArrayLike | None = None) -> str:
        """A drawing of a single position, with a heat map of a value per cell (-inf where there is none)."""
        from zeroply.games.drawing import draw

        return draw(self, heat)

    def _repr_html_(self) -> str:
        """Drawings of the first positions, for notebooks."""
        from zeroply.games.drawing import gallery

        return gallery(self)

    def _index(self, which: int | slice | ArrayLike) -> NDArray[np.int64]:
        """The numbers of the chosen positions."""
        if not isinstance(which, slice):
            which = np.atleast_1d(which)
            which = which.astype(np.int64) if which.size == 0 else which
        try:
            return np.ascontiguousarray(np.arange(len(self))[which], np.int64)
        except IndexError as error:
            raise IndexError(f"no such positions in a batch of {len(self)}: {error}") from None

    def _single(self, move: Any) -> NDArray[np.int32]:
        """The move of a batch of one as an array; faster than `_cells` in programs that play move by move."""
        cell = self.game.notation.known(move) if isinstance(move, str) else move
        if cell is None or isinstance(cell, bool) or len(self.batch) != 1 or not -1 <= cell < self.game.cells:
            return self._cells(move)
        return np.array((cell,), np.int32)

    def _cells(self, moves: str | Sequence[str] | ArrayLike) -> NDArray[np.int32]:
        """Moves as an array of one cell for each position."""
        if isinstance(moves, np.ndarray) and moves.dtype.kind == "U":
            moves = moves.tolist()
        if isinstance(moves, str):
            moves = self.game.notation.cell(moves)
        if isinstance(moves, Sequence) and any(isinstance(move, str) for move in moves):
            moves = [self.game.notation.cell(m) if isinstance(m, str) else m for m in moves]
        array = np.asarray(moves)
        if array.ndim == 0 and len(self) == 1:
            array = array.reshape(1)
        if array.dtype.kind not in "iu" and array.size:
            raise ZeroplyError(f"a move is a cell number or a cell name such as f5: got {array.dtype} values")
        if array.shape != (len(self),):
            got = "a single move" if array.ndim == 0 else f"an array of shape {array.shape}"
            raise ZeroplyError(f"give one move per position: expected {len(self)}, got {got}")
        if array.size and not -(2**31) <= array.min() <= array.max() < 2**31:
            raise ZeroplyError("a move is far off the board")
        return np.ascontiguousarray(array, np.int32)

    def _why_illegal(self, row: int, cell: int) -> str:
        """Why `cell` cannot be played in position `row`."""
        where = f" in position {row}" if len(self) > 1 else ""
        position = self[row]
        notation = self.game.notation
        if position.over()[0]:
            return f"the game is over{where}: its move must be -1"
        side = NAMES[int(position.to_move()[0])]
        if not 0 <= cell < self.game.cells:
            return f"{side} must play on a cell from 0 to {self.game.cells - 1}{where}, not {cell}"
        legal = np.flatnonzero(position.legal()[0])
        choice = ", ".join(notation.name(int(c)) for c in legal[:20]) + (", ..." if len(legal) > 20 else "")
        return f"{notation.name(cell)} is not a legal move for {side}{where}; legal moves: {choice}"


def _restored(
    game: Game,
    stones: NDArray[np.int8],
    mover: NDArray[np.uint8],
    captured: NDArray[np.int32],
    ko: NDArray[np.int32],
    last: NDArray[np.int32],
    passed: NDArray[np.uint8],
) -> Positions:
    """Unpickle positions."""
    batch = game.core.make(stones, mover, captured, ko)
    batch.remember(last, passed)
    return Positions(game, batch)
