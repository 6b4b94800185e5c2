"""Datasets of expert moves: the core's replay, symmetries, distinct examples, bounds and splits against plain twins."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import examples_reference as plain
from examples_reference import OTHELLO, Example
from random_play import random_record
from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.examples import NAMES, Examples, Split
from zeroply.examples.build import build
from zeroply.examples.sources import read_games
from zeroply.examples.split import held_out_games, sides
from zeroply.progress import no_progress
from zeroply.records import GameRecord, save

RECORDS = plain.some_records()
GAMES = [[example for example, _ in plain.replay(record)] for record in RECORDS]
ORIGINAL = [example for game in GAMES for example in game]
UNIQUE = sorted(set(ORIGINAL))
EXPECTED: dict[str, list[Example]] = {
    "original": ORIGINAL,
    "unique": UNIQUE,
    "original-s": [one for example in ORIGINAL for one in plain.images(example)],
    "unique-s": sorted(plain.closure(UNIQUE)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The four datasets of some records."""
    place = tmp_path_factory.mktemp("examples")
    save(RECORDS, place / "games.txt")
    build(place / "games.txt", place / "sets")
    return place / "sets"


def listed(data: Examples, rows: NDArray[np.uint32] | None = None) -> list[Example]:
    taken = data.take(np.arange(len(data)) if rows is None else rows)
    return list(zip(*(array.tolist() for array in taken), strict=True))


# What the datasets hold


def test_original_has_every_move_of_every_game_in_order(folder: Path) -> None:
    data = Examples.open(folder, "original")
    assert listed(data) == ORIGINAL
    first = data.original()[1]
    assert first.tolist() == [0, *np.cumsum([len(game) for game in GAMES]).tolist()]
    assert data.games == len(RECORDS)
    assert data.game == OTHELLO


def test_original_s_shows_example_n_of_original_under_eight_symmetries(folder: Path) -> None:
    assert listed(Examples.open(folder, "original-s")) == EXPECTED["original-s"]


def test_unique_has_every_example_once(folder: Path) -> None:
    assert listed(Examples.open(folder, "unique")) == UNIQUE


def test_unique_s_is_the_closure_of_unique_and_has_every_example_once(folder: Path) -> None:
    data = Examples.open(folder, "unique-s")
    assert 0 <= data.manifest.whole < data.manifest.stored, "no example has a symmetry of its own: test more games"
    assert sorted(listed(data)) == EXPECTED["unique-s"]


@pytest.mark.parametrize("name", NAMES)
def test_the_bound_is_that_of_a_classifier_that_knows_the_most_frequent_moves(folder: Path, name: str) -> None:
    data = Examples.open(folder, name)
    assert data.manifest.predictable == plain.predictable(EXPECTED[name])
    assert data.bound == plain.predictable(EXPECTED[name]) / len(EXPECTED[name])


def test_an_example_takes_17_bytes_and_the_images_of_original_none(folder: Path) -> None:
    sizes = {
        name: sum(path.stat().st_size for path in (folder / name).glob("*.u*"))
        / Examples.open(folder, name).manifest.stored
        for name in NAMES
    }
    assert sizes == {"original": 17, "unique": 17, "original-s": 0, "unique-s": 17}


def test_the_colour_of_the_mover_is_kept(folder: Path) -> None:
    movers = [black for record in RECORDS for _, black in plain.replay(record)]
    data = Examples.open(folder, "original")
    assert data.black(np.arange(len(data))).tolist() == movers
    by_black = {example for example, black in zip(ORIGINAL, movers, strict=True) if black}
    unique = Examples.open(folder, "unique")
    assert unique.black(np.arange(len(unique))).tolist() == [example in by_black for example in UNIQUE]


