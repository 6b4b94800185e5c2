"""Search: alpha-beta finds what plain minimax finds, for every game and evaluation, with any table, threads and batch.

The reference grows whole trees, so deep searches are checked where trees are small: late in the game.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from search_reference import (
    Floats,
    Tree,
    disc_difference,
    empties,
    evaluation,
    evaluations_of_othello,
    following_each_other,
    grow,
    live,
    random_boards,
    random_positions,
    sooner_is_better,
    threads,
)
from zeroply.games import Positions, game
from zeroply.nets import population_net
from zeroply.search import EVALUATIONS, Evaluation, Limit, Memory, Mode, SearchResult
from zeroply.search.endings import solve
from zeroply.search.outcomes import outcomes

MODES: tuple[Mode, Mode] = ("exact", "strong")


@pytest.fixture(scope="module")
def of_othello(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Evaluation]:
    return evaluations_of_othello(tmp_path_factory.mktemp("evaluations"))


def best_moves(preferences: Floats) -> NDArray[np.bool_]:
    """[n, cells]: the moves no other is better than."""
    return np.asarray(np.isfinite(preferences) & (preferences == preferences.max(axis=1, keepdims=True)))


def same_choice(first: SearchResult, second: SearchResult) -> bool:
    """Whether two searches agree on the score and on all best moves."""
    return np.array_equal(first.scores, second.scores) and np.array_equal(
        best_moves(first.preferences), best_moves(second.preferences)
    )


def check_minimax(name: str, judge: Evaluation, tree: Tree, depth: int) -> None:
    """Hold all forms of a search of the tree's roots against plain minimax."""
    exact, roots = tree.preferences(judge.values), tree.layers[0]
    label = f"{name} at depth {depth}"
    every = judge.search(roots, Limit(depth=depth), all_moves=True)
    assert np.array_equal(every.preferences, exact), label
    for table in (True, False):
        result = judge.search(roots, Limit(depth=depth), table=table)
        assert np.array_equal(result.scores, exact.max(axis=1)), label
        assert np.array_equal(result.scores, result.preferences.max(axis=1)), label
        assert np.array_equal(best_moves(result.preferences), best_moves(exact)), label
        assert (result.preferences >= exact).all(), f"{label}: a bound is too low"
        assert np.array_equal(np.isfinite(result.preferences), roots.legal()), label
        assert ((result.depths >= 1) & (result.depths <= depth)).all(), label  # less where the game ends sooner


# Plain minimax

OTHELLO_PLIES = {
    1: [i % 60 for i in range(205)],
    2: [i % 60 for i in range(205)],
    3: [i % 60 for i in range(205)],
    4: [12, 24, 33, *(36 + i % 24 for i in range(200))],
    5: [4, 20, 31, *(44 + i % 16 for i in range(200))],
}


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_plain_search_is_minimax_for_every_evaluation_of_othello(of_othello: dict[str, Evaluation], depth: int) -> None:
    positions = live(random_positions("othello", OTHELLO_PLIES[depth], seed=depth))[:200]
    assert len(positions) == 200
    passes = 0
    for first in range(0, len(positions), 25):
        tree = grow(positions[first : first + 25], depth)
        passes += tree.passes()
        for name, judge in of_othello.items():
            check_minimax(name, judge, tree, depth)
    assert passes >= 4 * depth


@pytest.mark.parametrize(
    ("spec", "name", "depth", "plies"),
    [
        ("othello(size=4)", "pieces", 5, range(12)),
        ("othello(size=4)", "mobility", 9, range(2, 12)),
        ("othello(size=6)", "pieces", 4, range(32)),
        ("othello(size=6)", "mobility", 5, range(18, 32)),
        ("othello(size=10)", "pieces", 3, range(0, 96, 4)),
        ("othello(size=10)", "mobility", 4, range(76, 96)),
        ("gomoku(size=5)", "lines", 2, range(25)),
        ("gomoku(size=5)", "lines", 5, range(15, 25)),
        ("gomoku(size=6)", "lines", 3, range(16, 36)),
        ("gomoku(size=7, exact=true)", "lines", 2, range(0, 49, 3)),
        ("gomoku(size=8)", "lines", 3, [34, 38, 42, 46] * 3),
        ("gomoku(size=9)", "lines", 2, range(0, 80, 8)),
        ("gomoku(size=9)", "lines", 3, [46, 50, 54] * 4),
        ("atarigo(size=5)", "liberties", 3, range(16)),
        ("atarigo(size=5)", "liberties", 5, [12, 13, 14, 15, 16, 17] * 4),
        ("atarigo(size=6, captures=3)", "liberties", 3, range(14, 34)),
        ("atarigo(size=7, suicide=illegal)", "liberties", 2, range(0, 30, 2)),
        ("atarigo(size=8)", "liberties", 2, range(0, 30, 3)),
        ("atarigo(size=9, captures=2)", "liberties", 2, range(0, 60, 6)),
    ],
)
def test_plain_search_is_minimax_on_other_boards_and_in_other_games(
    spec: str, name: str, depth: int, plies: range | list[int]
) -> None:
    positions = live(random_positions(spec, plies, seed=3))
    assert len(positions) >= 4
    check_minimax(f"{name} in {spec}", evaluation(name, spec), grow(positions, depth), depth)


def test_a_forced_pass_costs_no_depth(of_othello: dict[str, Evaluation]) -> None:
    positions = live(random_positions("othello", [48 + i % 10 for i in range(400)], seed=2))
    row, cell = np.nonzero(positions.legal())
    children = positions[row].after(cell.astype(np.int32))
    again = ~children.over() & (children.to_move() == positions.to_move()[row])
    row, cell, children = row[again], cell[again], children[again]
    assert len(row) > 30
    for name, judge in of_othello.items():
        two = judge.search(positions, Limit(depth=2), all_moves=True).preferences[row, cell]
        one = judge.search(children, Limit(depth=1)).scores
        assert np.array_equal(two, one), name


