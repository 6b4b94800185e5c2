"""Positions beyond what the conformance check covers: text, hashing, batches, and clear errors at the border."""

from __future__ import annotations

import contextlib
import re
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game, pack, unpack
from zeroply.games.text import BLACK, WHITE, Board

SPECS = [
    "othello",
    "othello(size=4)",
    "othello(size=6)",
    "othello(size=10)",
    "othello(size=16)",
    "gomoku(size=5)",
    "gomoku(size=9, exact=true)",
    "gomoku(size=15)",
    "gomoku(size=19)",
    "gomoku(size=20)",
    "atarigo(size=5)",
    "atarigo(size=5, captures=4)",
    "atarigo(size=7, captures=3, suicide=illegal)",
    "atarigo",
    "atarigo(size=9, captures=1000, suicide=illegal)",
    "atarigo(size=19, captures=2, suicide=illegal)",
    "hex(size=3)",
    "hex(size=11, swap=true)",
]
every_game = pytest.mark.parametrize("spec", SPECS)


def random_moves(positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    moves = np.empty(len(positions), np.int32)
    positions.batch.random_moves(keys, moves)
    return moves


def random_batch(spec: str, seed: int, n: int = 16, plies: int | None = None) -> tuple[Positions, list[list[int]]]:
    """Games after a random number of random moves each (at most `plies`), with those moves."""
    positions = game(spec).start(n)
    keys = chance.keys(seed, np.arange(n))
    last = chance.below(1 + (plies if plies is not None else 2 * game(spec).cells), keys, np.uint64(999_999))
    history: list[list[int]] = [[] for _ in range(n)]
    for ply in range(int(last.max(initial=0))):
        playing = np.flatnonzero(~positions.over() & (last > ply))
        if not len(playing):
            break
        some = positions[playing]
        moves = random_moves(some, keys[playing])
        some.play(moves)
        positions[playing] = some
        for row, move in zip(playing.tolist(), moves.tolist(), strict=True):
            history[row].append(move)
    return positions, history


def batches(n: int = 16) -> st.SearchStrategy[tuple[Positions, list[list[int]]]]:
    return st.builds(
        random_batch, st.sampled_from(SPECS), st.integers(0, 2**64 - 1), st.just(n), st.none() | st.integers(0, 60)
    )


def facts(positions: Positions) -> dict[str, Any]:
    """Everything that can be asked about a batch, but for the last move."""
    output = {
        name: getattr(positions, name)().tolist()
        for name in ("legal", "stones", "over", "to_move", "score", "winner", "move_number", "captured", "ko", "hash")
    }
    return {**output, "text": positions.text(), "status": positions.status()}


# Symmetries


def test_symmetry_remembers_who_moved_last() -> None:
    """Evaluations of the board as its last mover left it need to know that the other side has passed."""
    positions, skipped = game("othello").start(500), 0
    exchanging = _core.ntuples([[0, 1, 2, 3]], [0], np.random.default_rng(1).normal(size=81).tolist(), True)

    def values(seen: Positions) -> NDArray[np.float32]:
        out = np.empty(len(seen), np.float32)
        exchanging.values(seen.batch, out)
        return out

    for ply in range(60):
        before = positions.to_move()
        positions.play(random_moves(positions, chance.keys(ply, np.arange(500))))
        skipped += int(((positions.to_move() == before) & ~positions.over()).sum())
        assert (values(positions.symmetry(0)) == values(positions)).all()
    assert skipped > 50


@given(st.sampled_from(SPECS), st.integers(0, 2**32))
def test_a_symmetric_start_looks_the_same_from_its_own_side(spec: str, seed: int) -> None:
    start = game(spec).start()
    images = {start.symmetry(k).hash()[0] for k in range(len(start.game.symmetries))}
    assert len(images) == (2 if game(spec).name == "othello" else 1)  # Othello's start has four symmetries


# Notation and text


def test_corners_are_named_as_players_name_them() -> None:
    assert [game("othello").notation.name(cell) for cell in (0, 7, 56, 63, 37)] == ["a1", "h1", "a8", "h8", "f5"]
    assert [game("gomoku(size=19)").notation.name(cell) for cell in (0, 18, 342, 360)] == ["A19", "T19", "A1", "T1"]
    assert [game("gomoku(size=20)").notation.name(cell) for cell in (0, 399)] == ["A20", "U1"]
    assert [game("atarigo(size=9)").notation.name(cell) for cell in (7, 8)] == ["H9", "J9"]


@pytest.mark.parametrize("cell", [-1, 64, 10**12])
def test_what_is_no_cell_has_no_name(cell: int) -> None:
    with pytest.raises(ZeroplyError, match=f"numbered from 0 to 63, not {cell}"):
        game("othello").notation.name(cell)


def test_all_ways_to_write_a_board_are_read() -> None:
    othello = game("othello")
    start = othello.start().text()[0]
    cells = start[:64]
    for text in (
        start,
        cells + "X",
        cells.replace("-", ".") + " *",
        cells.replace("X", "*").replace("O", "o") + "\nx",
        cells.replace("X", "b").replace("O", "w") + " b",
        "\n".join(" ".join(cells[row : row + 8]) for row in range(0, 64, 8)) + "\nX\n",
    ):
        assert othello.parse(text).hash() == othello.start().hash()
    assert othello.parse([start, start]).text() == [start, start]


def test_captures_and_ko_stand_in_the_text() -> None:
    atarigo = game("atarigo(size=5, captures=9)")
    position = atarigo.parse("-XO--X-XO--XO-------O---- O captured=1/0 ko=B4")
    assert position.captured().tolist() == [[1, 0]]
    assert atarigo.notation.name(int(position.ko()[0])) == "B4"
    assert position.text() == ["-XO--X-XO--XO-------O---- O captured=1/0 ko=B4"]


BAD_TEXT = [
    ("othello", ""),
    ("othello", "X"),
    ("othello", "-" * 63 + " X"),
    ("othello", "-" * 64),
    ("othello", "-" * 65 + " X"),
    ("othello", "-" * 64 + " -"),
    ("othello", "-" * 64 + " Z"),
    ("othello", "-" * 64 + " XX"),
    ("othello", "-" * 64 + " X X"),
    ("othello", "-" * 63 + "? X"),
    ("othello", "1" * 64 + " X"),
    ("othello", "-" * 10_000),
    ("atarigo(size=5)", "-" * 25 + " X captured=1"),
    ("atarigo(size=5)", "-" * 25 + " X captured=-1/0"),
    ("atarigo(size=5)", "-" * 25 + " X captured=99999/0"),
    ("atarigo(size=5)", "-" * 25 + " X captured="),
    ("atarigo(size=5)", "-" * 25 + " X captured=1/0"),  # Black would have won already
    ("atarigo(size=5)", "-" * 25 + " X ko=Z9"),
    ("atarigo(size=5)", "-" * 25 + " X ko="),
    ("atarigo(size=5)", "-" * 25 + " X komi=7"),
    ("atarigo(size=5)", "X" + "-" * 24 + " O ko=A5"),
    ("atarigo(size=5)", "XO---O" + "-" * 19 + " X"),  # a stone of the side to move without a liberty
    ("atarigo(size=5, suicide=illegal)", "XO---O" + "-" * 19 + " O"),
    ("gomoku(size=5)", "XXXXX" + "-" * 20 + " X"),
    ("gomoku(size=5)", "XXXXXOOOOO" + "-" * 15 + " X"),
]


@pytest.mark.parametrize(("spec", "text"), BAD_TEXT)
def test_bad_text_is_one_clear_sentence(spec: str, text: str) -> None:
    with pytest.raises(ZeroplyError) as caught:
        game(spec).parse(text)
    assert "\n" not in str(caught.value)
    assert 10 < len(str(caught.value)) < 250
    good = game(spec).start().text()[0]
    with pytest.raises(ZeroplyError):
        game(spec).parse([good, text])


@pytest.mark.parametrize("extra", ["ko=A1", "captured=3/2"])
@pytest.mark.parametrize("spec", ["othello(size=6)", "gomoku(size=6)"])
def test_captures_and_ko_are_refused_where_the_game_has_none(spec: str, extra: str) -> None:
    with pytest.raises(ZeroplyError):
        game(spec).parse(f"{'-' * 36} X {extra}")


@pytest.mark.parametrize("name", ["", "5", "f", "5f", "i1", "f0", "f9", "f10", "f-1", "ff5", "f5f", "f5 6", "f5" * 99])
def test_bad_names_of_cells_are_one_clear_sentence(name: str) -> None:
    with pytest.raises(ZeroplyError, match="is not a cell of this board"):
        game("othello").notation.cell(name)


def test_rows_are_written_in_plain_digits() -> None:
    with pytest.raises(ZeroplyError):
        game("othello").notation.cell("f\N{ARABIC-INDIC DIGIT FIVE}")


@pytest.mark.parametrize("transcript", ["f5d", "f5d6x", "f5--d6", "f5d6pass", "5f", "f5;d6"])
def test_bad_transcripts_are_one_clear_sentence(transcript: str) -> None:
    with pytest.raises(ZeroplyError, match="is not a list of moves"):
        game("othello").replay(transcript)


def test_a_bad_move_in_a_transcript_is_numbered() -> None:
    with pytest.raises(ZeroplyError, match=r"move 2: .*a1 is not a legal move for White"):
        game("othello").replay("f5a1")
    with pytest.raises(ZeroplyError, match="move 10 comes after the end"):
        game("othello").replay("f5d6c5f4e7f6g5e6e3a1")


# Hashing


@every_game
def test_equal_positions_and_only_those_hash_equal(spec: str) -> None:
    """Over the positions of many random games; 100,000 or more on the larger boards."""
    n = 2500 if spec == "othello" else 500
    positions = game(spec).start(n)
    keys = chance.keys(11, np.arange(n))
    hashes, contents = [], []
    for _ in range(60):
        hashes.append(positions.hash())
        contents.append(
            np.concatenate(
                [
                    positions.stones(),
                    positions.to_move()[:, None],
                    positions.captured().astype("<i2").view(np.int8).reshape(n, 4),
                    positions.ko().astype("<i2").view(np.int8).reshape(n, 2),
                ],
                axis=1,
            )
        )
        if positions.over().all():
            break
        positions.play(random_moves(positions, keys))
    content = np.ascontiguousarray(np.concatenate(contents))
    rows = content.view(np.dtype((np.void, content.shape[1]))).ravel()
    _, which = np.unique(rows, return_inverse=True)
    by_hash, to_hash = np.unique(np.concatenate(hashes), return_inverse=True)
    assert len(by_hash) == which.max() + 1
    pairs = np.unique(np.stack([which.ravel(), to_hash.ravel()]), axis=1)
    assert pairs.shape[1] == len(by_hash)
    assert spec != "othello" or len(by_hash) > 100_000


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_the_order_of_moves_does_not_matter_to_the_hash(black: list[int], white: list[int]) -> None:
    """No two of these stones touch, so that nothing is captured and no row of five stands."""
    for spec in ("gomoku(size=9)", "atarigo(size=9)"):
        own, other = [0, 4, 38, 80], [20, 24, 56, 62]
        moves = [cell for pair in zip((own[i] for i in black), (other[i] for i in white), strict=True) for cell in pair]
        assert game(spec).replay(moves).hash() == game(spec).replay([0, 20, 4, 24, 38, 56, 80, 62]).hash()


def test_an_othello_transposition_hashes_equal() -> None:
    assert game("othello").replay("f5d6c3d3c4").hash() == game("othello").replay("f5d6c4d3c3").hash()


def test_side_captures_and_ko_are_part_of_the_hash() -> None:
    atarigo = game("atarigo(size=5, captures=9)")
    cells = "-XO--X-XO--XO-------O----"
    texts = [cells + end for end in (" X", " O", " O captured=1/0", " O captured=0/1", " O ko=B4", " O ko=E5")]
    assert len(set(atarigo.parse(texts).hash().tolist())) == len(texts)


# Batches


@every_game
def test_a_batch_is_chosen_from_like_an_array(spec: str) -> None:
    positions, _ = random_batch(spec, 1, 10)
    hashes = positions.hash()
    choices: list[Any] = [0, -1, np.int64(3), slice(2, 7), slice(None, None, -2), slice(5, 5), [4, 4, 0, -2]]
    choices += [np.arange(10) % 3 == 0, np.zeros(10, bool), np.array([9, 8], np.uint8), np.array([], int), (1, 2)]
    for which in choices:
        index = list(which) if isinstance(which, tuple) else which
        assert (positions[which].hash() == np.atleast_1d(hashes[index])).all()
        assert len(positions[which]) == np.atleast_1d(hashes[index]).size
    assert [one.hash()[0] for one in positions] == hashes.tolist()


def test_an_empty_list_chooses_nothing() -> None:
    assert len(game("othello").start(3)[[]]) == 0


@pytest.mark.parametrize("which", [10, -11, [0, 10], [True] * 9, "a", 1.0, [0.5], None, [[0, 1]], {}])
def test_choosing_what_is_not_there_is_an_error(which: Any) -> None:
    positions, _ = random_batch("othello", 1, 10)
    before = facts(positions)
    with pytest.raises((IndexError, TypeError, ValueError)):
        positions[which]
    with pytest.raises((IndexError, TypeError, ValueError)):
        positions[which] = positions[0]
    assert facts(positions) == before


@every_game
def test_putting_positions_into_places_changes_only_those(spec: str) -> None:
    positions, _ = random_batch(spec, 2, 10)
    other, _ = random_batch(spec, 3, 10)
    expected = positions.hash()
    choices: list[tuple[Any, int]] = [(3, 1), (slice(0, 4), 4), ([9, 0, 5], 3), (np.arange(10) > 6, 3), (-1, 1)]
    for which, n in choices:
        positions[which] = other[:n]
        expected[which] = other.hash()[:n] if n > 1 else other.hash()[0]
        assert (positions.hash() == expected).all()


def test_a_batch_can_be_permuted_in_place() -> None:
    positions, _ = random_batch("othello", 2, 10)
    hashes = positions.hash()
    positions[::-1] = positions
    assert (positions.hash() == hashes[::-1]).all()


def test_positions_of_another_game_or_number_cannot_be_put_in() -> None:
    positions, _ = random_batch("gomoku(size=9)", 2, 10)
    before = facts(positions)
    for other in ("gomoku(size=10)", "gomoku(size=9, exact=true)", "atarigo(size=9)", "othello"):
        with pytest.raises(ValueError, match="needed here"):
            positions[0] = game(other).start()
    with pytest.raises(ValueError, match="needed here"):
        positions[:2] = positions[:3]
    assert facts(positions) == before


@given(batches(), st.data())
def test_one_illegal_move_leaves_the_whole_batch_as_it_was(
    batch: tuple[Positions, list[list[int]]], data: st.DataObject
) -> None:
    positions, _ = batch
    before = facts(positions)
    moves = random_moves(positions, chance.keys(1, np.arange(len(positions))))
    row = data.draw(st.integers(0, len(positions) - 1))
    cells = positions.game.cells
    illegal = [cell for cell in range(-3, cells + 3) if not (0 <= cell < cells and positions.legal()[row, cell])]
    illegal = [cell for cell in illegal if cell != -1 or not positions.over()[row]]
    moves[row] = data.draw(st.sampled_from([*illegal, 2**31 - 1, -(2**31)]))
    with pytest.raises(ZeroplyError, match=f"position {row}"):
        positions.play(moves)
    assert facts(positions) == before
    assert positions.batch.play(moves) == row
    assert facts(positions) == before


BAD_MOVES: list[Any] = [
    [19],
    [19, 19, 19],
    [[19, 19]],
    19,
    [],
    [19.0, 19.0],
    [True, False],
    [None, None],
    ["f5", None],
    ["f5", "z9"],
    ["f5", 2**40],
    [2**32 + 19, 19],
    [10**30, 19],
    np.array([19, 2**63], np.uint64),
    "f5",
    {"f5": 1},
    [b"f5", b"f5"],
    np.array(["f5", "z9"]),
    np.array([["f5", "f5"]]),
    np.array("f5"),
]


@pytest.mark.parametrize("moves", BAD_MOVES, ids=repr)
def test_moves_of_a_wrong_shape_or_kind_are_one_clear_sentence(moves: Any) -> None:
    positions = game("othello").start(2)
    before = facts(positions)
    with pytest.raises(ZeroplyError) as caught:
        positions.play(moves)
    assert "\n" not in str(caught.value)
    assert facts(positions) == before


def test_moves_are_cells_or_names_in_any_sequence() -> None:
    ways: list[Any] = [[37, 37], ("f5", "F5"), ["f5", 37], np.array([37, 37], np.uint8), np.array([37, 0, 37, 0])[::2]]
    ways += [np.array(["f5", "F5"]), [np.str_("f5"), np.int8(37)]]
    for moves in ways:
        assert game("othello").start(2).after(moves).last_move().tolist() == [37, 37]


def test_a_finished_game_takes_only_the_move_that_is_none() -> None:
    positions = game("othello").start(2)
    positions[1] = game("othello").replay("f5d6c5f4e7f6g5e6e3")
    ended = facts(positions[1])
    with pytest.raises(ZeroplyError, match="the game is over in position 1"):
        positions.play(["f5", "a1"])
    positions.play([37, -1])
    assert facts(positions[1]) == ended
    with pytest.raises(ZeroplyError, match="cell from 0 to 63"):
        positions.play([-1, -1])


@every_game
def test_a_batch_may_be_empty(spec: str) -> None:
    none = game(spec).start(0)
    for output in facts(none).values():
        assert output == []
    none.play([])
    assert len(none.after(np.zeros(0, np.int64))) == len(none[:]) == len(none.copy()) == len(none.symmetry(1)) == 0
    assert none.planes().shape == (0, 2, game(spec).size, game(spec).size)
    assert len(game(spec).parse([])) == 0
    assert str(none) == ""
    none[np.zeros(0, bool)] = none
    assert none.last_move().shape == (0,)
    with pytest.raises(ZeroplyError):
        none.play([3])


def test_other_misuse_is_one_clear_sentence() -> None:
    othello = game("othello")
    start = othello.start()
    misuses: list[Callable[[], object]] = [
        lambda: othello.start(-1),
        lambda: othello.perft(-1),
        lambda: othello.perft(3_000_000_000),
        lambda: start.symmetry(8),
        lambda: start.symmetry(-1),
        lambda: start.planes(["mine"]),  # type: ignore[list-item]
        lambda: start.liberties(),
        lambda: game("gomoku").start().liberties(),
    ]
    for misuse in misuses:
        with pytest.raises(ZeroplyError):
            misuse()


@pytest.mark.parametrize("other", ["othello(size=4)", "othello(size=6)", ""])
def test_perft_takes_one_position_of_its_own_game(other: str) -> None:
    position = game(other).start() if other else game("othello").start(0)
    with pytest.raises(ValueError, match="position"):
        game("othello").perft(2, position)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.float32, np.float64, list])