def test_passes_change_the_mover_without_an_example(folder: Path) -> None:
    data = Examples.open(folder, "original")
    black, first = data.black(np.arange(len(data))), data.original()[1]
    passed = 0
    for record, low, high in zip(RECORDS, first, first[1:], strict=False):
        twice = np.flatnonzero(black[low : high - 1] == black[low + 1 : high])  # the same colour moves again
        passed += len(twice)
        for ply in twice:
            after = replace(record, moves=record.moves[: ply + 1]).final()
            assert (after.to_move()[0] == 1) == black[low + ply + 1]
        assert high - low == len(record.moves)
    assert passed, "no game has a pass"


def test_the_formats_of_records_give_the_same_datasets(tmp_path: Path) -> None:
    from_start = [record for record in RECORDS if record.setup is None]
    digests = set()
    for suffix in (".txt", ".wtb", ".sgf", ".ggf"):
        save(from_start, tmp_path / f"games{suffix}")
        made = build(tmp_path / f"games{suffix}", tmp_path / suffix[1:])
        digests.add((made[0].manifest.sources, *(len(data) for data in made)))
    assert len(digests) == 1


def test_all_files_of_a_folder_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, part in (("b.wtb", RECORDS[4:8]), ("a.sgf", RECORDS[:4]), ("c.txt", RECORDS[70:])):
        save(part, tmp_path / name)
    (tmp_path / "notes.md").write_text("not games")
    data = build(tmp_path, tmp_path / "sets")[0]
    expected = [*RECORDS[:4], *RECORDS[4:8], *RECORDS[70:]]
    assert listed(data) == [example for record in expected for example, _ in plain.replay(record)]
    assert [file["name"] for file in data.manifest.files] == ["a.sgf", "b.wtb", "c.txt"]
    assert [file["games"] for file in data.manifest.files] == [4, 4, len(RECORDS[70:])]


def test_the_number_of_threads_changes_nothing(tmp_path: Path) -> None:
    save([random_record(seed) for seed in range(300)], tmp_path / "games.wtb")
    split = Split(by="game", test=0.3)
    before, result = _core.threads(), []
    try:
        for threads in (1, 3):
            _core.set_threads(threads)
            made = build(tmp_path / "games.wtb", tmp_path / f"sets{threads}")
            result.append([(one.digest, len(one), sides(one, split).tobytes()) for one in made])
    finally:
        _core.set_threads(before)
    assert len(made[0]) > 2 * 8192, "too few examples to be divided among threads"
    assert result[0] == result[1]


# The core's symmetries, distinct examples and bounds on anything, not only on games

boards = st.integers(0, 2**64 - 1)
examples = st.tuples(boards, boards, st.integers(0, 63)).map(lambda e: (e[0] & ~e[1], e[1] & ~(1 << e[2]), e[2]))
symmetric = st.tuples(st.sampled_from([4, 7]), st.integers(0, 7), boards).map(lambda t: _on_diagonal(*t))


def _on_diagonal(k: int, place: int, board: int) -> Example:
    """An example that a mirror at a diagonal leaves as it is."""
    cell = 9 * place if k == 4 else 7 * place + 7
    closed = board | plain.image((board, 0, 0), k)[0]
    return closed & ~(1 << cell), ~closed & 0x00FF00FF00FF00FF & plain.image((0x00FF00FF00FF00FF, 0, 0), k)[0], cell


def arrays(given_examples: list[Example]) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
    own, opponent, move = zip(*given_examples, strict=True)
    return np.array(own, np.uint64), np.array(opponent, np.uint64), np.array(move, np.uint8)


def core_list(own: NDArray[np.uint64], opponent: NDArray[np.uint64], move: NDArray[np.uint8]) -> list[Example]:
    return list(zip(own.tolist(), opponent.tolist(), (move & 63).tolist(), strict=True))


