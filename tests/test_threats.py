"""Threats: forced wins are found and are wins, and the engine of Gomoku and Atari-Go takes and stops what it must.

`tactics.txt` holds positions made by tools/make_tactics.py, whose wins plain judges have confirmed.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import threats_reference as judges
import zeroply as zp
from zeroply.cli.main import main
from zeroply.games import Positions, game
from zeroply.search.outcomes import outcomes
from zeroply.search.threats import forced_wins

TACTICS = [
    [part.strip() for part in line.split("|")]
    for line in (Path(__file__).parent / "tactics.txt").read_text().splitlines()
    if not line.startswith("#")
]
SPECS = sorted({spec for spec, *_ in TACTICS})


def tactics(spec: str) -> tuple[Positions, list[int], list[str]]:
    """The positions of a game, the plies of their wins and how they were confirmed."""
    rows = [row for row in TACTICS if row[0] == spec]
    return game(spec).parse([row[1] for row in rows]), [int(row[2]) for row in rows], [row[3] for row in rows]


def some_positions(spec: str, number: int, plies: range, seed: int = 0) -> Positions:
    """Positions of random games that are not over, with stones close together."""
    dice = np.random.default_rng(seed)
    rules = game(spec)
    size, middle = rules.size, (rules.size - 1) / 2
    row, column = np.divmod(np.arange(rules.cells), size)
    near = 1 / (1 + (row - middle) ** 2 + (column - middle) ** 2)
    found: list[Positions] = []
    while len(found) < number:
        position = rules.start()
        for _ in range(int(dice.integers(plies.start, plies.stop))):
            if position.over()[0]:
                break
            weights = near * position.legal()[0]
            position.play([int(dice.choice(rules.cells, p=weights / weights.sum()))])
        if not position.over()[0]:
            found.append(position)
    return Positions.join(found)


# Forced wins


def test_there_are_two_hundred_positions() -> None:
    assert len(TACTICS) >= 200
    assert len({(spec, position) for spec, position, *_ in TACTICS}) == len(TACTICS)
    assert Counter(how for *_, how in TACTICS)["search"] >= 100


@pytest.mark.parametrize("spec", SPECS)
def test_every_tactical_position_is_solved(spec: str) -> None:
    positions, plies, _ = tactics(spec)
    found = forced_wins(positions, nodes=20_000)
    assert (found.plies > 0).all()
    assert found.plies.tolist() == plies
    ended = positions.copy()
    for ply in range(max(plies)):
        ended.play(np.array([line[ply] if ply < len(line) else -1 for line in found.lines], np.int32))
    assert ended.over().all()
    assert (ended.winner() == positions.to_move()).all()
    assert [len(line) for line in found.lines] == plies


@pytest.mark.parametrize("spec", SPECS)
def test_the_engine_wins_every_tactical_position(spec: str) -> None:
    positions, *_ = tactics(spec)
    player = zp.player("engine(depth=2)", spec)
    scores = player.prefer(positions)
    assert (outcomes(scores.max(axis=1)) == 1).all()
    moves = player.choose(positions, np.zeros(len(positions), np.uint64))
    found = forced_wins(positions, nodes=20_000)
    assert moves.tolist() == [line[0] for line in found.lines]


@pytest.mark.parametrize(
    ("spec", "plies"),
    [
        ("gomoku(size=6)", range(7, 22)),
        ("gomoku(size=7)", range(8, 26)),
        ("gomoku(size=7, exact=true)", range(8, 26)),
        ("atarigo(size=5)", range(5, 14)),
        ("atarigo(size=6)", range(6, 18)),
    ],
)
def test_continuous_threats_win_where_brute_force_says_so(spec: str, plies: range) -> None:
    positions = some_positions(spec, 60, plies, seed=len(spec))
    found = forced_wins(positions, strongest_only=True)
    assert found.complete.all()
    wins = 0
    for position, win, line in zip(positions, found.plies, found.lines, strict=True):
        judge, colour = judges.judge_of(position)
        assert judges.forces(judge, colour, 40) == (win > 0), position.text()
        wins += win > 1
        if win > 0:
            assert judges.holds(judge, colour, line), (position.text(), line)
            assert win == 1 or not judges.forces(judge, colour, (int(win) - 3) // 2), "there is a shorter win"
    assert wins > 0


def test_wins_by_threes_hold_against_every_answer() -> None:
    positions = some_positions("gomoku(size=7)", 60, range(6, 12), seed=5)
    fours = forced_wins(positions, strongest_only=True).plies
    found = forced_wins(positions, nodes=20_000)
    by_threes = 0
    for position, four, plies in zip(positions, fours, found.plies, strict=True):
        if four == 0 and 0 < plies <= 5:
            judge, colour = judges.judge_of(position)
            assert judges.wins_within(judge, colour, int(plies)), position.text()
            by_threes += 1
    assert by_threes > 0


def test_a_finished_game_has_no_forced_win() -> None:
    rules = game("gomoku(size=9)")
    over = rules.replay("a1a2b1b2c1c2d1d2e1")
    found = forced_wins(over)
    assert (found.plies[0], found.lines[0], found.complete[0]) == (0, [], True)
    assert np.isneginf(zp.player("engine", rules).prefer(over)).all()


# What the engine must do

BOARDS = ["gomoku(size=9)", "gomoku(size=15)", "gomoku(size=20)", "gomoku(size=9, exact=true)"]


def chosen(spec: str, positions: Positions) -> list[int]:
    player = zp.player("engine(depth=1, nodes=500)", spec)
    return [int(move) for move in player.choose(positions, np.arange(len(positions), dtype=np.uint64))]


@pytest.mark.parametrize("spec", BOARDS)
def test_the_engine_takes_every_five_and_stops_every_four_that_can_be_stopped(spec: str) -> None:
    positions = some_positions(spec, 60, range(14, 40), seed=3)
    taken = stopped = 0
    for position, move in zip(positions, chosen(spec, positions), strict=True):
        judge, colour = judges.judge_of(position)
        own, against = judge.winning(colour), judge.winning(-colour)
        if own:
            assert move in own
            taken += 1
        elif len(against) == 1:
            assert {move} == against
            stopped += 1
        elif against:
            assert move in against
    assert taken > 0
    assert stopped > 0


@pytest.mark.parametrize(("spec", "number"), [("gomoku(size=9)", 40), ("gomoku(exact=true)", 12)])
def test_the_engine_plays_an_open_four_if_nothing_is_stronger(spec: str, number: int) -> None:
    positions = some_positions(spec, number, range(12, 26), seed=4)
    played = 0
    for position, move in zip(positions, chosen(spec, positions), strict=True):
        judge, colour = judges.judge_of(position)
        if judge.winning(colour) or judge.winning(-colour):
            continue
        if any(len(judge.put(cell, colour).winning(colour)) >= 2 for cell in judge.moves(colour)):
            assert len(judge.put(move, colour).winning(colour)) >= 2
            played += 1
    assert played > 0


def test_the_engine_captures_and_escapes_in_atari_go() -> None:
    positions = some_positions("atarigo(size=9)", 100, range(8, 40), seed=3)
    captured = escaped = 0
    for position, move in zip(positions, chosen("atarigo(size=9)", positions), strict=True):
        judge, colour = judges.judge_of(position)
        own, against = judge.winning(colour), judge.winning(-colour)
        if own:
            assert move in own
            captured += 1
        elif len(against) == 1 and against <= set(judge.moves(colour)):
            after = judge.put(next(iter(against)), colour)
            if not after.winning(-colour):
                assert {move} == against
                escaped += 1
    assert captured > 3
    assert escaped > 0


@pytest.mark.parametrize(
    "spec", ["gomoku(size=5)", "gomoku(size=20)", "gomoku(exact=true)", "atarigo(size=5)", "atarigo(size=19)"]
)
def test_the_engine_plays_whole_games(spec: str) -> None:
    positions = game(spec).start(3)
    player = zp.player("engine(depth=1, nodes=200)", spec)
    keys = np.arange(3, dtype=np.uint64)
    while not positions.over().all():
        preferences = player.prefer(positions)
        assert np.array_equal(np.isfinite(preferences), positions.legal())
        positions.play(player.choose(positions, keys))
    assert positions.over().all()


def test_a_score_for_every_move_is_no_bound() -> None:
    positions = some_positions("gomoku(size=7)", 20, range(4, 12), seed=9)
    player = zp.player("engine(depth=2)", "gomoku(size=7)")
    every = player.prefer_all(positions)
    assert np.array_equal(np.isfinite(every), positions.legal())
    again = zp.player("engine(depth=2, temperature=1)", "gomoku(size=7)").prefer(positions)
    assert np.array_equal(every, again)


def test_the_number_of_threads_and_the_batch_change_nothing() -> None:
    positions = some_positions("gomoku(size=9)", 12, range(6, 20), seed=8)
    player = zp.player("engine(depth=3)", "gomoku(size=9)")
    together = player.prefer(positions)
    alone = np.concatenate([player.prefer(position) for position in positions])
    assert np.array_equal(together, alone)


@pytest.mark.parametrize("spec", ["gomoku(size=15)", "atarigo(size=9)"])
def test_the_clock_is_kept(spec: str) -> None:
    positions = some_positions(spec, 8, range(6, 20), seed=2)
    player = zp.player("engine(depth=20, seconds=0.02)", spec)
    spent = []
    for position in positions:
        begun = time.perf_counter()
        player.prefer(position)
        spent.append(time.perf_counter() - begun)
    assert np.median(spent) < 0.06  # the machine may be busy with other tests


def test_limits_can_only_be_tightened() -> None:
    player = zp.player("engine(depth=4, seconds=2)", "gomoku")
    assert player.within(depth=9).look_ahead == 4
    assert player.within(seconds=1, depth=2).look_ahead == 2


@pytest.mark.parametrize(
    ("spec", "rules", "says"),
    [
        ("engine", "hex", "player engine does not play hex"),
        ("engine", "othello(size=10)", "player engine does not play othello"),
        ("engine", "atarigo(captures=2)", "player engine does not play atarigo"),
        ("engine(depth=0)", "gomoku", "depth must be a whole number from 1 to 60, not 0"),
        ("engine(nodes=0)", "gomoku", "nodes must be 1 or more"),
        ("engine(seconds=0)", "gomoku", "seconds must be above 0"),
        ("engine(nodes=9)", "othello", "engine takes nodes only in games with threats"),
    ],
)
def test_what_the_engine_cannot_do_is_said(spec: str, rules: str, says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=says):
        zp.player(spec, rules)


# The command


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What `zeroply solve` prints, if it ends with that exit code."""
    ended: Any = 0
    try:
        main(["solve", *words])
    except SystemExit as caught:
        ended = caught.code
    said = capsys.readouterr()
    assert ended == code
    return said.err if code == 2 else said.out


