"""Training a net on expert moves, as a run (Liskowski et al. 2018, section V-A2).

What a step does depends only on the configuration, the number of the step and the weights, so a training that is killed
and resumed ends with the same weights, bit for bit, on the same kind of processor with as many threads and processes.
A bag is trained member after member, each on its own bootstrap sample, and then put together.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from zeroply import _core, chance, levels
from zeroply.arena.unchanged import STORED, check_unchanged, fingerprints
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Split
from zeroply.games import game
from zeroply.learning.imitation import losses
from zeroply.learning.imitation.config import TrainConfig
from zeroply.learning.imitation.distributed import Team, team
from zeroply.learning.imitation.evaluation import evaluate, overlap, sample
from zeroply.learning.imitation.launch import beside, leads
from zeroply.learning.imitation.optimizers import load_state, optimizer, set_rate, state_arrays
from zeroply.learning.imitation.schedule import rate_at
from zeroply.learning.imitation.source import Batch, Source, open_examples, open_judged, source
from zeroply.learning.memory import keep_freed_memory
from zeroply.nets import build, inspect, load, save, untrained
from zeroply.nets.modules.initialise import initialised
from zeroply.nets.torch_net import TorchNet, arrange, load_weights, tensor, use_threads, weights_of
from zeroply.runs import Run, stored
from zeroply.specs import Spec, parse

KIND = "train"
_BESIDE = ("digest", STORED)
NET = "net.safetensors"
"""The file of the trained net in its run folder."""
LOGGED = 200
"""How often loss and accuracy are logged in a training."""
_SECONDS_BETWEEN_CHECKPOINTS = 60.0


@dataclass(frozen=True)
class Progress:
    """How far a training is."""

    member: int
    """The net that is being trained, from 1."""
    members: int
    """Nets to be trained: 1 unless it is a bag."""
    step: int
    """Steps done, those of all members together."""
    steps: int
    """Steps in all."""
    loss: float
    """Mean loss of late."""
    accuracy: float
    """Share of late training examples whose largest output was the expert's move."""
    speed: float
    """Examples a second of late."""
    test: float | None
    """Accuracy among legal moves on test examples when it was last measured."""


Report = Callable[[Progress], None]
"""Called from time to time."""


