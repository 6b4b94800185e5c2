"""A population net in plain NumPy, small enough to be worked out by hand: the tests' stand-in for any architecture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.nets import POPULATION_NETS, files
from zeroply.nets.population import VECTOR, Member, PopulationNet
from zeroply.players.net import NetPlayer
from zeroply.specs import Spec


class TinyNet(PopulationNet):
    """Likes a cell by what lies on it and on its four neighbours: weights for own and for opposing stones beside it."""

    spec = Spec("tiny")
    encoding = "own and opposing stones"
    layout = (("own", (1,)), ("opponent", (1,)), ("edge", (1,)))

    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        planes = np.pad(positions.planes(("own", "opponent", "ones")), ((0, 0), (0, 0), (1, 1), (1, 1)))
        planes[:, 2] = 1 - planes[:, 2]
        beside = planes[:, :, :-2, 1:-1] + planes[:, :, 2:, 1:-1] + planes[:, :, 1:-1, :-2] + planes[:, :, 1:-1, 2:]
        liked = (beside * weights[members][:, :, None, None]).sum(axis=1)
        flat = liked.reshape(len(positions), -1).astype(np.float32)
        return np.where(positions.legal(), flat, np.float32(-np.inf))


@POPULATION_NETS.register("tiny")
def tiny(game: Game) -> PopulationNet:
    """The tests' stand-in."""
    return TinyNet(game)


def member_player(net: PopulationNet, vector: NDArray[np.float32]) -> NetPlayer:
    """One member of a population as a player like any other."""
    return NetPlayer(net.game, Member(net, {VECTOR: vector}))


def same_net(one: Path, other: Path) -> bool:
    """Whether two net files hold the same net; the order of their metadata does not matter."""
    (first, weights), (second, others) = files.read(str(one)), files.read(str(other))
    same_words = (first.spec, first.game, first.training) == (second.spec, second.game, second.training)
    return same_words and all((weights[name] == others[name]).all() for name in weights)
