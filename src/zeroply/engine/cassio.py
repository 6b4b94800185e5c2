"""The Othello Engine Protocol of Cassio (Nicolet, Causse and Delorme 2009) as an engine.

A request is a whole position; the answer is a line per finished depth and then `ready.`. While the player thinks,
`stop` ends the search after the depth it is at, and an empty line asks whether the engine is alive. Cassio sees to the
rest: time, the game, the book. The windows and hash entries that it sends only save time, so they are not used here.

Cassio uses a result only if its depth is the requested one or more, so the last line of a search claims that depth,
also for players that look less far ahead; a player that does not search says that every position is even.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zeroply.engine.session import GameSession
from zeroply.engine.wire import Wire
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.players import FollowingPlayer, Forfeit
from zeroply.search.endings import solve
from zeroply.search.outcomes import display_scores

PREFIX = "ENGINE-PROTOCOL"
IGNORED = ("", "init", "new-position", "empty-hash", "feed-hash", "stop", "get-search-infos")
"""Commands that change nothing when no search is under way."""
SOLVED = 20
"""Most empty squares at which an endgame search is exact."""
LONGEST = 10.0
"""Seconds a search may take unless the engine was given a limit: the protocol has none."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,6}(\.[0-9]{1,9})?")
_REQUEST = re.compile(r"([-.xo*XO]{64})\s*([xoXO*])\s+(.*)")


@dataclass(frozen=True)
class Found:
    """What a search has found."""

    cell: int
    """The best move."""
    value: float
    """What the position is worth to the side to move, in discs."""
    nodes: int = 0
    """Positions visited, if they are known."""


class CassioServer:
    """A player that speaks Cassio's protocol."""

    def __init__(self, wire: Wire, session: GameSession) -> None:
        session.game.require("othello", "Cassio's protocol", size=8, hint="use --protocol gtp")
        self.wire = wire
        self.session = session

    def serve(self) -> None:
        """Serve until `quit` or the end of the input."""
        for line in self.wire.lines():
            prefix, _, rest = line.strip().partition(" ")
            command, _, arguments = rest.strip().partition(" ")
            try:
                if prefix not in ("", PREFIX):
                    raise ZeroplyError(f"commands begin with {PREFIX}, unlike '{prefix[:20]}'")
                if command == "quit":
                    self.wire.say("bye bye.\n")
                    return
                self.obey(command, arguments)
            except ZeroplyError as error:
                self.wire.say(f"ERROR: {' '.join(str(error).split())}\n")
            if command != "feed-hash":  # many come at once, and none has an answer
                self.wire.say("ready.\n")

    def obey(self, command: str, arguments: str) -> None:
        """Run a command."""
        if command == "get-version":
            self.wire.say(f"version: zeroply {self.session.player}\n")
        elif command == "midgame-search":
            position, numbers = self._request(arguments, 3)
            self._search(position, max(1, int(numbers[2])), exact=False)
        elif command == "endgame-search":
            position, _ = self._request(arguments, 2)
            self._search(position, int((position.stones() == 0).sum()), exact=True)
        elif command not in IGNORED:
            raise ZeroplyError(f"unknown command {command[:20]}")

    def _request(self, arguments: str, least: int) -> tuple[Positions, list[float]]:
        """The position of a search, and the numbers after it, of which some are needed."""
        match = _REQUEST.fullmatch(arguments.strip())
        words = match[3].split() if match else []
        if match is None or len(words) < least or not all(map(_NUMBER.fullmatch, words)):
            raise ZeroplyError("a search needs 64 squares of X, O and -, the side to move, and numbers")
        position = self.session.game.parse(f"{match[1]} {match[2]}")
        if position.over()[0]:
            raise ZeroplyError("the game is over in this position")
        return position, [float(word) for word in words]

    def _search(self, position: Positions, depth: int, *, exact: bool) -> None:
        """Report the best move of each depth; the last one with the depth of the request."""
        board, begun = position.text()[0].replace(" ", ""), time.monotonic()
        found, reached = None, 0
        for reached, found in enumerate(self._results(position, depth, begun, exact), 1):
            self._say(board, reached, found, begun)
            if self._stopped():
                return
        if found is not None and reached < depth:
            self._say(board, depth, found, begun)

    def _results(self, position: Positions, depth: int, begun: float, exact: bool) -> Iterator[Found]:
        """What is found ply by ply, until time is over, and then by the exact score of an ending."""
        self.session.new_game(position)
        player, limit = self.session.player, min(LONGEST, self.session.seconds or LONGEST)

        def left() -> float:
            return max(0.001, limit - (time.monotonic() - begun))

        if not player.look_ahead or isinstance(player, FollowingPlayer):
            cell = self.session.choose(left())
            if isinstance(cell, Forfeit):
                raise ZeroplyError(f"{player} {cell.reason}")
            yield Found(cell, 0.0)
            return
        for reached in range(1, min(player.look_ahead, depth) + 1):
            row = player.within(seconds=left(), depth=reached).prefer(position)[0]
            cell = int(np.argmax(row))
            yield Found(cell, float(display_scores(row, position.game)[cell]))
            if time.monotonic() - begun > limit:
                return
        if exact and depth <= SOLVED:
            solved = solve(position, seconds=left())
            if solved.complete[0]:
                yield Found(int(solved.moves[0]), float(solved.scores[0]), int(solved.nodes[0]))

    def _say(self, board: str, depth: int, found: Found, begun: float) -> None:
        """A line of results, as Cassio takes it apart."""
        move = self.session.game.notation.name(found.cell).upper()
        value = f"{'W' if board[-1] == 'O' else 'B'}{min(64.0, max(-64.0, found.value)):+.2f}"
        spent = time.monotonic() - begun
        self.wire.say(
            f"{board}, move {move}, depth {depth}, @100%, {value} <= v <= {value}, {move}, "
            f"node {found.nodes}, time {spent:.3f}\n"
        )

    def _stopped(self) -> bool:
        """Whether the search is to end; tells meanwhile that it is alive."""
        while (
            question := self.wire.take(lambda line: not line.strip() or _command(line) == "get-search-infos")
        ) is not None:
            self.wire.say("node 0, time 0.000\n" if question.strip() else "ok.\n")
        if self.wire.take(lambda line: _command(line) == "stop") is not None:
            return True
        following = self.wire.peek()
        return following is not None and _command(following) == "quit"


def _asks(line: str) -> bool:
    """Whether a line asks how a search is going."""
    return not line.strip() or _command(line) == "get-search-infos"


def _command(line: str) -> str:
    """The command of a line of the protocol; empty for others."""
    prefix, command, *_ = [*line.split(), "", ""]
    return command if prefix == PREFIX else ""
