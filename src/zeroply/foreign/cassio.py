"""The Othello Engine Protocol of Cassio (Nicolet, Causse and Delorme 2009), which Edax (`-cassio`) and Roxane speak.

A request is a position with a search window, a depth and a precision; the program answers lines such as
`<board>, move F4, depth 12, @73%, W+2.00 <= v <= W+2.00, F4e3..., node 81920, time 0.105`, the last of which counts,
and then `ready.`. Positions are complete, so nothing is sent between two requests, and there is no clock: the depth
decides how long a program thinks.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

from zeroply.errors import ZeroplyError
from zeroply.foreign.command import words_of
from zeroply.foreign.engine import PASS, Engine, Limits, not_a_move
from zeroply.foreign.player import Command, ForeignPlayer
from zeroply.foreign.process import Process, ProgramError, shown
from zeroply.games import Game
from zeroply.players.contract import GameSoFar, Player

PREFIX = "ENGINE-PROTOCOL"
READY = "ready."

_MOVE = re.compile(r",\s*move\s+([A-Za-z0-9-]+)")
_VALUE = re.compile(r"([BW])\s*([+-]?\d+(?:\.\d+)?)\s*<=\s*v\s*<=\s*([BW])\s*([+-]?\d+(?:\.\d+)?)")


class CassioEngine(Engine):
    """A program that speaks Cassio's protocol."""

    protocol = "Cassio's protocol"
    farewell = f"{PREFIX} quit\n"

    def __init__(self, process: Process, game: Game, limits: Limits, depth: int, exact: int) -> None:
        super().__init__(process, game, limits)
        self._depth, self._exact = depth, exact

    def start(self, deadline: float) -> None:
        """Initialise it and ask for its version."""
        self._ask("init", deadline)
        for line in self._ask("get-version", deadline):
            if line.lower().startswith("version:"):
                self.identity = line.partition(":")[2].strip()

    def new_game(self) -> None:
        """Positions of another game follow."""
        super().new_game()
        self._fresh = True

    _fresh = True

    def reply(self, game: GameSoFar, deadline: float, left: float | None) -> int:
        """Ask for a search of the position, to the end if few squares are empty."""
        if self._fresh:
            self._ask("new-position", deadline)
            self._fresh = False
        board = game.position.text()[0].replace(" ", "")
        empty = int((game.position.stones() == 0).sum())
        if empty <= self._exact:
            search = f"endgame-search {board} -64 64 100"
        else:
            search = f"midgame-search {board} -64 64 {self._depth} 100"
        results = [line for line in self._ask(search, deadline) if _MOVE.search(line)]
        if not results:
            raise ProgramError("answered a search with no move")
        self.score = _value(results[-1], game.colour)
        return self._cell(results[-1])

    def _ask(self, command: str, deadline: float) -> list[str]:
        """What it answers to a command, up to `ready.`; an error costs the game."""
        self.process.send(f"{PREFIX} {command}\n")
        lines = []
        while (line := self.process.line(deadline)).lower() != READY:
            if line.upper().startswith("ERROR"):
                raise ProgramError(f"answered {command.split()[0]} with '{shown(line)}'")
            lines.append(line)
        return lines

    def _cell(self, line: str) -> int:
        match = _MOVE.search(line)
        word = match[1] if match else ""
        if word.lower() in ("--", "ps", "pa", "pass"):
            return PASS
        try:
            return self.game.notation.cell(word)
        except ZeroplyError:
            raise not_a_move(word) from None


def _value(line: str, colour: int) -> float | None:
    """What a result says the position is worth to a colour, in discs; None if its bounds differ or are missing."""
    match = _VALUE.search(line)
    if match is None or (match[1], float(match[2])) != (match[3], float(match[4])):
        return None
    return float(match[2]) * (1 if match[1] == "B" else -1) * colour


def cassio(
    command: Command,
    game: Game,
    *,
    depth: Annotated[int, "search depth of the program"] = 8,
    exact: Annotated[int, "empty squares from which it is asked for the exact score"] = 12,
    limits: Limits,
) -> Player:
    """Othello: a program that speaks Cassio's protocol, such as Edax with -cassio."""
    game.require("othello", "player cassio", size=8)
    for name, value, least in (("depth", depth, 1), ("exact", exact, 0)):
        if not least <= value <= 60:
            raise ZeroplyError(f"{name} of player cassio must be from {least} to 60, not {value}")
    make = partial(CassioEngine, depth=depth, exact=exact)
    return ForeignPlayer(game, words_of(command, limits.cwd), make, limits)
