"""What answers of programs mean in each protocol, and how wrong ones are named: engines with a written transcript."""

from __future__ import annotations

import io
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import zeroply as zp
from zeroply.foreign.edax import EdaxEngine
from zeroply.foreign.engine import PASS, Engine, Limits
from zeroply.foreign.gomocup import GomocupEngine
from zeroply.foreign.gtp import GtpEngine
from zeroply.foreign.nboard import NboardEngine
from zeroply.foreign.orphans import watch
from zeroply.foreign.process import Died, Process, ProgramError
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
    made: dict[str, Callable[[], Engine]] = {
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


@pytest.fixture
def started() -> Iterator[Callable[[str], Process]]:
    """Starts programs written in Python, and ends them."""
    processes: list[Process] = []

    def start(code: str) -> Process:
        processes.append(Process([sys.executable, "-S", "-c", code]))
        return processes[-1]

    yield start
    for process in processes:
        process.reap()


def test_a_program_that_reads_late_gets_all_it_was_sent(started: Callable[[str], Process]) -> None:
    sent = "x" * (1 << 20)  # more than a pipe holds
    process = started("import sys, time; time.sleep(0.3); print(len(sys.stdin.readline()), flush=True); time.sleep(9)")
    process.send(f"{sent}\n")
    assert process.line(time.monotonic() + 30) == str(len(sent) + 1)
    process.reap()
    assert process.exited()


def test_a_program_that_floods_is_stopped_before_its_next_request(
    started: Callable[[str], Process], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeroply.foreign.process.FLOOD_BYTES", 30_000)
    process = started(f"print('x' * 40_000, flush=True); open({str(tmp_path / 'done')!r}, 'w'); input()")
    while not (tmp_path / "done").exists():
        time.sleep(0.01)
    with pytest.raises(ProgramError, match="flooded its output"):
        process.new_request()


@pytest.mark.parametrize(("number", "name"), [(int(signal.SIGTERM), "SIGTERM"), (40, "40")])
def test_a_signal_without_a_name_is_told_by_its_number(
    started: Callable[[str], Process], number: int, name: str
) -> None:
    process = started(f"import os; os.kill(os.getpid(), {number})")
    with pytest.raises(Died, match=f"was killed by signal {name}$"):
        process.line(time.monotonic() + 30)


def test_orphans_are_killed_but_not_those_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []

    def kill(group: int, _: int) -> None:
        killed.append(group)
        if group == 7:
            raise ProcessLookupError

    monkeypatch.setattr("sys.stdin", io.StringIO("+5\n+6\n-5\n+7\n+8\n"))
    monkeypatch.setattr("os.killpg", kill)
    watch()
    assert sorted(killed) == [6, 7, 8]


def test_a_program_that_refuses_a_move_is_named_with_it() -> None:
    one, process = engine("gtp", "gomoku(size=9)", "=\n\n? occupied\n\n")
    with pytest.raises(ProgramError, match="refused the move E5: occupied"):
        one.reply(so_far("gomoku(size=9)", ("e5",)), 1e9, None)
    assert process.sent.split() == ["clear_board", "play", "black", "E5"]
