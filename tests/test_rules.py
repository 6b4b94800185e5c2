"""The rules of Othello, Gomoku and Atari-Go: published counts, a plain second implementation, and single statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reference
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions, game

PERFT = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284]
WIPE_OUT = "f5d6c5f4e7f6g5e6e3"


def spec_of(name: str, options: dict[str, Any]) -> str:
    written = [f"{key}={str(value).lower()}" for key, value in options.items()]
    return f"{name}({', '.join(written)})"


def board(spec: str, picture: str, rest: str) -> Positions:
    """A position from a picture of its rows."""
    return game(spec).parse(re.sub(r"\s", "", picture) + " " + rest)


def play_all(position: Positions, moves: str) -> Positions:
    """The position after moves given as names."""
    position = position.copy()
    for move in moves.split():
        position.play(move)
    return position


def names(position: Positions) -> set[str]:
    """Legal moves of a single position."""
    return {position.game.notation.name(int(cell)) for cell in np.flatnonzero(position.legal()[0])}


# Counts


@pytest.mark.parametrize("depth", range(1, 11))
def test_othello_perft_is_the_published_one(depth: int) -> None:
    assert game("othello").perft(depth) == PERFT[depth - 1]


def test_a_sequence_of_no_plies_is_one() -> None:
    for spec in ("othello", "othello(size=10)", "gomoku", "atarigo"):
        assert game(spec).perft(0) == 1


def test_othello_on_4x4_has_60060_games() -> None:
    """All of them, played to the end; the plain rules count as many, but take ten seconds."""
    assert game("othello(size=4)").perft(20) == 60060
    assert game("othello(size=4)").perft(1000) == 60060


@pytest.mark.parametrize(("size", "depth"), [(4, 6), (6, 5), (8, 4), (10, 4), (12, 3), (14, 3), (16, 3)])
def test_othello_perft_on_any_size_is_that_of_the_plain_rules(size: int, depth: int) -> None:
    plain = reference.start("othello", size=size)
    for plies in range(1, depth + 1):
        assert game(f"othello(size={size})").perft(plies) == reference.perft(plain, plies)


@pytest.mark.parametrize("size", [5, 6, 7, 8, 11, 16, 19])
def test_the_second_move_of_gomoku_and_atarigo_may_be_on_any_free_cell(size: int) -> None:
    cells = size**2
    for spec in (f"gomoku(size={size})", f"atarigo(size={size})", f"atarigo(size={size}, suicide=illegal)"):
        assert game(spec).perft(2) == cells * (cells - 1)


LATE: list[tuple[str, dict[str, Any], int]] = [
    ("othello", {"size": 4}, 4),
    ("othello", {"size": 6}, 20),
    ("othello", {"size": 8}, 48),
    ("othello", {"size": 10}, 84),
    ("gomoku", {"size": 5}, 17),
    ("gomoku", {"size": 5, "exact": True}, 17),
    ("gomoku", {"size": 6, "exact": True}, 27),
    *(
        ("atarigo", {"size": 5, "captures": captures, "suicide": suicide}, ply)
        for captures, ply in ((1, 12), (2, 16), (3, 16), (1000, 18))
        for suicide in ("loses", "illegal")
    ),
]


@pytest.mark.parametrize(("name", "options", "ply"), LATE, ids=str)
def test_perft_late_in_the_game_is_that_of_the_plain_rules(name: str, options: dict[str, Any], ply: int) -> None:
    """Where games end, passes, captures, ko and suicide are within reach of a few plies."""
    rng = np.random.default_rng(ply)
    compared = 0
    for _ in range(1000):
        plain = reference.start(name, **options)
        moves: list[int] = []
        while not plain.over and len(moves) < ply:
            moves.append(int(rng.choice(plain.legal())))
            plain.play(moves[-1])
        if plain.over:
            continue
        the_game = game(spec_of(name, options))
        for depth in (1, 2, 3):
            assert the_game.perft(depth, the_game.replay(moves)) == reference.perft(plain, depth)
        compared += 1
        if compared == 4:
            return
    pytest.fail("games do not last that long")


def test_perft_of_a_finished_game_is_one() -> None:
    finished = game("othello").replay(WIPE_OUT)
    assert [game("othello").perft(depth, finished) for depth in range(4)] == [1, 1, 1, 1]


# Random games beside the plain rules

LOCKSTEP: list[tuple[str, dict[str, Any], int]] = [
    *(("othello", {"size": size}, 8 if size <= 8 else 1) for size in range(4, 17, 2)),
    *(
        ("gomoku", {"size": size, "exact": exact}, 6 if size <= 9 else 3)
        for size in (5, 7, 8, 9, 10, 11, 15, 19, 20)
        for exact in (False, True)
    ),
    *(
        ("atarigo", {"size": size, "captures": captures, "suicide": suicide}, 6 if size <= 7 else 2)
        for size in (5, 6, 7, 8, 11, 16, 19)
        for captures, suicide in zip((1, 1, 2, 5, 1000, 1000), ("loses", "illegal") * 3, strict=True)
    ),
]


def anywhere(moves: list[int], rng: np.random.Generator) -> int:
    return int(rng.choice(moves))


def crowded(moves: list[int], rng: np.random.Generator) -> int:
    """Fills the board from the top: long rows, dense fights, full boards."""
    return int(rng.choice(moves[:4]))


@pytest.mark.parametrize(
    ("name", "options", "games", "style"),
    [
        (*case, style)
        for number, case in enumerate(LOCKSTEP)
        for style in (anywhere, crowded)
        if case[1]["size"] <= 8 or (style is crowded) == (number % 2 == 0)  # large boards take long: one style each
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_every_ply_of_random_games_is_that_of_the_plain_rules(
    name: str, options: dict[str, Any], games: int, style: Callable[[list[int], np.random.Generator], int]
) -> None:
    rng = np.random.default_rng(options["size"])
    positions = game(spec_of(name, options)).start(games)
    plain = [reference.start(name, **options) for _ in range(games)]
    longest = 150 if name == "atarigo" and options["size"] > 7 else 300
    for _ in range(longest):
        compare(positions, plain)
        if positions.over().all():
            return
        moves = [-1 if p.over else style(p.legal(), rng) for p in plain]
        positions.play(moves)
        for position, move in zip(plain, moves, strict=True):
            if move >= 0:
                position.play(move)
    assert name == "atarigo", "a game of this kind must have ended"


def compare(positions: Positions, plain: list[reference.Position]) -> None:
    """Everything the core says about a batch, against the plain rules."""
    legal = positions.legal()
    assert [np.flatnonzero(row).tolist() for row in legal] == [p.legal() for p in plain]
    assert positions.stones().tolist() == [p.stones for p in plain]
    assert positions.over().tolist() == [p.over for p in plain]
    assert positions.to_move().tolist() == [p.to_move for p in plain]
    assert positions.winner().tolist() == [p.winner for p in plain]
    assert positions.score().tolist() == [p.score() for p in plain]
    assert positions.move_number().tolist() == [p.move_number for p in plain]
    assert positions.last_move().tolist() == [p.last for p in plain]
    assert positions.captured().tolist() == [p.captured for p in plain]
    assert positions.ko().tolist() == [p.ko for p in plain]
    if positions.game.name == "atarigo":
        liberties = [p.liberties() for p in plain if isinstance(p, reference.AtariGo)]
        assert positions.liberties().tolist() == liberties


@pytest.mark.parametrize(("name", "options"), [case[:2] for case in LOCKSTEP[::3]], ids=str)
def test_positions_set_up_from_any_stones_go_on_by_the_plain_rules(name: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(options["size"])
    the_game = game(spec_of(name, options))
    followed = 0
    for _ in range(60):
        plain = reference.start(name, **options)
        filled = rng.random(the_game.cells) < rng.uniform(0.1, 0.9)
        plain.stones = (rng.choice([1, -1], the_game.cells) * filled).tolist()
        plain.to_move = int(rng.choice([1, -1]))
        plain.move_number = sum(map(abs, plain.stones)) + (-3 if name == "othello" else 1)
        try:
            position = make(the_game, np.array([plain.stones], np.int8), plain.to_move)
        except ValueError:
            continue
        if position.over()[0]:
            continue
        plain.to_move = int(position.to_move()[0])  # Othello may have passed
        plain.last = -1
        for _ in range(3):
            compare(position, [plain])
            if plain.over:
                break
            move = int(rng.choice(plain.legal()))
            plain.play(move)
            position.play([move])
        followed += 1
    assert followed > 5


@pytest.mark.parametrize(("name", "options", "games"), LOCKSTEP[::3], ids=str)
def test_the_value_of_a_child_is_that_of_playing_it(name: str, options: dict[str, Any], games: int) -> None:
    rng = np.random.default_rng(7)
    the_game = game(spec_of(name, options))
    weights = rng.normal(size=the_game.cells).astype(np.float32)
    positions = the_game.start(games)
    for _ in range(12):
        for _ in range(int(rng.integers(1, 6))):
            positions.play([int(rng.choice(np.flatnonzero(row))) if row.any() else -1 for row in positions.legal()])
        outcome, discs, weighted = (np.empty((games, the_game.cells), np.float32) for _ in range(3))
        positions.batch.child_values(False, outcome)
        positions.batch.child_values(True, discs)
        positions.batch.child_weights(weights, weighted)
        legal = positions.legal()
        for values in (outcome, discs, weighted):
            assert (np.isneginf(values) == ~legal).all()
        for row, cell in rng.permutation(np.argwhere(legal))[:40]:
            side = positions.to_move()[row]
            child = positions[row].after([cell])
            own = child.stones()[0].astype(np.float64) * side
            assert outcome[row, cell] == child.winner()[0] * side
            assert discs[row, cell] == (own > 0).sum()
            assert weighted[row, cell] == pytest.approx(weights @ own, abs=1e-5)


# Othello


def test_othello_starts_with_black_to_move_and_four_discs() -> None:
    start = game("othello").start()
    assert start.text() == ["-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X"]
    assert names(start) == {"d3", "c4", "f5", "e6"}


def test_a_wipe_out_ends_the_game() -> None:
    before = game("othello").replay(WIPE_OUT[:-2])
    assert not before.over()[0]
    after = before.after("e3")
    assert after.over()[0]
    assert (after.stones() == -1).sum() == 0
    assert after.score()[0] == 13
    assert after.winner()[0] == 1
    assert after.move_number()[0] == 10
    assert not after.legal().any()


def test_a_move_number_of_othello_is_three_less_than_the_discs() -> None:
    positions = game("othello").start(64)
    keys = np.arange(64, dtype=np.uint64)
    moves = np.empty(64, np.int32)
    while not positions.over().all():
        positions.batch.random_moves(keys, moves)
        positions.play(moves)
        assert (positions.move_number() == (positions.stones() != 0).sum(axis=1) - 3).all()


def test_a_side_without_a_move_passes_at_once() -> None:
    row = "OXXXXXX-" + "-" * 56
    position = game("othello").parse(row + " X")  # Black encloses nothing, White can play h1
    assert position.to_move()[0] == -1
    assert not position.over()[0]
    assert names(position) == {"h1"}


def test_both_sides_without_a_move_end_the_game_before_the_board_is_full() -> None:
    position = game("othello").parse("-XXXXXXO" + "-" * 48 + "X------- O")
    assert names(position) == {"a1"}
    position.play("a1")
    assert position.over()[0]
    assert position.score()[0] == 1 - 8
    assert position.winner()[0] == -1
    assert (position.stones() == 0).any()


def test_passes_happen_in_random_games_and_keep_the_same_side_on_turn() -> None:
    positions = game("othello").start(400)
    keys = np.arange(400, dtype=np.uint64)
    moves = np.empty(400, np.int32)
    passes = 0
    while not positions.over().all():
        side = positions.to_move()
        positions.batch.random_moves(keys, moves)
        positions.play(moves)
        passes += int(((positions.to_move() == side) & ~positions.over()).sum())
        assert (positions.legal().any(axis=1) == ~positions.over()).all()
    assert passes > 100


def test_a_move_turns_discs_in_all_eight_directions() -> None:
    for size in range(6, 17, 2):
        cells = np.zeros((size, size), np.int8)
        middle = size // 2
        for down, right in reference.EIGHT:
            cells[middle + down, middle + right] = -1
            cells[middle + 2 * down, middle + 2 * right] = 1
        text = "".join("-XO"[stone] for stone in cells.ravel())
        position = game(f"othello(size={size})").parse(text + " X")
        position.play([middle * size + middle])
        assert position.score()[0] == 17


def test_the_longest_lines_turn_from_edge_to_edge() -> None:
    for size in range(4, 17, 2):
        for line in (
            [(0, i) for i in range(size)],
            [(size - 1, i) for i in range(size)],
            [(i, 0) for i in range(size)],
            [(i, size - 1) for i in range(size)],
            [(i, i) for i in range(size)],
            [(i, size - 1 - i) for i in range(size)],
        ):
            for path in (line, line[::-1]):
                cells = np.zeros((size, size), np.int8)
                for at in path[1:-1]:
                    cells[at] = -1
                cells[path[0]] = 1
                text = "".join("-XO"[stone] for stone in cells.ravel())
                position = game(f"othello(size={size})").parse(text + " X")
                position.play([path[-1][0] * size + path[-1][1]])
                assert position.over()[0]
                assert position.score()[0] == size


def test_lines_do_not_go_on_around_the_edge() -> None:
    for size in range(4, 17, 2):
        text = "X" + "O" * (size - 1) + "-" * (size * (size - 1))
        assert game(f"othello(size={size})").parse(text + " X").over()[0]
        text = "-" * (size - 2) + "XO" + "-" * (size * (size - 1))
        assert game(f"othello(size={size})").parse(text + " X").to_move()[0] == -1


# Gomoku


def lines_of_five(size: int) -> list[list[int]]:
    """Every way to lie five stones in a row on the board."""
    lines = []
    for row in range(size):
        for column in range(size):
            for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
                ends = row + 4 * down, column + 4 * right
                if 0 <= ends[0] < size and 0 <= ends[1] < size:
                    lines.append([(row + i * down) * size + column + i * right for i in range(5)])
    return lines


@pytest.mark.parametrize("size", range(5, 21))
@pytest.mark.parametrize("exact", [False, True])
def test_five_in_a_row_win_everywhere_whichever_stone_comes_last(size: int, exact: bool) -> None:
    the_game = game(f"gomoku(size={size}, exact={str(exact).lower()})")
    lines = np.array(lines_of_five(size))
    assert len(lines) == 4 * (size - 4) * (size - 2)
    for last in range(5):
        for side in (1, -1):
            stones = np.zeros((len(lines), the_game.cells), np.int8)
            np.put_along_axis(stones, np.delete(lines, last, axis=1), side, axis=1)
            positions = make(the_game, stones, side)
            assert not positions.over().any()
            positions.play(lines[:, last])
            assert positions.over().all()
            assert (positions.winner() == side).all()
            assert not positions.legal().any()


def make(the_game: Game, stones: np.ndarray[Any, np.dtype[np.int8]], side: int) -> Positions:
    n = len(stones)
    mover = np.full(n, side < 0, np.uint8)
    batch = the_game.core.make(stones, mover, np.zeros((n, 2), np.int32), np.full(n, -1, np.int32))
    return Positions(the_game, batch)


@pytest.mark.parametrize("size", range(5, 21))
def test_four_in_a_row_and_five_around_the_edge_do_not_win(size: int) -> None:
    the_game = game(f"gomoku(size={size})")
    for start in range(the_game.cells - 4):
        row = [start + i for i in range(5)]
        if row[0] // size == row[-1] // size:
            continue
        stones = np.zeros((1, the_game.cells), np.int8)
        stones[0, row[:-1]] = 1
        position = make(the_game, stones, 1)
        position.play([row[-1]])
        assert not position.over()[0]


@pytest.mark.parametrize("length", [6, 7, 8, 9])
def test_an_overline_wins_unless_exactly_five_are_asked_for(length: int) -> None:
    for down, right, start in [(0, 1, 4 * 9), (1, 0, 4), (1, 1, 0), (1, -1, 8)]:
        row = [start + i * (9 * down + right) for i in range(length)]
        for last in range(length):
            before, after = last, length - 1 - last
            if max(before, after) >= 5:  # five would stand there already
                continue
            stones = np.zeros((1, 81), np.int8)
            stones[0, row[:last] + row[last + 1 :]] = 1
            free = make(game("gomoku(size=9)"), stones, 1)
            free.play([row[last]])
            assert free.winner()[0] == 1
            exact = make(game("gomoku(size=9, exact=true)"), stones, 1)
            exact.play([row[last]])
            assert exact.winner()[0] == 0
            assert not exact.over()[0]


def test_exactly_five_win_beside_an_overline_in_another_direction() -> None:
    picture = """
        XXX-XXX
        ---X---
        ---X---
        ---X---
        ---X---
        -------
        -------"""
    position = board("gomoku(size=7, exact=true)", picture, "X")
    position.play("D7")
    assert position.winner()[0] == 1


FULL = """
    XXOOX
    OOXXO
    XXOOX
    OOXXO
    XXOO-"""


def test_a_full_board_without_five_is_a_draw() -> None:
    position = board("gomoku(size=5)", FULL, "X")
    assert not position.over()[0]
    position.play("E1")
    assert position.over()[0]
    assert position.winner()[0] == 0
    assert position.score()[0] == 0
    assert not position.legal().any()
    assert position.move_number()[0] == 26
    assert position.status() == ["drawn"]


def test_the_last_cell_of_the_board_can_still_win() -> None:
    position = board("gomoku(size=5)", "XXOOX OXOXO OOXOX OOOXO XOXX-", "X")
    position.play("E1")
    assert position.over()[0]
    assert position.winner()[0] == 1


# Atari-Go


def test_the_first_capture_wins() -> None:
    position = play_all(game("atarigo(size=5)").start(), "A1 A2 C3 B1")
    assert position.over()[0]
    assert position.winner()[0] == -1
    assert position.captured().tolist() == [[0, 1]]
    assert position.stones()[0, position.game.notation.cell("A1")] == 0


SURROUNDED = """
    -XO--
    XO-O-
    -XO--
    -----
    -----"""


@pytest.mark.parametrize("suicide", ["loses", "illegal"])
def test_a_capture_is_never_suicide(suicide: str) -> None:
    """Black's stone on C4 has no liberty of its own, but it takes B4."""
    position = board(f"atarigo(size=5, captures=2, suicide={suicide})", SURROUNDED, "X")
    assert "C4" in names(position)
    position.play("C4")
    assert not position.over()[0]
    assert position.captured().tolist() == [[1, 0]]
    assert board(f"atarigo(size=5, suicide={suicide})", SURROUNDED, "X").after("C4").winner()[0] == 1


