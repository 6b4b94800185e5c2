"""`zeroply train`: nets that learn from expert games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from rich.table import Table

from zeroply.cli.output import bars, console, interruptible, print_json, print_table, set_threads
from zeroply.learning.imitation.config import TrainConfig
from zeroply.options import Flat
from zeroply.runs import Run


def train(config: Annotated[TrainConfig, Flat], run: Path, json: bool = False) -> None:
    """Train a net on expert moves; ends with net.safetensors in the folder of the run.

    Several processes train one net when torchrun starts them (without the -- it takes --run for its own):
    torchrun --nproc-per-node 2 -m -- zeroply train ...

    Example: zeroply train "conv8(bn=true)" --data data/sets --set unique --preset fast --run runs/conv8 --seed 1

    Args:
        config: What and how the net learns.
        run: New folder of the run.
        json: Print JSON for programs.
    """
    set_threads(config.threads or None)
    training = _training()
    with interruptible(run), bars() as bar:
        file = training.start(config, run, _reporter(bar))
    _print_trained(file, json)


def resume_train(run: Run, json: bool) -> None:
    """Go on with a training."""
    training = _training()
    with bars() as bar:
        file = training.resume(run, _reporter(bar))
    _print_trained(file, json)


def follow_train(run: Path) -> None:
    """Take part in going on with a training that another process, started by the same torchrun, leads."""
    training = _training()
    training.follow_resumed(run)


def _training() -> Any:
    from zeroply.nets.torch_net import needs_torch

    with needs_torch():
        from zeroply.learning.imitation import training
    return training


def _reporter(bar: Any) -> Any:
    task = bar.add_task("training", total=None)

    def report(now: Any) -> None:
        member = f"net {now.member}/{now.members}, " if now.members > 1 else ""
        test = "" if now.test is None else f", test {now.test:.1%}"
        words = f"{member}loss {now.loss:.3f}, accuracy {now.accuracy:.1%}{test}, {now.speed:,.0f} examples/s"
        bar.update(task, description=words, completed=now.step, total=now.steps)

    return report


def _print_trained(file: Path, json: bool) -> None:
    from zeroply.learning.imitation.launch import leads

    if not leads():
        return
    result = Run.read(file.parent).result or {}
    if json:
        print_json({**result, "file": str(file)})
        return
    table = Table("", "examples", "top 1", "top 3", "valid", "loss", box=None, header_style="bold")
    for side in ("train", "test"):
        found = result[side]
        table.add_row(side, f"{found['positions']:,}", *_shares(found))
    console.print(f"accuracy among legal moves after {result['seconds']:,.0f} s\n")
    print_table(table)
    console.print(f'\nplay it as net("{file}")', soft_wrap=True, markup=False)


def _shares(found: dict[str, Any]) -> list[str]:
    numbers = [found["top1"], found["top"][2], found["valid"]]
    shares = ["" if number is None else f"{number:.2%}" for number in numbers]
    return [*shares, "" if found["loss"] is None else f"{found['loss']:.3f}"]
