"""Playing many games at once, in lockstep: at every ply each player is asked once, about all positions on its turn.

A game's chance is keyed by the game, not by its place in a batch, so any batching gives the same games. With players
that are told whole games there is no lockstep, see `zeroply.arena.following`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.following import Forfeited, Hall
from zeroply.arena.openings import Opening
from zeroply.games import Positions
from zeroply.players import FollowingPlayer, Player


@dataclass(frozen=True)
class Played:
    """Finished games."""

    final: Positions
    """The positions at the end."""
    moves: NDArray[np.int16]
    """[n, longest]: the cells played after the start position, -1 where a game was over."""
    forfeits: Mapping[int, Forfeited] = field(default_factory=dict)
    """The games that were forfeited, by number; their final positions are those they were broken off in."""

    @property
    def winner(self) -> NDArray[np.int8]:
        """[n]: 1 if Black has won, -1 if White has, 0 if drawn; whoever forfeits has lost."""
        winner = self.final.winner()
        for game, forfeited in self.forfeits.items():
            winner[game] = -forfeited.colour
        return winner

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[n]: number of moves played after the start position, passes not counted."""
        return np.asarray((self.moves >= 0).sum(axis=1), np.int64)


def play(
    players: Sequence[Player],
    seats: NDArray[np.int64],
    starts: Positions,
    keys: NDArray[np.uint64],
    openings: Sequence[Opening] | None = None,
) -> Played:
    """Play every game to its end.

    `seats` [n, 2] says which of `players` has Black and which has White in each game; `keys` [n] name the games
    for chance. The start positions are left as they are; `openings` [n] tell how they came about, for players that
    want to know.
    """
    if any(isinstance(player, FollowingPlayer) for player in players):
        hall = Hall(players, seats, starts, keys, openings)
        hall.play()
        return Played(hall.now, _padded(hall.moves), hall.forfeits)
    return lockstep(seats, starts, lambda number, positions, games: players[number].choose(positions, keys[games]))


def lockstep(
    seats: NDArray[np.int64],
    starts: Positions,
    choose: Callable[[int, Positions, NDArray[np.int64]], NDArray[np.int32]],
) -> Played:
    """Play every game to its end, ply by ply; `seats` [n, 2] says who has Black and who has White.

    `choose` is called with a seat's number, the positions on its turn and the numbers of their games.
    """
    final = starts.copy()
    live = np.flatnonzero(~final.over())
    positions = final[live]
    numbers = np.unique(seats).tolist()
    history: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
    while len(live):
        side = (positions.to_move() < 0).astype(np.int64)
        turn = seats[live, side]
        moves = np.empty(len(live), np.int32)
        for number in numbers:
            rows = np.flatnonzero(turn == number)
            if len(rows) == len(live):
                moves = choose(number, positions, live)
            elif len(rows):
                moves[rows] = choose(number, positions[rows], live[rows])
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


def _padded(games: Sequence[Sequence[int]]) -> NDArray[np.int16]:
    table = np.full((len(games), max(map(len, games), default=0)), -1, np.int16)
    for row, moves in zip(table, games, strict=True):
        row[: len(moves)] = moves
    return table