@given(st.lists(st.one_of(examples, symmetric), min_size=1, max_size=8), st.data())
def test_distinct_examples_up_to_symmetry_are_one_of_each_orbit(some: list[Example], data: st.DataObject) -> None:
    again = [plain.image(example, data.draw(st.integers(0, 7))) for example in some]
    bits = arrays(some + again)
    stored, whole = _core.unique_examples(*bits, True)
    own, opponent, move = bits[0][:stored].copy(), bits[1][:stored].copy(), bits[2][:stored].copy()
    kept = core_list(own, opponent, move)
    orbits = {frozenset(plain.images(example)) for example in some}
    assert {frozenset(plain.images(example)) for example in kept} == orbits
    assert len(kept) == len(orbits)
    assert all(example == min(plain.images(example)) for example in kept)
    assert [len(set(plain.images(example))) for example in kept] == [8] * whole + [4] * (stored - whole)
    shown = _core.ExampleSet(own, opponent, move, whole)
    assert len(shown) == sum(map(len, orbits))
    assert shown.predictable(True, True) == plain.predictable(plain.closure(some))


@given(st.lists(st.one_of(examples, symmetric), min_size=1, max_size=6), st.lists(st.integers(0, 5), max_size=6))
def test_bounds_count_repetitions(some: list[Example], repeated: list[int]) -> None:
    some = some + [some[i % len(some)] for i in repeated]
    bits = arrays(some)
    assert _core.ExampleSet(*bits, -1).predictable(False, False) == plain.predictable(some)
    all_images = [one for example in some for one in plain.images(example)]
    assert _core.ExampleSet(*bits, len(some)).predictable(True, False) == plain.predictable(all_images)


def test_the_core_refuses_arrays_that_do_not_fit_together() -> None:
    own, opponent, move = arrays(ORIGINAL)
    with pytest.raises(ValueError, match="axis 0"):
        _core.ExampleSet(own, opponent[1:].copy(), move, -1)
    with pytest.raises(ValueError, match="images"):
        _core.ExampleSet(own, opponent, move, len(own) + 1)
    data = _core.ExampleSet(own, opponent, move, -1)
    first = np.array([0, 7, 3, len(own)], np.int64)
    with pytest.raises(ValueError, match="increasing"):
        data.transcript_keys(first, np.zeros(3, np.uint64))
    with pytest.raises(ValueError, match="cover"):
        data.transcript_keys(first[:2].copy(), np.zeros(1, np.uint64))
    with pytest.raises(IndexError):
        data.take(np.array([len(own)], np.uint32), own[:1].copy(), opponent[:1].copy(), move[:1].copy())


# Splits


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.05, 0.25])
def test_a_split_by_position_divides_all_examples_in_the_exact_proportion(
    folder: Path, name: str, share: float
) -> None:
    data = Examples.open(folder, name)
    split = Split(by="position", test=share, seed=3)
    train, test = data.side(split, "train"), data.side(split, "test")
    assert train.dtype == test.dtype == np.uint32
    assert len(test) == round(share * len(data))
    assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(len(data)))
    assert (np.diff(train.astype(np.int64)) > 0).all()
    again = Split(by="position", test=share, seed=4)
    assert not np.array_equal(data.side(again, "test"), test)
    assert np.array_equal(data.side(split, "test"), test)


def held_out_mask(folder: Path, split: Split) -> list[bool]:
    original, first = Examples.open(folder, "original").original()
    return [bool(one) for one in held_out_games(original, first, split)]


