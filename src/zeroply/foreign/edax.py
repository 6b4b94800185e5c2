"""The console of Edax (Delorme), as the experiments of Liskowski et al. (2018) drove it.

Edax prompts with `>` and takes one command per prompt. Each move is requested from the position alone, by `setboard`
and `go`; the answer is `Edax plays G4`. A fresh start may print two prompts, the first after `New book ...done`, so
prompts are not counted: what comes before the answer to `go` is skipped.
"""

from __future__ import annotations

import re
from typing import Annotated

from zeroply.errors import ZeroplyError
from zeroply.foreign.command import words_of
from zeroply.foreign.engine import PASS, Engine, Limits, not_a_move
from zeroply.foreign.player import Command, ForeignPlayer
from zeroply.foreign.process import ProgramError, shown
from zeroply.games import Game
from zeroply.players.contract import GameSoFar, Player

OPTIONS = {"-q": (), "-n": ("1",), "-book-usage": ("off",), "-ponder": ("off",)}
"""Options that are added unless the command sets them: quiet, one thread, no book, no pondering."""

_PROMPT = re.compile(rb">\s*\Z")
_PLAYS = re.compile(r"\bplays\s+(\S+)")


class EdaxEngine(Engine):
    """Edax, driven over its console."""

    protocol = "Edax's console protocol"

    def start(self, deadline: float) -> None:
        """Wait for its prompt, then set a board."""
        self.process.until(_PROMPT, deadline)
        self._do(f"setboard {self.game.start().text()[0]}", deadline)

    def reply(self, game: GameSoFar, deadline: float, left: float | None) -> int:
        """Set the position, then `go`."""
        self._do(f"setboard {game.position.text()[0]}", deadline)
        output = self._do("go", deadline)
        while (plays := _PLAYS.search(output)) is None:
            if output.strip("> \r\n"):
                raise ProgramError(f"answered go with '{shown(output.strip('> '))}'")
            output = self.process.until(_PROMPT, deadline)
        if plays[1].upper() in ("PS", "PA", "PASS"):
            return PASS
        try:
            return self.game.notation.cell(plays[1])
        except ZeroplyError:
            raise not_a_move(plays[1]) from None

    def _do(self, command: str, deadline: float) -> str:
        """Its output up to the next prompt."""
        self.process.send(command + "\n")
        return self.process.until(_PROMPT, deadline)


def edax(
    command: Command,
    game: Game,
    *,
    level: Annotated[int, "Edax's level, 0 to 60"] = 5,
    limits: Limits,
) -> Player:
    """Othello: Edax, or a program with the same console commands."""
    game.require("othello", "player edax", size=8)
    if not 0 <= level <= 60:
        raise ZeroplyError(f"level of player edax must be from 0 to 60, not {level}")
    words = words_of(command, limits.cwd)
    options = {**OPTIONS, "-l": (str(level),)}
    extra = [word for option, values in options.items() if option not in words for word in (option, *values)]
    return ForeignPlayer(game, [*words, *extra], EdaxEngine, limits)
