"""Another program as a player: several copies of it run, each plays one game from the first move to the last.

A program that crashes, hangs, floods its output or sends an invalid answer forfeits that game; it is killed, and a new
copy is started for the next game. A program that fails to start three times in a row ends the match with an error,
because there is nothing to measure.
"""

from __future__ import annotations

import hashlib
import shlex
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
from zeroply.foreign.forfeits import ProgramGame
from zeroply.foreign.process import Process, ProgramError, TimedOut
from zeroply.foreign.program_pool import ProgramPool
from zeroply.games import Game, Positions
from zeroply.players.contract import Choice, Follower, FollowingPlayer, Forfeit, GameSoFar

START_ATTEMPTS = 3
"""How many times in a row a program may fail to start."""

Command = Annotated[str, "the program and its arguments, as typed in a terminal"]

EngineFactory = Callable[[Process, Game, Limits], Engine]


class ForeignPlayer(FollowingPlayer):
    """A player whose moves come from a program."""

    def __init__(self, game: Game, words: Sequence[str], make: EngineFactory, limits: Limits) -> None:
        super().__init__(game)
        self.words = list(words)
        self.limits = limits
        self.concurrent = limits.processes
        self._make = make
        self._pool = ProgramPool()
        self._choice = Choice()
        weakref.finalize(self, ProgramPool.close, self._pool)
        first = self._started(self._new_game())
        self.identity = first.identity
        self._pool.release(first)
        self._pool.ready_once = True

    @property
    def choice(self) -> Choice:
        """Always the best move: the program itself chooses."""
        return self._choice

    @choice.setter
    def choice(self, choice: Choice) -> None:
        if choice.temperature:
            self.close()
            raise ZeroplyError("a program chooses its moves itself: it has no temperature")
        self._choice = choice

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """0 for the move it would make and -1 for all others, since programs report no more."""
        preferences = np.where(positions.legal(), np.float32(-1), np.float32(-np.inf))
        rows = np.flatnonzero(~positions.over()).tolist()
        usual = self.game.start().text()[0]
        texts = positions.text()
        games = {row: self._new_game() for row in rows}

        def ask(row: int) -> None:
            cell = games[row].reply(GameSoFar(positions[row], setup=None if texts[row] == usual else texts[row]))
            games[row].finish()
            if isinstance(cell, Forfeit):
                raise ZeroplyError(f"{self} {cell.reason}")
            if cell == PASS or np.isneginf(preferences[row, cell]):
                raise ZeroplyError(f"{self} made an illegal move in {texts[row]}")
            preferences[row, cell] = 0

        with ThreadPoolExecutor(self.concurrent) as threads:
            try:
                list(threads.map(ask, rows))
            except BaseException:
                for one in games.values():
                    one.abandon()
                raise
            finally:
                threads.shutdown()
                for one in games.values():
                    one.finish()
        return preferences

    def follow(self) -> Follower:
        """A new game; its program is started, or taken from the pool, at the first move."""
        return self._new_game()

    def _new_game(self) -> ProgramGame:
        return ProgramGame(self.limits, self._pool, self._started)

    def fingerprint(self) -> str:
        """The spec, the name the program reports, and digests of it and of the first file among its arguments.

        That file is the script of an interpreter or the weights of a program; later ones may be files that it writes.
        """
        folder = Path(self.limits.cwd or "").expanduser()
        files = [self.words[0], *[str(folder / word) for word in self.words[1:] if (folder / word).is_file()][:1]]
        return " ".join((str(self.spec), self.identity, *map(_digest, files)))

    def close(self) -> None:
        """End all copies of the program."""
        self._pool.close()

    def _started(self, game: ProgramGame) -> Engine:
        """A program that is ready, after a few attempts; `game` gets it before it is ready, so that it can stop it."""
        attempt = 0
        while True:
            attempt += 1
            engine = game.engine = self._pool.start(self._engine)
            try:
                game.check()
                engine.start(time.monotonic() + self.limits.startup)
                return engine
            except ProgramError as fault:
                reason = self._silence(engine) if isinstance(fault, TimedOut) else str(fault)
                self._pool.kill(engine)
                game.check()
                if isinstance(fault, TimedOut) or attempt == START_ATTEMPTS or not self._pool.ready_once:
                    again = "cannot be started again" if self._pool.ready_once else f"does not speak {engine.protocol}"
                    raise ZeroplyError(f"'{shlex.join(self.words)}' {again}: it {reason}") from None
            except BaseException:
                self._pool.kill(engine)
                raise

    def _engine(self) -> Engine:
        return self._make(Process(self.words, self.limits.cwd, self.limits.log), self.game, self.limits)

    def _silence(self, engine: Engine) -> str:
        error = engine.process.telling_error()
        return f"gave no answer within {self.limits.startup:g} s" + (f": {error}" if error else "")


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
    except OSError:  # a program that may be run but not read
        return ""
