"""A net that torch runs: a module and its weights, called on batches of positions.

Torch is imported only when such a net is built: to train one, to run one on a GPU, and for architectures that the core
does not have.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions, bits
from zeroply.nets.contract import Weights, check_weights
from zeroply.nets.core_net import DEVICE
from zeroply.nets.encodings import PLANES, Encoding
from zeroply.nets.output_net import Output, OutputNet

if TYPE_CHECKING:
    import torch

    from zeroply.nets.modules.parts import Module

BATCH = {"cpu": 256, "other": 8192}
"""Positions per forward pass."""
_COUNTER = "num_batches_tracked"  # an unused counter of torch's batch normalisation


@contextmanager
def needs_torch() -> Iterator[None]:
    """Turn a missing optional package into a ZeroplyError."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("torch", "onnx", "onnxruntime", "onnxscript"):
            raise
        raise ZeroplyError(f"this needs {error.name}: install it with pip install '.[train]'") from None


def device(name: str = "") -> torch.device:
    """Where nets run: the device of that name, `ZEROPLY_DEVICE`, or a GPU if there is one."""
    import torch

    wanted = name or os.environ.get(DEVICE) or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=wanted).device
    except (RuntimeError, AssertionError):
        instead = "choose another --device" if name else f"unset {DEVICE} or set it to cpu"
        raise ZeroplyError(f"device '{wanted}' cannot be used here: {instead}") from None


def use_threads() -> None:
    """Set torch to the same number of threads as the core."""
    import torch

    if torch.get_num_threads() != _core.threads():
        torch.set_num_threads(_core.threads())


def tensor(array: NDArray[Any], place: torch.device) -> torch.Tensor:
    """An array as a tensor for a module."""
    import torch

    plain = torch.from_numpy(array)
    if place.type == "cuda":  # from pinned memory the copy does not make the program wait
        plain = plain.pin_memory()
    plain = plain.to(place, non_blocking=place.type == "cuda")
    return plain.contiguous(memory_format=torch.channels_last) if plain.ndim == 4 else plain


def arrange(module: torch.nn.Module, place: torch.device) -> None:
    """Move a module to its device, with channels last in memory, which is faster."""
    import torch

    module.to(place)
    for parameter in module.parameters():
        if parameter.ndim == 4:
            parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)


class TorchNet(OutputNet):
    """A torch module as a net."""

    def __init__(self, game: Game, weights: Weights | None, module: Module, planes: Encoding, output: Output) -> None:
        """Without `weights` the module keeps its initial weights, for training."""
        if weights is not None:
            load_weights(module, weights)
        super().__init__(game, weights_of(module) if weights is None else weights, planes, output)
        self.module = module.eval()
        if module.inputs == "bits":
            self.encoding = "bitboards of own and opposing stones"
        self.device = device()
        if self.device.type == "cpu":
            _core.reuse_memory()  # fresh memory for the arrays of each training step costs a fifth of its time
        arrange(self.module, self.device)

    def on_cpu(self) -> TorchNet:
        """A copy of the net that runs on the CPU."""
        import torch

        copied = copy.copy(self)
        copied.module, copied.device = copy.deepcopy(self.module), torch.device("cpu")
        arrange(copied.module, copied.device)
        return copied

    def outputs(self, positions: Positions) -> NDArray[np.float32]:
        """[n, outputs]: raw outputs, illegal moves included; moves are in the order of `playable(game)`."""
        outputs = [self.forward(*self.inputs(positions[low : low + self.batch])) for low in self._lows(positions)]
        return np.concatenate(outputs) if outputs else np.zeros((0, self.output_size), np.float32)

    @property
    def batch(self) -> int:
        """Positions per forward pass."""
        return BATCH["cpu" if self.device.type == "cpu" else "other"]

    def inputs(self, positions: Positions) -> tuple[NDArray[Any], ...]:
        """The arguments of the module."""
        if self.module.inputs == "bits":
            return tuple(one.view(np.int64) for one in bits(positions))
        return (positions.planes(PLANES[self.planes]),)

    def forward(self, *inputs: NDArray[Any]) -> NDArray[np.float32]:
        """[n, outputs]: the module's outputs for its inputs."""
        import torch

        use_threads()
        with torch.inference_mode():
            result = self.module(*(tensor(one, self.device) for one in inputs))
            return np.asarray(result.float().cpu().numpy(), np.float32)

    def _lows(self, positions: Positions) -> range:
        return range(0, len(positions), self.batch)


def weights_of(module: torch.nn.Module) -> dict[str, NDArray[np.float32]]:
    """Copies of the weights and statistics of a module."""
    return {
        name: np.array(tensor.detach().cpu().numpy(), np.float32, order="C")
        for name, tensor in module.state_dict().items()
        if not name.endswith(_COUNTER)
    }


def load_weights(module: torch.nn.Module, weights: Weights) -> None:
    """Copy arrays into a module; raises ZeroplyError unless names and shapes match and all values are finite."""
    import torch

    wanted = {name: tensor for name, tensor in module.state_dict().items() if not name.endswith(_COUNTER)}
    check_weights({name: tuple(tensor.shape) for name, tensor in wanted.items()}, weights)
    with torch.no_grad():
        for name, tensor in wanted.items():
            tensor.copy_(torch.from_numpy(np.array(weights[name], np.float32)))


def multiply_adds(net: TorchNet) -> int:
    """Multiply-adds per position in convolutions and linear layers."""
    import torch
    from torch import nn

    total = 0
    module = net.on_cpu().module.eval()

    def count(layer: nn.Module, _: object, result: torch.Tensor) -> None:
        nonlocal total
        if isinstance(layer, nn.Conv2d):
            total += result.numel() * layer.weight[0].numel()
        elif isinstance(layer, nn.Linear):
            total += result.numel() * layer.in_features

    for layer in module.modules():
        layer.register_forward_hook(count)
    with torch.no_grad():
        module(*(torch.from_numpy(one) for one in net.inputs(net.game.start())))
    return total
