"""The `lines` architecture, made for fast inference on a CPU.

The contents of every line of three or more squares, every 3x3 corner and every 2x5 corner of the Othello board index
tables of short vectors (embeddings), in each of the eight symmetric images of the board. A few equivariant layers turn
them into move logits. The net turns exactly with the board, so it needs no augmentation, and the core runs it without
torch.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets.board_images import corner_cells, fourier, sources
from zeroply.nets.contract import Weights, check_weights
from zeroply.nets.encodings import playable
from zeroply.nets.graph import EPSILON
from zeroply.nets.output_net import OutputNet

if TYPE_CHECKING:
    from zeroply.nets.torch_net import TorchNet

SIZE = 8
"""Side of the board."""
_CENTRE = (27, 28, 35, 36)


def _patterns() -> tuple[tuple[int, ...], ...]:
    rows = [tuple(SIZE * row + column for column in range(SIZE)) for row in range(SIZE // 2)]
    diagonals = [tuple(SIZE * i + length - 1 - i for i in range(length)) for length in range(SIZE, 2, -1)]
    corners = [tuple(SIZE * row + column for row in range(h) for column in range(w)) for h, w in ((3, 3), (2, 5))]
    return (*rows, *diagonals, *corners)


PATTERNS = _patterns()
"""The cells of each pattern, in order; each is used in all eight images of the board."""
ENTRIES = sum(3 ** len(cells) for cells in PATTERNS)
"""Rows of the table: one per content of each pattern, in base 3, first cell lowest, own discs 1, opposing 2."""
OUTPUT_CELLS = np.setdiff1d(corner_cells(SIZE), _CENTRE)
"""The cells for which each image has an output: one per class of symmetric cells."""


def output_places() -> NDArray[np.int64]:
    """[8, outputs]: the cell of the board for each output of each image."""
    return sources(SIZE)[:, OUTPUT_CELLS]


class LinesNet(OutputNet):
    """A trained net of the family, run by the core."""

    def __init__(self, game: Game, weights: Weights, embedding: int, widths: list[int]) -> None:
        super().__init__(game, weights, "pieces", "moves")
        self.encoding = "contents of lines and corners, in all eight images of the board"
        _check(weights, embedding, widths)
        layers = [_layer(weights, f"layers.{i}", f"norms.{i}") for i in range(len(widths))]
        layers.append(_layer(weights, "last", None))
        self._core = _core.LinesNet(
            np.array([sum(1 << cell for cell in cells) for cells in PATTERNS], np.uint64),
            np.ascontiguousarray(weights["table.weight"], np.float32),
            np.ascontiguousarray(fourier(), np.float32),
            [signs for signs, _, _ in layers],
            [pairs for _, pairs, _ in layers],
            [shift for _, _, shift in layers],
            np.ascontiguousarray(output_places(), np.int32),
        )
        self.multiply_adds = sum(12 * signs.shape[1] * signs.shape[2] for signs, _, _ in layers)

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """A logit per legal move."""
        return self._ask(positions, all_cells=False)

    def outputs(self, positions: Positions) -> NDArray[np.float32]:
        """[n, 60]: a logit for each move in the order of `playable(game)`, illegal moves included."""
        return np.ascontiguousarray(self._ask(positions, all_cells=True)[:, playable(self.game)])

    def _ask(self, positions: Positions, *, all_cells: bool) -> NDArray[np.float32]:
        out = np.empty((len(positions), self.game.cells), np.float32)
        self._core.prefer(positions.batch, all_cells, out)
        return out


def _check(weights: Weights, embedding: int, widths: list[int]) -> None:
    """Raise ZeroplyError unless the weights fit."""
    sizes = [embedding * len(PATTERNS), *widths, len(OUTPUT_CELLS)]
    wanted: dict[str, tuple[int, ...]] = {"table.weight": (ENTRIES, embedding), "bias": (len(OUTPUT_CELLS),)}
    names = [*(f"layers.{i}" for i in range(len(widths))), "last"]
    for name, (before, after) in zip(names, pairwise(sizes), strict=True):
        wanted |= {f"{name}.signs.{k}.weight": (after, before) for k in range(4)}
        wanted[f"{name}.pairs.weight"] = (2 * after, 2 * before)
    for i, width in enumerate(widths):
        wanted |= {f"norms.{i}.{part}": (width,) for part in ("weight", "bias", "running_mean", "running_var")}
    check_weights(wanted, weights)


def _layer(weights: Weights, name: str, norm: str | None) -> tuple[NDArray[np.float32], ...]:
    """A layer's small matrices [4, in, out], its matrix of pairs [2 in, 2 out], and its bias.

    Batch normalisation is folded in: a factor per output commutes with the change of basis.
    """
    signs = np.stack([weights[f"{name}.signs.{k}.weight"].T for k in range(4)]).astype(np.float64)
    pairs = weights[f"{name}.pairs.weight"].T.astype(np.float64)
    shift = weights["bias"].astype(np.float64) if norm is None else weights[f"{norm}.bias"].astype(np.float64)
    if norm is not None:
        scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"].astype(np.float64) + EPSILON)
        shift = shift - scale * weights[f"{norm}.running_mean"]
        signs, pairs = signs * scale, pairs * np.tile(scale, 2)
    return tuple(np.ascontiguousarray(array, np.float32) for array in (signs, pairs, shift))


def lines(
    game: Game,
    weights: Weights | None = None,
    embedding: Annotated[int, "length of the vector of each line or corner"] = 32,
    layers: Annotated[int | str, "sizes of the hidden layers, per image, such as 256-128"] = "256-128",
) -> OutputNet:
    """Tables over lines and corners, then equivariant layers; fast on a CPU, without torch."""
    from zeroply.nets.architectures import layer_sizes

    game.require("othello", "net lines", size=SIZE)
    if not 1 <= embedding <= 1024:
        raise ZeroplyError(f"embedding must be from 1 to 1024, not {embedding}")
    widths = layer_sizes(layers)
    return _to_train(game, embedding, widths) if weights is None else LinesNet(game, weights, embedding, widths)


def _to_train(game: Game, embedding: int, widths: list[int]) -> TorchNet:
    from zeroply.nets.torch_net import TorchNet, needs_torch

    with needs_torch():
        from zeroply.nets.modules.lines import Lines
    return TorchNet(game, None, Lines(embedding, widths), "pieces", "moves")
