"""`zeroply export`: a net as ONNX, or as a smaller net file, with what that costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from tyro.conf import Positional

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
    overwrite: bool = False,
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
        split: What was kept for the test: positions or games.
        test: Share that was kept.
        split_seed: Number that the split came from.
        positions: At most this many test examples.
        overwrite: Replace the file if it exists.
        json: Print JSON.
    """
    from zeroply import chance
    from zeroply.nets import inspect, load, onnx_files, save
    from zeroply.nets.lines import LinesNet
    from zeroply.nets.torch_net import TorchNet

    if out.suffix not in (".onnx", ".safetensors"):
        raise ZeroplyError(f"a net is written as .onnx or .safetensors, not as {out.name}")
    if int8 and out.suffix != ".onnx":
        raise ZeroplyError("--int8 is for .onnx files: a .safetensors file has 8 bits with --storage int8")
    if storage is not None and out.suffix != ".safetensors":
        raise ZeroplyError("--storage is for .safetensors files: an .onnx file has 8 bits with --int8")
    check_new(out, overwrite)
    info = inspect(net)
    original = load(net, info.game)
    if out.suffix == ".onnx" and not isinstance(original, TorchNet | LinesNet):
        raise ZeroplyError(
            f"net {net} cannot be written as ONNX: nets of zeroply train can, but not those of kind {info.spec.name}"
        )
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
    console.print(f"likes the same move best as the original in {result['agreement']:.2%} of positions")
    if data is not None:
        for name in ("original", "written"):
            accuracy = result[name]
            console.print(f"  {name:<9} top 1 {accuracy['top1']:.2%} ± {accuracy['standard_error']:.2%}")
