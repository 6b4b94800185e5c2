"""Temporal difference learning (TDL) of n-tuple weights by self-play, from nothing.

After Lucas, "Learning to Play Othello with N-Tuple Systems" (2008), and Szubert, Jaśkowski and Krawiec, "On
Scalability, Generalization, and Hybridization of Coevolutionary Learning: A Case Study for Othello" (IEEE TCIAIG 2013).

A board is valued after a move, for the side that made it (its discs count as Black's): v = tanh(sum of the weights it
names). The weights move towards the value of the next board, its sign turned when the other side makes that move, or
towards the result (1, 0, -1) at the end: w += rate * (target - v) * (1 - v^2). A random move teaches nothing about the
board before it. With `trace` above 0 the target is mixed with those of later boards: TD(lambda) by its returns.

A batch of games is played by the same weights, in parallel, and then learned from game after game, each from its end to
its start: any number of threads learns the same. The champion has the mean of the weights over about the last quarter
of the games, because the weights of a moment waver. The loops are in core/ntuple_learning.cpp.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np

from zeroply import _core, chance, levels
from zeroply.arena.unchanged import STORED, check_unchanged
from zeroply.errors import ZeroplyError
from zeroply.learning.ntuple_champion import Learned, Progress, Yardstick, learned, measure, summary
from zeroply.learning.ntuple_shapes import shape
from zeroply.runs import Run, stored

KIND = "ntuple-tdl"
LAST_RATE = 0.05
"""What the rate has fallen to at the end, as a share of the first."""
AVERAGED = 0.25
"""Share of the games so far over which the champion's weights are averaged."""
_SECONDS_BETWEEN_CHECKPOINTS = 10.0


@dataclass(frozen=True, kw_only=True)
class TdlConfig:
    """Everything that decides what is learned."""

    shape: str = "all-3"
    """Which tuples: wpc, all-2, all-3, all-4, 2x2, or some joined by +, such as all-4+2x2."""
    games: int = 200_000
    """Games of self-play."""
    rate: float = 0.0005
    """First step size of a weight; it falls linearly to a twentieth."""
    epsilon: float = 0.1
    """Share of random moves."""
    trace: float = 0.7
    """The lambda of TD(lambda): 0, which is TD(0), learns from the next board only, 1 from the result only."""
    plies: int = 6
    """Random moves at the start of each game."""
    batch: int = 32
    """Games played by the same weights before they are learned from."""
    seed: int = 0
    """What all chance comes from."""
    yardstick: Yardstick = field(default_factory=Yardstick)
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


def learn(config: TdlConfig, folder: str | os.PathLike[str], progress: Progress | None = None) -> Learned:
    """Learn a player as a run in a new folder, which also gets the champion's `.player` file."""
    settings = {**stored(config), STORED: config.yardstick.fingerprints()}
    with Run.create(folder, kind=KIND, config=settings, seed=config.seed, level=levels.chosen()) as run:
        return _learn(config, run, progress)


def resume(run: Run, progress: Progress | None = None) -> Learned:
    """Go on with learning from where its run stands."""
    config = run.config(TdlConfig, STORED)
    if not run.finished:
        check_unchanged(run, config.yardstick.fingerprints())
    return _learn(config, run, progress)


def _learn(config: TdlConfig, run: Run, progress: Progress | None) -> Learned:
    the_shape = shape(config.shape)
    core = the_shape.core()
    key = chance.key(config.seed, KIND)
    weights = run.arrays["weights"] if run.arrays else np.zeros(the_shape.weights, np.float32)
    mean = run.arrays["mean"] if run.arrays else np.zeros(the_shape.weights, np.float64)
    done, error, boards = run.state["done"] if run.state else (0, 0.0, 0)
    while done < config.games and not run.finished:
        games = min(config.batch, config.games - done)
        rate = config.rate * (1 - (1 - LAST_RATE) * done / config.games)
        batch_error, batch_boards = _core.td_self_play(
            core, weights, key, done, games, rate, config.epsilon, config.trace, config.plies
        )
        error, boards, done = error + batch_error, boards + batch_boards, done + games
        mean += (weights - mean) * min(1.0, games / (AVERAGED * done))
        due = config.yardstick.is_due(done - games, done, config.games)
        if due:
            score = measure(run, config.yardstick, the_shape, mean.astype(np.float32))
            run.log("measure", games=done, score=score, rate=rate, error=(error / max(1, boards)) ** 0.5)
            error, boards = 0.0, 0
        if due or run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
            run.save({"done": [done, error, boards]}, {"weights": weights, "mean": mean})
        if progress:
            progress(done, config.games)
    result = learned(run, config.yardstick.opponent, "games")
    if not run.finished:
        run.finish(summary(result))
    return result