def test_a_search_to_the_end_of_the_game_finds_its_result() -> None:
    positions, judge = (
        live(random_positions("othello(size=4)", range(3, 12), seed=5)),
        evaluation("pieces", "othello(size=4)"),
    )
    left = int(empties(positions).max())
    result = judge.search(positions, Limit(depth=left), all_moves=True).preferences[positions.legal()]
    exact = grow(positions).preferences(lambda ended: (ended.score() * ended.to_move()).astype(np.float32))
    exact = exact[positions.legal()]
    assert np.array_equal(np.sign(result), np.sign(exact))
    order = np.argsort(exact, kind="stable")
    assert (np.diff(result[order]) >= 0).all()
    assert len(set(result.tolist())) == len(set(exact.tolist()))


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_a_finished_game_may_count_as_its_board_is_evaluated(depth: int) -> None:
    def discs(boards: Positions) -> Floats:
        return np.asarray(boards.stones().sum(axis=1) * boards.to_move(), np.float32)

    positions = live(random_positions("othello", [52 + i % 8 for i in range(160)], seed=7))
    exact = grow(positions, depth).preferences(discs)
    result = evaluation("pieces").search(positions, Limit(depth=depth), all_moves=True, ends_by_board=True)
    assert np.array_equal(result.preferences, exact)
    by_result = evaluation("pieces").search(positions, Limit(depth=depth)).scores
    assert (by_result != result.scores).sum() > 10
    player = zp.player(f"alphabeta(depth={depth}, eval=pieces, ends=board, exact=true)", "othello")
    assert np.array_equal(player.prefer(positions), exact)


@pytest.mark.parametrize(
    ("spec", "name", "plies"),
    [("gomoku(size=5)", "lines", range(16, 24)), ("atarigo(size=5)", "liberties", range(8, 18))],
)
def test_a_won_game_is_won_as_soon_as_possible_and_a_lost_one_lost_late(spec: str, name: str, plies: range) -> None:
    positions = live(random_positions(spec, [*plies] * 6, seed=4))
    depth = 5
    exact = grow(positions, depth).preferences(sooner_is_better)
    result = evaluation(name, spec).search(positions, Limit(depth=depth), all_moves=True).preferences
    decided = (np.abs(exact) > 0) & np.isfinite(exact)
    assert len(set(exact[decided].tolist())) > 4
    win = 2.0**30  # less 2^10 for every move made
    assert np.array_equal((np.abs(result[decided]) - win) / 2**10, np.abs(exact[decided]) - 1000)
    assert np.array_equal(np.sign(result[decided]), np.sign(exact[decided]))


def test_a_win_in_one_is_preferred_to_a_win_in_three() -> None:
    # Black has an open four in the second row, and an open three in the third that also wins.
    board = "-------" + "-XXXX--" + "-XXX---" + "-------" + "OO-O-O-" + "------O" + "O------"
    position = game("gomoku(size=7)").parse(f"{board} X")
    preferences = zp.player("alphabeta(depth=3, eval=lines)", "gomoku(size=7)").prefer(position)[0]
    assert set(np.flatnonzero(preferences == preferences.max()).tolist()) == {7, 12}


# The transposition table


@pytest.mark.parametrize(
    ("spec", "name", "depth", "plies"),
    [
        ("othello", "pattern", 8, (9, 22, 33)),
        ("othello", "mobility", 7, (14, 28, 41)),
        ("othello", "pieces", 6, (6, 19, 30, 45)),
        ("othello", "iagno", 6, (11, 27, 38)),
        ("othello(size=10)", "mobility", 5, (20, 50)),
        ("gomoku(size=6)", "lines", 5, (18, 22, 24)),
        ("atarigo(size=5)", "liberties", 6, (4, 8, 11)),
        ("atarigo(size=5, captures=2)", "liberties", 6, (10, 14)),
    ],
)
def test_the_table_changes_no_result(spec: str, name: str, depth: int, plies: tuple[int, ...]) -> None:
    positions, judge = live(random_positions(spec, plies, seed=4)), evaluation(name, spec)
    with_table = judge.search(positions, Limit(depth=depth))
    without = judge.search(positions, Limit(depth=depth), table=False)
    assert same_choice(with_table, without)
    assert with_table.nodes.sum() < without.nodes.sum()


def test_the_table_changes_no_exact_score_and_none_of_those_of_n_tuples(of_othello: dict[str, Evaluation]) -> None:
    positions = live(random_positions("othello", [15, 26, 40, 47, 50, 52], seed=6))
    for name in ("ntuple negate", "ntuple exchange", "wpc", "positional"):
        with_table, without = (
            of_othello[name].search(positions, Limit(depth=6), all_moves=True, table=table).preferences
            for table in (True, False)
        )
        assert np.array_equal(with_table, without), name


# Limits


@pytest.mark.parametrize("nodes", [1, 30, 700, 20_000])
def test_a_limit_of_nodes_gives_the_last_depth_that_was_finished(nodes: int) -> None:
    positions, judge = live(random_positions("othello", [5, 15, 25, 35, 45, 52, 57], seed=8)), evaluation("mobility")
    result = judge.search(positions, Limit(depth=9, nodes=nodes))
    assert (result.depths >= 1).all()
    assert (result.nodes <= np.maximum(nodes + 1, 2 * positions.legal().sum(axis=1))).all()
    for i, depth in enumerate(result.depths.tolist()):
        alone = judge.search(positions[i], Limit(depth=depth))
        assert result.scores[i] == alone.scores[0]
        assert np.array_equal(best_moves(result.preferences)[i], best_moves(alone.preferences)[0])
    again = judge.search(positions, Limit(depth=9, nodes=nodes))
    assert result.preferences.tobytes() == again.preferences.tobytes()
    assert np.array_equal(result.nodes, again.nodes)
    assert (result.depths < 9).any() or nodes > 10_000


def test_more_nodes_never_finish_less() -> None:
    positions, judge = random_positions("othello", [10, 30]), evaluation("pattern")
    depths = [judge.search(positions, Limit(depth=12, nodes=nodes)).depths for nodes in (1, 50, 2_000, 50_000)]
    assert all((more >= less).all() for less, more in itertools.pairwise(depths))
    assert (depths[-1] > depths[0]).all()


