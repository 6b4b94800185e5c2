"""What a game is worth to a player that learns: by its length, by its result alone, or by discs.

`length` is the score of Schaul and Schmidhuber 2009 (section IV-B): a win is worth 1 and a loss -1, each nearer to 0
the longer the game lasted, so that losing late is better than losing early. A draw is worth 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.play import Played
from zeroply.errors import ZeroplyError
from zeroply.games import Game

By = Literal["length", "result", "discs"]


@dataclass(frozen=True)
class Scoring:
    """How games are scored."""

    by: By
    """Result and length, the result alone, or the share of all cells by which the discs differ (Othello)."""
    share: float = 0.2
    """By how much the longest game counts less than the shortest; the paper's p."""

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ZeroplyError(f"the share of a score that depends on length is from 0 to 1, not {self.share}")

    @classmethod
    def usual(cls, game: Game, by: By | None = None) -> Scoring:
        """The requested scoring, or the game's default: by discs if it has a margin in discs, else by length, if the
        shortest game is known."""
        without_discs: By = "result" if game.facts.shortest is None else "length"
        return cls(by or ("discs" if game.facts.margin == "discs" else without_discs))

    def check(self, game: Game) -> None:
        """Raise ZeroplyError if a game cannot be scored like this."""
        if self.by == "discs" and game.facts.margin != "discs":
            raise ZeroplyError(f"{game} cannot be scored by discs: choose length or result")
        if self.by == "length" and game.facts.shortest is None:
            raise ZeroplyError(f"{game} cannot be scored by length: choose discs or result")

    def black(self, played: Played) -> NDArray[np.float64]:
        """[n]: what each game, played from the usual start, is worth to Black; White has the negative."""
        return self.points(played.final.game, played.winner, played.final.score(), played.lengths)

    def points(
        self, game: Game, winner: NDArray[Any], scores: NDArray[Any], lengths: NDArray[Any]
    ) -> NDArray[np.float64]:
        """[n]: the same from who won (1 Black, -1 White), Black's scores, and moves since the usual start."""
        if self.by == "discs":
            return np.asarray(scores / game.cells, np.float64)
        won = winner.astype(np.float64)
        if self.by == "result":
            return won
        return won * (1 - self.share * lateness(game, lengths))


def lateness(game: Game, lengths: NDArray[Any]) -> NDArray[np.float64]:
    """[n]: 0 for the shortest game possible, 1 for the longest."""
    shortest, longest = game.facts.shortest or 0, game.facts.longest
    return np.asarray(np.clip((lengths - shortest) / (longest - shortest), 0, 1), np.float64)
