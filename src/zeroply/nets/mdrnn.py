"""Multi-dimensional recurrent nets for boards of any size (Schaul and Schmidhuber 2009, section III).

Four hidden layers sweep over the board, one from each corner; at every cell a sweep reads the cell and its own output
at the previous cells in the row and in the column. All four share their weights, so the net turns with the board and
the same few weights play on every board size. The kernels are in `core/mdrnn_tile.hpp`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games.facts import Features
from zeroply.nets.population import Finished, MemberGames, PopulationNet, played_by
from zeroply.specs import Spec

MAX_UNITS = 256
"""The largest k."""
MAX_LAYERS = 16
"""The largest number of layers."""
MAX_DISTANCES = 10
"""The largest number of border vectors; a board of 19x19 needs no more."""

Border = Literal["fixed", "distance"]
"""How the edge of the board is represented."""
Output = Literal["moves", "value"]
"""What the net outputs: a preference per move, or the value of the board."""
Part = tuple[str, tuple[int, ...]]
"""Name and shape of a part of the weight vector."""


def features_of(game: Game) -> Features:
    """The planes that `features=true` adds for a game (section VI proposes such).

    They hold zeros and ones, but open lines hold the share of stones in the best five cells in a row through a cell
    that contain no stone of the other side.
    """
    if game.facts.features is None:
        raise ZeroplyError(f"there are no features for {game.name}: use features=false")
    return game.facts.features


def feature_planes(positions: Positions) -> NDArray[np.float32]:
    """[n, planes, size, size]: what `features=true` shows a net beside the stones."""
    features, size = features_of(positions.game), positions.game.size
    out = np.empty((len(positions), len(features.planes), size * size), np.float32)
    _core.features(features.number, positions.batch, out)
    return out.reshape(len(positions), len(features.planes), size, size)


class Mdrnn(PopulationNet):
    """A form of these nets.

    Weights of a layer with one border vector, as in the paper: `input` [k, inputs], where the inputs of the first layer
    are an own stone, an opposing stone and the features; `hidden` [k, k], for both neighbours alike; `border` [k], the
    output of a missing neighbour. Then follows `output` [k]; a preference is the sum over
    the four sweeps.

    With `distances`, as in the public descendant of the authors' code: `border` [distances, k], of which one is added
    to the sums of a unit for each missing neighbour, by distance from the nearest corner along the edge (reading:
    larger boards use the last one again); `hidden`; `input`, where the opposing stone comes first;
    `output`, and a sigmoid over the sum.

    LSTM cells (Graves et al. 2007) have `input` [4, k, inputs] for input gate, output gate, candidate and forget gates;
    `hidden` [5, k, k] for the first three and, of the forget gate of a neighbour, for that neighbour and for the other
    one, so that rows and columns can change places; `bias` [4, k]; `peephole` [3, k] from the state to the input,
    forget and output gates; `border` [2, k], the output and the state of a missing neighbour.

    Inputs of a further layer are [3 k] (reading of section VI that keeps all symmetries): at this cell the output of
    the sweep in the same direction, the sum of the two whose direction is mirrored in one axis, and the opposite one.

    The value of a board (reading) is the tanh of the mean over the cells, seen by the side to move. With this
    output the preference for a move is the value of the board after it, also if the move ends the game.
    """

    scales = True

    def __init__(
        self,
        game: Game,
        k: int,
        layers: int = 1,
        *,
        distances: int = 0,
        lstm: bool = False,
        features: bool = False,
        output: Output = "moves",
    ) -> None:
        super().__init__(game)
        if not 1 <= k <= MAX_UNITS:
            raise ZeroplyError(f"k, the hidden units of an MDRNN, must be from 1 to {MAX_UNITS}, not {k}")
        if not 1 <= layers <= MAX_LAYERS:
            raise ZeroplyError(f"an MDRNN has from 1 to {MAX_LAYERS} layers, not {layers}")
        self.k = k
        self.distances = distances
        self.output = output
        shown = features_of(game) if features else Features(0, ())
        self.encoding = ", ".join(("own stones", "opposing stones", *shown.planes))
        parts: list[Part] = []
        for layer in range(layers):
            number = f".{layer}" if layers > 1 else ""
            inputs = 3 * k if layer else 2 + len(shown.planes)
            parts += [(name + number, shape) for name, shape in _layer(k, inputs, distances, lstm)]
        self.layout = [*parts, ("output", (k,))]
        self._core = _core.Mdrnn(k, layers, lstm, distances, shown.number)

    def named(self, spec: Spec) -> Spec:
        """The spec with the number of border vectors, which must not change with the board size from now on."""
        if not self.distances or "distances" in spec.kwargs:
            return spec
        return Spec(spec.name, *spec.args, **spec.kwargs, distances=self.distances)

    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """Each position's preferences by its member; positions may have any board size."""
        self._check(positions)
        out = np.empty((len(positions), positions.game.cells), np.float32)
        ask = self._core.prefer if self.output == "moves" else self._core.child_values
        ask(weights, members, positions.batch, out)
        return out

    def play_games(self, weights: NDArray[np.float32], games: MemberGames) -> Finished | None:
        """Whole games in the core."""
        self._check(games.starts)
        return played_by(self._core.play if self.output == "moves" else self._core.play_by_values, weights, games)

    def values(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], positions: Positions
    ) -> NDArray[np.float32]:
        """[n]: the value of each position for the side to move, from -1 to 1, by its member."""
        self._check(positions)
        out = np.empty(len(positions), np.float32)
        self._core.values(weights, members, positions.batch, out)
        return out

    def evaluation(self, vector: NDArray[np.float32]) -> _core.Evaluation:
        """One member as an evaluation for search, if its output is a value."""
        if self.output != "value":
            return super().evaluation(vector)
        return self._core.evaluation(np.ascontiguousarray(vector, np.float32), self.game.size)

    def sweeps(self, vector: NDArray[np.float32], position: Positions) -> NDArray[np.float32]:
        """[4, size, size, k]: outputs of the last layer at each cell of a single position.

        The sweeps begin in the top left, top right, bottom left and bottom right corner.
        """
        if len(position) != 1:
            raise ZeroplyError(f"sweeps are computed for one position, not {len(position)}")
        self._check(position)
        out = np.empty((4, position.game.cells, self.k), np.float32)
        self._core.sweeps(self.checked(vector)[0], position.batch, out)
        return out.reshape(4, position.game.size, position.game.size, self.k)

    def _check(self, positions: Positions) -> None:
        if positions.game.name != self.game.name:
            raise ZeroplyError(f"net {self.spec} was made for {self.game.name} and cannot play {positions.game.name}")