EYE = """
    -O---
    O----
    -----
    -----
    X-X--"""


def test_suicide_loses_at_once() -> None:
    position = board("atarigo(size=5)", EYE, "X")
    assert "A5" in names(position)
    position.play("A5")
    assert position.over()[0]
    assert position.winner()[0] == -1
    assert position.captured().tolist() == [[0, 0]]


def test_suicide_can_be_made_illegal() -> None:
    position = board("atarigo(size=5, suicide=illegal)", EYE, "X")
    assert "A5" not in names(position)
    with pytest.raises(ZeroplyError, match="A5 is not a legal move for Black"):
        position.play("A5")
    assert "A5" in names(board("atarigo(size=5, suicide=illegal)", EYE, "O"))


def test_a_whole_chain_can_commit_suicide() -> None:
    picture = """
        X-XO-
        OOO--
        -----
        -----
        -----"""
    assert board("atarigo(size=5)", picture, "X").after("B5").winner()[0] == -1
    assert "B5" not in names(board("atarigo(size=5, suicide=illegal)", picture, "X"))


def test_ko_forbids_to_take_back_at_once_and_no_longer() -> None:
    taken = board("atarigo(size=5, captures=3)", SURROUNDED, "X").after("C4")
    assert taken.ko()[0] == taken.game.notation.cell("B4")
    assert "B4" not in names(taken)
    with pytest.raises(ZeroplyError, match="B4 is not a legal move for White"):
        taken.play("B4")
    elsewhere = play_all(taken, "E1 E2")
    assert elsewhere.ko()[0] == -1
    back = elsewhere.after("B4")
    assert back.captured().tolist() == [[1, 1]]
    assert back.ko()[0] == taken.game.notation.cell("C4")


