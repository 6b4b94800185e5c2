"""Records: every format gives back what was saved, reads what others write, and refuses the rest in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill

from random_play import play_on, random_record
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.records import (
    GameRecord,
    check_suffix,
    load,
    read_sgf,
    read_transcripts,
    replay_all,
    save,
    write_sgf,
    write_transcripts,
)
from zeroply.records.record import replay

SPECS = [
    "othello",
    "othello(size=4)",
    "othello(size=16)",
    "gomoku(size=6)",
    "gomoku(size=5, exact=true)",
    "gomoku(size=19)",
    "gomoku(size=20)",
    "atarigo(size=5)",
    "atarigo(size=5, captures=4)",
    "atarigo(size=9, captures=2, suicide=illegal)",
]
FORTY = "f5f6e6f4e3d6g4d3c3h3c4g3g5g6c7c6c5b6d7b5f7f3b4f8h4h5f2f1h2h1a4a5a6a7a3e7d8c8e8h6"


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """Any record: of any game, finished, forfeited or neither, from any position, with any names."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    positions = game(draw(st.sampled_from(SPECS))).start()
    play_on(positions, draw(st.integers(0, 30)), rng)
    setup = positions.text()[0]
    if draw(st.booleans()):
        positions, setup = positions.game.start(), None  # type: ignore[assignment]
    moves = play_on(positions, draw(st.integers(0, 400)), rng)
    names = st.one_of(st.text(st.characters(codec="utf-8"), max_size=12), st.text('[]\\";:#,- \n()', max_size=8))
    forfeit = 0 if positions.over()[0] else draw(st.sampled_from([0, 1, -1]))
    return GameRecord(positions.game, moves, setup, draw(names), draw(names), forfeit=forfeit)


def with_a_pass() -> GameRecord:
    """A whole game of Othello in which a player had to pass."""
    for seed in range(100):
        record = random_record(seed, black="left", white="right")
        movers = replay([record]).movers
        if (movers[1:] == movers[:-1]).any():
            return record
    raise AssertionError("no game with a pass")


def complaint_of(act: Callable[[], Any]) -> str | None:
    """The sentence with which something is refused, or None if it is not."""
    try:
        act()
    except ZeroplyError as error:
        return str(error)
    return None


