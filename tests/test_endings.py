"""Exact endings: the solver finds what brute force finds, and what the field's standard problems say.

Random boards, as no game leaves them, bring the passes, wipe-outs and wide margins that games seldom do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from search_reference import (
    Floats,
    disc_difference,
    empties,
    evaluation,
    following_each_other,
    grow,
    live,
    random_boards,
    random_positions,
    threads,
)
from zeroply import _core, levels
from zeroply.games import Positions, game
from zeroply.records import Problem, load
from zeroply.search import Limit
from zeroply.search.endings import UNSOLVED, SolveResult, solve, solve_moves
from zeroply.search.patterns import shipped_tables

OTHELLO = game("othello")


def brute_force(positions: Positions) -> Floats:
    """[n, cells]: the final disc difference after each move with best play, -inf where there is no move."""
    return grow(positions).preferences(lambda ended: disc_difference(ended).astype(np.float32))


def after_best(positions: Positions, solved: SolveResult) -> NDArray[np.int64]:
    """[n]: what the chosen moves are worth by the solver's own word on what follows them."""
    following = positions.after(solved.moves)
    worth = solve(following).scores.astype(np.int64)
    return np.where(~following.over() & (following.to_move() == positions.to_move()), worth, -worth)


def check_against_brute_force(positions: Positions) -> Floats:
    """Hold both modes against brute force; returns the right scores."""
    exact = brute_force(positions)
    best = exact.max(axis=1)
    rows = np.arange(len(positions))
    solved = solve(positions)
    assert solved.complete.all()
    assert np.array_equal(solved.scores, best)
    assert np.array_equal(exact[rows, solved.moves], best)
    outcome = solve(positions, outcome_only=True)
    assert outcome.complete.all()
    assert np.array_equal(outcome.scores, np.sign(best))
    assert np.array_equal(np.sign(exact[rows, outcome.moves]), np.sign(best))
    return np.asarray(best, np.float32)


# Brute force


@pytest.mark.parametrize(
    ("left", "number"), [(1, 150), (2, 300), (3, 300), (4, 300), (5, 600), (6, 600), (7, 200), (8, 150), (9, 30)]
)
def test_the_solver_finds_what_brute_force_finds_in_endings_of_games(left: int, number: int) -> None:
    positions = live(random_positions("othello", [60 - left] * number, seed=left))
    best = check_against_brute_force(positions)
    assert len(positions) > number / 3
    assert {-1, 1} <= set(np.sign(best).tolist())


@pytest.mark.parametrize(
    ("left", "number", "black"),
    [
        (1, 300, 0.5),
        (2, 300, 0.7),
        (3, 300, 0.9),
        (4, 400, 0.5),
        (5, 2500, 0.5),
        (5, 2500, 0.85),
        (5, 4000, 0.93),
        (5, 3000, 0.97),
        (6, 1500, 0.5),
        (6, 1500, 0.2),
        (6, 2000, 0.06),
        (7, 100, 0.03),
        (8, 60, 0.85),
        (8, 100, 0.97),
        (10, 20, 0.93),
        (12, 8, 0.97),
    ],
)
def test_the_solver_finds_what_brute_force_finds_on_boards_that_no_game_leaves(
    left: int, number: int, black: float
) -> None:
    positions = live(random_boards(number, left, black, seed=left))
    assert len(positions) > number / 3
    check_against_brute_force(positions)


def test_passes_wipe_outs_and_large_margins_are_among_them() -> None:
    positions = live(random_boards(200, 8, 0.97, seed=8))
    tree = grow(positions)
    best = tree.preferences(lambda ended: disc_difference(ended).astype(np.float32)).max(axis=1)
    assert tree.passes() > 1000
    assert (best == 64).sum() > 5
    assert (best == -64).sum() > 1
    assert (np.abs(best) >= 40).sum() > 50
    assert np.array_equal(solve(positions).scores, best)


def test_more_moves_than_any_game_has_are_no_trouble() -> None:
    board = OTHELLO.parse("-X-------OOOOXO---XO-XO--OX---O---X-OXX---OX-XO-O-OXO-O-X---X--- X")
    assert board.legal().sum() == 35
    assert not solve(board, nodes=10_000).complete[0]


def test_empty_squares_go_to_the_winner() -> None:
    wiped_out = OTHELLO.parse(f"{'-' * 27}XO{'-' * 35} X")
    solved = solve(wiped_out)
    assert (solved.scores[0], solved.moves[0]) == (64, 29)
    assert solve(wiped_out, outcome_only=True).scores[0] == 1


