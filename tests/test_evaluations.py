"""Evaluations: each agrees with a plain twin written from its description, and has the symmetries it must have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

import reference
import zeroply as zp
from search_reference import (
    disc_difference,
    empties,
    evaluation,
    evaluations_of_othello,
    live,
    random_boards,
    random_positions,
)
from zeroply import _core
from zeroply.games import Positions, game
from zeroply.search import Evaluation, Limit
from zeroply.search.endings import solve
from zeroply.search.ntuples import read_player
from zeroply.search.patterns import SHIPPED, Tables, load_tables

Board = NDArray[np.int64]
"""[rows, columns]: 1 own, -1 the opponent's, 0 empty, for the side to move."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evaluations")


@pytest.fixture(scope="module")
def of_othello(folder: Path) -> dict[str, Evaluation]:
    return evaluations_of_othello(folder)


def of_games(number: int = 180, spec: str = "othello", seed: int = 1, last: int = 59) -> Positions:
    """Positions of random games at all stages."""
    return live(random_positions(spec, [i % (last + 1) for i in range(number)], seed))


def odd_positions() -> Positions:
    """Games at all stages, and boards that no game leaves."""
    boards = live(random_boards(60, 12, 0.6, seed=2))
    return game("othello").parse(of_games().text() + boards.text())


def seen_by_mover(positions: Positions) -> list[Board]:
    size = positions.game.size
    own = positions.stones().astype(np.int64) * positions.to_move()[:, None]
    return [row.reshape(size, size) for row in own]


def agree(judge: Evaluation, positions: Positions, wanted: list[float]) -> None:
    """Hold the values of an evaluation against those of its twin."""
    values = judge.values(positions)
    assert values.dtype == np.float32
    assert len(set(np.round(wanted, 4).tolist())) > 3
    np.testing.assert_allclose(values, np.array(wanted), rtol=1e-5, atol=1e-5)


def whole(quarter: list[list[float]]) -> NDArray[np.float64]:
    """A table of 8x8 from its top left quarter."""
    top = np.hstack([np.array(quarter), np.array(quarter)[:, ::-1]])
    return np.vstack([top, top[::-1]]).astype(np.float64)


def mobility(board: Board) -> int:
    """Own moves less the opponent's, by walking lines."""
    plain = reference.Othello(len(board))
    plain.stones = board.ravel().tolist()
    return len(plain.moves(1)) - len(plain.moves(-1))


def around(row: int, column: int, size: int = 8) -> Iterator[tuple[int, int]]:
    for down, right in reference.EIGHT:
        if 0 <= row + down < size and 0 <= column + right < size:
            yield row + down, column + right


# Twins


@pytest.mark.parametrize(
    "spec", ["othello(size=4)", "othello(size=6)", "othello", "othello(size=10)", "othello(size=16)"]
)
def test_pieces_counts_discs(spec: str) -> None:
    positions = of_games(spec=spec, last=game(spec).cells - 6)
    agree(evaluation("pieces", spec), positions, [float(board.sum()) for board in seen_by_mover(positions)])


@pytest.mark.parametrize(
    "spec", ["othello(size=4)", "othello(size=6)", "othello", "othello(size=10)", "othello(size=12)"]
)
def test_mobility_counts_moves(spec: str) -> None:
    positions = of_games(120, spec, last=game(spec).cells - 5)
    agree(evaluation("mobility", spec), positions, [float(mobility(board)) for board in seen_by_mover(positions)])


def test_mobility_counts_moves_on_odd_boards() -> None:
    positions = live(random_boards(150, 12, 0.03))
    values = [float(mobility(board)) for board in seen_by_mover(positions)]
    stuck = np.array(values) == positions.legal().sum(axis=1)
    assert stuck.sum() > 5  # where the opponent has no move
    agree(evaluation("mobility"), positions, values)


def test_positional_weighs_discs_by_an_iago_style_table() -> None:
    table = whole([[120, -20, 20, 5], [-20, -40, -5, -5], [20, -5, 15, 3], [5, -5, 3, 3]])
    positions = odd_positions()
    agree(evaluation("positional"), positions, [float((board * table).sum()) for board in seen_by_mover(positions)])


