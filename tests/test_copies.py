"""Copies of games, positions and players, also in other processes: they answer everything alike and play on alike."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import zeroply as zp
from test_positions import SPECS, batches, every_game, facts, random_batch, random_moves
from zeroply import _core, chance
from zeroply.games import GAMES
from zeroply.nets import load, save
from zeroply.players import Follower, FollowingPlayer


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def passed(positions: zp.Positions) -> NDArray[np.uint8]:
    """[n]: whether the side to move moves again because the other had to pass."""
    out = np.empty(len(positions), np.uint8)
    positions.batch.passed(out)
    return out


def assert_alike(one: zp.Positions, other: zp.Positions) -> None:
    assert one.game == other.game
    assert facts(one) == facts(other)
    assert (one.ko() == other.ko()).all()
    assert (passed(one) == passed(other)).all()
    if one.game.name == "atarigo":
        assert (one.liberties() == other.liberties()).all()


# Games


def test_every_game_is_tried_here() -> None:
    assert {zp.game(spec).name for spec in SPECS} == set(GAMES)


@every_game
def test_a_game_is_the_same_in_a_copy(spec: str) -> None:
    original = zp.game(spec)
    for other in (pickled(original), copy.copy(original), copy.deepcopy(original)):
        assert other == original
        assert str(other) == spec
        assert other.core is original.core


def test_a_game_tells_itself_by_its_spec() -> None:
    assert repr(zp.game("gomoku(size=9)")) == "game('gomoku(size=9)')"
    assert repr(zp.GameRecord(zp.game("othello"))) == "<game of othello: 0 moves, unfinished>"


# Positions


@given(batches(), st.integers(0, 7), st.integers(0, 2**32))
def test_pickled_positions_are_alike_and_play_on_alike(
    batch: tuple[zp.Positions, list[list[int]]], k: int, key: int
) -> None:
    positions = batch[0].symmetry(k)
    other = pickled(positions)
    assert_alike(other, positions)
    for ply in range(3):
        moves = random_moves(positions, chance.keys(key + ply, np.arange(len(positions))))
        assert (random_moves(other, chance.keys(key + ply, np.arange(len(positions)))) == moves).all()
        for both in (positions, other):
            both.play(moves)
        assert_alike(other, positions)


@every_game
def test_every_position_of_games_is_alike_when_pickled(spec: str) -> None:
    """To the end of the games: passes, captures, ko, suicide, wins and draws."""
    now, met = zp.game(spec).start(8), []
    for ply in range(250):
        met.append(now.copy())
        now.play(random_moves(now, chance.keys(ply, np.arange(8))))
    positions = zp.Positions.join(met)
    other, moves = pickled(positions), random_moves(positions, chance.keys(9, np.arange(len(positions))))
    assert_alike(other, positions)
    assert_alike(other.after(moves), positions.after(moves))
    same_side = positions.to_move().reshape(-1, 8)[1:] == positions.to_move().reshape(-1, 8)[:-1]
    assert spec[:7] != "othello" or (same_side & ~positions.over().reshape(-1, 8)[1:]).any()
    assert spec[:7] != "atarigo" or (positions.captured() > 0).any()
    assert "captures=1000" not in spec or (positions.ko() >= 0).any()


@pytest.mark.parametrize("options", ["captures=1", "captures=2", "captures=7, suicide=illegal"])
def test_games_won_by_captures_of_every_kind_are_alike_when_pickled(options: str) -> None:
    positions = zp.game(f"atarigo(size=5, {options})").start(1000)
    while not positions.over().all():
        positions.play(random_moves(positions, chance.keys(positions.move_number().max(), np.arange(1000))))
    assert len(np.unique(positions.captured(), axis=0)) > 4
    assert_alike(pickled(positions), positions)


def test_a_side_that_had_to_pass_on_a_board_by_hand_is_remembered() -> None:
    """Evaluations that look at the board as its last mover left it ask for that."""
    text = 6 * "-" + "OX" + 56 * "-"
    asked, forced = zp.game("othello").parse([f"{text} X", f"{text} O"])  # White cannot move, so it is Black's turn
    assert facts(asked) == facts(forced)
    assert (passed(asked)[0], passed(forced)[0]) == (0, 1)
    for one in (asked, forced):
        assert_alike(pickled(one), one)


@every_game
def test_copies_can_be_played_on_alone(spec: str) -> None:
    positions, _ = random_batch(spec, 5, 8, plies=10)
    before = facts(positions)
    for other in (pickled(positions), copy.copy(positions), copy.deepcopy(positions)):
        other.play(random_moves(other, chance.keys(1, np.arange(8))))
        assert facts(positions) == before
        assert facts(other) != before
        positions[:] = positions.copy()
        other[0] = positions[0]  # still of the same game


@every_game
def test_an_empty_batch_may_be_pickled(spec: str) -> None:
    assert len(pickled(zp.game(spec).start(0))) == 0


@every_game
def test_a_last_move_without_a_stone_is_refused_and_changes_nothing(spec: str) -> None:
    positions, _ = random_batch(spec, 1, 3, plies=4)
    before, none = facts(positions), np.zeros(3, np.uint8)
    empty = int(np.flatnonzero(positions.stones()[1] == 0)[0])
    for cell, why in ((empty, "no stone"), (positions.game.cells, "off the board"), (-2, "off the board")):
        with pytest.raises(_core.BadPosition, match=why):
            positions.batch.remember(np.array([-1, cell, -1], np.int32), none)
    with pytest.raises(ValueError, match="2 long instead of 3"):
        positions.batch.remember(np.full(2, -1, np.int32), none)
    assert facts(positions) == before


def test_positions_and_players_can_go_to_another_process() -> None:
    positions, _ = random_batch("othello", 3, 4, plies=20)
    net = zp.player("net(othello-swh)", "othello")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(methodcaller("text"), positions).result() == positions.text()
        liked = pool.submit(methodcaller("prefer", positions), net).result()
    assert (liked == net.prefer(positions)).all()


# Joined batches


@every_game
def test_joined_batches_are_one_after_the_other(spec: str) -> None:
    parts = [random_batch(spec, seed, n)[0] for seed, n in ((1, 3), (2, 0), (3, 5))]
    joined = zp.Positions.join(iter(parts))
    assert len(joined) == 8
    assert_alike(joined[:3], parts[0])
    assert_alike(joined[3:], parts[2])
    assert_alike(zp.Positions.join(list(joined)), joined)


def test_only_batches_of_one_game_can_be_joined() -> None:
    start = zp.game("gomoku(size=9)").start(2)
    for parts in ([start, zp.game("gomoku(size=10)").start()], [start, "gomoku"], []):
        with pytest.raises(zp.ZeroplyError, match=r"needed here|no batches"):
            zp.Positions.join(parts)  # type: ignore[arg-type]


# Players


class Twice(zp.Player):
    """A player of one's own, with something of its own."""

    def __init__(self, game: zp.Game, factor: float) -> None:
        super().__init__(game)
        self.factor = factor

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        return np.where(positions.legal(), np.arange(self.game.cells) * np.float32(self.factor), np.float32(-np.inf))


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("random", "gomoku(size=5)"),
        ("naive(temperature=0.4)", "atarigo(size=5, captures=2)"),
        ("greedy(ties=lowest)", "othello(size=6)"),
        ("net(othello-swh, temperature=0.1)", "othello"),
        ("net(othello-fast)", "othello"),
        ("net(othello-queen)", "othello"),
        ("net(atarigo-5-evolved)", "atarigo(size=9)"),
        ("alphabeta(depth=2, eval=lines)", "gomoku(size=9)"),
        ("alphabeta(depth=2, eval=net(othello-queen))", "othello"),
        ("engine(depth=2)", "othello"),
        ("iagno(level=1)", "othello"),
        ("hybrid(net(othello-swh), engine(depth=1), first=11)", "othello"),
    ],
)
@pytest.mark.parametrize("copied", [pickled, copy.copy, copy.deepcopy])
def test_a_copied_player_plays_alike(spec: str, game: str, copied: Callable[[zp.Player], zp.Player]) -> None:
    player = zp.player(spec, game)
    other = copied(player)
    positions, _ = random_batch(game, 4, 12, plies=30)
    keys = chance.keys(2, np.arange(12))
    assert (str(other), other.choice, other.fingerprint()) == (spec, player.choice, player.fingerprint())
    assert (other.prefer(positions) == player.prefer(positions)).all()
    assert (other.choose(positions, keys) == player.choose(positions, keys)).all()


