"""WideNet-40-4 (Zagoruyko and Komodakis 2016), as in Table VI of Liskowski et al. 2018, section V-B4.

Three stacks of six residual blocks with 64, 128 and 256 maps, four times as wide as the first residual nets; the board
keeps its size. Normalisation and ReLU come before each convolution, as in wide residual nets.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn

from zeroply.nets.modules.board_conv import BoardConv
from zeroply.nets.modules.board_norm import Layers, norm_relu
from zeroply.nets.modules.parts import Head, Module, ModuleShape

FIRST, MAPS, BLOCKS = 16, (64, 128, 256), 6
"""Feature maps of the first convolution and of the stacks, and blocks of a stack."""


class WideBlock(nn.Module):
    """Two convolutions and a shortcut, which is a 1x1 convolution where the number of maps changes."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(before), BoardConv(before, after)
        self.bn2, self.conv2 = nn.BatchNorm2d(after), BoardConv(after, after)
        self.project = nn.Conv2d(before, after, 1, bias=False) if before != after else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[n, after, side, side] from [n, before, side, side]."""
        active = norm_relu(self.bn1, x)
        y: torch.Tensor = self.conv2(norm_relu(self.bn2, self.conv1(active)))
        return y + (x if self.project is None else self.project(active))


class WideNet(Module):
    """Three stacks of wide residual blocks."""

    def __init__(self, shape: ModuleShape, head: Literal["average", "dense"]) -> None:
        super().__init__()
        before = shape.maps(FIRST)
        layers: list[nn.Module] = [BoardConv(shape.planes, before)]
        for maps in map(shape.maps, MAPS):
            for _ in range(BLOCKS):
                layers.append(WideBlock(before, maps))
                before = maps
        self.layers = Layers(*layers, nn.BatchNorm2d(before), nn.ReLU())
        self.head = Head(head, before, shape.size, shape)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        outputs: torch.Tensor = self.head(self.layers(planes))
        return outputs