@pytest.mark.parametrize("name", ["pieces", "positional"])
def test_a_reversed_evaluation_wants_the_opposite_but_counts_finished_games_by_their_result(name: str) -> None:
    finished = game("othello").parse(["X" * 40 + "O" * 24 + " X", "X" * 20 + "O" * 44 + " X"])
    positions = game("othello").parse(odd_positions().text() + finished.text())
    once, turned = (evaluation(f"{name}{how}").values(positions) for how in ("", "(reversed=true)"))
    over = positions.over()
    assert over.sum() == 2
    np.testing.assert_array_equal(turned, np.where(over, once, -once))


def test_wpc_weighs_discs_by_a_file(folder: Path, of_othello: dict[str, Evaluation]) -> None:
    table = np.array((folder / "weights.txt").read_text().split(), np.float64).reshape(8, 8)
    assert not np.allclose(table, table.T)
    positions = odd_positions()
    agree(of_othello["wpc"], positions, [float((board * table).sum()) for board in seen_by_mover(positions)])


@pytest.mark.parametrize("size", [4, 6, 10])
def test_wpc_goes_row_by_row_on_other_boards(tmp_path: Path, size: int) -> None:
    table = np.random.default_rng(size).normal(size=(size, size))
    file = tmp_path / "weights.txt"
    file.write_text("\n".join(" ".join(map(repr, row)) for row in table.tolist()))
    spec = f"othello(size={size})"
    positions = of_games(60, spec, last=size**2 - 6)
    wanted = [float((board * table).sum()) for board in seen_by_mover(positions)]
    agree(evaluation(f'wpc("{file}")', spec), positions, wanted)


def test_iagno_adds_mobility_frontier_and_a_table() -> None:
    table = whole([[65, -3, 6, 4], [-3, -29, 3, 1], [6, 3, 5, 3], [4, 1, 3, 1]])

    def frontier(board: Board, colour: int) -> int:
        beside = [sum(board[at] == 0 for at in around(int(r), int(c))) for r, c in np.argwhere(board == colour)]
        return sum(2 if count == 0 else -count for count in beside)

    positions = odd_positions()
    wanted = [
        mobility(board) + frontier(board, 1) - frontier(board, -1) + float((board * table).sum())
        for board in seen_by_mover(positions)
    ]
    agree(evaluation("iagno"), positions, wanted)


def ntuple_value(file: Path, stones: NDArray[np.int8]) -> float:
    """The value of a board as it is, White 0, empty 1, Black 2."""
    tuples = read_player(file)
    total = 0.0
    for squares, table in zip(tuples.squares, tuples.tables, strict=True):
        index = 0
        for square in squares:
            index = 3 * index + int(stones[square]) + 1
        total += tuples.weights[table + index]
    return total


def with_last_mover() -> tuple[Positions, NDArray[np.int8]]:
    """Positions of random games, and who has just moved; many follow a pass."""
    before = live(random_positions("othello", [i % 60 for i in range(120)] + [40 + i % 20 for i in range(900)], 3))
    moves = np.empty(len(before), np.int32)
    before.batch.random_moves(np.arange(len(before), dtype=np.uint64), moves)
    after, moved = before.after(moves), before.to_move()
    chosen = ~after.over() & ((after.to_move() == moved) | (np.arange(len(after)) < 120))
    return after[chosen], moved[chosen]


def test_n_tuples_that_negate_value_blacks_side_of_the_board(folder: Path, of_othello: dict[str, Evaluation]) -> None:
    positions, _ = with_last_mover()
    sides = positions.to_move().tolist()
    # Whoever moved last: what is good for Black is bad for White.
    wanted = [
        side * ntuple_value(folder / "small.player", stones)
        for side, stones in zip(sides, positions.stones(), strict=True)
    ]
    agree(of_othello["ntuple negate"], positions, wanted)


def test_n_tuples_that_exchange_colours_see_the_board_of_the_side_that_has_moved(
    folder: Path, of_othello: dict[str, Evaluation]
) -> None:
    positions, moved = with_last_mover()
    again = positions.to_move() == moved
    assert 20 < again.sum() < len(again) - 20
    wanted = []
    for stones, mover, side in zip(positions.stones(), moved.tolist(), positions.to_move().tolist(), strict=True):
        value = ntuple_value(folder / "small.player", stones * mover)
        wanted.append(value if side == mover else -value)
    agree(of_othello["ntuple exchange"], positions, wanted)


