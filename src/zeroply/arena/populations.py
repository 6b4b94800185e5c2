"""Games between members of populations: many at once, in lockstep, each seat a member or a fixed player.

A population is an architecture with a matrix of weights, a row for each member (see `zeroply.nets.population`). At
every ply each population is asked once, about all positions in which one of its members is on turn, so a generation of
nets costs about as many calls as one game has plies. Chance is keyed by the game and the ply, as in all games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import chance
from zeroply.arena.play import Played, lockstep
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.nets.population import PopulationNet
from zeroply.players import Choice, FollowingPlayer, Player

Colours = Literal["both", "black", "white"]
"""The colours of a member in its games: both in turn, or always the same."""


class Population:
    """Players of one architecture."""

    def __init__(self, net: PopulationNet, weights: ArrayLike, choice: Choice | None = None) -> None:
        self.net = net
        self.weights = net.checked(weights)
        """[members, parameters]: a weight vector for each member."""
        self.choice = choice or Choice()
        """How their moves are chosen."""

    def choose(self, members: NDArray[np.int32], positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """[n]: a move in every position by the member [n] given for it; `keys` are the chance keys of the games."""
        preferences = self.net.prefer(self.weights, members, positions)
        return self.choice.moves(preferences, keys, positions.move_number())


@dataclass(frozen=True)
class Seats:
    """Who plays in each of n games."""

    sides: NDArray[np.int64]
    """[n, 2]: which of the sides has Black, and which has White."""
    members: NDArray[np.int32]
    """[n, 2]: which member of the population; 0 where a fixed player sits."""

    @classmethod
    def pairs(cls, pairs: ArrayLike, games: int = 2, colours: Colours = "both") -> Seats:
        """Members of side 0 meet members of side 1: `games` for each of `pairs` [m, 2].

        The games of a pair stand together. If the colours alternate, side 0 has Black in the first of them.
        """
        if games < 2 or games % 2:
            raise ZeroplyError(f"two nets meet in an even number of games, so that each starts as often, not {games}")
        both = np.asarray(pairs, np.int32).reshape(-1, 2)
        members = np.repeat(both, games, axis=0)
        sides = np.tile(np.array([[0, 1]], np.int64), (len(members), 1))
        white = {"both": np.arange(len(members)) % 2 == 1, "black": [], "white": slice(None)}[colours]
        members[white], sides[white] = members[white, ::-1], sides[white, ::-1]
        return cls(sides, members)

    def __len__(self) -> int:
        return len(self.sides)

    @property
    def first_is_black(self) -> NDArray[np.bool_]:
        """[n]: whether side 0 has Black."""
        return np.asarray(self.sides[:, 0] == 0, np.bool_)


def play_members(
    sides: Sequence[Population | Player], seats: Seats, keys: NDArray[np.uint64], starts: Positions | None = None
) -> Played:
    """Play all games to their end, from the usual start or from `starts`; `keys` [n] name the games for chance."""
    for side in sides:
        if isinstance(side, FollowingPlayer):
            raise ZeroplyError(f"player {side} follows whole games and cannot meet a population: choose another")
    game = sides[0].net.game if isinstance(sides[0], Population) else sides[0].game
    members = np.ascontiguousarray(seats.members, np.int32)

    def choose(number: int, positions: Positions, games: NDArray[np.int64]) -> NDArray[np.int32]:
        side = sides[number]
        if isinstance(side, Player):
            return side.choose(positions, keys[games])
        colour = (positions.to_move() < 0).astype(np.int64)
        return side.choose(members[games, colour], positions, keys[games])

    return lockstep(seats.sides, game.start(len(seats)) if starts is None else starts, choose)


def game_keys(key: int, members: ArrayLike, games: int) -> NDArray[np.uint64]:
    """[members * games]: keys of the games of each member, the same however the members are grouped."""
    rows = chance.keys(key, np.asarray(members, np.uint64))
    return chance.keys(rows[:, None], np.arange(games)[None, :]).reshape(-1)
