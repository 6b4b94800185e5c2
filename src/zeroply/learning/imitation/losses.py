"""The loss, in one place: what a net's outputs should be.

A target is the number of the expert's move among the outputs (cross-entropy, Liskowski et al. 2018, section IV-A), or a
share for every output, for teachers that say more than one move.
"""

from __future__ import annotations

import torch
from torch.nn import functional


def loss(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy; `targets` are numbers of moves [n] int64 or shares of moves [n, outputs] float32."""
    return functional.cross_entropy(outputs, targets)


def hits(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """How many positions have their largest output where the target is largest."""
    wanted = targets if targets.ndim == 1 else targets.argmax(dim=1)
    return (outputs.argmax(dim=1) == wanted).sum()
