"""Chance: a draw depends on its key and counter and on nothing else, in the core as in its NumPy twin."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.games import Positions, game

SPECS = [
    "othello",
    "othello(size=6)",
    "othello(size=12)",
    "gomoku(size=7)",
    "gomoku(size=15, exact=true)",
    "atarigo(size=5)",
    "atarigo(size=9, captures=3, suicide=illegal)",
    "atarigo(size=19)",
]

SURE = 4.5  # standard deviations: less than one chance in 100,000


@pytest.fixture(autouse=True)
def same_threads() -> Iterator[None]:
    before = _core.threads()
    yield
    _core.set_threads(before)


def random_moves(positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    moves = np.empty(len(positions), np.int32)
    positions.batch.random_moves(keys, moves)
    return moves


def choose(
    preferences: Any,
    key: int = 0,
    temperature: float = 0.0,
    lowest: bool = False,
    counters: NDArray[np.uint64] | None = None,
) -> NDArray[np.int32]:
    rows = np.ascontiguousarray(preferences, np.float32)
    moves = np.full(len(rows), -99, np.int32)
    keys = chance.keys(key, np.arange(len(rows)))
    counters = np.zeros(len(rows), np.uint64) if counters is None else counters
    assert _core.choose(rows, keys, counters, temperature, lowest, moves) == -1
    return moves


def chi_square(counts: Any, expected: Any) -> float:
    """The chi-square statistic as a standard normal deviate (Wilson and Hilferty 1931), good for few cells too."""
    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    free = len(counts) - 1
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float((np.cbrt(statistic / free) - (1 - 2 / (9 * free))) / np.sqrt(2 / (9 * free)))


# Known values


def test_draws_are_the_sequence_of_splitmix64() -> None:
    """The published first outputs of the generator with seed 0."""
    assert [hex(x) for x in chance.draw(0, np.arange(3))] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


def test_keys_never_change() -> None:
    assert chance.key(7) == 7
    assert chance.key(1, "match") == 0xC87C88A4A420DC53
    assert chance.key(1, "match", 3) == 0x2139D1CFCEA9F588
    assert chance.key(-1, 2, "a", "b") == 0x05C8129758346112
    assert chance.key(2**64 + 1, "match", 3) == chance.key(1, "match", 3)
    numbered = [0xAFE5D660580BBFA9, 0x7ECDB6913F2A4C51, 0x3046D7469BB0D5D9]
    assert chance.keys(1, np.arange(3)).tolist() == numbered
    assert [chance.key(1, part) for part in range(3)] == numbered


def test_numbers_drawn_never_change() -> None:
    assert chance.uniform(1, np.arange(3)).tolist() == [0.5665615751722809, 0.7457817572627011, 0.9710027535867962]
    assert chance.below(6, 1, np.arange(12)).tolist() == [3, 4, 5, 2, 2, 4, 5, 3, 1, 4, 2, 3]


@pytest.mark.parametrize(
    ("spec", "tally"),
    [
        ("othello", (59992, 495, 458)),
        ("othello(size=10)", (95993, 472, 492)),
        ("gomoku(size=9)", (52843, 526, 471)),
        ("atarigo(size=9)", (45329, 494, 506)),
        ("atarigo(size=5, captures=3, suicide=illegal)", (23167, 523, 477)),
    ],
)
def test_random_games_never_change(spec: str, tally: tuple[int, int, int]) -> None:
    counted = game(spec).core.random_games(2024, 1000)
    assert counted.games == 1000
    assert (counted.plies, counted.black_wins, counted.white_wins) == tally


def test_the_order_and_kind_of_parts_matters_to_a_key() -> None:
    keys = [chance.key(1, *path) for path in ((), (1,), (2,), ("1",), (1, 2), (2, 1), ("a", "b"), ("ab",), ("b", "a"))]
    assert len(set(keys)) == len(keys)


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1))
def test_draws_stay_in_their_range(key: int, n: int) -> None:
    counters = np.arange(50)
    assert ((chance.below(n, key, counters) >= 0) & (chance.below(n, key, counters) < n)).all()
    assert ((chance.uniform(key, counters) >= 0) & (chance.uniform(key, counters) < 1)).all()


def test_draws_of_one_key_and_of_many_keys_are_uniform() -> None:
    for draws in (chance.below(10, 5, np.arange(100_000)), chance.below(10, chance.keys(5, np.arange(100_000)), 1)):
        assert abs(chi_square(np.bincount(draws, minlength=10), np.full(10, 10_000))) < SURE
        pairs = np.bincount(draws[:-1] * 10 + draws[1:], minlength=100)
        assert abs(chi_square(pairs, np.full(100, 99_999 / 100))) < SURE


# The core and its twin


@pytest.mark.parametrize("spec", SPECS)
def test_the_core_draws_the_moves_its_numpy_twin_draws(spec: str) -> None:
    positions = game(spec).start(50)
    keys = chance.keys(9, np.arange(50))
    for _ in range(40):
        moves = random_moves(positions, keys)
        legal = positions.legal()
        which = chance.below(legal.sum(axis=1), keys, positions.move_number())
        expected = [int(np.flatnonzero(row)[k]) if row.any() else -1 for row, k in zip(legal, which, strict=True)]
        assert moves.tolist() == expected
        positions.play(moves)


@pytest.mark.parametrize("spec", SPECS)
def test_games_inside_the_core_are_those_played_in_lockstep(spec: str) -> None:
    for n in (0, 1, 15, 16, 17, 300):
        key = chance.key(3, "lockstep", n)
        positions = game(spec).start(n)
        keys = chance.keys(key, np.arange(n))
        plies = 0
        while not positions.over().all():
            moves = random_moves(positions, keys)
            plies += int((moves >= 0).sum())
            positions.play(moves)
        tally = game(spec).core.random_games(key, n)
        wins = [int((positions.winner() == side).sum()) for side in (1, -1)]
        assert [tally.games, tally.plies, tally.black_wins, tally.white_wins] == [n, plies, *wins]


@given(st.integers(0, 2**32), st.integers(1, 40), st.booleans())
def test_choosing_greedily_is_what_the_twin_chooses(seed: int, cells: int, lowest: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, (30, cells)).astype(np.float32)
    rows[rng.random(rows.shape) < 0.3] = -np.inf
    counters = rng.integers(0, 2**63, 30).astype(np.uint64)
    ties = rows == rows.max(axis=1, keepdims=True)
    which = chance.below(ties.sum(axis=1), chance.keys(seed, np.arange(30)), counters)
    expected = [
        -1 if np.isneginf(row).all() else int(np.flatnonzero(tie)[0 if lowest else k])
        for row, tie, k in zip(rows, ties, which, strict=True)
    ]
    assert choose(rows, seed, 0.0, lowest, counters).tolist() == expected


@given(st.integers(0, 2**32), st.integers(1, 40), st.floats(0.01, 100))
def test_choosing_at_a_temperature_is_what_the_twin_chooses(seed: int, cells: int, temperature: float) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 3, (30, cells)).astype(np.float32)
    rows[rng.random(rows.shape) < 0.3] = -np.inf
    rows[0] = -np.inf
    moves = choose(rows, seed, temperature)
    units = chance.uniform(chance.keys(seed, np.arange(30)), 0)
    for row, unit, move in zip(rows.astype(np.float64), units, moves.tolist(), strict=True):
        if np.isneginf(row).all():
            assert move == -1
            continue
        assert np.isfinite(row[move])
        weights = np.exp((row - row.max()) / temperature)
        edges = np.cumsum(weights / weights.sum())
        assert (edges[move - 1] if move else 0) - 1e-9 <= unit <= edges[move] + 1e-9


# Distributions


@pytest.mark.parametrize("spec", SPECS)
def test_random_moves_are_uniform_over_the_legal_ones(spec: str) -> None:
    one = game(spec).replay([int(move) for move in opening(spec)])
    positions = one[np.zeros(40_000, int)]
    moves = random_moves(positions, chance.keys(17, np.arange(40_000)))
    legal = np.flatnonzero(one.legal()[0])
    counts = np.bincount(moves, minlength=game(spec).cells)
    assert counts.sum() == counts[legal].sum()
    assert abs(chi_square(counts[legal], np.full(len(legal), 40_000 / len(legal)))) < SURE


def opening(spec: str) -> list[int]:
    """A few moves into the game."""
    position = game(spec).start()
    moves = []
    for _ in range(3):
        moves.append(int(np.flatnonzero(position.legal()[0])[-1]))
        position.play(moves[-1:])
    return moves


def test_ties_are_broken_uniformly_or_by_the_lowest_cell() -> None:
    row = np.array([1, 5, -np.inf, 5, 2, 5], np.float32)
    rows = np.tile(row, (30_000, 1))
    counts = np.bincount(choose(rows), minlength=6)
    assert counts[[0, 2, 4]].sum() == 0
    assert abs(chi_square(counts[[1, 3, 5]], np.full(3, 10_000))) < SURE
    assert (choose(rows, lowest=True) == 1).all()


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
def test_moves_at_a_temperature_follow_the_gibbs_distribution(temperature: float) -> None:
    row = np.array([0.0, 1.0, -np.inf, 0.5, -1.0, 0.9], np.float32)
    counts = np.bincount(choose(np.tile(row, (60_000, 1)), temperature=temperature), minlength=6)
    weights = np.exp(row.astype(np.float64) / temperature)
    possible = np.isfinite(row)
    assert counts[2] == 0
    assert abs(chi_square(counts[possible], 60_000 * weights[possible] / weights.sum())) < SURE


def test_extreme_preferences_and_temperatures_stay_finite() -> None:
    huge = np.finfo(np.float32).max
    rows = np.tile(np.array([-huge, huge, -np.inf, 0], np.float32), (100, 1))
    for temperature in (1e-320, 1e-300, 1e-9, 1.0, 1e9):
        assert (choose(rows, temperature=temperature) == 1).all()
    tiny = np.tile(np.array([-np.inf, -huge, -np.inf], np.float32), (100, 1))
    for temperature in (0.0, 1e-300, 1.0, 1e300):
        assert (choose(tiny, temperature=temperature) == 1).all()


def test_where_nothing_may_be_played_nothing_is_chosen() -> None:
    rows = np.full((3, 4), -np.inf, np.float32)
    rows[1, 2] = -5
    for temperature in (0.0, 1.0):
        assert choose(rows, temperature=temperature).tolist() == [-1, 2, -1]
    assert choose(np.zeros((2, 0), np.float32)).tolist() == [-1, -1]
    assert choose(np.zeros((0, 4), np.float32)).tolist() == []


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_row_with_a_nan_or_infinity_is_told(bad: float, temperature: float, threads: int) -> None:
    _core.set_threads(threads)
    rows = np.zeros((2000, 9), np.float32)
    keys = np.zeros(2000, np.uint64)
    moves = np.empty(2000, np.int32)
    for broken in ([1999], [700, 1500], [0, 3, 1999], [5, 600]):
        some = rows.copy()
        some[broken, 4] = bad
        assert _core.choose(some, keys, keys, temperature, False, moves) == broken[0]


def test_an_infinite_temperature_never_chooses_an_illegal_cell() -> None:
    rows = np.tile(np.array([0, -np.inf, 3, -np.inf], np.float32), (100, 1))
    keys, moves = chance.keys(0, np.arange(100)), np.zeros(100, np.int32)
    try:
        _core.choose(rows, keys, keys, float("inf"), False, moves)
    except ValueError:
        return
    assert set(moves.tolist()) <= {0, 2}


@pytest.mark.parametrize("temperature", [-1.0, float("nan")])
def test_a_temperature_that_is_none_is_refused(temperature: float) -> None:
    keys, moves = np.zeros(1, np.uint64), np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="temperature"):
        _core.choose(np.zeros((1, 4), np.float32), keys, keys, temperature, False, moves)


# Threads


@pytest.mark.parametrize("spec", SPECS)
def test_nothing_depends_on_the_number_of_threads(spec: str) -> None:
    results = []
    for threads in (1, 2, 3):
        _core.set_threads(threads)
        assert _core.threads() == threads
        results.append(everything(spec))
    assert results[0] == results[1] == results[2]


def everything(spec: str) -> list[bytes]:
    """All that the core computes in parallel, over a batch of several blocks."""
    n = 1100
    the_game = game(spec)
    positions = the_game.start(n)
    keys = chance.keys(1, np.arange(n))
    for _ in range(12):
        positions.play(random_moves(positions, keys))
    values = np.empty((n, the_game.cells), np.float32)
    told: list[NDArray[Any]] = [random_moves(positions, keys), positions.planes(("own", "legal"))]
    told += [getattr(positions, name)() for name in ("legal", "stones", "hash", "ko", "captured", "move_number")]
    told += [positions.symmetry(5).hash()]
    if the_game.name == "atarigo":
        told.append(positions.liberties())
    for discs in (False, True):
        positions.batch.child_values(discs, values)
        told += [values.copy(), choose(values, 4), choose(values, 4, 0.5)]
    positions.batch.child_weights(np.linspace(-1, 1, the_game.cells, dtype=np.float32), values)
    told.append(values)
    tally = the_game.core.random_games(5, 333)
    told.append(np.array([tally.games, tally.plies, tally.black_wins, tally.white_wins]))
    return [array.tobytes() for array in told]


MANY_THREADS = """
import resource
from zeroply import _core
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
_core.set_threads(3000)
try:
    print(_core.othello(8).random_games(1, 1000).games)
except RuntimeError:
    print("refused")
"""


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer needs all address space")
def test_more_threads_than_the_system_gives_are_an_error_or_do_without() -> None:
    done = subprocess.run([sys.executable, "-c", MANY_THREADS], capture_output=True, text=True, timeout=10)
    assert done.returncode == 0
    assert done.stdout.strip() in ("1000", "refused")


def test_normal_draws_have_the_moments_of_the_normal_distribution() -> None:
    draws = chance.normal(chance.key(1, "normal"), np.arange(200_000))
    assert abs(draws.mean()) < 0.01
    assert abs(draws.std() - 1) < 0.01
    assert abs((np.abs(draws) < 1).mean() - 0.6827) < 0.005
    assert abs((draws**4).mean() - 3) < 0.1
    assert np.array_equal(draws[7:9], chance.normal(chance.key(1, "normal"), [7, 8]))
