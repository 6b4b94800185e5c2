"""Common parts of the modules: input and output shapes, widths, and the two heads.

A module declares its input (`inputs`): planes, or the bitboards of own and opposing stones. It returns one row of raw
outputs per position: logits, a value, or values of moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn

from zeroply.nets.encodings import Inputs

HIDDEN = 128
"""Units of the hidden layer before the outputs (Liskowski et al. 2018, section IV-B)."""
CELL_BITS = torch.ones((), dtype=torch.int64) << torch.arange(64)
"""The bit of each cell. Shifting boards instead fails in ONNX, which divides: wrong if the last cell is set."""


@dataclass(frozen=True)
class ModuleShape:
    """Input and output sizes of a module."""

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


class Module(nn.Module):
    """An architecture in torch."""

    inputs: Inputs = "planes"
    """What `forward` takes: `planes` [n, planes, size, size] float32, or `bits`, own and opponent [n] int64 each."""


class PatternTable(nn.Embedding):
    """A row of weights per content of a pattern: a linear layer on one-hot inputs, and initialised like one."""


class Head(nn.Module):
    """From feature maps to outputs: by global average pooling, or by a hidden layer over all cells."""

    def __init__(self, kind: Literal["average", "dense"], maps: int, side: int, shape: ModuleShape) -> None:
        super().__init__()
        self.kind = kind
        if kind == "average":
            self.out = nn.Linear(maps, shape.outputs)
        else:
            self.hidden = nn.Linear(maps * side * side, shape.maps(HIDDEN))
            self.out = nn.Linear(shape.maps(HIDDEN), shape.outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[n, outputs] from [n, maps, side, side]."""
        x = x.mean(dim=(2, 3)) if self.kind == "average" else torch.relu(self.hidden(x.flatten(1)))
        outputs: torch.Tensor = self.out(x)
        return outputs
