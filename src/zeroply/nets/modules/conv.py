"""Plain convolutional nets: Conv4, Conv6, Conv8 (Liskowski et al. 2018, Table I) and the ten-layer one of section V-B2.

3x3 convolutions with zero padding and ReLU, so all feature maps keep the size of the board; then a hidden layer of 128
and the outputs. With batch normalisation the layers have no biases of their own, since it adds one.
"""

from __future__ import annotations

import torch
from torch import nn

from zeroply.nets.modules.board_conv import BoardConv
from zeroply.nets.modules.board_norm import Layers
from zeroply.nets.modules.parts import HIDDEN, Module, ModuleShape

MAPS = (64, 64, 128, 128, 256, 256, 256, 256, 256, 256)
"""Feature maps of the layers."""


class Conv(Module):
    """A stack of convolutional layers."""

    def __init__(self, shape: ModuleShape, depth: int, bn: bool, dropout: float) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = shape.planes
        for maps in map(shape.maps, MAPS[:depth]):
            layers += [BoardConv(before, maps, bias=not bn), *([nn.BatchNorm2d(maps)] if bn else []), nn.ReLU()]
            before = maps
        self.stack = Layers(*layers)
        hidden = shape.maps(HIDDEN)
        # Reading: the paper disables half of the units without saying where; here, as is usual, of the layers that
        # feed the two fully connected ones.
        drop: list[nn.Module] = [nn.Dropout(dropout)] if dropout else []
        self.head = nn.Sequential(
            *drop,
            nn.Linear(before * shape.size**2, hidden, bias=not bn),
            *([nn.BatchNorm1d(hidden)] if bn else []),
            nn.ReLU(),
            *drop,
            nn.Linear(hidden, shape.outputs),
        )

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        outputs: torch.Tensor = self.head(self.stack(planes).flatten(1))
        return outputs