@pytest.mark.parametrize("white", ["negate", "exchange"])
def test_a_one_ply_n_tuple_player_takes_the_after_state_it_values_most(
    folder: Path, of_othello: dict[str, Evaluation], white: str
) -> None:
    positions = of_games(60)
    found = of_othello[f"ntuple {white}"].search(positions, Limit(depth=1), all_moves=True).preferences
    row, cell = np.nonzero(positions.legal())
    for i, move in zip(row.tolist(), cell.tolist(), strict=True):
        after, side = positions[i].after([move]), int(positions.to_move()[i])
        if after.over()[0]:
            continue
        stones = after.stones()[0]
        file = folder / "small.player"
        value = side * ntuple_value(file, stones) if white == "negate" else ntuple_value(file, stones * side)
        assert found[i, move] == pytest.approx(value, abs=1e-5)


def test_copies_of_a_tuple_share_their_weights(tmp_path: Path) -> None:
    file = tmp_path / "corners.player"
    file.write_text("1\n1 4\n0\n7\n56\n63\n-1 0 1")
    judge = evaluation(f'ntuple("{file}", white=negate)')
    positions = game("othello").parse([f"X{'-' * 26}OX------XO{'-' * 26}X X", f"{'-' * 27}OX------XO{'-' * 26}O O"])
    assert judge.values(positions).tolist() == [2, 1]


# Patterns


def shape(*rows: str) -> Board:
    """The squares of a pattern from the top left, by number in the order of the board."""
    board = np.zeros((8, 8), np.int64)
    for r, row in enumerate(rows):
        for c, mark in enumerate(row):
            board[r, c] = mark == "x"
    return board


def diagonal(length: int) -> Board:
    board = np.zeros((8, 8), np.int64)
    for i in range(length):
        board[i, length - 1 - i] = 1
    return board


QUARTER_TURNS = (0, 1, 2, 3)
EDGES = (0, 2, 4, 5)
SHAPES: list[tuple[Board, tuple[int, ...]]] = [
    (shape("xxxx", "xxx", "xx", "x"), QUARTER_TURNS),
    (diagonal(5), QUARTER_TURNS),
    (diagonal(6), QUARTER_TURNS),
    (diagonal(7), QUARTER_TURNS),
    (diagonal(8), (0, 1)),
    (shape("", "xxxxxxxx"), EDGES),
    (shape("", "", "xxxxxxxx"), EDGES),
    (shape("", "", "", "xxxxxxxx"), EDGES),
    (shape("xxxxxxxx", ".x....x."), EDGES),
    (shape("xxx", "xxx", "xxx"), QUARTER_TURNS),
    (shape("xxxxx", "xxxxx"), tuple(range(8))),
]


def image(board: Board, k: int) -> Board:
    board = board[:, ::-1] if k & 1 else board
    board = board[::-1] if k & 2 else board
    return board.T if k & 4 else board


def pattern_value(tables: Mapping[str, NDArray[Any]], board: Board) -> float:
    """The sum over all patterns, own discs 1, the opponent's 2, the first square of a pattern counting least."""
    left = min(int((board == 0).sum()), 60)
    ply = min(60 - left - (60 - left) % 2 + 0.5, 60)  # two plies share a table
    after = int(np.searchsorted(tables["plies"], ply, side="right").clip(1, len(tables["plies"]) - 1))
    first, last = (int(ply) for ply in tables["plies"][after - 1 : after + 1])
    later = (ply - first) / (last - first)
    low, high = tables["weights"][after - 1 : after + 1].astype(np.int64)
    share = int(np.rint(np.float32(later) * 2**14))  # interpolated with 14 bits, halves rounded up
    table = ((2**14 - share) * low + share * high + 2**13) >> 14
    total, offset = int(tables["bias"][left]), 0
    for squares, images in SHAPES:
        cells = int(squares.sum())
        powers = 3 ** np.arange(cells)
        for k in images:
            digits = image(board, k)[squares == 1] % 3
            total += int(table[offset + int((digits * powers).sum())])
        offset += 3**cells
    assert offset == table.shape[0]
    return total / 128


def random_tables(plies: Sequence[int], seed: int) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    return {
        "plies": np.array(plies, np.int32),
        "weights": rng.integers(-300, 300, (len(plies), _core.PATTERN_WEIGHTS)).astype(np.int16),
        "bias": rng.integers(-300, 300, 61).astype(np.int16),
        "deviations": rng.uniform(1, 9, (len(plies), _core.PATTERN_DEPTHS)).astype(np.float32),
    }


def test_the_pattern_evaluation_is_a_sum_of_table_entries() -> None:
    tables = load_file(SHIPPED)
    positions = odd_positions()
    assert set(range(4, 60)) <= set(empties(positions).tolist())
    agree(evaluation("pattern"), positions, [pattern_value(tables, board) for board in seen_by_mover(positions)])