def test_a_finished_game_is_worth_its_result() -> None:
    boards = ["X" * 64, "X" * 40 + "O" * 24, "X" * 32 + "O" * 32, "X" * 10 + "-" * 54, "-" * 60 + "O" * 4, "-" * 64]
    positions = OTHELLO.parse([f"{board} {side}" for board in boards for side in "XO"])
    ended = positions[positions.over()]
    assert len(ended) == 12
    solved = solve(ended)
    assert np.array_equal(solved.scores, disc_difference(ended))
    assert set(np.abs(solved.scores).tolist()) == {0, 16, 64}
    assert (solved.moves == -1).all()
    assert solved.complete.all()
    assert np.array_equal(solve(ended, outcome_only=True).scores, np.sign(solved.scores))


def test_finished_games_and_others_may_stand_in_one_batch() -> None:
    positions = random_positions("othello", [52 + i % 9 for i in range(120)], seed=13)
    over = positions.over()
    assert 5 < over.sum() < 115
    solved = solve(positions)
    assert np.array_equal(solved.scores[over], disc_difference(positions[over]))
    assert np.array_equal(solved.scores[~over], brute_force(positions[~over]).max(axis=1))
    assert np.array_equal(solved.moves == -1, over)


# Bounds: stability, windows, the table


@pytest.mark.parametrize("with_tables", [True, False])
@pytest.mark.parametrize(("left", "black"), [(7, 0.9), (8, 0.1), (8, 0.5), (9, 0.95)])
def test_a_score_outside_the_window_is_a_bound_on_the_right_side(left: int, black: float, with_tables: bool) -> None:
    positions = live(random_boards(25, left, black, seed=left))
    exact = brute_force(positions).max(axis=1)
    n = len(positions)
    for alpha, beta in [(-64, -60), (-40, -38), (-8, 8), (-1, 0), (0, 1), (28, 30), (36, 64), (46, 47), (60, 64)]:
        scores, moves = np.empty(n, np.int32), np.empty(n, np.int32)
        nodes, complete = np.empty(n, np.uint64), np.empty(n, np.uint8)
        tables = shipped_tables() if with_tables else None
        _core.solve(positions.batch, tables, alpha, beta, 0, 0.0, 0, scores, moves, nodes, complete)
        inside = (exact > alpha) & (exact < beta)
        assert np.array_equal(scores[inside], exact[inside])
        low, high = exact <= alpha, exact >= beta
        assert ((scores[low] <= alpha) & (scores[low] >= exact[low])).all()
        assert ((scores[high] >= beta) & (scores[high] <= exact[high])).all()


@pytest.mark.parametrize("log2_entries", [1, 3, 8])
def test_a_crowded_table_changes_no_score(log2_entries: int) -> None:
    positions = live(random_positions("othello", [47, 48, 49, 50] * 10, seed=14))
    assert np.array_equal(solve(positions, log2_entries=log2_entries).scores, solve(positions).scores)


@pytest.mark.parametrize(("left", "number"), [(11, 30), (13, 20), (15, 10), (17, 4)])
def test_a_position_is_worth_its_best_child(left: int, number: int) -> None:
    positions = live(random_positions("othello", [60 - left] * number, seed=left))
    row, cell = np.nonzero(positions.legal())
    children = positions[row].after(cell.astype(np.int32))
    worth = solve(children).scores * np.where(
        ~children.over() & (children.to_move() == positions.to_move()[row]), 1, -1
    )
    best = np.full(len(positions), -65)
    np.maximum.at(best, row, worth)
    solved = solve(positions)
    assert np.array_equal(solved.scores, best)
    assert np.array_equal(after_best(positions, solved), best)
    outcome = solve(positions, outcome_only=True)
    assert np.array_equal(outcome.scores, np.sign(best))
    assert np.array_equal(np.sign(after_best(positions, outcome)), np.sign(best))


# Scores by plain minimax above the positions of 17 empty squares, each of which was solved by itself.
MANY_EMPTIES = [
    ("---X------OXX--OX-OOXX-OXOXOOXXOXXXXXO-OXXXXXXOOXXXXXX-OO-OOOO-- X", 18, -44),
    ("-OOOOO-XOOOOOOXXOOXOOXXXOXOOX--XOOXOXOX-O-OOOXX--X-OX--XX------- X", 18, 28),
    ("---O-OOX--XXOOO--XXOXOOO-OXXXOO---XOO-OXXXXXXO--XXXXXXO-X-XXX-XO X", 18, 8),
    ("----------OOOXXOXXO-XOX--XXOXOOXX-XXOO-O-XXOXOOOOOXOOXOO--XOO-XX O", 19, 20),
    ("----X-------OX-O---XXXXO--XXXOOO-OXXOXOOOOOOOOOOX-XOXXXO-OOOOXXX X", 20, 22),
]


