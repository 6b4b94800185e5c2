"""A net as a graph of layers, without its weights: torch trains it, and the core runs it without torch.

Feature maps have a side and channels; vectors have side 0. A layer has the names that its weights have in net files,
so one description gives the module of torch (`zeroply.nets.modules.graph_module`), the program of the core
(`zeroply.nets.core_net`), and the shapes of all arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from zeroply.errors import ZeroplyError

Kind = Literal["planes", "conv", "norm", "relu", "add", "join", "shortcut", "pool", "mean", "linear", "dropout"]
"""What a layer does. `shortcut` takes every stride-th cell and adds channels of zeros; `pool` averages 2x2 cells."""
HeadKind = Literal["average", "dense"]
"""Outputs by global average pooling, or by a hidden layer over all cells."""

HIDDEN = 128
"""Units of the hidden layer before the outputs (Liskowski et al. 2018, section IV-B)."""
EPSILON = 1e-5
"""The epsilon of batch normalisation."""


@dataclass(frozen=True)
class Sizes:
    """Input and output sizes of a net."""

    planes: int
    """Planes of the input."""
    size: int
    """Side of the board."""
    outputs: int
    """Outputs per position."""
    width: float = 1.0
    """Factor on feature maps and hidden units."""

    def maps(self, number: int) -> int:
        """A number of feature maps or units, scaled by the width."""
        return max(1, round(number * self.width))


@dataclass(frozen=True)
class Layer:
    """One layer and the shape of its result."""

    kind: Kind
    """What it does."""
    inputs: tuple[int, ...]
    """Numbers of the layers whose results it takes."""
    channels: int
    """Channels of its result, or units."""
    side: int
    """Side of its result; 0 for a vector."""
    name: str = ""
    """Its weights are `name.weight` and so on; empty if it has none."""
    kernel: int = 1
    """Side of a convolution's kernel."""
    stride: int = 1
    """Distance of the cells that a convolution or shortcut computes."""
    bias: bool = False
    """Whether a convolution or linear layer has a bias."""
    rate: float = 0.0
    """Dropout rate."""


class Graph:
    """Layers in order of computation. Each method adds one and returns its number; the last one is the output."""

    def __init__(self, planes: int, size: int) -> None:
        """Layer 0 is the input."""
        self.layers = [Layer("planes", (), planes, size)]

    def conv(self, x: int, name: str, maps: int, kernel: int = 3, stride: int = 1, bias: bool = False) -> int:
        """A convolution with zero padding."""
        side = -(-self.layers[x].side // stride)
        return self._add(Layer("conv", (x,), maps, side, name, kernel, stride, bias))

    def linear(self, x: int, name: str, units: int, bias: bool = True) -> int:
        """A linear layer over everything that `x` holds."""
        return self._add(Layer("linear", (x,), units, 0, name, bias=bias))

    def norm(self, x: int, name: str) -> int:
        """Batch normalisation."""
        return self._like("norm", x, name)

    def relu(self, x: int) -> int:
        """The positive part."""
        return self._like("relu", x)

    def norm_relu(self, x: int, name: str) -> int:
        """Batch normalisation, then ReLU."""
        return self.relu(self.norm(x, name))

    def dropout(self, x: int, name: str, rate: float) -> int:
        """Random zeros while training."""
        return self._add(Layer("dropout", (x,), self.layers[x].channels, self.layers[x].side, name, rate=rate))

    def add(self, first: int, second: int) -> int:
        """The sum of two."""
        return self._add(Layer("add", (first, second), self.layers[first].channels, self.layers[first].side))

    def join(self, first: int, second: int) -> int:
        """The channels of two."""
        both = self.layers[first].channels + self.layers[second].channels
        return self._add(Layer("join", (first, second), both, self.layers[first].side))

    def shortcut(self, x: int, stride: int, maps: int) -> int:
        """Every stride-th cell, with channels of zeros added; `x` itself where nothing changes."""
        if stride == 1 and maps == self.layers[x].channels:
            return x
        return self._add(Layer("shortcut", (x,), maps, -(-self.layers[x].side // stride), stride=stride))

    def pool(self, x: int) -> int:
        """Means of 2x2 cells."""
        if self.layers[x].side < 2:
            raise ZeroplyError(f"a board of side {self.layers[0].side} is too small to be halved: use pooling=false")
        return self._add(Layer("pool", (x,), self.layers[x].channels, self.layers[x].side // 2))

    def mean(self, x: int) -> int:
        """Means of all cells."""
        return self._add(Layer("mean", (x,), self.layers[x].channels, 0))

    def head(self, x: int, kind: HeadKind, sizes: Sizes) -> int:
        """The outputs of residual and dense nets."""
        if kind == "average":
            return self.linear(self.mean(x), "head.out", sizes.outputs)
        hidden = self.relu(self.linear(x, "head.hidden", sizes.maps(HIDDEN)))
        return self.linear(hidden, "head.out", sizes.outputs)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every array of the net by its name."""
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in self.layers:
            weight: tuple[int, ...] = (layer.channels,)
            if layer.kind == "conv":
                weight = (layer.channels, self.before(layer).channels, layer.kernel, layer.kernel)
            elif layer.kind == "linear":
                weight = (layer.channels, self.features(layer.inputs[0]))
            elif layer.kind == "norm":
                shapes |= {f"{layer.name}.{part}": weight for part in ("bias", "running_mean", "running_var")}
            else:
                continue
            shapes[f"{layer.name}.weight"] = weight
            if layer.bias:
                shapes[f"{layer.name}.bias"] = (layer.channels,)
        return shapes

    def before(self, layer: Layer) -> Layer:
        """The layer whose result a layer takes."""
        return self.layers[layer.inputs[0]]

    def features(self, number: int) -> int:
        """Numbers per position in the result of a layer."""
        return self.layers[number].channels * max(1, self.layers[number].side) ** 2

    def users(self, number: int) -> list[int]:
        """The layers that take the result of a layer."""
        return [user for user, layer in enumerate(self.layers) if number in layer.inputs]

    def _like(self, kind: Kind, x: int, name: str = "") -> int:
        return self._add(Layer(kind, (x,), self.layers[x].channels, self.layers[x].side, name))

    def _add(self, layer: Layer) -> int:
        self.layers.append(layer)
        return len(self.layers) - 1
