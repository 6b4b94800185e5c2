"""Whole games between members of one population: in the core if the architecture can, else in lockstep from Python.

Both ways play the same games, bit for bit: the same preferences, and the same chance keyed by game and ply.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply.arena.populations import Population, Seats, play_members
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.nets.population import Finished, MemberGames, PopulationNet
from zeroply.players import Choice


def play_games(
    net: PopulationNet,
    weights: NDArray[np.float32],
    sides: ArrayLike,
    starts: Positions,
    keys: NDArray[np.uint64],
    choice: Choice | None = None,
) -> Finished:
    """Play all games to their end; `sides` [n, 2] are the members that have Black and White, `keys` [n] name the games.

    `starts` [n] are not changed.
    """
    choice, members = choice or Choice(), np.ascontiguousarray(sides, np.int32).reshape(-1, 2)
    if not len(members) == len(starts) == len(keys):
        raise ZeroplyError(f"{len(members)} games need as many start positions and keys")
    vectors = net.checked(weights)
    black, white = (np.ascontiguousarray(members[:, side]) for side in (0, 1))
    names = np.ascontiguousarray(keys, np.uint64)
    games = MemberGames(black, white, starts, names, choice.temperature, choice.ties == "lowest")
    try:
        played = net.play_games(vectors, games)
    except ValueError as error:
        raise ZeroplyError(f"net {net.spec} cannot play: {error}") from None
    if played is not None:
        return played
    seats = Seats(np.zeros(members.shape, np.int64), members)
    slow = play_members([Population(net, vectors, choice)], seats, keys, starts)
    return Finished(slow.final.score().astype(np.int32), slow.lengths.astype(np.int32))
