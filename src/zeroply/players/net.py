"""Nets as players."""

import hashlib
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.nets import Net, build, load
from zeroply.players.contract import Player


class NetPlayer(Player):
    """Plays by the preferences of a net."""

    def __init__(self, game: Game, net: Net) -> None:
        super().__init__(game)
        self.net = net

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """The net's preferences."""
        return self.net.prefer(positions)

    def fingerprint(self) -> str:
        """The spec and a digest of all weights."""
        digest = hashlib.blake2b(digest_size=16)
        for name, array in sorted(self.net.weights.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return f"{self.spec} {self.net.spec} {digest.hexdigest()}"

    def __getstate__(self) -> dict[str, Any]:
        """The net as its architecture and weights, so that another process needs no file."""
        return {**vars(self), "net": (self.net.spec, dict(self.net.weights))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        spec, weights = state["net"]
        vars(self).update(state, net=build(spec, state["game"], weights))


def net(
    file: Annotated[str, "a net shipped with zeroply (`zeroply nets` lists them) or the path of a net file"],
    game: Game,
) -> Player:
    """A neural net, without look-ahead."""
    return NetPlayer(game, load(file, game))
