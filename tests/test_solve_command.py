"""`zeroply solve`: every answer is held against the file, one that is wrong is found out, limits are kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference
import zeroply as zp
from zeroply.analysis.problems import answers
from zeroply.cli.main import main
from zeroply.records import read_obf

NOTATION = zp.game("othello").notation
FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def ending_score(position: reference.Othello, colour: int) -> int:
    """The final disc difference with best play by both, empty squares to the winner."""
    if position.over:
        discs, empty = position.score() * colour, len(position.empty())
        return discs + empty * ((discs > 0) - (discs < 0))
    scores = []
    for cell in position.legal():
        following = position.copy()
        following.play(cell)
        scores.append(ending_score(following, colour))
    return max(scores) if position.to_move == colour else min(scores)


def problem(seed: int, empties: int) -> tuple[str, dict[str, int]]:
    """The board string of a position from a random game, and its moves as plain brute force scores them."""
    dice = np.random.default_rng(seed)
    while True:
        position = reference.Othello(8)
        while not position.over and len(position.empty()) > empties:
            position.play(int(dice.choice(position.legal())))
        if not position.over:
            break
    board = "".join("-XO"[stone] for stone in position.stones)
    scores = {}
    for cell in position.legal():
        following = position.copy()
        following.play(cell)
        scores[NOTATION.name(cell)] = ending_score(following, position.to_move)
    return f"{board} {'X' if position.to_move > 0 else 'O'}", scores


PROBLEMS = [problem(seed, empties) for seed, empties in enumerate([1, 2, 3, 4, 5, 6, 6, 5])]


def line(board: str, scores: dict[str, int]) -> str:
    return f"{board};{''.join(f' {move}:{score:+d};' for move, score in scores.items())}\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Problems with all moves scored."""
    path = tmp_path / "problems.obf"
    path.write_text("".join(line(*one) for one in PROBLEMS))
    return path


def test_problems_can_be_solved_from_python() -> None:
    problems = read_obf("".join(line(*one) for one in PROBLEMS), "here")
    found = list(answers(problems[2:], first=3, threads=2))
    assert [one.number for one in found] == [3, 4, 5, 6, 7, 8]
    assert all(one.right for one in found)
    assert [one.score for one in found] == [max(scores.values()) for _, scores in PROBLEMS[2:]]


