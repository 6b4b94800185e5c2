"""Files of published players: they are read as they are meant, written and read back, and refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zeroply as zp
from search_reference import evaluation, live, random_positions
from zeroply.search.ntuples import NEGATING, NTuples, read_player, read_weights, write_player

NEGATE = {
    "Burrow2011ETDL",
    "Manning2010Nash70",
    "Manning2010TCIAG1",
    "Manning2010TCIAG2",
    "SzubertJaskowskiKrawiec2013CTDL",
    "SzubertJaskowskiKrawiec2013ETDL",
}
EXCHANGE = {
    "JaskowskiSzubert2015CoCMAES-2",
    "JaskowskiSzubert2015CoCMAES-3",
    "JaskowskiSzubert2015CoCMAES-4",
    "JaskowskiSzubert2015CoCMAES-4+2x2",
    "Manning2010GECCO",
    "RunnarsonLucas2014IPref1",
    "RunnarsonLucas2014IPrefN",
}

ONE_PAIR = "1\n2 2\n0 1\n7 6\n0.5 1 1.5 2 2.5 3 3.5 4 4.5\n"


def refused(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused, as it must be."""
    with pytest.raises(zp.ZeroplyError) as caught:
        act()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return str(caught.value)


def written(folder: Path, content: str | bytes, name: str = "some.player") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# The published files


def test_the_13_published_players_are_read(data: Path) -> None:
    paths = sorted((data / "league").glob("*.player"))
    assert {path.stem for path in paths} == NEGATE | EXCHANGE
    for path in paths:
        tuples, words = read_player(path), path.read_text().replace("{", " ").replace("}", " ").split()
        begins = sorted(set(tuples.tables))
        assert len(begins) == int(words[0])
        assert 1 + 2 * len(begins) + sum(map(len, tuples.squares)) + len(tuples.weights) == len(words)
        sizes = dict(zip(begins, np.diff([*begins, len(tuples.weights)]).tolist(), strict=True))
        for squares, table in zip(tuples.squares, tuples.tables, strict=True):
            assert 3 ** len(squares) == sizes[table]
            assert len(set(squares)) == len(squares)
        assert np.isfinite(tuples.weights).all()
        assert tuples.weights[-1] == float(words[-1])


def test_which_published_players_negate_for_white(data: Path) -> None:
    assert NEGATING == NEGATE
    for path in (data / "league").glob("*.player"):
        assert read_player(path).exchange_colours == (path.stem in EXCHANGE)


def test_the_published_players_play(data: Path) -> None:
    positions = random_positions("othello", range(60))
    for path in sorted((data / "league").glob("*.player")):
        preferences = zp.player(f'alphabeta(eval=ntuple("{path}"))', "othello").prefer(positions)
        assert np.array_equal(np.isfinite(preferences), positions.legal()), path.stem
        flat = preferences[positions.legal()]
        assert len(set(flat.tolist())) > 100, path.stem


def test_no_published_player_values_a_position_like_a_finished_game(data: Path) -> None:
    positions = live(random_positions("othello", range(60)))
    won = zp.game("othello").parse("X" * 33 + "O" * 31 + " X")
    assert won.over().all()
    for path in sorted((data / "league").glob("*.player")):
        judge = evaluation(f'ntuple("{path}")')
        assert np.abs(judge.values(positions)).max() < judge.values(won)[0], path.stem


def test_the_4_published_weight_files_are_read(data: Path) -> None:
    paths = sorted((data / "league").glob("wpc_*.txt"))
    assert [path.stem for path in paths] == ["wpc_LR06", "wpc_SJK09", "wpc_SJK11", "wpc_SWH"]
    for path in paths:
        assert len(read_weights(path, 64)) == 64
        assert "comes after the end" in refused(lambda path=path: read_weights(path, 36))  # type: ignore[misc]
    quarter = [[1.0, -0.25, 0.1, 0.05], [-0.25, -0.25, 0.01, 0.01], [0.1, 0.01, 0.05, 0.02], [0.05, 0.01, 0.02, 0.01]]
    board = np.reshape(read_weights(paths[-1], 64), (8, 8))
    assert np.allclose(board[:4, :4], quarter)
    for image in (board.T, board[::-1], board[:, ::-1]):
        assert np.array_equal(image, board)


def test_the_weights_of_a_published_file_play_as_the_shipped_net_does(data: Path) -> None:
    positions = random_positions("othello", range(55))
    by_file = zp.player(f'alphabeta(eval=wpc("{data / "league" / "wpc_SWH.txt"}"), ties=lowest)', "othello")
    net = zp.player("net(othello-swh, ties=lowest)", "othello")
    keys = np.zeros(len(positions), np.uint64)
    row = ~(positions.over() | (np.abs(by_file.prefer(positions)) > 1e5).all(axis=1))
    first, second = by_file.choose(positions, keys), net.choose(positions, keys)
    ends_at_once = np.abs(by_file.prefer(positions)[np.arange(len(positions)), first]) > 1e5
    assert np.array_equal(first[row & ~ends_at_once], second[row & ~ends_at_once])


