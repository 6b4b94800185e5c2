"""The champion of a run that learns an n-tuple player: its file, and its score against a fixed opponent.

The file is written first and the player of the file is measured, so the score is that of what anybody can load.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.match import match
from zeroply.arena.unchanged import fingerprints
from zeroply.errors import ZeroplyError
from zeroply.learning.ntuple_shapes import Shape
from zeroply.runs import Run, RunRecord
from zeroply.specs import Spec

FILE = "champion.player"
"""Name of the champion's file in the folder of a run."""

Progress = Callable[[int, int], None]
"""Called with the steps done and the steps in all, from time to time."""


@dataclass(frozen=True, kw_only=True)
class Yardstick:
    """How a champion is measured; every measure of a run plays the same openings."""

    opponent: str = "net(othello-swh)"
    """Spec of the player the champion is measured against; by default the standard weighted piece counter."""
    openings: str = "random(plies=6)"
    """Where the games of a measure start."""
    games: int = 1000
    """Games of a measure, even."""
    measures: int = 20
    """Measures in a run, spread evenly; the last one is at its end."""

    def __post_init__(self) -> None:
        if not 1 <= self.measures <= 10_000:
            raise ZeroplyError(f"a run has 1 to 10000 measures, not {self.measures}")

    def fingerprints(self) -> list[str]:
        """Those of opponent and openings; says now rather than at the first measure what is wrong with them."""
        return fingerprints([self.opponent], "othello", self.openings, self.games)

    def is_due(self, before: int, after: int, total: int) -> bool:
        """Whether a measure falls on the steps after `before` up to `after`, of `total`."""
        return after * self.measures // total > before * self.measures // total

    def score(self, champion: Path, seed: int) -> float:
        """Points per game of the champion."""
        its_seed = chance.key(seed, "measure")
        return match(player_of(champion), self.opponent, games=self.games, openings=self.openings, seed=its_seed).score


@dataclass(frozen=True)
class Learned:
    """What a run has learned."""

    champion: Path
    """The `.player` file."""
    opponent: str
    """Who the champion was measured against."""
    steps: str
    """What is counted: games or generations."""
    scores: dict[int, float]
    """Points per game at every measure, by the steps done."""

    @property
    def score(self) -> float:
        """The last measure."""
        return list(self.scores.values())[-1]


def player_of(champion: Path) -> Spec:
    """The player that a `.player` file of a run is: one ply of look-ahead, White seeing the colours exchanged."""
    return Spec("alphabeta", depth=1, eval=Spec("ntuple", str(champion), white="exchange"))


def measure(run: Run, yardstick: Yardstick, shape: Shape, weights: NDArray[np.float32]) -> float:
    """Write the champion of a run and measure it."""
    shape.write(run.folder / FILE, weights)
    return yardstick.score(run.folder / FILE, run.info.seed)


def learned(run: RunRecord, opponent: str, steps: str) -> Learned:
    """What a run has learned so far, from its events."""
    scores = {event[steps]: event["score"] for event in run.events("measure")}
    return Learned(run.folder / FILE, opponent, steps, scores)


def summary(result: Learned) -> dict[str, object]:
    """What a run has learned, for programs."""
    return {
        "champion": str(result.champion),
        "player": str(player_of(result.champion)),
        "opponent": result.opponent,
        "score": result.score,
        "scores": [{result.steps: done, "score": score} for done, score in result.scores.items()],
    }
