"""OpenSpiel both ways: players as its bots, its bots as players."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeroply as zp
from zeroply import envs
from zeroply.errors import ZeroplyError
from zeroply.games import GAMES

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: it comes with the dev extra")
SPIEL_GAMES = ["othello", "gomoku(size=7)", "hex(size=4)"]


def played(rules: Any, *bots: Any) -> Any:
    """The final state of a game of two bots, as OpenSpiel plays it."""
    state = rules.new_initial_state()
    for bot in bots:
        bot.restart()
    while not state.is_terminal():
        number = state.current_player()
        action = bots[number].step(state)
        for bot in bots:
            if bot is not bots[number]:
                bot.inform_action(state, number, action)
        state.apply_action(action)
    return state


@pytest.mark.parametrize("game", SPIEL_GAMES)
def test_a_player_as_a_bot_plays_whole_games_of_openspiel(game: str) -> None:
    rules = pyspiel.load_game(zp.game(game).facts.open_spiel)
    ours = [envs.open_spiel_bot("random", game, seed=seed) for seed in (1, 2)]
    first = [played(rules, *ours).history() for _ in range(3)]
    assert len(set(map(tuple, first))) == 3
    ours = [envs.open_spiel_bot("random", game, seed=seed) for seed in (1, 2)]
    assert [played(rules, *ours).history() for _ in range(3)] == first


def test_a_bot_passes_where_openspiel_wants_a_pass() -> None:
    rules, passes = pyspiel.load_game("othello"), 0
    bots = [envs.open_spiel_bot("greedy", "othello", seed=1), envs.open_spiel_bot("random", "othello", seed=2)]
    for _ in range(10):
        passes += played(rules, *bots).history().count(64)
    assert passes


class LowestBot(pyspiel.Bot):  # type: ignore[misc]
    """Plays the lowest legal action, and checks that it hears of every move that it does not choose."""

    def __init__(self, number: int) -> None:
        pyspiel.Bot.__init__(self)
        self.number = number
        self.known: list[int] = []

    def restart(self) -> None:
        self.known = []

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        assert player_id == state.current_player()
        self.known.append(action)

    def step(self, state: Any) -> int:
        assert self.known == state.history()
        assert state.current_player() == self.number
        self.known.append(state.legal_actions()[0])
        return int(state.legal_actions()[0])


@pytest.mark.parametrize("game", SPIEL_GAMES)
def test_a_bot_as_a_player_plays_as_the_same_player_of_ours(game: str) -> None:
    lowest = envs.open_spiel_player(lambda rules, number, seed: LowestBot(number), game)
    both = {"openings": "random(plies=3)", "games": 8, "game": game, "seed": 1}
    theirs = zp.match(lowest, "random", **both)  # type: ignore[arg-type]
    ours = zp.match("random(ties=lowest)", "random", **both)  # type: ignore[arg-type]
    assert [record.moves for record in theirs.records()] == [record.moves for record in ours.records()]


def test_tree_search_of_openspiel_repeats_and_beats_random() -> None:
    first, second = (
        zp.match("openspiel(simulations=30)", "random", game="hex(size=4)", games=10, seed=1) for _ in "ab"
    )
    assert first.score >= 0.8
    assert [record.moves for record in first.records()] == [record.moves for record in second.records()]


@pytest.mark.parametrize(
    ("game", "says"),
    [
        ("atarigo(size=5)", "OpenSpiel has no game with the rules of atarigo"),
        ("gomoku(size=7, exact=true)", "OpenSpiel has no game with the rules of gomoku"),
        ("othello(size=6)", "OpenSpiel has no game with the rules of othello"),
    ],
)
def test_games_that_openspiel_lacks_are_named(game: str, says: str) -> None:
    with pytest.raises(ZeroplyError, match=says):
        zp.player("openspiel", game)


def test_what_bots_cannot_do_is_said() -> None:
    with pytest.raises(ZeroplyError, match="from 1 to 1000000000 simulations"):
        zp.player("openspiel(simulations=0)", "othello")
    one = zp.player("openspiel", "othello")
    with pytest.raises(ZeroplyError, match="no preferences for single positions"):
        one.prefer(zp.game("othello").start())
    bot = envs.open_spiel_bot("random", "hex(size=4)")
    with pytest.raises(ZeroplyError, match="plays hex"):
        bot.step(pyspiel.load_game("othello").new_initial_state())


def test_the_facts_name_games_that_openspiel_has() -> None:
    for name in GAMES:
        known = zp.game(name).facts.open_spiel
        if known is not None:
            state = pyspiel.load_game(known).new_initial_state()
            assert state.legal_actions() == np.flatnonzero(zp.game(name).start().legal()[0]).tolist()
