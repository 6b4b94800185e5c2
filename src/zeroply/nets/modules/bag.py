"""Bagging: nets trained on bootstrap samples whose outputs are averaged (Liskowski et al. 2018, section V-B3).

Reading: the outputs are taken after the softmax, so probabilities of moves are averaged; the bag returns the logarithm
of their mean. Values are averaged as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import nn

from zeroply.nets.modules.parts import Module


class Bag(Module):
    """Averages the outputs of its nets."""

    def __init__(self, nets: Sequence[Module], probabilities: bool) -> None:
        super().__init__()
        self.nets = nn.ModuleList(nets)
        self.inputs = nets[0].inputs
        self.probabilities = probabilities

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        every = torch.stack([net(*inputs) for net in self.nets])
        if self.probabilities:
            return torch.logsumexp(torch.log_softmax(every, dim=2), dim=0) - math.log(len(self.nets))
        return every.mean(dim=0)
