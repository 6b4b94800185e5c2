"""Games of players that follow whole games, such as foreign programs: no lockstep, each game at its own pace.

As many games are under way as these players can follow at once. Each of them thinks in a separate thread; other
players get all positions that wait for them in one batch. The order of answers affects only the time taken, since
chance is keyed by the game. An illegal move forfeits the game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.adjudication import Adjudged, Adjudication
from zeroply.arena.openings import Opening
from zeroply.games import Positions
from zeroply.players import Fault, Follower, FollowingPlayer, Forfeit, GameSoFar, Player

LOCKSTEP = 4096
"""Games under way if no player follows games: then they are here only to be adjudicated."""
NO_ADJUDICATION = Adjudication()


@dataclass(frozen=True)
class Forfeited:
    """A forfeited game."""

    player: int
    """Number of the player that lost it."""
    colour: int
    """The colour it had: 1 Black, -1 White."""
    reason: str
    """What it did, as text that follows its name."""
    fault: Fault = "protocol"
    """The kind of its fault."""


class AsyncGames:
    """Games under way at the same time, until all are over."""

    def __init__(
        self,
        players: Sequence[Player],
        seats: NDArray[np.int64],
        starts: Positions,
        keys: NDArray[np.uint64],
        openings: Sequence[Opening] | None = None,
        adjudication: Adjudication = NO_ADJUDICATION,
    ) -> None:
        """Takes the arguments of `zeroply.arena.play.play`."""
        self.players, self.seats, self.keys = players, seats, keys
        self.now = starts.copy()
        self.moves: list[list[int]] = [[] for _ in range(len(starts))]
        self.seconds: list[list[float | None]] = [[] for _ in range(len(starts))]
        """By game, the seconds of each move; None for moves of players that are no programs."""
        self.forfeits: dict[int, Forfeited] = {}
        self.adjudged: dict[int, Adjudged] = {}
        self._adjudication = adjudication
        self._spoken: dict[int, dict[int, list[float | None]]] = {}
        self._openings = openings
        self._games: dict[int, GameSoFar] = {}
        self._followers: dict[tuple[int, int], Follower] = {}
        self._thinking: dict[Future[int | Forfeit], int] = {}
        self._width = _width(players, seats)

    def play(self) -> None:
        """Play all games to their ends; an error stops all players."""
        rows = iter(np.flatnonzero(~self.now.over()).tolist())
        with ThreadPoolExecutor(min(self._width, 512)) as threads:
            try:
                ready = list(self._begin(rows))
                while ready or self._thinking:
                    moved = self._ask(ready, threads) or self._next_answers()
                    ready = [row for row in moved if not self._ended(row)]
                    ready += self._begin(rows)
            except BaseException:
                for follower in self._followers.values():
                    follower.abandon()
                raise
            finally:
                threads.shutdown()
                for follower in self._followers.values():
                    follower.finish()

    def _begin(self, rows: Iterator[int]) -> Iterator[int]:
        """Start games while there is room."""
        while len(self._games) < self._width and (row := next(rows, None)) is not None:
            key = int(self.keys[row])
            self._spoken[row] = {1: [], -1: []}
            if self._openings is None:
                self._games[row] = GameSoFar.replayed(self.now.game, setup=self.now[row].text()[0], key=key)
            else:
                opening = self._openings[row]
                self._games[row] = GameSoFar.replayed(self.now.game, opening.moves, opening.setup, key)
            yield row

    def _ask(self, rows: list[int], threads: ThreadPoolExecutor) -> list[int]:
        """Request the next moves of these games; returns the games whose move is already known."""
        waiting: dict[int, list[int]] = {}
        for row in rows:
            colour = self._games[row].colour
            number = int(self.seats[row, 0 if colour > 0 else 1])
            player = self.players[number]
            if isinstance(player, FollowingPlayer):
                follower = self._followers.get((row, colour))
                if follower is None:
                    follower = self._followers[row, colour] = player.follow()
                self._thinking[threads.submit(follower.reply, self._games[row])] = row
            else:
                waiting.setdefault(number, []).append(row)
        for number, theirs in waiting.items():
            for row, cell in zip(theirs, self.players[number].choose(self.now[theirs], self.keys[theirs]), strict=True):
                self._move(row, int(cell), None, None)
        return [row for theirs in waiting.values() for row in theirs]

    def _next_answers(self) -> list[int]:
        """Wait for a thinking player; returns the games with an answer."""
        rows = []
        for future in wait(self._thinking, return_when=FIRST_COMPLETED).done:
            row = self._thinking.pop(future)
            answer, colour = future.result(), self._games[row].colour
            forfeit = answer if isinstance(answer, Forfeit) else self._fault(row, answer)
            if forfeit is not None:
                number = int(self.seats[row, 0 if colour > 0 else 1])
                self.forfeits[row] = Forfeited(number, colour, forfeit.reason, forfeit.fault)
            elif not isinstance(answer, Forfeit):
                follower = self._followers[row, colour]
                self._move(row, answer, round(follower.seconds, 3), follower.score)
            rows.append(row)
        return rows

    def _fault(self, row: int, cell: int) -> Forfeit | None:
        """Why a move forfeits the game, if it does."""
        game = self.now.game
        if cell < 0:
            allowed = game.facts.passes
            passed = "passed although it could move" if allowed else f"passed, which {game.name} does not allow"
            return Forfeit(passed, "illegal")
        if self.now[row].legal()[0, cell]:
            return None
        return Forfeit(f"played {game.notation.name(cell)}, which is not legal", "illegal")

    def _move(self, row: int, cell: int, seconds: float | None, score: float | None) -> None:
        before = self._games[row]
        position = before.position.after([cell])
        self._games[row] = GameSoFar(position, (*before.turns, (before.colour, cell)), before.setup, before.key)
        self.now[row] = position
        self.moves[row].append(cell)
        self.seconds[row].append(seconds)
        self._spoken[row][before.colour].append(score)

    def _ended(self, row: int) -> bool:
        if row not in self.forfeits and not self.now[row].over()[0]:
            adjudged = self._adjudication.decide(self.now[row], self._spoken[row]) if self._adjudication else None
            if adjudged is None:
                return False
            self.adjudged[row] = adjudged
        del self._games[row], self._spoken[row]
        for colour in (1, -1):
            follower = self._followers.pop((row, colour), None)
            if follower is not None:
                follower.finish()
        return True


def _width(players: Sequence[Player], seats: NDArray[np.int64]) -> int:
    """The number of games that can be under way: a player with both colours follows each game twice."""
    twice = {int(number) for number in seats[seats[:, 0] == seats[:, 1], 0]}
    widths = [
        max(1, player.concurrent // (2 if number in twice else 1))
        for number, player in enumerate(players)
        if isinstance(player, FollowingPlayer)
    ]
    return min(widths, default=LOCKSTEP)
