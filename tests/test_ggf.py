"""GGF: games are read back as saved, real files are read as servers and programs write them, bad games are named."""

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
from zeroply.records import GameRecord, load, read_ggf, save, scan, write_ggf
from zeroply.records.record import replay

OTHELLO = game("othello")
START = "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *"
F5D6 = GameRecord(OTHELLO, (37, 43))


def set_up_and_played(spec: str, seed: int, before: int, plies: int) -> GameRecord:
    """Random moves; the first ones lead to a set-up position."""
    rng, position = np.random.default_rng(seed), game(spec).start()
    play_on(position, before, rng)
    setup = position.text()[0]
    return GameRecord(position.game, play_on(position, plies, rng), setup)


def with_a_pass() -> tuple[GameRecord, int]:
    """A game in which a player had to pass before a move, and the number of that move."""
    for seed in range(100):
        record = set_up_and_played("othello", seed, 0, 60)
        movers = replay([record]).movers
        same = np.flatnonzero(movers[1:] == movers[:-1])
        if len(same) == 1:
            return record, int(same[0]) + 1
    raise AssertionError("no game with a single pass")


def refused(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused, as it must be."""
    with pytest.raises(ZeroplyError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# What is written is read back

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="[]("), max_size=12)


@settings(max_examples=40)
@given(
    st.sampled_from(["othello", "othello(size=4)", "othello(size=10)", "othello(size=16)"]),
    st.integers(0, 10**6),
    st.integers(0, 30),
    st.integers(0, 250),
    st.tuples(NAMES, NAMES, NAMES),
    st.sampled_from(["", "1999", "1999-10-31", "once"]),
)
def test_a_record_is_read_back(
    spec: str, seed: int, before: int, plies: int, names: tuple[str, str, str], date: str
) -> None:
    played = set_up_and_played(spec, seed, before, plies)
    record = GameRecord(played.game, played.moves, played.setup, *names, date)
    text = write_ggf([record, record])
    assert text.count("\n") == 2
    assert read_ggf(text) == [record, record]
    assert read_ggf(text, game=spec) == [record, record]


def test_a_game_is_written_as_others_read_it() -> None:
    record = GameRecord(OTHELLO, (37, 43), None, "left [1]", "right", "home", "2001-02-03")
    head = "(;GM[Othello]PB[left (1)]PW[right]PC[home]DT[2001-02-03]TY[8]RE[?]"
    assert write_ggf([record]) == f"{head}BO[8 {START}]B[F5]W[D6];)\n"


def test_passes_are_written_and_the_result_is_black_minus_white() -> None:
    record, number = with_a_pass()
    text = write_ggf([record])
    turns = text.partition("]B[")[2].replace("B[", "").replace("W[", "").split("]")
    assert turns[number] == "PA"
    assert turns.count("PA") == 1
    assert f"RE[{record.score:+d}.000]" in text
    movers = replay([record]).movers
    assert f"{'W' if movers[number] > 0 else 'B'}[PA]" in text


def test_a_forfeited_game_is_written_as_resigned() -> None:
    for spec, forfeit, result in (("othello", 1, "-64.000:r"), ("othello(size=6)", -1, "+36.000:r")):
        record = GameRecord(game(spec), forfeit=forfeit)
        assert f"RE[{result}]" in (text := write_ggf([record]))
        assert read_ggf(text) == [record]


@pytest.mark.parametrize(
    ("result", "forfeit"),
    [("-64.00:r", 1), ("+64:t", -1), ("12.5 : T", -1), ("0.000:t", 0), ("-4.000:s", 0), ("-4.000", 0), ("?", 0)],
)
def test_only_resignations_and_losses_on_time_are_forfeits(result: str, forfeit: int) -> None:
    assert read_ggf(f"(;GM[Othello]RE[{result}]B[F5];)")[0].forfeit == forfeit


def test_files_are_read_back(tmp_path: Path) -> None:
    some = [set_up_and_played("othello", seed, seed % 3, 60) for seed in range(5)]
    save(some, tmp_path / "games.GGF")
    assert load(tmp_path / "games.GGF") == some
    (tmp_path / "old.ggf").write_bytes("(;GM[Othello]PB[Zoë];)".encode("latin-1"))
    assert load(tmp_path / "old.ggf")[0].black == "Zoë"


def test_only_othello_is_written() -> None:
    complaint = refused(lambda: write_ggf([F5D6, GameRecord(game("gomoku(size=9)"))]))
    assert complaint == "game 2: GGF is for othello, not for gomoku(size=9): save it as .sgf"
    assert "not for gomoku" in refused(lambda: read_ggf("", game="gomoku"))


# As others write it


def test_a_game_of_a_server_is_read() -> None:
    text = (
        "1 (;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[ant]PW[bee]RB[1900.00]RW[2100.10]"
        f"TI[05:00//02:00]TY[8r18]RE[-2.000:t]BO[8 {START}]B[f5//0.01]W[D6/-2.30/1.52]B[c3/1.00]W[D3//];)\n"
    )
    (record,) = read_ggf(text)
    assert record == GameRecord(OTHELLO, (37, 43, 18, 19), None, "ant", "bee", "GGS/os", "2003-12-15", forfeit=1)


def test_two_games_on_a_line_and_words_between_games_are_read() -> None:
    one = f"(;GM[Othello]TY[s8r18]BO[8 {START}]B[f5]W[d6];)"
    assert read_ggf(f"\ufeff# a comment\r\n2 {one}{one}\r\n\r\n 1 {one} end") == [F5D6] * 3


def test_a_game_as_edax_writes_it_is_read() -> None:
    rows = START.replace(" ", "\n")
    assert read_ggf(f"(;GM[othello]TY[8]BO[8\n{rows}]\nB[F5//0.10]\nW[D6/+1.00/0.2]\n;)") == [F5D6]


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[Othello]B[F5]W[D6];)",
        "(;GM[Reversi]TY[8]B[F5]W[D6];)",
        "( ; gm[OTHELLO] b [ f5 ] w [ D6 / 1 / 2 ] ; )",
        "(;GM[Othello];B[F5];W[D6])",
        f"(;GM[Othello]BO[8 {START.replace(' ', '')}]B[F5]W[D6];)",
        f"(;GM[Othello]BO[{START}]B[F5]W[D6];)",
        f"(;GM[Othello]BO[8 {START.replace('*', 'X').replace('-', '.')}]B[F5(book)]W[D6];)",
        "(;GM[Othello]C[a ( comment )]B[F5]CO[good]W[D6];)",
        "(;B[F5]W[D6];)",
    ],
)
def test_untidy_games_are_read(text: str) -> None:
    (record,) = read_ggf(text.replace("F5(book)", "F5/(book)"))
    assert record == F5D6


@pytest.mark.parametrize("said", ["PA", "pa", "PASS", "Pass", "pas", "P", "ps", "--", "PA//0.01", "pa/+2.5/3", None])
def test_a_pass_may_be_said_in_many_ways_or_left_out(said: str | None) -> None:
    record, _ = with_a_pass()
    text = write_ggf([record])
    for colour in "BW":
        text = text.replace(f"{colour}[PA]", "" if said is None else f"{colour}[{said}]")
    assert read_ggf(text) == [record]


def test_passes_may_follow_the_last_move() -> None:
    record, _ = with_a_pass()
    assert record.final().over()[0]
    assert read_ggf(write_ggf([record]).replace(";)", "B[PA]W[PA];)")) == [record]


def test_a_game_may_start_anywhere_with_white_to_move() -> None:
    board = OTHELLO.replay("f5")
    squares = board.text()[0].replace("X", "*")
    (record,) = read_ggf(f"(;GM[Othello]TY[8]BO[8 {squares}]W[D6]B[C3];)")
    assert record == GameRecord(OTHELLO, (43, 18), board.text()[0])
    (small,) = read_ggf("(;GM[Othello]TY[6]B[E4];)")
    assert small == GameRecord(game("othello(size=6)"), (22,))


@pytest.mark.parametrize(
    ("written", "date", "year"),
    [
        ("945277754", "1999-12-15", 1999),
        ("2004.09.18_05:54:38.MDT", "2004-09-18", 2004),
        ("2004-09-18", "2004-09-18", 2004),
        ("Spring 1987", "Spring 1987", 1987),
        ("yesterday", "yesterday", None),
    ],
)
def test_dates_are_understood_as_far_as_possible(written: str, date: str, year: int | None) -> None:
    (record,) = read_ggf(f"(;GM[Othello]DT[{written}];)")
    assert (record.date, record.year) == (date, year)


# Bad games


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("f5d6c3", "x.ggf holds no game: a GGF file has '(;' at the start of each"),
        ("\x00\x01\x02", "x.ggf holds no game"),
        ("(;GM[Othello]B[F5]", "x.ggf, game 1: it is cut off: its last ';)' is missing"),
        ("(;GM[Othello]B[F5", "x.ggf, game 1: 'B[F5' is neither a property such as B[F5] nor the end ';)'"),
        ("(;GM[Othello]B[F5]?!;)", "x.ggf, game 1: '?!;)' is neither a property"),
        ("(;GM[Othello];)(;GM[Amazons]B[J4-I4-J5];)", "x.ggf, game 2: GM[Amazons] is not GM[Othello]"),
        ("(;GM[2]B[dc];)", "x.ggf, game 1: GM[2] is not GM[Othello]"),
        ("(;GM[Othello]B[F5]W[I9];)", "x.ggf, game 1: move 2: 'I9' is neither a cell from A1 to H8 nor the pass PA"),
        ("(;GM[Othello]B[F5]W[];)", "x.ggf, game 1: move 2: '' is neither a cell"),
        ("(;GM[Othello]B[F5]W[D7];)", "x.ggf, game 1: move 2: d7 is not a legal move for White"),
        ("(;GM[Othello]B[F5]B[D6];)", "x.ggf, game 1: move 2: Black moves, but it is not Black's turn"),
        ("(;GM[Othello]B[F5]W[PA]B[D3];)", "x.ggf, game 1: move 2: d3 is not a legal move for White"),
        ("(;GM[Othello]B[F5]W[PA];)", "x.ggf, game 1: move 2: White passes but has a move"),
        (f"(;BO[8 {START[1:]}];)", "x.ggf, game 1: the board has 63 squares where 64 are needed"),
        (f"(;BO[8 {START[:-2]}];)", "x.ggf, game 1: the side to move, X or O, is missing after the 64 squares"),
        (f"(;BO[6 {START}];)", "x.ggf, game 1: the board has 64 squares where 36 are needed"),
        (f"(;BO[8 {START.replace('O', 'Q')}];)", "x.ggf, game 1: 'Q' in board"),
        ("(;BO[];)", "x.ggf, game 1: the board has 0 squares"),
        (f"(;TY[88]BO[88 {START}];)", "x.ggf, game 1: othello is played on even sizes from 4 to 16, not 88"),
        ("(;TY[8ar18]B[F5];)", "x.ggf, game 1: TY[8ar18] is anti-Othello, where the fewest discs win, which zeroply"),
        ("(;TY[8kr20]KB[F5/2];)", "x.ggf, game 1: TY[8kr20] is played with komi, which zeroply does not play"),
    ],
)
def test_bad_games_are_refused_with_their_number(text: str, complaint: str) -> None:
    assert refused(lambda: read_ggf(text, "x.ggf")).startswith(complaint)


def test_a_given_game_must_have_the_size_of_the_board() -> None:
    assert "its board has size 6" in refused(lambda: read_ggf("(;TY[6];)", game="othello"))


def test_check_finds_every_bad_game_and_goes_on(tmp_path: Path) -> None:
    good = "(;GM[Othello]B[F5]W[D6];)"
    path = tmp_path / "games.ggf"
    bad = ["(;GM[Othello]B[F5]W[D7];)", "(;GM[Othello]B[F5", "(;GM[Othello]B[F5]", "(;GM[Chess]B[F5];)"]
    path.write_text("\n".join([good, bad[0], bad[1], good, bad[2], bad[3], good, bad[0]]))
    found = scan(path)
    assert found.games == 8
    assert list(found.records) == [F5D6] * 3
    assert [fault.game for fault in found.faults] == [2, 3, 5, 6, 8]
    assert all(str(fault).startswith(f"{path}, game {fault.game}: ") for fault in found.faults)
    assert refused(lambda: load(path)) == str(found.faults[0])


@pytest.mark.parametrize(
    "text", ["(", "(;", "(;A", "(;A[", "(;A[(", "(;[", "(;B[", "(;B[F5]", "(; ", ";)", "]", "(;A[];"]
)
def test_hostile_text_is_refused_at_once_in_a_short_sentence(text: str) -> None:
    for hostile in (text * 20_000, text + text[-1] * 100_000):
        assert len(refused(lambda hostile=hostile: read_ggf(hostile))) < 200  # type: ignore[misc]


@given(st.text("(;)[]BWPAGMO -*F5D6/\n", max_size=60))
def test_any_text_is_read_or_refused_in_one_sentence(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "junk.ggf"
    path.write_text(text)
    found = scan(path)
    assert all("\n" not in str(fault) for fault in found.faults)
    assert len(found.records) + len([fault for fault in found.faults if fault.game]) == found.games
    assert read_ggf(write_ggf(found.records)) == list(found.records)
