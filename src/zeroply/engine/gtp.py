"""GTP, the Go Text Protocol version 2 (Farnebäck 2002), as an engine for all games.

Othello follows Quarry, GRhino and GoGui at once: row 1 is at the top, a forced pass may be sent or left out, and a side
without a move answers `pass`. In games without passes either colour may move at any time. GTP has no word for their
end: if the side that has lost is asked for a move, it answers `resign`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from zeroply import __version__
from zeroply.engine.clock import Clock
from zeroply.engine.session import GameSession
from zeroply.engine.wire import Wire
from zeroply.errors import ZeroplyError
from zeroply.games.text import Notation, diagram
from zeroply.players import Forfeit
from zeroply.records import load

Arguments = list[str]
Command = Callable[["GtpServer", Arguments], str | None]
"""Runs a command and returns its answer, or None if it has written the answer itself."""

COLOURS = {"b": 1, "black": 1, "w": -1, "white": -1}
WORDS = {1: "black", -1: "white"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_WHOLE = re.compile(r"[0-9]{1,9}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,12}\.?[0-9]{0,12}|\.[0-9]{1,12})([eE][+-]?[0-9]{1,2})?")


class GtpError(Exception):
    """Why a command fails, in the words of GTP."""


class GtpServer:
    """A player that speaks GTP."""

    def __init__(self, wire: Wire, session: GameSession) -> None:
        from zeroply.engine import gtp_analysis, gtp_rules

        self.wire = wire
        self.session = session
        self.clock = Clock()
        self.commands: dict[str, Command] = {**COMMANDS, **gtp_rules.COMMANDS, **gtp_analysis.COMMANDS}
        if session.game.facts.gtp.handicap:
            self.commands |= gtp_rules.HANDICAP
        self._id = ""
        self._ended = self._turned = False

    def serve(self) -> None:
        """Serve until `quit` or the end of the input."""
        for line in self.wire.lines():
            self.obey(line)
            if self._ended:
                return

    def obey(self, line: str) -> None:
        """Run the command of one line."""
        words = _CONTROL.sub("", line.replace("\t", " ")).partition("#")[0].split()
        if not words:
            return
        self._id = ""
        if _WHOLE.fullmatch(words[0]):
            self._id = words.pop(0)
        try:
            command = self.commands.get(words[0]) if words else None
            if command is None:
                raise GtpError("unknown command")
            answer = command(self, words[1:])
        except GtpError as error:
            self.say("?", str(error))
        except ZeroplyError as error:
            self.say("?", " ".join(str(error).split()))
        else:
            if answer is not None:
                self.say("=", answer)

    def say(self, sign: str, text: str) -> None:
        """A whole answer; an empty line would end it early, so there is none inside."""
        lines = [line for line in text.split("\n") if line.strip()]
        first = "" if text.startswith("\n") or not lines else f" {lines.pop(0)}"
        self.wire.say("\n".join([f"{sign}{self._id}{first}", *lines]) + "\n\n")

    def open_answer(self) -> None:
        """The first line of an answer of several lines; an empty line ends it."""
        self.wire.say(f"={self._id}\n")

    def end(self) -> None:
        """Stop after this command."""
        self._ended = True

    # Terms of the protocol

    @property
    def notation(self) -> Notation:
        """How GTP names the cells."""
        return self.session.game.facts.gtp.notation

    def vertex(self, text: str) -> int:
        """The cell of a vertex; of a swap, the cell of the stone that is taken over."""
        if text.lower() == self.session.game.facts.swap:
            taken = cells_of(self.session.position.stones()[0] != 0)
            if len(taken) == 1:
                return taken[0]
        try:
            return self.notation.cell(text)
        except ZeroplyError:
            raise GtpError("invalid color or coordinate") from None

    def names(self, cells: list[int]) -> str:
        """Vertices, with blanks between them."""
        return " ".join(map(self.notation.name, cells))

    def move_name(self, cell: int) -> str:
        """The vertex of a move of the side to move, or the word for a swap."""
        swap = self.session.game.facts.swap
        return swap if swap and self.session.position.stones()[0, cell] else self.notation.name(cell)

    def turn(self, colour: int) -> str | None:
        """Make it a colour's turn if the rules allow; returns the answer if the colour has no move."""
        session, self._turned = self.session, False
        if session.over:
            lost = int(session.position.winner()[0]) == -colour
            return "resign" if lost and not session.game.facts.passes else "pass"
        if colour != session.so_far.colour:
            if session.game.facts.passes:
                if session.can_move(colour):
                    raise GtpError("wrong color")
                return "pass"
            if not session.can_move(colour):
                return "resign"
            session.turn_to(colour)
            self._turned = True
        return None

    def turn_back(self) -> None:
        """Undo `turn`."""
        if self._turned:
            self.session.undo()
        self._turned = False

    def move(self, colour: int) -> str:
        """Think and play, once it is the colour's turn; the vertex."""
        cell = self.think(colour)
        if isinstance(cell, Forfeit):
            self.turn_back()
            return "resign"
        name = self.move_name(cell)
        self.session.play(cell)
        if self._turned:
            self.session.merge()
        return name

    def think(self, colour: int) -> int | Forfeit:
        """The player's move, within its time."""
        begun = time.monotonic()
        cell = self.session.choose(self.clock.allowance(colour, self.session.moves_left()))
        self.clock.spend(colour, time.monotonic() - begun)
        return cell