def test_a_limit_of_time_is_kept() -> None:
    positions, judge = random_positions("othello", [10, 20, 30]), evaluation("pattern")
    begin = time.monotonic()
    result = judge.search(positions, Limit(depth=40, seconds=0.05))
    assert time.monotonic() - begin < 3
    assert ((result.depths >= 1) & (result.depths < 40)).all()
    for i, depth in enumerate(result.depths.tolist()):
        assert result.scores[i] == judge.search(positions[i], Limit(depth=depth)).scores[0]


def slow_evaluation() -> Evaluation:
    """A net that takes some hundredths of a second per board."""
    othello = game("othello")
    net = population_net("mdrnn(k=256, layers=3, output=value)", othello)
    return Evaluation(othello, net.evaluation(net.initial([1])[0]))


def test_a_limit_of_time_is_kept_with_a_slow_evaluation() -> None:
    with threads(1):
        before = time.thread_time()
        result = slow_evaluation().search(game("othello").start(), Limit(depth=8, seconds=0.1))
        assert time.thread_time() - before < 3  # a thousand boards would take half a minute
    assert result.depths[0] < 8


def test_a_search_of_few_positions_costs_as_little_at_any_depth() -> None:
    positions, judge = random_positions("othello", [20]), evaluation("pieces")

    def cost(depth: int) -> float:
        before = time.thread_time()
        judge.search(positions, Limit(depth=depth, nodes=100))
        return time.thread_time() - before

    with threads(1):
        shallow, deep = (min(cost(depth) for _ in range(10)) for depth in (3, 40))
    assert deep < 10 * shallow + 0.001  # a large table must not be filled first


