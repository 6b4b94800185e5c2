"""A game in the terminal: it is kept however it ends, begins anywhere, and whoever asks for a hint gets one."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import zeroply as zp
from zeroply import records
from zeroply.cli.main import main

ENGINE = Path(__file__).parent / "engines" / "gtp_engine.py"
OTHELLO = zp.game("othello")

Play = Callable[..., str]


def program(game: str, *options: str) -> str:
    """A foreign program as a player."""
    command = shlex.join([sys.executable, str(ENGINE), game, *options])
    return f'gtp("{command}")'


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Play in the terminal, typing the given lines; what is printed."""

    def played(typed: list[str], *words: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        capsys.readouterr()
        main(["play", *words])
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    return played


# Keeping the game


@pytest.mark.parametrize("name", ["game.txt", "game.sgf", "game.ggf", "game.wtb"])
@pytest.mark.parametrize(("end", "result"), [("quit", "?"), ("resign", "W+F")])
def test_a_game_is_saved_also_if_it_is_not_played_to_its_end(
    play: Play, workplace: Path, name: str, end: str, result: str
) -> None:
    shown = play(["f5", end], "random(ties=lowest)", "--save", name)
    (record,) = records.load(name)
    assert OTHELLO.notation.transcript(list(record.moves)) == "f5f4"
    assert (record.black, record.white) == ("You", "random(ties=lowest)")
    assert record.result == ("?" if name == "game.wtb" else result)  # WTHOR has no word for it
    assert f"zeroply analyse {name}" in shown
    assert [path.suffix for path in workplace.iterdir() if path.suffix not in (".JOU", ".TRN")] == [Path(name).suffix]


def test_a_game_that_is_won_is_saved_and_can_be_analysed(
    play: Play, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["A1", "b1", "C1", "d1", "E1"]
    shown = play(typed, "random(ties=lowest)", "--game", "gomoku(size=5)", "--save", "my game.sgf")
    assert "You have won!" in shown
    (record,) = records.load("my game.sgf")
    assert record.result == "B+1"
    command = next(line for line in shown.splitlines() if "zeroply analyse" in line)
    main(shlex.split(command[command.index("zeroply analyse") :])[1:])
    assert "You - random(ties=lowest), gomoku(size=5, exact=false), B+1" in capsys.readouterr().out


def test_with_white_the_names_change_places(play: Play, workplace: Path) -> None:
    play(["resign"], "greedy(ties=lowest)", "--colour", "white", "--save", "game.sgf")
    (record,) = records.load("game.sgf")
    assert (record.black, record.white, record.result) == ("greedy(ties=lowest)", "You", "B+F")


def test_a_program_that_fails_has_lost_in_the_saved_game(play: Play, workplace: Path) -> None:
    shown = play(["f5"], program("othello", "--fault", "dies"), "--save", "game.sgf")
    assert "You have won!" in shown
    (record,) = records.load("game.sgf")
    assert (record.result, len(record.moves)) == ("B+F", 1)


def test_a_game_that_is_interrupted_is_saved(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Keyboard:
        def __init__(self, *lines: str) -> None:
            self.lines = list(lines)

        def readline(self) -> str:
            if not self.lines:
                raise KeyboardInterrupt
            return self.lines.pop(0)

    monkeypatch.setattr("sys.stdin", Keyboard("f5\n"))
    with pytest.raises(SystemExit, match="130"):
        main(["play", "random(ties=lowest)", "--save", "game.sgf"])
    assert len(records.load("game.sgf")[0].moves) == 2
    assert "moves: f5f4" in capsys.readouterr().out


def test_without_a_file_the_moves_are_printed_and_can_be_analysed(
    play: Play, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for game, typed, moves in (("othello", "f5", "f5f4"), ("gomoku(size=5)", "A1", "A1A5")):
        shown = play([typed, "quit"], "random(ties=lowest)", "--game", game).splitlines()
        line = next(line for line in shown if line.startswith("moves: "))
        assert line == f"moves: {moves}"
        Path("game.txt").write_text(line.removeprefix("moves: "))
        command = next(line for line in shown if "zeroply analyse" in line)
        main([*shlex.split(command[command.index("zeroply analyse") :])[1:], "--json"])
        assert capsys.readouterr().out.count('"probability"') == 2


def test_a_game_without_moves_leaves_nothing(play: Play, workplace: Path) -> None:
    shown = play(["quit"], "random", "--save", "game.sgf")
    assert shown.endswith("Good-bye.\nNothing saved: no move was made.\n")
    assert list(workplace.iterdir()) == []


def test_who_resigns_at_once_has_lost_in_the_saved_game(play: Play, workplace: Path) -> None:
    play(["resign"], "random", "--save", "game.sgf")
    assert [(game.moves, game.winner) for game in records.load("game.sgf")] == [((), -1)]


def test_a_file_that_exists_is_replaced_only_if_wanted(play: Play, workplace: Path) -> None:
    Path("game.sgf").write_text("(;)")
    with pytest.raises(SystemExit, match="2"):
        play(["f5"], "random", "--save", "game.sgf")
    assert Path("game.sgf").read_text() == "(;)"
    play(["f5"], "random", "--save", "game.sgf", "--overwrite")
    assert len(records.load("game.sgf")[0].moves) == 2


# Where it begins


def test_a_game_goes_on_from_moves(play: Play, workplace: Path) -> None:
    shown = play(["d3", "undo", "undo", "c4", "quit"], "greedy(ties=lowest)", "--moves", "f5d6", "--save", "game.txt")
    assert "move 3, Black (X) to play" in shown
    assert "move 1," not in shown
    (record,) = records.load("game.txt")
    assert record.setup is None
    assert OTHELLO.notation.transcript(list(record.moves)).startswith("f5d6c4")
    assert len(record.moves) == 4


def test_a_game_goes_on_from_a_position(play: Play, workplace: Path) -> None:
    position = OTHELLO.replay("f5").text()[0]
    shown = play(["f6", "undo", "d6", "quit"], "random(ties=lowest)", "--colour", "white", "--position", position)
    assert "White (O) to play" in shown
    line = next(line for line in shown.splitlines() if line.startswith("moves: "))
    assert line.startswith(f"moves: {position}; d6")
    Path("game.txt").write_text(line.removeprefix("moves: "))
    (record,) = records.load("game.txt", "othello")
    assert (record.setup, len(record.moves)) == (position, 2)


# The prompt


def test_the_first_prompt_names_help(play: Play) -> None:
    shown = play(["moves", "f5", "help", "quit"], "random(ties=lowest)")
    assert shown.count("your move (help for commands): ") == 1
    assert shown.count("your move: ") == 3
    assert shown.index("(help for commands)") < shown.index("your move: ")


# Hints


def test_a_hint_names_all_moves_that_are_liked_equally(play: Play) -> None:
    assert "greedy rates d3, c4, f5, e6 equally." in play(["hint"], "greedy")
    assert "greedy(ties=lowest) would play d3 here." in play(["hint"], "greedy(ties=lowest)")
    assert "random rates 225 moves equally." in play(["hint"], "random", "--game", "gomoku")


def test_a_hint_names_the_one_move_that_is_liked_most(play: Play) -> None:
    with zp.player("net(othello)", OTHELLO) as net:
        best = OTHELLO.notation.name(int(net.prefer(OTHELLO.replay("f5d6"))[0].argmax()))
    assert f"net(othello) would play {best} here." in play(["hint"], "net(othello)", "--moves", "f5d6")
    by_chance = "net(othello, temperature=5)"
    assert f"{by_chance} prefers {best}." in play(["hint"], by_chance, "--moves", "f5d6")


def test_a_foreign_program_gives_hints_and_plays_on(play: Play) -> None:
    shown = play(["hint", "f5", "hint", "undo", "hint", "f5", "quit"], program("othello"))
    hints = [line for line in shown.splitlines() if "would play" in line]
    assert len(hints) == 3
    assert all(hint.split()[-2] in ("d3", "c4", "f5", "e6") for hint in (hints[0], hints[2]))
    assert "cannot start from" not in shown
    assert shown.count(" plays ") == 2


def test_a_program_that_gives_no_hint_is_no_error(play: Play) -> None:
    shown = play(["hint", "f5"], program("othello", "--fault", "dies"))
    assert "this program gives no hints" in shown
