"""Shared by both ways to learn n-tuple players: the champion's file, and its score against a fixed opponent.

The file is written first, then loaded and measured, so the score is that of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.fingerprints import fingerprints
from zeroply.arena.match import match
from zeroply.errors import ZeroplyError
from zeroply.learning.ntuple_shapes import shape
from zeroply.runs import Experiment, Json, RunRecord, TextTable
from zeroply.specs import Spec

FILE = "champion.player"
"""Name of the champion's file in the folder of a run."""
C = TypeVar("C")


@dataclass(frozen=True, kw_only=True)
class MeasureConfig:
    """How a champion is measured; every measurement of a run plays the same openings."""

    opponent: str = "net(othello-swh)"
    """Spec of the opponent; by default the standard weighted piece counter."""
    openings: str = "random(plies=6)"
    """Spec of the openings."""
    games: int = 1000
    """Games per measurement, even."""
    measures: int = 20
    """Measurements in a run, evenly spread; the last one is at its end."""

    def __post_init__(self) -> None:
        if not 1 <= self.measures <= 10_000:
            raise ZeroplyError(f"measures must be from 1 to 10000, not {self.measures}")

    def is_due(self, before: int, after: int, total: int) -> bool:
        """Whether a measurement falls on the steps after `before` up to `after`, of `total`."""
        return after * self.measures // total > before * self.measures // total

    def score(self, champion: Path, seed: int) -> float:
        """Points per game of the champion."""
        its_seed = chance.key(seed, "measure")
        return match(player_of(champion), self.opponent, games=self.games, openings=self.openings, seed=its_seed).score


@dataclass(frozen=True)
class NtupleResult:
    """A learned n-tuple player."""

    champion: Path
    """The `.player` file."""
    opponent: str
    """The opponent it was measured against."""
    unit: str
    """What is counted: games or generations."""
    scores: dict[int, float]
    """Points per game at every measurement, by games or generations."""

    @property
    def score(self) -> float:
        """The last measurement."""
        return list(self.scores.values())[-1]


def player_of(champion: Path) -> Spec:
    """The player of a `.player` file: one ply of look-ahead, with colours exchanged for White."""
    return Spec("alphabeta", depth=1, eval=Spec("ntuple", str(champion), white="exchange"))


class NtupleExperiment(Experiment[C, NtupleResult]):
    """Learning an n-tuple player."""

    game = "othello"
    net_files = (FILE,)

    @classmethod
    def file_player(cls, path: Path) -> Spec:
        """A player that evaluates the board after each of its moves."""
        return player_of(path)

    @property
    def measuring(self) -> MeasureConfig:
        """How the champion is measured."""
        config: MeasureConfig = self.config.measure  # type: ignore[attr-defined]
        return config

    @contextmanager
    def resources(self) -> Iterator[None]:
        self.shape = shape(self.config.shape)  # type: ignore[attr-defined]
        self.core = self.shape.core()
        yield

    def inputs(self) -> dict[str, str]:
        measuring = self.measuring
        return fingerprints([measuring.opponent], "othello", measuring.openings, measuring.games)

    def measure(self, weights: NDArray[np.float32], **figures: Any) -> None:
        """Write the champion with these weights, measure it and log its score."""
        path = self.recording.folder / FILE
        self.shape.write(path, weights)
        score = self.measuring.score(path, self.recording.info.seed)
        self.log("measure", **{self.unit: self.done}, score=score, **figures)

    @classmethod
    def read(cls, record: RunRecord) -> NtupleResult:
        scores = {event[cls.unit]: event["score"] for event in record.events("measure")}
        return NtupleResult(record.folder / FILE, record.info.config["measure"]["opponent"], cls.unit, scores)

    @classmethod
    def to_json(cls, result: NtupleResult) -> Json:
        return {
            "champion": str(result.champion),
            "player": str(player_of(result.champion)),
            "opponent": result.opponent,
            "score": result.score,
            "scores": [{result.unit: done, "score": score} for done, score in result.scores.items()],
        }

    @classmethod
    def report(cls, result: NtupleResult) -> list[str | TextTable]:
        rows = [(str(done), f"{score:.3f}") for done, score in result.scores.items()]
        return [
            f"champion against {result.opponent}\n",
            TextTable((result.unit, "score"), rows, left=-1),
            f"\nplay it as {player_of(result.champion)}",
        ]