def start(config: TrainConfig, folder: str | os.PathLike[str], report: Report | None = None) -> Path:
    """Train a net in a new run folder; returns its file."""
    config = replace(config, threads=config.threads or max(1, _core.threads() // beside()))
    net = _first_net(config)  # before anything is written
    examples = open_examples(config)
    open_judged(config, examples[0])
    before = inspect(config.init).training if config.init else {}
    if before.get("digest") == examples[0].digest and (why := overlap(before, *examples)):
        raise ZeroplyError(f"{config.init} has learned from test examples of this training: {why}")
    if config.judged and net.planes == "turn":
        raise ZeroplyError("judged positions do not tell which colour is to move, so encoding=turn cannot learn them")
    examples[0].side(examples[1], "test")
    if not leads():
        return follow(config, folder)
    settings = settings_of(config, examples[0].digest)
    with Run.create(folder, kind=KIND, config=settings, seed=config.seed, level=levels.chosen()) as run:
        return _train(config, run, examples, report)


def settings_of(config: TrainConfig, digest: str) -> dict[str, Any]:
    """What a run stores: its configuration, the digest of its examples, and the fingerprint of the net before it."""
    return {**stored(config), "digest": digest, STORED: _before(config)}


def resume(run: Run, report: Report | None = None) -> Path:
    """Go on with a training from where its run stands."""
    config = run.config(TrainConfig, *_BESIDE)
    if run.finished:
        return run.folder / NET
    examples = open_examples(config)
    if examples[0].digest != run.info.config["digest"]:
        raise ZeroplyError(f"the examples in {config.data} are not those that {run.folder} was started with")
    check_unchanged(run, _before(config))
    return _train(config, run, examples, report)


def follow(config: TrainConfig, folder: str | os.PathLike[str]) -> Path:
    """Take part in a training that another process leads."""
    with team() as together:
        _Training(config, None, open_examples(config), together, None).go()
    return Path(folder) / NET


def follow_resumed(folder: str | os.PathLike[str]) -> Path:
    """Take part in going on with a training that another process leads."""
    record = Run.read(folder)
    return Path(folder) / NET if record.finished else follow(record.config(TrainConfig, *_BESIDE), folder)


def _train(config: TrainConfig, run: Run, examples: tuple[Examples, Split], report: Report | None) -> Path:
    with team() as together:
        _Training(config, run, examples, together, report).go()
    return run.folder / NET


def _before(config: TrainConfig) -> list[str]:
    """The fingerprint of the net it begins with, if there is one."""
    return fingerprints([Spec("net", config.init)], "othello") if config.init else []


def _first_net(config: TrainConfig, member: int = 0) -> TorchNet:
    """A net with its first weights."""
    if not config.init:
        return initialised(config.net, game("othello"), chance.key(config.seed, KIND, member))
    net = untrained(config.net, game("othello"))
    before = load(config.init, net.game)
    if before.spec != net.spec:
        raise ZeroplyError(f"{config.init} is a {before.spec} and its weights do not fit {net.spec}")
    load_weights(net.module, before.weights)
    return net


@dataclass
class _Window:
    """Sums since the last time they were logged."""

    loss: float = 0.0
    hits: int = 0
    seen: int = 0
    begun: float = field(default_factory=time.monotonic)

    def add(self, loss: float, hits: int, seen: int) -> None:
        self.loss, self.hits, self.seen = self.loss + loss * seen, self.hits + hits, self.seen + seen


class _Training:
    """A training under way, in the leading process (which has the run) or in another."""

    def __init__(
        self,
        config: TrainConfig,
        run: Run | None,
        examples: tuple[Examples, Split],
        together: Team,
        report: Report | None,
    ) -> None:
        self.config, self.run, self.team, self.report = config, run, together, report
        keep_freed_memory()
        _core.set_threads(config.threads)
        use_threads()
        self.game = game("othello")
        self.data, split = examples
        self.rows = self.data.side(split, "train")
        self.tested = self.data.side(split, "test")
        self.drawn: dict[int, dict[str, NDArray[np.uint32]]] = {}  # rows to measure on, by their number and side
        self.members = max(1, config.bag)
        per_epoch = -(-len(self.rows) // config.batch)
        self.per_epoch = per_epoch
        self.steps = max(1, round(per_epoch * config.epochs))
        self.seconds, self.test = 0.0, cast("float | None", None)
        state = run.state if run is not None and run.state is not None else {}
        self.member, self.step, self.seconds = state.get("member", 0), state.get("step", 0), state.get("seconds", 0.0)
        self.member, self.step = together.share_numbers([self.member, self.step])

    def go(self) -> None:
        """Train all members from where the run stands, and write the net."""
        for member in range(self.member, self.members):
            self.member = member
            net = self._member()
            if self.run is not None and self.config.bag:
                save(net, self._member_file(member))
                self.run.save({"member": member + 1, "step": 0, "seconds": self.seconds})
            self.step = 0
        if self.run is not None:
            self._finish(net if not self.config.bag else self._bag())

    def _member(self) -> TorchNet:
        """Train one net."""
        config, begun = self.config, time.monotonic()
        net = _first_net(config, self.member)
        module = net.module
        arrange(module, self.team.device)
        optim = optimizer(config.optimizer, module, config.rate, config.decay, config.momentum)
        if self.step and self.run is not None and self.run.arrays is not None:
            parts = {"net/": {}, "optimizer/": {}}  # type: dict[str, dict[str, Any]]
            for name, array in self.run.arrays.items():
                kind, _, rest = name.partition("/")
                parts[kind + "/"][rest] = array
            load_weights(module, parts["net/"])
            load_state(config.optimizer, optim, module, parts["optimizer/"])
        wrapped = self.team.wrap(module)
        self.team.share_optimizer(config.optimizer, optim, module)
        key = chance.key(config.seed, KIND, self.member, "batches")
        batches = source(config, self.data, self.rows, net, key)
        self._steps(net, wrapped, optim, batches, self.seconds - begun)
        self.seconds += time.monotonic() - begun
        module.eval()
        trained = build(config.net, self.game, weights_of(module))
        return cast("TorchNet", trained)

    def _steps(
        self,
        net: TorchNet,
        module: torch.nn.Module,
        optim: torch.optim.Optimizer,
        all_batches: Source,
        before: float,
    ) -> None:
        """All steps that are left; `before` added to the clock gives the seconds spent."""
        config, module_is_random = self.config, any(isinstance(m, torch.nn.Dropout) for m in module.modules())
        log_every = max(1, self.steps // LOGGED)
        window = _Window()
        state = self.run.state if self.run is not None and self.step else None
        if state:
            window = _Window(*state["window"])
        module.train()
        with closing(cast("Any", all_batches.from_step(self.step))) as batches:
            for batch in _limited(batches, self.steps - self.step):
                if module_is_random:
                    torch.manual_seed(chance.key(config.seed, "units", self.member, self.step, self.team.rank) >> 1)
                set_rate(optim, rate_at(config, self.step, self.steps, self.per_epoch))
                window.add(*self._learn(module, optim, batch))
                self.step += 1
                if self.run is None:
                    continue
                if self.step % log_every == 0 or self.step == self.steps:
                    self._log(window)
                    window = _Window()
                if self._evaluation_due():
                    self._evaluate(net)
                    module.train()
                if self.run.save_due(_SECONDS_BETWEEN_CHECKPOINTS) and self.step < self.steps:
                    self._save(net, optim, window, before + time.monotonic())

    def _learn(self, module: torch.nn.Module, optim: torch.optim.Optimizer, batch: Batch) -> tuple[float, int, int]:
        """One step; returns the mean loss, the hits and the number of examples of this process's part."""
        mine, weight = self.team.part(len(batch.targets))
        device = self.team.device
        rows = np.arange(len(batch.targets))[mine]
        twice = rows.repeat(2) if len(rows) == 1 else rows  # batch normalisation: one row has no variance
        inputs = [tensor(one[twice], device) for one in batch.inputs]
        targets = torch.from_numpy(batch.targets[twice]).to(device)
        optim.zero_grad(set_to_none=True)
        with torch.autocast(device.type, torch.bfloat16, enabled=self.config.precision == "bf16"):
            outputs = module(*inputs)
        loss = losses.loss(outputs.float(), targets, self.config.discs)
        (loss * weight).backward()  # type: ignore[no-untyped-call]
        if self.config.clip:
            torch.nn.utils.clip_grad_norm_(module.parameters(), self.config.clip)
        optim.step()
        mean = loss.item()
        if not np.isfinite(mean):
            raise ZeroplyError(
                f"the training has diverged at step {self.step + 1}: its loss is no number; try a lower --rate, "
                "a --warmup or --clip 1"
            )
        return mean, int(losses.hits(outputs[: len(rows)], targets[: len(rows)])), len(rows)

    def _log(self, window: _Window) -> None:
        loss, accuracy = window.loss / max(1, window.seen), window.hits / max(1, window.seen)
        rate = rate_at(self.config, self.step - 1, self.steps, self.per_epoch)
        assert self.run is not None
        self.run.log("progress", member=self.member, step=self.step, loss=loss, accuracy=accuracy, rate=rate)
        if self.report:
            speed = window.seen * self.team.size / max(1e-9, time.monotonic() - window.begun)
            done, total = self.member * self.steps + self.step, self.members * self.steps
            self.report(Progress(self.member + 1, self.members, done, total, loss, accuracy, speed, self.test))

    def _evaluation_due(self) -> bool:
        times = self.config.evaluations
        return times > 0 and self.step * times // self.steps > (self.step - 1) * times // self.steps

    def _evaluate(self, net: TorchNet) -> None:
        """Measure on the same examples each time."""
        net.module.eval()
        found = self._measure(net, self.config.evaluated)
        self.test = found["test"]["top1"]
        assert self.run is not None
        self.run.log("evaluation", member=self.member, step=self.step, **found)

    def _measure(self, net: TorchNet, examples: int) -> dict[str, Any]:
        if examples not in self.drawn:
            key = chance.key(self.config.split_seed, "evaluation")
            sides = {"test": self.tested, "train": self.rows}
            self.drawn[examples] = {side: sample(rows, examples, chance.key(key, side)) for side, rows in sides.items()}
        return {side: evaluate(net, self.data, rows).summary() for side, rows in self.drawn[examples].items()}

    def _save(self, net: TorchNet, optim: torch.optim.Optimizer, window: _Window, seconds: float) -> None:
        assert self.run is not None
        arrays: dict[str, Any] = {f"net/{name}": array for name, array in weights_of(net.module).items()}
        remembered = state_arrays(self.config.optimizer, optim, net.module)
        arrays |= {f"optimizer/{name}": array for name, array in remembered.items()}
        state = {
            "member": self.member,
            "step": self.step,
            "seconds": seconds,
            "window": [window.loss, window.hits, window.seen],
        }
        self.run.save(state, arrays)

    def _member_file(self, member: int) -> Path:
        assert self.run is not None
        return self.run.folder / f"member-{member + 1:02d}.safetensors"

    def _bag(self) -> TorchNet:
        """The members put together."""
        weights: dict[str, Any] = {}
        for member in range(self.members):
            one = load(str(self._member_file(member)), self.game)
            weights |= {f"nets.{member}.{name}": array for name, array in one.weights.items()}
        spec = Spec("bag", net=parse(self.config.net), members=self.members)
        return cast("TorchNet", build(spec, self.game, weights))

    def _finish(self, net: TorchNet) -> None:
        assert self.run is not None
        found = self._measure(net, self.config.measured)
        folders = ("data", "net", "init", "judged")
        recipe = {key: value for key, value in stored(self.config).items() if key not in folders}
        made: dict[str, Any] = {
            "about": f"trained on expert moves ({self.config.dataset}, {len(self.rows):,} examples)",
            "recipe": {**recipe, "seed": self.config.seed},
            "games": self.data.games,
            "digest": self.data.digest,
            "steps": self.steps,
            "seconds": round(self.seconds),
            "accuracy": found,
        }
        if self.config.judged:
            made["judged"] = [judged.config.told() for judged in open_judged(self.config, self.data)]
        if self.config.init:
            made["before"] = dict(inspect(self.config.init).training)
        save(net, self.run.folder / NET, made)
        self.run.finish({"file": NET, "seconds": self.seconds, "parameters": net.parameters, **found})


def _limited(batches: Iterator[Batch], count: int) -> Iterator[Batch]:
    """The first batches; an iterator asked for no more than that."""
    for _ in range(count):
        yield next(batches)
