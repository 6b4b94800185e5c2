"""Training a net on expert moves with torch (Liskowski et al. 2018, section V-A2).

A step depends only on the configuration, the number of the step and the weights, so a resumed training ends with the
same weights, bit for bit, on the same kind of processor with the same number of threads and processes. The members of a
bag are trained one after the other, each on its own bootstrap sample.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Split
from zeroply.games import Game
from zeroply.learning.imitation import losses
from zeroply.learning.imitation.config import TrainConfig
from zeroply.learning.imitation.distributed import Team
from zeroply.learning.imitation.evaluation import evaluate, sample
from zeroply.learning.imitation.optimizers import load_state, optimizer, set_rate, state_arrays
from zeroply.learning.imitation.schedule import rate_at
from zeroply.learning.imitation.source import TrainBatch, source
from zeroply.learning.memory import keep_freed_memory
from zeroply.nets import build, load, untrained
from zeroply.nets.modules.initialise import initialised
from zeroply.nets.torch_net import TorchNet, arrange, load_weights, tensor, use_threads, weights_of

KIND = "train"
AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}
"""Number formats of the forward pass, by precision."""


def first_net(config: TrainConfig, game: Game, member: int = 0) -> TorchNet:
    """A net with its initial weights."""
    if not config.init:
        return initialised(config.net, game, chance.key(config.seed, KIND, member))
    net = untrained(config.net, game)
    before = load(config.init, net.game)
    if before.spec != net.spec:
        raise ZeroplyError(f"{config.init} is a {before.spec} and its weights do not fit {net.spec}")
    load_weights(net.module, before.weights)
    return net


@dataclass
class LossWindow:
    """Sums since the last log entry; steps are added without waiting for the device."""

    loss: float = 0.0
    hits: int = 0
    seen: int = 0
    begun: float = field(default_factory=time.monotonic)
    _waiting: list[tuple[torch.Tensor, torch.Tensor, int]] = field(default_factory=list)

    def add(self, loss: torch.Tensor, hits: torch.Tensor, seen: int) -> None:
        """Add a step: its mean loss, the correct predictions and the number of examples."""
        self._waiting.append((loss.detach(), hits, seen))

    def settle(self, step: int) -> None:
        """Wait for the device and add up all steps until this one; raises ZeroplyError if a loss is not finite."""
        if not self._waiting:
            return
        losses, hits, seen = zip(*self._waiting, strict=True)
        self._waiting.clear()
        for number, (loss, n) in enumerate(zip(torch.stack(losses).tolist(), seen, strict=True)):
            if not np.isfinite(loss):
                raise ZeroplyError(
                    f"the training has diverged at step {step - len(seen) + number + 1}: its loss is NaN; try a lower "
                    "--rate, a --warmup or --clip 1"
                )
            self.loss, self.seen = self.loss + loss * n, self.seen + n
        self.hits += int(torch.stack(hits).sum())


class Trainer:
    """The training of one net after the other, in this process."""

    def __init__(self, config: TrainConfig, examples: tuple[Examples, Split], team: Team) -> None:
        keep_freed_memory()
        _core.set_threads(config.threads)
        use_threads()
        self.config, self.team = config, team
        self.data, split = examples
        self.game = self.data.game
        self.rows = self.data.side(split, "train")
        self.tested = self.data.side(split, "test")
        self.per_epoch = -(-len(self.rows) // (config.batch - config.opening_examples))
        self.steps = max(1, round(self.per_epoch * config.epochs))
        """Steps per net."""
        self.member = self.step = 0
        self.net: TorchNet | None = None
        self.window = LossWindow()
        prepare(config.precision)
        bfloat = config.precision == "bf16" and team.device.type == "cpu" and _core.has_bfloat()
        self.products = "core" if bfloat else "torch"
        """What multiplies numbers of reduced precision; another one would round differently."""
        self._measured_rows: dict[int, dict[str, NDArray[np.uint32]]] = {}
        self._batches: Generator[TrainBatch] | None = None

    def open_member(self, member: int, step: int, arrays: Mapping[str, Any], window: list[Any]) -> None:
        """Make the net of a member, at some step; all processes take over the state of the first one."""
        config = self.config
        self.member, self.step = member, step
        self.net = net = first_net(config, self.game, self.member)
        arrange(net.module, self.team.device)
        net.device = self.team.device
        self.optimizer = optimizer(config.optimizer, net.module, config.rate, config.decay, config.momentum)
        if arrays:
            parts: dict[str, dict[str, Any]] = {"net": {}, "optimizer": {}, "scaler": {}}
            for name, array in arrays.items():
                part, _, rest = name.partition("/")
                parts[part][rest] = array
            load_weights(net.module, parts["net"])
            load_state(config.optimizer, self.optimizer, net.module, parts["optimizer"])
        self.module = self.team.wrap(net.module)
        self.forward = torch.compile(self.module) if config.compile else self.module
        self.scaler = torch.amp.GradScaler(self.team.device.type, enabled=config.precision == "fp16")
        if arrays and parts["scaler"]:
            state = {name: array.item() for name, array in parts["scaler"].items()}
            self.scaler.load_state_dict(self.scaler.state_dict() | state)
        self.team.share_optimizer(config.optimizer, self.optimizer, net.module)
        self._random = any(isinstance(module, torch.nn.Dropout) for module in net.module.modules())
        self.window = LossWindow(*window)
        key = chance.key(config.seed, KIND, self.member, "batches")
        batches = source(config, self.data, self.rows, net, key).from_step(self.step)
        self._batches = cast("Generator[TrainBatch]", batches)
        self.module.train()

    def close_member(self) -> TorchNet:
        """The trained net of the current member."""
        assert self.net is not None
        self.net.module.eval()
        trained = build(self.config.net, self.game, weights_of(self.net.module))
        self.close()
        self.net = None
        return cast("TorchNet", trained)

    def close(self) -> None:
        """Stop loading batches."""
        if self._batches is not None:
            self._batches.close()
            self._batches = None

    def take_step(self) -> None:
        """One step of the optimizer."""
        assert self._batches is not None
        batch = next(self._batches)
        config = self.config
        if self._random:
            torch.manual_seed(chance.key(config.seed, "units", self.member, self.step, self.team.rank) >> 1)
        set_rate(self.optimizer, self.rate(self.step))
        self.window.add(*self._learn(batch))
        self.step += 1

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        return rate_at(self.config, step, self.steps, self.per_epoch)

    def _learn(self, batch: TrainBatch) -> tuple[torch.Tensor, torch.Tensor, int]:
        """Returns the mean loss, the correct predictions and the number of examples of this process's part of the
        batch."""
        mine, weight = self.team.part(len(batch.targets))
        device, config = self.team.device, self.config
        rows = np.arange(len(batch.targets))[mine]
        twice = rows.repeat(2) if len(rows) == 1 else rows  # batch normalisation: one row has no variance
        inputs = [tensor(one[twice], device) for one in batch.inputs]
        targets = tensor(batch.targets[twice], device)
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, AUTOCAST.get(config.precision), enabled=config.precision in AUTOCAST):
            outputs = self.forward(*inputs)
        loss = losses.loss(outputs.float(), targets, config.discs)
        self.scaler.scale(loss * weight).backward()  # type: ignore[no-untyped-call]
        if config.clip:
            self.scaler.unscale_(self.optimizer)
            torch.nn.utils.clip_grad_norm_(self.module.parameters(), config.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss, losses.hits(outputs[: len(rows)], targets[: len(rows)]), len(rows)

    def measure(self, net: TorchNet, examples: int) -> dict[str, Any]:
        """Accuracy on test and training examples, the same ones each time."""
        if examples not in self._measured_rows:
            key = chance.key(self.config.split_seed, "evaluation")
            sides = {"test": self.tested, "train": self.rows}
            self._measured_rows[examples] = {
                side: sample(rows, examples, chance.key(key, side)) for side, rows in sides.items()
            }
        return {side: evaluate(net, self.data, rows).summary() for side, rows in self._measured_rows[examples].items()}

    def evaluate_member(self, examples: int) -> dict[str, Any]:
        """Accuracy of the net under training."""
        assert self.net is not None
        self.net.module.eval()
        accuracy = self.measure(self.net, examples)
        self.module.train()
        return accuracy

    def arrays(self) -> dict[str, Any]:
        """Weights and optimizer of the current member; empty between two members."""
        if self.net is None:
            return {}
        weights = {f"net/{name}": array for name, array in weights_of(self.net.module).items()}
        moments = state_arrays(self.config.optimizer, self.optimizer, self.net.module)
        arrays = weights | {f"optimizer/{name}": array for name, array in moments.items()}
        if self.scaler.is_enabled():
            scaler = self.scaler.state_dict()
            arrays |= {f"scaler/{name}": np.array(scaler[name]) for name in ("scale", "_growth_tracker")}
        return arrays


def prepare(precision: str) -> None:
    """Set torch to a precision, and a GPU to algorithms that repeat exactly."""
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
