"""The protocol of the Gomocup tournaments (Piskvork's new protocol), which most Gomoku programs speak.

Cells are `column,row` from 0 at the top left. A game begins with START; a program opens on BEGIN, answers a move on
TURN, and receives a whole position by BOARD. INFO sends it its time limits, and most programs use all of their time.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

from zeroply.errors import ZeroplyError
from zeroply.foreign.command import words_of
from zeroply.foreign.engine import Engine, Limits, Turn, not_a_move
from zeroply.foreign.player import Command, ForeignPlayer
from zeroply.foreign.process import Process, ProgramError, TimedOut, shown
from zeroply.games import Game
from zeroply.games.text import read_board
from zeroply.players.contract import GameSoFar, Player

NO_LIMIT = 2147483647
"""The milliseconds that are sent as time left when there is no clock."""

_MOVE = re.compile(r"(\d{1,3})\s*,\s*(\d{1,3})")


class GomocupEngine(Engine):
    """A program that speaks the Gomocup protocol."""

    protocol = "the Gomocup protocol"
    farewell = "END\n"

    def __init__(self, process: Process, game: Game, limits: Limits, depth: int | None) -> None:
        super().__init__(process, game, limits)
        self._depth = depth
        self._rule = int(dict(game.options)["exact"])

    def start(self, deadline: float) -> None:
        """Ask for its name, start a game of this size, and see that it accepts the rule."""
        self.process.send("ABOUT\n")
        self._accepts(f"START {self.game.size}", deadline)
        if self._rule:  # INFO has no answer, but a program may object before it answers the next START
            self.process.send(f"INFO rule {self._rule}\n")
            self._accepts(f"START {self.game.size}", deadline, f"INFO rule {self._rule}")

    def _accepts(self, command: str, deadline: float, before: str = "") -> None:
        """Send a command and wait for OK; ZeroplyError if the program objects to it, or to what came before."""
        self.process.send(command + "\n")
        while (line := self.process.line(deadline)).upper() != "OK":
            if "name=" in line:
                self.identity = line
            elif line.upper().startswith("ERROR"):
                what = before or command.split()[0]
                raise ZeroplyError(f"the program does not play {self.game}: it answered {what} with '{shown(line)}'")

    def reply(self, game: GameSoFar, deadline: float, left: float | None) -> int:
        """Send TURN if only the opponent's last move is new to it, else the whole game."""
        news = self._news(game)
        if news is None:
            self._begin(deadline)
        self.process.send(f"INFO time_left {NO_LIMIT if left is None else int(1000 * left)}\n")
        if news is not None and len(news) == 1 and news[0][0] != game.colour:
            self.process.send(f"TURN {self._point(news[0][1])}\n")
        elif not game.turns and game.setup is None:
            self.process.send("BEGIN\n")
        else:
            self._show(game)
        cell = self._move(deadline)
        self._sent = (game.setup, (*game.turns, (game.colour, cell)))
        return cell

    def _begin(self, deadline: float) -> None:
        limits = self.limits
        turn, whole = (int(1000 * (seconds or 0)) for seconds in (limits.timeout, limits.time))
        self.process.send(f"START {self.game.size}\n")
        while (answer := self._answer(deadline)).upper().startswith("UNKNOWN"):
            pass  # it is about an INFO line
        if answer.upper() != "OK":
            raise ProgramError(f"answered START with '{shown(answer)}'")
        info = {"rule": self._rule, "game_type": 1, "timeout_match": whole, "timeout_turn": turn or whole}
        depth = {} if self._depth is None else {"max_depth": self._depth}
        self.process.send("".join(f"INFO {key} {value}\n" for key, value in (info | depth).items()))

    def _show(self, game: GameSoFar) -> None:
        turns: list[Turn] = list(game.turns)
        if game.setup is not None:
            stones = read_board(game.setup, self.game.notation).stones
            turns = [(int(stones[cell]), cell) for cell in range(self.game.cells) if stones[cell]] + turns
        lines = [f"{self._point(cell)},{1 if colour == game.colour else 2}\n" for colour, cell in turns]
        self.process.send(f"BOARD\n{''.join(lines)}DONE\n")

    def _move(self, deadline: float) -> int:
        """The cell it answers; a suggestion is accepted, and complaints (about INFO, usually) do not count."""
        complaint = ""
        try:
            while (answer := self._answer(deadline)).upper().startswith(("ERROR", "UNKNOWN")):
                complaint = answer
        except TimedOut as late:
            raise TimedOut(complaint or str(late)) from None
        if answer.upper().startswith("SUGGEST"):
            self.process.send(f"PLAY {answer[len('SUGGEST') :].strip()}\n")
            while (answer := self._answer(deadline)).upper().startswith(("ERROR", "UNKNOWN")):
                pass
        match = _MOVE.fullmatch(answer)
        if match is None:
            raise not_a_move(answer)
        column, row = int(match[1]), int(match[2])
        if column >= self.game.size or row >= self.game.size:
            raise ProgramError(f"played {answer}, which is off the board")
        return row * self.game.size + column

    def _answer(self, deadline: float) -> str:
        """The next line that is not a message or debug output."""
        while True:
            line = self.process.line(deadline)
            if line and not line.upper().startswith(("MESSAGE", "DEBUG")):
                return line

    def _point(self, cell: int) -> str:
        return f"{cell % self.game.size},{cell // self.game.size}"


def gomocup(
    command: Command,
    game: Game,
    *,
    depth: Annotated[int | None, "search depth of the program, if it takes one (INFO max_depth)"] = None,
    limits: Limits,
) -> Player:
    """Gomoku: a program that speaks the protocol of the Gomocup tournaments."""
    game.require("gomoku", "player gomocup")
    if depth is not None and not 1 <= depth <= 1000:
        raise ZeroplyError(f"depth of player gomocup must be from 1 to 1000, not {depth}")
    return ForeignPlayer(game, words_of(command, limits.cwd), partial(GomocupEngine, depth=depth), limits)