def test_stones_may_be_numbers_of_any_kind(kind: Any) -> None:
    stones = np.zeros(25, np.int8)
    stones[7] = 1
    output: Any = stones.tolist() if kind is list else stones.astype(kind)
    made = game("gomoku(size=5)").make([Board(output, WHITE), Board(stones, BLACK)])
    assert (made.stones() == stones).all()
    assert made.to_move().tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("stones", "to_move", "says"),
    [
        (np.zeros(25), 0, "the side to move is 1 (Black) or -1 (White), not 0"),
        (np.zeros(25), 7, "not 7"),
        (np.zeros(24), BLACK, "has 25 stones, not an array of shape (24,)"),
        (np.zeros((5, 5)), BLACK, "not an array of shape (5, 5)"),
        (np.full(25, 2), BLACK, "stones of a board are 1 (Black), -1 (White) or 0 (empty)"),
        (np.full(25, 257), BLACK, "stones of a board are"),
        (np.full(25, 0.5), BLACK, "stones of a board are"),
        (np.full(25, np.nan), BLACK, "stones of a board are"),
        (np.full(25, "X"), BLACK, "stones of a board are"),
        (np.full(25, None), BLACK, "stones of a board are"),
    ],
)
def test_boards_that_cannot_be_are_one_clear_sentence(stones: Any, to_move: int, says: str) -> None:
    with pytest.raises(ZeroplyError, match=re.escape(says)) as caught:
        game("gomoku(size=5)").make([Board(np.zeros(25, np.int8), BLACK), Board(stones, to_move)])
    assert "\n" not in str(caught.value)


