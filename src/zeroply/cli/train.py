"""`zeroply train`, `evaluate`, `export`: nets that learn from expert games, how good they are, and other formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.table import Table
from tyro.conf import Positional

from zeroply.cli.output import bars, console, errors, print_json, print_table, progress, set_threads
from zeroply.errors import ZeroplyError
from zeroply.runs import Run
from zeroply.runs.record import INFO_NAME, resume_command

Part = Literal["test", "train"]
PARTS: dict[str, tuple[Part, ...]] = {"test": ("test",), "train": ("train",), "both": ("train", "test")}
"""The sides of a split that can be asked for."""
Dataset = Annotated[str, tyro.conf.arg(name="set")]


def train(
    net: Positional[str],
    data: str,
    out: Path,
    dataset: Dataset = "unique-s",
    preset: Literal["liskowski", "fast"] = "fast",
    teacher: str | None = None,
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

    Several processes train one net when torchrun starts them:
    torchrun --nproc-per-node 2 -m zeroply train ...

    Example: zeroply train "conv8(bn=true)" --data data/sets --set unique --preset fast --out runs/conv8 --seed 1

    Args:
        net: Architecture, such as conv8(bn=true); `zeroply nets` lists them.
        data: Folder made by `zeroply data build`.
        out: New folder for the run.
        dataset: Set of examples: original, unique, original-s or unique-s.
        preset: Recipe: that of Liskowski et al. 2018, or a faster one for a processor.
        teacher: What the targets are; expert for the moves of the games.
        init: Net of the same architecture to go on from, by name or file; by default weights are random.
        split: What is kept for the test: positions, as in the paper, or games. By default as the preset says.
        test: Share that is kept for the test.
        split_seed: Number that the split comes from; the same for nets that are to be compared.
        epochs: Passes over the training examples; may be a share of one.
        batch: Examples of a step.
        optimizer: Method of the steps.
        rate: Learning rate at its highest.
        momentum: Momentum of sgd.
        decay: Weight decay.
        schedule: How the rate falls; halvings and literal are two readings of the paper.
        warmup: Share of the steps in which the rate rises.
        clip: Longest gradient; 0 for any.
        symmetries: Turn each example by a random symmetry whenever it is seen; with `fast` this is so for sets
            without -s.
        precision: Numbers of the forward pass.
        bag: Train this many nets on bootstrap samples and average their outputs.
        evaluations: How often to measure on test examples while training.
        evaluated: Examples of these measurements.
        measured: Examples of each side on which the finished net is measured.
        seed: Number that all chance comes from.
        threads: Threads; the run keeps to this number.
        json: Print JSON for programs.
    """
    set_threads(threads)
    training, recipe = _training()
    config = recipe(
        preset,
        net=net,
        data=data,
        dataset=dataset,
        teacher=teacher,
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
        symmetries=symmetries or None,
        precision=precision,
        bag=bag,
        evaluations=evaluations,
        evaluated=evaluated,
        measured=measured,
        seed=seed,
        threads=threads,
    )
    try:
        with bars() as bar:
            file = training.start(config, out, _reporter(bar))
    except KeyboardInterrupt:
        if (out / INFO_NAME).exists():
            errors.print(f"go on with: {resume_command(out)}", soft_wrap=True, markup=False)
        raise
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


