"""Environments: PettingZoo's own tests, and vector environments that play by the rules."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from pettingzoo.test import api_test, seed_test

import zeroply as zp
from zeroply import envs
from zeroply.envs.gymnasium_vector import Vector
from zeroply.errors import ZeroplyError
from zeroply.players import Follower, FollowingPlayer

GAMES = ["othello(size=6)", "gomoku(size=5)", "atarigo(size=5)", "hex(size=4)"]


def drawn(mask: NDArray[np.int8], dice: np.random.Generator) -> NDArray[np.int64]:
    return np.asarray((dice.random(mask.shape) * mask).argmax(axis=1))


def lowest(mask: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.asarray(mask.argmax(axis=1))


# One game


@pytest.mark.parametrize("game", GAMES)
def test_one_game_passes_the_tests_of_pettingzoo(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about names of agents, and observations with masks
        api_test(envs.turns(game), num_cycles=60)
        seed_test(lambda: envs.turns(game), num_cycles=20)


@pytest.mark.parametrize("game", GAMES)
def test_both_agents_see_the_board_from_their_side_until_the_result(game: str) -> None:
    env, position = envs.turns(game, render_mode="ansi"), zp.game(game).start()
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, reward, ended, _, _ = env.last()
        if ended:
            colour = {"black": 1, "white": -1}[agent]
            assert reward == colour * position.winner()[0]
            env.step(None)
            continue
        assert (agent == "black") == (position.to_move()[0] == 1)
        np.testing.assert_array_equal(seen["observation"], position.planes()[0])
        np.testing.assert_array_equal(seen["action_mask"], position.legal()[0])
        waiting = env.observe("white" if agent == "black" else "black")
        np.testing.assert_array_equal(waiting["observation"], position.planes(["opponent", "own"])[0])
        assert not waiting["action_mask"].any()
        assert env.render() == str(position)
        cell = int(np.flatnonzero(seen["action_mask"])[-1])
        position.play(cell)
        env.step(cell)
    assert position.over()[0]


# Many games


@pytest.mark.parametrize("game", GAMES)
def test_without_an_opponent_every_environment_plays_whole_games(game: str) -> None:
    """Twelve environments, beside twelve games played by hand."""
    many, by_hand, dice = envs.vector(game, 12), zp.game(game).start(12), np.random.default_rng(1)
    seen, _ = many.reset(seed=1)
    ended_games = 0
    for _ in range(80):
        np.testing.assert_array_equal(seen["observation"], by_hand.planes())
        np.testing.assert_array_equal(seen["action_mask"], by_hand.legal())
        assert seen in many.observation_space
        actions, side = drawn(seen["action_mask"], dice), by_hand.to_move()
        by_hand.play(actions)
        seen, rewards, ended, cut, infos = many.step(actions)
        np.testing.assert_array_equal(ended, by_hand.over())
        np.testing.assert_array_equal(rewards, by_hand.winner() * side)
        assert not cut.any()
        for row in np.flatnonzero(ended):
            assert infos["_final_obs"][row]
            np.testing.assert_array_equal(infos["final_obs"][row]["observation"], by_hand[row].planes()[0])
            by_hand[row] = by_hand.game.start()
            ended_games += 1
    assert ended_games > 12
    assert many.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("game", GAMES)
def test_against_an_opponent_the_agent_has_black_and_white_in_turn(game: str) -> None:
    many = envs.vector(game, 6, opponent="greedy(ties=lowest)" if game.startswith("othello") else "random")
    seen, _ = many.reset(seed=3)
    games, colours = np.zeros(6, int), []
    for _ in range(60):
        colours.append(many.positions.to_move().copy())
        np.testing.assert_array_equal(colours[-1], np.where(games % 2, -1, 1))  # it is the agent's turn
        seen, rewards, ended, _, _ = many.step(lowest(seen["action_mask"]))
        assert (rewards[~ended] == 0).all()
        games += ended
    assert games.min() > 1


def test_the_reward_is_the_result_for_the_agent() -> None:
    """The first legal cells in Gomoku are a row of five; the opponent plays elsewhere."""

    class Last(zp.Player):
        def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
            cells = np.arange(positions.game.cells, dtype=np.float32)
            return np.where(positions.legal(), cells, -np.inf).astype(np.float32)

    many = envs.vector("gomoku(size=7)", 2, opponent=Last("gomoku(size=7)"))
    seen, _ = many.reset(seed=1)
    for expected in ([0, 0, 0, 0, 1], [0, 0, 0, -1]):  # with White the agent is one move late
        for reward in expected:
            seen, rewards, _, _, _ = many.step(lowest(seen["action_mask"]))
            assert rewards.tolist() == [reward, reward]


def outcomes(many: Vector, seed: int | None, steps: int = 25) -> list[list[Any]]:
    seen, _ = many.reset(seed=seed)
    found = []
    for _ in range(steps):
        seen, rewards, ended, _, _ = many.step(lowest(seen["action_mask"]))
        found.append([seen["observation"].tobytes(), rewards.tolist(), ended.tolist()])
    return found


def test_a_seed_repeats_everything_and_an_environment_does_not_depend_on_the_others() -> None:
    game = "atarigo(size=5)"
    first = outcomes(envs.vector(game, 8, opponent="random"), 5)
    assert outcomes(envs.vector(game, 8, opponent="random"), 5) == first
    assert outcomes(envs.vector(game, 8, opponent="random"), 6) != first
    fewer = outcomes(envs.vector(game, 3, opponent="random"), 5)
    assert [(step[1], step[2]) for step in fewer] == [(step[1][:3], step[2][:3]) for step in first]
    many = envs.vector(game, 8, opponent="random")
    assert outcomes(many, 5) == first
    assert outcomes(many, None) != first


def test_an_illegal_action_changes_nothing() -> None:
    many = envs.vector("othello", 3)
    seen, _ = many.reset(seed=1)
    before, actions = many.positions.hash(), lowest(seen["action_mask"])
    actions[1] = 0
    with pytest.raises(ZeroplyError, match="a1"):
        many.step(actions)
    np.testing.assert_array_equal(many.positions.hash(), before)


class Program(FollowingPlayer):
    """Stands for a program that follows whole games."""

    def follow(self) -> Follower:
        raise AssertionError("it is refused before it plays")

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        raise AssertionError("it is refused before it plays")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: envs.vector("othello", 0), "num_envs must be from 1 to 1000000, not 0"),
        (
            lambda: envs.vector("othello", 2, opponent=Program("othello")),
            "follows whole games and cannot play in lockstep",
        ),
        (lambda: envs.vector("chess", 2), "unknown game 'chess'"),
        (lambda: envs.vector("othello", 2).reset(seed=[1, 2]), "a seed is one whole number for all environments"),
        (lambda: envs.turns("othello", render_mode="human"), "render_mode must be ansi or None, not 'human'"),
    ],
)
def test_bad_settings_are_one_sentence(make: Any, says: str) -> None:
    with pytest.raises(ZeroplyError, match=says):
        make()
