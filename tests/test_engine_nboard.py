"""zeroply behind NBoard's protocol: recorded sessions of both versions, and games against itself."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import zeroply as zp
from scripted import talk
from zeroply.foreign.nboard import ggf, with_passes
from zeroply.players import GameSoFar
from zeroply.search.endings import solve_moves
from zeroply.specs import literal

ZEROPLY = Path(sys.executable).with_name("zeroply")
OTHELLO = zp.game("othello")
START = ggf(OTHELLO, None, [])


def nboard(lines: str, player: str = "random(ties=lowest)") -> list[str]:
    return talk("nboard", lines, player).splitlines()


def answers(lines: str, player: str = "random(ties=lowest)") -> list[str]:
    """What it says but for status lines and the time a move took."""
    said = [re.sub(r"/[0-9.]+$", "", line) for line in nboard(lines, player)]
    return [line for line in said if not line.startswith(("status", "nodestats", "set myname"))]


@pytest.fixture(scope="module")
def skipped() -> list[int]:
    """The cells of a start of a game after which White must pass."""
    for seed in range(400):
        position, cells = OTHELLO.start(), []
        for cell in zp.match("random", "random", games=2, seed=seed).records()[0].moves:
            side = int(position.to_move()[0])
            position.play([cell])
            cells.append(cell)
            if side > 0 and position.to_move()[0] > 0 and not position.over()[0]:
                return cells
    raise AssertionError("no game with a pass")


def test_it_says_its_name() -> None:
    assert nboard("nboard 2") == ["set myname zeroply"]


def test_a_move_is_found_but_not_played() -> None:
    lines = f"nboard 2\nset depth 3\nset game {START}\nping 1\ngo\ngo\nmove D3/1.5/0.2\nping 2\ngo"
    assert answers(lines) == ["pong 1", "=== D3/0.00", "=== D3/0.00", "pong 2", "=== C3/0.00"]


def test_version_1_has_bare_moves() -> None:
    assert answers(f"nboard 1\nset game {START}\nF5\ngo")[0] == answers(f"nboard 2\nset game {START}\nmove F5\ngo")[0]
    assert answers(f"nboard 2\nset game {START}\nF5\ngo") == ["=== D3/0.00"]


@pytest.mark.parametrize(
    "line", ["", "set contempt 5", "set game", "foo bar", "set depth x", "hint", "ping", "move", "\ufffd", "nboard"]
)
def test_lines_that_mean_nothing_are_ignored(line: str) -> None:
    assert nboard(f"{line}\nping 3") == ["pong 3"]


def test_errors_are_told_as_status() -> None:
    said = nboard(f"set game (;GM[Othello]B[F9];)\nset game x\nmove A1\nmove PA\nmove Q9\nset game {START[:60]}")
    assert len(said) == 6
    assert all(line.startswith("status ") for line in said)


def test_after_an_error_the_game_stands_as_before() -> None:
    assert answers("move F5\nset game (;GM[Othello]BO[8 x *];)\nmove A1\nhint 1") == answers("move F5\nhint 1")


def test_a_won_game_is_told_in_discs() -> None:
    moves = "\n".join(f"move {move}" for move in ("F5", "D6", "C5", "F4", "E7", "F6", "G5", "E6"))
    assert answers(f"nboard 2\n{moves}\nhint 1", "alphabeta(depth=1, eval=mobility)") == ["search E3 13.00 0 1 100.0%"]


@pytest.mark.parametrize("word", ["PA", "pa", "PASS", "--", "P"])
def test_a_pass_is_answered_until_it_is_told(skipped: list[int], word: str) -> None:
    moves = "\n".join(f"move {OTHELLO.notation.name(cell)}" for cell in skipped)
    after = OTHELLO.replay(skipped)
    said = answers(f"{moves}\ngo\nhint 2\nmove {word}\ngo")
    assert said[:2] == ["=== PA", "search PA 0.00 0 1"]
    assert after.legal()[0, OTHELLO.notation.cell(said[2].split()[1].split("/")[0])]


def test_a_game_may_end_with_a_pass(skipped: list[int]) -> None:
    so_far = GameSoFar.replayed(OTHELLO, skipped)
    told = ggf(OTHELLO, None, with_passes(OTHELLO, so_far))
    assert answers(f"set game {told}\ngo")[0] != "=== PA"
    assert answers(f"set game {told.replace('W[PA]', '')}\ngo") == ["=== PA"]


def test_hints_tell_the_best_moves_of_every_depth() -> None:
    said = answers(f"set depth 2\nset game {START}\nhint 2", "alphabeta(depth=4, eval=pattern)")
    form = r"search [A-H][1-8] -?[0-9.]+ 0 ([12]) [0-9.]+%"
    assert [match[1] for line in said if (match := re.fullmatch(form, line))] == ["1", "1", "2", "2"]
    assert len(answers("hint 3", "naive")) == 3
    assert len(answers("hint 99", "naive")) == 4


def test_a_game_is_learned_at_once() -> None:
    assert nboard("learn") == ["learned"]


def test_every_position_is_analysed_for_its_side_to_move() -> None:
    record = next(r for r in zp.match("greedy", "random", games=20, seed=3).records() if len(r.moves) == 60)
    so_far = GameSoFar.replayed(OTHELLO, record.moves)
    turns = with_passes(OTHELLO, so_far)
    said = answers(f"set depth 1\nset game {ggf(OTHELLO, None, turns)}\nanalyze")
    values = {int(line.split()[1]): float(line.split()[2]) for line in said if line.startswith("analysis ")}
    assert sorted(values) == list(range(len(turns) + 1))
    before = OTHELLO.replay(record.moves[:-4])
    made = next(i for i in range(len(turns), 0, -1) if sum(cell >= 0 for _, cell in turns[:i]) == 56)
    assert abs(values[made]) == abs(solve_moves(before).max())
    assert abs(values[len(turns)]) == abs(record.score)


def test_a_ping_cuts_thinking_short() -> None:
    begun = time.monotonic()
    said = answers(f"set depth 40\nset game {START}\ngo\nping 7", "alphabeta(depth=40, eval=pattern)")
    assert time.monotonic() - begun < 20
    assert said[-1] == "pong 7"
    assert said[0].startswith("=== ")


def test_it_is_for_othello_only() -> None:
    words = [str(ZEROPLY), "engine", "--protocol", "nboard", "--player", "naive", "--game", "gomoku"]
    done = subprocess.run(words, input="", capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "for othello" in done.stderr


def test_it_plays_whole_games_with_the_nboard_client() -> None:
    command = f"{ZEROPLY} engine --protocol nboard --player random --seed 5"
    spec = f"nboard({literal(command)}, timeout=60, startup=120, processes=1)"
    result = zp.match(spec, "random", games=4, seed=1)
    assert result.forfeits == []
    assert all(record.final().over()[0] for record in result.records())
