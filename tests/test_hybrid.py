"""Hybrids: one player takes over for a stage of the game, whether it looks at positions or is told whole games."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from zeroply.players import Follower, FollowingPlayer, Forfeit, GameSoFar
from zeroply.players.hybrid import FollowingHybrid, HybridPlayer

OTHELLO = zp.game("othello")
ENGINE = Path(__file__).parent / "engines" / "gtp_engine.py"


def random_positions(plies: int, n: int = 20) -> zp.Positions:
    positions = OTHELLO.start(n)
    for _ in range(plies):
        positions.play(zp.player("random", OTHELLO).choose(positions, np.arange(n, dtype=np.uint64)))
    return positions


def keys(n: int) -> NDArray[np.uint64]:
    return np.arange(n, dtype=np.uint64)


@pytest.mark.parametrize(
    ("plies", "other"), [(0, False), (14, False), (15, True), (29, True), (30, False), (44, False)]
)
def test_the_other_player_makes_the_moves_of_its_stage(plies: int, other: bool) -> None:
    hybrid = zp.player("hybrid(a=net(othello-swh), b=greedy, first=16, last=30)", OTHELLO)
    part = zp.player("greedy" if other else "net(othello-swh)", OTHELLO)
    positions = random_positions(plies)
    assert (hybrid.prefer(positions) == part.prefer(positions)).all()
    assert (hybrid.choose(positions, keys(20)) == part.choose(positions, keys(20))).all()


def test_each_position_of_a_batch_goes_to_the_player_of_its_stage() -> None:
    hybrid = zp.player("hybrid(net(othello-swh), greedy)", OTHELLO)
    early, late = random_positions(10, 4), random_positions(50, 4)
    mixed = zp.Positions(OTHELLO, OTHELLO.start(8).batch)
    mixed[::2], mixed[1::2] = early, late
    preferences = hybrid.prefer(mixed)
    assert (preferences[::2] == zp.player("net(othello-swh)", OTHELLO).prefer(early)).all()
    assert (preferences[1::2] == zp.player("greedy", OTHELLO).prefer(late)).all()


def test_players_keep_their_own_way_of_choosing() -> None:
    positions = random_positions(10)
    lowest = zp.player("hybrid(random(ties=lowest), greedy)", OTHELLO).choose(positions, keys(20))
    assert (lowest == positions.legal().argmax(axis=1)).all()
    drawn = zp.player("hybrid(random(ties=lowest), greedy, temperature=1)", OTHELLO).choose(positions, keys(20))
    assert (drawn != lowest).any()


def test_exact_endings_make_a_player_stronger() -> None:
    plain = zp.match("net(othello-swh)", "greedy", games=60, openings="random(plies=6)", seed=1)
    helped = zp.match(
        "hybrid(net(othello-swh), engine(depth=4))",
        "greedy",
        games=60,
        openings="random(plies=6)",
        seed=1,
    )
    assert helped.score > plain.score


def foreign() -> str:
    command = shlex.join([sys.executable, str(ENGINE), "othello"])
    return f'gtp("{command}")'


def test_a_foreign_program_can_take_over() -> None:
    spec = f"hybrid(a=random(ties=lowest), b={foreign()}, first=5, last=8)"
    with zp.player(spec, OTHELLO) as hybrid:
        assert isinstance(hybrid, FollowingPlayer)
        played = zp.match(hybrid, "random", games=4, seed=1)
        assert not played.forfeits
        assert played.games == 4
        assert all(length >= 9 for length in played.lengths)


def test_a_hybrid_with_a_foreign_program_plays_its_other_moves_by_the_key_of_the_game() -> None:
    spec = f"hybrid(a=random, b={foreign()}, first=59, last=60)"
    games = [zp.match(spec, "naive", games=4, seed=seed).pairs.moves[:, :20] for seed in (1, 1, 2)]
    assert (games[0] == games[1]).all()
    assert (games[0] != games[2]).any()
    plain = zp.match("random", "naive", games=4, seed=1).pairs.moves[:, :20]
    assert (games[0] == plain).all()


class Remembering(zp.Player):
    """Counts the games it has been in."""

    def __init__(self) -> None:
        super().__init__(OTHELLO)
        self.games = 0

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        return np.where(positions.legal(), np.float32(self.games), np.float32(-np.inf))

    def in_one_game(self) -> zp.Player:
        copied = Remembering()
        copied.games = self.games + 1
        return copied


def test_both_parts_of_a_hybrid_keep_what_they_find_out_in_a_game() -> None:
    hybrid = HybridPlayer(OTHELLO, Remembering(), Remembering(), 10, 60)
    playing = hybrid.in_one_game()
    for plies in (0, 20):
        positions = random_positions(plies, 2)
        assert hybrid.prefer(positions).max() == 0
        assert playing.prefer(positions).max() == 1


class Waiting(FollowingPlayer):
    """Follows games, and counts the ones it must give up."""

    def __init__(self) -> None:
        super().__init__(OTHELLO)
        self.abandoned = 0

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        raise AssertionError("it is asked within games only")

    def follow(self) -> Follower:
        return InOneGame(self)


class InOneGame(Follower):
    def __init__(self, player: Waiting) -> None:
        self.player = player

    def reply(self, game: GameSoFar) -> int | Forfeit:
        return int(game.position.legal()[0].argmax())

    def finish(self) -> None:
        pass

    def abandon(self) -> None:
        self.player.abandoned += 1


@pytest.mark.parametrize("before", [True, False])
def test_a_program_in_a_hybrid_is_told_to_give_up_even_if_it_joins_later(before: bool) -> None:
    program = Waiting()
    game = FollowingHybrid(OTHELLO, zp.player("greedy", OTHELLO), program, 1, 60).follow()
    now = GameSoFar(OTHELLO.start(), (), None, 1)
    if before:
        game.abandon()
        assert program.abandoned == 0
    assert game.reply(now) == OTHELLO.notation.cell("d3")
    if not before:
        game.abandon()
    assert program.abandoned == 1


def test_a_hybrid_changes_with_its_parts() -> None:
    one, two = (zp.player(f"hybrid(net(othello-swh), engine(depth={d}))", OTHELLO) for d in (1, 2))
    assert one.fingerprint() != two.fingerprint()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("hybrid(naive)", "needs b"),
        ("hybrid(naive, nobody)", "unknown player 'nobody'"),
        ("hybrid(naive, greedy, first=0)", "1 <= first <= last"),
        ("hybrid(naive, greedy, first=20, last=10)", "1 <= first <= last"),
    ],
)
def test_bad_hybrids_are_explained(spec: str, says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=says):
        zp.player(spec, OTHELLO)
