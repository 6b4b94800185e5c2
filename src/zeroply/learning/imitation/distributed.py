"""Several processes that train one net: the gradients of all are averaged at every step (DistributedDataParallel).

`torchrun --nproc-per-node 2 -m -- zeroply train ...` starts them, on one machine or several. The first process leads:
it alone holds the run, writes checkpoints and evaluates. Each process takes an equal part of every batch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from zeroply.learning.imitation import launch
from zeroply.learning.imitation.optimizers import KEYS
from zeroply.nets.modules.staged import Staged
from zeroply.nets.torch_net import device


@dataclass(frozen=True)
class Team:
    """The processes that train together, seen by one of them."""

    rank: int
    """Number of this process; 0 leads."""
    size: int
    """Number of processes."""
    device: torch.device
    """Where this process computes."""

    def part(self, batch: int) -> tuple[slice, float]:
        """The rows of a batch that this process takes, and the weight of their mean loss in that of the whole batch."""
        low, high = self.rank * batch // self.size, (self.rank + 1) * batch // self.size
        if low == high:  # a batch smaller than the team: take part in the step, without weight
            return slice(0, 1), 0.0
        return slice(low, high), (high - low) * self.size / batch

    def wrap(self, module: torch.nn.Module) -> torch.nn.Module:
        """The module as all processes train it; they take over the leader's weights."""
        if self.size == 1:
            return module
        unused = any(isinstance(part, Staged) for part in module.modules())  # a stage may be missing from a batch
        return DistributedDataParallel(module, find_unused_parameters=unused)

    def share_numbers(self, numbers: list[int]) -> list[int]:
        """The leader's whole numbers, in all processes."""
        if self.size == 1:
            return numbers
        tensor = torch.tensor(numbers, dtype=torch.int64, device=self.device)
        dist.broadcast(tensor, 0)
        return [int(number) for number in tensor.cpu()]

    def share_optimizer(self, kind: str, optimizer: torch.optim.Optimizer, module: torch.nn.Module) -> None:
        """Give all processes what the leader's optimizer remembers."""
        if self.size == 1:
            return
        places = [(parameter, key) for parameter in module.parameters() for key in KEYS[kind]]
        known = self.share_numbers([int(key in optimizer.state.get(p, {})) for p, key in places])
        for (parameter, key), there in zip(places, known, strict=True):
            if there:
                state: dict[str, Any] = optimizer.state[parameter]
                fresh = torch.zeros((), device=self.device) if key == "step" else torch.zeros_like(parameter)
                value = state.get(key, fresh).to(self.device)
                dist.broadcast(value, 0)
                state[key] = value.cpu() if key == "step" else value


@contextmanager
def team(name: str = "") -> Iterator[Team]:
    """The team that torchrun has started this process for, or a team of one, on the device of that name."""
    place = device(name)
    if launch.size() == 1:
        yield Team(0, 1, place)
        return
    if place.type == "cuda":
        place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(place)
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield Team(dist.get_rank(), launch.size(), place)
    finally:
        dist.destroy_process_group()
