"""OBF: the standard endgame problems are read, positions are written with their scores, bad lines are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_play import play_on
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.records import GameRecord, Problem, load, read_obf, read_transcripts, save, scan, write_obf

OTHELLO = game("othello")
START = "---------------------------OX------XO---------------------------"
FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--"


def refused(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused, as it must be."""
    with pytest.raises(ZeroplyError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="module")
def endgames(data: Path) -> list[Problem]:
    found = [load(path) for path in sorted((data / "endgames").glob("fforum-*.obf"))]
    return [problem for problems in found for problem in problems if isinstance(problem, Problem)]


# The standard problems


def test_the_standard_problems_are_there(endgames: list[Problem]) -> None:
    assert len(endgames) == 59
    assert [endgames[number - 1].value for number in range(40, 45)] == [38, 0, 6, -12, -14]
    first = endgames[0]
    assert first.position == f"{FFO_1} X"
    assert [OTHELLO.notation.name(cell) for cell in first.best] == ["g8"]
    assert first.scores[1] == (OTHELLO.notation.cell("h1"), 12)


def test_every_scored_move_is_legal_and_scores_fall(endgames: list[Problem]) -> None:
    positions = OTHELLO.parse([problem.position for problem in endgames])
    for problem, legal in zip(endgames, positions.legal(), strict=True):
        assert problem.scores
        assert all(legal[cell] for cell, _ in problem.scores)
        scores = [score for _, score in problem.scores]
        assert scores == sorted(scores, reverse=True)
        assert set(problem.best) == {cell for cell, score in problem.scores if score == problem.value}


def test_the_standard_problems_are_written_as_they_are(data: Path, endgames: list[Problem]) -> None:
    text = "".join(path.read_text() for path in sorted((data / "endgames").glob("fforum-*.obf")))
    assert [line.rstrip() for line in write_obf(endgames).splitlines()] == [line.rstrip() for line in text.splitlines()]


# What is written is read back


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 60), st.booleans(), st.sampled_from(["othello", "othello(size=6)"]))
def test_a_problem_is_read_back(seed: int, plies: int, scored: bool, spec: str) -> None:
    rng, position = np.random.default_rng(seed), game(spec).start()
    moves = play_on(position, plies, rng)
    legal = np.flatnonzero(position.legal()[0]).tolist()
    scores = tuple((cell, int(rng.integers(-64, 65))) for cell in legal) if scored else ()
    problem = Problem(position.game, (), position.text()[0], scores=scores)
    assert read_obf(write_obf([problem]), game=spec) == [problem]
    played = write_obf([GameRecord(position.game, moves)])
    assert read_obf(played, game=spec)[0].position == position.text()[0]


def test_a_problem_is_a_record_without_moves(tmp_path: Path) -> None:
    (problem,) = read_obf(f"{FFO_1} X; G8:+18; H1:+12;")
    save([problem], tmp_path / "one.obf")
    assert load(tmp_path / "one.obf") == [problem]
    for suffix in (".txt", ".sgf", ".ggf"):
        save([problem], tmp_path / f"one{suffix}")
        assert load(tmp_path / f"one{suffix}") == [GameRecord(OTHELLO, (), f"{FFO_1} X")]


def test_games_and_problems_may_be_written_together() -> None:
    (problem,) = read_obf(f"{FFO_1} O; A4:-8;")
    small = GameRecord(game("othello(size=4)"))
    lines = write_obf([GameRecord(OTHELLO), problem, small]).splitlines()
    assert lines == [f"{START} X;", f"{FFO_1} O; A4:-8;", "-----OX--XO----- X;"]
    assert "not for gomoku" in refused(lambda: write_obf([GameRecord(game("gomoku"))]))
    assert "not for gomoku" in refused(lambda: read_obf("", game="gomoku"))


# As others write it


@pytest.mark.parametrize(
    "line",
    [
        f"{START} X",
        f"{START}X",
        f"  {START} X ; ",
        f"{START.replace('X', '*').replace('-', '.')} *;\r",
        f"{START.replace('X', 'b').replace('O', 'w')} b;",
        f"{' '.join(START[row : row + 8] for row in range(0, 64, 8))} x",
        f"% a comment\n\n# another\n{START} X; % the start",
    ],
)
def test_plain_board_strings_are_read(line: str) -> None:
    assert read_obf(line) == [Problem(OTHELLO)]
    assert read_obf(line)[0].position == f"{START} X"
    assert read_obf(line)[0].value is None
    assert read_obf(line)[0].best == ()


