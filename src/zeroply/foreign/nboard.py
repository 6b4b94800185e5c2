"""The NBoard protocol, version 2 (Welty): what Othello programs such as Edax and NTest speak to graphical boards.

Answers are not paired with requests, so every request begins with a ping, and whatever comes before its pong is
outdated. The game is sent as GGF at its beginning and then move by move. A program does not play the move it finds;
that move is sent to it too.
"""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import Annotated

from zeroply.errors import ZeroplyError
from zeroply.foreign.command import words_of
from zeroply.foreign.engine import PASS, Engine, Limits, Turn, not_a_move
from zeroply.foreign.player import Command, ForeignPlayer
from zeroply.foreign.process import Process
from zeroply.games import Game
from zeroply.games.text import read_board
from zeroply.players.contract import GameSoFar, Player

GGF_SIGNS = {1: "*", -1: "O", 0: "-"}


class NboardEngine(Engine):
    """A program that speaks NBoard's protocol."""

    protocol = "the NBoard protocol"

    def __init__(self, process: Process, game: Game, limits: Limits, depth: int) -> None:
        super().__init__(process, game, limits)
        self._depth = depth
        self._pings = 0

    def start(self, deadline: float) -> None:
        """Greet it, set the depth and the game, and wait for its first pong."""
        self.process.send(f"nboard 2\nset depth {self._depth}\nset game {ggf(self.game, None, [])}\n")
        self._ping(deadline)

    def reply(self, game: GameSoFar, deadline: float, left: float | None) -> int:
        """Send the game or its new moves, then `go`."""
        turns = with_passes(self.game, game)
        known = self._sent[1] if self._sent is not None and self._sent[0] == game.setup else None
        if known is not None and tuple(turns[: len(known)]) == known:
            for _, cell in turns[len(known) :]:
                self.process.send(f"move {self._word(cell)}\n")
        else:
            self.process.send(f"set game {ggf(self.game, game.setup, turns)}\n")
        self._sent = (game.setup, tuple(turns))
        self._ping(deadline)
        self.process.send("go\n")
        while not (line := self.process.line(deadline)).startswith("==="):
            pass
        self.score = _score(line[3:])
        return self._cell(line[3:])

    def _ping(self, deadline: float) -> None:
        self._pings += 1
        self.process.send(f"ping {self._pings}\n")
        while (words := self.process.line(deadline).split()) != ["pong", str(self._pings)]:
            if words[:2] == ["set", "myname"]:
                self.identity = " ".join(words[2:])

    def _word(self, cell: int) -> str:
        return "PA" if cell == PASS else self.game.notation.name(cell).upper()

    def _cell(self, answer: str) -> int:
        """The move of `F5/1.0/0.3`, of Edax's `f5 1.0 0.3`, or of a pass in any of its spellings."""
        word = (answer.replace("/", " ").split() or [""])[0].upper()
        if word == "--" or (word and "PASS".startswith(word)):
            return PASS
        try:
            return self.game.notation.cell(word)
        except ZeroplyError:
            raise not_a_move(answer.strip()) from None


def _score(answer: str) -> float | None:
    """The evaluation of `F5/1.0/0.3` or Edax's `f5 1.0 0.3`, in discs for the program; None if it gives none."""
    words = answer.strip().replace(" ", "/").split("/")
    try:
        score = float(words[1])
    except (IndexError, ValueError):
        return None
    return score if isfinite(score) else None


def with_passes(rules: Game, game: GameSoFar) -> list[Turn]:
    """All turns of a game up to now, passes included."""
    on_turn = 1 if game.setup is None else read_board(game.setup, rules.notation).to_move
    turns: list[Turn] = []
    for colour, cell in (*game.turns, (game.colour, None)):
        if colour != on_turn:
            turns.append((on_turn, PASS))
        if cell is not None:
            turns.append((colour, cell))
        on_turn = -colour
    return turns


def ggf(rules: Game, setup: str | None, turns: list[Turn]) -> str:
    """A game in GGF, on one line."""
    board = read_board(rules.start().text()[0] if setup is None else setup, rules.notation)
    signs = "".join(GGF_SIGNS[int(stone)] for stone in board.stones)
    rows = " ".join(signs[i : i + rules.size] for i in range(0, rules.cells, rules.size))
    moves = "".join(
        f"{'B' if colour > 0 else 'W'}[{'PA' if cell == PASS else rules.notation.name(cell).upper()}]"
        for colour, cell in turns
    )
    head = f"(;GM[Othello]PC[zeroply]PB[black]PW[white]RE[?]TI[0]TY[{rules.size}]"
    return f"{head}BO[{rules.size} {rows} {GGF_SIGNS[board.to_move]}]{moves};)"


def nboard(
    command: Command,
    game: Game,
    *,
    depth: Annotated[int, "search depth of the program, in its own units"] = 8,
    limits: Limits,
) -> Player:
    """Othello: a program that speaks NBoard's protocol."""
    game.require("othello", "player nboard", size=8)
    if not 1 <= depth <= 60:
        raise ZeroplyError(f"depth of player nboard must be from 1 to 60, not {depth}")
    return ForeignPlayer(game, words_of(command, limits.cwd), partial(NboardEngine, depth=depth), limits)