def test_there_is_no_ko_in_a_snapback() -> None:
    """Black throws in on A5; White takes it with a stone of a chain, which Black takes at once."""
    picture = """
        --X--
        OOX--
        XX---
        -----
        ----O"""
    taken = play_all(board("atarigo(size=5, captures=1000)", picture, "X"), "A5 B5")
    assert taken.captured().tolist() == [[0, 1]]
    assert taken.ko()[0] == -1
    back = taken.after("A5")
    assert back.captured().tolist() == [[3, 1]]
    assert back.ko()[0] == -1


def test_a_move_can_capture_several_chains_at_once() -> None:
    picture = """
        -XOX-
        XO-OX
        -XOX-
        --X--
        -----"""
    position = board("atarigo(size=5, captures=1000)", picture, "X")
    assert position.liberties()[0].reshape(5, 5)[1].tolist() == [2, 1, 0, 1, 2]
    position.play("C4")
    assert position.captured().tolist() == [[4, 0]]
    assert position.ko()[0] == -1
    assert not (position.stones() == -1).any()


def test_two_neighbours_of_one_chain_are_captured_once() -> None:
    picture = """
        OOX--
        O-X--
        OOX--
        XX---
        -----"""
    position = board("atarigo(size=5, captures=1000)", picture, "X").after("B4")
    assert position.captured().tolist() == [[5, 0]]


