"""Openings: none, random ones, and files of transcripts, board strings and Gomocup offsets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zeroply as zp
from zeroply import records
from zeroply.analysis.judging import default_judge
from zeroply.arena.openings import OPENINGS, Openings, openings
from zeroply.games import game
from zeroply.search.outcomes import outcomes


def write(folder: Path, text: str, name: str = "openings.txt") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def everything(found: Openings) -> zp.Positions:
    return found.positions(0, len(found))


# None


@pytest.mark.parametrize("spec", ["othello", "gomoku(size=9)", "atarigo(size=5)"])
def test_none_is_the_usual_start(spec: str) -> None:
    found = openings("none", game(spec))
    assert len(found) == 1
    assert found.positions(0, 3).text() == 3 * game(spec).start().text()


# Random


@pytest.mark.parametrize(
    ("spec", "plies", "pairs"),
    [("othello", 6, 500), ("gomoku(size=9)", 2, 500), ("atarigo(size=5)", 4, 500), ("othello(size=4)", 4, 20)],
)
def test_random_openings_have_the_asked_length_and_differ_in_their_positions(spec: str, plies: int, pairs: int) -> None:
    found = openings(f"random(plies={plies})", game(spec), seed=3, pairs=pairs)
    assert len(found) == pairs
    assert all(len(found[k].moves) == plies for k in range(pairs))
    ends = everything(found)
    assert len(set(ends.text())) == pairs
    assert not ends.over().any()
    assert (ends.move_number() == plies + 1).all()


@pytest.mark.parametrize("spec", ["othello", "gomoku(size=9)", "atarigo(size=7)", "hex(size=5)"])
def test_even_openings_are_near_the_middle_and_a_search_sees_no_winner(spec: str) -> None:
    rules = game(spec)
    found = openings("even(plies=4, within=2)", rules, seed=3, pairs=12)
    assert len(set(everything(found).text())) == 12
    assert all(len(found[k].moves) == 4 for k in range(12))
    middle = (rules.size - 1) / 2
    for cell in {move for k in range(12) for move in found[k].moves}:
        assert max(abs(cell // rules.size - middle), abs(cell % rules.size - middle)) <= 2.5
    judge = zp.player("engine(depth=6)" if rules.facts.threats is not None else default_judge(rules), rules)
    assert (outcomes(judge.prefer(everything(found)).max(axis=1)) == 0).all()
    again = openings("even(plies=4, within=2)", rules, seed=3, pairs=5)
    assert everything(again).text() == everything(found).text()[:5]


def test_even_openings_are_evened_by_the_search() -> None:
    rules = game("gomoku(size=9)")
    drawn = everything(openings("random(plies=6)", rules, seed=3, pairs=100))
    judge = zp.player("engine(depth=4)", rules)
    decided = outcomes(judge.prefer(drawn).max(axis=1)) != 0
    assert decided.any()
    kept = everything(openings("even(plies=6)", rules, seed=3, pairs=100))
    assert not (outcomes(judge.prefer(kept).max(axis=1)) != 0).any()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("even(plies=0)", "even openings need from 1 to 2500 plies, not 0"),
        ("even(plies=4, balance=0)", "balance of even openings must be above 0, not 0"),
        ("even(plies=4, within=-1)", "even openings lie within 0 or more lines of the middle, not -1"),
        ("even(plies=4, within=0)", "no even openings of 4 plies found in gomoku"),
    ],
)
def test_even_openings_that_cannot_be(spec: str, says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=says):
        openings(spec, game("gomoku"))


def test_random_openings_are_named_by_their_seed() -> None:
    first, again, other = (openings("random(plies=4)", game("othello"), seed, 50) for seed in (1, 1, 2))
    assert first.fingerprint() == again.fingerprint() != other.fingerprint()
    assert everything(first).text() == everything(again).text() != everything(other).text()


@pytest.mark.parametrize("fewer", [1, 2, 49, 200, 511])
def test_the_first_openings_are_the_same_however_many_are_asked_for(fewer: int) -> None:
    more = openings("random(plies=6)", game("othello"), 5, 512)
    few = openings("random(plies=6)", game("othello"), 5, fewer)
    assert [few[k] for k in range(fewer)] == [more[k] for k in range(fewer)]


def test_other_plies_give_other_openings() -> None:
    short, long = (openings(f"random(plies={plies})", game("gomoku(size=9)"), 5, 40) for plies in (2, 3))
    assert [one.moves for one in (short[k] for k in range(40))] != [long[k].moves[:2] for k in range(40)]


def test_all_openings_there_are_can_be_had() -> None:
    assert len(set(everything(openings("random(plies=1)", game("othello"), 1, 4)).text())) == 4
    assert len(set(everything(openings("random(plies=1)", game("gomoku(size=5)"), 1, 25)).text())) == 25


@pytest.mark.parametrize(("spec", "plies", "there_are"), [("othello", 1, 4), ("gomoku(size=5)", 1, 25)])
def test_more_openings_than_there_are_say_how_many_there_are(spec: str, plies: int, there_are: int) -> None:
    with pytest.raises(zp.ZeroplyError, match=f"only about {there_are} .* at most {2 * there_are} games"):
        openings(f"random(plies={plies})", game(spec), 1, there_are + 1)


@pytest.mark.parametrize(
    ("spec", "plies"),
    [("othello", 60), ("othello(size=4)", 12), ("gomoku(size=5)", 1000), ("atarigo", 10**9), ("othello", 10**20)],
)
def test_openings_longer_than_the_game_say_that_fewer_plies_are_needed(spec: str, plies: int) -> None:
    with pytest.raises(zp.ZeroplyError, match="fewer plies"):
        openings(f"random(plies={plies})", game(spec), 1, 10)


@pytest.mark.parametrize(
    "spec", ["random", "random(plies=0)", "random(plies=-3)", "random(plies=1.5)", "random(ply=2)"]
)
def test_random_openings_need_a_number_of_plies(spec: str) -> None:
    with pytest.raises(zp.ZeroplyError, match="pl"):
        openings(spec, game("othello"), 1, 10)


@pytest.mark.parametrize("pairs", [1_000_001, 10**20])
def test_more_openings_than_fit_into_memory_are_refused(pairs: int) -> None:
    with pytest.raises(zp.ZeroplyError, match="at most 1,000,000 random openings"):
        openings("random(plies=20)", game("othello"), 1, pairs)


def test_games_of_atari_go_with_captures_last_longer_than_they_have_cells() -> None:
    rules = game("atarigo(size=5, captures=30, suicide=illegal)")
    assert len(openings("random(plies=40)", rules, 1, 2)[0].moves) == 40


# Files


def test_a_file_may_mix_transcripts_boards_comments_and_blank_lines(tmp_path: Path) -> None:
    board = "---------------------------OX------XXX-----OOO------------------ X"
    path = write(tmp_path, f"# a comment\n\nf5d6\nF5 d6, c3  # spaced\n{board}\n{board[:64]}X\n", "mixed.txt")
    othello = game("othello")
    found = openings(path, othello)
    ends = everything(found).text()
    assert len(found) == 4
    assert ends[0] == othello.replay("f5d6").text()[0]
    assert ends[1] == othello.replay("f5d6c3").text()[0]
    assert ends[2] == ends[3] == board


def test_a_file_is_named_by_its_path_or_by_a_spec(tmp_path: Path) -> None:
    path = write(tmp_path, "f5d6\n", "my openings (old).txt")
    by_path, by_spec = openings(path, game("othello")), openings(f'file("{path}")', game("othello"))
    assert by_path.fingerprint() == by_spec.fingerprint()


def test_a_file_may_come_from_windows(tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes("\ufefff5d6\r\nf5f6\r\n".encode())
    assert len(openings(str(path), game("othello"))) == 2


def test_openings_come_round_again_when_a_file_is_short(tmp_path: Path) -> None:
    path = write(tmp_path, "f5d6\nf5f4\nf5f6\n")
    found = openings(path, game("othello"), pairs=7)
    assert [found[k] for k in range(7)] == [found[k % 3] for k in range(7)]
    assert zp.match("random", "random", openings=path).games == 6


def test_a_changed_file_changes_the_fingerprint_and_a_changed_comment_does_not(tmp_path: Path) -> None:
    texts = ("f5d6\nf5f4\n", "f5d6 # perpendicular\nf5f4\n", "f5d6\nf5f6\n", "f5f4\nf5d6\n")
    prints = [openings(write(tmp_path, text), game("othello")).fingerprint() for text in texts]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


def test_gomocup_offsets_count_from_the_centre(tmp_path: Path) -> None:
    path = write(tmp_path, "0,0, 1,0, -2,3\n0,0\n+1,-1,0,0\n")
    found = openings(path, game("gomoku(size=15)"))
    # Column and row of each stone; rows are counted from the top here, from the bottom in names.
    names = [[game("gomoku(size=15)").notation.name(cell) for cell in found[k].moves] for k in range(3)]
    assert names == [["H8", "J8", "F5"], ["H8"], ["J9", "H8"]]


def test_board_strings_of_atari_go_keep_captures_and_ko(tmp_path: Path) -> None:
    rules = game("atarigo(size=5, captures=3)")
    position = rules.replay("B3C3A4D4B5C5C4B4")  # White has just taken C4
    text = position.text()[0]
    assert "captured=" in text
    assert "ko=" in text
    found = openings(write(tmp_path, text + "\n"), rules)
    assert everything(found).text() == [text]


# Published files


# Games


@pytest.mark.parametrize("suffix", [".sgf", ".ggf", ".wtb", ".txt"])
def test_openings_may_be_the_beginnings_of_games(tmp_path: Path, suffix: str) -> None:
    games = zp.match("random", "random", games=20, seed=1).records()
    records.save(games, tmp_path / f"games{suffix}")
    found = openings(f"file('{tmp_path}/games{suffix}', plies=3)", game("othello"))
    begun = list(dict.fromkeys(record.moves[:3] for record in games))
    assert [found[k].moves for k in range(len(found))] == begun
    assert len(begun) < len(games)
    with pytest.raises(zp.ZeroplyError, match=r"(game 1|line 2): this opening ends .*file\(\".*\", plies=8\)"):
        openings(tmp_path / f"games{suffix}", game("othello"))


def test_games_that_are_over_by_then_are_no_openings(tmp_path: Path) -> None:
    five = game("atarigo(size=5)")
    games = zp.match("random", "random", game=five, games=20, seed=2).records()
    records.save(games, tmp_path / "games.sgf")
    found = openings(f"file('{tmp_path}/games.sgf', plies=8)", five)
    assert 0 < len(found) == sum(len(record.moves) > 8 for record in games) < len(games)
    with pytest.raises(zp.ZeroplyError, match="holds no openings of 500 plies"):
        openings(f"file('{tmp_path}/games.sgf', plies=500)", five)


def test_a_set_up_game_begins_at_its_board(tmp_path: Path) -> None:
    board = game("othello").replay("f5d6").text()
    games = zp.match("random", "random", openings=board, games=2).records()
    records.save(games, tmp_path / "games.sgf")
    found = openings(f"file('{tmp_path}/games.sgf', plies=1)", game("othello"))
    assert found[0].setup == board[0]
    assert everything(found)[0].text() == game("othello").parse(board).after(games[0].moves[:1]).text()


def test_a_bad_game_is_named_by_its_number(tmp_path: Path) -> None:
    path = write(tmp_path, "(;GM[2]SZ[8]B[f5]W[d6])(;GM[2]SZ[8]B[f5]W[a1])", "games.sgf")
    with pytest.raises(zp.ZeroplyError, match=r"games\.sgf, game 2: .*a1"):
        openings(f"file('{path}', plies=2)", game("othello"))


def test_a_list_is_read_as_the_lines_of_a_file_are(tmp_path: Path) -> None:
    lines = [" f5 d6 ", "f5f6 # diagonal", "f5"]
    found, same = openings(lines, game("othello")), openings(write(tmp_path, "\n".join(lines)), game("othello"))
    assert found.fingerprint() == same.fingerprint()
    with pytest.raises(zp.ZeroplyError, match="opening 2: "):
        openings(["f5", "f5f5"], game("othello"))


# Published ones


def test_the_thousand_openings_of_runarsson_and_lucas(data: Path) -> None:
    rules = game("othello")
    found = openings(str(data / "openings" / "othello-runarsson-lucas-1000.txt"), rules)
    ends = everything(found)
    assert len(found) == 1000
    assert ((ends.stones() != 0).sum(axis=1) == 11).all()
    assert (ends.to_move() == -1).all()
    assert (ends.move_number() == 8).all()
    images = np.array([ends.symmetry(k).hash() for k in range(8)])
    assert len(np.unique(images.min(axis=0))) == 857


def test_the_openings_of_xot(data: Path) -> None:
    rules = game("othello")
    found = openings(str(data / "openings" / "othello-xot-10784.txt"), rules)
    assert len(found) == 10_784
    assert {found[k].moves[0] for k in range(len(found))} == {rules.notation.cell("f5")}
    assert {len(found[k].moves) for k in range(len(found))} == {8}
    assert not everything(found).over().any()


def test_the_gomoku_openings_of_piskvork(data: Path) -> None:
    size, path = 19, data / "openings" / "gomoku-piskvork.txt"
    found = openings(str(path), game(f"gomoku(size={size})"))
    lines = path.read_text().splitlines()
    assert len(found) == len(lines) == 41
    for line, board in zip(lines, everything(found).stones().reshape(-1, size, size), strict=True):
        numbers = [int(part) for part in line.split(",") if part.strip()]
        for ply, (dx, dy) in enumerate(zip(numbers[::2], numbers[1::2], strict=True)):
            assert board[size // 2 + dy, size // 2 + dx] == (1 if ply % 2 == 0 else -1)
        assert np.count_nonzero(board) == len(numbers) // 2


@pytest.mark.parametrize(
    ("name", "size", "says"),
    [
        ("gomoku-piskvork", 15, "line 41: offset -8,-6 is off the board of gomoku"),
        ("gomoku-gomocup-20", 15, "line 1: offset -7,-8 is off the board of gomoku"),
        ("gomoku-gomocup-20", 19, "line 5: offset -4,-10 is off the board of gomoku"),
    ],
)
def test_openings_for_a_larger_board_say_which_line_does_not_fit(data: Path, name: str, size: int, says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=rf"{name}\.txt, {says}"):
        openings(str(data / "openings" / f"{name}.txt"), game(f"gomoku(size={size})"))


def test_those_openings_for_a_larger_board_that_fit_can_be_played(data: Path, tmp_path: Path) -> None:
    lines = (data / "openings" / "gomoku-gomocup-20.txt").read_text().splitlines(keepends=True)
    fitting = [line for line in lines if "10" not in line]
    found = openings(write(tmp_path, "".join(fitting)), game("gomoku(size=19)"))
    assert len(found) == len(fitting) > 3
    assert not everything(found).over().any()


# Bad files


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("f5d6\nf5f5\n", r"line 2: move 2: f5 is not a legal move for White; legal moves: f4, d6, f6"),
        ("f5\n\n# comment\na1\n", r"line 4: move 1: a1 is not a legal move for Black"),
        ("f5d6c9\n", r"line 1: 'c9' is not a cell of this board"),
        ("f5d6 ??\n", r"line 1: .*is not a list of moves"),
        ("---XO---\n", r"line 1: board .* has 8 cells where 64 are needed"),
        ("-" * 64 + "\n", r"line 1: board .* side to move"),
        ("X" * 64 + " X\n", r"line 1: this opening ends the game"),
        ("0,0, 1\n", r"line 1: .* odd number of offsets"),
        ("0,0, 1,--1\n", r"line 1: .* is not a list of offsets"),
        ("9,9\n", r"line 1: offset 9,9 is off the board"),
        ("f5" * 200 + "\n", r"line 1: move 2"),
        ("hello world\n", r"line 1: "),
        ("", "holds no openings"),
        ("# nothing\n\n", "holds no openings"),
    ],
)
def test_a_bad_opening_is_explained_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(zp.ZeroplyError, match=says) as caught:
        openings(path, game("othello"))
    assert "openings.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_opening_that_ends_the_game_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "A1B5B1C5C1D5D1E5\nA1B5B1C5C1D5D1E5E1\n")
    with pytest.raises(zp.ZeroplyError, match="line 2: this opening ends the game"):
        openings(path, game("gomoku(size=5)"))
    write(tmp_path, "A1B5B1C5C1D5D1E5E1E4\n")
    with pytest.raises(zp.ZeroplyError, match="line 1: move 10 comes after the end of the game"):
        openings(path, game("gomoku(size=5)"))


def test_offsets_of_a_stone_that_is_there_already_are_refused(tmp_path: Path) -> None:
    with pytest.raises(zp.ZeroplyError, match="line 1: move 2: H8 is not a legal move"):
        openings(write(tmp_path, "0,0, 0,0\n"), game("gomoku(size=15)"))


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(zp.ZeroplyError, match=r"cannot read the opening file .*picture\.png: it is not text"):
        openings(str(path), game("othello"))


@pytest.mark.parametrize("name", ["missing.txt", "nowhere/missing.txt", "missing openings.txt"])
@pytest.mark.parametrize("form", ["{}", 'file("{}")'])
def test_a_missing_file_is_called_missing(tmp_path: Path, name: str, form: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"No such file|no file"):
        openings(form.format(tmp_path / name), game("othello"))


def test_a_missing_file_beside_us_is_called_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(zp.ZeroplyError, match=r"No such file|no file"):
        openings("missing.txt", game("othello"))


@pytest.mark.parametrize("form", ["{}", 'file("{}")'])
def test_a_folder_is_no_opening_file(tmp_path: Path, form: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"Is a directory|is a folder|not a file"):
        openings(form.format(tmp_path), game("othello"))


def test_a_name_too_long_for_a_file_is_refused() -> None:
    with pytest.raises(zp.ZeroplyError):
        openings("x" * 300, game("othello"))


def test_a_file_by_the_name_of_an_opening_does_not_hide_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "f5d6\n", "none")
    assert openings("none", game("othello")).positions(0, 1).text() == game("othello").start().text()


@pytest.mark.parametrize("spec", ["nothing", "random(plies=2", "random(plies=2) 3", ""])
def test_an_unknown_opening_says_what_there_is(spec: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"choose from .*file.*none.*random|cannot read the spec") as caught:
        openings(spec, game("othello"))
    assert "\n" not in str(caught.value)


def test_every_kind_of_opening_has_a_line_of_help() -> None:
    assert {"file", "none", "random"} <= {entry.name for entry in OPENINGS.entries()}
    assert all(entry.help for entry in OPENINGS.entries())
