"""Splits into training and test examples: by position as in paper L (V-A1), or by game, which avoids leakage.

By position, every example is drawn separately, so a test position may come from the same game as training positions, or
be a symmetric image of one. By game, whole games are drawn, and equal transcripts (up to symmetry) go to the same side.
Training examples occur in a training game; test examples occur only in test games, in positions without a symmetric
image in any training game. All other examples are on neither side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError

if TYPE_CHECKING:
    from zeroply.examples.dataset import Examples

NEITHER, TRAIN, TEST = 0, 1, 2
"""The sides of a split, as the core numbers them."""
_EQUALITY = {"original": 0, "original-s": 0, "unique": 1, "unique-s": 2}
"""How an example is matched to a game, by dataset: by index, by equality, or by equality up to symmetry."""


@dataclass(frozen=True)
class Split:
    """How examples are divided into training and test."""

    by: Literal["position", "game"] = "game"
    """Unit of the split: single examples, as in the paper, or whole games."""
    test: float = 0.05
    """Share of examples, or of distinct games, used for testing."""
    seed: int = 1
    """Random seed; one seed draws the same games for all datasets of a folder."""

    def __post_init__(self) -> None:
        if self.by not in ("position", "game"):
            raise ZeroplyError(f"a split is by position or by game, not by '{self.by}'")
        if not 0 < self.test < 1:
            raise ZeroplyError(f"the share of test examples must be between 0 and 1, not {self.test}")


def sides(data: Examples, split: Split) -> NDArray[np.uint8]:
    """[examples]: the side of each example."""
    in_test = _by_position(data, split) if split.by == "position" else data.by_game(split)
    for side, name, hint in ((TRAIN, "training", "a smaller"), (TEST, "test", "a larger")):
        if not _core.count_side(in_test, side):
            raise ZeroplyError(
                f"a split of '{data.name}' by {split.by} with {split.test:g} for testing leaves no {name} examples: "
                f"choose {hint} share, or build the datasets from more games"
            )
    return in_test


def _by_position(data: Examples, split: Split) -> NDArray[np.uint8]:
    sides = np.empty(len(data), np.uint8)
    _core.split_by_position(chance.key(split.seed, "split", "position"), round(split.test * len(data)), sides)
    return sides


def by_game(data: Examples, split: Split) -> NDArray[np.uint8]:
    """[examples]: the side of each example of Othello if whole games are drawn."""
    original, first = data.original()
    tested = held_out_games(original, first, split)
    stored = np.empty(data.manifest.stored, np.uint8)
    data.core.split_by_game(original.core, first, tested.view(np.uint8), _EQUALITY[data.name], stored)
    whole = data.manifest.whole
    if whole < 0:
        return stored
    return np.concatenate([np.repeat(stored[:whole], 8), np.repeat(stored[whole:], 4)])


def held_out_games(original: Examples, first: NDArray[np.int64], split: Split) -> NDArray[np.bool_]:
    """[games]: which games are for testing, drawn among the distinct transcripts."""
    keys = np.empty(len(first) - 1, np.uint64)
    original.core.transcript_keys(first, keys)
    return drawn_games(keys, split)


def drawn_games(keys: NDArray[np.uint64], split: Split) -> NDArray[np.bool_]:
    """[games]: which games are for testing, drawn among the distinct `keys` of their transcripts."""
    different = np.unique(keys)
    draws = chance.draw(chance.key(split.seed, "split", "game"), different)
    chosen = different[np.argsort(draws, kind="stable")[: round(split.test * len(different))]]
    return np.isin(keys, chosen)