# The border to the core

Call = tuple[Callable[[Any], object], tuple[int, ...], type[np.generic]]


def calls(batch: _core.Batch, cells: int) -> dict[str, Call]:
    """Each call that takes an array: the call, the right shape and the right dtype."""
    n = len(batch)
    keys = np.zeros(n, np.uint64)
    return {
        "legal": (batch.legal, (n, cells), np.uint8),
        "stones": (batch.stones, (n, cells), np.int8),
        "over": (batch.over, (n,), np.uint8),
        "mover": (batch.mover, (n,), np.uint8),
        "score": (batch.score, (n,), np.int32),
        "move_number": (batch.move_number, (n,), np.int32),
        "last_move": (batch.last_move, (n,), np.int32),
        "captured": (batch.captured, (n, 2), np.int32),
        "ko": (batch.ko, (n,), np.int32),
        "liberties": (batch.liberties, (n, cells), np.int32),
        "hash": (batch.hash, (n,), np.uint64),
        "planes": (lambda a: batch.planes([0, 6], a), (n, 2, cells), np.float32),
        "child_values": (lambda a: batch.child_values(False, a), (n, cells), np.float32),
        "child_weights": (lambda a: batch.child_weights(np.ones(cells, np.float32), a), (n, cells), np.float32),
        "random_moves": (lambda a: batch.random_moves(keys, a), (n,), np.int32),
    }


