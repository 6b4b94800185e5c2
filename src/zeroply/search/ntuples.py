"""Files of published one-ply Othello players: `.player` files of n-tuples and text files of weights.

A `.player` file holds, braces optional: the number of tuples; for each its length L, the number S of its symmetric
copies, S lines of L squares (0 to 63, row by row), then 3^L weights. The index is in base 3, first square most
significant, White 0, empty 1, Black 2; the value of a board is the sum over all copies.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically

NEGATING = {
    "SzubertJaskowskiKrawiec2013CTDL",
    "SzubertJaskowskiKrawiec2013ETDL",
    "Burrow2011ETDL",
    "Manning2010Nash70",
    "Manning2010TCIAG1",
    "Manning2010TCIAG2",
}
"""Published players that negate the value for White; all others see the board with colours exchanged."""

_LONGEST = 12
_LARGEST = 1e32  # so that sums of weights stay finite in single precision
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


@dataclass(frozen=True)
class NTuples:
    """The contents of a `.player` file."""

    squares: list[list[int]]
    """The squares of every copy of every tuple, first the most significant."""
    tables: list[int]
    """The index of the first weight of each copy; the copies of a tuple share their weights."""
    weights: list[float]
    """All weights."""
    exchange_colours: bool
    """Whether White sees the board with colours exchanged, judging by the file's name."""


def read_player(path: str | Path) -> NTuples:
    """Read a `.player` file."""
    words = _Words(Path(path))
    squares: list[list[int]] = []
    tables: list[int] = []
    weights: list[float] = []
    for _ in range(words.whole("the number of tuples", 1, 10_000)):
        length = words.whole("the length of a tuple", 1, _LONGEST)
        copies = words.whole("the number of copies of a tuple", 1, 8)
        for _ in range(copies):
            squares.append([words.whole("a square", 0, 63) for _ in range(length)])
            tables.append(len(weights))
        weights += [words.number("a weight") for _ in range(3**length)]
    words.finish()
    return NTuples(squares, tables, weights, Path(path).stem not in NEGATING)


def write_player(path: str | Path, tuples: list[list[list[int]]], weights: list[list[float]]) -> None:
    """Write a `.player` file: for every tuple the squares of its copies, and its weights."""
    _check_writable(tuples, weights)
    lines = [f"{{ {len(tuples)}"]
    for copies, table in zip(tuples, weights, strict=True):
        lines.append(f"  {{ {len(copies[0])} {len(copies)}")
        lines += [f"    {{ {' '.join(map(str, squares))} }}" for squares in copies]
        lines.append(f"    {{ {' '.join(f'{weight:.9g}' for weight in table)} }}")
        lines.append("  }")
    write_atomically(Path(path), ("\n".join([*lines, "}"]) + "\n").encode())


def _check_writable(tuples: list[list[list[int]]], weights: list[list[float]]) -> None:
    """Raise an error for anything that `read_player` rejects."""
    if not tuples or len(tuples) != len(weights):
        raise ZeroplyError("a .player file needs one tuple or more, each with a table of weights")
    for copies, table in zip(tuples, weights, strict=True):
        lengths = {len(squares) for squares in copies}
        if not 1 <= len(copies) <= 8 or len(lengths) != 1 or not 1 <= (length := lengths.pop()) <= _LONGEST:
            raise ZeroplyError(f"a tuple has 1 to 8 copies of the same length from 1 to {_LONGEST}")
        if any(not 0 <= square <= 63 for squares in copies for square in squares):
            raise ZeroplyError("the squares of a tuple are 0 to 63")
        if len(table) != 3**length or any(not abs(weight) <= _LARGEST for weight in table):
            raise ZeroplyError(f"a tuple of {length} squares has {3**length} weights, all finite numbers")


def read_weights(path: str | Path, cells: int) -> list[float]:
    """Read a text file of one weight per cell, row by row."""
    words = _Words(Path(path))
    weights = [words.number("a weight") for _ in range(cells)]
    words.finish()
    return weights


class _Words:
    """The words of a text file, one after the other; braces count as white space."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="ascii")
        except OSError as error:
            raise ZeroplyError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ZeroplyError(f"{path} is not a text file of weights") from None
        lines = text.replace("{", " ").replace("}", " ").splitlines()
        self._words = [(word, number) for number, line in enumerate(lines, 1) for word in line.split()]
        self._at = 0

    def number(self, what: str) -> float:
        """The next word as a finite number."""
        word, line = self._next(what)
        value = float(word) if _NUMBER.fullmatch(word) else math.nan
        if not abs(value) <= _LARGEST:
            raise ZeroplyError(f"{self.path}, line {line}: '{word[:20]}' is not {what}")
        return value

    def whole(self, what: str, low: int, high: int) -> int:
        """The next word as a whole number."""
        word, line = self._next(what)
        if not (re.fullmatch("[0-9]{1,9}", word) and low <= int(word) <= high):
            raise ZeroplyError(f"{self.path}, line {line}: '{word[:20]}' is not {what} from {low} to {high}")
        return int(word)

    def finish(self) -> None:
        """Raise an error if there is another word."""
        if self._at < len(self._words):
            word, line = self._words[self._at]
            raise ZeroplyError(f"{self.path}, line {line}: '{word[:20]}' comes after the end")

    def _next(self, what: str) -> tuple[str, int]:
        if self._at == len(self._words):
            raise ZeroplyError(
                f"{self.path} ends in line {self._words[-1][1] if self._words else 1} where {what} is expected"
            )
        self._at += 1
        return self._words[self._at - 1]
