"""Batches for training: pure functions of seed and step, every row once a pass, planes as the rules say."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import islice
from math import factorial
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import examples_reference as plain
from examples_reference import OTHELLO, Example
from random_play import random_record
from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.examples import NAMES, Examples, Loader, Split
from zeroply.examples.build import build
from zeroply.games import pack
from zeroply.games.positions import Plane, plane_numbers
from zeroply.nets.encodings import PLANES, Encoding, encode
from zeroply.records import save


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("loader")
    save(plain.some_records(), place / "games.txt")
    build(place / "games.txt", place / "sets")
    return place / "sets"


@pytest.fixture(scope="module")
def unique(folder: Path) -> Examples:
    return Examples.open(folder, "unique")


def listed(own: NDArray[np.uint64], opponent: NDArray[np.uint64], moves: NDArray[np.generic]) -> list[Example]:
    return list(zip(own.tolist(), opponent.tolist(), moves.tolist(), strict=True))


def one_pass(loader: Loader, epoch: int = 0) -> list[Example]:
    steps = loader.steps_per_epoch
    return [e for step in range(epoch * steps, (epoch + 1) * steps) for e in listed(*loader.bits(step))]


# The order


@given(st.integers(1, 300), st.integers(0, 2**64 - 1))
def test_the_computed_permutation_is_one_and_agrees_with_its_twin(n: int, key: int) -> None:
    out = np.empty(n, np.uint64)
    _core.permutation(key, n, 0, out)
    assert sorted(out.tolist()) == list(range(n))
    assert out.tolist() == plain.permutation(key, n).tolist()


def permutations(n: int, trials: int) -> NDArray[np.int64]:
    out = np.empty((trials, n), np.uint64)
    for key, row in enumerate(out):
        _core.permutation(chance.key(key), n, 0, row)
    return out.astype(np.int64)


def uniform(counts: NDArray[np.int64], freedom: int) -> bool:
    """Whether counts are as equal as chance makes them, by the chi-squared test."""
    chi2 = float(((counts - counts.mean()) ** 2 / counts.mean()).sum())
    return bool(abs(chi2 - freedom) < 5 * np.sqrt(2 * freedom))


@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 9, 12, 20, 200])
def test_permutations_put_every_number_everywhere(n: int) -> None:
    found = permutations(n, 4000)
    counts = np.array([np.bincount(found[:, place], minlength=n) for place in range(n)])
    assert uniform(counts, (n - 1) ** 2)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_all_permutations_of_few_numbers_are_equally_likely(n: int) -> None:
    numbers = permutations(n, 6000) @ n ** np.arange(n)
    counts = np.unique(numbers, return_counts=True)[1]
    assert len(counts) == factorial(n)
    assert uniform(counts, factorial(n) - 1)


@pytest.mark.parametrize("n", [9, 12, 20])
def test_half_of_the_permutations_are_even(n: int) -> None:
    found = permutations(n, 4000)
    inversions = sum((found[:, i] > found[:, j]).astype(np.int64) for i in range(n) for j in range(i + 1, n))
    assert uniform(np.bincount(inversions % 2), 1)


def test_a_pass_shows_every_row_once_and_the_last_batch_is_what_is_left(unique: Examples) -> None:
    rows = unique.side(Split(by="position", test=0.25), "train")
    loader = Loader(unique, rows, batch=100, symmetries=False)
    assert loader.steps_per_epoch == -(-len(rows) // 100)
    sizes = [len(loader.bits(step)[0]) for step in range(loader.steps_per_epoch)]
    assert sizes == [100] * (len(rows) // 100) + ([len(rows) % 100] if len(rows) % 100 else [])
    expected = sorted(listed(*unique.take(rows)))
    assert sorted(one_pass(loader)) == expected
    assert sorted(one_pass(loader, epoch=3)) == expected
    assert one_pass(loader) != one_pass(loader, epoch=1)


def test_the_order_is_the_keyed_permutation_of_the_rows(unique: Examples) -> None:
    rows = np.arange(50, 250, dtype=np.uint32)
    loader = Loader(unique, rows, batch=64, seed=9, symmetries=False)
    order = plain.permutation(chance.key(9, "order", 2), len(rows))
    assert one_pass(loader, epoch=2) == listed(*unique.take(rows[order]))


def test_a_batch_depends_only_on_seed_and_step(unique: Examples) -> None:
    rows = np.arange(len(unique), dtype=np.uint32)
    one, other = (Loader(unique, rows, batch=37, seed=5) for _ in range(2))
    ahead = [one.batch(step) for step in range(30)]
    for step in (29, 3, 17, 0):
        planes, moves = other.batch(step)
        assert np.array_equal(planes, ahead[step][0])
        assert np.array_equal(moves, ahead[step][1])
    assert not np.array_equal(Loader(unique, rows, batch=37, seed=6).batch(3)[0], ahead[3][0])


def test_the_number_of_threads_changes_no_batch(unique: Examples) -> None:
    rows = np.tile(np.arange(len(unique), dtype=np.uint32), 20)
    before = _core.threads()
    found = []
    try:
        for threads in (1, 3):
            _core.set_threads(threads)
            found.append(Loader(unique, rows, batch=len(rows), encoding="vmoves").batch(1))
    finally:
        _core.set_threads(before)
    assert len(rows) > 8192
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))


# Symmetries


@pytest.mark.parametrize("name", ["unique", "unique-s"])
def test_symmetries_show_every_example_under_one_of_its_images_each_equally_often(folder: Path, name: str) -> None:
    data = Examples.open(folder, name)
    rows = np.arange(0, len(data), 7, dtype=np.uint32)
    loader = Loader(data, rows, batch=len(rows), seed=2, symmetries=True)
    counts: Counter[int] = Counter()
    for epoch in range(8):
        order = plain.permutation(chance.key(2, "order", epoch), len(rows))
        draws = chance.draw(chance.key(2, "images", epoch), np.arange(len(rows))) >> np.uint64(61)
        counts.update(draws.tolist())
        asked = listed(*data.take(rows[order]))
        expected = [plain.image(e, k) for e, k in zip(asked, draws.tolist(), strict=True)]
        assert listed(*loader.bits(epoch)) == expected
    mean = sum(counts.values()) / 8
    assert all(abs(counts[k] - mean) < 5 * np.sqrt(mean) for k in range(8))


@pytest.mark.parametrize("name", NAMES)
def test_by_default_symmetries_are_random_where_the_dataset_does_not_hold_them(folder: Path, name: str) -> None:
    data = Examples.open(folder, name)
    default = one_pass(Loader(data, np.arange(200), seed=2))
    assert default == one_pass(Loader(data, np.arange(200), seed=2, symmetries=name in ("original", "unique")))
    assert default != one_pass(Loader(data, np.arange(200), seed=2, symmetries=name in ("original-s", "unique-s")))


# Bootstrap samples


def test_a_bootstrap_sample_is_fixed_by_the_seed_and_has_repetitions(unique: Examples) -> None:
    rows = np.arange(len(unique), dtype=np.uint32)
    loader = Loader(unique, rows, batch=64, seed=4, symmetries=False, replacement=True)
    sample = Counter(one_pass(loader))
    places = chance.below(len(rows), chance.key(4, "bootstrap"), np.arange(len(rows)))
    assert sample == Counter(listed(*unique.take(rows[places])))
    assert Counter(one_pass(loader, epoch=1)) == sample
    assert one_pass(loader, epoch=1) != one_pass(loader)
    assert 0.58 < len(sample) / len(rows) < 0.68  # 1 - 1/e
    assert Counter(one_pass(Loader(unique, rows, batch=64, seed=5, symmetries=False, replacement=True))) != sample


# The background thread


def test_the_background_thread_gives_the_same_batches(unique: Examples) -> None:
    loader = Loader(unique, np.arange(300, dtype=np.uint32), batch=64)
    for step, (planes, moves) in zip(range(3, 30), loader.from_step(3), strict=False):
        expected = loader.batch(step)
        assert np.array_equal(planes, expected[0])
        assert np.array_equal(moves, expected[1])
    assert len(list(loader.from_step(3, until=8))) == 5
    assert list(loader.from_step(8, until=8)) == []


def test_the_background_thread_prepares_bit_boards_too(unique: Examples) -> None:
    loader = Loader(unique, np.arange(300, dtype=np.uint32), batch=64)
    found = list(loader.from_step(3, until=8, bits=True))
    assert [listed(*batch) for batch in found] == [listed(*loader.bits(step)) for step in range(3, 8)]


def test_the_background_thread_ends_with_its_consumer(unique: Examples) -> None:
    loader = Loader(unique, np.arange(300, dtype=np.uint32), batch=64)
    batches = loader.from_step(0)
    assert len(list(islice(batches, 3))) == 3
    assert any(thread.name == "loader" for thread in threading.enumerate())
    batches.close()
    assert not any(thread.name == "loader" for thread in threading.enumerate())


def test_what_goes_wrong_in_the_background_is_raised_in_front(unique: Examples) -> None:
    loader = Loader(unique, np.array([5, len(unique)], np.uint32), batch=2)
    with pytest.raises(ZeroplyError, match=f"numbered 0 to {len(unique) - 1}"):
        next(loader.from_step(0))


# Encodings


@pytest.mark.parametrize("encoding", PLANES)
def test_planes_are_those_of_the_positions(encoding: Encoding) -> None:
    records = plain.some_records()[:12]
    own, opponent, black, expected = [], [], [], []
    for record in records:
        position = OTHELLO.start()
        for (example, is_black), move in zip(plain.replay(record), record.moves, strict=True):
            own.append(example[0])
            opponent.append(example[1])
            black.append(is_black)
            expected.append(position.planes(PLANES[encoding]))
            position.play([move])
    planes = encode(np.array(own, np.uint64), np.array(opponent, np.uint64), encoding, black=black)
    assert planes.shape == (len(own), len(PLANES[encoding]), 8, 8)
    assert planes.dtype == np.float32
    assert np.array_equal(planes, np.concatenate(expected))


@pytest.mark.parametrize("encoding", PLANES)
def test_batches_are_encoded_examples(unique: Examples, encoding: str) -> None:
    rows = np.arange(200, dtype=np.uint32)
    loader = Loader(unique, rows, batch=200, encoding=encoding, symmetries=False)
    planes, moves = loader.batch(0)
    own, opponent, also = loader.bits(0)
    order = plain.permutation(chance.key(1, "order", 0), 200)
    assert np.array_equal(planes, encode(own, opponent, encoding, black=unique.black(rows[order])))
    assert moves.dtype == np.int64
    assert np.array_equal(moves, also)


def test_every_move_of_a_batch_is_legal_in_its_planes(unique: Examples) -> None:
    planes, moves = Loader(unique, np.arange(len(unique)), batch=400, encoding="vmoves").batch(0)
    assert (planes[:, 2].reshape(len(moves), 64)[np.arange(len(moves)), moves] == 1).all()


# Bad input


def test_bad_loaders_are_refused(unique: Examples) -> None:
    with pytest.raises(ZeroplyError, match="no examples"):
        Loader(unique, [])
    with pytest.raises(ZeroplyError, match="at least one example, not 0"):
        Loader(unique, [1], batch=0)
    with pytest.raises(ZeroplyError, match="unknown encoding 'stones': choose from pieces, ones, vmoves, turn"):
        Loader(unique, [1], encoding="stones")
    with pytest.raises(ZeroplyError, match="numbered from 0, not -1"):
        Loader(unique, [1]).batch(-1)


def test_the_core_refuses_planes_it_does_not_know_or_cannot_make() -> None:
    one, out = np.zeros(1, np.uint64), np.zeros((1, 1, 64), np.float32)
    for kind in (-1, 7):
        with pytest.raises(ValueError, match="no such plane"):
            _core.encode_examples(one, one, np.ones(1, np.uint8), [kind], out)
    for kind in plane_numbers(["black", "white", "black-to-move"]):
        with pytest.raises(ValueError, match="axis 0"):
            _core.encode_examples(one, one, np.ones(0, np.uint8), [kind], out)
    with pytest.raises(ValueError, match="axis 1"):
        _core.encode_examples(one, one, np.ones(1, np.uint8), [0, 1], out)


@given(st.integers(0, 59), st.integers(0, 100))
def test_every_plane_can_be_made_from_bits(plies: int, seed: int) -> None:
    position = OTHELLO.replay(random_record(seed, plies=plies).moves)
    kinds = get_args(Plane)
    own, opponent = (pack(position.stones() == colour * position.to_move()[:, None]) for colour in (1, -1))
    out = np.empty((1, len(kinds), 64), np.float32)
    _core.encode_examples(own, opponent, (position.to_move() > 0).view(np.uint8), plane_numbers(kinds), out)
    assert np.array_equal(out.reshape(1, len(kinds), 8, 8), position.planes(kinds))


def test_bad_boards_are_refused() -> None:
    one, two = np.zeros(1, np.uint64), np.zeros(2, np.uint64)
    with pytest.raises(ZeroplyError, match="own and opposing boards must have the same shape"):
        encode(one, two, "pieces")
    with pytest.raises(ZeroplyError, match="needs `black`"):
        encode(one, one, "turn")
    with pytest.raises(ZeroplyError, match="one value per position: expected 1"):
        encode(one, one, "turn", black=[True, False])


@pytest.mark.parametrize("begin", [-1, 6, 2**63 - 3])
def test_rows_beyond_a_pass_are_refused(begin: int) -> None:
    boards = np.zeros(10, np.uint64)
    examples = _core.ExampleSet(boards, boards, np.zeros(10, np.uint8), -1)
    out = (np.zeros(5, np.uint64), np.zeros(5, np.uint64), np.zeros(5, np.uint8))
    with pytest.raises(ValueError, match="does not have as many rows"):
        examples.draw(np.arange(10, dtype=np.uint32), 1, 2, 3, False, False, begin, *out)