def test_a_search_does_not_go_on_past_the_end_of_the_game() -> None:
    positions, judge = live(random_positions("othello", [51, 52, 53, 54], seed=9)), evaluation("pieces")
    to_the_end = judge.search(positions, Limit(depth=int(empties(positions).max())))
    deeper = judge.search(positions, Limit(depth=60))
    assert same_choice(to_the_end, deeper)
    assert deeper.nodes.sum() < 3 * to_the_end.nodes.sum()


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"depth": 0}, "depth must be a whole number from 1"),
        ({"depth": 61}, "depth must be a whole number from 1"),
        ({"depth": 2.5}, "depth must be a whole number"),
        ({"depth": True}, "depth must be a whole number"),
        ({"depth": "3"}, "depth must be a whole number"),
        ({"nodes": 0}, "nodes must be 1 or more"),
        ({"nodes": 2**63}, "nodes must be 1 or more"),
        ({"nodes": 10**30}, "nodes must be 1 or more"),
        ({"nodes": 1.5}, "nodes must be 1 or more"),
        ({"seconds": "1"}, "seconds must be above 0"),
        ({"seconds": 0.0}, "seconds must be above 0"),
        ({"seconds": float("nan")}, "seconds must be above 0"),
        ({"seconds": float("inf")}, "seconds must be above 0"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(limit: dict[str, Any], words: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=words):
        Limit(**limit)


# The same with any threads and in any batch


@pytest.mark.parametrize(
    ("spec", "name", "depth", "plies"),
    [
        ("othello", "pattern", 5, range(0, 60, 2)),
        ("othello", "mobility", 6, range(40, 61)),
        ("gomoku(size=7)", "lines", 2, range(0, 49, 2)),
        ("atarigo(size=5)", "liberties", 4, range(0, 22, 2)),
    ],
)
@pytest.mark.parametrize("limited", [False, True])
def test_threads_and_companions_change_no_bit(spec: str, name: str, depth: int, plies: range, limited: bool) -> None:
    positions, judge = random_positions(spec, plies, seed=11), evaluation(name, spec)
    limit = Limit(depth=depth, nodes=500 if limited else None)

    def look(batch: Positions) -> SearchResult:
        return judge.search(batch, limit)

    with threads(1):
        alone = [look(positions[i]) for i in range(len(positions))]
    order = np.random.default_rng(1).permutation(len(positions))
    for number in (1, 2, 5):
        with threads(number):
            result = look(positions[np.r_[order, order]])
        for place, i in enumerate([*order, *order]):
            assert result.preferences[place].tobytes() == alone[i].preferences[0].tobytes()
            assert result.nodes[place] == alone[i].nodes[0]
            assert result.depths[place] == alone[i].depths[0]


@pytest.mark.parametrize("spec", ["engine(depth=6)", "iagno(level=1)", "iagno(level=2)"])
def test_threads_and_companions_change_no_preference_of_a_player_that_solves_endings(spec: str) -> None:
    positions = live(random_positions("othello", [47 + i % 6 for i in range(120)], seed=12))
    batch = game("othello").parse(following_each_other(positions))
    player = zp.player(spec, "othello")
    with threads(1):
        alone = np.concatenate([player.prefer(position) for position in batch])
    for number in (1, 2):
        with threads(number):
            together = player.prefer(batch)
        differing = np.flatnonzero((together != alone).any(axis=1))
        assert not len(differing), (
            f"{len(differing)} of {len(batch)} positions, the first: {batch[differing[0]].text()}"
        )


# What comes back


def test_nothing_is_preferred_once_the_game_is_over(of_othello: dict[str, Evaluation]) -> None:
    positions = random_positions("othello", [60] * 20)
    assert positions.over().sum() >= 15
    for judge in of_othello.values():
        for all_moves in (True, False):
            result = judge.search(positions, Limit(depth=4), all_moves=all_moves)
            over = positions.over()
            assert (result.preferences[over] == -np.inf).all()
            assert (result.nodes[over] == 0).all()
            assert np.array_equal(result.scores[over], judge.values(positions[over]))
    for spec in ("engine", "iagno", "alphabeta(depth=3)"):
        assert (zp.player(spec, "othello").prefer(positions)[positions.over()] == -np.inf).all()


def test_an_empty_batch_is_searched_too() -> None:
    none = game("othello").start(0)
    result = evaluation("pattern").search(none, Limit(depth=5))
    assert result.preferences.shape == (0, 64)
    assert result.scores.shape == result.depths.shape == result.nodes.shape == (0,)
    assert zp.player("engine", "othello").prefer(none).shape == (0, 64)


def test_the_positions_are_not_changed() -> None:
    positions = random_positions("othello", range(60))
    before = positions.text()
    evaluation("pattern").search(positions, Limit(depth=3))
    assert positions.text() == before


@pytest.mark.parametrize("spec", ["alphabeta(depth=3, eval=pieces, ties=lowest)", "engine(depth=2, ties=lowest)"])
def test_ties_go_to_the_lowest_cell_if_wanted(spec: str) -> None:
    positions = live(random_positions("othello", range(60), seed=3))
    player = zp.player(spec, "othello")
    preferences = player.prefer(positions)
    ties = best_moves(preferences)
    assert "engine" in spec or (ties.sum(axis=1) > 1).sum() > 5
    for key in (1, 2):
        chosen = player.choose(positions, np.full(len(positions), key, np.uint64))
        assert np.array_equal(chosen, ties.argmax(axis=1))


def test_a_drawn_move_is_drawn_from_exact_scores() -> None:
    positions = live(random_positions("othello", range(0, 60, 3)))
    judge = evaluation("mobility")
    exact = judge.search(positions, Limit(depth=3), all_moves=True).preferences
    for options in ("temperature=1", "exact=true"):
        player = zp.player(f"alphabeta(depth=3, eval=mobility, {options})", "othello")
        assert np.array_equal(player.prefer(positions), exact)
    bounds = zp.player("alphabeta(depth=3, eval=mobility)", "othello").prefer(positions)
    assert not np.array_equal(bounds, exact)


@pytest.mark.parametrize(("spec", "name", "depth"), [("engine(depth=3", "pattern", 3), ("iagno(level=2", "iagno", 3)])
def test_so_it_is_where_the_ending_is_solved(spec: str, name: str, depth: int) -> None:
    positions = random_positions("othello", range(6, 40, 2))
    exact = evaluation(name).search(positions, Limit(depth=depth), all_moves=True).preferences
    assert np.array_equal(zp.player(f"{spec}, temperature=1)", "othello").prefer(positions), exact)


@pytest.mark.parametrize("spec", ["engine(depth=3)", "engine(depth=3, temperature=2)", "iagno(level=1)"])
def test_every_move_of_an_ending_has_its_own_score_for_people_and_for_drawing(spec: str) -> None:
    positions = live(random_positions("othello", [54, 55, 56, 57] * 5, seed=6))
    exact = grow(positions).preferences(lambda ended: disc_difference(ended).astype(np.float32))
    player = zp.player(spec, "othello")
    assert np.array_equal(player.prefer_all(positions), exact)
    assert np.array_equal(player.prefer(positions), exact) == ("temperature" in spec)


def test_every_move_of_a_search_has_its_own_score_for_people() -> None:
    positions = live(random_positions("othello", range(0, 60, 3)))
    player = zp.player("alphabeta(depth=3, eval=mobility)", "othello")
    exact = evaluation("mobility").search(positions, Limit(depth=3), all_moves=True).preferences
    assert np.array_equal(player.prefer_all(positions), exact)
    assert not np.array_equal(player.prefer(positions), exact)


# Interrupts


SETUP = """
import os, signal, sys, threading, time
import numpy as np
import zeroply as zp
from zeroply import _core
from zeroply.search import EVALUATIONS, Limit
from zeroply.search.endings import solve

number, *wanted = sys.argv[1:]
_core.set_threads(int(number))
game = zp.game("othello")
endless = "------------------XO------XXX------OXX-----O-------------------- O"
moments = {  # a twentieth of a second each
    "search": "--XXXXX---XXXX---OOOXXOX-OOXXXX-XOXOXXX-XXXXXXXXX-OOOO----OOOOO- O",
    "solve": "--XXXXX---XOO----OOOXOOX-OOXXOX-XOOXXXX-X-OOXXXXX-OOOX----OOOO-- X",
}

def search(*boards):
    EVALUATIONS.build("pattern", game=game).search(game.parse(boards), Limit(depth=40))

def solve_all(*boards):
    solve(game.parse(boards))

def fit():
    own, opponent = (np.full(60_000, square, np.uint64) for square in (1, 2))
    tables = (np.zeros((2, _core.PATTERN_WEIGHTS), np.float32), np.zeros(61, np.float32))
    plies, target = np.array([0, 60], np.int32), np.arange(60_000, dtype=np.float32)
    wild, white = np.zeros(60_000, np.uint8), np.zeros(_core.pattern_parameters(2), np.float32)
    _core.fit_patterns(own, opponent, target, wild, plies, 1.0, 0.5, 0.5, 1_000_000, 61, white, *tables)

N = 200_000
members, keys = np.zeros(N, np.int32), np.arange(N, dtype=np.uint64)

def ntuples():
    shape = _core.TupleShape([list(range(8))] * 64, [0] * 64)
    return shape, np.zeros((1, shape.weights), np.float32)

def td_self_play():
    shape, weights = ntuples()
    _core.td_self_play(shape, weights[0], 1, 0, 2**20, 0.0, 0.1, 0.0, 0)

def ntuple_games():
    _core.play_ntuple_games(*ntuples(), members, members, keys, keys, 0, np.zeros(N, np.int8))

def spatial_games():
    shape = _core.SpatialShape([list(range(64))] * 256, False, 10.0)
    nets = _core.SpatialNets(shape, np.zeros((1, shape.parameters), np.float32))
    nets.play(members, members, np.zeros(N, np.int32), None)

def mdrnn():
    net = _core.Mdrnn(64, 2, False, 0, 0)
    return net, np.zeros((1, net.parameters), np.float32)

def population():
    net, vectors = mdrnn()
    net.prefer(vectors, members, game.start(N).batch, np.zeros((N, 64), np.float32))

def net_evaluation():
    net, vectors = mdrnn()
    net.evaluation(vectors[0], 8).values(game.start(N).batch, np.zeros(N, np.float32))

def prefer():
    player, start = zp.player("net(othello-fast)", game), game.start(20)
    while True:
        player.prefer(start)

def short_calls():
    while True:
        game.start(2000).legal()

boards = [endless] * int(number)
WORK = {
    "search": lambda: search(*boards),
    "solve": lambda: solve_all(*boards),
    "solve much": lambda: solve_all(*[endless] * 31),
    # The calling thread takes the first position, is soon done with it, and waits for the other.
    "search in another thread": lambda: search(moments["search"], endless),
    "solve in another thread": lambda: solve_all(moments["solve"], endless),
    "perft": lambda: game.perft(40),
    "wide perft": lambda: zp.game("othello(size=10)").perft(40),
    "other perft": lambda: zp.game("gomoku(size=9)").perft(40),
    "fit": fit,
    "random games": lambda: game.core.random_games(1, 2**40),
    "n-tuple self-play": td_self_play,
    "n-tuple games": ntuple_games,
    "spatial games": spatial_games,
    "population": population,
    "net evaluation": net_evaluation,
    "short calls": short_calls,
    "net": prefer,
}
"""
INTERRUPTED = f"""{SETUP}
def interrupt():
    asked.extend((time.monotonic(), time.process_time()))
    os.kill(os.getpid(), signal.SIGINT)

for name in wanted:
    asked = []
    threading.Timer(0.15, interrupt).start()
    try:
        WORK[name]()
    except KeyboardInterrupt:
        print(name, time.monotonic() - asked[0], time.process_time() - asked[1], sep=":", flush=True)
assert zp.match("naive", "random", game="atarigo(size=5)", games=10).games == 10
"""
LEFT_ALONE = f"""{SETUP}
for _ in range(2):
    threading.Thread(target=WORK[wanted[0]], daemon=True).start()
time.sleep(0.1)
filler = [[i] for i in range(300_000)]  # it takes a while to leave
"""
LONG_WORK = (
    *("search", "solve", "perft", "wide perft", "other perft", "fit", "random games", "n-tuple self-play"),
    *("n-tuple games", "spatial games", "population", "net evaluation"),
)


def run(script: str, threads: int, *works: str) -> str:
    """What a script prints that ends well."""
    done = subprocess.run(
        [sys.executable, "-c", script, str(threads), *works], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_stops_long_work_in_the_core(threads: int) -> None:
    """Also work that has not begun, and work that only another thread does."""
    several = ("solve much", "search in another thread", "solve in another thread") if threads == 2 else ()
    works = (*LONG_WORK, *several)
    stopped = {}
    for line in run(INTERRUPTED, threads, *works).splitlines():
        name, waited, cpu = line.split(":")
        stopped[name] = float(waited), float(cpu)
    assert tuple(stopped) == works
    assert {name for name, (waited, _) in stopped.items() if waited >= 10} == set()
    # A table for each of the positions that "solve much" has not begun would take longer.
    assert {name for name, (_, cpu) in stopped.items() if cpu >= 2} == set()


@pytest.mark.parametrize("work", ["search", "solve"])
@pytest.mark.parametrize("threads", [1, 2])
def test_python_may_exit_while_another_of_its_threads_is_at_work(work: str, threads: int) -> None:
    run(LEFT_ALONE, threads, work)


@pytest.mark.parametrize("work", ["short calls", "net"])
def test_python_may_exit_while_calls_of_other_threads_begin_and_end(work: str) -> None:
    for _ in range(3):
        run(LEFT_ALONE, 1, work)


# Mode strong


def test_a_strong_search_looks_at_fewer_positions() -> None:
    positions, judge = random_positions("othello", [16, 24, 32], seed=4), evaluation("pattern")
    exact = judge.search(positions, Limit(depth=9))
    strong = judge.search(positions, Limit(depth=9), mode="strong")
    assert strong.nodes.sum() < 0.5 * exact.nodes.sum()
    assert np.abs(strong.scores - exact.scores).max() < 12
    again = judge.search(positions, Limit(depth=9), mode="strong")
    assert strong.preferences.tobytes() == again.preferences.tobytes()


@pytest.mark.parametrize("left", [5, 6, 8, 10])
def test_a_strong_search_is_exact_once_it_reaches_the_end(left: int) -> None:
    positions, judge = live(random_positions("othello", [60 - left] * 40, seed=left)), evaluation("pattern")
    limit = Limit(depth=10)
    exact, strong = judge.search(positions, limit), judge.search(positions, limit, mode="strong")
    assert np.array_equal(strong.scores, exact.scores)
    assert np.array_equal(strong.scores, solve(positions).scores)
    assert strong.nodes.sum() < 1.1 * exact.nodes.sum()
    every = [judge.search(positions, limit, mode=mode, all_moves=True) for mode in MODES]
    assert np.array_equal(every[0].preferences, every[1].preferences)


@pytest.mark.parametrize("left", [8, 10, 13])
def test_a_strong_search_does_not_take_a_cut_for_the_end_of_the_game(left: int) -> None:
    positions, judge = live(random_boards(150, left, 0.97, seed=left)), evaluation("pattern")
    result = judge.search(positions, Limit(depth=left), mode="strong")
    assert (result.depths < left).sum() > 3  # wipe-outs end a game early
    assert np.array_equal(result.scores, solve(positions).scores)


@pytest.mark.parametrize(
    ("spec", "name", "depth", "plies"),
    [
        ("othello", "mobility", 6, range(51, 60)),
        ("gomoku(size=5)", "lines", 5, range(15, 25)),
        ("atarigo(size=5)", "liberties", 5, range(12, 18)),
        ("hex(size=4)", "distance", 6, range(6, 14)),
    ],
)
def test_a_strong_search_finds_every_forced_win_within_its_depth(
    spec: str, name: str, depth: int, plies: range
) -> None:
    positions, judge = live(random_positions(spec, [*plies] * 4, seed=6)), evaluation(name, spec)
    exact, strong = (judge.search(positions, Limit(depth=depth), mode=mode) for mode in MODES)
    decided = outcomes(exact.scores) != 0
    assert decided.sum() > 5
    assert np.array_equal(outcomes(strong.scores)[decided], outcomes(exact.scores)[decided])
    chosen = strong.preferences.argmax(axis=1)
    every = judge.search(positions, Limit(depth=depth), all_moves=True).preferences
    won = outcomes(exact.scores) > 0
    assert (outcomes(every)[np.arange(len(positions)), chosen][won] == 1).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("spec", "name", "plies"),
    [
        ("othello", "pattern", range(0, 60, 2)),
        ("othello", "positional", range(0, 60, 3)),
        ("gomoku(size=6)", "lines", range(0, 36, 3)),
        ("hex(size=5)", "distance", range(0, 20, 3)),
    ],
)
def test_only_legal_moves_are_preferred_under_every_limit(mode: Mode, spec: str, name: str, plies: range) -> None:
    positions, judge = live(random_positions(spec, plies, seed=8)), evaluation(name, spec)
    limits = [Limit(depth=6, nodes=nodes) for nodes in (1, 37, 900)] + [Limit(depth=6, seconds=0.002)]
    for limit in limits:
        result = judge.search(positions, limit, mode=mode, lines=True)
        assert np.array_equal(np.isfinite(result.preferences), positions.legal())
        assert np.array_equal(result.scores, result.preferences.max(axis=1))
        check_lines(positions, result)


def test_an_unfinished_iteration_counts_in_a_strong_search() -> None:
    positions, judge = live(random_positions("othello", range(6, 40), seed=9)), evaluation("pattern")
    changed = 0
    for nodes in (3_000, 5_000, 8_000):
        limited = judge.search(positions, Limit(depth=20, nodes=nodes), mode="strong")
        for i, depth in enumerate(limited.depths.tolist()):
            alone = judge.search(positions[i], Limit(depth=depth), mode="strong")
            changed += limited.preferences[i].argmax() != alone.preferences[0].argmax()
    assert changed > 0


def test_there_are_two_modes() -> None:
    with pytest.raises(zp.ZeroplyError, match="exact or strong"):
        evaluation("pattern").search(game("othello").start(), Limit(depth=2), mode="weak")  # type: ignore[arg-type]
    with pytest.raises(zp.ZeroplyError, match="mode"):
        zp.player("alphabeta(mode=weak)", "othello")


# The best line


def check_lines(positions: Positions, result: SearchResult) -> None:
    """Every line is legal, begins with the best move, and is as long as the search was deep or ends with the game."""
    for i in range(len(positions)):
        line, at = result.line(i), positions[i]
        assert line
        assert result.preferences[i, line[0]] == result.scores[i]
        for cell in line:
            assert at.legal()[0, cell]
            at.play([cell])
        assert len(line) <= max(1, result.depths[i])


def values_of_lines(judge: Evaluation, positions: Positions, result: SearchResult) -> Floats:
    """[n]: the value of the board at the end of each line, for the side to move at its beginning."""
    values = []
    for i in range(len(positions)):
        at = positions[i].copy()
        for cell in result.line(i):
            at.play([cell])
        sign = 1 if at.to_move()[0] == positions.to_move()[i] else -1
        values.append(sign * judge.values(at)[0])
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("spec", "name", "depth", "plies"),
    [
        ("othello", "pattern", 1, range(0, 60, 3)),
        ("othello", "pattern", 6, range(0, 60, 3)),
        ("othello", "mobility", 5, range(0, 60, 3)),
        ("othello(size=6)", "pieces", 7, range(0, 32, 4)),
        ("gomoku(size=6)", "lines", 4, range(14, 30, 3)),
        ("atarigo(size=5)", "liberties", 5, range(0, 16, 3)),
    ],
)
def test_the_best_line_ends_in_a_board_of_the_score(spec: str, name: str, depth: int, plies: range) -> None:
    positions, judge = live(random_positions(spec, plies, seed=2)), evaluation(name, spec)
    result = judge.search(positions, Limit(depth=depth), lines=True)
    check_lines(positions, result)
    assert np.array_equal(values_of_lines(judge, positions, result), result.scores)
    plain = judge.search(positions, Limit(depth=depth))
    assert plain.preferences.tobytes() == result.preferences.tobytes()
    assert plain.lines.shape == (len(positions), 0)


