"""Systematic n-tuples of Othello: every straight placement of n squares, symmetric ones sharing a table of weights.

After Jaśkowski and Szubert, "Coevolutionary CMA-ES for Knowledge-Free Learning of Game Position Evaluation" (IEEE
TCIAIG 2016): all-2, all-3 and all-4 are the rows, columns and diagonals of that length; 2x2 are the blocks. `wpc` is
the same idea with single squares: a weighted piece counter that also has a weight for an empty square.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games.definition import square_symmetries
from zeroply.search.ntuples import write_player

SIZE = 8
LONGEST = 6
"""The longest straight tuples; tables of longer ones are too large to learn."""
NAMES = "wpc, all-2, all-3, all-4, 2x2, or some of them joined by +, such as all-4+2x2"

Squares = tuple[int, ...]


@dataclass(frozen=True)
class Shape:
    """The squares of the tables of an n-tuple player."""

    name: str
    """Its name, such as `all-3`."""
    tuples: tuple[tuple[Squares, ...], ...]
    """The copies of every tuple, as in a `.player` file: its images under the symmetries of the board."""

    @property
    def sizes(self) -> list[int]:
        """The number of weights of every tuple."""
        return [int(3 ** len(copies[0])) for copies in self.tuples]

    @property
    def weights(self) -> int:
        """The total number of weights."""
        return sum(self.sizes)

    def core(self) -> _core.TupleShape:
        """The shape as the core uses it."""
        starts = [0, *accumulate(self.sizes)]
        squares = [list(copy) for copies in self.tuples for copy in copies]
        tables = [start for start, copies in zip(starts, self.tuples, strict=False) for _ in copies]
        return _core.TupleShape(squares, tables)

    def write(self, path: Path, weights: NDArray[np.float32]) -> None:
        """Write a player with these weights as a `.player` file."""
        tables = np.split(weights, list(accumulate(self.sizes))[:-1])
        copies = [[list(copy) for copy in one] for one in self.tuples]
        write_player(path, copies, [table.tolist() for table in tables])


@cache
def shape(name: str) -> Shape:
    """The shape of a name: `wpc`, `all-2`, `all-3`, `all-4`, `2x2`, or several joined by `+`."""
    tuples = [one for part in name.split("+") for one in _systematic(part.strip())]
    if len(set(tuples)) < len(tuples):
        raise ZeroplyError(f"n-tuple shape '{name}' names the same tuples twice")
    return Shape(name, tuple(tuples))


def _systematic(name: str) -> list[tuple[Squares, ...]]:
    """All tuples of one kind, each with its copies."""
    if name in ("wpc", "all-1"):
        return _by_symmetry([(0, 0)])
    if name in ("2x2", "all-2x2"):
        return _by_symmetry([(0, 0), (0, 1), (1, 0), (1, 1)])
    straight = re.fullmatch("(?:all-)?([0-9])", name)
    if straight is None or not 2 <= int(straight[1]) <= LONGEST:
        raise ZeroplyError(f"unknown n-tuple shape '{name[:40]}': choose {NAMES}")
    along = range(int(straight[1]))
    return _by_symmetry([(0, i) for i in along]) + _by_symmetry([(i, i) for i in along])


def _by_symmetry(cells: list[tuple[int, int]]) -> list[tuple[Squares, ...]]:
    """The placements of a figure of (row, column) cells on the board, one for each class of symmetric ones."""
    shapes: list[tuple[Squares, ...]] = []
    seen: set[frozenset[int]] = set()
    for row in range(SIZE - max(r for r, _ in cells)):
        for column in range(SIZE - max(c for _, c in cells)):
            placed = [(row + r) * SIZE + column + c for r, c in cells]
            copies = tuple(dict.fromkeys(tuple(image[placed].tolist()) for image in square_symmetries(SIZE)))
            if frozenset(copies[0]) not in seen:
                shapes.append(copies)
                seen.update(map(frozenset, copies))
    return shapes
