"""How champions do against fixed players while evolution goes on, which it does not influence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.learning.evolution.executors import Workers
from zeroply.learning.evolution.fitness import Fitness, evaluate


@dataclass(frozen=True, kw_only=True)
class MeasureConfig:
    """When and how champions are measured; has no influence on evolution."""

    every: int = 0
    """Measure the champion every this many generations, and the last one; 0 for never."""
    opponents: tuple[str, ...] = ("random",)
    """Specs of the players it is measured against."""
    games: int = 400
    """Games against each of them, even."""
    openings: str = "random(plies=8)"
    """Spec of the openings; every measurement of a run has the same ones."""

    def __post_init__(self) -> None:
        if self.every < 0:
            raise ZeroplyError(f"champions are measured every 1 or more generations, or 0 for never, not {self.every}")

    def is_due(self, generation: int, last: int) -> bool:
        """Whether the champion of a generation is measured."""
        return self.every > 0 and (generation % self.every == 0 or generation == last)

    def fitness(self, game: str) -> Fitness:
        """The games that measure."""
        return Fitness(game=game, opponents=self.opponents, games=self.games, openings=self.openings, by="result")

    def points(
        self, game: str, net: str, champion: NDArray[np.float32], key: int, workers: Workers
    ) -> dict[str, float]:
        """Points per game against each opponent, a draw counting half."""
        outcomes = evaluate(self.fitness(game), net, champion[None], key, workers)
        return {trial.opponent: float((1 + outcome.mean[0]) / 2) for trial, outcome in outcomes.items()}
