"""The loss, in one place: what a net's outputs should be.

A target is the number of the expert's move among the outputs (cross-entropy, Liskowski et al. 2018, section IV-A), or
what every move costs: then the loss is the cost to expect from a draw by the net's probabilities, so a move is pushed
down the more it gives away.
"""

from __future__ import annotations

import torch
from torch.nn import functional


def loss(outputs: torch.Tensor, targets: torch.Tensor, discs: float = 1.0) -> torch.Tensor:
    """Mean loss; `targets` are numbers of moves [n] int64, or costs [n, outputs] in discs, infinite where illegal.

    A cost of `discs` discs weighs as much as 1 of cross-entropy.
    """
    if targets.ndim == 1:
        return functional.cross_entropy(outputs, targets)
    legal = torch.isfinite(targets)
    shares = outputs.masked_fill(~legal, -torch.inf).softmax(dim=1)
    return (shares * targets.masked_fill(~legal, 0)).sum(dim=1).mean() / discs


def hits(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """How many positions have their largest output where the target says."""
    if targets.ndim == 1:
        return (outputs.argmax(dim=1) == targets).sum()
    best = outputs.masked_fill(~torch.isfinite(targets), -torch.inf).argmax(dim=1, keepdim=True)
    return (targets.gather(1, best) == 0).sum()
