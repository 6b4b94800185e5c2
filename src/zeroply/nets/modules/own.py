"""A plain torch module as the module of a net; its class keeps its own initialisation."""

from __future__ import annotations

import torch
from torch import nn

from zeroply.nets.modules.parts import Module


class OwnModule(Module):
    """Hands planes to a module of another package."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        result: torch.Tensor = self.net(*inputs)
        return result
