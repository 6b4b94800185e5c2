"""One game of a program and how it can forfeit it: by hanging, crashing, resigning, or an answer that is no move.

Every reply has a deadline: the seconds per move or the time left on the clock, plus a margin that is granted once per
game. A program that misses it, or does anything else wrong, loses the game and is killed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from zeroply.foreign.engine import Engine, Limits
from zeroply.foreign.process import ProgramError, Resigned, TimedOut, shown
from zeroply.foreign.program_pool import ProgramPool
from zeroply.players.contract import Follower, Forfeit, GameSoFar


class ProgramGame(Follower):
    """One game of a program, with its clock."""

    def __init__(self, limits: Limits, pool: ProgramPool, start: Callable[[ProgramGame], Engine]) -> None:
        """`start` starts a program for this game if the pool has none that is idle."""
        self.engine: Engine | None = None
        self._limits, self._pool, self._start = limits, pool, start
        self._left, self._margin = limits.time, limits.margin
        self._abandoned = False

    def reply(self, game: GameSoFar) -> int | Forfeit:
        """Its move; an error costs it the game, and its process is killed."""
        limits = self._limits
        allowed = min(seconds for seconds in (limits.timeout, self._left) if seconds is not None)
        try:
            self.check()
            if self.engine is None:
                self.engine = self._pool.take() or self._start(self)
                self.check()
            begun = time.monotonic()
            self.engine.process.new_request()
            cell = self.engine.reply(game, begun + allowed + self._margin, self._left)
        except Resigned as fault:
            return Forfeit(str(fault), fault.fault)
        except ProgramError as fault:
            self._kill()
            return Forfeit(self._too_late(str(fault)) if isinstance(fault, TimedOut) else str(fault), fault.fault)
        taken = time.monotonic() - begun
        self.seconds, self.score = taken, self.engine.score
        self._margin -= max(0.0, taken - allowed)
        if self._margin < 0:
            return Forfeit(self._too_late(), "time")
        if self._left is not None:
            self._left = max(self._left - taken, 0.0) + limits.increment
        return cell

    def finish(self) -> None:
        """Return the program to the pool."""
        if self._abandoned:
            self._kill()
        elif self.engine is not None:
            self._pool.release(self.engine)
            self.engine = None

    def abandon(self) -> None:
        """Kill the program."""
        self._abandoned = True
        if self.engine is not None:
            self.engine.process.stop()

    def check(self) -> None:
        """A ProgramError if the game was abandoned."""
        if self._abandoned:
            raise ProgramError("was stopped")

    def _kill(self) -> None:
        if self.engine is not None:
            self._pool.kill(self.engine)
            self.engine = None

    def _too_late(self, last_line: str = "") -> str:
        limits = self._limits
        wrote = f"; its last line was '{shown(last_line)}'" if last_line else ""
        if limits.timeout is not None and (self._left is None or limits.timeout < self._left):
            return f"gave no move within {limits.timeout:g} s{wrote}"
        more = f" and {limits.increment:g} s more per move" if limits.increment else ""
        return f"lost on time: it had {limits.time:g} s{more}{wrote}"
