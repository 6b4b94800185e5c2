"""Move agreement: how often a player would have made the moves of a file of games, by stage of the game.

The measure of Liskowski et al. (2018, section V) on whole games. The player chooses at random among its best moves, so
a move that is one of t best moves counts 1/t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.players import Player
from zeroply.progress import Progress, no_progress
from zeroply.records import GameRecord, Lockstep

STAGE = 10
"""Moves per stage; a game of Othello has six stages."""
TOP = (1, 3)
"""The values of k for agreement with the best k moves."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """The counts."""

    games: int
    """Number of games."""
    counts: NDArray[np.int64]
    """[stages]: number of moves."""
    hits: NDArray[np.float64]
    """[top, stages]: how many of these moves are among the player's best k."""

    @property
    def moves(self) -> int:
        """Total number of moves."""
        return int(self.counts.sum())

    def top(self, k: int) -> float:
        """Share of all moves that are among the player's best k (1 or 3)."""
        return float(self.hits[TOP.index(k)].sum() / max(1, self.moves))

    def stages(self) -> list[dict[str, Any]]:
        """One row for each stage that occurs."""
        return [
            {
                "first": 1 + STAGE * stage,
                "last": STAGE * (stage + 1),
                "moves": int(count),
                **{f"top{k}": float(self.hits[i, stage] / count) for i, k in enumerate(TOP)},
            }
            for stage, count in enumerate(self.counts)
            if count
        ]

    def summary(self) -> dict[str, Any]:
        """Everything as JSON values."""
        whole = {f"top{k}": self.top(k) for k in TOP}
        return {"games": self.games, "moves": self.moves, **whole, "stages": self.stages()}


def agreement(records: Sequence[GameRecord], player: Player, progress: Progress = no_progress) -> Agreement:
    """Compare every move of the games with the player's preferences; all games are replayed in lockstep."""
    played = [record for record in records if record.moves]
    _check(played, player.game)
    lengths = np.array([len(record.moves) for record in played], np.int64)
    moves = np.concatenate([np.array(record.moves, np.int32) for record in played])
    starts = player.game.start(len(played))
    for i, record in enumerate(played):
        if record.setup is not None:
            starts[i] = player.game.parse(record.setup)
    stages = -(-player.game.facts.longest // STAGE)
    counts, agreed, done = np.zeros(stages, np.int64), np.zeros((len(TOP), stages)), 0
    for ply in Lockstep(starts, moves, lengths):
        preferences = player.prefer_all(ply.positions)
        mine = preferences[np.arange(len(ply.moves)), ply.moves][:, None]
        better, equal = (preferences > mine).sum(axis=1), (preferences == mine).sum(axis=1)
        stage = np.minimum((ply.positions.move_number() - 1) // STAGE, stages - 1)
        np.add.at(counts, stage, 1)
        for i, k in enumerate(TOP):
            np.add.at(agreed[i], stage, np.clip((k - better) / equal, 0, 1))
        done += len(ply.moves)
        progress(done, int(lengths.sum()))
    return Agreement(len(played), counts, agreed)


def _check(records: list[GameRecord], game: Game) -> None:
    if not records:
        raise ZeroplyError("these games contain no moves")
    other = next((record.game for record in records if record.game != game), None)
    if other is not None:
        raise ZeroplyError(f"all games must be {game}, but one is {other}")