def test_the_best_line_of_a_strong_search_is_nearly_as_long_as_it_is_deep() -> None:
    positions, judge = live(random_positions("othello", range(0, 50, 2), seed=2)), evaluation("pattern")
    result = judge.search(positions, Limit(depth=7), mode="strong", lines=True)
    check_lines(positions, result)
    lengths = [len(result.line(i)) for i in range(len(positions))]
    assert np.mean(lengths) > 6
    full = np.array(lengths) == 7
    same = values_of_lines(judge, positions, result) == result.scores
    assert same[full].mean() > 0.8  # a deeper stored result may stand for the end of a line


@pytest.mark.parametrize("spec", ["engine(depth=4)", "alphabeta(depth=3, eval=mobility)", "net(othello-swh)", "greedy"])
def test_every_player_has_a_best_line(spec: str) -> None:
    positions = random_positions("othello", [4, 20, 40, 53, 56, 60], seed=3)
    player = zp.player(spec, "othello")
    for i, line in enumerate(player.best_lines(positions)):
        assert bool(line) != bool(positions.over()[i])
        at = positions[i].copy()
        for cell in line:
            assert at.legal()[0, cell]
            at.play([cell])
        if "engine" in spec and empties(positions)[i] <= 8:
            assert at.over()[0]
            sign = positions.to_move()[i] * at.to_move()[0]
            assert disc_difference(at)[0] * sign == solve(positions[i]).scores[0]