def reads(batch: _core.Batch, cells: int) -> dict[str, Call]:
    """Each call that reads an array."""
    n = len(batch)
    moves = np.zeros(n, np.int32)
    return {
        "play": (batch.play, (n,), np.int32),
        "select": (batch.select, (n,), np.int64),
        "keys": (lambda a: batch.random_moves(a, moves), (n,), np.uint64),
        "weights": (lambda a: batch.child_weights(a, np.empty((n, cells), np.float32)), (cells,), np.float32),
    }


CALLS = list(calls(_core.atarigo(5, 1, True).start(1), 25))
READS = list(reads(_core.atarigo(5, 1, True).start(1), 25))


@pytest.mark.parametrize("name", [*CALLS, *READS])
def test_the_core_refuses_arrays_of_a_wrong_shape(name: str) -> None:
    batch = _core.atarigo(5, 1, True).start(3)
    call, shape, dtype = {**calls(batch, 25), **reads(batch, 25)}[name]
    call(np.zeros(shape, dtype))
    wrong = [(), (0,), (*shape, 1), (1, *shape), shape[::-1], tuple(s + 1 for s in shape), (2**20,)]
    for other in wrong:
        if len(other) == len(shape) and (other == shape or name == "select"):
            continue
        with pytest.raises((TypeError, ValueError)):
            call(np.zeros(other, dtype))