def test_solve_says_who_wins_and_how(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    positions, plies, _ = tactics("gomoku(size=6)")
    file = tmp_path / "positions.txt"
    file.write_text("\n".join(positions.text()))
    told = run(capsys, str(file), "--game", "gomoku(size=6)").splitlines()
    assert len(told) == len(positions)
    for number, (line, moves) in enumerate(zip(told, plies, strict=True), 1):
        assert line.startswith((f"{number}: Black wins in {moves}: ", f"{number}: White wins in {moves}: "))
    programs = json.loads(run(capsys, str(file), "--game", "gomoku(size=6)", "--first", "2", "--last", "3", "--json"))
    assert [one["plies"] for one in programs["positions"]] == plies[1:3]
    assert programs["won"] == 2


def test_solve_takes_moves_and_says_if_nothing_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    won = run(capsys, "--game", "gomoku(size=9)", "--position", "d5a1e5a3f5a5")
    assert won.startswith("1: Black wins in 3: ")
    none = run(capsys, "--game", "gomoku(size=9)", "--position", "e5", code=1)
    assert none == "1: no forced win by threats for White\n"
    stopped = run(capsys, "--game", "gomoku(size=15)", "--position", "h8h9j9g7j7j8g8", "--nodes", "2", code=1)
    assert stopped == "1: no forced win found within the limit for White\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--game", "gomoku"], "give one or more files of positions, or --position"),
        (["--game", "hex", "--position", "a1"], "positions of hex cannot be solved"),
        (["--game", "gomoku", "--position", "h8", "--outcome"], "are for exact endings of othello"),
        (["--game", "gomoku", "--position", "h8h8"], "H8 is not a legal move"),
        (["--game", "gomoku", "--position", "h8a1h9a2h10a3h11a4h12"], "--position is the end of a game"),
        (["--game", "gomoku", "--position", "h8", "--first", "2"], "no position to solve: there are 1"),
    ],
)
def test_bad_input_is_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    told = run(capsys, *words, code=2)
    assert says in told
    assert told.count("\n") == 1