# Nets that value all children of a node in one call


@pytest.mark.parametrize(
    ("net", "spec", "depth"),
    [
        ("mdrnn(k=3, output=value)", "othello", 3),
        ("mdrnn(k=3, output=value)", "gomoku(size=7)", 2),
        ("mdrnn(k=2, output=value)", "atarigo(size=9)", 2),
        ("spatial(layer=queen)", "othello", 4),
    ],
)
def test_a_net_values_children_together_as_it_does_one_by_one(net: str, spec: str, depth: int) -> None:
    rules = game(spec)
    population = population_net(net, rules)
    judge = Evaluation(rules, population.evaluation(population.initial([1])[0]))
    positions = live(random_positions(spec, range(0, rules.cells - 4, 9), seed=3))
    one_by_one = judge.search(positions, Limit(depth=depth), together=False)
    assert same_choice(judge.search(positions, Limit(depth=depth)), one_by_one)
    every = [judge.search(positions, Limit(depth=2), all_moves=True, together=together) for together in (True, False)]
    assert every[0].preferences.tobytes() == every[1].preferences.tobytes()


# Several threads on one position


@pytest.mark.parametrize(("name", "depth"), [("pattern", 8), ("mobility", 6), ("positional", 6)])
def test_threads_on_one_position_change_no_exact_score(name: str, depth: int) -> None:
    positions, judge = live(random_positions("othello", [5, 15, 25, 35, 45, 50, 55], seed=3)), evaluation(name)
    with threads(3):
        alone = judge.search(positions, Limit(depth=depth))
        for number in (2, 3, 4):
            together = judge.search(positions, Limit(depth=depth), threads=number)
            assert same_choice(alone, together)
            assert np.array_equal(alone.depths, together.depths)
            every = judge.search(positions, Limit(depth=depth - 2), threads=number, all_moves=True)
            assert every.preferences.tobytes() == (
                judge.search(positions, Limit(depth=depth - 2), all_moves=True).preferences.tobytes()
            )


