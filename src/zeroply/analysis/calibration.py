"""Calibration of the pattern evaluation: does a shallow search expect as many discs as a deep one or the exact ending?

A good evaluation is right on average at every stage of the game, whoever is to move; its error is what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game
from zeroply.progress import Progress, no_progress
from zeroply.records import GameRecord
from zeroply.records.record import replay_all
from zeroply.search import Evaluation, Limit
from zeroply.search.endings import solve

OPENINGS = ("f5", "f5d6", "f5f6", "f5f4", "f5d6c3", "f5d6c5", "f5f6e6", "f5d6c3d3c4")
"""The first positions of usual openings, in all of which strong players see an even game."""
STAGE = 6
"""Plies of a stage of the table."""
_BLOCK = 64


@dataclass(frozen=True, kw_only=True)
class StageError:
    """Value of a shallow search less that of a deep one or the exact score, in discs for the side to move."""

    first: int
    """The first ply of the stage, counted from 0."""
    positions: int
    """Number of positions."""
    mean: float
    """Mean difference."""
    rms: float
    """Root mean square difference."""
    even: float
    """Mean difference with an even number of empty squares."""
    odd: float
    """Mean difference with an odd number of empty squares."""


def calibration(
    evaluation: Evaluation,
    games: Sequence[GameRecord],
    *,
    positions: int = 1000,
    depth: int = 4,
    deep: int = 10,
    exact: int = 22,
    seed: int = 0,
    progress: Progress = no_progress,
) -> list[StageError]:
    """The errors by stage on `positions` per stage, drawn at random from games of Othello 8x8.

    Positions with at most `exact` empty squares are compared with their exact score, others with a search to `deep`.
    """
    if positions < 1 or not 1 <= depth < deep or not 0 <= exact <= 30:
        raise ZeroplyError(
            "calibration needs a position, a deep search deeper than the other, and 0 to 30 exact squares"
        )
    drawn = _draw(games, positions, seed)
    total, done, rows = sum(len(one) for _, one in drawn), 0, []
    for first, chosen in drawn:
        missed = []
        for low in range(0, len(chosen), _BLOCK):
            block = chosen[np.arange(low, min(low + _BLOCK, len(chosen)))]
            missed.append(evaluation.search(block, Limit(depth=depth)).scores - _truth(evaluation, block, deep, exact))
            done += len(block)
            progress(done, total)
        rows.append(_error(first, np.concatenate(missed), empties(chosen)))
    return rows


def opening_values(evaluation: Evaluation, depths: Sequence[int]) -> dict[str, list[float]]:
    """The score of `OPENINGS` for the side to move, at each depth."""
    positions = {moves: game("othello").replay(moves) for moves in OPENINGS}
    return {
        moves: [float(evaluation.search(at, Limit(depth=depth)).scores[0]) for depth in depths]
        for moves, at in positions.items()
    }


def empties(positions: Positions) -> NDArray[np.int64]:
    """[n]: empty squares."""
    return np.asarray((positions.stones() == 0).sum(axis=1), np.int64)


def _truth(evaluation: Evaluation, positions: Positions, deep: int, exact: int) -> NDArray[np.float32]:
    late = empties(positions) <= exact
    out = np.empty(len(positions), np.float32)
    if late.any():
        out[late] = solve(positions[late]).scores
    if not late.all():
        out[~late] = evaluation.search(positions[~late], Limit(depth=deep)).scores
    return out


def _draw(games: Sequence[GameRecord], wanted: int, seed: int) -> list[tuple[int, Positions]]:
    """For each stage its first ply and its positions, at most one of each game."""
    rules = game("othello")
    usable = [record for record in games if record.game == rules and len(record.moves) > STAGE and record.setup is None]
    if not usable:
        raise ZeroplyError("calibration needs games of othello")
    out = []
    for first in range(0, 60, STAGE):
        key = chance.key(seed, "calibration", first)
        order = np.argsort(chance.draw(key, np.arange(len(usable))), kind="stable")
        plies = first + chance.below(STAGE, chance.keys(key, 0), np.arange(len(usable)))
        chosen = [int(i) for i in order if plies[i] < len(usable[i].moves)][:wanted]
        if chosen:
            out.append((first, replay_all([replace(usable[i], moves=usable[i].moves[: plies[i]]) for i in chosen])))
    return out


def _error(first: int, missed: NDArray[np.float32], left: NDArray[np.int64]) -> StageError:
    def mean(which: NDArray[np.bool_]) -> float:
        return float(missed[which].mean()) if which.any() else 0.0

    return StageError(
        first=first,
        positions=len(missed),
        mean=float(missed.mean()),
        rms=float(np.sqrt(np.mean(missed.astype(np.float64) ** 2))),
        even=mean(left % 2 == 0),
        odd=mean(left % 2 == 1),
    )
