"""`zeroply train`: nets that learn from expert games."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from rich.table import Table
from tyro.conf import Positional

from zeroply.cli.output import bars, console, interruptible, print_json, print_table, set_threads
from zeroply.errors import ZeroplyError
from zeroply.options import Dataset
from zeroply.runs import Run


def train(
    net: Positional[str],
    data: str,
    run: Path,
    dataset: Dataset = "unique-s",
    preset: Literal["liskowski", "fast"] = "fast",
    judged: tuple[str, ...] = (),
    discs: float | None = None,
    init: str | None = None,
    split: Literal["position", "game"] | None = None,
    test: float | None = None,
    split_seed: int | None = None,
    epochs: float | None = None,
    batch: int | None = None,
    optimizer: Literal["sgd", "adamw"] | None = None,
    rate: float | None = None,
    momentum: float | None = None,
    decay: float | None = None,
    schedule: Literal["halvings", "literal", "cosine", "constant"] | None = None,
    warmup: float | None = None,
    clip: float | None = None,
    symmetries: bool = False,
    no_symmetries: bool = False,
    precision: Literal["fp32", "bf16"] | None = None,
    bag: int = 0,
    evaluations: int = 10,
    evaluated: int = 5_000,
    measured: int = 50_000,
    seed: int = 0,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Train a net on expert moves; ends with net.safetensors in the folder of the run.

    Several processes train one net when torchrun starts them (without the -- it takes --run for its own):
    torchrun --nproc-per-node 2 -m -- zeroply train ...

    Example: zeroply train "conv8(bn=true)" --data data/sets --set unique --preset fast --run runs/conv8 --seed 1

    Args:
        net: Architecture, such as conv8(bn=true); `zeroply nets` lists them.
        data: Folder made by `zeroply data build`.
        run: New folder of the run.
        preset: Recipe: that of Liskowski et al. 2018, or a faster one for a processor.
        judged: Folders made by `zeroply data judge`: every second step then learns what moves cost.
        discs: How many discs of cost weigh as much as 1 of cross-entropy.
        init: Net of the same architecture to go on from, by name or file; by default weights are random.
        split: What is kept for the test: positions, as in the paper, or games. By default as the preset says.
        test: Share that is kept for the test.
        split_seed: Number that the split comes from; the same for nets that are to be compared.
        epochs: Passes over the training examples; may be a share of one. With --judged every second step is of those.
        batch: Examples of a step.
        optimizer: Method of the steps.
        rate: Learning rate at its highest.
        momentum: Momentum of sgd.
        decay: Weight decay.
        schedule: How the rate falls; halvings and literal are two readings of the paper.
        warmup: Share of the steps in which the rate rises.
        clip: Longest gradient; 0 for any.
        symmetries: Turn each example by a random symmetry whenever it is seen; `fast` does so for sets without -s.
        no_symmetries: Turn no example, whatever the preset says.
        precision: Numbers of the forward pass.
        bag: Train this many nets on bootstrap samples and average their outputs.
        evaluations: How often to measure on test examples while training.
        evaluated: Examples of these measurements.
        measured: Examples of each side on which the finished net is measured.
        seed: Number that all chance comes from.
        threads: Threads; the run keeps to this number.
        json: Print JSON for programs.
    """
    if symmetries and no_symmetries:
        raise ZeroplyError("examples are turned or not: give --symmetries or --no-symmetries, not both")
    set_threads(threads)
    training, recipe = _training()
    config = recipe(
        preset,
        net=net,
        data=data,
        dataset=dataset,
        judged=judged,
        discs=discs,
        init=init,
        split=split,
        test=test,
        split_seed=split_seed,
        epochs=epochs,
        batch=batch,
        optimizer=optimizer,
        rate=rate,
        momentum=momentum,
        decay=decay,
        schedule=schedule,
        warmup=warmup,
        clip=clip,
        symmetries=symmetries if symmetries or no_symmetries else None,  # None: as the preset says
        precision=precision,
        bag=bag,
        evaluations=evaluations,
        evaluated=evaluated,
        measured=measured,
        seed=seed,
        threads=threads,
    )
    with interruptible(run), bars() as bar:
        file = training.start(config, run, _reporter(bar))
    _print_trained(file, json)


def resume_train(run: Run, json: bool) -> None:
    """Go on with a training."""
    training, _ = _training()
    with bars() as bar:
        file = training.resume(run, _reporter(bar))
    _print_trained(file, json)


def follow_train(run: Path) -> None:
    """Take part in going on with a training that another process, started by the same torchrun, leads."""
    training, _ = _training()
    training.follow_resumed(run)


def _training() -> tuple[Any, Any]:
    from zeroply.nets.torch_net import needs_torch

    with needs_torch():
        from zeroply.learning.imitation import config, training
    return training, config.preset


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
