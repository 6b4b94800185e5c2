"""`zeroply export`: a net as ONNX or as a smaller net file, with its loss of accuracy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from tyro.conf import Positional

from zeroply.cli.arguments import Json, Overwrite
from zeroply.cli.output import console, print_json, progress
from zeroply.errors import ZeroplyError
from zeroply.files import check_new
from zeroply.options import Dataset


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
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a net as ONNX, checked with onnxruntime, or as a smaller net file.

    Prints how often both nets prefer the same move, and with --data the accuracy of each.

    Example: zeroply export runs/conv8/net.safetensors conv8.onnx --int8 --data data/sets

    Args:
        net: Name or file of a net.
        out: File to write, .onnx or .safetensors.
        int8: ONNX with 8-bit weights and activations.
        storage: How a .safetensors file stores the weights; by default fp16.
        data: Folder made by `zeroply data build`, to measure accuracy.
        split: How test examples were split off: by position or by game.
        test: Share of test examples.
        split_seed: Random seed of the split.
        positions: At most this many test examples.
    """
    from zeroply import chance
    from zeroply.nets import inspect, load, onnx_files, save
    from zeroply.nets.output_net import OutputNet

    if out.suffix not in (".onnx", ".safetensors"):
        raise ZeroplyError(f"cannot write {out.name}: use .onnx or .safetensors")
    if int8 and out.suffix != ".onnx":
        raise ZeroplyError("--int8 works with .onnx files only: use --storage int8 for .safetensors")
    if storage is not None and out.suffix != ".safetensors":
        raise ZeroplyError("--storage works with .safetensors files only: use --int8 for .onnx")
    check_new(out, overwrite)
    info = inspect(net)
    original = load(net, info.game)
    if out.suffix == ".onnx" and not isinstance(original, OutputNet):
        raise ZeroplyError(f"net {net} cannot be written as ONNX: only nets of zeroply train can, not {info.spec.name}")
    written: Any
    if out.suffix == ".onnx":
        content = onnx_files.to_onnx(original)
        content = onnx_files.to_int8(original, content) if int8 else content
        onnx_files.save_onnx(content, out)
        written = onnx_files.OnnxNet(original, content)
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
    console.print(f"prefers the same move as the original in {result['agreement']:.2%} of positions")
    if data is not None:
        for name in ("original", "written"):
            accuracy = result[name]
            console.print(f"  {name:<9} top 1 {accuracy['top1']:.2%} ± {accuracy['standard_error']:.2%}")
