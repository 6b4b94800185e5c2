"""What the first layer of a net makes of a position, as pictures on the board, for people to look at.

Convolutional nets show their feature maps (Liskowski et al. 2018, section IV), recurrent nets their four sweeps (Schaul
and Schmidhuber 2009, section III), nets over lines what they look up at each cell, and a weight per cell is itself.
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
from zeroply.nets.lines import PATTERNS, LinesNet
from zeroply.nets.population import Member
from zeroply.nets.wpc import Wpc

MOST = 32
"""Pictures of a group; further ones are left out."""
CORNERS = ("top left", "top right", "bottom left", "bottom right")
"""Where the sweeps of a recurrent net begin, in their order."""

Picture = tuple[str, NDArray[np.float32]]
"""A title and a value for each cell [size, size]."""


@dataclass(frozen=True)
class Pictures:
    """Pictures that belong together."""

    title: str
    """What they show."""
    size: int
    """Side of each picture."""
    pictures: Sequence[Picture]
    """The pictures."""


def first_layer(net: Net, position: Positions) -> list[Pictures]:
    """Pictures of a single position; none for nets whose first layer has no place on the board."""
    if len(position) != 1:
        raise ZeroplyError(f"the first layer is shown of a single position, not of {len(position)}")
    if isinstance(net, Wpc):
        return [_pictures("The weight of each cell", net.weights["cells"], position, "weight")]
    if isinstance(net, LinesNet):
        return _looked_up(net, position)
    if isinstance(net, Member):
        return _of_member(net, position)
    return _feature_maps(net, position)


def _pictures(title: str, values: NDArray[np.float32], position: Positions, what: str) -> Pictures:
    """Pictures from an array [n, cells] or [cells]."""
    size = position.game.size
    rows = np.asarray(values, np.float32).reshape(-1, size, size)
    several = f" ({MOST} of {len(rows)})" if len(rows) > MOST else ""
    named = [(what if len(rows) == 1 else f"{what} {number}", row) for number, row in enumerate(rows[:MOST], 1)]
    return Pictures(title + several, size, named)


def _looked_up(net: LinesNet, position: Positions) -> list[Pictures]:
    """The sum of what a net over lines looks up for all lines and corners through a cell, number by number."""
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
    return [_pictures("What is looked up for the lines and corners through each cell", maps, position, "number")]


def _of_member(net: Member, position: Positions) -> list[Pictures]:
    """The four sweeps of a recurrent net, or what each node of a spatial net makes of the squares it sees."""
    sweeps: Callable[[NDArray[np.float32], Positions], NDArray[np.float32]] | None
    sweeps = getattr(net.architecture, "sweeps", None)
    if sweeps is not None:
        found = sweeps(net.vector[0], position)
        return [
            _pictures(f"Sweep from the {corner} corner", np.moveaxis(found[number], -1, 0), position, "unit")
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
    return [_pictures("The weights of each node, on the squares it sees", maps, position, "node")]


def _feature_maps(net: Net, position: Positions) -> list[Pictures]:
    """The feature maps of the first convolution of a torch module."""
    from zeroply.nets.torch_net import TorchNet

    if not isinstance(net, TorchNet):
        return []
    import torch
    from torch import nn

    found: list[NDArray[np.float32]] = []

    def keep(_: nn.Module, __: object, result: torch.Tensor) -> None:
        if not found and result.shape[-2:] == (position.game.size,) * 2:
            found.append(result[0].float().cpu().numpy())

    hooks = [layer.register_forward_hook(keep) for layer in net.module.modules() if isinstance(layer, nn.Conv2d)]
    try:
        net.outputs(position)
    finally:
        for hook in hooks:
            hook.remove()
    return [_pictures("Feature maps of the first layer", maps, position, "map") for maps in found]
