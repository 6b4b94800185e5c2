"""The NBoard protocol (Welty), versions 1 and 2, as an engine for Othello.

Answers are not paired with requests: a graphical board sends `ping` and drops everything before the `pong`. So a ping
that comes while the player thinks cuts it short, after the ply it is searching. There is no answer for errors; they are
sent as `status`. Lines that mean nothing are ignored, as the protocol asks.
"""

from __future__ import annotations

import re
import time

from zeroply.analysis.judging import default_judge, for_white, judge
from zeroply.analysis.preferences import order, probabilities
from zeroply.engine.session import GameSession
from zeroply.engine.wire import Wire
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.players import FollowingPlayer, Forfeit, player
from zeroply.records import read_ggf
from zeroply.records.ggf import PASSES
from zeroply.search.outcomes import display_scores

PASS = "PA"
EXACT = 12
"""Empty squares from which `analyze` solves endings."""
ANALYSIS_DEPTH = 4
"""Plies of search with which `analyze` values earlier positions, unless a smaller depth is set."""
MOST_HINTS = 60
LONGEST = 10.0
"""Seconds a search may take unless the engine was given a limit: the protocol has none, and a ping must be heard."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


class NboardServer:
    """A player that speaks NBoard's protocol."""

    def __init__(self, wire: Wire, session: GameSession) -> None:
        session.game.require("othello", "the NBoard protocol", hint="use --protocol gtp")
        self.wire = wire
        self.session = session
        self.version = 2
        self.depth: int | None = None
        self._due = False  # a forced pass that has not been sent yet
        self._seen: list[Positions] = [session.position]  # every position of the game, passes included

    def serve(self) -> None:
        """Serve until `quit` or the end of the input."""
        for line in self.wire.lines():
            words = line.split()
            if words[:1] == ["quit"]:
                return
            try:
                self.obey(words, line)
            except ZeroplyError as error:
                self.wire.say(f"status {' '.join(str(error).split())}\n")

    def obey(self, words: list[str], line: str) -> None:
        """Run the command of one line."""
        match words:
            case ["nboard", version]:
                self.version = 1 if version == "1" else 2
                self.wire.say("set myname zeroply\n")
            case ["set", "depth", depth] if _NUMBER.fullmatch(depth):
                self.depth = max(1, int(depth))
            case ["set", "game", _, *_]:
                self._set_game(line.split(None, 2)[2])
            case ["move", move]:
                self._move(move.split("/")[0])
            case [move] if self.version == 1 and self._is_move(move):
                self._move(move)
            case ["ping", number]:
                self.wire.say(f"pong {number}\n")
            case ["go"]:
                self._go()
            case ["hint", count] if _NUMBER.fullmatch(count):
                self._hint(min(max(1, int(count)), MOST_HINTS))
            case ["analyze"]:
                self._analyze()
            case ["learn"]:  # nothing is learned from a single game
                self.wire.say("learned\n")
            case _:
                pass

    # The game

    def _set_game(self, text: str) -> None:
        records = read_ggf(text, "the game")
        if not records:
            raise ZeroplyError("the game is not GGF: it has no '(;'")
        record = records[0]
        start = None if record.setup is None else record.game.parse(record.setup)
        self.session.set_game(record.game)
        self.session.new_game(start)
        self._due, self._seen = False, [self.session.position]
        for cell in record.moves:
            self._play(cell)
        self._due = self._due and not _ends_with_pass(text)

    def _play(self, cell: int) -> None:
        """Play a cell, after a pass if one is due."""
        before = self.session.so_far.colour
        self.session.play(cell)
        if self._due:
            self._seen.append(self._seen[-1])
        self._seen.append(self.session.position)
        self._due = self.session.so_far.colour == before and not self.session.over

    def _move(self, word: str) -> None:
        if _passes(word):
            if not self._due:
                raise ZeroplyError("passing is not allowed: there is a legal move")
            self._due = False
            self._seen.append(self._seen[-1])
        else:
            self._play(self.session.game.notation.cell(word))

    def _is_move(self, word: str) -> bool:
        try:
            self.session.game.notation.cell(word)
        except ZeroplyError:
            return _passes(word)
        return True

    def _name(self, cell: int) -> str:
        return self.session.game.notation.name(cell).upper()

    # The player

    def _depths(self) -> list[int]:
        """How deep to search, step by step, so that a ping can come between; one step without look-ahead."""
        deepest = self.session.player.look_ahead
        if self.depth is not None:
            deepest = min(deepest, self.depth)
        return list(range(1, deepest + 1)) or [1]

    def _go(self) -> None:
        begun = time.monotonic()
        if self._due or self.session.over:
            self.wire.say(f"=== {PASS}\n")
            return
        self.wire.say("status thinking\n")
        cell: int | Forfeit = -1
        for depth in self._depths():
            cell = self.session.choose(self._left(begun), depth)
            if self._interrupted() or self._left(begun) < LONGEST / 1000:
                break
        self.wire.say("status\n")
        if isinstance(cell, Forfeit):
            raise ZeroplyError(f"{self.session.player} {cell.reason}")
        self.wire.say(f"=== {self._name(cell)}{self._value(cell)}/{time.monotonic() - begun:.2f}\n")

    def _value(self, cell: int) -> str:
        """The player's preference for its move, if it is known without another search."""
        if self.session.player.look_ahead or isinstance(self.session.player, FollowingPlayer):
            return "/"
        return f"/{self.session.preferences()[cell]:.2f}"

    def _hint(self, count: int) -> None:
        """The best moves after every ply of search."""
        if self._due or self.session.over:
            self.wire.say(f"search {PASS} 0.00 0 1\n")
            return
        begun = time.monotonic()
        self.wire.say("status thinking\n")
        for depth in self._depths():
            preferences = self.session.preferences(self._left(begun), depth)
            chances = probabilities(preferences, self.session.player.choice.temperature)
            discs = display_scores(preferences, self.session.game)
            for cell in order(preferences)[:count]:
                self.wire.say(f"search {self._name(cell)} {discs[cell]:.2f} 0 {depth} {chances[cell]:.1%}\n")
            if self._interrupted() or self._left(begun) < LONGEST / 1000:
                break
        self.wire.say(f"nodestats 0 {time.monotonic() - begun:.2f}\nstatus\n")

    def _analyze(self) -> None:
        """A judge's value of every position of the game, for its side to move."""
        game = self.session.game
        over = [bool(position.over()[0]) for position in self._seen]
        with player(default_judge(game), game) as judging:
            limited = judging.within(depth=min(self.depth or ANALYSIS_DEPTH, ANALYSIS_DEPTH))
            for made, position in reversed(list(enumerate(self._seen))):
                value = float(position.score()[0] * position.to_move()[0])
                if not over[made]:
                    judging_it = limited if position.to_move()[0] > 0 else for_white(limited)
                    value = float(judge(position, judging_it, EXACT).values[0])
                sign = self._sign(made)
                self.wire.say(f"analysis {made} {sign * value:.2f}\n")
                if self._interrupted():
                    return

    def _sign(self, made: int) -> int:
        """-1 for a position before a pass, which the rules here show with the other side to move."""
        last = made + 1 == len(self._seen)
        before_pass = self._due if last else self._seen[made + 1] is self._seen[made]
        return -1 if before_pass else 1

    def _interrupted(self) -> bool:
        following = self.wire.peek()
        return following is not None and following.split()[:1] in (["ping"], ["quit"])

    def _left(self, begun: float) -> float:
        """Seconds that are left for thinking."""
        return max(0.0, min(LONGEST, self.session.seconds or LONGEST) - (time.monotonic() - begun))


def _passes(word: str) -> bool:
    return word.lower() in PASSES


def _ends_with_pass(ggf: str) -> bool:
    """Whether the last move of a game in GGF is a pass."""
    moves = re.findall(r"[BW]\s*\[\s*([^\]/\s]*)", ggf)
    return bool(moves) and _passes(moves[-1])
