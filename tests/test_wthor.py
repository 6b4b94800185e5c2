"""WTHOR: the whole database is read, legal and counted as published; what is written is read back; damage is named."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from random_play import random_record
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.records import (
    GameRecord,
    WthorFile,
    load,
    read_names,
    read_wtb,
    save,
    scan,
    write_names,
    write_wtb,
)
from zeroply.records.wthor import RECORD, black_discs

OTHELLO = game("othello")
HEADER_BYTES, GAME_BYTES = 16, RECORD.itemsize


def refused(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused, as it must be."""
    with pytest.raises(ZeroplyError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A file of three games, with the names beside it."""
    path = tmp_path / "three.wtb"
    save(
        [random_record(seed, black="Anna", white="Zoë", event="Open de Cambridge", date="1999") for seed in range(3)],
        path,
    )
    return path


def change(path: Path, at: int, *new: int) -> None:
    """Put other bytes into a file."""
    data = bytearray(path.read_bytes())
    data[at : at + len(new)] = bytes(new)
    path.write_bytes(data)


# The database


@pytest.fixture(scope="module")
def database(data: Path) -> list[WthorFile]:
    return [read_wtb(path) for path in sorted((data / "wthor").glob("*.wtb"))]


def test_the_database_holds_what_is_known_of_it(database: list[WthorFile]) -> None:
    triples = passes = as_scored = 0
    for file in database:
        steps = file.lockstep()
        last: NDArray[np.int8] = np.zeros(len(file), np.int8)
        for ply in steps:
            movers = ply.positions.to_move()
            triples += len(ply.moves)
            passes += int(np.count_nonzero(last[ply.games] == movers))
            last[ply.games] = movers
        assert steps.illegal == {}
        as_scored += int(np.count_nonzero(black_discs(steps.final) == file.black_discs))
    assert len(database) == 39
    assert sum(map(len, database)) == 114_871
    assert triples == 6_874_503
    assert passes == 125_995
    assert as_scored == 114_470


def test_every_game_of_the_database_is_good(data: Path) -> None:
    start = time.process_time()
    scans = [scan(path) for path in (data / "wthor").glob("*.wtb")]
    assert time.process_time() - start < 10
    assert sum(found.games for found in scans) == 114_871
    assert sum(len(found.records) for found in scans) == 114_871
    assert not any(found.faults for found in scans)


def test_a_published_game_has_its_names_and_result(data: Path) -> None:
    final = load(data / "wthor" / "WTH_1977.wtb")[0]
    assert (final.black, final.white) == ("Inoue Hiroshi", "Heiberg Thomas")
    assert (final.event, final.date, final.year) == ("World Championship", "1977", 1977)
    assert final.result == "B+4"
    assert OTHELLO.notation.transcript(list(final.moves)).startswith("f5d6c3f3f4d3")


def test_files_of_the_database_are_written_as_they_are(data: Path) -> None:
    for path in sorted((data / "wthor").glob("*.wtb")):
        assert write_wtb(read_wtb(path)) == path.read_bytes()
    for name in ("WTHOR.JOU", "WTHOR.TRN"):
        path = data / "wthor" / name
        day = 4  # the bytes of the day on which a file was written
        assert write_names(read_names(path), path)[day:] == path.read_bytes()[day:]


def test_games_added_to_the_database_keep_its_names_and_numbers(data: Path, tmp_path: Path) -> None:
    for name in ("WTH_1977.wtb", "WTHOR.JOU", "WTHOR.TRN"):
        shutil.copyfile(data / "wthor" / name, tmp_path / name)
    before, players = load(tmp_path / "WTH_1977.wtb"), read_names(tmp_path / "WTHOR.JOU")
    new = random_record(1, black="Inoue Hiroshi", white="somebody else", date="2030")
    save([new], tmp_path / "new.wtb")
    assert read_names(tmp_path / "WTHOR.JOU") == (*players, "somebody else")
    assert load(tmp_path / "WTH_1977.wtb") == before
    assert load(tmp_path / "new.wtb") == [new]


# Arrays


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 60)), max_size=6))
def test_games_replayed_together_end_as_each_alone(games: list[tuple[int, int]]) -> None:
    records = [random_record(seed, plies=plies) for seed, plies in games]
    moves = np.full((len(records), 60), -1, np.int8)
    for i, record in enumerate(records):
        moves[i, : len(record.moves)] = record.moves
    numbers, discs = np.zeros(len(records), np.uint16), np.zeros(len(records), np.uint8)
    file = WthorFile(moves, discs, discs, numbers, numbers, numbers)
    steps = file.lockstep()
    seen: list[list[int]] = [[] for _ in records]
    for ply in steps:
        assert ply.positions.legal()[np.arange(len(ply.moves)), ply.moves].all()
        for i, cell in zip(ply.games.tolist(), ply.moves.tolist(), strict=True):
            assert len(seen[i]) == ply.number
            seen[i].append(cell)
    assert [tuple(cells) for cells in seen] == [record.moves for record in records]
    assert steps.final.text() == [record.final().text()[0] for record in records]
    assert file.lengths.tolist() == [len(record.moves) for record in records]


def test_empty_squares_go_to_the_winner_and_are_shared_after_a_draw() -> None:
    boards = ["X" * 40 + "O" * 20 + "-" * 4, "X" * 20 + "O" * 40 + "-" * 4, "X" * 30 + "O" * 30 + "-" * 4]
    assert black_discs(OTHELLO.parse([board + " X" for board in boards])).tolist() == [44, 20, 32]


# Saved and read back


def test_games_are_read_back_with_names_event_and_year(tmp_path: Path) -> None:
    names = [("Anna", "Zoë", ""), ("Zoë", "", ""), ("", "", ""), ("", "Anna", "Cambridge")]
    records = [random_record(i, "othello", *some, date="1999", plies=60 - 7 * i) for i, some in enumerate(names)]
    save(records, tmp_path / "games.WTB")
    assert load(tmp_path / "games.WTB") == records
    file = read_wtb(tmp_path / "games.WTB")
    assert file.year == 1999
    assert file.black_discs[0] == 32 + records[0].score // 2 or len(records[0].moves) < 60
    assert file.theoretical.tolist() == file.black_discs.tolist()
    assert file.depth == 0
    assert file.created is not None


def test_a_forfeit_gives_all_discs_to_the_winner(tmp_path: Path) -> None:
    ahead, over = random_record(1, plies=21), random_record(1)
    records = [replace(ahead, forfeit=forfeit) for forfeit in (1, -1, 0)] + [over, replace(over, forfeit=1)]
    save(records, tmp_path / "games.wtb")
    file = read_wtb(tmp_path / "games.wtb")
    usual = [int(black_discs(record.final())[0]) for record in (ahead, over)]
    assert file.black_discs.tolist() == [0, 64, usual[0], usual[1], usual[1]]
    assert file.theoretical.tolist() == file.black_discs.tolist()
    assert load(tmp_path / "games.wtb") == [ahead] * 3 + [over] * 2


def test_names_are_found_in_any_case(three: Path) -> None:
    before = load(three)
    (three.parent / "WTHOR.JOU").rename(three.parent / "wthor.jou")
    (three.parent / "WTHOR.TRN").rename(three.parent / "Wthor.Trn")
    assert load(three) == before
    save([random_record(9, black="Bea")], three.parent / "more.wtb")
    assert sorted(path.name for path in three.parent.iterdir()) == ["Wthor.Trn", "more.wtb", "three.wtb", "wthor.jou"]
    assert load(three) == before


def test_without_names_players_are_their_numbers(three: Path) -> None:
    (three.parent / "WTHOR.JOU").unlink()
    (three.parent / "WTHOR.TRN").unlink()
    assert {(one.black, one.white, one.event) for one in load(three)} == {("player 1", "player 2", "tournament 1")}


def test_games_without_names_need_no_files_beside_them(tmp_path: Path) -> None:
    save([random_record(1), random_record(2)], tmp_path / "games.wtb")
    assert [path.name for path in tmp_path.iterdir()] == ["games.wtb"]
    assert load(tmp_path / "games.wtb") == [random_record(1), random_record(2)]
    save([], tmp_path / "games.wtb", overwrite=True)
    assert load(tmp_path / "games.wtb") == []


def test_long_names_stay_different_and_the_same_from_file_to_file(tmp_path: Path) -> None:
    one, other, greek = "alphabeta(depth=4, eval=mobility)", "alphabeta(depth=4, eval=positional)", "Ωμέγα"
    records = [random_record(1, black=one, white=other), random_record(2, black=greek, white=one)]
    for name in ("first.wtb", "second.wtb"):
        save(records, tmp_path / name)
    first, second = load(tmp_path / "second.wtb")
    assert len({first.black, first.white, second.black}) == 3
    assert first.black == second.white
    assert first.black.startswith("alphabeta(dep~")
    assert len(read_names(tmp_path / "WTHOR.JOU")) == 4
    assert read_wtb(tmp_path / "first.wtb").black.tolist() == read_wtb(tmp_path / "second.wtb").black.tolist()


def test_a_year_that_differs_is_not_written(tmp_path: Path) -> None:
    save([random_record(1, date="1998"), random_record(2, date="1999-05-01")], tmp_path / "games.wtb")
    assert [record.date for record in load(tmp_path / "games.wtb")] == ["", ""]


def test_what_wthor_cannot_hold_is_refused(tmp_path: Path) -> None:
    path, good = tmp_path / "games.wtb", random_record(1)
    setup = GameRecord(OTHELLO, (), OTHELLO.replay("f5d6").text()[0])
    assert "game 2: WTHOR cannot hold a set-up position" in refused(lambda: save([good, setup], path))
    assert "not for gomoku" in refused(lambda: save([good, GameRecord(game("gomoku"))], path))
    assert "not for othello(size=6)" in refused(lambda: save([GameRecord(game("othello(size=6)"))], path))
    assert "game 2: move 1: a1 is not a legal" in refused(lambda: save([good, GameRecord(OTHELLO, (0,) * 90)], path))
    assert list(tmp_path.iterdir()) == []
    save([good], path)
    assert "not for gomoku" in refused(lambda: load(path, "gomoku"))


# Damage


def test_a_file_that_is_cut_off_is_refused_with_game_and_byte(three: Path) -> None:
    whole = three.read_bytes()
    three.write_bytes(whole[:100])
    complaint = "the file is cut off at byte 100, its header promises 3 games: 16 of its 68 bytes are there"
    assert refused(lambda: load(three)) == f"{three}, game 2: {complaint}"
    assert refused(lambda: read_wtb(three)) == f"{three}, game 2: {complaint}"
    found = scan(three)
    assert (found.games, len(found.records), len(found.faults)) == (2, 1, 1)
    three.write_bytes(whole[: HEADER_BYTES + 2 * GAME_BYTES])
    assert "game 3: the file is cut off at byte 152" in refused(lambda: load(three))
    three.write_bytes(whole[:15])
    assert refused(lambda: load(three)) == f"{three} is cut off: it has 15 bytes, fewer than the 16 of a header"
    three.write_bytes(b"")
    assert "it has 0 bytes" in refused(lambda: read_wtb(three))


def test_a_header_that_promises_less_is_refused(three: Path) -> None:
    change(three, 4, 2)
    complaint = f"{three} has 220 bytes, but the 2 games its header promises end at byte 152"
    assert refused(lambda: load(three)) == refused(lambda: read_wtb(three)) == complaint
    assert len(scan(three).records) == 2


def test_another_size_of_board_is_refused(three: Path) -> None:
    change(three, 12, 10)
    assert refused(lambda: load(three)) == f"{three} holds games on boards of size 10: only size 8 can be read"
    change(three, 12, 0)
    assert len(load(three)) == 3


@pytest.mark.parametrize("byte", [1, 9, 10, 19, 20, 89, 90, 99, 255])
def test_a_byte_off_the_board_is_refused_with_its_move(three: Path, byte: int) -> None:
    change(three, HEADER_BYTES + GAME_BYTES + 8 + 11, byte)
    complaint = f"{three}, game 2: move 12: byte {byte} is not a square, from 11 (a1) to 88 (h8)"
    assert refused(lambda: load(three)) == refused(lambda: read_wtb(three)) == complaint


def test_check_finds_every_bad_game_and_keeps_the_good_ones(three: Path) -> None:
    good = load(three)
    change(three, HEADER_BYTES + 8 + 4, 99)
    change(three, HEADER_BYTES + GAME_BYTES + 8 + 5, 0)
    found = scan(three)
    assert [(fault.game, fault.reason) for fault in found.faults] == [
        (1, "move 5: byte 99 is not a square, from 11 (a1) to 88 (h8)"),
        (2, "move 7 follows an empty move"),
    ]
    assert list(found.records) == good[2:]
    change(three, HEADER_BYTES + 2 * GAME_BYTES + 8, 11)
    found = scan(three)
    assert len(found.faults) == 3
    assert found.faults[2].reason.startswith("move 1: a1 is not a legal move for Black; legal moves: d3, c4, f5, e6")
    assert str(found.faults[2]).startswith(f"{three}, game 3: move 1: a1")
    assert list(found.records) == []


def test_a_move_after_the_end_is_refused(tmp_path: Path) -> None:
    wipeout = OTHELLO.notation.cells("f5d6c5f4e7f6g5e6e3")
    assert OTHELLO.replay(wipeout).over()[0]
    path = tmp_path / "games.wtb"
    save([GameRecord(OTHELLO, tuple(wipeout))], path)
    assert read_wtb(path).black_discs.tolist() == [64]
    change(path, HEADER_BYTES + 8 + len(wipeout), 11)
    assert refused(lambda: load(path)) == f"{path}, game 1: move 10 comes after the end of the game"


@pytest.mark.parametrize("name", ["WTHOR.JOU", "WTHOR.TRN"])
def test_damaged_names_are_refused_but_the_games_can_be_checked(three: Path, name: str) -> None:
    path = three.parent / name
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    complaint = refused(lambda: load(three))
    assert complaint.startswith(f"{path} is damaged: the ")
    assert complaint == refused(lambda: read_wtb(three)) == refused(lambda: read_names(path))
    found = scan(three)
    assert (len(found.records), list(map(str, found.faults))) == (3, [complaint])
    path.write_bytes(whole[:10])
    assert refused(lambda: load(three)) == f"{path} is damaged: it has 10 bytes, fewer than the 16 of a header"
    assert "is damaged" in refused(lambda: save([random_record(1, black="x")], three, overwrite=True))


def test_names_stand_in_files_of_two_kinds(tmp_path: Path) -> None:
    assert ".jou or .trn" in refused(lambda: read_names(tmp_path / "names.txt"))
    assert "cannot read" in refused(lambda: read_names(tmp_path / "none.jou"))
    assert "cannot hold 65536 names" in refused(lambda: write_names([""] * 65_536, tmp_path / "many.jou"))


@given(st.binary(max_size=400), st.integers(0, 5), st.sampled_from([0, 8]))
def test_any_bytes_are_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, games: int, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "junk.wtb"
    header = bytes([0, 0, 0, 0, games, 0, 0, 0, 0, 0, 0, 0, size, 0, 0, 0])
    for data in (junk, header + junk):
        path.write_bytes(data)
        found = scan(path)
        assert all("\n" not in str(fault) for fault in found.faults)
        assert len(found.records) + len([fault for fault in found.faults if fault.game]) == found.games
        for record in found.records:
            record.final()
