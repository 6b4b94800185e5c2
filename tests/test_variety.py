"""Different games are counted up to the symmetries of the board, and people are told when there are few."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zeroply as zp
from zeroply.arena.openings import openings
from zeroply.arena.pairs import Pairs
from zeroply.arena.variety import different, repetitive
from zeroply.cli.main import main
from zeroply.games import game

ALIKE = ("net(othello)", "net(othello-fast)")


def plainly(result: zp.MatchResult) -> int:
    """The same count, game by game: from the opening on, each position in the image whose text comes first."""
    seen = set()
    for number, record in enumerate(result.records()):
        opening = result.openings[number // 2]
        position = result.game.start() if opening.setup is None else result.game.parse(opening.setup)
        course = []
        for ply, move in enumerate([*record.moves, None]):
            if ply >= len(opening.moves):
                course.append(min(position.symmetry(k).text()[0] for k in range(8)))
            if move is not None:
                position = position.after([move])
        seen.add(tuple(course))
    return len(seen)


def by_hand(spec: str, begin: str, *games: str) -> int:
    """How many different games these transcripts are, which all begin alike."""
    rules = game(spec)
    rows = [rules.notation.cells(transcript) for transcript in games]
    moves = np.full((len(rows), max(map(len, rows))), -1, np.int16)
    for row, cells in zip(moves, rows, strict=True):
        row[: len(cells)] = cells
    return different(openings([begin], rules), Pairs(0, np.zeros((len(rows) // 2, 2)), moves))


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    main(["match", *words])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("spec", "start"),
    [
        ("othello(size=4)", "none"),
        ("othello(size=4)", "random(plies=3)"),
        ("othello(size=6)", "random(plies=1)"),
        ("gomoku(size=5)", "none"),
        ("gomoku(size=7)", "random(plies=2)"),
        ("atarigo(size=5)", "none"),
        ("atarigo(size=5, captures=2)", "random(plies=1)"),
    ],
)
@pytest.mark.parametrize(
    "players", [("random", "random"), ("naive", "naive(ties=lowest)"), 2 * ("naive(ties=lowest)",)]
)
def test_the_count_is_that_of_a_plain_loop(spec: str, start: str, players: tuple[str, str]) -> None:
    many = 8 if start == "random(plies=1)" else 40
    result = zp.match(*players, game=spec, openings=start, games=many, seed=3)
    assert result.different == plainly(result)


def test_players_that_always_play_alike_play_two_games() -> None:
    result = zp.match(*ALIKE, games=40)
    assert len({result.pairs.game(number) for number in range(40)}) > 2
    assert result.different == plainly(result) == 2
    assert "only 2 different games" in str(result)
    assert zp.match(*ALIKE, games=40, openings="random(plies=6)").different == 40


def test_random_players_never_play_alike() -> None:
    result = zp.match("random", "random", games=200)
    assert result.different == 200
    assert "different" not in str(result)


def test_images_of_a_game_are_the_same_game() -> None:
    assert by_hand("othello", "", "f5d6c3", "d3c5f6", "c4e3f6", "e6f4c3") == 1
    assert by_hand("othello", "", "f5d6c3", "d3c5f6", "f5d6c4", "d3c5d6") == 3
    assert by_hand("gomoku(size=5)", "", "A1B2", "E1D2", "A5B4", "E5D4") == 1
    assert by_hand("gomoku(size=5)", "", "A1B2", "E1B2") == 2


def test_a_symmetry_may_appear_in_the_middle_of_a_game() -> None:
    assert by_hand("gomoku(size=5)", "", "A1E5C3B1", "A1E5C3A2") == 1
    assert by_hand("gomoku(size=5)", "A1E5C3", "B1", "A2") == 1
    assert by_hand("gomoku(size=5)", "A1E5C3", "B1", "B2") == 2


def test_ways_to_the_same_opening_position_do_not_count() -> None:
    rules = game("gomoku(size=5)")
    moves = np.full((4, 1), rules.notation.cell("C3"), np.int16)
    pairs = Pairs(0, np.zeros((2, 2)), moves)
    assert different(openings(["A1B1C1", "C1B1A1"], rules), pairs) == 1
    assert different(openings(["A1B1C1", rules.replay("A1B1C1").text()[0]], rules), pairs) == 1
    assert different(openings(["A1B1C1", "A1B1D1"], rules), pairs) == 2


def test_a_game_that_was_broken_off_is_another_one() -> None:
    assert by_hand("othello", "", "f5d6", "f5d6c3") == 2


def test_no_games_are_no_different_games() -> None:
    empty = Pairs(0, np.zeros((0, 2)), np.zeros((0, 0), np.int16))
    assert different(openings("none", game("othello")), empty) == 0


@pytest.mark.parametrize(("count", "games", "few"), [(2, 100, True), (49, 100, True), (50, 100, False), (2, 2, False)])
def test_fewer_than_half_are_few(count: int, games: int, few: bool) -> None:
    assert repetitive(count, games) == few


# What people are told


def test_repeated_games_are_told_with_what_to_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = said(capsys, *ALIKE, "--games", "20")
    assert (
        "  games   only 2 of 20 are different, so the intervals are too narrow; give --openings for more variety\n"
        in text
    )
    (tmp_path / "few.txt").write_text("f5d6\nf5f4\n")
    text = said(capsys, *ALIKE, "--games", "20", "--openings", str(tmp_path / "few.txt"))
    assert (
        "  games   only 4 of 20 are different, so the intervals are too narrow; give more openings for more variety\n"
        in text
    )
    assert "different" not in said(capsys, *ALIKE, "--games", "20", "--openings", "random(plies=8)")
    assert json.loads(said(capsys, *ALIKE, "--games", "20", "--json"))["different"] == 2
