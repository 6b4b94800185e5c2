"""Densely connected nets (Huang et al. 2017), as in Table VI of Liskowski et al. 2018.

Three blocks of (depth - 4) / 3 layers; each layer sees the outputs of all earlier ones of its block and adds `growth`
maps. Reading: growth 12 without bottlenecks, and no halving of the board between blocks, as the paper's residual nets
showed that halving costs accuracy; `pooling` puts it back.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn

from zeroply.nets.modules.board_conv import BoardConv
from zeroply.nets.modules.board_norm import Layers, norm_relu
from zeroply.nets.modules.parts import Head, Module, ModuleShape

FIRST = 16
"""Feature maps of the first convolution."""


class Layer(nn.Module):
    """Adds `growth` maps to its input."""

    def __init__(self, before: int, growth: int) -> None:
        super().__init__()
        self.bn, self.conv = nn.BatchNorm2d(before), BoardConv(before, growth)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[n, before + growth, side, side] from [n, before, side, side]."""
        return torch.cat([x, self.conv(norm_relu(self.bn, x))], dim=1)


class DenseNet(Module):
    """Three densely connected blocks."""

    def __init__(
        self, shape: ModuleShape, depth: int, growth: int, pooling: bool, head: Literal["average", "dense"]
    ) -> None:
        super().__init__()
        maps, added, side = shape.maps(FIRST), shape.maps(growth), shape.size
        layers: list[nn.Module] = [BoardConv(shape.planes, maps)]
        for block in range(3):
            for _ in range((depth - 4) // 3):
                layers.append(Layer(maps, added))
                maps += added
            layers += [nn.BatchNorm2d(maps), nn.ReLU()]
            if block < 2:
                layers.append(nn.Conv2d(maps, maps, 1, bias=False))
            if block < 2 and pooling:
                layers.append(nn.AvgPool2d(2))
                side //= 2
        self.layers = Layers(*layers)
        self.head = Head(head, maps, side, shape)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        outputs: torch.Tensor = self.head(self.layers(planes))
        return outputs
