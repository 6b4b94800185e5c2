"""Spatial nets for Othello: each node of the first layer sees a set of squares (Lin and White 2009, section II-A).

Layers of 40, 10 and 1 nodes follow, with tanh and a bias everywhere; inputs are -1 for Black, 1 for White. The paper
compares sets of squares: `queen` has the squares a queen attacks from each square, plus the whole board. Reading:
without look-ahead the net evaluates the board after each legal move; White takes the highest value, Black the lowest.
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
from zeroply.nets.population import Finished, MemberGames, PopulationNet
from zeroply.specs import Spec

SIZE = 8
"""Side of the board."""
HIDDEN, LAST = 40, 10
"""Nodes of the second and third layer."""
SPREAD = 0.2
"""Initial weights are uniform in [-SPREAD, SPREAD]."""
LONGEST_GAME = 60
"""Moves of the longest game of Othello."""
MAX_PATTERNS = 256
"""The largest first layer, so that a layer fits in a spec."""

SATURATED = 19.0615474
"""From here on tanh rounds to 1 in double precision."""

Output = Literal["sum", "tanh"]
Pattern = tuple[int, ...]
"""The squares that a node sees, lowest first; numbered row by row from 0 (a1) to 63 (h8)."""

_MASK = re.compile(r"[0-9a-f]{16}")


# Layers


def _seen(sees: Callable[[int, int], bool]) -> list[Pattern]:
    """For each square, the squares whose offset in rows and columns `sees` accepts."""
    cells = [divmod(square, SIZE) for square in range(SIZE * SIZE)]
    return [
        tuple(square for square, (row, column) in enumerate(cells) if sees(row - at_row, column - at_column))
        for at_row, at_column in cells
    ]


def _groups(key: Callable[[int, int], int], least: int = 1) -> list[Pattern]:
    """Groups of at least `least` squares with the same `key` of row and column."""
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
    return [*_groups(lambda row, column: row), *_groups(lambda row, column: column), _BOARD]


def _lines() -> list[Pattern]:
    diagonals = [*_groups(lambda row, column: row - column, 3), *_groups(lambda row, column: row + column, 3)]
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
"""First layers by name: queen moves (the paper); all sub-squares of 3x3 to 8x8 (its predecessor); king moves; rows and
columns; rows, columns and diagonals of three or more. All have a node that sees the whole board."""


def patterns(layer: str) -> list[Pattern]:
    """The squares of each node of a layer; a layer is a name, a JSON file, or text from `written`."""
    if layer in LAYERS:
        return LAYERS[layer]()
    if _is_written(layer):
        masks = [int(mask, 16) for mask in layer.split("-")]
        return _checked([[s for s in _BOARD if mask >> s & 1] for mask in masks], "the layer")
    path = Path(layer)
    if "\0" in layer or (path.suffix != ".json" and not os.path.exists(layer)):  # false for names that are too long
        raise ZeroplyError(f"unknown layer '{layer[:40]}': choose from {', '.join(LAYERS)}, or name a .json file")
    with explained(f"read layer {path}"):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        sets = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise ZeroplyError(f"layer {path} is not JSON: write lists of squares, such as [[0, 1, 2], [3, 4]]") from None
    except ValueError:  # Python's limit of 4,300 digits
        raise ZeroplyError(f"layer {path} has a number that is too long: squares are numbered 0 to 63") from None
    return _checked(sets, f"layer {path}")


def written(sets: Iterable[Pattern]) -> str:
    """A layer as text: for each pattern a 64-bit mask of its squares in hexadecimal."""
    return "-".join(f"{sum(1 << square for square in squares):016x}" for squares in sets)


def _is_written(layer: str) -> bool:
    """Whether the text has the form of `written`."""
    return all(_MASK.fullmatch(mask) for mask in layer.split("-"))


def _checked(sets: object, what: str) -> list[Pattern]:
    """The patterns of a layer; raises ZeroplyError if they are invalid."""
    if not isinstance(sets, list) or not sets or not all(isinstance(squares, list) for squares in sets):
        raise ZeroplyError(f"{what} must be a list of lists of squares, such as [[0, 1, 2], [3, 4]]")
    if len(sets) > MAX_PATTERNS:
        raise ZeroplyError(f"{what} has {len(sets)} patterns: at most {MAX_PATTERNS} are allowed")
    for number, squares in enumerate(sets, 1):
        if not squares:
            raise ZeroplyError(f"pattern {number} of {what} is empty: give it one square or more")
        for square in squares:
            if type(square) is not int or not 0 <= square < SIZE * SIZE:
                raise ZeroplyError(
                    f"pattern {number} of {what} has the square {str(square)[:40]}: squares are numbered 0 to 63"
                )
        if len(set(squares)) < len(squares):
            raise ZeroplyError(f"pattern {number} of {what} names a square twice")
    return [tuple(sorted(squares)) for squares in sets]


# Nets


class SpatialNet(PopulationNet):
    """A spatial net; a preference is the sum at the output node for the board after the move, negated for Black.

    In theory its tanh gives the same order. In double precision tanh rounds to 1 from `SATURATED` on, so that moves
    become equal: `output=tanh` clips sums there, `output=sum` does not.
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
        """The spec with the patterns in place of a file name."""
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
        """Each position's preferences by its member."""
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
        self,
        weights: NDArray[np.float32],
        black: ArrayLike,
        white: ArrayLike,
        starts: Positions | None = None,
        keys: NDArray[np.uint64] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Play whole games: [n] Black's discs minus White's, and [n, 60] the squares played, -1 after the end.

        `starts` [n] are the positions the games start from, by default the start of Othello. Ties are broken by `keys`
        [n], the chance keys of the games; without keys they go to the lowest square.
        """
        rows = [np.ascontiguousarray(side, np.int32) for side in (black, white)]
        scores = np.empty(len(rows[0]), np.int32)
        moves = np.empty((len(rows[0]), LONGEST_GAME), np.int8)
        self.population(weights).play(rows[0], rows[1], scores, moves, None if starts is None else starts.batch, keys)
        return scores, moves

    def play_games(self, weights: NDArray[np.float32], games: MemberGames) -> Finished | None:
        """Whole games in the core, if moves are not drawn at a temperature."""
        if games.temperature > 0:
            return None
        scores, moves = self.play(weights, games.black, games.white, games.starts, None if games.lowest else games.keys)
        return Finished(scores, np.asarray((moves >= 0).sum(axis=1), np.int32))

    def population(self, weights: NDArray[np.float32]) -> _core.SpatialNets:
        """The members as the core runs them."""
        return _core.SpatialNets(self._shape, np.ascontiguousarray(weights, np.float32))

    def evaluation(self, vector: NDArray[np.float32]) -> _core.Evaluation:
        """One member as an evaluation for search."""
        return _core.spatial_evaluation(self._shape, np.ascontiguousarray(vector, np.float32))


def spatial(
    game: Game,
    layer: Annotated[
        str,
        "squares of the first layer's nodes: queen, subsquares, king, rows, lines, or a .json file of lists of squares",
    ] = "queen",
    discs: Annotated[bool | None, "add the disc difference to the output node; default: for subsquares only"] = None,
    output: Annotated[
        Output, "sum: compare boards by the output node's sum; tanh: by its tanh, which saturates at 1"
    ] = "sum",
) -> PopulationNet:
    """First layer over sets of squares, then 40, 10 and 1 nodes; evaluates the board after each move."""
    game.require("othello", "net spatial", size=SIZE)
    return SpatialNet(game, patterns(layer), layer == "subsquares" if discs is None else discs, output)