def colour_of(arguments: Arguments, count: int = 1) -> int:
    """The colour, the first of `count` arguments."""
    if len(arguments) != count:
        raise GtpError("syntax error")
    colour = COLOURS.get(arguments[0].lower())
    if colour is None:
        raise GtpError("invalid color or coordinate" if count > 1 else "invalid color")
    return colour


def whole(text: str) -> int:
    """A whole number."""
    if not _WHOLE.fullmatch(text):
        raise GtpError("syntax error")
    return int(text)


def decimal(text: str) -> float:
    """A number."""
    if not _DECIMAL.fullmatch(text):
        raise GtpError("syntax error")
    return float(text)


def cells_of(mask: NDArray[np.bool_]) -> list[int]:
    """The numbers of the cells that are true."""
    return [int(cell) for cell in np.flatnonzero(mask)]


# Who it is


def _known_command(server: GtpServer, arguments: Arguments) -> str:
    if len(arguments) != 1:
        raise GtpError("syntax error")
    return "true" if arguments[0] in server.commands else "false"


def _list_commands(server: GtpServer, _: Arguments) -> str:
    return "\n".join(server.commands)


def _list_games(server: GtpServer, _: Arguments) -> str:
    return server.session.game.facts.gtp.names[0]


def _set_game(server: GtpServer, arguments: Arguments) -> str:
    if " ".join(arguments).lower() != server.session.game.facts.gtp.names[0].lower():
        raise GtpError("unsupported game")
    server.session.new_game()
    return ""


def _quit(server: GtpServer, _: Arguments) -> str:
    server.end()
    return ""


# The board


def _boardsize(server: GtpServer, arguments: Arguments) -> str:
    """One side, or width and height as HexGui sends them."""
    if not arguments or len(set(arguments)) > 1:
        raise GtpError("unacceptable size" if len(arguments) == 2 else "syntax error")
    size = whole(arguments[0])
    if size == server.session.game.size:  # games with a single board have no such option
        server.session.new_game()
        return ""
    try:
        server.session.set_game(server.session.with_options(size=size))
    except ZeroplyError:
        raise GtpError("unacceptable size") from None
    return ""


def _clear_board(server: GtpServer, _: Arguments) -> str:
    server.session.new_game()
    return ""


def _komi(_: GtpServer, arguments: Arguments) -> str:
    """Accepted and ignored: these games have no komi."""
    if len(arguments) != 1:
        raise GtpError("syntax error")
    decimal(arguments[0])
    return ""


