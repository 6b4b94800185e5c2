"""The datasets of paper L (V-A1): Original, Unique, Original-S and Unique-S, memory-mapped.

Three flat arrays hold the examples, 17 bytes each. The -S sets, closed under the eight symmetries, store one
example per orbit but number all its images: example e of Original-S is image e % 8 of example e // 8 of Original.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core, games
from zeroply.errors import ZeroplyError
from zeroply.examples.manifest import ARRAYS, FILE, GAME, GAMES, NAMES, Manifest, read_manifest
from zeroply.examples.split import TEST, TRAIN, Split, by_game, sides
from zeroply.files import explained
from zeroply.games import Game, Positions

CELL = np.uint8(63)
"""The bits of a move's byte that hold the cell."""
WHITE_MOVES = np.uint8(64)
"""The bit of a move's byte that is set if White is the mover."""

Bits = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]
"""Own discs, opposing discs and moves, each [n]."""


class Examples:
    """A dataset: numbered examples of expert moves."""

    def __init__(self, folder: Path, manifest: Manifest, core: _core.ExampleSet) -> None:
        """Use `open` instead, which finds and checks the files."""
        self.folder = folder
        self.manifest = manifest
        self.core = core
        self._sides: tuple[Split, NDArray[np.uint8]] | None = None

    @classmethod
    def open(cls, folder: str | os.PathLike[str], name: str) -> Examples:
        """One of the datasets in a folder made by `zeroply data build`: original, unique, original-s or unique-s."""
        parent = Path(folder)
        if name not in NAMES:
            raise ZeroplyError(f"unknown dataset '{name}': choose from {', '.join(NAMES)}")
        if not parent.is_dir():
            raise ZeroplyError(f"there is no folder {parent}: 'zeroply data build --out {parent}' makes datasets")
        _check_name(parent, name)
        manifest = read_manifest(parent / name)
        if manifest.name != name:
            raise ZeroplyError(f"the dataset {parent / name} is damaged: its manifest names '{manifest.name}'")
        if manifest.game != GAME:
            from zeroply.examples.boards import open_boards

            return open_boards(parent, manifest)
        if manifest.arrays_of == name:
            manifest.check_lengths(parent / name)
        else:
            beside = read_manifest(parent / manifest.arrays_of)
            check_built_together(parent, manifest, beside)
            if beside.stored != manifest.stored:
                raise ZeroplyError(f"the dataset {parent / name} is damaged: its arrays have the wrong length")
            beside.check_lengths(parent / manifest.arrays_of)
        own, opponent, move = (
            mapped(parent / manifest.arrays_of / file, dtype, manifest.stored) for file, dtype in ARRAYS.items()
        )
        return cls(parent, manifest, _core.ExampleSet(own, opponent, move, manifest.whole))

    def __len__(self) -> int:
        return self.manifest.examples

    def __repr__(self) -> str:
        return f"<{len(self):,} examples, {self.folder / self.name}>"

    @property
    def name(self) -> str:
        """Which of the datasets it is."""
        return self.manifest.name

    @cached_property
    def game(self) -> Game:
        """The game that was played."""
        return games.game(self.manifest.game)

    @property
    def games(self) -> int:
        """Number of games the examples come from."""
        return self.manifest.games

    @property
    def symmetric(self) -> bool:
        """Whether it holds all images of its examples under the symmetries of the board."""
        return self.manifest.whole >= 0

    @property
    def bound(self) -> float:
        """The best possible accuracy: always predicting the most frequent move of the position."""
        return self.manifest.predictable / self.manifest.examples

    @property
    def digest(self) -> str:
        """Equal for equal datasets, built from the same games by the same format version."""
        return self.manifest.seal

    def take(self, rows: ArrayLike) -> Bits:
        """The examples with these numbers: own discs, opposing discs and cells, each [n]."""
        own, opponent, move = self._taken(rows)
        return own, opponent, move & CELL

    def positions(self, rows: ArrayLike) -> tuple[Positions, NDArray[np.int64]]:
        """The positions with these numbers, and the cells that were played."""
        own, opponent, move = self._taken(rows)
        return games.from_bits(self.game, own, opponent, (move & WHITE_MOVES) == 0), (move & CELL).astype(np.int64)

    def move_numbers(self, rows: ArrayLike) -> NDArray[np.int32]:
        """[n]: the numbers of the moves, from 1."""
        own, opponent, _ = self._taken(rows)
        numbers: NDArray[np.int32] = np.bitwise_count(own | opponent).astype(np.int32) - 3
        return numbers

    def black(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """[n]: whether Black is the mover; an example that both colours have played counts as Black's."""
        return np.asarray((self._taken(rows)[2] & WHITE_MOVES) == 0)

    def side(self, split: Split, which: Literal["train", "test"]) -> NDArray[np.uint32]:
        """The numbers of the examples on one side of a split, in increasing order."""
        if which not in ("train", "test"):
            raise ZeroplyError(f"the sides of a split are train and test, not '{which}'")
        if self._sides is None or self._sides[0] != split:
            self._sides = (split, sides(self, split))
        cached = self._sides[1]
        wanted = TRAIN if which == "train" else TEST
        rows = np.empty(_core.count_side(cached, wanted), np.uint32)
        _core.rows_on_side(cached, wanted, rows)
        return rows

    def original(self) -> tuple[Examples, NDArray[np.int64]]:
        """The dataset `original` built with this one, and [games + 1] where each game begins in it."""
        beside = self if self.name == "original" else Examples.open(self.folder, "original")
        if beside is not self:
            check_built_together(self.folder, self.manifest, beside.manifest)
        beside.manifest.check_digest(self.folder / "original", GAMES)
        return beside, mapped(self.folder / "original" / GAMES, "<i8", beside.games + 1)

    def by_game(self, split: Split) -> NDArray[np.uint8]:
        """[examples]: the side of each example if whole games are drawn."""
        return by_game(self, split)

    def verify(self) -> None:
        """Read all arrays; raises ZeroplyError if a byte has changed since they were written."""
        holder = self.folder / self.manifest.arrays_of
        read_manifest(holder).check_digests(holder)

    def _taken(self, rows: ArrayLike) -> Bits:
        numbers = self.numbers(rows)
        out = blank(len(numbers))
        try:
            self.core.take(numbers, *out)
        except IndexError:
            raise ZeroplyError(f"the examples of {self.name} are numbered 0 to {len(self) - 1}") from None
        return out

    def numbers(self, rows: ArrayLike) -> NDArray[np.uint32]:
        """Example numbers as the core takes them."""
        array = np.asarray(rows)
        if array.dtype == np.uint32 and array.ndim == 1:
            return np.ascontiguousarray(array)
        if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
            raise ZeroplyError(f"examples are given by an array of integers, not {array.dtype} of shape {array.shape}")
        if array.size and not 0 <= array.min() <= array.max() < len(self):
            raise ZeroplyError(f"the examples of {self.name} are numbered 0 to {len(self) - 1}")
        return array.astype(np.uint32)


def _check_name(parent: Path, name: str) -> None:
    """Raise ZeroplyError if the datasets are of a game that has no dataset of this name."""
    if name.endswith("-s") and not (parent / name).exists() and (parent / "original" / FILE).is_file():
        game = read_manifest(parent / "original").game
        if game != GAME:
            raise ZeroplyError(
                f"{parent} has no dataset {name}, which only Othello on 8x8 has: use original or unique, because "
                f"training shows examples of {game} under random symmetries"
            )


def blank(n: int) -> Bits:
    """Arrays for the core to fill."""
    return np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint8)


def mapped(path: Path, dtype: str, length: int) -> NDArray[Any]:
    """A file as a memory-mapped array."""
    with explained(f"read {path}"):
        try:
            return np.memmap(path, dtype, "r", shape=(length,)).view(np.ndarray)
        except ValueError:
            raise ZeroplyError(
                f"the dataset {path.parent} is damaged: {path.name} is too short; build it again"
            ) from None


def check_built_together(parent: Path, manifest: Manifest, original: Manifest) -> None:
    """Raise ZeroplyError unless a dataset was built with the dataset `original` beside it."""
    if manifest.original != original.seal:
        raise ZeroplyError(f"'{manifest.name}' and 'original' in {parent} were not built together: build them again")