# What a file may look like


@pytest.mark.parametrize(
    "text",
    [
        ONE_PAIR,
        ONE_PAIR.replace("\n", " "),
        ONE_PAIR.replace("\n", "\r\n"),
        "{ 1 { 2 2 { 0 1 } { 7 6 } { .5 1 1.5 2 2.5 3 3.5 4 4.5 } } }",
        "{1{2 2{0 1}{7 6}{5e-1 1.0 15e-1 +2 2.5 3 3.5 4 4.5}}}\n\n\n",
        "\t 1 2\n2 0 1 7 6\n\n0.5 1 1.5 2 2.5 3 3.5 4 4.5",
    ],
)
def test_braces_and_lines_do_not_matter(tmp_path: Path, text: str) -> None:
    weights = [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5]
    assert read_player(written(tmp_path, text)) == NTuples([[0, 1], [7, 6]], [0, 0], weights, True)


def test_the_name_of_a_file_tells_how_white_sees_it(tmp_path: Path) -> None:
    for stem in NEGATING:
        assert not read_player(written(tmp_path, ONE_PAIR, f"{stem}.player")).exchange_colours
    assert read_player(written(tmp_path, ONE_PAIR, "mine.player")).exchange_colours


def test_the_index_is_in_base_3_and_the_first_square_counts_most(tmp_path: Path) -> None:
    weights = " ".join(map(str, range(27)))
    judge = evaluation(f'ntuple("{written(tmp_path, f"1 3 1 0 1 2 {weights}")}", white=negate)')
    boards = {"XO-": 2 * 9 + 0 * 3 + 1, "OX-": 0 * 9 + 2 * 3 + 1, "-XO": 1 * 9 + 2 * 3 + 0, "XXX": 26, "OOO": 0}
    rest = "-" * 24 + "OX------XO" + "-" * 27
    positions = zp.game("othello").parse([f"{corner}{rest} X" for corner in boards])
    assert evaluation("pieces").values(positions).shape == (5,)
    assert judge.values(positions).tolist() == list(boards.values())


# What is written is read back


@settings(max_examples=40)
@given(st.data())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    tuples: list[list[list[int]]] = []
    weights: list[list[float]] = []
    numbers = st.floats(-(2.0**100), 2.0**100, width=32)
    for _ in range(data.draw(st.integers(1, 3))):
        length = data.draw(st.integers(1, 3))
        one = st.lists(st.integers(0, 63), min_size=length, max_size=length)
        tuples.append(data.draw(st.lists(one, min_size=1, max_size=8)))
        weights.append(data.draw(st.lists(numbers, min_size=3**length, max_size=3**length)))
    path = tmp_path_factory.mktemp("players") / "one.player"
    write_player(path, tuples, weights)
    result = read_player(path)
    assert result.squares == [squares for copies in tuples for squares in copies]
    wanted = [weight for table in weights for weight in table]
    assert np.array_equal(np.array(result.weights, np.float32), np.array(wanted, np.float32))
    begins = np.cumsum([0, *map(len, weights)])[:-1].tolist()
    assert result.tables == [begin for begin, copies in zip(begins, tuples, strict=True) for _ in copies]


@pytest.mark.parametrize(
    ("tuples", "weights"),
    [
        ([], []),
        ([[[0]]], []),
        ([[[0]]], [[1.0, 2.0]]),
        ([[[0]]], [[1.0, 2.0, 3.0, 4.0]]),
        ([[[0, 1], [2]]], [[0.0] * 9]),
        ([[]], [[0.0]]),
        ([[[]]], [[0.0]]),
        ([[[64]]], [[0.0] * 3]),
        ([[[-1]]], [[0.0] * 3]),
        ([[[0]] * 9], [[0.0] * 3]),
        ([[[0]]], [[0.0, math.inf, 0.0]]),
        ([[[0]]], [[0.0, math.nan, 0.0]]),
    ],
)
def test_what_could_not_be_read_back_is_not_written(
    tmp_path: Path, tuples: list[list[list[int]]], weights: list[list[float]]
) -> None:
    path = tmp_path / "one.player"
    refused(lambda: write_player(path, tuples, weights))
    assert not path.exists()


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none" / "one.player"
    assert str(path) in refused(lambda: write_player(path, [[[0]]], [[0.0] * 3]))


# What is refused

