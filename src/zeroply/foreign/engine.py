"""What a protocol has to offer: an `Engine` tells one running program the game so far and reads its move.

Everything a program does wrong is raised as a `Fault`; whoever runs the game makes a forfeit of it. An engine judges
no moves: a legal and an illegal cell are returned alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from zeroply.errors import ZeroplyError
from zeroply.foreign.process import Fault, Process, shown
from zeroply.games import Game
from zeroply.players.contract import GameSoFar

PASS = -1
"""The cell of a pass."""
COLOURS = {1: "black", -1: "white"}

Turn = tuple[int, int]
"""Who moved (1 Black, -1 White) and where."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long a program may think, and how many of it run."""

    timeout: float | None = None
    """Seconds a move may take; None for 10, or with a clock for what it has left."""
    time: float | None = None
    """Seconds a side has for a whole game; None for no clock."""
    increment: float = 0.0
    """Seconds added to the clock after each move."""
    startup: float = 30.0
    """Seconds the program may take until it first answers."""
    processes: int = 2
    """How many run at a time, one for each game that is being played."""

    def __post_init__(self) -> None:
        for name in ("timeout", "time", "startup"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1e6:
                raise ZeroplyError(f"{name} must be a number of seconds above 0, not {value:g}")
        if not 0 <= self.increment < 1e6:
            raise ZeroplyError(f"increment must be a number of seconds, not {self.increment:g}")
        if self.increment and self.time is None:
            raise ZeroplyError("increment belongs to a clock: give time as well")
        if not 1 <= self.processes <= 256:
            raise ZeroplyError(f"processes must be from 1 to 256, not {self.processes}")
        if self.timeout is None and self.time is None:
            object.__setattr__(self, "timeout", 10.0)


class Engine(ABC):
    """A program that runs, and what it knows of the game it is in."""

    protocol: ClassVar[str]
    """What people call the protocol."""
    farewell: ClassVar[str] = "quit\n"
    """What asks the program to end."""

    def __init__(self, process: Process, game: Game, limits: Limits) -> None:
        self.process = process
        self.game = game
        self.limits = limits
        self.identity = ""
        self._told: tuple[str | None, tuple[Turn, ...]] | None = None

    @abstractmethod
    def start(self, deadline: float) -> None:
        """Find out that it speaks the protocol and plays this game: a Fault if not, a ZeroplyError if it refuses."""

    @abstractmethod
    def reply(self, game: GameSoFar, deadline: float, left: float | None) -> int:
        """Its move in a game, `PASS` for a pass; `left` are the seconds on its clock."""

    def new_game(self) -> None:
        """The next game has nothing to do with the last one."""
        self._told = None

    def _news(self, game: GameSoFar) -> tuple[Turn, ...] | None:
        """The turns that it has not been told yet; None if the game is not the one it knows."""
        if self._told is None or self._told[0] != game.setup:
            return None
        known = self._told[1]
        return game.turns[len(known) :] if game.turns[: len(known)] == known else None


def not_a_move(answer: str) -> Fault:
    """The fault of an answer that names no cell."""
    return Fault(f"answered '{shown(answer)}', which is not a move")


def only_othello_8(game: Game, protocol: str) -> None:
    """Refuse all games but Othello on the usual board."""
    if game.name != "othello" or game.size != 8:
        raise ZeroplyError(f"{protocol} programs play othello on 8x8 only, not {game}")
