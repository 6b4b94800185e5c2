"""Python manners: what a programmer expects of positions, players, records and results, alone or in a notebook."""

from __future__ import annotations

import ast
import csv
import io
import json
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np
import pytest

import random_play
import zeroply as zp
from run_commands import refusal
from zeroply import chance, records
from zeroply.cli.csv_output import rows_of, write_csv
from zeroply.cli.main import main
from zeroply.records import formats
from zeroply.records.record import Replay, attempt

GAMES = ["othello", "othello(size=4)", "gomoku(size=9)", "atarigo(size=5)", "hex(size=4)"]


@pytest.fixture(scope="module")
def result() -> zp.MatchResult:
    return zp.match("naive", "random(name='<b>')", game="gomoku(size=5)", games=20, seed=1)


# Positions


@pytest.mark.parametrize("name", GAMES)
def test_legal_moves_are_the_names_of_the_legal_cells(name: str) -> None:
    game = zp.game(name)
    positions, dice = game.start(5), np.random.default_rng(1)
    while not positions.over().all():
        legal = positions.legal()
        expected = [[game.notation.name(int(cell)) for cell in np.flatnonzero(row)] for row in legal]
        assert positions.legal_moves() == expected
        assert positions[3].legal_moves() == expected[3:4]
        drawn = (dice.random(legal.shape) * legal).argmax(axis=1)
        positions.play(np.where(positions.over(), -1, drawn))
    assert positions.legal_moves() == [[]] * 5


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_played_by_names_alone(name: str) -> None:
    position, moves = zp.game(name).start(), list[str]()
    while names := position.legal_moves()[0]:
        moves.append(names[len(moves) % len(names)])
        position.play(moves[-1])
    assert position.over()
    assert position == zp.game(name).replay("".join(moves))


@pytest.mark.parametrize("move", ["F5", " f5 ", 37, np.int32(37), np.int64(37), np.uint8(37)])
def test_a_single_move_may_be_written_in_any_way(move: str | int) -> None:
    assert zp.game("othello").start().after(move) == zp.game("othello").replay("f5")


@pytest.mark.parametrize(
    ("move", "complaint"),
    [
        ("f4", "f4 is not a legal move for Black; legal moves: d3, c4, f5, e6"),
        (0, "a1 is not a legal move for Black"),
        (64, "Black must play on a cell from 0 to 63, not 64"),
        (-2, "Black must play on a cell from 0 to 63, not -2"),
        (2**40, "a move is far off the board"),
        ("i9", "'i9' is not a cell of this board"),
        (True, "a move is a cell number or a cell name such as f5: got bool values"),
    ],
)
def test_a_single_bad_move_is_explained_and_changes_nothing(move: str | int, complaint: str) -> None:
    position = zp.game("othello").start()
    with pytest.raises(zp.ZeroplyError) as caught:
        position.play(move)
    assert complaint in str(caught.value)
    assert position == zp.game("othello").start()


def test_a_player_chooses_by_a_seed() -> None:
    game = zp.game("othello")
    positions = game.start(200)
    for spec in ("random", "greedy", "net(othello-fast, temperature=1)", "hybrid(random, greedy, first=1, last=2)"):
        player = zp.player(spec, game)
        chosen = player.choose(positions, seed=7)
        assert (chosen == player.choose(positions, chance.keys(7, np.arange(200)))).all()
        assert (chosen != player.choose(positions, seed=8)).any()
        assert (player.choose(positions) == player.choose(positions, seed=0)).all()
    assert zp.player("random", game).choose(positions, seed=-1).shape == (200,)


# Records


@pytest.mark.parametrize("name", GAMES)
def test_a_record_has_a_position_for_every_number_of_moves(name: str) -> None:
    game = zp.game(name)
    record = random_play.random_record(3, name)
    positions = record.positions()
    assert len(positions) == len(record.moves) + 1
    for number in range(len(record.moves) + 1):
        assert positions[number] == zp.GameRecord(game, record.moves[:number], record.setup).final()
    assert positions[-1].last_move().tolist() == record.final().last_move().tolist()


def test_positions_of_a_game_that_was_set_up_begin_there() -> None:
    start = zp.game("othello").replay("f5d6")
    record = zp.GameRecord(start.game, (18,), start.text()[0])
    assert record.positions()[0].text() == start.text()
    with pytest.raises(zp.ZeroplyError, match="move 2: a1 is not a legal move"):
        zp.GameRecord(start.game, (37, 0)).positions()


def many_games(path: Path, count: int) -> list[zp.GameRecord]:
    games = [random_play.random_record(seed) for seed in range(count)]
    records.save(games, path)
    return games


@pytest.mark.parametrize("suffix", [".txt", ".sgf", ".ggf", ".wtb"])
def test_a_file_is_iterated_game_by_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr(formats, "PART", 4)
    path = tmp_path / f"games{suffix}"
    many_games(path, 11)
    assert list(records.iterate(path)) == records.load(path)


def test_iterating_reads_a_part_at_a_time_and_names_a_bad_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "PART", 4)
    path = tmp_path / "games.txt"
    games = many_games(path, 11)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:7], "a1", *lines[7:]]))  # the seventh game, within the second part
    replayed: list[int] = []

    def counted(some: Sequence[zp.GameRecord]) -> Replay:
        replayed.append(len(some))
        return attempt(some)

    monkeypatch.setattr("zeroply.records.formats.attempt", counted)
    each = records.iterate(path)
    assert [next(each) for _ in range(4)] == games[:4]
    assert replayed == [4]
    with pytest.raises(zp.ZeroplyError, match=r"games\.txt, line 8: move 1: a1 is not a legal move"):
        next(each)
    assert list(records.iterate(path, skip_bad=True)) == games


