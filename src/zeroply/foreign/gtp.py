"""GTP, the Go Text Protocol version 2 (Farnebäck 2002), for all games; zeroply is the referee.

Othello follows Quarry and GRhino: row 1 is at the top and passes are not sent, because the next move implies them; a
program that refuses a move for lack of a pass is sent the pass and asked again. The other games use the coordinates of
Go: row 1 at the bottom, no letter I. GTP does not define the end of a game, so programs are not asked about it.
"""

from __future__ import annotations

from itertools import zip_longest
from math import ceil

import numpy as np

from zeroply.errors import ZeroplyError
from zeroply.foreign.command import words_of
from zeroply.foreign.engine import COLOURS, PASS, Engine, Limits, Turn, not_a_move
from zeroply.foreign.player import Command, ForeignPlayer
from zeroply.foreign.process import Process, ProgramError, Resigned, shown
from zeroply.games import Game
from zeroply.games.text import read_board
from zeroply.players.contract import GameSoFar, Player


class GtpEngine(Engine):
    """A program that speaks GTP."""

    protocol = "GTP"

    def __init__(self, process: Process, game: Game, limits: Limits) -> None:
        super().__init__(process, game, limits)
        self._notation = game.facts.gtp.notation
        self._commands: set[str] = set()
        self._last_mover, self._last_cell = 0, -1

    def start(self, deadline: float) -> None:
        """Ask for its commands and its name, then set the game and the board size."""
        self._ask("protocol_version", deadline, skip_noise=True)
        self._commands = set(self._ask("list_commands", deadline)[1].split())
        answers = [self._ask(command, deadline) for command in ("name", "version")]
        self.identity = " ".join(text for good, text in answers if good)
        self._set_game(deadline)
        good, text = self._ask(f"boardsize {self.game.size}", deadline)
        if not good:
            raise ZeroplyError(f"{self._name} does not play {self.game}: it answered boardsize with '{shown(text)}'")

    def reply(self, game: GameSoFar, deadline: float, left: float | None) -> int:
        """Send the new moves of the game, then genmove."""
        news = self._news(game)
        if news is None:
            self._begin(game.setup, deadline)
            news = game.turns
        for turn in news:
            self._play(turn, deadline)
        if left is not None and "time_left" in self._commands:
            self._ask(f"time_left {COLOURS[game.colour]} {self._time_left(left)}", deadline)
        cell = self._genmove(game.colour, deadline)
        self._sent = (game.setup, (*game.turns, (game.colour, cell)))
        self._last_mover, self._last_cell = game.colour, cell
        return cell

    @property
    def _name(self) -> str:
        return self.identity or "the program"

    def _ask(self, command: str, deadline: float, skip_noise: bool = False) -> tuple[bool, str]:
        """Whether a command succeeded, and the text of its answer."""
        self.process.send(command + "\n")
        line = self.process.line(deadline)
        while not line or _is_talk(line) or (skip_noise and line[0] not in "=?"):
            line = self.process.line(deadline)
        if line[0] not in "=?":
            raise ProgramError(f"answered '{shown(line)}', which is not GTP")
        lines = [line[1:].strip()]
        while more := self.process.line(deadline):
            lines.append(more)
        return line[0] == "=", "\n".join(lines).strip()

    def _set_game(self, deadline: float) -> None:
        """Set the game if the program lists the games it plays."""
        if "list_games" not in self._commands:
            return
        text = self._ask("list_games", deadline)[1]
        there_are = {_plain(name): name for name in text.splitlines() if name}
        accepted = map(_plain, self.game.facts.gtp.names)
        name = next((there_are[name] for name in accepted if name in there_are), None)
        if name is None:
            raise ZeroplyError(f"{self._name} does not play {self.game.name}: it plays {', '.join(there_are.values())}")
        if "set_game" in self._commands:
            self._ask(f"set_game {name}", deadline)

    def _begin(self, setup: str | None, deadline: float) -> None:
        self._sent, self._last_mover, self._last_cell = None, 0, -1
        self._must("clear_board", deadline)
        if self.limits.time is not None:
            self._tell_clock(self.limits.time, self.limits.increment, deadline)
        if setup is not None:
            self._place(setup, deadline)

    def _tell_clock(self, main: float, increment: float, deadline: float) -> None:
        """Send the clock: as Fischer time if the program knows it, else with the increment as overtime.

        GTP has no increment, and whole seconds only: 0.05 s per move are sent as 1 s for 20 stones.
        """
        if "kata-time_settings" in self._commands:
            self._ask(f"kata-time_settings fischer {main:g} {increment:g}", deadline)
        elif "time_settings" in self._commands:
            seconds, stones = _whole_seconds(increment)
            self._ask(f"time_settings {int(main)} {seconds} {stones}", deadline)

    def _time_left(self, left: float) -> str:
        """Seconds and stones; a clock with increment that is nearly empty is overtime too."""
        if "kata-time_settings" in self._commands:
            return f"{left:.2f} 0"
        if self.limits.increment and 0 < left < 1:
            return "{} {}".format(*_whole_seconds(left))
        return f"{int(left)} 0"

    def _place(self, setup: str, deadline: float) -> None:
        """Set up a position: stone by stone, or with the game's own command such as GRhino's for Othello."""
        board = read_board(setup, self._notation)
        command = self.game.facts.gtp.setup
        if command is not None:
            if command not in self._commands:
                raise ZeroplyError(f"{self._name} cannot start from a given position over GTP: use openings of moves")
            self._must(f"{command} {setup}", deadline)
            return
        by_colour = [[(colour, int(cell)) for cell in np.flatnonzero(board.stones == colour)] for colour in (1, -1)]
        for both in zip_longest(*by_colour):
            for turn in both:
                if turn is not None:
                    self._play(turn, deadline)
        self._last_mover, self._last_cell = 0, -1

    def _play(self, turn: Turn, deadline: float) -> None:
        colour, cell = turn
        swap = self.game.facts.swap if cell == self._last_cell else None
        command = f"play {COLOURS[colour]} {swap or self._notation.name(cell)}"
        good, text = self._ask(command, deadline)
        if not good and self._send_pass(colour, deadline):
            good, text = self._ask(command, deadline)
        if not good:
            raise ProgramError(f"refused the move {self.game.notation.name(cell)}: {shown(text)}")
        self._last_mover, self._last_cell = colour, cell

    def _genmove(self, colour: int, deadline: float) -> int:
        command = f"genmove {COLOURS[colour]}"
        good, text = self._ask(command, deadline)
        if (not good or text.lower() == "pass") and self._send_pass(colour, deadline):
            good, text = self._ask(command, deadline)
        if not good:
            raise ProgramError(f"answered genmove with '? {shown(text)}'")
        if text.lower() == "resign":
            raise Resigned("resigned")
        if text.lower() == "pass":
            return PASS
        if text.lower() == self.game.facts.swap and self._last_cell >= 0:
            return self._last_cell
        try:
            return self._notation.cell(text)
        except ZeroplyError:
            raise not_a_move(text) from None

    def _send_pass(self, colour: int, deadline: float) -> bool:
        """Send the pass of the other side, if it has passed; returns whether the program accepted it."""
        if not self.game.facts.passes or self._last_mover != colour:
            return False
        return self._ask(f"play {COLOURS[-colour]} pass", deadline)[0]

    def _must(self, command: str, deadline: float) -> None:
        good, text = self._ask(command, deadline)
        if not good:
            raise ProgramError(f"answered {command.split()[0]} with '? {shown(text)}'")


def _is_talk(line: str) -> bool:
    """Whether a line is neither an answer nor a fault: a report of the search, or a comment."""
    return line.startswith("#") or line.split(None, 1)[0].lower() == "info"


def _whole_seconds(each: float) -> tuple[int, int]:
    """Whole seconds for a number of stones that allow about `each` seconds per stone, and never more; (0, 0) for 0."""
    if each >= 1:
        return int(each), 1
    return (1, ceil(1 / each)) if each > 0 else (0, 0)


def _plain(name: str) -> str:
    """A name in `list_games` without blanks, hyphens and capitals."""
    return "".join(filter(str.isalnum, name)).lower()


def gtp(command: Command, game: Game, limits: Limits) -> Player:
    """A program that speaks GTP, for all games."""
    return ForeignPlayer(game, words_of(command, limits.cwd), GtpEngine, limits)
