"""Speed of Conv8 with batch normalisation: training with the kernels of the core against torch's own, and inference.

The programs take turns in one process, so that other load on the machine meets all of them. Every figure is the best
of several trials: CPU time on one thread, wall time on several.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from zeroply import _core, chance
from zeroply.games import game
from zeroply.nets import build, untrained
from zeroply.nets.onnx_files import OnnxNet, to_onnx
from zeroply.nets.output_net import OutputNet
from zeroply.nets.torch_net import TorchNet, arrange, needs_torch, use_threads, weights_of

if TYPE_CHECKING:
    import torch

    from zeroply.nets.modules.graph_module import GraphModule

K = TypeVar("K")

BARS: dict[float, float | None] = {1.0: 1.8, 0.5: 1.5, 0.25: None}
"""The widths that are trained, and the target for the ratio to torch's speed."""
TRAINING_BATCH = 256
INFERENCE_WIDTH, INFERENCE_BATCHES = 1.0, (256, 1)
TRIALS = 3
"""Fewest trials per figure."""
PEERS = ("core", "torch", "onnxruntime")
"""The programs whose inference is measured."""


@dataclass(frozen=True)
class TrainingSpeed:
    """Examples per second of training steps at one width."""

    net: str
    """Spec of the net."""
    batch: int
    """Examples per step."""
    precision: str
    """Number format of the products: fp32 or bf16."""
    core: float
    """With the layers of the core."""
    torch: float
    """With torch's own."""
    bar: float | None
    """The target for the ratio."""

    @property
    def ratio(self) -> float:
        """How many times faster with the core."""
        return self.core / self.torch


@dataclass(frozen=True)
class InferenceSpeed:
    """Microseconds per position of a trained net."""

    net: str
    """Spec of the net."""
    batch: int
    """Positions per call."""
    microseconds: Mapping[str, float | None]
    """By program; None for one that is not installed."""


def measure(
    threads: int, seconds: float, progress: Callable[[int, int], None]
) -> tuple[list[TrainingSpeed], list[InferenceSpeed]]:
    """All figures, for about `seconds` each; `progress(done, total)` is called after each row."""
    with needs_torch():
        import zeroply.nets.modules.graph_module  # noqa: F401
    before = _core.threads()
    _core.set_threads(threads)
    use_threads()
    training: list[TrainingSpeed] = []
    inference: list[InferenceSpeed] = []
    precisions = ("fp32", "bf16") if _core.has_bfloat() else ("fp32",)
    total = len(BARS) * len(precisions) + len(INFERENCE_BATCHES)
    try:
        for width, bar in BARS.items():
            training += _training(width, bar, precisions, seconds)
            progress(len(training), total)
        nets = _trained(spec := _spec(INFERENCE_WIDTH))
        for batch in INFERENCE_BATCHES:
            inference.append(_inference(spec, nets, batch, seconds))
            progress(len(training) + len(inference), total)
    finally:
        _core.set_threads(before)
    return training, inference


def _spec(width: float) -> str:
    return f"conv8(bn=true, width={width:g})"


def _training(width: float, bar: float | None, precisions: tuple[str, ...], seconds: float) -> list[TrainingSpeed]:
    import torch

    planes = (torch.rand(TRAINING_BATCH, 2, 8, 8) < 0.4).float().contiguous(memory_format=torch.channels_last)
    moves = torch.randint(0, 60, (TRAINING_BATCH,))
    steps = {
        (precision, plain): _step(_module(_spec(width), plain=plain), planes, moves, precision)
        for precision in precisions
        for plain in (False, True)
    }
    speed = {kind: TRAINING_BATCH / best for kind, best in _best(steps, seconds * len(precisions)).items()}
    return [
        TrainingSpeed(
            _spec(width), TRAINING_BATCH, precision, speed[precision, False], speed[precision, True],
            bar if precision == "fp32" else None,
        )
        for precision in precisions
    ]  # fmt: skip


def _module(spec: str, *, plain: bool) -> GraphModule:
    """The module of an architecture; `plain` for torch's own layers only."""
    import torch

    from zeroply.nets.modules.graph_module import GraphModule
    from zeroply.nets.modules.initialise import initialise

    module = untrained(spec, "othello").module
    assert isinstance(module, GraphModule)
    chosen = GraphModule(module.graph, plain=plain)
    initialise(chosen, 1)
    arrange(chosen, torch.device("cpu"))
    return chosen


def _step(
    module: GraphModule, planes: torch.Tensor, moves: torch.Tensor, precision: str = "fp32"
) -> Callable[[], object]:
    """A step of training, as a call."""
    import torch

    optimizer = torch.optim.SGD(module.parameters(), lr=0.01, momentum=0.9)
    module.train()

    def step() -> None:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            outputs = module(planes)
        torch.nn.functional.cross_entropy(outputs.float(), moves).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return step


def _trained(spec: str) -> dict[str, OutputNet]:
    """The net as each program runs it."""
    module = _module(spec, plain=True)
    rules = game("othello")
    ours = build(spec, rules, weights_of(module))
    assert isinstance(ours, OutputNet)
    nets = {"core": ours, "torch": TorchNet(rules, None, module, "pieces", "moves").on_cpu()}
    if importlib.util.find_spec("onnxruntime") and importlib.util.find_spec("onnx"):
        nets["onnxruntime"] = OnnxNet(ours, to_onnx(ours))
    return nets


def _inference(spec: str, nets: Mapping[str, OutputNet], batch: int, seconds: float) -> InferenceSpeed:
    positions = game("othello").start(batch)
    keys, moves = chance.keys(1, np.arange(batch)), np.empty(batch, np.int32)
    for _ in range(20):
        positions.batch.random_moves(keys, moves)
        positions.play(moves)
    best = _best({name: partial(net.outputs, positions) for name, net in nets.items()}, seconds)
    return InferenceSpeed(spec, batch, {name: 1e6 * best[name] / batch if name in best else None for name in PEERS})


def _best(calls: Mapping[K, Callable[[], object]], seconds: float) -> dict[K, float]:
    """Seconds per call, the best of trials in which the calls take turns."""
    clock = time.process_time if _core.threads() == 1 else time.perf_counter
    best = dict.fromkeys(calls, float("inf"))
    trials, start = 0, time.perf_counter()
    while trials < TRIALS or time.perf_counter() - start < seconds:
        for name, call in calls.items():
            before = clock()
            call()
            best[name] = min(best[name], clock() - before)
        trials += 1
    return best
