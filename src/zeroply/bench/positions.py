"""Positions to measure on."""

from __future__ import annotations

import numpy as np

from zeroply import chance
from zeroply.games import Game, Positions, game
from zeroply.players import player


def scattered(rules: str | Game, n: int, seed: int = 1) -> Positions:
    """Positions of random games, none of them over, from early to late; a single one is from the middle."""
    rules = game(rules)
    random = player("random", rules)
    positions = rules.start(n)
    stage = np.array([0.5]) if n == 1 else np.arange(n) / n
    for ply in range(rules.cells // 2):
        following = positions.after(random.choose(positions, chance.keys(chance.key(seed, ply), np.arange(n))))
        going = (stage * rules.cells // 2 > ply) & ~following.over()
        positions[going] = following[going]
    return positions