def test_threads_on_one_position_play_well_in_mode_strong() -> None:
    positions, judge = live(random_positions("othello", [15, 25, 35, 52], seed=3)), evaluation("pattern")
    with threads(2):
        alone = judge.search(positions, Limit(depth=9), mode="strong")
        together = judge.search(positions, Limit(depth=9), mode="strong", threads=2, lines=True)
    assert np.abs(alone.scores - together.scores).max() < 8
    assert np.array_equal(np.isfinite(together.preferences), positions.legal())
    check_lines(positions, together)


@pytest.mark.parametrize("number", [0, -1, 1.5, 5000])
def test_a_number_of_threads_that_makes_no_sense_is_refused(number: Any) -> None:
    with pytest.raises(zp.ZeroplyError, match="threads"):
        evaluation("pattern").search(game("othello").start(), Limit(depth=2), threads=number)


# The table kept between searches


def test_a_kept_table_saves_work_and_the_same_sequence_gives_the_same_moves() -> None:
    judge, start = evaluation("pattern"), random_positions("othello", [12], seed=5)

    def search_a_game() -> list[SearchResult]:
        memory, at, results = Memory(), start.copy(), []
        for _ in range(8):
            results.append(judge.search(at, Limit(depth=8), mode="strong", memory=memory))
            at.play([int(results[-1].preferences[0].argmax())])
        return results

    first, second = search_a_game(), search_a_game()
    for one, other in zip(first, second, strict=True):
        assert one.preferences.tobytes() == other.preferences.tobytes()
        assert np.array_equal(one.nodes, other.nodes)
    at, without = start.copy(), 0
    for kept in first:
        without += int(judge.search(at, Limit(depth=8), mode="strong").nodes[0])
        at.play([int(kept.preferences[0].argmax())])
    assert sum(int(kept.nodes[0]) for kept in first) < 0.8 * without


def test_a_kept_table_changes_no_exact_score_and_nothing_in_batches() -> None:
    judge, positions = evaluation("pattern"), live(random_positions("othello", range(10, 40, 3), seed=5))
    memory = Memory()
    for i in range(len(positions)):
        kept = judge.search(positions[i], Limit(depth=6), memory=memory)
        assert same_choice(kept, judge.search(positions[i], Limit(depth=6)))
    kept = judge.search(positions, Limit(depth=6), mode="strong", memory=memory)
    assert kept.preferences.tobytes() == judge.search(positions, Limit(depth=6), mode="strong").preferences.tobytes()


def test_old_entries_of_a_kept_table_give_way_to_new_ones() -> None:
    """After very many other searches a search is as quick as with an empty table: the old ones do not fill it."""
    judge, positions = evaluation("pattern"), live(random_positions("othello", [20, 21, 22, 23] * 15, seed=5))
    memory = Memory()
    for i in range(len(positions)):
        judge.search(positions[i], Limit(depth=9), mode="strong", memory=memory)
    last = random_positions("othello", [18], seed=77)
    fresh = judge.search(last, Limit(depth=9), mode="strong")
    aged = judge.search(last, Limit(depth=9), mode="strong", memory=memory)
    assert aged.nodes[0] < 1.5 * fresh.nodes[0]


def test_a_player_keeps_its_table_only_in_one_game() -> None:
    positions = live(random_positions("othello", range(10, 40, 2), seed=5))
    player = zp.player("engine(depth=6)", "othello")
    alone = [player.prefer(positions[i]) for i in range(len(positions))]
    assert np.array_equal(np.concatenate(alone), player.prefer(positions))
    games = [player.in_one_game() for _ in range(2)]
    first, second = ([one.prefer(positions[i]) for i in range(len(positions))] for one in games)
    assert np.array_equal(np.concatenate(first), np.concatenate(second))
    exact = zp.player("alphabeta(depth=3)", "othello")
    assert exact.in_one_game() is exact


# The squares the engine solves


@pytest.mark.parametrize(("spec", "solved"), [("engine(depth=2)", 4), ("engine(depth=2, solve=9)", 9)])
def test_the_engine_solves_the_last_squares_asked_for(spec: str, solved: int) -> None:
    positions = live(random_positions("othello", [60 - solved] * 20, seed=5))
    player = zp.player(spec, "othello")
    assert np.array_equal(player.prefer(positions).max(axis=1), np.maximum(solve(positions).scores, -63))
    none = zp.player("engine(depth=2, solve=0)", "othello")
    two = evaluation("pattern").search(positions, Limit(depth=2), mode="strong").preferences
    assert np.array_equal(none.prefer(positions), two)


@pytest.mark.parametrize("spec", ["engine(depth=13)", "engine(depth=5, solve=25)", "engine(solve=-1)"])
def test_the_engine_refuses_endings_that_take_too_long(spec: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"solves the last 0 to 24 squares"):
        zp.player(spec, "othello")


# The wrong game


