"""A foreign program as a player: several copies of it run, each follows one game from its first move to its last.

A program that crashes, hangs, floods its output or answers nonsense forfeits that game; it is killed, and a new one is
started for the next game. One that does not even start three times in a row ends everything with an error, since then
there is nothing to measure.
"""

from __future__ import annotations

import hashlib
import shlex
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.foreign.engine import PASS, Engine, Limits
from zeroply.foreign.process import Fault, Process, Resigned, TimedOut, end, shown
from zeroply.games import Game, Positions
from zeroply.players.contract import Choice, Follower, FollowingPlayer, Forfeit, GameSoFar

START_ATTEMPTS = 3
"""Start-ups that may fail in a row."""
MARGIN = 0.2
"""Seconds an answer may be late, since pipes and a busy machine take some."""

Command = Annotated[str, "the program and its arguments, as typed in a terminal"]
Timeout = Annotated[float | None, "seconds a move may take; by default 10, or with a clock what it has left"]
MainTime = Annotated[float | None, "seconds each side has for a whole game; by default there is no clock"]
Increment = Annotated[float, "seconds added to the clock after each move"]
Startup = Annotated[float, "seconds the program may take to start"]
Processes = Annotated[int, "how many copies run, each with a game of its own"]

EngineFactory = Callable[[Process, Game, Limits], Engine]


class ForeignPlayer(FollowingPlayer):
    """Leaves its moves to a program."""

    def __init__(self, game: Game, words: Sequence[str], make: EngineFactory, limits: Limits) -> None:
        super().__init__(game)
        self.words = list(words)
        self.limits = limits
        self.concurrent = limits.processes
        self._make = make
        self._crew = _Crew()
        self._choice = Choice()
        weakref.finalize(self, _Crew.close, self._crew)
        first = self._started(_Part(self))
        self.identity = first.identity
        self._crew.release(first)
        self._crew.proven = True

    @property
    def choice(self) -> Choice:
        """Always the best move: the program itself chooses."""
        return self._choice

    @choice.setter
    def choice(self, choice: Choice) -> None:
        if choice.temperature:
            self.close()
            raise ZeroplyError("a foreign program chooses its moves itself: it has no temperature")
        self._choice = choice

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """0 for the move it would make and -1 for all others, since programs tell no more than that."""
        preferences = np.where(positions.legal(), np.float32(-1), np.float32(-np.inf))
        rows = np.flatnonzero(~positions.over()).tolist()
        usual = self.game.start().text()[0]
        texts = positions.text()
        parts = {row: _Part(self) for row in rows}

        def ask(row: int) -> None:
            cell = parts[row].reply(GameSoFar(positions[row], setup=None if texts[row] == usual else texts[row]))
            parts[row].finish()
            if isinstance(cell, Forfeit):
                raise ZeroplyError(f"{self} {cell.reason}")
            if cell == PASS or np.isneginf(preferences[row, cell]):
                raise ZeroplyError(f"{self} made an illegal move in {texts[row]}")
            preferences[row, cell] = 0

        with ThreadPoolExecutor(self.concurrent) as threads:
            try:
                list(threads.map(ask, rows))
            except BaseException:
                for part in parts.values():
                    part.abandon()
                raise
            finally:
                threads.shutdown()
                for part in parts.values():
                    part.finish()
        return preferences

    def follow(self) -> Follower:
        """Take part in a new game, with a program of its own once the first move is wanted."""
        return _Part(self)

    def fingerprint(self) -> str:
        """The spec, what the program says of itself, and digests of it and of the first file among its arguments.

        That is the script of an interpreter, or the weights of a program; further files may be what it writes.
        """
        files = [self.words[0], *[word for word in self.words[1:] if Path(word).is_file()][:1]]
        return " ".join((str(self.spec), self.identity, *map(_digest, files)))

    def close(self) -> None:
        """End all its programs."""
        self._crew.close()

    def _started(self, part: _Part) -> Engine:
        """A program that is ready, tried a few times; `part` is told of it before it is, so that it can stop it."""
        for attempt in range(START_ATTEMPTS):
            engine = part.engine = self._crew.hire(lambda: self._make(Process(self.words), self.game, self.limits))
            try:
                part.check()
                engine.start(time.monotonic() + self.limits.startup)
                return engine
            except Fault as fault:
                reason = self._silence(engine) if isinstance(fault, TimedOut) else str(fault)
                self._crew.dismiss(engine)
                part.check()
                if isinstance(fault, TimedOut) or attempt == START_ATTEMPTS - 1 or not self._crew.proven:
                    again = "cannot be started again" if self._crew.proven else f"does not speak {engine.protocol}"
                    raise ZeroplyError(f"'{shlex.join(self.words)}' {again}: it {reason}") from None
            except BaseException:
                self._crew.dismiss(engine)
                raise
        raise AssertionError("the last attempt returns or raises")

    def _silence(self, engine: Engine) -> str:
        error = engine.process.last_error()
        return f"gave no answer within {self.limits.startup:g} s" + (f": {error}" if error else "")


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
    except OSError:  # a program that may be run but not read
        return ""


