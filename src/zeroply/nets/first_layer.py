"""The first layer of a net, computed for a position, as images on the board.

Convolutional nets show their feature maps (Liskowski et al. 2018, section IV), recurrent nets their four sweeps (Schaul
and Schmidhuber 2009, section III), `lines` nets their table entries at each cell, and `wpc` nets their weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.nets.board_images import IMAGES, sources
from zeroply.nets.contract import Net
from zeroply.nets.core_net import BagNet, CoreNet, StagedNet
from zeroply.nets.lines import PATTERNS, LinesNet
from zeroply.nets.output_net import OutputNet
from zeroply.nets.population import Member
from zeroply.nets.wpc import Wpc

MAX_MAPS = 32
"""Images per group; further ones are left out."""
CORNERS = ("top left", "top right", "bottom left", "bottom right")
"""Where the sweeps of a recurrent net begin, in their order."""

CellMap = tuple[str, NDArray[np.float32]]
"""A title and a value for each cell [size, size]."""


@dataclass(frozen=True)
class CellMaps:
    """A group of images."""

    title: str
    """What they show."""
    size: int
    """Side of each image."""
    maps: Sequence[CellMap]
    """The images."""


def first_layer(net: Net, position: Positions) -> list[CellMaps]:
    """Images for a single position; none for nets whose first layer has no spatial layout."""
    if len(position) != 1:
        raise ZeroplyError(f"the first layer is shown for a single position, not {len(position)}")
    if isinstance(net, Wpc):
        return [_cell_maps("The weight of each cell", net.weights["cells"], position, "weight")]
    if isinstance(net, LinesNet):
        return _looked_up(net, position)
    if isinstance(net, Member):
        return _of_member(net, position)
    if isinstance(net, CoreNet | BagNet | StagedNet):
        return _of_graph(net, position)
    return _feature_maps(net, position)


def _cell_maps(title: str, values: NDArray[np.float32], position: Positions, what: str) -> CellMaps:
    """Images from an array [n, cells] or [cells]."""
    size = position.game.size
    rows = np.asarray(values, np.float32).reshape(-1, size, size)
    several = f" ({MAX_MAPS} of {len(rows)})" if len(rows) > MAX_MAPS else ""
    named = [(what if len(rows) == 1 else f"{what} {number}", row) for number, row in enumerate(rows[:MAX_MAPS], 1)]
    return CellMaps(title + several, size, named)


def _looked_up(net: LinesNet, position: Positions) -> list[CellMaps]:
    """The sum of the table entries of all lines and corners through each cell, component by component."""
    table = net.weights["table.weight"]
    seen = (position.stones()[0] * position.to_move()[0]).astype(np.int64)
    contents = np.where(seen < 0, 2, seen)
    maps = np.zeros((table.shape[1], position.game.cells), np.float32)
    for image in sources(position.game.size)[:IMAGES]:
        first = 0
        for pattern in PATTERNS:
            cells = image[list(pattern)]
            row = first + int(contents[cells] @ 3 ** np.arange(len(cells)))
            maps[:, cells] += table[row][:, None]
            first += 3 ** len(pattern)
    return [_cell_maps("Table entries of the lines and corners through each cell", maps, position, "component")]


def _of_member(net: Member, position: Positions) -> list[CellMaps]:
    """The four sweeps of a recurrent net, or the weights of each node of a spatial net."""
    sweeps: Callable[[NDArray[np.float32], Positions], NDArray[np.float32]] | None
    sweeps = getattr(net.architecture, "sweeps", None)
    if sweeps is not None:
        activations = sweeps(net.vector[0], position)
        return [
            _cell_maps(f"Sweep from the {corner} corner", np.moveaxis(activations[number], -1, 0), position, "unit")
            for number, corner in enumerate(CORNERS)
        ]
    patterns: Sequence[Sequence[int]] = getattr(net.architecture, "patterns", ())
    if not patterns:
        return []
    weights = net.architecture.parts(net.vector[0])["spatial"]
    maps, first = np.zeros((len(patterns), position.game.cells), np.float32), 0
    for number, squares in enumerate(patterns):
        maps[number, list(squares)] = weights[first : first + len(squares)]
        first += len(squares)
    return [_cell_maps("The weights of each node, on its input squares", maps, position, "node")]


def _of_graph(net: OutputNet, position: Positions) -> list[CellMaps]:
    """The feature maps of the first convolution; of a bag's first net, or of the net of the position's stage."""
    while isinstance(net, BagNet | StagedNet):
        net = net.nets[net.stage(position)[0] if isinstance(net, StagedNet) else 0]
    maps = net.feature_maps(position) if isinstance(net, CoreNet) else None
    return [] if maps is None else [_cell_maps("Feature maps of the first layer", maps, position, "map")]


def _feature_maps(net: Net, position: Positions) -> list[CellMaps]:
    """The feature maps of the first convolution of a torch module."""
    from zeroply.nets.torch_net import TorchNet

    if not isinstance(net, TorchNet):
        return []
    import torch
    from torch import nn

    pictures: list[NDArray[np.float32]] = []

    def record(_: nn.Module, __: object, result: torch.Tensor) -> None:
        if not pictures and result.shape[-2:] == (position.game.size,) * 2:
            pictures.append(result[0].float().cpu().numpy())

    hooks = [layer.register_forward_hook(record) for layer in net.module.modules() if isinstance(layer, nn.Conv2d)]
    try:
        net.outputs(position)
    finally:
        for hook in hooks:
            hook.remove()
    return [_cell_maps("Feature maps of the first layer", maps, position, "map") for maps in pictures]