def test_every_entry_of_every_table_is_found_where_it_belongs() -> None:
    tables = random_tables((0, 10, 12, 40, 60), seed=4)
    core = _core.patterns(_core.PatternTables(**tables))
    positions = odd_positions()
    wanted = [pattern_value(tables, board) for board in seen_by_mover(positions)]
    # Halves may be rounded either way, one unit for each of the 46 entries.
    found = np.empty(len(positions), np.float32)
    core.values(positions.batch, found)
    assert np.abs(found - wanted)[~positions.over()].max() < 23 / 128


def test_a_pattern_file_is_an_evaluation(tmp_path: Path) -> None:
    file = tmp_path / "tables.safetensors"
    tables = Tables.load(SHIPPED)
    tables.bias = tables.bias + 3
    tables.save(file, "three discs more")
    positions = odd_positions()
    positions = positions[~positions.over()]
    shifted = evaluation(f'pattern("{file}")').values(positions)
    assert shifted == pytest.approx(evaluation("pattern").values(positions) + 3)


def test_a_position_and_its_images_have_the_same_pattern_value() -> None:
    positions, judge = odd_positions(), evaluation("pattern")
    values = judge.values(positions)
    for k in range(1, 8):
        assert np.array_equal(judge.values(positions.symmetry(k)), values)


def test_the_pattern_evaluation_knows_who_is_winning() -> None:
    late = of_games(400, seed=5, last=55)
    late = late[empties(late) < 12]
    exact, values = solve(late).scores, evaluation("pattern").values(late)
    assert np.corrcoef(exact, values)[0, 1] > 0.8


def test_damaged_tables_are_refused(tmp_path: Path) -> None:
    good = SHIPPED.read_bytes()
    assert len(good) <= 10_000_000
    file = tmp_path / "tables.safetensors"
    for content in (b"", b"rubbish", good[:1000], good[:-1], b"\0" * len(good)):
        file.write_bytes(content)
        with pytest.raises(zp.ZeroplyError, match="damaged") as caught:
            load_tables(file)
        assert str(file) in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(zp.ZeroplyError, match="no file"):
        load_tables(tmp_path / "none")


def test_foreign_files_are_no_pattern_tables(tmp_path: Path) -> None:
    file = tmp_path / "net.safetensors"
    save_file({"weights": np.zeros((10, 5), np.int16)}, file, {"zeroply": json.dumps({"format": "zeroply-net 1"})})
    with pytest.raises(zp.ZeroplyError, match="its format is zeroply-net 1"):
        evaluation(f'pattern("{file}")')
    save_file({"weights": np.zeros((10, 5), np.int16)}, file)
    with pytest.raises(zp.ZeroplyError, match="holds no pattern tables"):
        evaluation(f'pattern("{file}")')
    tables = Tables.zero()
    tables.plies = tables.plies + 1
    tables.save(file, "late")
    with pytest.raises(zp.ZeroplyError, match="the first stage is at ply 0"):
        evaluation(f'pattern("{file}")')


# Gomoku and Atari-Go


@pytest.mark.parametrize(
    "spec",
    [
        "gomoku(size=5)",
        "gomoku(size=6)",
        "gomoku(size=9)",
        "gomoku(size=10)",
        "gomoku(size=15)",
        "gomoku(size=19)",
        "gomoku(size=20)",
        "gomoku(size=9, exact=true)",
    ],
)
def test_lines_counts_rows_of_five_that_are_still_open(spec: str) -> None:
    size, worth = game(spec).size, [0, 1, 8, 50, 300, 0]
    rows = [
        [(r + i * down, c + i * right) for i in range(5)]
        for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]
        for r in range(size)
        for c in range(size)
        if r + 4 * down < size and 0 <= c + 4 * right < size
    ]
    assert len(rows) == 2 * size * (size - 4) + 2 * (size - 4) ** 2

    def value(board: Board) -> float:
        total = 0.0
        for row in rows:
            stones = [int(board[at]) for at in row]
            if -1 not in stones:
                total += 1.2 * worth[stones.count(1)]
            if 1 not in stones:
                total -= worth[stones.count(-1)]
        return total

    positions = of_games(60, spec, last=min(60, size**2 - 3))
    agree(evaluation("lines", spec), positions, [value(board) for board in seen_by_mover(positions)])


