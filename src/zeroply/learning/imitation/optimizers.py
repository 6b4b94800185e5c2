"""Optimizers, and their state as named arrays, so that a checkpoint needs no pickle.

Weights decay, biases and the parameters of batch normalisation do not. Reading: the paper's "L2 norm with the weight of
5e-4" is taken as a weight decay of 5e-4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

KEYS = {"sgd": ("momentum_buffer",), "adamw": ("step", "exp_avg", "exp_avg_sq")}
"""What each optimizer remembers of a parameter."""


def optimizer(
    kind: str, module: torch.nn.Module, rate: float, decay: float, momentum: float = 0.0
) -> torch.optim.Optimizer:
    """An optimizer for the weights of a module: `sgd` with momentum or `adamw`."""
    decaying = [p for p in module.parameters() if p.ndim >= 2]
    others = [p for p in module.parameters() if p.ndim < 2]
    groups: list[dict[str, Any]] = [
        {"params": decaying, "weight_decay": decay},
        {"params": others, "weight_decay": 0.0},
    ]
    if kind == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=momentum, foreach=True)
    return torch.optim.AdamW(groups, lr=rate, foreach=True)


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """The learning rate of the next step."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def state_arrays(kind: str, optimizer: torch.optim.Optimizer, module: torch.nn.Module) -> dict[str, NDArray[Any]]:
    """What the optimizer remembers, as arrays named `parameter:key`."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, parameter in module.named_parameters():
        for key in KEYS[kind]:
            value = optimizer.state.get(parameter, {}).get(key)
            if value is not None:
                arrays[f"{name}:{key}"] = value.detach().cpu().numpy().copy()
    return arrays


def load_state(
    kind: str, optimizer: torch.optim.Optimizer, module: torch.nn.Module, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Put back what `state_arrays` gave."""
    for name, parameter in module.named_parameters():
        state = {}
        for key in KEYS[kind]:
            if (array := arrays.get(f"{name}:{key}")) is not None:
                value = torch.from_numpy(np.array(array))
                state[key] = value if key == "step" else torch.empty_like(parameter).copy_(value)
        if state:
            optimizer.state[parameter] = state
