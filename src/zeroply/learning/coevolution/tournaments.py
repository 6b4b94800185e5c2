"""Tournaments of a generation of nets: who meets whom, and how many points that gives (Lin and White 2009, II-B).

In the fair tournament all nets play the same extra offspring, half of the games with each colour. In the predecessor's
unfair one opponents are drawn at random, and so is the number of games. Points are discs won less discs lost. The
lasting one is not the paper's: a fair one in which the extra offspring are the same in all generations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import Positions, game
from zeroply.learning.evolution.executors import Threads, Workers
from zeroply.nets import population_net
from zeroply.nets.spatial import SpatialNet

Tournament = Literal["fair", "lasting", "unfair"]
GAMES_OF_A_TASK = 200


@dataclass(frozen=True)
class Pairings:
    """Who has Black and White in each of n games; nets are numbered from 0, extra offspring after them."""

    black: NDArray[np.int32]
    """[n]: the net that has Black."""
    white: NDArray[np.int32]
    """[n]: the net that has White."""

    def points(self, scores: NDArray[np.int32], nets: int) -> NDArray[np.int64]:
        """[nets]: points of each net; `scores` [n] are Black's discs less White's. Extra offspring get none."""
        total = np.zeros(int(max(self.black.max(), self.white.max())) + 1, np.int64)
        np.add.at(total, self.black, scores)
        np.add.at(total, self.white, -scores)
        return total[:nets]


def fair(nets: int, opponents: int) -> Pairings:
    """Every net meets all `opponents`: the first half of them with White, the others with Black."""
    net = np.repeat(np.arange(nets, dtype=np.int32), opponents)
    other = np.tile(np.arange(nets, nets + opponents, dtype=np.int32), nets)
    has_white = other < nets + opponents // 2
    return Pairings(np.where(has_white, other, net), np.where(has_white, net, other))


def unfair(nets: int, opponents: int, key: int) -> Pairings:
    """Every net calls half as many games as in a fair tournament, each against any other net, with any colour.

    Reading: it also plays the games that others call, so how many it plays is chance; all of them count.
    """
    net = np.repeat(np.arange(nets, dtype=np.int32), opponents // 2)
    games = np.arange(len(net), dtype=np.uint64)
    other = (net + 1 + chance.below(nets - 1, chance.key(key, "opponent"), games)) % nets
    has_white = chance.below(2, chance.key(key, "colour"), games) == 1
    return Pairings(
        np.where(has_white, other, net).astype(np.int32),
        np.where(has_white, net, other).astype(np.int32),
    )


def play_games(
    net: SpatialNet,
    weights: NDArray[np.float32],
    pairings: Pairings,
    workers: Workers,
    starts: Positions | None = None,
) -> NDArray[np.int32]:
    """[n]: Black's discs less White's in every game, from the start of Othello or from `starts` [n]."""
    if isinstance(workers, Threads):  # the core's threads share the weights
        return net.play(weights, pairings.black, pairings.white, starts)[0]
    tasks = []
    for low in range(0, len(pairings.black), GAMES_OF_A_TASK):
        sides = np.stack([side[low : low + GAMES_OF_A_TASK] for side in (pairings.black, pairings.white)])
        members, numbers = np.unique(sides, return_inverse=True)
        boards = None if starts is None else starts[low : low + GAMES_OF_A_TASK].text()
        tasks.append((str(net.spec), weights[members], numbers.reshape(sides.shape), boards))
    return np.concatenate(workers.map(_play_task, tasks))


def _play_task(task: tuple[str, NDArray[np.float32], NDArray[np.int64], list[str] | None]) -> NDArray[np.int32]:
    spec, weights, sides, boards = task
    net = population_net(spec, game("othello"))
    if not isinstance(net, SpatialNet):
        raise TypeError(f"{spec} is no spatial net")
    return net.play(weights, sides[0], sides[1], None if boards is None else net.game.parse(boards))[0]
