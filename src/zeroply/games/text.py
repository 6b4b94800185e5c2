"""Moves and boards as text: `f5`, `f5d6c3`, `---...---X`.

Othello counts its rows from the top (`a1` is the top left corner). Go and Gomoku leave out the letter I and count
their rows from the bottom. A board string is the cells row by row from the top (`X` Black, `O` White, `-` empty;
`*`, `b` and `w` are read too), then the side to move, then for Atari-Go what the stones do not show:
`captured=2/0` (stones taken by Black and by White) and `ko=C3`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError

BLACK, WHITE = 1, -1
SYMBOLS = {BLACK: "X", WHITE: "O", 0: "-"}
NAMES = {BLACK: "Black", WHITE: "White"}
_READ = {**dict.fromkeys("Xx*bB", BLACK), **dict.fromkeys("OowW", WHITE), **dict.fromkeys("-.", 0)}
_MOVE = re.compile(r"([A-Za-z])([0-9]+)")


@dataclass(frozen=True)
class Notation:
    """How the cells of a board are named."""

    size: int
    """Side of the board."""
    letters: str
    """One letter for each column, left to right."""
    from_top: bool
    """Whether row 1 is at the top."""

    @classmethod
    def othello(cls, size: int) -> Notation:
        """`a1` is the top left corner."""
        return cls(size, "abcdefghijklmnopqrstuvwxyz"[:size], from_top=True)

    @classmethod
    def go(cls, size: int) -> Notation:
        """`A1` is the bottom left corner, and there is no column I."""
        return cls(size, "ABCDEFGHJKLMNOPQRSTUVWXYZ"[:size], from_top=False)

    def row_label(self, row: int) -> int:
        """The number printed beside a row (0 is the top one)."""
        return row + 1 if self.from_top else self.size - row

    @cached_property
    def names(self) -> list[str]:
        """The names of all cells, in their order."""
        return [self.name(cell) for cell in range(self.size**2)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: cell for cell, name in enumerate(self.names)}

    def known(self, name: str) -> int | None:
        """The cell of a name that is written as `names` has it, found at once; None for any other text."""
        return self._numbers.get(name)

    def name(self, cell: int) -> str:
        """The name of a cell."""
        if not 0 <= cell < self.size**2:
            raise ZeroplyError(f"cells of this board are numbered from 0 to {self.size**2 - 1}, not {cell}")
        return f"{self.letters[cell % self.size]}{self.row_label(cell // self.size)}"

    def cell(self, name: str) -> int:
        """The cell of that name."""
        match = _MOVE.fullmatch(name.strip())
        column = self.letters.upper().find(match[1].upper()) if match else -1
        number = int(match[2][:4]) if match else 0
        if column < 0 or not 1 <= number <= self.size:
            corner = self.name(self.size - 1 if not self.from_top else self.size**2 - 1)
            gap = ", without the letter I" if self.size > 8 and "I" not in self.letters.upper() else ""
            raise ZeroplyError(
                f"'{name.strip()[:20]}' is not a cell of this board: cells are {self.letters[0]}1 to {corner}{gap}"
            )
        row = number - 1 if self.from_top else self.size - number
        return row * self.size + column

    def cells(self, transcript: str) -> list[int]:
        """The cells of a transcript such as `f5d6c3`; blanks and commas between moves do not matter."""
        plain = re.sub(r"[\s,]+", "", transcript)
        names = [match[0] for match in _MOVE.finditer(plain)]
        if "".join(names) != plain:
            raise ZeroplyError(f"'{transcript.strip()[:40]}' is not a list of moves such as {self._example()}")
        return [self.cell(name) for name in names]

    def transcript(self, cells: list[int]) -> str:
        """The moves written one after the other."""
        return "".join(self.name(cell) for cell in cells)

    def _example(self) -> str:
        return self.transcript([self.size + 1, 2 * self.size + 2])


@dataclass(frozen=True)
class Board:
    """One position with everything that a board string contains."""

    stones: NDArray[np.int8]
    """[cells]: 1 Black, -1 White, 0 empty."""
    to_move: int
    """1 Black, -1 White."""
    captured: tuple[int, int] = (0, 0)
    """Stones taken by Black and by White."""
    ko: int = -1
    """The cell where the side to move may not play, or -1."""


def read_board(text: str, notation: Notation) -> Board:
    """Parse a board string."""
    cells = notation.size**2
    shown = " ".join(text.split())
    if len(shown) > 40:
        shown = shown[:40] + "..."
    stones: list[int] = []
    at = 0
    while at < len(text) and len(stones) < cells:
        character = text[at]
        at += 1
        if character.isspace():
            continue
        if character not in _READ:
            raise ZeroplyError(f"'{character}' in board '{shown}' is not a cell: use X (Black), O (White) or - (empty)")
        stones.append(_READ[character])
    if len(stones) < cells:
        raise ZeroplyError(f"board '{shown}' has {len(stones)} cells where {cells} are needed")
    side, *extras = text[at:].split() or [""]
    to_move = _READ.get(side, 0) if side else 0
    if to_move == 0:
        raise ZeroplyError(
            f"board '{shown}' must have {cells} cells and end with the side to move, X or O, not '{side[:20]}'"
        )
    captured, ko = (0, 0), -1
    for extra in extras:
        key, _, value = extra.partition("=")
        counts = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", value)
        if key == "captured" and counts:
            captured = (int(counts[1]), int(counts[2]))
        elif key == "ko":
            ko = notation.cell(value)
        else:
            raise ZeroplyError(f"'{extra[:20]}' after board '{shown}' is neither captured=1/0 nor ko=C3")
    return Board(np.array(stones, np.int8), to_move, captured, ko)


def write_board(board: Board, notation: Notation) -> str:
    """The board string of a position."""
    text = "".join(SYMBOLS[int(stone)] for stone in board.stones) + " " + SYMBOLS[board.to_move]
    if any(board.captured):
        text += f" captured={board.captured[0]}/{board.captured[1]}"
    if board.ko >= 0:
        text += f" ko={notation.name(board.ko)}"
    return text


def diagram(stones: NDArray[np.int8], notation: Notation, last: int = -1) -> str:
    """The board with its coordinates, the last move between brackets."""
    width = len(str(notation.size))
    lines = [" " * (width + 1) + " ".join(notation.letters)]
    for row, cells in enumerate(stones.reshape(notation.size, notation.size)):
        line = f"{notation.row_label(row):>{width}} " + " ".join(SYMBOLS[int(s)] for s in cells) + " "
        if last // notation.size == row and last >= 0:
            at = width + 1 + 2 * (last % notation.size)
            line = f"{line[: at - 1]}({line[at]}){line[at + 2 :]}"
        lines.append(line.rstrip())
    return "\n".join(lines)
