"""The protocol of the Gomocup tournaments (Piskvork's new protocol), as an engine for Gomoku.

Cells are `column,row` from 0 at the top left. The manager sets the rules and the limits by INFO, shows whole positions
by BOARD, and may take back moves. INFO has no answer, so a rule that is not played is refused when a move is wanted.
Swap2 is decided by a short game of the player against itself: who wins it has the better side.
"""

from __future__ import annotations

import re
import time

import numpy as np

from zeroply import __version__
from zeroply.engine.session import GameSession
from zeroply.engine.wire import Wire
from zeroply.errors import ZeroplyError
from zeroply.games.text import Board
from zeroply.players import Forfeit

NO_LIMIT = 2147483647
"""The milliseconds left without a clock."""
AT_ONCE = 0.03
"""Seconds for a move if the manager wants it as fast as possible."""
LOOK_AHEAD = 40
"""Moves of the game that decides about swap2."""
EXACT = 1
"""The bit of INFO rule that asks for exactly five; the others are continuous play, renju and caro."""
ABOUT = (
    f'name="zeroply", version="{__version__}", author="the zeroply project", country="none", www="none", email="none"'
)
_POINT = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*(?:,\s*([0-9])\s*)?")
_WHOLE = re.compile(r"-?[0-9]{1,12}")

Point = tuple[int, int | None]
"""A cell and, if it was sent, its owner: 1 own, 2 the opponent's, 3 neither's."""


class GomocupError(Exception):
    """Why a known command cannot be carried out."""