WIPE_OUT = "-----------------------O--OOOOO---OOOOOXOOOOXXXX--XXOOXX--XX-O-X X"


@pytest.mark.parametrize(("board", "left", "score"), MANY_EMPTIES)
def test_endings_of_18_to_20_empty_squares_are_solved(board: str, left: int, score: int) -> None:
    position = OTHELLO.parse(board)
    assert empties(position).tolist() == [left]
    assert solve(position).scores.tolist() == [score]
    assert solve(position, outcome_only=True).scores.tolist() == [np.sign(score)]


def test_the_solver_and_a_search_to_the_end_agree_on_who_wins() -> None:
    positions = live(random_positions("othello", [48, 49, 50] * 8, seed=15))
    result = evaluation("pieces").search(positions, Limit(depth=12))
    assert np.array_equal(np.sign(result.scores), solve(positions, outcome_only=True).scores)


@pytest.mark.parametrize("k", range(1, 8))
def test_a_symmetric_image_is_worth_as_much(k: int) -> None:
    positions = live(random_positions("othello", [44 + i % 8 for i in range(24)], seed=16))
    assert np.array_equal(solve(positions.symmetry(k)).scores, solve(positions).scores)


# The same with any threads, in any batch, at any level


@pytest.mark.parametrize("outcome_only", [False, True])
def test_threads_and_companions_change_neither_score_nor_move(outcome_only: bool) -> None:
    positions = live(random_positions("othello", [47 + i % 6 for i in range(150)], seed=17))
    batch = OTHELLO.parse(following_each_other(positions))
    with threads(1):
        alone = [solve(position, outcome_only=outcome_only) for position in batch]
    for number in (1, 2):
        with threads(number):
            together = solve(batch, outcome_only=outcome_only)
        assert together.scores.tolist() == [int(one.scores[0]) for one in alone]
        differing = [i for i, one in enumerate(alone) if one.moves[0] != together.moves[i]]
        assert not differing, (
            f"{len(differing)} moves of {len(batch)} differ, the first in {batch[differing[0]].text()}"
        )


LEVELS = """
import sys
sys.path.insert(0, sys.argv[1])
from search_reference import evaluation, live, random_boards, random_positions
from zeroply import _core
from zeroply.search import Limit
from zeroply.search.endings import UNSOLVED, solve, solve_moves

print(_core.LEVEL, file=sys.stderr)
for positions in (random_positions("othello", [46 + i % 15 for i in range(150)]), random_boards(60, 8, 0.8)):
    for outcome_only in (False, True):
        solved = solve(positions, outcome_only=outcome_only)
        print(solved.scores.tolist(), solved.moves.tolist(), solved.nodes.tolist())
positions = random_positions("othello", range(0, 60, 3))
for name in ("pattern", "iagno", "mobility", "pieces", "positional"):
    found = evaluation(name).search(positions, Limit(depth=4))
    print(name, found.preferences.tobytes().hex(), found.nodes.tolist())
"""


