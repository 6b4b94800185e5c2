"""Training a net on expert moves, as an experiment; `zeroply.learning.imitation.training`, which needs torch,
trains."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from zeroply import _core
from zeroply.arena.fingerprints import fingerprints
from zeroply.errors import ZeroplyError
from zeroply.examples.manifest import read_manifest
from zeroply.learning.imitation import bag, launch
from zeroply.learning.imitation.config import TrainConfig
from zeroply.learning.imitation.trained_net import NET, TrainedNet
from zeroply.nets import inspect, load, save
from zeroply.progress import Progress
from zeroply.runs.charts import Chart
from zeroply.runs.checkpoint import Array
from zeroply.runs.config import stored
from zeroply.runs.driver import Folder, configured, run_experiment
from zeroply.runs.experiment import TextTable
from zeroply.runs.files import Json
from zeroply.runs.record import RunRecord
from zeroply.specs import Spec

LOGGED = 200
"""Log entries per net."""
_STEP_SECONDS = 1.0  # after which a checkpoint or a progress report may be due


class Training(TrainedNet[TrainConfig]):
    """Train a net on expert moves; writes net.safetensors into the folder of the run.

    Several processes train one net when torchrun starts them (without the -- it takes --run for its own):
    torchrun --nproc-per-node 2 -m -- zeroply train ...

    Example: zeroply train "conv8(bn=true)" --data data/sets --set unique --preset fast --run runs/conv8 --seed 1
    """

    kind = "train"
    config_type = TrainConfig
    net_files = (NET, "member-*.safetensors")
    charts = (
        Chart("loss", "progress", "step", {"loss": "loss"}, split="member"),
        Chart("accuracy on training examples", "progress", "step", {"accuracy": "accuracy"}, split="member"),
        Chart("learning rate", "progress", "step", {"rate": "rate"}, split="member"),
        Chart("accuracy", "evaluation", "step", {"test": "test.top1", "train": "train.top1"}, split="member"),
    )

    @classmethod
    def game_of(cls, record: RunRecord) -> str | None:
        """The game of its examples, or that of its net if they are gone."""
        config = record.info.config
        try:
            return read_manifest(Path(config["data"]) / config["dataset"]).game
        except (KeyError, ZeroplyError):
            return str(inspect(str(record.folder / NET)).game) if (record.folder / NET).is_file() else "othello"

    @classmethod
    def leads(cls) -> bool:
        """Of the processes that torchrun starts, the first one records the run."""
        return launch.leads()

    @contextmanager
    def resources(self) -> Iterator[None]:
        from zeroply.nets.torch_net import needs_torch

        with needs_torch():
            from zeroply.learning.imitation import distributed, evaluation, source, training
        config = replace(self.config, threads=self.config.threads or max(1, _core.threads() // launch.beside()))
        self.config = config
        self.examples = data, split = source.open_examples(config)
        net = training.first_net(config, data.game)
        self.judged = source.open_judged(config, data)
        self.before = dict(inspect(config.init).training) if config.init else {}
        if self.before.get("digest") == data.digest and (why := evaluation.overlap(self.before, data, split)):
            raise ZeroplyError(f"{config.init} has learned from test examples of this training: {why}")
        if config.judged and net.planes == "turn":
            raise ZeroplyError("judged positions do not record which colour is to move: encoding=turn cannot use them")
        data.side(split, "test")
        self.finished = bag.finished_members(config, data.digest)
        with distributed.team(config.device) as team:
            self.trainer = training.Trainer(config, self.examples, team)
            try:
                yield
            finally:
                self.trainer.close()

    def inputs(self) -> dict[str, str]:
        init = self.config.init
        data = self.examples[0]
        before = fingerprints([Spec("net", init)], str(data.game)) if init else {}
        nets = [Spec("net", str(file)) for file in self.finished.values()]
        return {self.config.data: data.digest, **before, **(fingerprints(nets, str(data.game)) if nets else {})}

    @property
    def members(self) -> Sequence[int]:
        """Numbers of the nets to make, from 0: several for a bag."""
        config = self.config
        return range(config.member - 1, config.member) if config.member else range(max(1, config.bag))

    def start(self) -> None:
        self.restore({}, {})

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self._seconds, self._begun = state.get("seconds", 0.0), time.monotonic()
        self._test: float | None = None
        self._text = ""
        ours, theirs = self.trainer.products, state.get("products", self.trainer.products)
        if ours != theirs:
            has = "with" if theirs == "core" else "without"
            raise ZeroplyError(
                f"this training multiplied its bf16 numbers in {'the core' if theirs == 'core' else theirs}, and here "
                f"they would be rounded differently: resume it on a processor {has} AVX512_BF16"
            )
        place = [state.get("made", 0), state.get("step", 0)]
        self.made, step = self.trainer.team.share_numbers(place)  # only the process that leads knows them
        if step > 0:
            self.trainer.open_member(self.members[self.made], step, arrays, state.get("window", []))

    def step(self) -> None:
        """Steps of the optimizer until something is logged, for about a second at most; or a finished member."""
        trainer, begun, member = self.trainer, time.monotonic(), self.members[self.made]
        if (file := self.finished.get(member)) is not None:
            if self.run is not None:
                save(load(str(file), trainer.game), bag.member_file(self.recording.folder, member))
            self.made += 1
            return
        if trainer.net is None:
            trainer.open_member(member, 0, {}, [])
        logged = False
        while trainer.step < trainer.steps and not logged and time.monotonic() - begun < _STEP_SECONDS:
            trainer.take_step()
            logged = trainer.step % max(1, trainer.steps // LOGGED) == 0 or trainer.step == trainer.steps
            if self.run is not None:
                if logged:
                    self._log_window()
                if self._evaluation_due():
                    measured = trainer.evaluate_member(self.config.evaluated)
                    self._test = measured["test"]["top1"]
                    self.log("evaluation", member=member, step=trainer.step, **measured)
        if trainer.step >= trainer.steps and self.config.whole_bag:
            net = trainer.close_member()
            if self.run is not None:
                save(net, bag.member_file(self.recording.folder, member))
            self.made += 1

    def _log_window(self) -> None:
        trainer = self.trainer
        window, step = trainer.window, trainer.step
        window.settle(step)
        loss, accuracy = window.loss / max(1, window.seen), window.hits / max(1, window.seen)
        rate = trainer.rate(step - 1)
        self.log("progress", member=trainer.member, step=step, loss=loss, accuracy=accuracy, rate=rate)
        speed = window.seen * trainer.team.size / max(1e-9, time.monotonic() - window.begun)
        trainer.window = type(window)()
        member = f"net {self.made + 1}/{len(self.members)}, " if len(self.members) > 1 else ""
        test = "" if self._test is None else f", test {self._test:.1%}"
        self._text = f"{member}loss {loss:.3f}, accuracy {accuracy:.1%}{test}, {speed:,.0f} examples/s"

    def _evaluation_due(self) -> bool:
        times, step, steps = self.config.evaluations, self.trainer.step, self.trainer.steps
        return times > 0 and step * times // steps > (step - 1) * times // steps

    @property
    def done(self) -> int:
        return self.made * self.trainer.steps + (self.trainer.step if self.trainer.net is not None else 0)

    @property
    def total(self) -> int:
        return len(self.members) * self.trainer.steps

    @property
    def figures(self) -> str:
        return self._text

    @property
    def seconds(self) -> float:
        """Wall time of the training."""
        return float(self._seconds + time.monotonic() - self._begun)

    def state(self) -> Json:
        if self.trainer.net is None:
            return {"made": self.made, "step": 0, "seconds": self.seconds, "products": self.trainer.products}
        window = self.trainer.window
        window.settle(self.trainer.step)
        sums = [window.loss, window.hits, window.seen]
        return {
            "made": self.made,
            "step": self.trainer.step,
            "seconds": self.seconds,
            "window": sums,
            "products": self.trainer.products,
        }

    def arrays(self) -> dict[str, Array]:
        return self.trainer.arrays()

    def finish(self) -> None:
        config, trainer, seconds = self.config, self.trainer, self.seconds
        folder = self.recording.folder
        net: Any = bag.joined(folder, config, trainer.game) if config.whole_bag else trainer.close_member()
        measured = trainer.measure(net, config.measured)
        folders = ("data", "net", "init", "judged")
        recipe = {key: value for key, value in stored(config).items() if key not in folders}
        made: dict[str, Any] = {
            "about": f"trained on expert moves ({config.dataset}, {len(trainer.rows):,} examples)",
            "recipe": {**recipe, "seed": config.seed},
            "games": trainer.data.games,
            "digest": trainer.data.digest,
            "steps": trainer.steps,
            "seconds": round(seconds),
            "accuracy": measured,
        }
        if self.judged:
            made["judged"] = [judged.config.origin() for judged in self.judged]
        if config.init:
            made["before"] = self.before
        save(net, folder / NET, made)
        self._result = {"seconds": seconds, "parameters": net.parameters, **measured}

    def figures_of_result(self) -> Json:
        return self._result

    @classmethod
    def report(cls, result: Path) -> list[str | TextTable]:
        measured = cls.to_json(result)
        rows = [(side, f"{measured[side]['positions']:,}", *_shares(measured[side])) for side in ("train", "test")]
        return [
            f"accuracy among legal moves after {measured['seconds']:,.0f} s\n",
            TextTable(("", "examples", "top 1", "top 3", "valid", "loss"), rows),
            f'\nplay it as net("{result}")',
        ]


def _shares(measured: dict[str, Any]) -> list[str]:
    numbers = [measured["top1"], measured["top"][2], measured["valid"]]
    shares = ["" if number is None else f"{number:.2%}" for number in numbers]
    return [*shares, "" if measured["loss"] is None else f"{measured['loss']:.3f}"]


def train(
    config: TrainConfig | None = None,
    *,
    run: Folder,
    progress: Progress | None = None,
    tensorboard: bool = False,
    **settings: object,
) -> Path:
    """Train a net on expert moves in the new folder `run`; `settings` are fields of `TrainConfig`.

    Returns the net file. `tensorboard` also writes the curves for TensorBoard.
    """
    training = Training(configured(TrainConfig, config, settings))
    return run_experiment(training, run, progress=progress, tensorboard=tensorboard)