class GomocupServer:
    """A player that speaks the Gomocup protocol."""

    game = "gomoku"

    def __init__(self, wire: Wire, session: GameSession) -> None:
        session.game.require("gomoku", "the Gomocup protocol", hint="use --protocol gtp")
        self.wire = wire
        self.session = session
        self._limits: dict[str, int] = {}
        self._started = False
        self._refused = ""

    def serve(self) -> None:
        """Serve until `END` or the end of the input."""
        for line in self.wire.lines():
            words = line.split(None, 1)
            if not words:
                continue
            command, rest = words[0].upper(), words[1].strip() if len(words) > 1 else ""
            if command == "END":
                return
            try:
                answer = self.obey(command, rest)
            except GomocupError as error:
                answer = f"ERROR {error}"
            except ZeroplyError as error:
                answer = f"ERROR {' '.join(str(error).split())}"
            if answer:
                self.wire.say(f"{answer}\n")

    def obey(self, command: str, rest: str) -> str:
        """Run one command; returns its answer, empty if there is none."""
        match command:
            case "ABOUT":
                return ABOUT
            case "START":
                return self._start(rest, rest)
            case "RECTSTART":
                width, _, height = rest.partition(",")
                return self._start(width.strip(), height.strip())
            case "RESTART":
                return self._start(str(self.session.game.size), str(self.session.game.size))
            case "INFO":
                return self._info(rest)
            case "YXSTOP":  # a move is on its way in any case
                return ""
            case "BOARD" | "SWAP2BOARD":
                points = self._points()
                self._check_started()
                self._check_rule()
                return self._board(points) if command == "BOARD" else self._swap2([cell for cell, _ in points])
            case "BEGIN" | "TURN" | "PLAY" | "TAKEBACK":
                self._check_started()
                if command in ("BEGIN", "TURN"):
                    self._check_rule()
                return self._on_board(command, rest)
        return "UNKNOWN command"

    def _on_board(self, command: str, rest: str) -> str:
        session = self.session
        if command == "BEGIN":
            if session.position.stones().any():
                raise GomocupError("the board is not empty: send START or RESTART first")
            return self._move()
        cell = self._cell(rest)
        if command == "TAKEBACK":
            self._take_back(cell)
            return "OK"
        if session.over:
            raise GomocupError("the game is over")
        session.play(cell)
        return self._name(cell) if command == "PLAY" else self._move()

    # The board

    def _start(self, width: str, height: str) -> str:
        if not _WHOLE.fullmatch(width) or not _WHOLE.fullmatch(height):
            raise GomocupError("a size is a whole number, as in START 15 or RECTSTART 15,15")
        if width != height:
            raise GomocupError("only square boards are supported")
        try:
            self.session.set_game(self.session.with_options(size=int(width)))
        except ZeroplyError as error:
            raise GomocupError(f"unsupported size: {error}") from None
        self._started = True
        return "OK"

    def _check_started(self) -> None:
        if not self._started:
            raise GomocupError("no game was started: send START first")

    def _check_rule(self) -> None:
        if self._refused:
            raise GomocupError(self._refused)

    def _cell(self, text: str) -> int:
        cell, owner = self._point(text)
        if owner is not None:
            raise GomocupError(f"'{text[:20]}' is not a point such as 7,7")
        return cell

    def _point(self, text: str) -> Point:
        match, size = _POINT.fullmatch(text), self.session.game.size
        if match is None:
            raise GomocupError(f"'{text[:20]}' is not a point such as 7,7")
        column, row = int(match[1]), int(match[2])
        if column >= size or row >= size:
            raise GomocupError(f"{column},{row} is off the board")
        return row * size + column, None if match[3] is None else int(match[3])

    def _points(self) -> list[Point]:
        """The lines up to DONE; all of them are read even if one is wrong."""
        points: list[Point] = []
        wrong: GomocupError | None = None
        for line in self.wire.lines():
            if line.strip().upper() == "DONE":
                break
            try:
                points.append(self._point(line))
            except GomocupError as error:
                wrong = wrong or error
        else:
            raise GomocupError("the board has no DONE")
        if wrong is not None:
            raise wrong
        if len({cell for cell, _ in points}) < len(points):
            raise GomocupError("a point is given twice")
        return points

    def _name(self, cell: int) -> str:
        return f"{cell % self.session.game.size},{cell // self.session.game.size}"

    def _take_back(self, cell: int) -> None:
        """Remove a stone: the last move, or any stone, after which the game counts as begun from there."""
        session = self.session
        if not session.position.stones()[0, cell]:
            raise GomocupError(f"there is no stone on {self._name(cell)}")
        if session.so_far.turns and session.so_far.turns[-1][1] == cell:
            session.undo()
            return
        board = session.position.boards()[0]
        stones = board.stones.copy()
        stones[cell] = 0
        session.new_game(session.game.make([Board(stones, -board.to_move)]))

    def _board(self, points: list[Point]) -> str:
        """A position in which it is the engine's turn; who has fewer stones is White."""
        colour = 1 if 2 * sum(owner == 1 for _, owner in points) >= len(points) else -1
        stones = np.zeros(self.session.game.cells, np.int8)
        for cell, owner in points:
            if owner not in (1, 2):
                raise GomocupError("a stone is 1 (own) or 2 (the opponent's), as in 7,7,1")
            stones[cell] = colour if owner == 1 else -colour
        self.session.new_game(self.session.game.make([Board(stones, colour)]))
        if self.session.over:
            raise GomocupError("the game is over")
        return self._move()

    # Rules and limits

    def _info(self, text: str) -> str:
        """Store known and valid settings and ignore the others: INFO has no answer, but a message is allowed."""
        key, _, value = text.partition(" ")
        if not _WHOLE.fullmatch(value.strip()):
            return ""
        number = int(value.strip())
        if key.lower() == "rule":
            return self._rule(number)
        self._limits[key.lower()] = number
        return ""

    def _rule(self, rule: int) -> str:
        """Switch to a rule if it is supported; otherwise returns a message, and moves are refused."""
        exact, other = bool(rule & EXACT), rule & ~EXACT
        if self.session.position.stones().any():
            same = not other and exact == dict(self.session.game.options)["exact"]
            return "" if same else "MESSAGE the rule stays as it is until the board is empty"
        self._refused = f"rule {other} is not supported, only 0 and 1" if other else ""
        if not other and exact != dict(self.session.game.options)["exact"]:
            try:
                self.session.set_game(self.session.with_options(exact=exact))
            except ZeroplyError as error:
                self._refused = f"rule {rule} is not played: {' '.join(str(error).split())}"
        return f"MESSAGE {self._refused}" if self._refused else ""

    def seconds(self) -> float | None:
        """How long a turn may take, by the manager and by the engine's own limit."""
        turn, whole = self._limits.get("timeout_turn"), self._limits.get("timeout_match", 0)
        left = self._limits.get("time_left", NO_LIMIT)
        allowed = [] if turn is None else [turn / 1000 if turn > 0 else AT_ONCE]
        if left < NO_LIMIT and (whole > 0 or turn is None):
            allowed.append(max(0.0, left / 1000) / (self.session.moves_left() + 1))
        elif left < NO_LIMIT:
            allowed.append(max(0.0, left / 1000))
        if self.session.seconds is not None:
            allowed.append(self.session.seconds)
        return min(allowed, default=None)

    # The player

    def _move(self, spent: float = 0.0) -> str:
        """A move in a turn of which some seconds have passed."""
        if self.session.over:
            raise GomocupError("the game is over")
        depth, seconds = self._limits.get("max_depth"), self.seconds()
        left = None if seconds is None else max(0.0, seconds - spent)
        cell = self.session.choose(left, None if depth is None or depth < 1 else depth)
        if isinstance(cell, Forfeit):
            raise GomocupError(cell.reason)
        self.session.play(cell)
        return self._name(cell)

    def _swap2(self, cells: list[int]) -> str:
        """Open with three stones, or choose a side after three or five."""
        begun, session = time.monotonic(), self.session
        session.new_game()
        if not cells:
            middle, size = session.game.size // 2, session.game.size
            opening = [middle * size + middle, (middle - 1) * size + middle - 1, (middle + 2) * size + middle - 1]
            for cell in opening:
                session.play(cell)
            return " ".join(map(self._name, opening))
        if len(cells) not in (3, 5):
            raise GomocupError("SWAP2BOARD is followed by no, three or five stones")
        for cell in cells:
            session.play(cell)
        seconds = self.seconds()
        swap = self.expected_winner(None if seconds is None else begun + seconds / 2) > 0
        return "SWAP" if swap else self._move(time.monotonic() - begun)

    def expected_winner(self, until: float | None = None) -> int:
        """Who wins if the player plays on against itself, one ply deep; 0 if that takes too long."""
        position, key = self.session.position.copy(), np.array([self.session.so_far.key], np.uint64)
        quick = self.session.player.within(depth=1, seconds=AT_ONCE)
        for _ in range(LOOK_AHEAD):
            if position.over()[0] or (until is not None and time.monotonic() >= until):
                break
            position.play(quick.choose(position, key))
        return int(position.winner()[0])
