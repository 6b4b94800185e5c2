"""One game of an engine: the moves so far, and the player that chooses the next ones.

Protocols differ in what a controller may do, for example let a colour move twice or set up stones. A session stores it
as a start position and the turns since, in a list of states, so that undo returns to an earlier state.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, games
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games.text import Board, write_board
from zeroply.players import Follower, FollowingPlayer, Forfeit, GameSoFar, Player, player
from zeroply.records.record import full_spec
from zeroply.specs import Spec

MARGIN = 0.02
"""Seconds of each move reserved for pipes and a busy machine, in addition to a tenth of the time."""
LEAST = 0.001
"""The shortest time limit of a search; it always finishes one ply."""


class GameSession:
    """A player and the game it is in."""

    def __init__(
        self, spec: str | Spec, game: str | Spec | Game, *, seconds: float | None = None, seed: int = 0
    ) -> None:
        """`seconds` limits each move, whatever the protocol allows."""
        if seconds is not None and not 0 < seconds < 1e6:
            raise ZeroplyError(f"seconds must be above 0, not {seconds:g}")
        self.spec = spec
        self.game = games.game(game)
        self.player = self._ready(player(spec, self.game))
        self.seconds = seconds
        self._seed = seed
        self._games = 0
        self._follower: Follower | None = None
        self._states: list[GameSoFar] = []
        self._playing = self.player
        self.new_game()

    # The board

    @property
    def so_far(self) -> GameSoFar:
        """The game as it stands."""
        return self._states[-1]

    @property
    def position(self) -> Positions:
        """The position (a batch of one)."""
        return self.so_far.position

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.position.over()[0])

    def new_game(self, start: Positions | None = None) -> None:
        """Start a new game, from the standard start or from a position."""
        if self._follower is not None:
            self._follower.finish()
            self._follower = None
        self._games += 1
        self._playing = self.player.in_one_game()
        usual = self.game.start()
        begun = usual if start is None else start
        setup = None if begun.text() == usual.text() else begun.text()[0]
        self._states = [GameSoFar(begun, (), setup, chance.key(self._seed, "engine", self._games))]

    def set_game(self, game: Game) -> None:
        """Switch to another game or board; changes nothing if the player does not support it."""
        if game != self.game:
            other = self._ready(player(self.spec, game))
            self.player.close()
            self.game, self.player = game, other
        self.new_game()

    def with_options(self, **options: int | bool) -> Game:
        """The game with other options, such as its size."""
        spec = full_spec(self.game)
        return games.game(Spec(spec.name, **{**spec.kwargs, **options}))

    def play(self, cell: int) -> None:
        """The side to move plays a cell; raises ZeroplyError if it may not."""
        now = self.so_far
        after = now.position.after([cell])
        self._states.append(replace(now, position=after, turns=(*now.turns, (now.colour, cell))))

    def repeat(self) -> None:
        """A turn that changes nothing, such as a forced pass that was sent."""
        self._states.append(self.so_far)

    def undo(self) -> bool:
        """Take back the last turn; whether there was one."""
        if len(self._states) == 1:
            return False
        self._states.pop()
        return True

    def merge(self) -> None:
        """Make the last two turns one, so that they are undone together."""
        del self._states[-2]

    def turn_to(self, colour: int) -> None:
        """Give the turn to a colour; the game then counts as one that began in this position."""
        if colour != self.so_far.colour:
            self.place(self.seen_by(colour))

    def place(self, position: Positions) -> None:
        """Set up a position, as a turn that can be undone."""
        setup = position.text()[0]
        self._states.append(replace(self.so_far, position=position, turns=(), setup=setup))

    def seen_by(self, colour: int) -> Positions:
        """The same stones with a colour to move, or the other one if it has no move."""
        board = self.position.boards()[0]
        return self.game.parse(write_board(Board(board.stones, colour, board.captured), self.game.notation))

    def can_move(self, colour: int) -> bool:
        """Whether a colour would have a move if it were its turn."""
        seen = self.position if colour == self.so_far.colour else self.seen_by(colour)
        return not seen.over()[0] and int(seen.to_move()[0]) == colour

    def moves_left(self) -> int:
        """An estimate of the moves a side still has to make, for dividing its time."""
        empty = int((self.position.stones() == 0).sum())
        return max(1, min((empty + 1) // 2, 30))

    # The player

    def choose(self, seconds: float | None = None, depth: int | None = None) -> int | Forfeit:
        """The player's move within the limits."""
        now = self.so_far
        if isinstance(self.player, FollowingPlayer):
            self._follower = self._follower or self.player.follow()
            cell = self._follower.reply(now)
            legal = isinstance(cell, Forfeit) or (0 <= cell < self.game.cells and now.position.legal()[0, cell])
            return cell if legal else Forfeit("made an illegal move")
        thinking = self._limited(seconds, depth)
        return int(thinking.choose(now.position, np.array([now.key], np.uint64))[0])

    def preferences(self, seconds: float | None = None, depth: int | None = None) -> NDArray[np.float32]:
        """[cells]: the player's own score of every move."""
        (row,) = self._limited(seconds, depth).prefer_all(self.position)
        return np.asarray(row, np.float32)

    @staticmethod
    def _ready(made: Player) -> Player:
        """The player after one evaluation, so that its first move does not wait for tables to be read."""
        if not isinstance(made, FollowingPlayer):
            made.within(seconds=LEAST, depth=1).prefer(made.game.start())
        return made

    def _limited(self, seconds: float | None, depth: int | None) -> Player:
        allowed = [time for time in (seconds, self.seconds) if time is not None]
        if not allowed and depth is None:
            return self._playing
        return self._playing.within(seconds=max(LEAST, 0.9 * min(allowed) - MARGIN) if allowed else None, depth=depth)

    def close(self) -> None:
        """Close the player."""
        if self._follower is not None:
            self._follower.finish()
        self.player.close()