def test_board_strings_alone_are_read_among_transcripts() -> None:
    text = f"# game: othello\n{FFO_1} O\nf5d6\n{START} X # a comment\n{FFO_1.replace('-', '.')}X\n"
    records = read_transcripts(text)
    assert [record.setup for record in records] == [f"{FFO_1} O", None, None, f"{FFO_1} X"]
    assert [len(record.moves) for record in records] == [0, 2, 0, 0]
    atari = read_transcripts("# game: atarigo(size=5, captures=9)\n-XO--XO-O--XO------------ X captured=2/3 ko=C4")
    assert str(atari[0].setup).endswith("X captured=2/3 ko=C4")


def test_scores_and_squares_may_be_written_freely() -> None:
    (problem,) = read_obf(f"{START} X;f5:2 ;D3 : -4; c4:+0")
    assert [(OTHELLO.notation.name(cell), score) for cell, score in problem.scores] == [
        ("f5", 2),
        ("d3", -4),
        ("c4", 0),
    ]
    assert problem.value == 2


def test_equally_good_moves_are_all_best() -> None:
    (problem,) = read_obf(f"{START} X; F5:0; D3:0; C4:-2; E6:+0;")
    assert [OTHELLO.notation.name(cell) for cell in problem.best] == ["f5", "d3", "e6"]


# Bad lines


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (f"{START[1:]} X; F5:+0;", "the board has 63 squares where 64 are needed"),
        (f"-{START} X; F5:+0;", "the board has 65 squares where 64 are needed"),
        (f"{START}; F5:+0;", "the side to move, X or O, is missing after the 64 squares of the board"),
        (f"{START} -; F5:+0;", "board "),
        (f"{START.replace('O', '?')} X;", "'?' in board"),
        ("hello", "the board has 4 squares where 64 are needed"),
        ("; F5:+0", "the board has 0 squares"),
        (f"{START} X; Z9:+2;", "'Z9' is not a cell of this board: cells are a1 to h8"),
        (f"{START} X; F5:two;", "the score 'two' of F5 is not a whole number, as in G8:+18"),
        (f"{START} X; F5:;", "the score '' of F5 is not a whole number"),
        (f"{START} X; F5:+1.5;", "the score '+1.5' of F5 is not a whole number"),
        (f"{START} X; F5;", "'F5' is not a scored move such as G8:+18"),
        (f"{START} X; F5 +2;", "'F5 +2' is not a scored move"),
        (f"{START} X; F4:+2;", "f4 is scored but is not a legal move for Black; legal moves: d3, c4, f5, e6"),
        (f"{START} X; F5:+2; f5:+2;", "f5 is scored twice"),
        (
            f"{'X' * 64} X; A1:+2;",
            "a1 is scored but is not a legal move for Black; legal moves: none, game over",
        ),
        (f"OX{'-' * 62} X; C1:+2;", "Black has no move here: give the position with White to move"),
        (f"OX{'-' * 62} X; PS:+2;", "'PS' is not a cell"),
    ],
)
def test_bad_lines_are_refused_with_their_number(line: str, complaint: str) -> None:
    assert refused(lambda: read_obf(f"{START} X;\n\n{line}", "x.obf")).startswith(f"x.obf, line 3: {complaint}")


def test_check_finds_every_bad_line_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "some.obf"
    path.write_text(f"% problems\n{START} X; F5:+0;\n{START[1:]} X;\n{FFO_1} O;\nrubbish\n")
    found = scan(path)
    assert (found.games, len(found.records)) == (4, 2)
    assert [(fault.game, fault.place) for fault in found.faults] == [(2, "line 3"), (4, "line 5")]
    assert refused(lambda: load(path)) == str(found.faults[0])


@given(st.text("XO-*; :+0A1F5\n%", max_size=80))
def test_any_text_is_read_or_refused_in_one_sentence(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "junk.obf"
    for content in (text, f"{START} X;{text}"):
        path.write_text(content)
        found = scan(path)
        assert all("\n" not in str(fault) for fault in found.faults)
        assert len(found.records) + len(found.faults) == found.games


def test_control_characters_around_a_score_are_blanks() -> None:
    line = f"{game('othello').start().text()[0]}; F5:+1\x1d;"
    assert read_obf(line)[0].value == 1