NINE = "1 2 3 4 5 6 7 8 9"


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("x\n", 1, "'x'"),
        ("-1\n", 1, "'-1'"),
        ("1.0\n", 1, "'1.0'"),
        ("0\n", 1, "'0'"),
        ("10001\n", 1, "'10001'"),
        ("9" * 5000, 1, "'999"),
        ("1\n0 1\n", 2, "length"),
        ("1\n13 1\n", 2, "length"),
        ("1\n2 0\n", 2, "copies"),
        ("1\n2 9\n", 2, "copies"),
        (f"1\n2 1\n0 64\n{NINE}", 3, "square"),
        (f"1\n2 1\n0 -1\n{NINE}", 3, "square"),
        (f"1\n2 1\n0 0000000000000064\n{NINE}", 3, "square"),
        (f"1\n2 1\n0 {'0' * 5000}\n{NINE}", 3, "square"),
        (f"1\n2 1\n0 b1\n{NINE}", 3, "square"),
        ("1\n2 1\n0 1\n1 2 3\n4 five 6 7 8 9", 5, "weight"),
        ("1\n2 1\n0 1\n1 2 3\n4 nan 6 7 8 9", 5, "weight"),
        ("1\n2 1\n0 1\n1 2 3\n4 -inf 6 7 8 9", 5, "weight"),
        ("1\n2 1\n0 1\n1 2 3\n4 1e999 6 7 8 9", 5, "weight"),
        ("1\n2 1\n0 1\n1 2 3\n4 1e39 6 7 8 9", 5, "weight"),
        ("1\n2 1\n0 1\n1 2 3\n4 1_0 6 7 8 9", 5, "weight"),
        ("1\n2 1\n0 1\n1 2 3\n4 0x10 6 7 8 9", 5, "weight"),
        ("1\n2 1\n0 1\n1 2 3\n4 1,5 6 7 8 9", 5, "weight"),
        (f"1\n2 1\n0 1\n{NINE}\n10\n", 5, "after the end"),
        (f"1\n2 1\n0 1\n{NINE}\n\n\nthe end", 7, "after the end"),
        (f"1\n3 1\n0 1\n{NINE}\n", None, "ends"),  # a tuple of three squares, of which two are given
        (f"1\n1 1\n0 1\n{NINE}\n", 4, "after the end"),
        (f"2\n2 1\n0 1\n{NINE}\n", None, "ends"),
        (f"1\n2 2\n0 1\n{NINE}\n", None, None),
    ],
)
def test_a_bad_player_file_is_one_sentence_with_file_and_line(
    tmp_path: Path, content: str, line: int | None, words: str | None
) -> None:
    path = written(tmp_path, content)
    output = refused(lambda: read_player(path))
    assert str(path) in output
    if words is not None:
        assert words in output
    if line is not None:
        assert f"line {line}:" in output
    assert refused(lambda: zp.player(f'alphabeta(eval=ntuple("{path}"))', "othello")) == output


def test_a_truncated_file_says_where_it_ends(tmp_path: Path) -> None:
    path = written(tmp_path, ONE_PAIR)
    words = ONE_PAIR.split()
    lines = [0, 1, 2, 2, 3, 3, 4, 4, *[5] * 8]
    for kept, line in zip(range(len(words)), lines, strict=False):
        cut = ONE_PAIR
        for word in reversed(words[kept:]):
            cut = cut[: cut.rindex(word)]
        output = refused(lambda cut=cut: read_player(written(tmp_path, cut)))  # type: ignore[misc]
        assert str(path) in output
        assert "ends" in output
        assert f"line {max(1, line)}" in output


@pytest.mark.parametrize(
    "content", [b"\xff\xfe1\x00", b"\x89PNG\r\n\x1a\n\x00", "1 2 1 0 1 \u0661".encode(), b"\x00" * 99]
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    assert str(path) in refused(lambda: read_player(path))
    assert str(path) in refused(lambda: read_weights(path, 64))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.player", tmp_path):
        assert str(path) in refused(lambda path=path: read_player(path))  # type: ignore[misc]
        assert str(path) in refused(lambda path=path: evaluation(f'wpc("{path}")'))  # type: ignore[misc]
    refused(lambda: read_player(""))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (" ".join(["1"] * 63), "ends"),
        (" ".join(["1"] * 63) + "\nx", "line 2: 'x'"),
        (" ".join(["1"] * 64) + "\n\n1", "line 3: '1' comes after the end"),
        ("\n".join(["1"] * 40 + ["inf"]), "line 41: 'inf'"),
        ("", "ends"),
    ],
)
def test_a_bad_weight_file_is_one_sentence_with_file_and_line(tmp_path: Path, content: str, words: str) -> None:
    path = written(tmp_path, content, "weights.txt")
    output = refused(lambda: evaluation(f'wpc("{path}")'))
    assert str(path) in output
    assert words in output


@settings(max_examples=100)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged"
    folder.mkdir(exist_ok=True)
    content = bytearray(ONE_PAIR.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        with_what = data.draw(
            st.sampled_from([b"", b"\n", b" ", b"{", b"e", b"9", b"-", b"\x00", b"\x80", b"_", b"99999"])
        )
        content[at : at + data.draw(st.integers(0, 4))] = with_what
    path = written(folder, bytes(content))
    output, tuples = "", None
    try:
        tuples = read_player(path)
    except zp.ZeroplyError as error:
        output = str(error)
    if tuples is None:
        assert str(path) in output
        assert "\n" not in output
    else:
        values = evaluation(f'ntuple("{path}")').values(random_positions("othello", [0, 20, 40]))
        assert np.isfinite(values).all()
        assert all(0 <= square <= 63 for squares in tuples.squares for square in squares)
