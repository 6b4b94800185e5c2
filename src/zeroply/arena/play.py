"""Playing many games at once, in lockstep: at every ply each player gets all positions in which it is to move.

A game's chance is keyed by the game, not by its place in a batch, so any batching gives the same games. Players that
follow whole games are not played in lockstep, see `zeroply.arena.async_games`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.adjudication import Adjudged, Adjudication
from zeroply.arena.async_games import NO_ADJUDICATION, AsyncGames, Forfeited
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
    """The forfeited games, by number; their final positions are the last ones reached."""
    adjudged: Mapping[int, Adjudged] = field(default_factory=dict)
    """The adjudicated games, by number; their final positions are the last ones reached."""
    seconds: Mapping[int, tuple[float | None, ...]] = field(default_factory=dict)
    """By game with a program in it, the seconds of each move; None for moves of other players."""

    @property
    def winner(self) -> NDArray[np.int8]:
        """[n]: 1 if Black won, -1 if White won, 0 if drawn; a player that forfeits loses."""
        winner = self.final.winner()
        for game, forfeited in self.forfeits.items():
            winner[game] = -forfeited.colour
        for game, adjudged in self.adjudged.items():
            winner[game] = (adjudged.score > 0) - (adjudged.score < 0)
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
    adjudication: Adjudication = NO_ADJUDICATION,
) -> Played:
    """Play every game to its end, or until it is adjudicated.

    `seats` [n, 2] are the numbers of the players with Black and White in each game, `keys` [n] the chance keys of the
    games. `starts` is not changed; `openings` [n] holds the moves that led there, for players that follow whole games.
    """
    if adjudication or any(isinstance(player, FollowingPlayer) for player in players):
        games = AsyncGames(players, seats, starts, keys, openings, adjudication)
        games.play()
        timed = enumerate(games.seconds)
        seconds = {row: tuple(one) for row, one in timed if any(each is not None for each in one)}
        return Played(games.now, _padded(games.moves), games.forfeits, games.adjudged, seconds)
    return lockstep(seats, starts, lambda number, positions, games: players[number].choose(positions, keys[games]))


def lockstep(
    seats: NDArray[np.int64],
    starts: Positions,
    choose: Callable[[int, Positions, NDArray[np.int64]], NDArray[np.int32]],
) -> Played:
    """Play every game to its end, ply by ply; `seats` [n, 2] are the numbers of Black and White.

    `choose` is called with the number of a player, the positions in which it is to move, and the numbers of their
    games.
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