def test_games_are_drawn_by_their_transcript_up_to_symmetry(folder: Path) -> None:
    split = Split(by="game", test=0.3, seed=1)
    mask = held_out_mask(folder, split)
    sides_of: dict[object, set[bool]] = {}
    for record, test in zip(RECORDS, mask, strict=True):
        sides_of.setdefault(plain.transcript_class(record), set()).add(test)
    assert len(sides_of) < len(RECORDS) - 2
    assert all(len(result) == 1 for result in sides_of.values())
    assert sum(result == {True} for result in sides_of.values()) == round(0.3 * len(sides_of))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_split_by_game_keeps_test_positions_out_of_training_games(folder: Path, name: str, seed: int) -> None:
    split = Split(by="game", test=0.3, seed=seed)
    data = Examples.open(folder, name)
    mask = held_out_mask(folder, split)
    expected = plain.sides_by_game(GAMES, mask, listed(data), up_to_symmetry=name == "unique-s")
    if name.startswith("original"):  # training is what stands in a training game, not what also occurs in one
        images = 8 if name == "original-s" else 1
        in_test = [test for game, test in zip(GAMES, mask, strict=True) for _ in range(images * len(game))]
        positions = plain.sides_by_game(GAMES, mask, listed(data), up_to_symmetry=True)
        expected = [(2 if at == 2 else 0) if test else 1 for at, test in zip(positions, in_test, strict=True)]
    assert sides(data, split).tolist() == expected
    train = {(own, opponent) for own, opponent, _ in listed(data, data.side(split, "train"))}
    test = {(own, opponent) for own, opponent, _ in plain.closure(listed(data, data.side(split, "test")))}
    assert train
    assert test
    assert not train & test


def test_one_seed_draws_the_same_games_for_all_datasets(folder: Path) -> None:
    split = Split(by="game", test=0.3, seed=5)
    held_out = {frozenset(plain.closure([e])) for e in _held_out(folder, split)}
    for name in NAMES[1:]:
        data = Examples.open(folder, name)
        result = {frozenset(plain.closure([e])) for e in listed(data, data.side(split, "test"))}
        assert result == held_out


def _held_out(folder: Path, split: Split) -> list[Example]:
    data = Examples.open(folder, "original")
    return listed(data, data.side(split, "test"))


@pytest.mark.parametrize("by", ["position", "game"])
def test_a_split_that_leaves_nothing_on_a_side_says_so(tmp_path: Path, by: str) -> None:
    save([random_record(1, plies=3)], tmp_path / "games.txt")
    build(tmp_path / "games.txt", tmp_path / "sets")
    data = Examples.open(tmp_path / "sets", "original")
    with pytest.raises(ZeroplyError, match="leaves no test examples: choose a larger share"):
        data.side(Split(by=by, test=0.01), "train")  # type: ignore[arg-type]
    with pytest.raises(ZeroplyError, match="leaves no training examples: choose a smaller share"):
        data.side(Split(by=by, test=0.99), "train")  # type: ignore[arg-type]


def test_bad_splits_are_refused(folder: Path) -> None:
    with pytest.raises(ZeroplyError, match="by position or by game, not by 'ply'"):
        Split(by="ply")  # type: ignore[arg-type]
    for share in (0, 1, -0.1, float("nan")):
        with pytest.raises(ZeroplyError, match="between 0 and 1"):
            Split(test=share)
    with pytest.raises(ZeroplyError, match="train and test, not 'valid'"):
        Examples.open(folder, "unique").side(Split(), "valid")  # type: ignore[arg-type]


# Taking


def test_examples_are_taken_by_any_whole_numbers_in_range(folder: Path) -> None:
    data = Examples.open(folder, "unique-s")
    for rows in ([3, 1], np.array([3, 1], np.int64), np.array([3, 1], np.uint32)):
        assert listed(data, np.asarray(rows)) == [listed(data)[3], listed(data)[1]]
    assert [len(array) for array in data.take([])] == [0, 0, 0]
    for bad in ([-1], [len(data)], [2**32], np.array([len(data)], np.uint32)):
        with pytest.raises(ZeroplyError, match=f"numbered 0 to {len(data) - 1}"):
            data.take(bad)
    with pytest.raises(ZeroplyError, match="array of integers"):
        data.take([0.5])


# Games


NOWHERE = GameRecord(OTHELLO, (27,), "-" * 25 + "XO" + "-" * 37 + " X")
"""A game on a board without central discs, whose move is legal and on a central cell."""


