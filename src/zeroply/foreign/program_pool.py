"""The running copies of a program: idle ones are reused for the next game, and all end with their player."""

from __future__ import annotations

import threading
from collections.abc import Callable

from zeroply.errors import ZeroplyError
from zeroply.foreign.engine import Engine
from zeroply.foreign.process import end


class ProgramPool:
    """The running programs of a player; it holds no reference to the player, so that it can clean up after it."""

    def __init__(self) -> None:
        self.idle: list[Engine] = []
        self.ready_once = False
        self._all: set[Engine] = set()
        self._lock = threading.Lock()
        self._closed = False

    def start(self, make: Callable[[], Engine]) -> Engine:
        """Start a program."""
        with self._lock:
            if self._closed:
                raise ZeroplyError("this player was closed: make a new one")
            engine = make()
            self._all.add(engine)
            return engine

    def take(self) -> Engine | None:
        """An idle program, if there is one that is still running."""
        while True:
            with self._lock:
                if not self.idle:
                    return None
                engine = self.idle.pop()
            if not engine.process.exited():
                engine.new_game()
                return engine
            self.kill(engine)

    def release(self, engine: Engine) -> None:
        """Return a program whose game is over."""
        with self._lock:
            if engine in self._all:
                self.idle.append(engine)

    def kill(self, engine: Engine) -> None:
        """Kill a program."""
        with self._lock:
            self._all.discard(engine)
        engine.process.reap()

    def close(self) -> None:
        """End all programs: idle ones by their quit command, thinking ones at once."""
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
