"""Residual nets in the form He et al. (2016) gave them for CIFAR, as in Table VI of Liskowski et al. 2018.

Reading: a first convolution, then three stages of (depth - 2) / 6 blocks with 16, 32 and 64 maps; the text's "n/2
blocks" counts differently. A block adds its input to what two convolutions make of it. Between stages the board is
halved (without pooling it keeps its size), and the shortcut is padded with zeros or projected by a 1x1 convolution.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn

from zeroply.nets.modules.board_conv import BoardConv
from zeroply.nets.modules.board_norm import norm_relu
from zeroply.nets.modules.parts import Head, Module, ModuleShape

MAPS = (16, 32, 64)
"""Feature maps of the stages."""


class ResidualBlock(nn.Module):
    """Two convolutions and a shortcut around them."""

    def __init__(self, before: int, after: int, stride: int, projection: bool) -> None:
        super().__init__()
        self.stride = stride
        self.more = after - before
        self.conv1, self.bn1 = BoardConv(before, after, stride), nn.BatchNorm2d(after)
        self.conv2, self.bn2 = BoardConv(after, after), nn.BatchNorm2d(after)
        self.project: nn.Module | None = None
        if projection and (self.more or stride > 1):
            self.project = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[n, after, side / stride, side / stride] from [n, before, side, side]."""
        y = self.bn2(self.conv2(norm_relu(self.bn1, self.conv1(x))))
        return torch.relu(y + self._shortcut(x))

    def _shortcut(self, x: torch.Tensor) -> torch.Tensor:
        if self.project is not None:
            projected: torch.Tensor = self.project(x)
            return projected
        if self.stride > 1:
            x = x[:, :, :: self.stride, :: self.stride]
        return nn.functional.pad(x, (0, 0, 0, 0, 0, self.more)) if self.more else x


class ResNet(Module):
    """Three stages of residual blocks."""

    def __init__(
        self, shape: ModuleShape, depth: int, pooling: bool, projection: bool, head: Literal["average", "dense"]
    ) -> None:
        super().__init__()
        before, side = shape.maps(MAPS[0]), shape.size
        self.first, self.bn = BoardConv(shape.planes, before), nn.BatchNorm2d(before)
        blocks: list[nn.Module] = []
        for stage, maps in enumerate(map(shape.maps, MAPS)):
            for block in range((depth - 2) // 6):
                stride = 2 if pooling and stage and not block else 1
                blocks.append(ResidualBlock(before, maps, stride, projection))
                before, side = maps, (side + stride - 1) // stride
        self.blocks = nn.Sequential(*blocks)
        self.head = Head(head, before, side, shape)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        outputs: torch.Tensor = self.head(self.blocks(norm_relu(self.bn, self.first(planes))))
        return outputs
