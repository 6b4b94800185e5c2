"""Multi-dimensional recurrent nets for boards of any size (Schaul and Schmidhuber 2009, section III).

Four units sweep over the board, one from each corner; at every cell a unit sees the cell and what it said one step
before in the row and in the column. All four share their weights, so the net turns with the board and the same few
weights play on every board size. The kernels are in `core/mdrnn.cpp`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.population import PopulationNet
from zeroply.specs import Spec

MOST_UNITS = 256
"""The largest k."""
MOST_LAYERS = 16
"""The largest number of layers."""

Border = Literal["fixed", "distance"]
"""How the edge of the board is seen."""


class Mdrnn(PopulationNet):
    """A form of these nets.

    Weights of a layer with `border=fixed`, as in the paper: `input` [k, inputs], where the inputs of the first layer
    are an own stone and an opposing stone; `hidden` [k, k], for both neighbours alike; `border` [k], which stands in
    for the output of a neighbour that is not there. Then follows `output` [k]; a preference is the sum over the four
    sweeps. With `border=distance`, as in the public descendant of the authors' code: `border` [distances, k], of which
    one is added to the sums of a unit for each missing neighbour, by distance from the nearest corner along the edge
    (reading: larger boards use the last one again); `hidden`; `input`, where the opposing stone comes first; `output`,
    and a sigmoid over the sum.

    Inputs of a further layer are [3 k] (reading of section VI that keeps all symmetries): what the sweep in the same
    direction says at this cell, the sum of the two whose direction is mirrored in one axis, and the opposite one.
    """

    encoding = "own stones, opposing stones"
    scales = True

    def __init__(self, game: Game, k: int, layers: int = 1, distances: int = 0) -> None:
        super().__init__(game)
        if not 1 <= k <= MOST_UNITS:
            raise ZeroplyError(f"k, the hidden units of an MDRNN, must be from 1 to {MOST_UNITS}, not {k}")
        if not 1 <= layers <= MOST_LAYERS:
            raise ZeroplyError(f"an MDRNN has from 1 to {MOST_LAYERS} layers, not {layers}")
        if not 0 <= distances <= 10:
            raise ZeroplyError(f"distances, the border vectors of an MDRNN, must be from 1 to 10, not {distances}")
        self.k = k
        self.distances = distances
        parts: list[tuple[str, tuple[int, ...]]] = []
        for layer in range(layers):
            number = f".{layer}" if layers > 1 else ""
            inputs = 3 * k if layer else 2
            named: list[tuple[str, tuple[int, ...]]] = [("input", (k, inputs)), ("hidden", (k, k)), ("border", (k,))]
            if distances:
                named = [("border", (distances, k)), ("hidden", (k, k)), ("input", (k, inputs))]
            parts += [(name + number, shape) for name, shape in named]
        self.layout = [*parts, ("output", (k,))]
        self._core = _core.Mdrnn(k, layers, False, distances)

    def named(self, spec: Spec) -> Spec:
        """The spec with the number of border vectors, which must not follow the board size from now on."""
        if not self.distances or "distances" in spec.kwargs:
            return spec
        return Spec(spec.name, *spec.args, **spec.kwargs, distances=self.distances)

    def initial(self, keys: ArrayLike) -> NDArray[np.float32]:
        """Every weight from N(0, 1) (section IV-B)."""
        rows = np.atleast_1d(np.asarray(keys, np.uint64))[:, None]
        return chance.normal(rows, np.arange(self.parameters, dtype=np.uint64)).astype(np.float32)

    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """What each position's member says of its legal moves; positions may have any board size."""
        out = np.empty((len(positions), positions.game.cells), np.float32)
        self._core.prefer(weights, members, positions.batch, out)
        return out

    def sweeps(self, vector: NDArray[np.float32], position: Positions) -> NDArray[np.float32]:
        """[4, size, size, k]: what the units of the last layer say at each cell of a single position.

        The sweeps begin in the top left, top right, bottom left and bottom right corner.
        """
        if len(position) != 1:
            raise ZeroplyError(f"sweeps can be shown of one position, not of {len(position)}")
        out = np.empty((4, position.game.cells, self.k), np.float32)
        self._core.sweeps(self.checked(vector)[0], position.batch, out)
        return out.reshape(4, position.game.size, position.game.size, self.k)


def mdrnn(
    game: Game,
    k: Annotated[int, "hidden units of each sweep"] = 10,
    layers: Annotated[int, "nets stacked on one another"] = 1,
    border: Annotated[
        Border, "fixed: one vector for all borders (the paper's); distance: by distance from a corner"
    ] = "fixed",
    distances: Annotated[int | None, "border=distance: number of vectors; as many as the board needs"] = None,
) -> PopulationNet:
    """Four sweeping recurrent units; the same weights play on any board size."""
    if border == "fixed":
        if distances is not None:
            raise ZeroplyError("distances of an mdrnn goes with border=distance")
        return Mdrnn(game, k, layers)
    if distances is not None and distances < 1:
        raise ZeroplyError(f"distances, the border vectors of an MDRNN, must be from 1 to 10, not {distances}")
    return Mdrnn(game, k, layers, distances or (game.size + 1) // 2)
