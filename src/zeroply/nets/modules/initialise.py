"""He initialisation (He et al. 2015) of convolutional and linear layers, as Liskowski et al. 2018 do.

Weights are normal with variance 2 / fan-in and biases are 0; each array has a random stream of its own, keyed by the
seed and the array's name. Every other layer, and every layer of a module from outside, keeps its own initialisation.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from zeroply import chance
from zeroply.games import Game
from zeroply.nets import untrained
from zeroply.nets.modules.own import OwnModule
from zeroply.nets.modules.parts import PatternTable
from zeroply.nets.torch_net import TorchNet


def initialised(spec: str, game: Game, seed: int) -> TorchNet:
    """A net with random first weights that depend only on the architecture and the seed."""
    torch.manual_seed(chance.key(seed, "module") >> 1)  # for layers that initialise themselves
    net = untrained(spec, game)
    initialise(net.module, seed)
    return net


def initialise(module: nn.Module, seed: int) -> None:
    """Initialise the convolutional and linear layers of a module."""
    own = tuple(f"{name}.".lstrip(".") for name, part in module.named_modules() if isinstance(part, OwnModule))
    for name, layer in module.named_modules():
        if not name.startswith(own) and isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Conv3d | nn.Linear | PatternTable):
            key = chance.key(seed, "weights", f"{name}.weight".lstrip("."))
            values = normal(key, layer.weight.numel()) * math.sqrt(2 / layer.weight[0].numel())
            with torch.no_grad():
                layer.weight.copy_(torch.from_numpy(values.astype(np.float32)).reshape(layer.weight.shape))
                if not isinstance(layer, PatternTable) and layer.bias is not None:
                    layer.bias.zero_()


def normal(key: int, count: int) -> NDArray[np.float64]:
    """[count]: standard normal numbers (Box and Muller)."""
    half = np.arange((count + 1) // 2)
    radius = np.sqrt(-2 * np.log1p(-chance.uniform(key, 2 * half)))
    angle = 2 * np.pi * chance.uniform(key, 2 * half + 1)
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]