@pytest.mark.parametrize(
    "spec", ["atarigo(size=5)", "atarigo(size=7, captures=3)", "atarigo(size=9)", "atarigo(size=19)"]
)
def test_liberties_fears_for_chains_with_few_of_them(spec: str) -> None:
    danger = [0, 40, 8, 2, 0.5]

    def value(board: Board) -> float:
        plain = cast("reference.AtariGo", reference.start("atarigo", size=len(board)))
        plain.stones = board.ravel().tolist()
        total, done = 0.0, set[int]()
        for cell, stone in enumerate(plain.stones):
            if stone == 0 or cell in done:
                continue
            stones, liberties = plain.chain(cell)
            done |= stones
            fear = danger[len(liberties)] if len(liberties) < 5 else 0
            fear *= (1 if stone == 1 else 2) * (1 + 0.1 * len(stones))
            total += stone * (0.2 * len(liberties) - fear)
        return total

    positions = of_games(60, spec, last=40)
    agree(evaluation("liberties", spec), positions, [value(board) for board in seen_by_mover(positions)])


# Finished games


def test_a_finished_game_counts_more_than_any_evaluation_and_by_its_margin(of_othello: dict[str, Evaluation]) -> None:
    boards = ["X" * black + "O" * (64 - black) for black in (33, 34, 40, 63, 64)]
    won, lost = (game("othello").parse([f"{board} {side}" for board in boards]) for side in "XO")
    drawn = game("othello").parse("X" * 32 + "O" * 32 + " X")
    assert won.over().all()
    for name, judge in of_othello.items():
        assert (np.diff(judge.values(won)) > 0).all(), name
        assert np.array_equal(judge.values(lost), -judge.values(won)), name
        assert judge.values(drawn)[0] == 0, name
        if name != "pattern":  # whose values are such margins
            assert np.abs(judge.values(odd_positions())).max() < judge.values(won)[0] / 10, name


def test_the_pattern_evaluation_gives_empty_squares_to_the_winner() -> None:
    ended = random_positions("othello", [60] * 60)
    wiped_out = game("othello").parse([f"{'X' * 9}{'-' * 55} O", f"{'-' * 60}OOOO O", f"{'-' * 60}OOOO X"])
    judge = evaluation("pattern")
    assert judge.values(wiped_out).tolist() == [-64, 64, -64]
    ended = ended[ended.over()]
    assert np.array_equal(judge.values(ended), disc_difference(ended))


@pytest.mark.parametrize("depth", [1, 3])
def test_the_engine_wants_a_wipe_out_more_than_anything(depth: int) -> None:
    boards = (f"{'-' * 27}XO{'-' * 35} X", f"{'-' * 26}XOO-----XX-----XXX{'-' * 20} X")
    positions = game("othello").parse(boards)
    preferences = zp.player(f"engine(depth={depth})", "othello").prefer(positions)
    assert preferences.max(axis=1).tolist() == [64, 64]
    assert preferences.argmax(axis=1).tolist() == [29, 29]


@pytest.mark.parametrize("spec", ["gomoku(size=5)", "gomoku(size=9)", "atarigo(size=5)", "atarigo(size=9, captures=3)"])
def test_a_won_game_counts_more_than_any_evaluation_of_stones(spec: str) -> None:
    judge = evaluation("lines" if "gomoku" in spec else "liberties", spec)
    ended = random_positions(spec, [game(spec).cells * 3] * 60)
    ended = ended[ended.over()]
    result = ended.score() * ended.to_move()
    assert len(ended) > 20
    assert {1, -1} & set(result.tolist())
    values = judge.values(ended)
    assert np.array_equal(np.sign(values), result)
    decided = np.abs(values[result != 0])
    assert np.abs(judge.values(of_games(100, spec))).max() < decided.min() / 10
    # A win is worth the more the sooner it came, and a loss costs the more.
    made = ended.move_number()[result != 0]
    assert len(set(made.tolist())) > 3
    assert np.array_equal(decided, np.float32(2**30) - np.float32(2**10) * made.astype(np.float32))


# Symmetries


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("pieces", "othello"),
        ("positional", "othello"),
        ("mobility", "othello"),
        ("mobility", "othello(size=10)"),
        ("iagno", "othello"),
        ("lines", "gomoku(size=9)"),
        ("liberties", "atarigo(size=7)"),
    ],
)
def test_a_position_and_its_images_have_the_same_value(name: str, spec: str) -> None:
    positions, judge = of_games(80, spec), evaluation(name, spec)
    values = judge.values(positions)
    for k in range(1, 8):
        assert np.array_equal(judge.values(positions.symmetry(k)), values)  # or equal moves would not tie


