"""Common parts of the modules.

A module declares its input (`inputs`): planes, or the bitboards of own and opposing stones. It returns one row of raw
outputs per position: logits, a value, or values of moves.
"""

from __future__ import annotations

import torch
from torch import nn

from zeroply.nets.encodings import Inputs

CELL_BITS = torch.ones((), dtype=torch.int64) << torch.arange(64)
"""The bit of each cell. Shifting boards instead fails in ONNX, which divides: wrong if the last cell is set."""


class Module(nn.Module):
    """An architecture in torch."""

    inputs: Inputs = "planes"
    """What `forward` takes: `planes` [n, planes, size, size] float32, or `bits`, own and opponent [n] int64 each."""


class PatternTable(nn.Embedding):
    """A row of weights per content of a pattern: a linear layer on one-hot inputs, and initialised like one."""