def _play(server: GtpServer, arguments: Arguments) -> str:
    colour = colour_of(arguments, 2)
    session = server.session
    if arguments[1].lower() == "pass":
        if not session.over and (not session.game.facts.passes or session.can_move(colour)):
            raise GtpError("illegal move")
        session.repeat()
        return ""
    cell = server.vertex(arguments[1])
    if session.over or (session.game.facts.passes and colour != session.so_far.colour):
        raise GtpError("illegal move")
    turned = colour != session.so_far.colour
    session.turn_to(colour)
    try:
        session.play(cell)
    except ZeroplyError:
        if turned:
            session.undo()
        raise GtpError("illegal move") from None
    if turned:
        session.merge()
    return ""


def _genmove(server: GtpServer, arguments: Arguments) -> str:
    colour = colour_of(arguments)
    return server.turn(colour) or server.move(colour)


def _reg_genmove(server: GtpServer, arguments: Arguments) -> str:
    colour = colour_of(arguments)
    forced = server.turn(colour)
    if forced is not None:
        return forced
    cell = server.think(colour)
    server.turn_back()
    return "resign" if isinstance(cell, Forfeit) else server.move_name(cell)


def _undo(server: GtpServer, _: Arguments) -> str:
    if not server.session.undo():
        raise GtpError("cannot undo")
    return ""


def _showboard(server: GtpServer, _: Arguments) -> str:
    position = server.session.position
    board = diagram(position.stones()[0], server.notation, int(position.last_move()[0]))
    return f"\n{board}\n{position.status()[0]}"


def _loadsgf(server: GtpServer, arguments: Arguments) -> str:
    """Read the first game of a file up to before a move; answer who is to play."""
    if len(arguments) not in (1, 2):
        raise GtpError("syntax error")
    until = whole(arguments[1]) if len(arguments) == 2 else None
    try:
        records = load(arguments[0])
        record = records[0]
        if record.game.name != server.session.game.name:
            raise GtpError("cannot load file")
        server.session.set_game(record.game)
        server.session.new_game(None if record.setup is None else record.game.parse(record.setup))
        for cell in record.moves[: None if until is None else max(0, until - 1)]:
            server.session.play(cell)
    except (ZeroplyError, IndexError, ValueError):
        raise GtpError("cannot load file") from None
    return WORDS[server.session.so_far.colour]


# Time and score


def _time_settings(server: GtpServer, arguments: Arguments) -> str:
    if len(arguments) != 3:
        raise GtpError("syntax error")
    main, overtime = (decimal(text) for text in arguments[:2])
    if main < 0 or overtime < 0:
        raise GtpError("syntax error")
    server.clock.set(main, overtime, whole(arguments[2]))
    return ""


def _time_left(server: GtpServer, arguments: Arguments) -> str:
    colour = colour_of(arguments, 3)
    server.clock.tell(colour, decimal(arguments[1]), whole(arguments[2]))
    return ""


def _final_score(server: GtpServer, _: Arguments) -> str:
    if not server.session.over:
        raise GtpError("cannot score")
    score = int(server.session.position.score()[0])
    return f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "0"


def _final_status_list(server: GtpServer, arguments: Arguments) -> str:
    """All stones on the board are alive: what is dead in these games has been taken."""
    known = ("alive", "dead", "seki", "white_territory", "black_territory", "dame")
    if len(arguments) != 1 or arguments[0].lower() not in known:
        raise GtpError("syntax error")
    if not server.session.over:
        raise GtpError("cannot score")
    return server.names(cells_of(server.session.position.stones()[0] != 0)) if arguments[0].lower() == "alive" else ""


COMMANDS: dict[str, Command] = {
    "protocol_version": lambda server, _: "2",
    "name": lambda server, _: f"zeroply {server.session.player}",
    "version": lambda server, _: __version__,
    "known_command": _known_command,
    "list_commands": _list_commands,
    "quit": _quit,
    "list_games": _list_games,
    "set_game": _set_game,
    "boardsize": _boardsize,
    "clear_board": _clear_board,
    "komi": _komi,
    "play": _play,
    "genmove": _genmove,
    "reg_genmove": _reg_genmove,
    "undo": _undo,
    "showboard": _showboard,
    "loadsgf": _loadsgf,
    "time_settings": _time_settings,
    "time_left": _time_left,
    "final_score": _final_score,
    "final_status_list": _final_status_list,
}