def evaluate(
    player: Positional[str],
    data: str,
    dataset: Dataset = "unique",
    split: Literal["position", "game"] = "game",
    test: float = 0.05,
    split_seed: int = 1,
    side: Literal["test", "train", "both"] = "both",
    positions: int = 100_000,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Measure how often a player makes the expert's move: top-1 and top-k, by move number and by choice.

    Example: zeroply evaluate "engine(depth=2)" --data data/sets --set original --split position --side test

    Args:
        player: Spec of any player, or the name or file of a net.
        data: Folder made by `zeroply data build`.
        dataset: Set of examples: original, unique, original-s or unique-s.
        split: What was kept for the test: positions or games.
        test: Share that was kept.
        split_seed: Number that the split came from.
        side: Examples to measure on; both shows the gap between training and test.
        positions: At most this many examples of each side, drawn by chance.
        threads: Threads; changes speed only.
        json: Print JSON for programs, with the numbers of Fig. 3.
    """
    set_threads(threads)
    from zeroply import chance
    from zeroply.examples import Examples, Split
    from zeroply.learning.imitation.evaluation import evaluate as measure
    from zeroply.learning.imitation.evaluation import sample

    if positions < 1:
        raise ZeroplyError(f"at least one position is needed, not {positions}")
    examples = Examples.open(data, dataset)
    wanted = Split(by=split, test=test, seed=split_seed)
    found: dict[str, Any] = {}
    with _player(player) as judge:
        for part in PARTS[side]:
            rows = sample(examples.side(wanted, part), positions, chance.key(split_seed, "evaluation", part))
            with progress(f"{part} examples") as report:
                found[part] = measure(judge, examples, rows, progress=report)
    if json:
        print_json({name: {**one.summary(), "cells": one.cells()} for name, one in found.items()})
        return
    table = Table("", "examples", "top 1", "± s.e.", "top 2", "top 3", "as is", "valid", "loss", box=None)
    for name, one in found.items():
        table.add_row(name, f"{one.positions:,}", f"{one.top1:.2%}", f"{one.standard_error:.2%}", *_more(one))
    console.print(f"{player} on {dataset}, split by {split}: how often the expert's move is found\n", markup=False)
    print_table(table)
    if side == "both":
        gap = found["train"].top1 - found["test"].top1
        console.print(f"\ngap between training and test: {gap:+.2%}")
    _print_stages(next(reversed(found.values())))


def _player(spec: str) -> Any:
    """The player of a spec, or of the name or file of a net."""
    from zeroply.nets import shipped
    from zeroply.players import player
    from zeroply.specs import Spec

    if spec in shipped() or spec.endswith(".safetensors"):
        return player(Spec("net", spec), "othello")
    return player(spec, "othello")


def _more(one: Any) -> list[str]:
    shares = [one.top[1], one.top[2], one.raw, one.valid]
    return [*("" if s is None else f"{s:.2%}" for s in shares), "" if one.loss is None else f"{one.loss:.3f}"]


def _print_stages(one: Any) -> None:
    """Accuracy by stages of ten moves."""
    table = Table("moves", "examples", "top 1", "top 3", box=None, header_style="bold")
    first, third = one.by_move(1), one.by_move(3)
    for low in range(1, 61, 10):
        there = [move for move in range(low, low + 10) if move in first]
        count = sum(first[move][0] for move in there)
        if count:
            shares = (sum(by[m][0] * by[m][1] for m in there) / count for by in (first, third))
            table.add_row(f"{low}-{low + 9}", f"{count:,}", *(f"{share:.2%}" for share in shares))
    console.print()
    print_table(table)


def export(
    net: Positional[str],
    out: Positional[Path],
    int8: bool = False,
    storage: Literal["fp32", "fp16", "int8"] | None = None,
    data: str | None = None,
    dataset: Dataset = "unique",
    split: Literal["position", "game"] = "game",
    test: float = 0.05,
    split_seed: int = 1,
    positions: int = 20_000,
    json: bool = False,
) -> None:
    """Write a net as ONNX, checked by onnxruntime to say the same, or as a smaller net file.

    Says how often the new net likes the same move best as the old one, and with --data how often each finds the
    expert's move.

    Example: zeroply export runs/conv8/net.safetensors conv8.onnx --int8 --data data/sets

    Args:
        net: Name or file of a net.
        out: File to write, .onnx or .safetensors.
        int8: ONNX with 8-bit weights and activations.
        storage: How a .safetensors file stores the weights; by default fp16.
        data: Folder made by `zeroply data build`, to measure accuracy.
        dataset: Set of examples to measure on.
        split: What was kept for the test: positions or games.
        test: Share that was kept.
        split_seed: Number that the split came from.
        positions: At most this many test examples.
        json: Print JSON for programs.
    """
    from zeroply import chance
    from zeroply.games import game
    from zeroply.nets import inspect, load, onnx_files, save

    if out.suffix not in (".onnx", ".safetensors"):
        raise ZeroplyError(f"a net is written as .onnx or .safetensors, not as {out.name}")
    info = inspect(net)
    original = load(net, game("othello"))
    written: Any
    if out.suffix == ".onnx":
        content = onnx_files.to_onnx(original)
        content = onnx_files.to_int8(original, content) if int8 else content
        onnx_files.save_onnx(content, out)
        written = onnx_files.OnnxNet(original, content)  # type: ignore[arg-type]
    else:
        save(original, out, info.training, storage or "fp16")
        written = load(str(out), original.game)
    result: dict[str, Any] = {
        "file": str(out),
        "bytes": out.stat().st_size,
        "agreement": onnx_files.agreement(original, written),
    }
    if data is not None:
        from zeroply.examples import Examples, Split
        from zeroply.learning.imitation.evaluation import evaluate as measure
        from zeroply.learning.imitation.evaluation import sample

        examples = Examples.open(data, dataset)
        tested = examples.side(Split(by=split, test=test, seed=split_seed), "test")
        rows = sample(tested, positions, chance.key(split_seed, "evaluation", "test"))
        for name, one in (("original", original), ("written", written)):
            with progress(f"{name} net") as report:
                result[name] = measure(one, examples, rows, progress=report).summary()
    if json:
        print_json(result)
        return
    console.print(f"{out}: {result['bytes'] / 1e6:.2f} MB", soft_wrap=True, markup=False)
    console.print(f"likes the same move best as the original in {result['agreement']:.2%} of positions")
    if data is not None:
        for name in ("original", "written"):
            found = result[name]
            console.print(f"  {name:<9} top 1 {found['top1']:.2%} ± {found['standard_error']:.2%}")