@pytest.mark.parametrize(
    ("name", "spec", "centre"), [("lines", "gomoku(size=9)", "e5"), ("liberties", "atarigo(size=7)", "d4")]
)
def test_moves_that_a_symmetry_exchanges_are_liked_alike(name: str, spec: str, centre: str) -> None:
    rules = game(spec)
    position = rules.start()
    position.play(centre)
    for depth in (1, 2):
        found = evaluation(name, spec).search(position, Limit(depth=depth), all_moves=True).preferences[0]
        for k in range(1, 8):
            assert np.array_equal(found[rules.symmetries[k]], found)


def exchanged(positions: Positions, stones: bool, side: bool) -> Positions:
    """The positions with stones of the other colour, or with the other side to move, or both."""
    swap = str.maketrans("XO", "OX")
    boards, sides = zip(*(text.split(" ", 1) for text in positions.text()), strict=True)
    return positions.game.parse(
        [
            f"{board.translate(swap) if stones else board} {to_move.translate(swap) if side else to_move}"
            for board, to_move in zip(boards, sides, strict=True)
        ]
    )


def test_colours_do_not_matter(of_othello: dict[str, Evaluation]) -> None:
    positions = game("othello").parse(odd_positions().text())
    others = exchanged(positions, stones=True, side=True)
    for name, judge in of_othello.items():
        if name != "ntuple negate":
            assert np.array_equal(judge.values(others), judge.values(positions)), name
    for name, spec in (("lines", "gomoku(size=7)"), ("liberties", "atarigo(size=5)")):
        positions = of_games(60, spec)
        others = exchanged(positions, stones=True, side=True)
        assert np.array_equal(evaluation(name, spec).values(others), evaluation(name, spec).values(positions)), name


def test_what_is_good_for_one_side_is_bad_for_the_other(of_othello: dict[str, Evaluation]) -> None:
    positions = game("othello").parse(of_games().text())
    others = exchanged(positions, stones=False, side=True)
    both = ~others.over() & (others.to_move() != positions.to_move())  # neither must pass
    positions, others = positions[both], others[both]
    assert len(positions) > 100
    for name in ("pieces", "positional", "mobility", "wpc", "iagno", "ntuple negate"):
        assert np.array_equal(of_othello[name].values(others), -of_othello[name].values(positions)), name


# The border to the core


def test_weights_whose_sums_no_float_can_hold_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.txt"
    for weight in ("1e39", "-3.5e38", "1e38"):
        file.write_text(" ".join([weight] * 64))
        with pytest.raises(zp.ZeroplyError) as caught:
            evaluation(f'wpc("{file}")')
        assert str(file) in str(caught.value)


def test_the_core_refuses_tables_that_do_not_fit() -> None:
    good = random_tables((0, 30, 60), seed=1)
    for name in ("weights", "bias", "deviations"):
        with pytest.raises(ValueError, match="axis"):
            _core.PatternTables(**{**good, name: good[name][1:]})
    with pytest.raises(TypeError):
        _core.PatternTables(**{**good, "weights": good["weights"].astype(np.int32)})
    for plies in ((0, 30, 59), (1, 30, 60), (0, 60, 60)):
        with pytest.raises(ValueError, match="stage is at"):
            _core.PatternTables(**{**good, "plies": np.array(plies, np.int32)})
    for deviation in (0, -1, 200, np.nan, np.inf):
        with pytest.raises(ValueError, match="deviation"):
            _core.PatternTables(**{**good, "deviations": np.full_like(good["deviations"], deviation)})
    wrong: list[tuple[list[list[int]], list[int], list[float]]] = [
        ([[64]], [0], [0.0] * 3),
        ([[-1]], [0], [0.0] * 3),
        ([[0, 1]], [0], [0.0] * 8),
        ([[0]], [1], [0.0] * 3),
        ([[0]], [-1], [0.0] * 3),
        ([[]], [0], [0.0] * 3),
        ([[0]], [0, 0], [0.0] * 3),
        ([[0] * 13], [0], [0.0] * 3),
    ]
    for squares, tables, weights in wrong:
        with pytest.raises(ValueError, match="tuple"):
            _core.ntuples(squares, tables, weights, True)
    with pytest.raises(ValueError, match="64 weights"):
        _core.iagno([0.0] * 63)