def test_every_level_solves_and_searches_alike() -> None:
    output = {}
    for level in levels.available():
        done = subprocess.run(
            [sys.executable, "-c", LEVELS, str(Path(__file__).parent)],
            env={**os.environ, levels.VARIABLE: level},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.split() == [level]
        output[level] = done.stdout
    assert len(output["baseline"].splitlines()) == 9
    for level, text in output.items():
        assert text == output["baseline"], level


# Several threads on one position


@pytest.mark.parametrize("outcome_only", [False, True])
def test_a_position_solved_by_several_threads_together_has_the_same_score_and_move(outcome_only: bool) -> None:
    positions = live(random_positions("othello", [39 + i % 4 for i in range(16)], seed=22))
    together: list[list[tuple[int, int]]] = []
    for number in (1, 2, 3, 8):
        with threads(number):
            solved = [solve(position, outcome_only=outcome_only) for position in positions]
        assert all(one.complete[0] for one in solved)
        together.append([(int(one.scores[0]), int(one.moves[0])) for one in solved])
    assert len(set(together[0])) > 4
    assert all(answers == together[0] for answers in together)


def test_threads_really_share_the_work_on_a_position() -> None:
    position = OTHELLO.parse(MANY_EMPTIES[-1][0])
    visited = []
    for number in (1, 4):
        with threads(number):
            visited.append(int(solve(position).nodes[0]))
    assert visited[0] != visited[1]  # what the other threads find changes the search


@pytest.mark.parametrize("number", [2, 5])
def test_limits_end_a_search_by_several_threads(number: int) -> None:
    hard = random_positions("othello", MIDDLE)[:1]
    with threads(number):
        begin = time.monotonic()
        assert not solve(hard, seconds=0.05).complete[0]
        assert time.monotonic() - begin < 5
        limited = solve(hard, nodes=100_000)
    assert not limited.complete[0]
    assert limited.nodes[0] < 100_000 + 20_000 * number
    assert limited.scores[0] == UNSOLVED


INTERRUPTED = """
import _thread, threading, time
from zeroply import _core
from zeroply.games import game
from zeroply.search.endings import solve

_core.set_threads(3)
threading.Timer(0.5, _thread.interrupt_main).start()
begin = time.monotonic()
try:
    solve(game("othello").start())
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begin < 10)
_core.set_threads(2)
print(solve(game("othello").parse("-" * 27 + "XO" + "-" * 35 + " X")).scores.tolist())
"""


def test_a_search_by_several_threads_can_be_interrupted() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["interrupted True", "[64]"], done.stderr


# Wipe-outs


@pytest.mark.parametrize("k", range(8))
def test_a_wipe_out_far_from_the_end_is_seen_quickly(k: int) -> None:
    position = OTHELLO.parse(WIPE_OUT).symmetry(k)
    assert empties(position).tolist() == [34]
    solved = solve(position, nodes=3_000_000)
    assert solved.complete[0]
    assert solved.scores[0] == 64
    following = position.after(solved.moves)
    assert solve(following, nodes=3_000_000).scores[0] * (1 if following.to_move() == position.to_move() else -1) == 64


# The standard problems


@pytest.fixture(scope="module")
def problems(data: Path) -> list[Problem]:
    result = [load(path) for path in sorted((data / "endgames").glob("fforum-*.obf"))]
    return [problem for some in result for problem in some if isinstance(problem, Problem)]


def test_standard_problems_1_to_36_and_39_are_solved(problems: list[Problem]) -> None:
    chosen = [*problems[:36], problems[38]]
    solved = solve(OTHELLO.parse([problem.position for problem in chosen]))
    assert solved.complete.all()
    assert solved.scores.tolist() == [problem.value for problem in chosen]
    for problem, move in zip(chosen, solved.moves.tolist(), strict=True):
        assert move in problem.best


def test_every_move_of_standard_problems_1_to_19_has_its_score(problems: list[Problem]) -> None:
    chosen = problems[:19]
    positions = OTHELLO.parse([problem.position for problem in chosen])
    row = np.repeat(np.arange(19), [len(problem.scores) for problem in chosen])
    cells = np.array([cell for problem in chosen for cell, _ in problem.scores], np.int32)
    wanted = [score for problem in chosen for _, score in problem.scores]
    following = positions[row].after(cells)
    again = ~following.over() & (following.to_move() == positions.to_move()[row])
    assert (solve(following).scores * np.where(again, 1, -1)).tolist() == wanted


def sign(score: int | None) -> int:
    assert score is not None
    return (score > 0) - (score < 0)


def test_who_wins_the_standard_problems_1_to_35(problems: list[Problem]) -> None:
    chosen = problems[:35]
    solved = solve(OTHELLO.parse([problem.position for problem in chosen]), outcome_only=True)
    assert solved.scores.tolist() == [sign(problem.value) for problem in chosen]
    for problem, move in zip(chosen, solved.moves.tolist(), strict=True):
        assert sign(dict(problem.scores)[move]) == sign(problem.value)


# Limits

MIDDLE = [24, 20, 26]  # plies: far too many empty squares to solve


@pytest.mark.parametrize("outcome_only", [False, True])
def test_a_limit_of_nodes_ends_a_search_that_is_too_long(outcome_only: bool) -> None:
    hard, easy = random_positions("othello", MIDDLE), live(random_positions("othello", [50, 52, 54]))
    batch = OTHELLO.parse(hard.text() + easy.text() + hard.text())
    begin = time.monotonic()
    solved = solve(batch, nodes=100_000, outcome_only=outcome_only)
    assert time.monotonic() - begin < 20
    assert solved.complete.tolist() == [False] * 3 + [True] * len(easy) + [False] * 3
    assert (solved.nodes < 101_000).all()
    assert (solved.scores[~solved.complete] == UNSOLVED).all()
    assert (solved.moves[~solved.complete] == -1).all()
    assert np.array_equal(solved.scores[solved.complete], solve(easy, outcome_only=outcome_only).scores)
    again = solve(batch, nodes=100_000, outcome_only=outcome_only)
    assert np.array_equal(again.complete, solved.complete)


@pytest.mark.parametrize("left", [6, 8, 10, 12])
def test_a_limit_of_nodes_is_kept_near_the_end_too(left: int) -> None:
    positions = live(random_positions("othello", [60 - left] * 30, seed=left))
    whole = solve(positions)
    limited = solve(positions, nodes=50)
    assert (~limited.complete).sum() > 5
    assert np.array_equal(limited.complete, limited.scores != UNSOLVED)
    assert np.array_equal(limited.scores[limited.complete], whole.scores[limited.complete])
    assert (limited.nodes < 50 + 200).all()  # the last four squares are always played out


def test_an_unsolved_position_cannot_be_taken_for_a_solved_one() -> None:
    assert not -64 <= UNSOLVED <= 64


WITHOUT_A_TABLE = """
import resource
from zeroply.games import game
from zeroply.search.endings import solve

finished = game("othello").parse("X" * 4 + "-" * 60 + " O")[[0] * 4]
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30,) * 2)  # the table has 3 GB
print(solve(finished, log2_entries=27).scores.tolist())
"""


def test_a_finished_game_needs_no_table() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_A_TABLE], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[-64, -64, -64, -64]\n", done.stderr