def run(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    """What the command prints, if it ends with that exit code."""
    capsys.readouterr()
    try:
        main(["solve", *map(str, words)])
        ended: Any = 0
    except SystemExit as caught:
        ended = caught.code
    said = capsys.readouterr()
    assert ended == code
    assert said.err == "" or code == 2
    return said.out if code < 2 else said.err


def as_json(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> Any:
    return json.loads(run(capsys, *words, "--json", code=code))


# Right and wrong


def test_every_answer_is_that_of_brute_force(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    told = as_json(capsys, file)
    assert told["right"] == len(PROBLEMS)
    assert told["wrong"] == told["stopped"] == told["not_scored"] == 0
    for one, (board, scores) in zip(told["positions"], PROBLEMS, strict=True):
        assert one["score"] == one["expected"] == max(scores.values())
        assert scores[one["move"]] == one["score"]
        assert one["position"] == board
        assert one["empties"] == board.count("-")
        assert one["nodes"] > 0
        assert one["seconds"] > 0


def test_a_wrong_score_in_the_file_is_found_out(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    board, scores = PROBLEMS[5]
    file.write_text(line(*PROBLEMS[0]) + line(board, {move: score + 2 for move, score in scores.items()}))
    told = as_json(capsys, file, code=1)
    assert [one["right"] for one in told["positions"]] == [True, False]
    text = run(capsys, file, code=1)
    assert "1 right, 1 wrong" in text
    assert "NO" in text


def test_a_move_the_file_says_is_worse_is_wrong_though_the_score_is_right(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    board, scores = next(one for one in PROBLEMS if list(one[1].values()).count(max(one[1].values())) < len(one[1]))
    best, worst = max(scores.values()), min(scores.values())
    swapped = {move: worst if score == best else best for move, score in scores.items()}
    file.write_text(line(board, swapped))
    told = as_json(capsys, file, code=1)["positions"][0]
    assert told["score"] == told["expected"]
    assert told["right"] is False


def test_where_no_move_is_scored_nothing_is_wrong(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    file.write_text("".join(line(board, {}) for board, _ in PROBLEMS))
    told = as_json(capsys, file)
    assert told["not_scored"] == len(PROBLEMS)
    assert f"{len(PROBLEMS)} with no expected score" in run(capsys, file)
    assert [one["score"] for one in told["positions"]] == [max(scores.values()) for _, scores in PROBLEMS]
    assert {one["right"] for one in told["positions"]} == {None}


def test_a_best_move_that_the_file_leaves_out_is_not_wrong(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    told = as_json(capsys, file)["positions"]
    number = next(i for i, (_, scores) in enumerate(PROBLEMS) if len(set(scores.values())) < len(scores))
    board, scores = PROBLEMS[number]
    without = {move: score for move, score in scores.items() if move != told[number]["move"]}
    file.write_text(line(board, without))
    again = as_json(capsys, file, code=0 if max(without.values()) == max(scores.values()) else 1)
    assert again["positions"][0]["right"] is (max(without.values()) == max(scores.values()))


def test_the_outcome_alone_is_checked_by_its_sign(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    told = as_json(capsys, file, "--outcome")
    assert told["right"] == len(PROBLEMS)
    for one, (_, scores) in zip(told["positions"], PROBLEMS, strict=True):
        assert one["score"] == one["expected"] == np.sign(max(scores.values()))
        assert np.sign(scores[one["move"]]) == one["score"]
    assert set(run(capsys, file, "--outcome").split()) & {"win", "draw", "loss"}


def test_the_standard_problems_1_to_19_are_solved(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    told = as_json(capsys, data / "endgames" / "fforum-1-19.obf")
    assert told["right"] == 19
    assert {one["empties"] for one in told["positions"]} == {14, 15, 16}


# Which positions, and how


def test_positions_are_numbered_through_all_files(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    last = len(PROBLEMS) + 2
    told = as_json(capsys, file, file, "--first", len(PROBLEMS), "--last", last)
    assert [one["number"] for one in told["positions"]] == [last - 2, last - 1, last]
    assert [one["position"] for one in told["positions"]] == [PROBLEMS[i][0] for i in (-1, 0, 1)]


def test_one_position_is_solved_with_or_without_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, "--position", FFO_1)["positions"][0]["score"] == 18
    assert as_json(capsys, "--position", f"{FFO_1}; g8:+18; h1:+12;")["right"] == 1
    assert as_json(capsys, "--position", f"{FFO_1}; g8:+16; h1:+12;", code=1)["wrong"] == 1


def test_a_finished_game_has_a_score_and_no_move(capsys: pytest.CaptureFixture[str]) -> None:
    told = as_json(capsys, "--position", f"{'X' * 40}{'-' * 24} X")["positions"][0]
    assert (told["score"], told["move"]) == (64, None)


@pytest.mark.parametrize("limit", [["--nodes", "1000"], ["--seconds", "0.001"]], ids=["nodes", "seconds"])
def test_a_position_that_takes_too_long_is_stopped_and_not_wrong(
    capsys: pytest.CaptureFixture[str], limit: list[str]
) -> None:
    start = "-" * 27 + "OX------XO" + "-" * 27
    told = as_json(capsys, "--position", f"{start} X; d3:+64;", *limit)
    one = told["positions"][0]
    assert told["stopped"] == 1
    assert (one["score"], one["move"], one["right"]) == (None, None, None)
    assert "stopped" in run(capsys, "--position", f"{start} X", *limit)


def test_wall_time_and_cpu_time_are_both_told_and_the_speed_is_that_of_the_cpu(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    told = json.loads(run(capsys, str(file), "--json"))
    assert told["cpu_seconds"] == pytest.approx(sum(one["cpu_seconds"] for one in told["positions"]))
    assert all(one["seconds"] > 0 and one["cpu_seconds"] > 0 for one in told["positions"])
    head, *rows, _, _, totals = run(capsys, str(file)).splitlines()
    assert head.split()[-4:] == ["s", "CPU", "s", "Mn/s"]
    for row, one in zip(rows, told["positions"], strict=True):
        count, _, taken, _ = row.split()[-4:]
        assert int(count.replace(",", "")) == one["nodes"]
        assert float(taken) < 5
    form = r"([\d,]+) nodes, [\d.]+ s \(([\d.]+) s CPU time\), ([\d.]+) Mnodes per CPU second"
    match = re.fullmatch(form, totals)
    assert match is not None
    nodes, cpu, speed = match.groups()
    assert int(nodes.replace(",", "")) == sum(one["nodes"] for one in told["positions"])
    assert float(cpu) == pytest.approx(told["cpu_seconds"], abs=0.2)
    assert float(speed) >= 0


def test_threads_and_table_do_not_change_the_answers(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    plain = as_json(capsys, file)["positions"]
    for words in (["--threads", "3"], ["--table", "12"]):
        again = as_json(capsys, file, *words)["positions"]
        assert [(one["number"], one["score"]) for one in again] == [(one["number"], one["score"]) for one in plain]


def test_the_table_can_be_read_on_eighty_columns(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    lines = run(capsys, file).splitlines()
    assert max(map(len, lines)) <= 80
    for row, (board, scores) in zip(lines[1:], PROBLEMS, strict=False):
        number, empties, score, move, expected, ok, *_ = row.split()
        assert int(empties) == board.count("-")
        assert int(score) == int(expected) == max(scores.values()) == scores[move]
        assert ok == "yes"
        assert lines[int(number)] == row
    assert lines[-2] == f"{len(PROBLEMS)} positions: {len(PROBLEMS)} right"


# Bad input


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give one or more OBF files, or --position"),
        (["{file}", "--position", FFO_1], "give one or more OBF files, or --position"),
        (["missing.obf"], "there is no file missing.obf"),
        (["games.wtb"], "games.wtb is not an .obf file"),
        (["{bad}"], "bad.obf, line 2: the board has 63 squares where 64 are needed"),
        (["--position", FFO_1[1:]], "the board has 63 squares"),
        (["{file}", "--first", "0"], "--first must be 1 or more, not 0"),
        (["{file}", "--last", "-1"], "--last must be 1 or more, not -1"),
        (["{file}", "--first", "99"], "no position to solve: the files hold 8"),
        (["{file}", "--first", "3", "--last", "2"], "no position to solve"),
        (["{file}", "--threads", "0"], "threads must be from 1 to 1024, not 0"),
        (["{file}", "--table", "40"], "--table must be from 10 to 28 (2^10 to 2^28 entries), not 40"),
        (["{file}", "--seconds", "0"], "seconds must be above 0"),
        (["{file}", "--nodes", "0"], "nodes must be 1 or more"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_one_sentence(capsys: pytest.CaptureFixture[str], file: Path, words: list[str], says: str) -> None:
    bad = file.with_name("bad.obf")
    bad.write_text(f"{FFO_1};\n{FFO_1[1:]};\n")
    said = run(capsys, *(word.format(file=file, bad=bad) for word in words), code=2)
    assert says in said
    assert said.startswith("zeroply: ")
    assert said.count("\n") == 1