def test_saving_never_replaces_a_file_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    games = many_games(path, 3)
    before = path.read_bytes()
    with pytest.raises(zp.ZeroplyError, match=r"games\.sgf exists: .* or overwrite=True to replace it"):
        records.save(games[:1], path)
    assert path.read_bytes() == before
    records.save(games[:1], path, overwrite=True)
    assert records.load(path) == games[:1]


# What results look like


def test_results_tell_their_score(result: zp.MatchResult) -> None:
    tally = result.tally
    assert repr(result).startswith(f"<match naive against <b> at gomoku(size=5): +{tally.wins} ={tally.draws} -")
    assert f"score {result.score:.3f}" in repr(result)
    league = zp.league(["naive", "random"], game="gomoku(size=5)", games=20, seed=1)
    best = league.players[league.ranking()[0]]
    assert repr(league).startswith(f"<league of 2 players at gomoku(size=5), 20 games: {best} is first with a score of")
    othello = zp.game("othello(size=4)")
    record = random_play.random_record(1, "othello(size=4)")
    named = zp.GameRecord(othello, record.moves, black="Ann", white="Bob")
    assert repr(named) == f"<game of othello(size=4): Ann - Bob, {len(record.moves)} moves, {named.result}>"
    assert repr(zp.GameRecord(othello)) == "<game of othello(size=4): 0 moves, unfinished>"
    assert repr(zp.GameRecord(othello, (0,))) == "<game of othello(size=4): 1 moves, with an illegal move>"


def test_notebooks_show_tables_and_boards_with_escaped_names(result: zp.MatchResult) -> None:
    league = zp.league(["naive", "random(name='<b>')"], game="gomoku(size=5)", games=10, seed=1)
    record = zp.GameRecord(zp.game("othello"), (37,), black="<b>")
    for shown in (result._repr_html_(), league._repr_html_(), record._repr_html_()):
        assert "&lt;b&gt;" in shown
        assert "<b>" not in shown
    assert f"{result.score:.3f}" in result._repr_html_()
    assert result._repr_html_().count("<table>") == league._repr_html_().count("<table>") == 1
    assert "<svg" in record._repr_html_()


def test_results_become_plain_values(result: zp.MatchResult) -> None:
    assert json.loads(json.dumps(result.to_dict()))["wins"] == result.tally.wins
    (first, *_) = (record.to_dict() for record in result.records())
    assert json.loads(json.dumps(first)) == first
    assert (first["black"], first["result"]) == ("naive", result.records()[0].result)
    assert zp.game(first["game"]).replay(first["moves"]) == result.records()[0].final()


# CSV


def table(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, str]]:
    capsys.readouterr()
    main([*words, "--csv"])
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_csv_has_a_row_per_match_player_and_generation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    board = ("--game", "gomoku(size=5)", "--games", "4")
    (row,) = table(capsys, "match", "naive", "random", *board, "--seed", "1")
    assert (row["first"], row["games"], row["forfeits"]) == ("naive", "4", "0")
    assert int(row["as_black_wins"]) + int(row["as_white_wins"]) == int(row["wins"])
    assert [one["games"] for one in table(capsys, "league", "naive", "random", *board)] == ["4", "4"]
    evolve = ("evolve", *board, "--generations", "2", "--run", str(tmp_path / "run"))
    assert [one["number"] for one in table(capsys, *evolve)] == ["1", "2"]
    assert [one["number"] for one in table(capsys, "resume", str(tmp_path / "run"))] == ["1", "2"]


def test_csv_keeps_commas_lists_and_missing_numbers() -> None:
    out = io.StringIO()
    write_csv({"n": 2, "rows": [{"a": "x, y", "b": {"c": [1, 2]}}, {"a": None, "d": float("nan")}]}, out)
    assert out.getvalue() == 'a,b_c,d\n"x, y",1 2,\n,,\n'
    assert rows_of({"n": 1, "names": ["a"]}) == [{"n": 1, "names": ["a"]}]


def test_commands_without_a_table_have_no_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "play", "--csv") == "zeroply: play has no option --csv: see zeroply play --help\n"
    assert "records convert has no option --csv" in refusal(capsys, "records", "convert", "a", "--csv")


# Editors and type checkers


def test_editors_find_the_package_without_running_import_hooks() -> None:
    """An editable install by hooks alone hides the package from them: its folder is on the path, with its types."""
    found = PathFinder.find_spec("zeroply", [entry for entry in sys.path if entry])
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).with_name("py.typed").exists()
    assert Path(found.origin).parent.joinpath("_core", "__init__.pyi").exists()


def test_type_checkers_do_not_take_every_name_for_one_of_zeroply() -> None:
    """A `__getattr__` that they see would give any misspelt name the type Any."""
    tree = ast.parse(Path(zp.__file__).read_text())
    assert not [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"]
    with pytest.raises(AttributeError, match="module 'zeroply' has no attribute 'nonsense'"):
        _ = zp.nonsense  # type: ignore[attr-defined]