A_LARGE_TABLE = """
from pathlib import Path
from zeroply.games import game
from zeroply.search.endings import solve

solve(game("othello").start(), log2_entries=26, nodes=20)
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc")
def test_a_search_touches_only_the_entries_of_its_table_that_it_uses() -> None:
    done = subprocess.run([sys.executable, "-c", A_LARGE_TABLE], capture_output=True, text=True, timeout=60)
    assert int(done.stdout) < 700_000, done.stderr  # kB; the whole table has 1,600 MB


def test_every_move_of_an_ending_is_scored() -> None:
    positions = live(random_positions("othello", [53, 54, 55] * 8, seed=21))
    exact = grow(positions).preferences(lambda ended: disc_difference(ended).astype(np.float32))
    assert np.array_equal(solve_moves(positions), exact)
    outcomes = solve_moves(positions, outcome_only=True)
    assert np.array_equal(outcomes[positions.legal()], np.sign(exact[positions.legal()]))
    assert solve_moves(random_positions("othello", [60] * 3))[0].max() == -np.inf


def test_a_limit_of_time_ends_a_search_that_is_too_long() -> None:
    hard = random_positions("othello", MIDDLE)
    begin = time.monotonic()
    solved = solve(hard, seconds=0.05)
    assert time.monotonic() - begin < 5
    assert not solved.complete.any()


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    positions = live(random_positions("othello", [48, 50, 52] * 4, seed=18))
    limited = solve(positions, nodes=10**9, seconds=1000)
    assert limited.complete.all()
    assert np.array_equal(limited.scores, solve(positions).scores)


@pytest.mark.parametrize(
    "options",
    [
        {"nodes": -1},
        {"nodes": 0},
        {"seconds": -1.0},
        {"seconds": 0.0},
        {"seconds": float("nan")},
        {"log2_entries": -1},
        {"log2_entries": 29},
        {"log2_entries": True},
        {"log2_entries": 12.0},
        {"log2_entries": 10**6},
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(zp.ZeroplyError) as caught:
        solve(live(random_positions("othello", [55, 55, 55])), **options)
    assert next(iter(options)) in str(caught.value)


@pytest.mark.parametrize("spec", ["othello(size=6)", "othello(size=10)", "gomoku(size=8)", "atarigo(size=8)"])
def test_only_othello_on_8x8_is_solved(spec: str) -> None:
    with pytest.raises(zp.ZeroplyError) as caught:
        solve(game(spec).start())
    assert "othello(size=8)" in str(caught.value)
    assert str(game(spec)) in str(caught.value)
    with pytest.raises(ValueError, match="othello 8x8"):
        _core.solve(
            game(spec).start().batch,
            None,
            -64,
            64,
            0,
            0.0,
            0,
            np.empty(1, np.int32),
            np.empty(1, np.int32),
            np.empty(1, np.uint64),
            np.empty(1, np.uint8),
        )


def test_an_empty_batch_is_solved_too() -> None:
    solved = solve(OTHELLO.start(0))
    assert solved.scores.shape == solved.moves.shape == solved.nodes.shape == solved.complete.shape == (0,)


def test_the_positions_are_not_changed() -> None:
    positions = live(random_positions("othello", [48, 52, 56]))
    before, left = positions.text(), empties(positions)
    solve(positions)
    assert positions.text() == before
    assert np.array_equal(empties(positions), left)