class _Crew:
    """The running programs of a player; it does not refer to the player, so that it can clean up after it."""

    def __init__(self) -> None:
        self.idle: list[Engine] = []
        self.proven = False
        self._all: set[Engine] = set()
        self._lock = threading.Lock()
        self._closed = False

    def hire(self, start: Callable[[], Engine]) -> Engine:
        """A new program."""
        with self._lock:
            if self._closed:
                raise ZeroplyError("this player was closed: make it again to go on")
            engine = start()
            self._all.add(engine)
            return engine

    def take(self) -> Engine | None:
        """A program that waits for a game, if there is one that is still well."""
        while True:
            with self._lock:
                if not self.idle:
                    return None
                engine = self.idle.pop()
            if not engine.process.exited():
                engine.new_game()
                return engine
            self.dismiss(engine)

    def release(self, engine: Engine) -> None:
        """A program has finished its game."""
        with self._lock:
            if engine in self._all:
                self.idle.append(engine)

    def dismiss(self, engine: Engine) -> None:
        """Kill a program."""
        with self._lock:
            self._all.discard(engine)
        engine.process.reap()

    def close(self) -> None:
        """End all programs, politely where they wait and at once where they think."""
        with self._lock:
            self._closed = True
            engines, idle = self._all, self.idle
            self._all, self.idle = set(), []
        for engine in engines.difference(idle):
            engine.process.stop()
        if idle:
            end([engine.process for engine in idle], idle[0].farewell)
        for engine in engines.difference(idle):
            engine.process.reap()


class _Part(Follower):
    """One game of a foreign player: a program and a clock."""

    def __init__(self, player: ForeignPlayer) -> None:
        self.engine: Engine | None = None
        self._player = player
        self._left = player.limits.time
        self._abandoned = False

    def reply(self, game: GameSoFar) -> int | Forfeit:
        """Its move; what it does wrong costs it the game, and its life."""
        limits = self._player.limits
        allowed = min(seconds for seconds in (limits.timeout, self._left) if seconds is not None)
        try:
            self.check()
            if self.engine is None:
                self.engine = self._player._crew.take() or self._player._started(self)
                self.check()
            begun = time.monotonic()
            self.engine.process.new_request()
            cell = self.engine.reply(game, begun + allowed + MARGIN, self._left)
        except Resigned as fault:
            return Forfeit(str(fault))
        except Fault as fault:
            self._dismiss()
            return Forfeit(self._too_late(str(fault)) if isinstance(fault, TimedOut) else str(fault))
        if self._left is not None:
            self._left -= time.monotonic() - begun
            if self._left < -MARGIN:
                return Forfeit(self._too_late())
            self._left = max(self._left, 0.0) + limits.increment
        return cell

    def finish(self) -> None:
        """The program is free for another game."""
        if self._abandoned:
            self._dismiss()
        elif self.engine is not None:
            self._player._crew.release(self.engine)
            self.engine = None

    def abandon(self) -> None:
        """Kill the program."""
        self._abandoned = True
        if self.engine is not None:
            self.engine.process.stop()

    def check(self) -> None:
        """A Fault if the game was abandoned."""
        if self._abandoned:
            raise Fault("was stopped")

    def _dismiss(self) -> None:
        if self.engine is not None:
            self._player._crew.dismiss(self.engine)
            self.engine = None

    def _too_late(self, last_line: str = "") -> str:
        limits = self._player.limits
        if limits.timeout is not None and (self._left is None or limits.timeout < self._left):
            wrote = f"; its last line was '{shown(last_line)}'" if last_line else ""
            return f"gave no move within {limits.timeout:g} s{wrote}"
        return f"lost on time: it had {limits.time:g} s and {limits.increment:g} s more for each move"
