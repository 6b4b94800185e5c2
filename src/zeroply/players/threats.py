"""The engine of games in which a move can threaten to win at once: fours in Gomoku, ataris in Atari-Go."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.players.contract import Player
from zeroply.search import Limit
from zeroply.search.threats import search_threats, threat_rules


class ThreatPlayer(Player):
    """Reads out threats, and searches the most urgent of the other moves."""

    def __init__(self, game: Game, limit: Limit) -> None:
        super().__init__(game)
        threat_rules(game)
        self.limit = limit

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """The score of each move; the best move's is its value, others' are bounds below it."""
        if self.choice.temperature > 0:  # drawing by preference needs all of them
            return self.prefer_all(positions)
        return search_threats(positions, self.limit).preferences

    def prefer_all(self, positions: Positions) -> NDArray[np.float32]:
        """A separate score for every move."""
        return search_threats(positions, self.limit, all_moves=True).preferences

    @property
    def look_ahead(self) -> int:
        return self.limit.depth

    def within(self, *, seconds: float | None = None, depth: int | None = None) -> Player:
        """The same search with tighter limits."""
        limited = copy(self)
        given = [one for one in (self.limit.seconds, seconds) if one is not None]
        least = self.limit.depth if depth is None else min(self.limit.depth, max(depth, 1))
        limited.limit = replace(self.limit, depth=least, seconds=min(given, default=None))
        return limited
