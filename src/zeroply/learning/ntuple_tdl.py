"""Temporal difference learning (TDL) of n-tuple weights by self-play, from scratch.

After Lucas, "Learning to Play Othello with N-Tuple Systems" (2008), and Szubert, Jaśkowski and Krawiec, "On
Scalability, Generalization, and Hybridization of Coevolutionary Learning: A Case Study for Othello" (IEEE TCIAIG 2013).

A board is valued after a move, for the side that made it (its discs count as Black's): v = tanh(sum of the weights it
selects). The weights move towards the value of the next board, negated when the other side makes that move, or towards
the result (1, 0, -1) at the end: w += rate * (target - v) * (1 - v^2). There is no update for the board before a random
move. With `trace` above 0 the target is a mixture that includes the targets of later boards: TD(lambda).

A batch of games is played with the same weights, in parallel, and then learned from game after game, each from its end
to its start: any number of threads learns the same. The champion has the mean of the weights over about the last
quarter of the games, which is less noisy than the current weights. The loops are in core/ntuple_learning.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.learning.ntuple_champion import MeasureConfig, NtupleExperiment
from zeroply.learning.ntuple_shapes import shape
from zeroply.runs import Array, Chart, Json, python_call

LAST_RATE = 0.05
"""The final rate as a share of the initial one."""
AVERAGED = 0.25
"""Share of the games so far over which the champion's weights are averaged."""


@dataclass(frozen=True, kw_only=True)
class TdlConfig:
    """Settings that decide what is learned."""

    shape: str = "all-3"
    """Which tuples: wpc, all-2, all-3, all-4, 2x2, or some joined by +, such as all-4+2x2."""
    games: int = 200_000
    """Games of self-play."""
    rate: float = 0.0005
    """Initial learning rate; it falls linearly to a twentieth."""
    epsilon: float = 0.1
    """Share of random moves."""
    trace: float = 0.7
    """The lambda of TD(lambda): 0, which is TD(0), learns from the next board only, 1 from the result only."""
    plies: int = 6
    """Random moves at the start of each game."""
    batch: int = 32
    """Games played with the same weights before an update."""
    seed: int = 0
    """Random seed."""
    measure: MeasureConfig = field(default_factory=MeasureConfig)
    """How the champion is measured."""

    def __post_init__(self) -> None:
        shape(self.shape)
        if self.games < 1 or not 1 <= self.batch <= 100_000:
            raise ZeroplyError("learning needs 1 game or more, and batches of 1 to 100000 games")
        if not 0 < self.rate <= 1:
            raise ZeroplyError(f"the rate must be above 0 and at most 1, not {self.rate}")
        if not (0 <= self.epsilon <= 1 and 0 <= self.trace <= 1):
            raise ZeroplyError("epsilon and trace must be from 0 to 1")
        if not 0 <= self.plies <= 40:
            raise ZeroplyError(f"plies must be from 0 to 40, not {self.plies}")


class NtupleTdl(NtupleExperiment[TdlConfig]):
    """Learn by temporal differences from self-play; writes champion.player into the folder.

    Example: zeroply ntuples tdl --shape all-3 --games 200000 --run runs/all3 --seed 1
    """

    kind = "ntuple-tdl"
    config_type = TdlConfig
    unit = "games"
    charts = (
        Chart("score", "measure", "games", {"score": "score"}),
        Chart("learning rate and error", "measure", "games", {"rate": "rate", "error": "error"}),
    )

    def start(self) -> None:
        self.weights = np.zeros(self.shape.weights, np.float32)
        self.mean = np.zeros(self.shape.weights, np.float64)
        self._games, self._error, self._boards = 0, 0.0, 0

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.weights, self.mean = arrays["weights"], arrays["mean"]
        self._games, self._error, self._boards = state["done"]

    def step(self) -> None:
        config, before = self.config, self._games
        games = min(config.batch, config.games - before)
        rate = config.rate * (1 - (1 - LAST_RATE) * before / config.games)
        key = chance.key(config.seed, self.kind)
        error, boards = _core.td_self_play(
            self.core, self.weights, key, before, games, rate, config.epsilon, config.trace, config.plies
        )
        self._error, self._boards, self._games = self._error + error, self._boards + boards, before + games
        self.mean += (self.weights - self.mean) * min(1.0, games / (AVERAGED * self._games))
        if config.measure.is_due(before, self._games, config.games):
            rmse = (self._error / max(1, self._boards)) ** 0.5
            self.measure(self.mean.astype(np.float32), rate=rate, error=rmse)
            self._error, self._boards = 0.0, 0

    @property
    def done(self) -> int:
        return self._games

    @property
    def total(self) -> int:
        return self.config.games

    def state(self) -> Json:
        return {"done": [self._games, self._error, self._boards]}

    def arrays(self) -> dict[str, Array]:
        return {"weights": self.weights, "mean": self.mean}


learn_ntuples = python_call(NtupleTdl)