def _layer(k: int, inputs: int, distances: int, lstm: bool) -> list[Part]:
    if lstm:
        return [
            ("input", (4, k, inputs)),
            ("hidden", (5, k, k)),
            ("bias", (4, k)),
            ("peephole", (3, k)),
            ("border", (2, k)),
        ]
    if distances:
        return [("border", (distances, k)), ("hidden", (k, k)), ("input", (k, inputs))]
    return [("input", (k, inputs)), ("hidden", (k, k)), ("border", (k,))]


def mdrnn(
    game: Game,
    k: Annotated[int, "hidden units of each sweep"] = 10,
    layers: Annotated[int, "stacked layers"] = 1,
    border: Annotated[
        Border, "fixed: one vector for all borders (the paper's); distance: by distance from a corner"
    ] = "fixed",
    distances: Annotated[int | None, "border=distance: number of vectors; none: derived from the board size"] = None,
    features: Annotated[bool, "add the game's feature planes, such as liberties or open lines"] = False,
    output: Annotated[Output, "a preference per move, or the value of the board"] = "moves",
) -> PopulationNet:
    """Multi-dimensional recurrent net; the same weights play on any board size."""
    if border == "fixed" and distances is not None:
        raise ZeroplyError("distances of an mdrnn goes with border=distance")
    if distances is not None and not 1 <= distances <= MAX_DISTANCES:
        raise ZeroplyError(
            f"distances, the border vectors of an MDRNN, must be from 1 to {MAX_DISTANCES}, not {distances}"
        )
    vectors = 0 if border == "fixed" else distances or (game.size + 1) // 2
    return Mdrnn(game, k, layers, distances=vectors, features=features, output=output)


def mdlstm(
    game: Game,
    k: Annotated[int, "LSTM cells of each sweep"] = 10,
    layers: Annotated[int, "stacked layers"] = 1,
    features: Annotated[bool, "add the game's feature planes, such as liberties or open lines"] = False,
    output: Annotated[Output, "a preference per move, or the value of the board"] = "moves",
) -> PopulationNet:
    """MDRNN with LSTM cells, for long-range dependencies."""
    return Mdrnn(game, k, layers, lstm=True, features=features, output=output)