def test_a_player_of_ones_own_may_be_pickled() -> None:
    own = Twice(zp.game("othello"), 2.5)
    assert (pickled(own).prefer(own.game.start()) == own.prefer(own.game.start())).all()


def test_a_pickled_player_keeps_its_limits() -> None:
    limited = zp.player("engine(depth=6)", "othello").within(depth=1)
    assert pickled(limited).look_ahead == limited.look_ahead == 1


def test_a_pickled_net_needs_no_file(tmp_path: Path) -> None:
    file = tmp_path / "net.safetensors"
    net = load("othello-swh", "othello")
    save(net, file)
    sent = pickle.dumps(zp.player(f"net('{file}')", "othello"))
    file.unlink()
    start = zp.game("othello").start()
    assert (pickle.loads(sent).prefer(start) == net.prefer(start)).all()


def test_an_evaluation_whose_file_has_changed_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "weights.txt"
    file.write_text(" ".join(["1"] * 64))
    sent = pickle.dumps(zp.player(f"alphabeta(eval=wpc('{file}'))", "othello"))
    pickle.loads(sent)
    file.write_text(" ".join(["2"] * 64))
    with pytest.raises(zp.ZeroplyError, match="has changed"):
        pickle.loads(sent)


class Told(FollowingPlayer):
    """A player that is told whole games, as programs are."""

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        raise NotImplementedError

    def follow(self) -> Follower:
        raise NotImplementedError


def test_a_program_cannot_go_to_another_process() -> None:
    with pytest.raises(zp.ZeroplyError, match="told runs a program"):
        pickle.dumps(Told(zp.game("othello")))
