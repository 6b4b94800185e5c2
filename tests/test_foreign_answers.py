"""What answers of programs mean in each protocol, and how wrong ones are named: engines with a written transcript."""

from __future__ import annotations

import re
from typing import Any

import pytest

import zeroply as zp
from zeroply.foreign.edax import EdaxEngine
from zeroply.foreign.engine import PASS, Engine, Limits
from zeroply.foreign.gomocup import GomocupEngine
from zeroply.foreign.gtp import GtpEngine
from zeroply.foreign.nboard import NboardEngine
from zeroply.foreign.process import ProgramError
from zeroply.players.contract import GameSoFar

PASSES = "OOOOOOO-" + "OOOOOOOX" * 7 + " X"
"""A position of Othello in which Black moves and White would pass."""


class Transcript:
    """A process whose answers are written in advance."""

    def __init__(self, answers: str) -> None:
        self.left = answers
        self.sent = ""

    def send(self, text: str) -> None:
        self.sent += text

    def line(self, deadline: float) -> str:
        line, _, self.left = self.left.partition("\n")
        return line

    def until(self, pattern: re.Pattern[bytes], deadline: float) -> str:
        text, _, self.left = self.left.partition("\n")
        assert pattern.search(text.encode())
        return text


def engine(protocol: str, game: str, answers: str) -> tuple[Engine, Transcript]:
    process: Any = Transcript(answers)
    rules, limits = zp.game(game), Limits()
    made = {
        "edax": lambda: EdaxEngine(process, rules, limits),
        "gtp": lambda: GtpEngine(process, rules, limits),
        "gomocup": lambda: GomocupEngine(process, rules, limits, None),
        "nboard": lambda: NboardEngine(process, rules, limits, 3),
    }
    return made[protocol](), process


def so_far(game: str, moves: tuple[str, ...] = ()) -> GameSoFar:
    rules = zp.game(game)
    position, turns = rules.start(), []
    for move in moves:
        turns.append((int(position.to_move()[0]), rules.notation.cell(move)))
        position = position.after([turns[-1][1]])
    return GameSoFar(position, tuple(turns), None, 1)


@pytest.mark.parametrize(
    ("protocol", "game", "moves", "answers", "cell"),
    [
        ("edax", "othello", (), "ok >\n >\nEdax plays f5 >", "f5"),
        ("edax", "othello", (), "ok >\nEdax plays PS >", PASS),
        ("edax", "othello", (), "ok >\n>\nEdax plays D3 >", "d3"),
        ("nboard", "othello", (), "pong 1\nstatus thinking\n=== F5/1.0/0.3", "f5"),
        ("nboard", "othello", (), "pong 1\n=== PA", PASS),
        ("nboard", "othello", (), "set myname Somebody\npong 1\n=== --", PASS),
        ("gomocup", "gomoku", (), "UNKNOWN command\nOK\nMESSAGE hm\n7,8", "h7"),
        ("gomocup", "gomoku", ("h8",), "OK\nSUGGEST 3,4\nUNKNOWN what\nERROR who\n3,4", "d11"),
        ("gtp", "hex(size=5, swap=true)", ("b3",), "=\n\n=\n\n= swap-pieces\n\n", "b3"),
        ("gtp", "gomoku(size=9)", (), "=\n\n= E5\n\n", "e5"),
    ],
)
def test_answers_are_understood(
    protocol: str, game: str, moves: tuple[str, ...], answers: str, cell: str | int
) -> None:
    rules = zp.game(game)
    one, _ = engine(protocol, game, answers)
    expected = rules.notation.cell(cell) if isinstance(cell, str) else cell
    assert one.reply(so_far(game, moves), 1e9, None) == expected


@pytest.mark.parametrize(
    ("protocol", "game", "answers", "says"),
    [
        ("edax", "othello", "ok >\nEdax plays k9 >", "answered 'k9', which is not a move"),
        ("edax", "othello", "ok >\nillegal >", "answered go with 'illegal"),
        ("nboard", "othello", "pong 1\n=== j9/0/0", "answered 'j9/0/0', which is not a move"),
        ("gomocup", "gomoku", "no", "answered START with 'no'"),
        ("gomocup", "gomoku", "OK\nh8", "answered 'h8', which is not a move"),
        ("gomocup", "gomoku", "OK\n15,3", "played 15,3, which is off the board"),
        ("gtp", "gomoku(size=9)", "? busy\n\n", "answered clear_board with '? busy'"),
        ("gtp", "gomoku(size=9)", "=\n\nE5\n\n", "answered 'E5', which is not GTP"),
    ],
)
def test_wrong_answers_are_named(protocol: str, game: str, answers: str, says: str) -> None:
    one, _ = engine(protocol, game, answers)
    with pytest.raises(ProgramError) as wrong:
        one.reply(so_far(game), 1e9, None)
    assert says in str(wrong.value)


def test_a_program_that_refuses_a_move_is_named_with_it() -> None:
    one, process = engine("gtp", "gomoku(size=9)", "=\n\n? occupied\n\n")
    with pytest.raises(ProgramError, match="refused the move E5: occupied"):
        one.reply(so_far("gomoku(size=9)", ("e5",)), 1e9, None)
    assert process.sent.split() == ["clear_board", "play", "black", "E5"]
