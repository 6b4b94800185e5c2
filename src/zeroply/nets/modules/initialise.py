"""He initialisation (He et al. 2015): normal weights with variance 2 / fan-in, biases 0; as Liskowski et al. 2018 do.

Each array has a key of its own, named by the seed and the array, so a net's first weights depend on nothing else.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from zeroply import chance


def initialise(module: nn.Module, seed: int) -> None:
    """Give all weights of a module their first values."""
    normalised = {
        f"{name}.weight".lstrip(".")
        for name, layer in module.named_modules()
        if isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d)
    }
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name in normalised:
                parameter.fill_(1.0)
            elif parameter.ndim < 2:
                parameter.zero_()
            else:
                fan_in = parameter[0].numel()
                values = normal(chance.key(seed, "weights", name), parameter.numel()) * math.sqrt(2 / fan_in)
                parameter.copy_(torch.from_numpy(values.astype(np.float32)).reshape(parameter.shape))


def normal(key: int, count: int) -> NDArray[np.float64]:
    """[count]: standard normal numbers (Box and Muller)."""
    half = np.arange((count + 1) // 2)
    radius = np.sqrt(-2 * np.log1p(-chance.uniform(key, 2 * half)))
    angle = 2 * np.pi * chance.uniform(key, 2 * half + 1)
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]
