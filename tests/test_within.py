"""Players held to a time and a depth: what they still do, and that nobody gets more than it had."""

from __future__ import annotations

import time

import numpy as np
import pytest

import zeroply as zp
from zeroply.players.searching import AlphaBetaPlayer, EndingPlayer
from zeroply.search.endings import solve_moves

OTHELLO = zp.game("othello")


@pytest.mark.parametrize("spec", ["random", "naive", "net(othello-swh)"])
def test_players_without_look_ahead_stay_as_they_are(spec: str) -> None:
    with zp.player(spec, OTHELLO) as player:
        assert player.within(seconds=0.01, depth=1) is player
        assert player.look_ahead == 0


def test_limits_only_become_tighter() -> None:
    with zp.player("alphabeta(depth=4, seconds=2, ties=lowest)", OTHELLO) as player:
        assert isinstance(player, AlphaBetaPlayer)
        for depth, seconds, expected in ((2, 1.0, (2, 1.0)), (9, 9.0, (4, 2)), (0, None, (1, 2)), (None, None, (4, 2))):
            limited = player.within(depth=depth, seconds=seconds)
            assert isinstance(limited, AlphaBetaPlayer)
            assert (limited.limit.depth, limited.limit.seconds) == expected
            assert limited.choice == player.choice
        assert (player.limit.depth, player.limit.seconds) == (4, 2)


def test_a_smaller_depth_plays_as_the_smaller_engine() -> None:
    positions = OTHELLO.replay("f5d6c3d3c4f4")
    with zp.player("engine(depth=5)", OTHELLO) as large, zp.player("engine(depth=2)", OTHELLO) as small:
        limited = large.within(depth=2)
        assert np.array_equal(limited.prefer_all(positions), small.prefer_all(positions))
        assert limited.look_ahead == 2
        assert isinstance(limited, EndingPlayer)
        assert limited.exact_from == 4


@pytest.mark.parametrize(("spec", "exact", "outcome"), [("iagno(level=3)", 15, 17), ("engine(depth=5)", 10, 10)])
def test_a_depth_that_is_no_smaller_leaves_the_endings_alone(spec: str, exact: int, outcome: int) -> None:
    with zp.player(spec, OTHELLO) as player:
        for depth in (5, 60):
            limited = player.within(depth=depth)
            assert isinstance(limited, EndingPlayer)
            assert (limited.exact_from, limited.outcome_from) == (exact, outcome)


def test_both_parts_of_a_hybrid_are_held_to_it() -> None:
    with zp.player("hybrid(net(othello-swh), engine(depth=6), first=1, last=60)", OTHELLO) as player:
        assert player.look_ahead == 6
        assert player.within(depth=2).look_ahead == 2


def test_an_ending_that_takes_too_long_is_searched_instead() -> None:
    position = OTHELLO.replay("f5d6c3d3c4f4f6g5e6d7")
    with zp.player("engine(depth=2)", OTHELLO) as player:
        assert isinstance(player, EndingPlayer)
        player.exact_from = player.outcome_from = 60
        begun = time.monotonic()
        limited = player.within(seconds=0.05)
        preferences = limited.prefer(position)
        everything = limited.prefer_all(position)
        assert time.monotonic() - begun < 10
        assert isinstance(limited, EndingPlayer)
        assert np.array_equal(preferences, limited.before.prefer(position))
        assert np.array_equal(everything, limited.before.prefer_all(position))


def test_a_time_that_is_long_enough_changes_no_score() -> None:
    record = next(r for r in zp.match("random", "random", games=20, seed=1).records() if len(r.moves) == 60)
    position = OTHELLO.replay(record.moves[:52])
    assert np.array_equal(solve_moves(position, seconds=60), solve_moves(position))
    assert np.isnan(solve_moves(OTHELLO.replay("f5d6"), seconds=0.01)).any()
