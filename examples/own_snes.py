"""A strategy and a fitness of your own: natural evolution (Schaul et al. 2011) of nets that see captures in Atari-Go.

Python:        python examples/own_snes.py
Command line:  zeroply --import own_snes evolve --strategy own_snes:Snes --own-fitness own_snes:captures --run runs/snes

The second runs in this folder; killed, it resumes by `zeroply --import own_snes resume runs/snes` and ends the same,
because the whole state of the strategy is what `arrays` returns.
"""

import sys
from functools import cache

import numpy as np
from numpy.typing import NDArray

import zeroply as zp
from zeroply.learning.strategies import Fitness, Setup, Strategy, Weights
from zeroply.learning.strategies.strategy import Arrays, normal_rows, weighted_sum
from zeroply.nets.population import PopulationNet


class Snes(Strategy):
    """Every weight has a mean and a deviation, which follow the ranks of 20 candidates."""

    def __init__(self, setup: Setup) -> None:
        self.mean = setup.untrained(1)[0].astype(np.float64)
        self.sigma = np.full_like(self.mean, setup.sigma)
        self.rate = (3 + np.log(len(self.mean))) / (5 * np.sqrt(len(self.mean)))

    def ask(self, key: int) -> Weights:
        self.noise = normal_rows(key, 20, len(self.mean))
        return np.asarray(self.mean + self.sigma * self.noise, np.float32)

    def tell(self, fitness: Fitness, key: int) -> None:
        ranks = np.argsort(np.argsort(-fitness, kind="stable"), kind="stable")  # 0 is the best
        utility = np.maximum(0, np.log(11) - np.log(1 + ranks))
        utility = utility / utility.sum() - 1 / len(ranks)
        self.mean = self.mean + self.sigma * weighted_sum(utility, self.noise)
        self.sigma = self.sigma * np.exp(self.rate / 2 * weighted_sum(utility, self.noise**2 - 1))

    @property
    def centre(self) -> Weights:
        return np.asarray(self.mean, np.float32)

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        return {"mean": self.mean, "sigma": self.sigma}

    def restore(self, arrays: Arrays) -> None:
        self.mean, self.sigma = arrays["mean"], arrays["sigma"]


@cache
def chances(game: zp.Game) -> tuple[zp.Positions, NDArray[np.bool_]]:
    """Positions of random games in which a move wins at once, and where it does."""
    positions, found = game.start(100), []
    while not positions.over().all():
        positions = positions[~positions.over()]
        found.append(positions.copy())
        positions.play(zp.player("random", game).choose(positions, seed=len(found)))
    every = zp.Positions.join(found)
    wins = zp.player("naive", game).prefer(every) == 1
    return every[wins.any(axis=1)], wins[wins.any(axis=1)]


def captures(net: PopulationNet, weights: Weights, keys: NDArray[np.uint64]) -> Fitness:
    """The share of these positions in which the move that a net prefers wins. Nothing is random: no key is used."""
    positions, wins = chances(net.game)
    rows = np.arange(len(positions))
    best = [net.prefer(weights, np.full(len(rows), m, np.int32), positions).argmax(1) for m in range(len(weights))]
    return np.array([wins[rows, moves].mean() for moves in best])


if __name__ == "__main__":
    folder, mine = sys.argv[1] if len(sys.argv) > 1 else "snes", ("own_snes:Snes", "own_snes:captures")
    result = zp.evolve(strategy=mine[0], own_fitness=mine[1], generations=40, seed=1, run=folder)
    first, *_, last = (one.best for one in result.generations)
    print(f"captures seen in generation 1: {first:.2f}, at last: {last:.2f}")
    print(zp.match(f"net('{result.champion}')", "random", game="atarigo(size=5)", games=100, seed=1))