@pytest.mark.parametrize("name", CALLS)
def test_the_core_refuses_what_it_cannot_write_to(name: str) -> None:
    call, shape, dtype = calls(_core.atarigo(5, 1, True).start(3), 25)[name]
    locked = np.zeros(shape, dtype)
    locked.flags.writeable = False
    for target in (locked, locked.tolist(), None, "text", 3, memoryview(b"")):
        with pytest.raises((TypeError, ValueError, BufferError)):
            call(target)


@pytest.mark.parametrize("name", CALLS)
def test_the_core_fills_the_given_array_or_refuses_it(name: str) -> None:
    call, shape, dtype = calls(_core.atarigo(5, 1, True).start(3), 25)[name]
    right = np.zeros(shape, dtype)
    call(right)
    wider = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    for other in (np.zeros(shape, np.float64), np.zeros(shape, np.int16), np.zeros(shape, np.complex64), wider):
        other[...] = 77
        try:
            call(other)
        except (TypeError, ValueError):
            continue
        assert (other == right).all()


@pytest.mark.parametrize("name", READS)
def test_the_core_refuses_numbers_it_would_have_to_bend(name: str) -> None:
    call, shape, _ = reads(_core.atarigo(5, 1, True).start(3), 25)[name]
    for value in (np.full(shape, 0.5), np.full(shape, 1j), np.full(shape, True)):
        with pytest.raises((TypeError, ValueError)):
            call(value)


