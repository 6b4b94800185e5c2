"""Fully connected nets, which Liskowski et al. 2018 propose in their discussion (section VII).

Convolutions see small squares; a fully connected layer sees the whole board at once, which suits Othello's long lines.
"""

from __future__ import annotations

import torch
from torch import nn

from zeroply.nets.modules.parts import Module, ModuleShape


class Dense(Module):
    """Hidden layers of the given sizes."""

    def __init__(self, shape: ModuleShape, sizes: list[int], bn: bool, dropout: float) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Flatten()]
        before = shape.planes * shape.size**2
        for units in map(shape.maps, sizes):
            layers += [nn.Linear(before, units, bias=not bn), *([nn.BatchNorm1d(units)] if bn else []), nn.ReLU()]
            layers += [nn.Dropout(dropout)] if dropout else []
            before = units
        self.layers = nn.Sequential(*layers, nn.Linear(before, shape.outputs))

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        outputs: torch.Tensor = self.layers(planes)
        return outputs
