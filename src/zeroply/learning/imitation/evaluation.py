"""How often a player makes the expert's move (Liskowski et al. 2018, section V): top-1, top-k, by stage of the game.

Any player can be measured by its preferences alone, so a search engine can be compared with nets (their Table IX).
Among moves of equal preference a player chooses at random: an expert's move among t equal ones counts 1/t.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.encodings import playable
from zeroply.progress import Progress, no_progress

if TYPE_CHECKING:
    from zeroply.examples import Examples, Split

TOP = 5
"""Accuracy is counted for the best 1, 2, ... of these many moves."""
BATCH = 4096


class Judge(Protocol):
    """What is measured: a player or a net."""

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """[n, cells]: a preference for every legal move, -inf elsewhere."""


class ExampleSet(Protocol):
    """Where examples come from: `zeroply.examples.Examples`, or anything that gives boards and moves."""

    @property
    def game(self) -> Game:
        """The game that was played."""

    def positions(self, rows: NDArray[np.uint32]) -> tuple[Positions, NDArray[np.int64]]:
        """[n] each: the positions, and the cells that experts chose."""


@dataclass(frozen=True, eq=False)
class Accuracy:
    """What was counted over a number of examples."""

    positions: int
    """Examples."""
    counts: NDArray[np.int64]
    """[moves, legal moves]: examples by number of the move and number of legal moves."""
    hits: NDArray[np.float64]
    """[top, moves, legal moves]: how often the expert's move was among the best 1, 2, ..., k legal ones; k is 1 for
    search players, because their scores of all moves but the best are bounds."""
    raw: float | None = None
    """Share of examples whose largest output, legal or not, is the expert's move; None if it has no such outputs."""
    valid: float | None = None
    """Share of examples whose largest output is a legal move (Table IV)."""
    loss: float | None = None
    """Mean cross-entropy over all outputs."""

    @property
    def top(self) -> list[float]:
        """Share of examples in which the expert's move is among the best 1, 2, ..., k legal ones."""
        return [float(top.sum() / max(1, self.positions)) for top in self.hits]

    @property
    def top1(self) -> float:
        """Accuracy among legal moves."""
        return self.top[0]

    @property
    def chance(self) -> float:
        """Accuracy of random legal moves."""
        by_legal = self.counts.sum(axis=0)
        return float((by_legal[1:] / np.arange(1, len(by_legal))).sum() / max(1, self.positions))

    @property
    def standard_error(self) -> float:
        """Of the accuracy among legal moves."""
        return float(np.sqrt(self.top1 * (1 - self.top1) / max(1, self.positions)))

    def by_move(self, k: int = 1) -> dict[int, tuple[int, float]]:
        """By number of the move: examples, and share with the expert's move among the best k."""
        return _shares(self.counts.sum(axis=1), self.hits[k - 1].sum(axis=1))

    def cells(self) -> list[dict[str, Any]]:
        """One row for each number of the move and of legal moves that occur, for Fig. 3."""
        return [
            {
                "move": int(move),
                "legal": int(legal),
                "positions": int(self.counts[move, legal]),
                "top": [float(hits[move, legal] / self.counts[move, legal]) for hits in self.hits],
            }
            for move, legal in np.argwhere(self.counts)
        ]

    def summary(self) -> dict[str, Any]:
        """The main numbers, for programs."""
        return {
            "positions": self.positions,
            "top1": self.top1,
            "standard_error": self.standard_error,
            "top": self.top,
            "raw": self.raw,
            "chance": self.chance,
            "valid": self.valid,
            "loss": self.loss,
        }


