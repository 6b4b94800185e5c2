"""Spatial nets of Othello: a first layer whose nodes each see a set of squares (Lin and White 2009, section II-A).

Then come 40, 10 and 1 nodes, tanh and a bias everywhere; inputs are -1 for Black, 1 for White. Which sets of squares
there are is the paper's question: `queen` has the squares a queen attacks from each square, and the whole board.
Reading: without look-ahead a net values the board after each legal move, White takes the highest, Black the lowest.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.games import Game, Positions
from zeroply.nets.population import PopulationNet
from zeroply.specs import Spec

SIZE = 8
"""Side of the board."""
HIDDEN, LAST = 40, 10
"""Nodes of the second and third layer."""
SPREAD = 0.2
"""First weights are drawn from -SPREAD to SPREAD."""
LONGEST_GAME = 60
"""Moves of the longest game of Othello."""
MOST_PATTERNS = 256
"""The most nodes of a first layer, so that a layer can be written in a spec."""

SATURATED = 19.0615474
"""From here on the tanh of a number of 64 bits is rounded to 1."""

Output = Literal["sum", "tanh"]
Pattern = tuple[int, ...]
"""The squares that a node sees, lowest first; numbered row by row from 0 (a1) to 63 (h8)."""

_MASK = re.compile(r"[0-9a-f]{16}")


# Layers


def _seen(sees: Callable[[int, int], bool]) -> list[Pattern]:
    """For each square those whose distance in rows and columns `sees` accepts."""
    cells = [divmod(square, SIZE) for square in range(SIZE * SIZE)]
    return [
        tuple(square for square, (row, column) in enumerate(cells) if sees(row - at_row, column - at_column))
        for at_row, at_column in cells
    ]


def _alike(key: Callable[[int, int], int], least: int = 1) -> list[Pattern]:
    """The squares for which `key` of row and column is the same, if there are `least` of them."""
    sets: dict[int, list[int]] = {}
    for square in range(SIZE * SIZE):
        sets.setdefault(key(*divmod(square, SIZE)), []).append(square)
    return [tuple(squares) for _, squares in sorted(sets.items()) if len(squares) >= least]


_BOARD: Pattern = tuple(range(SIZE * SIZE))


def _queen() -> list[Pattern]:
    return [*_seen(lambda row, column: row == 0 or column == 0 or abs(row) == abs(column)), _BOARD]


def _king() -> list[Pattern]:
    return [*_seen(lambda row, column: max(abs(row), abs(column)) <= 1), _BOARD]


def _rows() -> list[Pattern]:
    return [*_alike(lambda row, column: row), *_alike(lambda row, column: column), _BOARD]


def _lines() -> list[Pattern]:
    diagonals = [*_alike(lambda row, column: row - column, 3), *_alike(lambda row, column: row + column, 3)]
    return [*_rows()[:-1], *diagonals, _BOARD]


def _subsquares() -> list[Pattern]:
    return [
        tuple(SIZE * (top + row) + left + column for row in range(side) for column in range(side))
        for side in range(3, SIZE + 1)
        for top in range(SIZE + 1 - side)
        for left in range(SIZE + 1 - side)
    ]


LAYERS: dict[str, Callable[[], list[Pattern]]] = {
    "queen": _queen,
    "subsquares": _subsquares,
    "king": _king,
    "rows": _rows,
    "lines": _lines,
}
"""First layers by name: queen moves (the paper's); all squares of 3x3 to 8x8 (its predecessor's); a king's moves; rows
and columns; rows, columns and diagonals of three or more. All have a node that sees the whole board."""


def patterns(layer: str) -> list[Pattern]:
    """What the nodes of a layer see; a layer is a name, a JSON file, or what `written` makes of one."""
    if layer in LAYERS:
        return LAYERS[layer]()
    if _is_written(layer):
        masks = [int(mask, 16) for mask in layer.split("-")]
        return _checked([[s for s in _BOARD if mask >> s & 1] for mask in masks], "the layer")
    path = Path(layer)
    if "\0" in layer or (path.suffix != ".json" and not os.path.exists(layer)):  # false for names that are too long
        raise ZeroplyError(f"unknown layer '{layer[:40]}': there are {', '.join(LAYERS)}; else name a .json file")
    with explained(f"read layer {path}"):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        sets = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise ZeroplyError(f"layer {path} is not JSON: write lists of squares, such as [[0, 1, 2], [3, 4]]") from None
    except ValueError:  # Python reads integers of 4,300 digits at the most
        raise ZeroplyError(f"layer {path} has a number that is too long: squares are 0 to 63") from None
    return _checked(sets, f"layer {path}")


def written(sets: Iterable[Pattern]) -> str:
    """A layer as text without a file: for each pattern a number of 64 bits, one for each square."""
    return "-".join(f"{sum(1 << square for square in squares):016x}" for squares in sets)


def _is_written(layer: str) -> bool:
    """Whether `written` could have made this text."""
    return all(_MASK.fullmatch(mask) for mask in layer.split("-"))


def _checked(sets: object, what: str) -> list[Pattern]:
    """The patterns of a layer, or what is wrong with them."""
    if not isinstance(sets, list) or not sets or not all(isinstance(squares, list) for squares in sets):
        raise ZeroplyError(f"{what} must be a list of lists of squares, such as [[0, 1, 2], [3, 4]]")
    if len(sets) > MOST_PATTERNS:
        raise ZeroplyError(f"{what} has {len(sets)} patterns, and there can be {MOST_PATTERNS} at the most")
    for number, squares in enumerate(sets, 1):
        if not squares:
            raise ZeroplyError(f"pattern {number} of {what} is empty: give it one square or more")
        for square in squares:
            if type(square) is not int or not 0 <= square < SIZE * SIZE:
                raise ZeroplyError(f"pattern {number} of {what} has the square {str(square)[:40]}: squares are 0 to 63")
        if len(set(squares)) < len(squares):
            raise ZeroplyError(f"pattern {number} of {what} names a square twice")
    return [tuple(sorted(squares)) for squares in sets]


# Nets


class SpatialNet(PopulationNet):
    """A form of these nets; a preference is the sum of the output node for the board after a move, Black's negated.

    Its tanh orders moves the same in theory. With numbers of 64 bits it is rounded to 1 from `SATURATED` on, so that
    moves become equal; with `output=tanh` sums are cut there, with `output=sum` they are not.
    """

    encoding = "board after each move, White's discs +1, Black's -1"

    def __init__(self, game: Game, sets: Sequence[Pattern], discs: bool, output: Output = "sum") -> None:
        super().__init__(game)
        self.patterns = [tuple(squares) for squares in sets]
        self.discs = discs
        self.output = output
        nodes = len(self.patterns)
        self.layout = [
            ("spatial", (sum(map(len, self.patterns)),)),
            ("spatial.bias", (nodes,)),
            ("hidden", (HIDDEN, nodes)),
            ("hidden.bias", (HIDDEN,)),
            ("last", (LAST, HIDDEN)),
            ("last.bias", (LAST,)),
            ("output", (1, LAST)),
            ("output.bias", (1,)),
        ]
        limit = SATURATED if output == "tanh" else float("inf")
        self._shape = _core.SpatialShape([list(squares) for squares in self.patterns], discs, limit)

    def named(self, spec: Spec) -> Spec:
        """The spec without the name of a file: its patterns instead."""
        layer = spec.kwargs.get("layer", spec.args[0] if spec.args else "queen")
        if str(layer) in LAYERS or _is_written(str(layer)):
            return spec
        return Spec(spec.name, layer=written(self.patterns), discs=self.discs, output=Spec(self.output))

    def initial(self, keys: ArrayLike) -> NDArray[np.float32]:
        """Uniform from -0.2 to 0.2."""
        rows = np.atleast_1d(np.asarray(keys, np.uint64))[:, None]
        drawn = chance.uniform(rows, np.arange(self.parameters, dtype=np.uint64))
        return ((2 * drawn - 1) * SPREAD).astype(np.float32)

    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """What each position's member says of its legal moves."""
        out = np.empty((len(positions), self.game.cells), np.float32)
        self.population(weights).prefer(positions.batch, members, out)
        return out

    def values(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """[n]: the output of each position's member for the board itself, from -1 (Black's) to 1 (White's)."""
        out = np.empty(len(positions), np.float32)
        self.population(weights).values(positions.batch, members, out)
        return np.tanh(out)

    def play(
        self, weights: NDArray[np.float32], black: ArrayLike, white: ArrayLike
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Play whole games: [n] Black's discs less White's, and [n, 60] the squares played, -1 after the end.

        Of equal moves the lowest square is played.
        """
        rows = [np.ascontiguousarray(side, np.int32) for side in (black, white)]
        scores = np.empty(len(rows[0]), np.int32)
        moves = np.empty((len(rows[0]), LONGEST_GAME), np.int8)
        self.population(weights).play(rows[0], rows[1], scores, moves)
        return scores, moves

    def population(self, weights: NDArray[np.float32]) -> _core.SpatialNets:
        """The members as the core runs them."""
        return _core.SpatialNets(self._shape, np.ascontiguousarray(weights, np.float32))

    def evaluation(self, vector: NDArray[np.float32]) -> _core.Evaluation:
        """One member as an evaluation for search."""
        return _core.spatial_evaluation(self._shape, np.ascontiguousarray(vector, np.float32))


def spatial(
    game: Game,
    layer: Annotated[
        str, "what the first layer sees: queen, subsquares, king, rows, lines, or a .json file with lists of squares"
    ] = "queen",
    discs: Annotated[
        bool | None, "whether the disc difference is added to the output node; by default for subsquares only"
    ] = None,
    output: Annotated[
        Output, "sum: boards are told apart by the output node's sum; tanh: equal where its tanh is 1"
    ] = "sum",
) -> PopulationNet:
    """Nodes that see sets of squares, then 40, 10 and 1; values the board after each move."""
    if game.name != "othello" or game.size != SIZE:
        raise ZeroplyError(f"spatial nets play othello 8x8, not {game}")
    return SpatialNet(game, patterns(layer), layer == "subsquares" if discs is None else discs, output)
