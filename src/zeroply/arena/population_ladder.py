"""The ladder for a whole population: how much look-ahead a fixed strategy needs to stop each member.

The same games as in `zeroply.arena.ladder` (Lin and White 2009, section II-D), but all members climb together, and
answers of the strategy are cached: members of a converging population play almost the same games.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.ladder import rung_players
from zeroply.arena.populations import Population, Seats, play_members
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.population import PopulationNet
from zeroply.players import Choice, FollowingPlayer, Player
from zeroply.specs import Spec

NONE = -1
"""The height of a member that does not beat the lowest rung."""
_REMEMBERED = 100_000
_LOWEST = Choice(ties="lowest")


class PopulationLadder:
    """A strategy that members of a population climb against, with Black."""

    def __init__(self, strategy: str | Spec, game: Game, highest: int | None = None) -> None:
        self.rungs = {depth: _Remembering(one) for depth, one in rung_players(strategy, game, highest).items()}

    def heights(self, net: PopulationNet, weights: NDArray[np.float32]) -> NDArray[np.int64]:
        """[members]: the highest ply-depth that each member beats, -1 if none."""
        heights = np.full(len(weights), NONE)
        climbing = np.arange(len(weights))
        for depth, strategy in self.rungs.items():
            n = len(climbing)
            sides = np.tile(np.array([[0, 1]], np.int64), (n, 1))
            members = np.stack([np.arange(n), np.zeros(n, np.int64)], axis=1).astype(np.int32)
            population = Population(net, weights[climbing], _LOWEST)
            played = play_members([population, strategy], Seats(sides, members), np.zeros(n, np.uint64))
            climbing = climbing[played.winner > 0]
            if not len(climbing):
                break
            heights[climbing] = depth
        return heights


class _Remembering(Player):
    """A deterministic player whose answers are cached."""

    def __init__(self, inner: Player) -> None:
        if isinstance(inner, FollowingPlayer):
            raise ZeroplyError(f"{inner} follows whole games and cannot meet a population: choose another strategy")
        super().__init__(inner.game)
        self.inner = inner
        self.spec = inner.spec
        self._known: dict[int, int] = {}

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        return self.inner.prefer(positions)

    def pick(self, positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Its best moves, the lowest of equal ones."""
        names = positions.hash().tolist()
        fresh = {name: row for row, name in enumerate(names) if name not in self._known}
        if len(self._known) + len(fresh) > _REMEMBERED:
            self._known.clear()
            fresh = {name: row for row, name in enumerate(names)}
        if fresh:
            rows = np.array(list(fresh.values()), np.int64)
            zeros = np.zeros(len(rows), np.uint64)
            moves = _LOWEST.moves(self.inner.prefer(positions[rows]), zeros, zeros)
            self._known.update(zip(fresh, moves.tolist(), strict=True))
        return np.array([self._known[name] for name in names], np.int32)