def refused(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused, as it must be."""
    complaint = complaint_of(act)
    assert complaint is not None
    assert "\n" not in complaint
    return complaint


# The record itself


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(SPECS), st.integers(0, 10**6), st.integers(0, 20), st.integers(0, 400))
def test_replaying_a_record_ends_where_the_game_ended(spec: str, seed: int, before: int, plies: int) -> None:
    rng, positions = np.random.default_rng(seed), game(spec).start()
    play_on(positions, before, rng)
    setup = positions.text()[0]
    record = GameRecord(positions.game, play_on(positions, plies, rng), setup)
    assert record.final().text() == positions.text()
    assert record.winner == positions.winner()[0]
    assert record.score == positions.score()[0]
    assert (record.result == "?") == (not positions.over()[0])
    assert record.result[:2] == ("?" if not positions.over()[0] else {1: "B+", -1: "W+", 0: "Dr"}[record.winner])


def test_the_result_is_written_as_in_sgf() -> None:
    othello = game("othello(size=4)")
    assert GameRecord(othello).result == "?"
    assert GameRecord(othello, setup="XXXX XXXX XXXX XXXO X").result == "B+14"
    assert GameRecord(othello, setup="XXXX XXXX OOOO OOOO X").result == "Draw"
    assert GameRecord(game("gomoku(size=5)"), (0, 5, 1, 6, 2, 7, 3, 8, 4)).result == "B+1"


@settings(max_examples=20, deadline=None)
@given(st.lists(records(), min_size=1, max_size=8))
def test_records_replayed_together_end_as_alone(some: list[GameRecord]) -> None:
    assert replay(some).results == [record.result for record in some]
    alike = [record for record in some if record.game == some[0].game]
    assert replay_all(alike).text() == [record.final().text()[0] for record in alike]


def test_only_records_of_one_game_make_one_batch() -> None:
    assert "2 games" in refused(lambda: replay_all([GameRecord(game("othello")), GameRecord(game("gomoku"))]))
    assert "0 games" in refused(lambda: replay_all([]))


@pytest.mark.parametrize(
    ("spec", "moves", "complaint"),
    [
        ("othello", (37, 37), "move 2: f5 is not a legal move for White"),
        ("gomoku(size=5)", (0, 5, 1, 6, 2, 7, 3, 8, 4, 9), "move 10 comes after the end of the game"),
        ("othello", (37, 64), "move 2: othello has cells from 0 to 63, not 64"),
        ("othello", (-1,), "move 1: othello has cells"),
        ("othello", (10**30,), "move 1: othello has cells"),
        ("othello", ("f5",), "the moves of a record are numbers of cells"),
        ("othello", (3.0,), "the moves of a record are numbers of cells"),
    ],
)
def test_an_illegal_record_names_the_move(spec: str, moves: Any, complaint: str) -> None:
    assert refused(lambda: GameRecord(game(spec), moves).final()).startswith(complaint)
    assert refused(lambda: GameRecord(game(spec), moves).result).startswith(complaint)


def test_among_many_records_the_illegal_one_is_named() -> None:
    othello = game("othello")
    good = GameRecord(othello, tuple(othello.notation.cells(FORTY)))
    bad = GameRecord(othello, (*good.moves[:12], good.moves[0]))
    assert refused(lambda: replay_all([good, good, bad, good])).startswith("game 3: move 13: f5 is not a legal move")


def test_a_setup_is_kept_as_zeroply_writes_it() -> None:
    othello = game("othello")
    usual = "-------- -------- -------- ---wb--- ---bw--- -------- -------- -------- b"
    assert GameRecord(othello, setup=usual).setup is None
    other = GameRecord(othello, setup=usual[:-1] + "w")
    assert other.setup == usual.replace(" ", "").replace("w", "O").replace("b", "X")[:-1] + " O"
    assert "64 are needed" in refused(lambda: GameRecord(othello, setup="XO X"))


def test_names_stand_on_one_line() -> None:
    assert GameRecord(game("othello"), black=" a\n b\t").black == "a b"


# Both formats


@settings(max_examples=40, deadline=None)
@given(st.lists(records(), max_size=4))
def test_transcripts_give_back_what_was_written(some: list[GameRecord]) -> None:
    text = write_transcripts(some)
    assert read_transcripts(text) == some
    assert write_transcripts(read_transcripts(text)) == text


@settings(max_examples=40, deadline=None)
@given(st.lists(records(), max_size=4))
def test_sgf_gives_back_what_was_written(some: list[GameRecord]) -> None:
    text = write_sgf(some)
    assert read_sgf(text) == some
    assert write_sgf(read_sgf(text)) == text


@given(st.text("f5d6c3X-O; \n#game:othello\"'\\", max_size=60))
def test_any_text_is_transcripts_or_is_refused_in_one_line(text: str) -> None:
    complaint = complaint_of(lambda: read_transcripts(text, "othello(size=4)"))
    assert complaint is None or re.fullmatch(r"transcripts, line \d+: .*", complaint)


@given(st.lists(st.sampled_from([*"();[]\\ \n:", ";B", "W[aa]", "AB[aa:bb]", "PL[W]", "SZ[4]", "GM[2]", "RU[x]"])))
def test_any_text_is_sgf_or_is_refused_in_one_line(pieces: list[str]) -> None:
    complaint = complaint_of(lambda: read_sgf("(;GM[2]SZ[4]" + "".join(pieces)))
    assert complaint is None or re.fullmatch(r"SGF, game \d+: .*", complaint)


def test_records_that_cannot_be_replayed_are_not_written() -> None:
    bad = [GameRecord(game("othello")), GameRecord(game("othello"), (0,))]
    for write in (write_transcripts, write_sgf):
        assert refused(lambda write=write: write(bad)).startswith("game 2: move 1: a1 is not")  # type: ignore[misc]


# Forfeits


@pytest.mark.parametrize(("spec", "most"), [("othello", 64), ("othello(size=6)", 36), ("gomoku(size=5)", 1)])
def test_who_forfeits_has_lost(spec: str, most: int) -> None:
    black, white = (GameRecord(game(spec), forfeit=colour) for colour in (1, -1))
    assert (black.result, black.winner, black.score) == ("W+F", -1, -most)
    assert (white.result, white.winner, white.score) == ("B+F", 1, most)
    assert "not by 2" in refused(lambda: GameRecord(game(spec), forfeit=2))


def test_a_forfeit_is_void_once_the_game_is_over() -> None:
    won = GameRecord(game("gomoku(size=5)"), (0, 5, 1, 6, 2, 7, 3, 8, 4))
    late = replace(won, forfeit=1)
    assert (late.result, late.winner, late.score) == ("B+1", 1, 1)
    assert read_sgf(write_sgf([won]).replace("RE[B+1]", "RE[W+R]")) == [won]
    assert read_transcripts(write_transcripts([won]).replace("B+1", "W+F")) == [won]


@pytest.mark.parametrize("said", ["F", "Forfeit", "R", "Resign", "T", "Time", "resign"])
def test_resignations_and_losses_on_time_are_read_as_forfeits(said: str) -> None:
    for winner, forfeit in (("W", 1), ("B", -1)):
        record = GameRecord(game("othello"), (37,), forfeit=forfeit)
        assert read_sgf(f"(;GM[2]RE[{winner}+{said}];B[F5])") == [record]
        assert read_transcripts(f"# game: othello\nf5  # {winner}+{said}") == [record]


@pytest.mark.parametrize("comment", ["?", "W+12", "W+F, they say", '"a - "b", W+F', "W+Fine"])
def test_other_comments_are_no_forfeits(comment: str) -> None:
    assert read_transcripts(f"# game: othello\nf5  # {comment}")[0].forfeit == 0


# Transcripts


def test_transcripts_are_read_as_people_write_them() -> None:
    text = "\ufeff# My games\r\n\r\n#game:  othello\r\nF5d6 c3,D3 \r\n  f5  # a fine move - they say\r\n"
    first, second = read_transcripts(text)
    assert (first.game, second.game) == (game("othello"), game("othello"))
    assert [first.game.notation.name(cell) for cell in first.moves] == ["f5", "d6", "c3", "d3"]
    assert (second.black, second.white) == ("", "")


def test_a_transcript_is_a_line_with_names_and_result() -> None:
    othello = game("othello(size=8)")
    plain = GameRecord(othello, (37,), black='net("a")', white="")
    assert write_transcripts([plain]) == '# game: othello(size=8)\nf5  # "net(\\"a\\")" - "", ?\n'
    assert write_transcripts([GameRecord(othello, (37,))]).endswith("\nf5  # ?\n")


def test_a_header_gives_every_option_and_holds_until_the_next() -> None:
    some = [GameRecord(game(spec), (0,)) for spec in ("atarigo", "atarigo(size=9)", "gomoku")]
    lines = write_transcripts(some).splitlines()
    assert lines[0] == "# game: atarigo(size=9, captures=1, suicide=loses)"
    assert lines[3] == "# game: gomoku(size=15, exact=false)"
    assert len(lines) == 5


def test_a_given_game_replaces_the_header() -> None:
    (record,) = read_transcripts("# game: atarigo\nA1", "atarigo(captures=2)")
    assert record.game == game("atarigo(captures=2)")
    assert read_transcripts("# game: 3 of 5\nf5", game("othello"))[0].moves == (37,)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("f5", "games.txt, line 1: which game is this?"),
        ("\n# game: othelo\n", "games.txt, line 2: unknown game"),
        ("# game: othello(size=7)\n", "games.txt, line 1: othello is played on even sizes"),
        ("# game: othello(\n", "games.txt, line 1: cannot read the spec"),
        ("# game: othello\nf5\nf5d7", "games.txt, line 3: move 2: d7 is not a legal move for White"),
        ("# game: othello\nf5 x9", "games.txt, line 2: 'x9' is not a cell"),
        ("# game: othello\nf5!d6", "games.txt, line 2: 'f5!d6' is not a list of moves"),
        ("# game: othello\nXO X; f5", "games.txt, line 2: board 'XO X' has"),
        ("# game: othello\nf5; d6", "games.txt, line 2: 'f' in board"),
        ("# game: othello\nf5 \u0663", "games.txt, line 2: "),
    ],
)
def test_bad_transcripts_are_refused_with_their_line(text: str, complaint: str) -> None:
    assert refused(lambda: read_transcripts(text, source="games.txt")).startswith(complaint)


# SGF


@settings(max_examples=20, deadline=None)
@given(records())
def test_sgfmill_reads_the_same_game(record: GameRecord) -> None:
    tree = sgfmill.Sgf_game.from_bytes(write_sgf([record]).encode())
    root, size = tree.get_root(), record.game.size
    assert root.get("FF") == 4
    assert record.game.facts.sgf is not None
    assert root.get("GM") == record.game.facts.sgf.number
    assert tree.get_size() == size
    assert (tree.get_player_name("b") or "") == record.black
    assert (tree.get_player_name("w") or "") == record.white
    assert tree.get_winner() == {1: "b", -1: "w", 0: None}[record.winner]
    turns = [node.get_move() for node in tree.get_main_sequence()[1:]]
    assert [(size - 1 - row) * size + column for _, (row, column) in turns] == list(record.moves)
    assert [1 if colour == "b" else -1 for colour, _ in turns] == replay([record]).movers.tolist()
    if record.setup is not None:
        black, white, _ = root.get_setup_stones()
        stones = game(record.game).parse(record.setup).stones()[0]
        for colour, points in ((1, black), (-1, white)):
            cells = sorted((size - 1 - row) * size + column for row, column in points)
            assert cells == np.flatnonzero(stones == colour).tolist()


@pytest.mark.parametrize("setup", [False, True])
def test_what_sgfmill_writes_is_read(setup: bool) -> None:
    record = random_record(4, "atarigo(size=9)", black="left", white="right")
    tree = sgfmill.Sgf_game(size=9)
    tree.get_root().set("PB", "A]b\\c: d")
    tree.get_root().set("C", "(;B[aa]) [sic]")
    if setup:
        tree.get_root().set_setup_stones([(0, 0), (4, 4)], [(8, 8)])
        tree.get_root().set("PL", "w")
    moves = record.moves[:3]
    for ply, cell in enumerate(moves):
        colour = "bw"[(ply + setup) % 2]
        tree.extend_main_sequence().set_move(colour, (8 - cell // 9, cell % 9))
    (read,) = read_sgf(tree.serialise().decode())
    assert read.game == record.game
    assert (read.black, read.white) == ("A]b\\c: d", "")
    assert read.moves == moves
    start = read.game.parse(read.setup) if read.setup else read.game.start()
    assert start.stones().sum() == setup
    assert start.to_move() == (-1 if setup else 1)


def test_both_dialects_of_othello_are_read_with_implicit_and_explicit_passes() -> None:
    record = with_a_pass()
    name, size = record.game.notation.name, record.game.size
    letters = "abcdefgh"
    dialects: list[Callable[[int], str]] = [
        lambda cell: letters[cell % size] + letters[cell // size],
        lambda cell: name(cell).upper(),
        lambda cell: name(cell),
    ]
    movers = replay([record]).movers.tolist()
    for point in dialects:
        for passed in (None, "PA", "pa", "", "tt", "PASS"):
            text, previous = "(;GM[2]FF[4]PB[left]PW[right]", -1
            for mover, cell in zip(movers, record.moves, strict=True):
                if mover == previous and passed is not None:
                    text += f";{'B' if mover < 0 else 'W'}[{passed}]"
                text += f"\n;{'B' if mover > 0 else 'W'}[{point(cell)}]"
                previous = mover
            assert read_sgf(text + ")") == [record]
            if passed is not None:
                assert read_sgf(f"{text};B[{passed}];W[{passed}])") == [record]


def test_a_game_as_edax_writes_it_starts_as_usual() -> None:
    text = "(;GM[2]SZ[8]AB[D5][E4]AW[D4][E5]PL[B];B[F5];W[F6])"
    (record,) = read_sgf(text)
    assert record == GameRecord(game("othello"), (37, 45))


def test_the_top_right_corner_of_a_large_board_is_not_a_pass() -> None:
    (record,) = read_sgf("(;GM[2]SZ[16]AB[oa]AW[na]PL[W];W[pa])")
    assert record.moves == (15,)
    assert "passes but has a move" in refused(lambda: read_sgf("(;GM[2]SZ[16]AB[oa]AW[na]PL[W];W[PA])"))


def test_gomoku_as_c_gomoku_cli_writes_it_is_read_with_its_rule() -> None:
    text = "(;FF[4]GM[4]PB[x]PW[y]SZ[9]RU[{}]RE[B+1];B[ee];W[ef])"
    assert read_sgf(text.format(0))[0].game == game("gomoku(size=9)")
    assert read_sgf(text.format(1))[0].game == game("gomoku(size=9, exact=true)")
    assert "Renju" in refused(lambda: read_sgf(text.format(4)))


def test_only_the_main_line_is_read() -> None:
    text = "(;GM[4]SZ[5];B[aa](;W[bb];B[cc](;W[dd])(;W[ee]))(;W[ab](;B[zz])))(;GM[4]SZ[5])"
    first, second = read_sgf(text)
    assert first.moves == (0, 6, 12, 18)
    assert second.moves == ()


def test_old_and_untidy_files_are_read() -> None:
    text = "\ufeffFrom: me\n\n ( ;\nGaMe [4]\nSiZe[5:5] PlayerBlack[A\\\r\nB\\]\nC] C[a \\] ) ( ; b]XX[1] [2][]\n"
    text += ";\n Black[ aa ] ; W\n[BB]\tBL[20]; ; KO[]\n)\n\nsome words\n(;GM[4]SZ[5])\n-- \n"
    first, second = read_sgf(text)
    assert first == GameRecord(game("gomoku(size=5)"), (0, 6), black="AB] C")
    assert second == GameRecord(game("gomoku(size=5)"))


def test_set_up_stones_may_be_rectangles_and_the_first_move_tells_who_begins() -> None:
    (record,) = read_sgf("(;GM[4]SZ[5]AB[aa:bb][ee]AW[dd]AE[bb];W[ec])")
    assert record.setup == "XX---X------------O-----X O"
    assert read_sgf("(;GM[4]SZ[5]PL[white])")[0].setup == "-" * 25 + " O"
    assert read_sgf("(;GM[4]SZ[5]PL[B])")[0].setup is None


@pytest.mark.parametrize("board", ["-" * 36 + " X", "O" + "-" * 35 + " X", "X" * 35 + "- O"])
@pytest.mark.parametrize("spec", ["othello(size=6)", "gomoku(size=6)", "atarigo(size=6)"])
def test_boards_without_stones_of_a_colour_survive(spec: str, board: str) -> None:
    record = GameRecord(game(spec), (), board)
    assert read_sgf(write_sgf([record])) == [record]
    assert read_transcripts(write_transcripts([record])) == [record]


def test_captures_and_ko_of_a_set_up_position_survive() -> None:
    record = GameRecord(game("atarigo(size=5, captures=9)"), (0,), "-XO--XO-O--XO------------ X captured=2/3 ko=C4")
    assert "ko=C4" in str(record.setup)
    assert read_sgf(write_sgf([record])) == [record]


def test_variations_may_be_nested_as_deep_as_one_likes() -> None:
    deep = 100_000
    (record,) = read_sgf("(;GM[4]SZ[5]" + "(;C[x]" * deep + ";B[aa]" + ")" * deep + ")")
    assert record.moves == (0,)
    assert len(read_sgf("(;GM[4]SZ[5]AB" + "[aa]" * deep + ")")) == 1


@pytest.mark.parametrize("text", ["(", "(;", "(;(", "(;[", "(;C[\\", "(;B[aa", "(;B[aa]", "(; ", "(;a", "[", ";B[]"])
def test_hostile_text_is_refused_at_once_in_a_short_sentence(text: str) -> None:
    assert len(refused(lambda: read_sgf(text * 100_000))) < 200
    assert len(refused(lambda: read_sgf(text + text[-1] * 100_000))) < 200


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("f5d6c3", "x.sgf holds no game"),
        ("(;GM[4]SZ[5];B[aa]", "x.sgf, game 1: it is cut off"),
        ("(;GM[4]SZ[5])(;GM[4]C[oh", "x.sgf, game 2: 'C[oh' is neither a property"),
        ("(;GM[4]SZ[5];B[aa]!)", "x.sgf, game 1: '!)' is neither a property"),
        ("(;GM[3];B[aa])", "x.sgf, game 1: GM[3] is not a game that zeroply reads; it reads GM[1] (atarigo)"),
        ("(;GM[Othello];B[F5//1.2])", "x.sgf, game 1: GM[Othello] is not a game"),
        ("(;GM[2]SZ[7])", "x.sgf, game 1: othello is played on even sizes"),
        ("(;GM[1]SZ[9:13])", "x.sgf, game 1: SZ[9:13] is not the size of a square board"),
        (f"(;GM[1]SZ[{'9' * 5000}])", "x.sgf, game 1: SZ[9999"),
        (
            "(;GM[1]SZ[5]RU[atarigo(size=9)])",
            "x.sgf, game 1: its board has size 5, which is not that of atarigo(size=9)",
        ),
        ("(;GM[1]SZ[9]RU[atarigo(sise=9)])", "x.sgf, game 1: game atarigo has no key 'sise'"),
        ("(;GM[4]SZ[5];B[aa];W[ff])", "x.sgf, game 1: move 2: 'ff' is not a point of this board"),
        ("(;GM[4]SZ[5];B[D3])", "x.sgf, game 1: move 1: 'D3' is not a point"),
        ("(;GM[4]SZ[5];B[aa];W[aa])", "x.sgf, game 1: move 2: A5 is not a legal move for White"),
        ("(;GM[4]SZ[5];B[aa];B[bb])", "x.sgf, game 1: move 2: Black moves, but it is not Black's turn"),
        ("(;GM[4]SZ[5];B[aa];W[];B[bb])", "x.sgf, game 1: move 2: White passes but may not in gomoku"),
        ("(;GM[1]SZ[5];B[aa];W[tt])", "x.sgf, game 1: move 2: White passes but may not in atarigo"),
        ("(;GM[2];B[fe];W[PA];B[dc])", "x.sgf, game 1: move 2: "),
        ("(;GM[2];B[fe];W[PA])", "x.sgf, game 1: move 2: White passes but has a move"),
        ("(;GM[2];B[fe];W[];B[])", "x.sgf, game 1: move 2: White passes but has a move"),
        ("(;GM[4]SZ[5];B[aa]AW[bb])", "x.sgf, game 1: AW changes the stones after move 1"),
        ("(;GM[4]SZ[5]AB[aa:bb:cc])", "x.sgf, game 1: 'aa:bb:cc' is not a point"),
        ("(;GM[4]SZ[5]AB[])", "x.sgf, game 1: '' is not a point"),
        ("(;GM[4]SZ[5]PL[2])", "x.sgf, game 1: PL must be B or W"),
        ("(;GM[1]SZ[5]ZP[ko=Z9])", "x.sgf, game 1: 'Z9' is not a cell"),
        ("(;GM[4]SZ[5]AB[aa:ea]AW[ab:eb])", "x.sgf, game 1: not a position of gomoku(size=5)"),
    ],
)
def test_bad_sgf_is_refused_with_its_game(text: str, complaint: str) -> None:
    assert refused(lambda: read_sgf(text, "x.sgf")).startswith(complaint)


def test_a_given_game_replaces_what_sgf_says_but_not_its_size() -> None:
    text = "(;GM[1]SZ[9]RU[Japanese];B[aa])"
    assert read_sgf(text)[0].game == game("atarigo(size=9)")
    assert read_sgf(text, game="atarigo(captures=3)")[0].game == game("atarigo(captures=3)")
    assert "its board has size 9" in refused(lambda: read_sgf(text, game="gomoku"))
    assert read_sgf("(;;B[aa])")[0].game == game("atarigo(size=19)")


# Files


@pytest.mark.parametrize("suffix", [".txt", ".sgf", ".SGF"])
def test_files_are_read_back(tmp_path: Path, suffix: str) -> None:
    some = [random_record(seed, spec, black="left", white="right") for seed, spec in enumerate(SPECS)]
    path = tmp_path / f"games{suffix}"
    save(some, path)
    assert load(path) == some
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    save([], str(path), overwrite=True)
    assert load(str(path)) == []


def test_sgf_in_latin_1_is_read(tmp_path: Path) -> None:
    (tmp_path / "old.sgf").write_bytes("(;GM[2]PB[Zoë])".encode("latin-1"))
    assert load(tmp_path / "old.sgf")[0].black == "Zoë"


def test_load_passes_the_game_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A1")
    assert load(tmp_path / "a.txt", "gomoku")[0].game == game("gomoku")
    assert refused(lambda: load(tmp_path / "a.txt")).startswith(f"{tmp_path / 'a.txt'}, line 1: which game")


def test_unknown_missing_and_unreadable_files_are_refused(tmp_path: Path) -> None:
    for use in (load, check_suffix, lambda path: save([], path)):
        complaint = refused(lambda use=use: use(tmp_path / "games.pgn"))  # type: ignore[misc]
        assert ".txt (transcripts) or .sgf (SGF)" in complaint
    assert refused(lambda: load(tmp_path / "games.txt")) == f"there is no file {tmp_path / 'games.txt'}"
    (tmp_path / "folder.txt").mkdir()
    assert "is not a file" in refused(lambda: load(tmp_path / "folder.txt"))
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    assert "is not text in UTF-8" in refused(lambda: load(tmp_path / "binary.txt"))
    assert refused(lambda: save([], tmp_path / "no" / "games.txt")).startswith("cannot write")


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.txt"
    good = [random_record(1, black="left", white="right")]
    save(good, path)
    refused(lambda: save([GameRecord(game("othello"), (0,))], path, overwrite=True))
    complaint = refused(lambda: save([GameRecord(game("othello"), black="\ud800")], path, overwrite=True))
    assert re.search(r"a player's name holds '\\ud800'", complaint)

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    assert "disk full" in refused(lambda: save(good * 2, path, overwrite=True))
    assert load(path) == good
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.txt"]
