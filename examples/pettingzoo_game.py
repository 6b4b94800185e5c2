"""One game between two agents on the PettingZoo environment: a net with Black, random legal moves with White.

python examples/pettingzoo_game.py
"""

from __future__ import annotations

import numpy as np

import zeroply as zp
from zeroply import envs


def main(seed: int = 1) -> float:
    """Play a game and print it; returns the reward of the net."""
    env = envs.turns("othello", render_mode="ansi")
    net, dice = zp.player("net(othello-fast)", "othello"), np.random.default_rng(seed)
    rewards = {}
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        rewards[agent] = float(reward)
        if termination or truncation:
            env.step(None)
        elif agent == "black":
            env.step(int(net.prefer(env.position)[0].argmax()))
        else:
            env.step(int(dice.choice(np.flatnonzero(observation["action_mask"]))))
    print(env.render())
    return rewards["black"]


if __name__ == "__main__":
    print(f"reward of the net: {main():+.0f}")
