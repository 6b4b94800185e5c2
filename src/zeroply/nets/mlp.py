"""The multi-layer perceptron that MDRNNs are compared with (Schaul and Schmidhuber 2009, section V-A).

All stones feed one layer of sigmoid units, which feeds one linear output per cell. No weights are shared, so a net fits
one board size. The kernel is in `core/mlp.cpp`.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.population import Finished, MemberGames, PopulationNet, played_by

MAX_UNITS = 4096
"""The largest hidden layer."""


class Mlp(PopulationNet):
    """Perceptrons with one hidden layer; reading: both layers have biases, drawn like all weights."""

    encoding = "own stones, opposing stones"

    def __init__(self, game: Game, hidden: int) -> None:
        super().__init__(game)
        if not 1 <= hidden <= MAX_UNITS:
            raise ZeroplyError(f"the hidden layer of an MLP has from 1 to {MAX_UNITS} units, not {hidden}")
        self.layout = [
            ("input", (2, game.cells, hidden)),
            ("input_bias", (hidden,)),
            ("output", (hidden, game.cells)),
            ("output_bias", (game.cells,)),
        ]
        self._core = _core.Mlp(game.cells, hidden)

    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """Each position's preferences by its member."""
        self._check(positions)
        out = np.empty((len(positions), self.game.cells), np.float32)
        self._core.prefer(weights, members, positions.batch, out)
        return out

    def play_games(self, weights: NDArray[np.float32], games: MemberGames) -> Finished | None:
        """Whole games in the core."""
        self._check(games.starts)
        return played_by(self._core.play, weights, games)

    def _check(self, positions: Positions) -> None:
        if positions.game.cells != self.game.cells:
            raise ZeroplyError(f"net {self.spec} was made for {self.game} and cannot play {positions.game}")


def mlp(game: Game, hidden: Annotated[int, "sigmoid units"] = 100) -> PopulationNet:
    """A perceptron with one hidden layer, the baseline of MDRNNs."""
    return Mlp(game, hidden)