@pytest.mark.parametrize(("captures", "before", "over"), [(2, 0, True), (3, 0, False), (3, 1, True), (9, 1, False)])
def test_enough_captures_end_the_game(captures: int, before: int, over: bool) -> None:
    picture = """
        OO---
        XX---
        -----
        -----
        ---O-"""
    position = board(f"atarigo(size=5, captures={captures})", picture, f"X captured={before}/1").after("C5")
    assert position.captured().tolist() == [[before + 2, 1]]
    assert position.over()[0] == over
    assert position.winner()[0] == over


def test_a_side_without_a_legal_move_has_lost() -> None:
    """White has two eyes, which Black may not fill when suicide is illegal."""
    picture = """
        -OOOO
        OOOOO
        OO-OO
        OOOOO
        OOO--"""
    position = board("atarigo(size=5, suicide=illegal)", picture, "O")
    position.play("D1")
    assert position.over()[0]
    assert position.winner()[0] == -1
    assert position.captured().tolist() == [[0, 0]]


def test_ko_can_take_the_last_legal_move() -> None:
    """White could only take back on B4; E4 and A1 are suicide."""
    picture = """
        XXOOO
        XO-O-
        XXOOO
        XXXXX
        -XXXX"""
    position = board("atarigo(size=5, captures=2, suicide=illegal)", picture, "X").after("C4")
    assert position.ko()[0] == position.game.notation.cell("B4")
    assert position.over()[0]
    assert position.winner()[0] == 1
    assert position.captured().tolist() == [[1, 0]]
    free = board("atarigo(size=5, captures=2)", picture, "X").after("C4")
    assert names(free) == {"E4", "A1"}


def test_nobody_passes_in_gomoku_and_atarigo() -> None:
    for spec in ("gomoku(size=5)", "atarigo(size=5)"):
        position = game(spec).start()
        side = 1
        while not position.over()[0]:
            assert position.to_move()[0] == side
            position.play([int(np.flatnonzero(position.legal()[0])[0])])
            side = -side
