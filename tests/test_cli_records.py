"""`zeroply records`: any format becomes any other, counts are right, every bad game is listed and the rest goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_play
from zeroply.cli.main import main
from zeroply.games import game
from zeroply.records import FORMATS, GameRecord, load, save, scan
from zeroply.records.record import replay
from zeroply.records.sgf import write_sgf
from zeroply.records.summary import summarise
from zeroply.records.transcripts import write_transcripts

OTHELLO = game("othello")
GAMES = [suffix for suffix in FORMATS if suffix != ".obf"]
random_record = partial(random_play.random_record, event="Cambridge", date="1999")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command that succeeds prints; it says nothing on stderr."""
    capsys.readouterr()
    main(["records", *words])
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def failure(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    """What a command that fails with that exit code prints."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main(["records", *words])
    assert caught.value.code == code
    said = capsys.readouterr()
    return said.err if code == 2 else said.out


# convert


@pytest.mark.parametrize("before", GAMES)
@pytest.mark.parametrize("after", GAMES)
def test_any_format_becomes_any_other(
    capsys: pytest.CaptureFixture[str], workplace: Path, before: str, after: str
) -> None:
    records = [random_record(seed, "othello", "Anna", f"Zoë {seed}") for seed in range(3)]
    save(records, f"in{before}")
    assert output(capsys, "convert", f"in{before}", f"out{after}") == f"3 games written to out{after}\n"
    assert load(f"out{after}") == records


@pytest.mark.parametrize("before", [".txt", ".sgf", ".ggf"])
@pytest.mark.parametrize("after", [".txt", ".sgf", ".ggf"])
def test_forfeited_games_stay_forfeited_and_count_as_finished(
    capsys: pytest.CaptureFixture[str], workplace: Path, before: str, after: str
) -> None:
    broken = random_record(1, "othello", "Anna", "Zoë", plies=20)
    records = [replace(broken, forfeit=1), replace(broken, forfeit=-1, black="", white="", event="", date=""), broken]
    save(records, f"in{before}")
    output(capsys, "convert", f"in{before}", f"out{after}")
    assert load(f"out{after}") == records
    assert output(capsys, "check", f"out{after}") == "1 file, 3 games: all good\n"
    (found,) = json.loads(output(capsys, "stats", f"out{after}", "--json"))["by_game"]
    assert [found[key] for key in ("black_wins", "draws", "white_wins", "unfinished")] == [1, 0, 1, 1]
    assert found["players"][0] == {"name": "Anna", "games": 2, "score": 0.0}


def test_several_files_become_one(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    records = [random_record(seed, "othello", "Anna", "Zoë") for seed in range(4)]
    for record, suffix in zip(records, GAMES, strict=True):
        save([record], f"one{suffix}")
    output(capsys, "convert", *(f"one{suffix}" for suffix in GAMES), "all.sgf")
    assert load("all.sgf") == records


def test_games_become_their_last_positions_and_problems_keep_their_scores(
    capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    Path("openings.txt").write_text("# game: othello\nf5d6\nf5f6\n")
    Path("more.obf").write_text(f"{OTHELLO.replay('f5').text()[0]}; D6:+0; F6:-2;\n")
    output(capsys, "convert", "openings.txt", "more.obf", "all.obf")
    first, second, third = Path("all.obf").read_text().splitlines()
    assert first == f"{OTHELLO.replay('f5d6').text()[0]};"
    assert second == f"{OTHELLO.replay('f5f6').text()[0]};"
    assert third == f"{OTHELLO.replay('f5').text()[0]}; D6:+0; F6:-2;"


@pytest.mark.parametrize("spec", ["gomoku(size=9)", "atarigo(size=5)"])
def test_games_other_than_othello_go_where_they_can(
    capsys: pytest.CaptureFixture[str], workplace: Path, spec: str
) -> None:
    record = random_record(1, spec, "left", "right")
    save([record], "game.sgf")
    output(capsys, "convert", "game.sgf", "game.txt")
    assert load("game.txt") == [record]
    for out in ("game.ggf", "game.wtb", "game.obf"):
        assert f"not for {spec.partition('(')[0]}" in failure(capsys, 2, "convert", "game.txt", out)
        assert not Path(out).exists()


def test_a_file_is_not_replaced_by_mistake(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    for seed in range(2):
        save([random_record(seed)], f"{seed}.sgf")
    said = failure(capsys, 2, "convert", "0.sgf", "1.sgf")
    assert said == "zeroply: 1.sgf exists: give the name of a new file, or --overwrite to replace it\n"
    assert load("1.sgf") == [random_record(1)]
    output(capsys, "convert", "0.sgf", "1.sgf", "--overwrite")
    assert load("1.sgf") == [random_record(0)]


def test_bad_games_stop_a_conversion_unless_they_may_be_left_out(
    capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    Path("in.txt").write_text("# game: othello\nf5d6\nf5d7\nf5f6\n")
    said = failure(capsys, 2, "convert", "in.txt", "out.sgf")
    assert said.startswith("zeroply: in.txt, line 3: move 2: d7 is not a legal move for White")
    assert not Path("out.sgf").exists()
    assert output(capsys, "convert", "in.txt", "out.sgf", "--skip-bad") == "2 games written to out.sgf, 1 left out\n"
    assert len(load("out.sgf")) == 2


def test_the_game_may_be_named(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    Path("in.txt").write_text("f5d6\n")
    assert "line 1: which game is this?" in failure(capsys, 2, "convert", "in.txt", "out.ggf")
    output(capsys, "convert", "in.txt", "out.ggf", "--game", "othello")
    assert load("out.ggf") == [GameRecord(OTHELLO, (37, 43))]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["convert", "in.txt", "out.pgn"], "ends in .txt (transcripts) or .sgf (SGF) or .ggf (GGF) or .wtb (WTHOR)"),
        (["convert", "in.txt", "missing/out.sgf"], "cannot write missing/out.sgf: there is no folder missing"),
        (["convert", "none.sgf", "out.sgf"], "there is no file none.sgf"),
        (["convert", "out.sgf"], "give one or more files to read and, last, the file to write"),
        (["convert"], "give one or more files to read"),
        (["check", "in.pgn"], "unlike in.pgn"),
        (["check", "in.txt", "none.sgf"], "there is no file none.sgf"),
        (["check"], "give one or more files"),
        (["stats", "folder.sgf"], "folder.sgf is not a file"),
        (["stats", "in.txt", "--plies", "0"], "1 ply or more, not 0"),
        (["stats", "in.txt", "--game", "chess"], "unknown game 'chess'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    capsys: pytest.CaptureFixture[str], workplace: Path, words: list[str], complaint: str
) -> None:
    Path("in.txt").write_text("# game: othello\nf5d6\n")
    Path("folder.sgf").mkdir()
    said = failure(capsys, 2, *words)
    assert complaint in said
    assert said.count("\n") == 1
    assert sorted(path.name for path in workplace.iterdir()) == ["folder.sgf", "in.txt"]


# check


def bad_files() -> None:
    """A file of each format, with good games and bad ones."""
    Path("a.txt").write_text("# game: othello\n\nf5d6\nf5d7\nf5f6\nf5!\n")
    Path("b.sgf").write_text("(;GM[2];B[fe])(;GM[2];B[fe];W[PA])(;GM[2]SZ[?])(;GM[2];B[fe]!)(;GM[2];B[F5])")
    Path("c.ggf").write_text("(;GM[Othello]B[F5];)(;GM[Othello]B[A1];)")
    save([random_record(1, black="Anna"), random_record(2), random_record(3)], "d.wtb")
    data = bytearray(Path("d.wtb").read_bytes())
    data[16 + 68 + 8] = 99
    Path("d.wtb").write_bytes(data[:-1])
    Path("e.obf").write_text(f"{OTHELLO.start().text()[0]}; F5:+0;\n{'-' * 63} X;\n")
    Path("f.sgf").write_text("nothing")


def test_every_bad_game_is_listed_with_file_number_and_reason(
    capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    bad_files()
    said = failure(capsys, 1, "check", "a.txt", "b.sgf", "c.ggf", "d.wtb", "e.obf", "f.sgf").splitlines()
    expected = [
        "a.txt, game 2 (line 4): move 2: d7 is not a legal move for White; legal moves: f4, d6, f6",
        "a.txt, game 4 (line 6): 'f5!' is not a list of moves such as b2c3",
        "b.sgf, game 2: move 2: White passes but has a move",
        "b.sgf, game 3: SZ[?] is not the size of a square board",
        "b.sgf, game 4: '!)(;GM[2];B[F5])' is neither a property such as B[dc] nor one of ( ) ;",
        "c.ggf, game 2: move 1: a1 is not a legal move for Black; legal moves: d3, c4, f5, e6",
        "d.wtb, game 2: move 1: byte 99 is not a square, from 11 (a1) to 88 (h8)",
        "d.wtb, game 3: the file is cut off at byte 219, its header promises 3 games: 67 of its 68 bytes are there",
        "e.obf, game 2 (line 2): the board has 63 squares where 64 are needed, before the side to move",
        "warning: f.sgf holds no game: an SGF file has '(;' at the start of each",
        "6 files, 16 games: 9 bad, 1 warning",
    ]
    assert said == expected


def test_the_same_as_json(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    bad_files()
    found = json.loads(failure(capsys, 1, "check", "a.txt", "c.ggf", "f.sgf", "--json"))
    assert (found["files"], found["games"]) == (3, 6)
    assert [(one["file"], one["game"], one["place"]) for one in found["bad"]] == [
        ("a.txt", 2, "line 4"),
        ("a.txt", 4, "line 6"),
        ("c.ggf", 2, "game 2"),
    ]
    assert [(one["file"], one["place"]) for one in found["warnings"]] == [("f.sgf", "")]


def test_good_games_are_said_to_be_good(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    save([random_record(seed) for seed in range(3)], "a.sgf")
    save([random_record(4, "gomoku(size=7)")], "b.txt")
    assert output(capsys, "check", "a.sgf", "b.txt") == "2 files, 4 games: all good\n"
    assert json.loads(output(capsys, "check", "a.sgf", "--json")) == {
        "files": 1,
        "games": 3,
        "bad": [],
        "warnings": [],
    }


def test_damaged_names_are_warned_of_once_and_all_games_are_there(
    capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    files = ["0.wtb", "1.wtb", "2.wtb"]
    for seed, file in enumerate(files):
        save([random_record(seed, black="Anna")], file)
    names = Path("WTHOR.JOU")
    names.write_bytes(names.read_bytes()[:-1])
    warning = "warning: WTHOR.JOU is damaged: the 2 names it promises need 56 bytes, but it has 55\n"
    assert failure(capsys, 1, "check", *files) == f"{warning}3 files, 3 games: 0 bad, 1 warning\n"
    for words, out in (([], "a.sgf"), (["--skip-bad"], "b.sgf")):
        main(["records", "convert", *files, out, *words])
        said = capsys.readouterr()
        assert (said.out, said.err) == (f"3 games written to {out}\n", warning)
        assert [record.moves for record in load(out)] == [random_record(seed).moves for seed in range(3)]
    main(["records", "stats", *files, "--json"])
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["games"], found["bad"], said.err) == (3, 0, warning)


def test_the_database_is_checked_by_the_program_in_seconds(data: Path) -> None:
    files = sorted(map(str, (data / "wthor").glob("*.wtb")))
    program = Path(sys.executable).with_name("zeroply")
    done = subprocess.run(
        [program, "records", "check", *files], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "39 files, 114,871 games: all good\n", "")


# stats


def test_counts_are_those_of_the_games(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    records = [random_record(seed, "othello", f"player {seed % 3}", "Zoë", plies=60 - seed % 2) for seed in range(20)]
    save(records[:10], "a.sgf")
    save(records[10:], "b.ggf")
    found: dict[str, Any] = json.loads(output(capsys, "stats", "a.sgf", "b.ggf", "--json", "--top", "2"))
    assert (found["games"], found["bad"]) == (20, 0)
    (othello,) = found["by_game"]
    movers = [replay([record]).movers for record in records]
    assert othello["moves"] == sum(len(record.moves) for record in records)
    assert othello["passes"] == sum(int(np.count_nonzero(one[1:] == one[:-1])) for one in movers)
    results = [record.result[0] for record in records]
    counted = [othello[key] for key in ("black_wins", "draws", "white_wins", "unfinished")]
    assert counted == [results.count(letter) for letter in "BDW?"]
    assert sum(othello["lengths"].values()) == 20
    assert othello["years"] == {"1999": 20}
    assert (len(othello["players"]), othello["named_players"]) == (2, 4)
    finished = [record for record in records if record.result != "?"]
    score = sum({-1: 1.0, 0: 0.5, 1: 0.0}[record.winner] for record in finished) / len(finished)
    assert othello["players"][0] == {"name": "Zoë", "games": 20, "score": pytest.approx(score)}


def test_openings_are_counted_up_to_symmetry_and_shown_as_played_most() -> None:
    records = [GameRecord(OTHELLO, tuple(OTHELLO.notation.cells(moves))) for moves in ("f5d6", "e6f4", "f5d6", "c4e3")]
    records += [GameRecord(OTHELLO, tuple(OTHELLO.notation.cells(moves))) for moves in ("f5f6", "f5")]
    records += [GameRecord(OTHELLO, (), OTHELLO.replay("f5").text()[0])]
    (summary,) = summarise(records, plies=2)
    named = {OTHELLO.notation.transcript(list(moves)): points.games for moves, points in summary.openings.items()}
    assert named == {"f5d6": 4, "f5f6": 1}
    assert (summary.games, summary.setups, summary.unfinished) == (7, 1, 7)


def test_games_of_several_kinds_are_counted_apart(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    save([random_record(1), random_record(2, "gomoku(size=7)"), random_record(3, "gomoku(size=7)")], "a.txt")
    Path("b.ggf").write_text("(;GM[Othello]B[A1];)")
    found = json.loads(output(capsys, "stats", "a.txt", "b.ggf", "--json"))
    assert (found["games"], found["bad"]) == (3, 1)
    assert [(one["game"], one["games"]) for one in found["by_game"]] == [
        ("gomoku(size=7, exact=false)", 2),
        ("othello(size=8)", 1),
    ]


def test_the_table_shows_names_as_they_are(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    save([random_record(seed, "othello", "[bold]Anna[/bold]", "Zoë") for seed in range(3)], "a.txt")
    said = output(capsys, "stats", "a.txt", "--plies", "1")
    assert "[bold]Anna[/bold]" in said
    assert "1999 to 1999" in said
    assert "opening, 1 move " in said
    Path("empty.sgf").write_text("")
    assert output(capsys, "stats", "empty.sgf") == "no games\n"


def test_tables_are_whole_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, workplace: Path
) -> None:
    save(
        [random_record(seed, "othello", "Johannes Chrysostomus", "Wolfgangus Theophilus") for seed in range(3)], "a.txt"
    )
    monkeypatch.setattr("zeroply.cli.output.console.width", 20)
    lines = output(capsys, "stats", "a.txt").splitlines()
    assert any(line.split() == ["opening,", "6", "moves", "games", "Black's", "score"] for line in lines)
    assert any(line.split()[:3] == ["Johannes", "Chrysostomus", "3"] for line in lines)
    assert any(line.split() == ["years", "1999", "to", "1999"] for line in lines)


def test_the_database_is_counted_as_published(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    files = sorted(map(str, (data / "wthor").glob("WTH_20*.wtb")))
    (othello,) = json.loads(output(capsys, "stats", *files, "--plies", "1", "--json"))["by_game"]
    assert [one["moves"] for one in othello["openings"]] == ["f5"]
    assert set(othello["years"]) == {str(year) for year in range(2000, 2016)}
    assert othello["games"] == sum(othello["years"].values())


# What text formats keep


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=10), min_size=4, max_size=4))
def test_event_and_date_survive_as_text(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    record = GameRecord(OTHELLO, (37, 43), None, *names)
    for suffix, write in ((".txt", write_transcripts), (".sgf", write_sgf)):
        path = tmp_path_factory.getbasetemp() / f"names{suffix}"
        path.write_bytes(write([record, record]).encode())
        assert load(path) == [record, record]


def test_a_tree_that_is_cut_off_does_not_swallow_the_next_one(workplace: Path) -> None:
    Path("a.sgf").write_text("(;GM[2];B[fe](;W[df]\n(;FF[4]GM[2];B[fe])\n(;GM[2]SZ[8];B[fe];W[df])")
    with pytest.raises(ValueError, match=r"a\.sgf, game 1: it is cut off"):
        load("a.sgf")
    found = scan("a.sgf")
    assert [len(record.moves) for record in found.records] == [1, 2]
    assert [fault.game for fault in found.faults] == [1]