def test_the_core_refuses_places_that_are_not_there() -> None:
    batch = _core.othello(8).start(3)
    for index in ([-1], [3], [0, 2**62], [-(2**63)]):
        with pytest.raises(IndexError):
            batch.select(np.array(index, np.int64))
        with pytest.raises(IndexError):
            batch.assign(np.array(index, np.int64), _core.othello(8).start(len(index)))


NUMBERS = st.sampled_from([-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 19, 24, 25, 360, 361, 2**31 - 1, 2**63 - 1])
DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "U3", "S2", "O", ">i4", ">f4", "M8[s]"]


@st.composite
def garbage(draw: st.DrawFn) -> Any:
    """Something that hardly fits, most often an array."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([None, 3, -1.5, "x", b"y", [], [1, 2], {}, object(), _core.othello(4)]))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 7, 25, 26]), max_size=4)))
    seed = draw(st.integers(0, 2**32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = np.random.default_rng(seed).choice([-1, 0, 1, 2, 24, 25, -(2**31), 2**31, 1e30], size=shape)
        array = np.asarray(values).astype(draw(st.sampled_from(DTYPES)))
    layout = draw(st.sampled_from(["C", "F", "backwards"]))
    return (
        array[..., ::-1] if layout == "backwards" and shape else np.asarray(array, order="F" if layout == "F" else "C")
    )


@settings(max_examples=250)
@given(st.sampled_from([0, 1, 3, 7]), st.lists(garbage(), min_size=4, max_size=4), NUMBERS, st.floats(), st.data())
def test_garbage_at_the_border_raises_and_never_crashes(
    n: int, garbage: list[Any], number: int, temperature: float, data: st.DataObject
) -> None:
    atarigo = _core.atarigo(5, 2, True)
    batch = atarigo.start(n)
    a, b, c, d = garbage
    actions: dict[str, Callable[[], object]] = {
        "assign": lambda: batch.assign(a, b),
        "image": lambda: batch.image(number),
        "planes of what": lambda: batch.planes(a, b),
        "make": lambda: atarigo.make(a, b, c, d),
        "perft": lambda: atarigo.perft(batch, min(number, 2)),
        "perft of what": lambda: atarigo.perft(a, number),
        "start": lambda: atarigo.start(number if number < 1000 else 2**62),
        "random_games": lambda: atarigo.random_games(number, min(number, 20)),
        "choose": lambda: _core.choose(a, b, c, temperature, bool(n), d),
        "set_threads": lambda: _core.set_threads(a),
        "othello": lambda: _core.othello(number),
        "gomoku": lambda: _core.gomoku(number, a),
        "atarigo": lambda: _core.atarigo(number, number, a),
        "never made": lambda: _core.Batch.__new__(_core.Batch).legal(a),
    }
    for name, (call, _, _) in {**calls(batch, 25), **reads(batch, 25)}.items():
        actions[name] = partial(call, a)
    action = actions[data.draw(st.sampled_from(sorted(actions)))]
    threads = _core.threads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            action()
        except (TypeError, ValueError, IndexError, MemoryError):
            pass
        finally:
            _core.set_threads(threads)
    assert batch.play(np.full(len(batch), 999, np.int32)) == (0 if len(batch) else -1)


@settings(max_examples=150)
@given(st.sampled_from(SPECS), st.integers(0, 2**32), st.floats(0, 1), st.booleans())
def test_any_stones_are_a_position_or_an_error(spec: str, seed: int, density: float, wild: bool) -> None:
    """What the core accepts, it can play to the end, turn, write and read."""
    the_game = game(spec)
    rng = np.random.default_rng(seed)
    stones = rng.choice([1, -1], size=(1, the_game.cells)) * (rng.random((1, the_game.cells)) < density)
    stones[0, 0] = 2 if wild and seed % 3 == 0 else stones[0, 0]
    captured = rng.integers(0, 3, size=(1, 2)) if wild else np.zeros((1, 2))
    ko = rng.integers(-1, the_game.cells, size=1) if wild and the_game.name == "atarigo" else np.array([-1])
    mover = rng.integers(0, 3 if wild else 2, size=1)
    try:
        batch = the_game.core.make(
            stones.astype(np.int8), mover.astype(np.uint8), captured.astype(np.int32), ko.astype(np.int32)
        )
    except _core.BadPosition:
        return
    position = Positions(the_game, batch)
    assert facts(the_game.parse(position.text())) == facts(position)
    assert facts(position.symmetry(1).symmetry(1)) == facts(position)
    for _ in range(40):
        assert position.legal().any() == (not position.over()[0])
        if position.over()[0]:
            break
        position.play(random_moves(position, np.array([seed], np.uint64)))


# Boards as bits


@given(st.integers(0, 64), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_boards_are_packed_cell_by_cell_and_unpacked_again(cells: int, n: int, seed: int) -> None:
    boards = np.random.default_rng(seed).random((n, cells)) < 0.5
    packed = pack(boards)
    assert packed.dtype == np.uint64
    assert packed.tolist() == [sum(1 << int(cell) for cell in np.flatnonzero(board)) for board in boards]
    unpacked = unpack(packed, cells)
    assert unpacked.dtype == np.int8
    assert unpacked.shape == boards.shape
    assert np.array_equal(unpacked, boards)
    assert np.array_equal(unpack(np.repeat(packed, 2)[::2], cells), boards)  # not contiguous


def test_larger_boards_do_not_fit_into_bits() -> None:
    with pytest.raises(ZeroplyError, match="up to 64 cells"):
        pack(np.zeros((1, 65), np.bool_))


def test_moves_that_another_thread_changes_are_not_played_unchecked() -> None:
    d3, corner, n = 19, 0, 100_000
    moves = np.full(n, d3, np.int32)
    before = time.perf_counter()
    game("othello").start(n).play(moves)
    usual = time.perf_counter() - before
    for delay in np.linspace(0, 2 * usual, 40):
        moves[:] = d3
        positions = game("othello").start(n)
        change = threading.Timer(delay, moves.fill, [corner])
        change.start()
        with contextlib.suppress(ZeroplyError):
            positions.play(moves)
        change.join()
        assert set(positions.last_move().tolist()) <= {-1, d3}
