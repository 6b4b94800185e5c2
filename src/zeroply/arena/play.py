"""Playing many games at once, in lockstep: at every ply each player is asked once, about all positions on its turn.

A game's chance is keyed by the game, not by its place in a batch, so any batching gives the same games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Positions
from zeroply.players import Player


@dataclass(frozen=True)
class Played:
    """Finished games."""

    final: Positions
    """The positions at the end."""
    moves: NDArray[np.int16]
    """[n, longest]: the cells played after the start position, -1 where a game was over."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[n]: number of moves played after the start position, passes not counted."""
        return np.asarray((self.moves >= 0).sum(axis=1), np.int64)


def play(
    players: Sequence[Player],
    seats: NDArray[np.int64],
    starts: Positions,
    keys: NDArray[np.uint64],
) -> Played:
    """Play every game to its end.

    `seats` [n, 2] says which of `players` has Black and which has White in each game; `keys` [n] name the games
    for chance. The start positions are left as they are.
    """
    final = starts.copy()
    live = np.flatnonzero(~final.over())
    positions = final[live]
    history: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
    while len(live):
        side = (positions.to_move() < 0).astype(np.int64)
        turn = seats[live, side]
        moves = np.empty(len(live), np.int32)
        for number, player in enumerate(players):
            rows = np.flatnonzero(turn == number)
            if len(rows) == len(live):
                moves = player.choose(positions, keys[live])
            elif len(rows):
                moves[rows] = player.choose(positions[rows], keys[live[rows]])
        positions.play(moves)
        history.append((live, moves))
        over = positions.over()
        if over.any():
            final[live[over]] = positions[over]
            positions, live = positions[~over], live[~over]
    table = np.full((len(final), len(history)), -1, np.int16)
    for ply, (rows, moves) in enumerate(history):
        table[rows, ply] = moves
    return Played(final, table)