def refused(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused, as it must be."""
    with pytest.raises(zp.ZeroplyError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", sorted({*EVALUATIONS} - {"wpc", "ntuple", "net"}))
@pytest.mark.parametrize("spec", ["othello(size=6)", "othello(size=12)", "gomoku(size=8)", "atarigo(size=8)"])
def test_an_evaluation_says_which_game_it_is_for(name: str, spec: str) -> None:
    wanted = {"lines": "gomoku", "liberties": "atarigo", "distance": "hex"}.get(name, "othello")
    if wanted == game(spec).name and name in ("pieces", "mobility", "lines", "liberties"):
        assert evaluation(name, spec).game == game(spec)
    else:
        output = refused(lambda: evaluation(name, spec))
        assert name in output
        assert wanted in output
        assert str(game(spec)) in output


@pytest.mark.parametrize(
    ("name", "own", "other"),
    [
        ("pieces", "othello", "othello(size=6)"),
        ("mobility", "othello(size=6)", "othello"),
        ("pattern", "othello", "othello(size=6)"),
        ("positional", "othello", "othello(size=10)"),
        ("iagno", "othello", "atarigo(size=8)"),
        ("pieces", "othello", "gomoku(size=8)"),
        ("lines", "gomoku(size=7)", "gomoku(size=9)"),
        ("lines", "gomoku(size=8)", "othello"),
        ("liberties", "atarigo(size=5)", "atarigo(size=9)"),
        ("liberties", "atarigo(size=9)", "gomoku(size=9)"),
    ],
)
def test_positions_of_another_game_are_refused(name: str, own: str, other: str) -> None:
    judge, positions = evaluation(name, own), game(other).start(2)
    acts: list[Callable[[], object]] = [
        lambda: judge.values(positions),
        lambda: judge.search(positions, Limit(depth=2)),
    ]
    for act in acts:
        output = refused(act)
        assert str(game(own)) in output
        assert str(game(other)) in output


@pytest.mark.parametrize("spec", ["alphabeta", "alphabeta(eval=lines)", "engine", "iagno"])
def test_a_player_says_which_game_it_is_for(spec: str) -> None:
    assert "othello" in refused(lambda: zp.player(spec, "othello(size=6)"))


@pytest.mark.parametrize("other", ["gomoku(size=9)", "atarigo(size=5)", "othello(size=10)"])
def test_a_player_of_one_game_names_itself_and_both_games(other: str) -> None:
    assert refused(lambda: zp.player("iagno", other)) == f"player iagno is for othello(size=8), not for {game(other)}"


@pytest.mark.parametrize("other", ["hex(size=5)", "atarigo(size=5, captures=2)", "othello(size=10)"])
def test_the_engine_says_which_games_it_plays(other: str) -> None:
    said = refused(lambda: zp.player("engine", other))
    assert said == f"player engine does not play {game(other)}: it needs Othello 8x8, or threats to win at once"


@pytest.mark.parametrize("depth", [-1, 0, 21, 60])
def test_the_engine_says_which_depths_it_has(depth: int) -> None:
    output = refused(lambda: zp.player(f"engine(depth={depth})", "othello"))
    assert "1 to 20" in output
    assert "alphabeta(eval=pattern" in output


# The players


@pytest.mark.parametrize("depth", [1, 3, 5])
def test_the_engine_searches_and_is_exact_once_twice_its_depth_is_empty(depth: int) -> None:
    positions = live(random_positions("othello", [60 - 2 * depth + i % 5 - 3 for i in range(60)], seed=depth))
    left = empties(positions)
    assert {2 * depth, 2 * depth + 1} <= set(left.tolist())
    preferences = zp.player(f"engine(depth={depth})", "othello").prefer(positions)
    searched = evaluation("pattern").search(positions, Limit(depth=depth), mode="strong").preferences
    assert np.array_equal(preferences[left > 2 * depth], searched[left > 2 * depth])
    ended = positions[left <= 2 * depth]
    chosen = preferences[left <= 2 * depth].argmax(axis=1)
    following = ended.after(chosen.astype(np.int32))
    exact = solve(following).scores * np.where(following.to_move() == ended.to_move(), 1, -1)
    over = following.over()
    exact[over] = (disc_difference(following[over]) * following[over].to_move()) * ended[over].to_move()
    assert np.array_equal(exact, solve(ended).scores)


@pytest.mark.parametrize(("level", "its"), [(1, 6), (2, 4), (3, 2)])
def test_iagno_begins_at_random_searches_and_solves(level: int, its: int) -> None:
    player = zp.player(f"iagno(level={level})", "othello")
    opening = random_positions("othello", [0, 1, 2, 3])
    assert np.array_equal(player.prefer(opening), np.where(opening.legal(), 0, -np.inf))
    middle = live(random_positions("othello", [4, 12, 30, 60 - (19 - its) - 1]))
    searched = evaluation("iagno").search(middle, Limit(depth=7 - its)).preferences
    assert np.array_equal(player.prefer(middle), searched)
    for left, outcome_only in ((17 - its, False), (18 - its, True), (19 - its, True)):
        late = live(random_positions("othello", [60 - left] * 12, seed=level))
        solved = solve(late, outcome_only=outcome_only)
        preferences = player.prefer(late)
        rows = np.arange(len(late))
        assert np.array_equal(preferences[rows, solved.moves], np.maximum(solved.scores, -63))
        assert np.array_equal(preferences.argmax(axis=1), solved.moves)
        assert np.array_equal(np.isfinite(preferences), late.legal())


@pytest.mark.parametrize("eval_name", ["wpc", "ntuple"])
def test_a_player_whose_file_has_changed_has_another_fingerprint(tmp_path: Path, eval_name: str) -> None:
    evaluations_of_othello(tmp_path)
    file = tmp_path / {"wpc": "weights.txt", "ntuple": "small.player"}[eval_name]
    spec = f'alphabeta(eval={eval_name}("{file}"))'
    before = zp.player(spec, "othello").fingerprint()
    assert zp.player(spec, "othello").fingerprint() == before
    words = file.read_text().split(" ")
    last = max(i for i, word in enumerate(words) if "." in word)
    words[last] = "7.5" + ("\n" if words[last].endswith("\n") else "")
    file.write_text(" ".join(words))
    assert zp.player(spec, "othello").fingerprint() != before