def test_a_game_whose_start_lacks_the_central_discs_is_a_bad_one(tmp_path: Path) -> None:
    save([RECORDS[0], NOWHERE, plain.DIAGONAL], tmp_path / "games.sgf")
    with pytest.raises(ZeroplyError, match=r"games\.sgf, game 2: its start has an empty centre; use --skip-bad"):
        build(tmp_path / "games.sgf", tmp_path / "sets")
    data = build(tmp_path / "games.sgf", tmp_path / "sets", skip_bad=True)[0]
    assert listed(data) == [*GAMES[0], *(example for example, _ in plain.replay(plain.DIAGONAL))]
    assert data.manifest.skipped == 1


def test_bad_games_are_counted(tmp_path: Path) -> None:
    save(RECORDS[:3], tmp_path / "a.txt")
    with open(tmp_path / "a.txt", "a") as file:
        file.write("a1a2\nf5d6z9\n")
    save(RECORDS[:2], tmp_path / "b.wtb")
    content = bytearray((tmp_path / "b.wtb").read_bytes())
    content[16 + 8] = 11  # a1
    (tmp_path / "b.wtb").write_bytes(content)
    data = build(tmp_path, tmp_path / "sets", skip_bad=True)[0]
    assert [(file["games"], file["skipped"]) for file in data.manifest.files] == [(3, 2), (1, 1)]
    assert data.manifest.skipped == 3
    assert data.games == 4


def test_an_illegal_move_is_told_with_its_file_game_and_number(tmp_path: Path) -> None:
    good, bad = RECORDS[0], GameRecord(OTHELLO, (*RECORDS[1].moves[:4], 0, *RECORDS[1].moves[5:]))
    path = tmp_path / "games.wtb"
    save([good], path)
    save([RECORDS[1]], tmp_path / "other.wtb")
    content = bytearray(path.read_bytes() + (tmp_path / "other.wtb").read_bytes()[16:])
    content[4] = 2  # games in the header
    content[16 + 68 + 8 + 4] = 11  # a1
    path.write_bytes(content)
    with pytest.raises(ZeroplyError, match=r"games\.wtb, game 2: move 5 is illegal; use --skip-bad"):
        build(path, tmp_path / "sets")
    data = build(path, tmp_path / "sets", skip_bad=True)[0]
    assert listed(data) == GAMES[0]
    assert bad.moves[4] == 0


def test_every_game_is_replayed_as_the_plain_rules_say(tmp_path: Path) -> None:
    save(RECORDS, tmp_path / "games.txt")
    transcripts, (own, opponent, move), sources = read_games([tmp_path / "games.txt"], False, no_progress)
    assert core_list(own, opponent, move) == ORIGINAL
    assert transcripts.lengths.tolist() == [len(game) for game in GAMES]
    assert sources[0].games == len(RECORDS)


# The published data


@pytest.mark.slow
def test_the_expert_games_give_the_counts_of_the_paper(data: Path, tmp_path: Path) -> None:
    made = {one.name: one for one in build(data / "wthor", tmp_path / "sets")}
    assert {name: len(one) for name, one in made.items()} == {
        "original": 6_874_503,
        "unique": 4_880_413,
        "original-s": 54_996_024,
        "unique-s": 39_019_056,
    }
    assert made["original"].games == 114_871
    assert made["unique-s"].manifest.stored == 4_877_412
    assert made["unique-s"].manifest.stored - made["unique-s"].manifest.whole == 60
    assert made["unique"].manifest.predictable == 4_758_105
    assert round(100 * made["original"].bound, 2) == 91.62
    assert round(100 * made["unique"].bound, 2) == 97.49


def test_the_twins_themselves_know_symmetric_examples() -> None:
    sizes = Counter(len(set(plain.images(example))) for example in UNIQUE)
    assert sizes[4] >= 1
    assert set(sizes) == {4, 8}
