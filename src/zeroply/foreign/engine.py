"""The base class of protocols: an `Engine` sends the game so far to one running program and reads its move.

Whatever a program does wrong is raised as a `ProgramError`, which the game turns into a forfeit. An engine does not
check whether a move is legal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

from zeroply.errors import ZeroplyError
from zeroply.foreign.process import Process, ProgramError, shown
from zeroply.games import Game
from zeroply.players.contract import GameSoFar

PASS = -1
"""The cell of a pass."""
COLOURS = {1: "black", -1: "white"}

Turn = tuple[int, int]
"""Who moved (1 Black, -1 White) and where."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Time limits of a program, where it runs, and how many copies: options of every player that is a program."""

    timeout: Annotated[float | None, "seconds per move; by default 10, or with a clock the time left on it"] = None
    time: Annotated[float | None, "seconds per side and game; by default there is no clock"] = None
    increment: Annotated[float, "seconds added to the clock after each move"] = 0.0
    margin: Annotated[float, "seconds in total per game by which the program may exceed its limits"] = 0.2
    startup: Annotated[float, "seconds the program may take to start"] = 30.0
    processes: Annotated[int, "how many copies run at a time, each in its own game"] = 2
    cwd: Annotated[str | None, "working directory of the program; by default the current one"] = None
    log: Annotated[str | None, "file to which all that it is sent and writes is added, errors included"] = None

    def __post_init__(self) -> None:
        for name in ("timeout", "time", "startup"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1e6:
                raise ZeroplyError(f"{name} must be a number of seconds above 0, not {value:g}")
        for name in ("increment", "margin"):
            value = getattr(self, name)
            if not 0 <= value < 1e6:
                raise ZeroplyError(f"{name} must be a number of seconds, 0 or more, not {value:g}")
        if self.increment and self.time is None:
            raise ZeroplyError("increment needs a clock: give time as well")
        if not 1 <= self.processes <= 256:
            raise ZeroplyError(f"processes must be from 1 to 256, not {self.processes}")
        if self.timeout is None and self.time is None:
            object.__setattr__(self, "timeout", 10.0)


class Engine(ABC):
    """A running program and what it has been sent of its current game."""

    protocol: ClassVar[str]
    """The name of the protocol in messages."""
    farewell: ClassVar[str] = "quit\n"
    """The command that asks the program to exit."""

    def __init__(self, process: Process, game: Game, limits: Limits) -> None:
        self.process = process
        self.game = game
        self.limits = limits
        self.identity = ""
        self.score: float | None = None
        self._sent: tuple[str | None, tuple[Turn, ...]] | None = None

    @abstractmethod
    def start(self, deadline: float) -> None:
        """Check that it speaks the protocol (ProgramError if not) and plays this game (ZeroplyError if not)."""

    @abstractmethod
    def reply(self, game: GameSoFar, deadline: float, left: float | None) -> int:
        """Its move, `PASS` for a pass; `left` is the number of seconds on its clock.

        Sets `score` if the protocol carries one.
        """

    def new_game(self) -> None:
        """Forget the last game."""
        self._sent = None

    def _news(self, game: GameSoFar) -> tuple[Turn, ...] | None:
        """The turns that it has not been sent yet; None if this is another game than the one it was sent."""
        if self._sent is None or self._sent[0] != game.setup:
            return None
        known = self._sent[1]
        return game.turns[len(known) :] if game.turns[: len(known)] == known else None


def not_a_move(answer: str) -> ProgramError:
    """The fault of an answer that is not a cell."""
    return ProgramError(f"answered '{shown(answer)}', which is not a move")