def evaluate(
    judge: Judge,
    data: ExampleSet,
    rows: NDArray[np.uint32],
    *,
    batch: int = BATCH,
    progress: Progress = no_progress,
) -> Accuracy:
    """Measure a player or a net on examples."""
    if not len(rows):
        raise ZeroplyError("there are no examples to measure on: choose another split or a larger share for the test")
    rules = data.game
    net: Any = getattr(judge, "net", judge)
    net = net if getattr(net, "output", "") == "moves" else None  # then its outputs are logits of all moves
    counts = np.zeros((rules.facts.longest + 1, rules.cells + 1), np.int64)
    hits = np.zeros((1 if getattr(judge, "look_ahead", 0) else TOP, *counts.shape))
    raw = np.zeros(3)
    for low in range(0, len(rows), batch):
        positions, wanted = data.positions(rows[low : low + batch])
        if net is not None:
            outputs = net.outputs(positions)
            raw += _raw(outputs, positions, wanted)
            preferences = np.where(positions.legal(), spread(outputs, rules), -np.inf)
        else:
            preferences = judge.prefer(positions)
        _count(preferences, positions, wanted, counts, hits)
        progress(min(low + batch, len(rows)), len(rows))
    shares = [None] * 3 if net is None else [float(number) for number in raw / len(rows)]
    return Accuracy(len(rows), counts, hits, *shares)


def spread(outputs: NDArray[np.float32], rules: Game) -> NDArray[np.float32]:
    """[n, cells]: outputs for moves, put on their cells."""
    cells = np.zeros((len(outputs), rules.cells), np.float32)
    cells[:, playable(rules)] = outputs
    return cells


def sample(rows: NDArray[np.uint32], wanted: int, key: int) -> NDArray[np.uint32]:
    """At most `wanted` of the rows, a random sample keyed by `key`, in their order."""
    if len(rows) <= wanted:
        return rows
    drawn = np.argpartition(chance.draw(key, np.arange(len(rows))), wanted)[:wanted]
    return rows[np.sort(drawn)]


def overlap(trained: Mapping[str, Any], data: Examples, split: Split) -> str:
    """Why a net trained this way may have seen test examples of this split, as a sentence; empty if it cannot."""
    recipe = trained.get("recipe")
    if not isinstance(recipe, Mapping) or "split" not in recipe or "digest" not in trained:
        return ""
    split_used = (recipe["split"], recipe["test"], recipe["split_seed"])
    if trained["digest"] != data.digest:
        return "it was trained on other examples, which may include test examples of these"
    if split_used != (split.by, split.test, split.seed):
        return f"it was trained with another split (by {split_used[0]}, test {split_used[1]}, seed {split_used[2]})"
    if split.by == "position" and recipe["dataset"] != data.name:
        return f"it was trained on {recipe['dataset']}, which is split by position in its own way"
    return ""


def _count(
    preferences: NDArray[np.float32],
    positions: Positions,
    wanted: NDArray[np.int64],
    counts: NDArray[np.int64],
    hits: NDArray[np.float64],
) -> None:
    mine = preferences[np.arange(len(wanted)), wanted][:, None]
    better = (preferences > mine).sum(axis=1)
    equal = (preferences == mine).sum(axis=1)
    legal = positions.legal().sum(axis=1)
    move = np.minimum(positions.move_number(), len(counts) - 1)
    np.add.at(counts, (move, legal), 1)
    for k in range(len(hits)):
        np.add.at(hits[k], (move, legal), np.clip((k + 1 - better) / equal, 0, 1))


def _raw(outputs: NDArray[np.float32], positions: Positions, wanted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums of: largest output is the expert's move, largest output is legal, cross-entropy."""
    cells = playable(positions.game)
    largest = cells[outputs.argmax(axis=1)]
    legal = positions.legal()[np.arange(len(wanted)), largest]
    shifted = outputs.astype(np.float64) - outputs.max(axis=1, keepdims=True)
    chosen = shifted[np.arange(len(wanted)), np.searchsorted(cells, wanted)]
    entropy = np.log(np.exp(shifted).sum(axis=1)) - chosen
    return np.array([(largest == wanted).sum(), legal.sum(), entropy.sum()])


def _shares(counts: NDArray[np.int64], hits: NDArray[np.float64]) -> dict[int, tuple[int, float]]:
    return {int(i): (int(counts[i]), float(hits[i] / counts[i])) for i in np.flatnonzero(counts)}
