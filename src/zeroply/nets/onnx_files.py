"""Export of nets to ONNX, for programs other than zeroply; onnxruntime checks that the outputs agree.

The graph takes any number of positions (`planes` [n, planes, 8, 8] float32, or `own` and `opponent` [n] int64) and
returns one row of outputs for each; the metadata hold the game, the planes and the cell of each output. The int8 form
(8-bit weights and activations, a scale per channel) is calibrated on positions of the net's own games.
"""

from __future__ import annotations

import json
import logging
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically
from zeroply.games import Positions
from zeroply.nets.contract import Net
from zeroply.nets.encodings import playable
from zeroply.nets.output_net import OutputNet
from zeroply.nets.torch_net import TorchNet, load_weights, needs_torch

if TYPE_CHECKING:
    import onnx

TOLERANCE = 1e-4
"""Largest difference between the outputs of the net and of onnxruntime, as a share of the largest output."""
_GAMES, _RANDOM = 16, 6  # games of the net against itself that give positions, and random moves at their start


class OnnxNet(OutputNet):
    """A net whose outputs come from onnxruntime."""

    def __init__(self, net: Net, content: bytes) -> None:
        """`net` is the exported net."""
        with needs_torch():
            import onnxruntime
        source = _torch_net(net)
        super().__init__(net.game, net.weights, source.planes, source.output)
        self.spec, self.encoding = net.spec, source.encoding
        self._source = source
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = _core.threads()
        self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def outputs(self, positions: Positions) -> NDArray[np.float32]:
        """[n, outputs]: raw outputs, illegal moves included."""
        names = [one.name for one in self._session.get_inputs()]
        inputs = dict(zip(names, self._source.inputs(positions), strict=True))
        return np.asarray(self._session.run(None, inputs)[0], np.float32)


def to_onnx(net: Net) -> bytes:
    """The ONNX file of a net as bytes; raises ZeroplyError if onnxruntime computes different outputs."""
    source = _torch_net(net)
    with needs_torch():
        import onnx
        import torch
    inputs = tuple(torch.from_numpy(one) for one in source.inputs(net.game.start(2)))
    names = ["planes"] if len(inputs) == 1 else ["own", "opponent"]
    buffer = BytesIO()
    with _silence(), torch.inference_mode():
        torch.onnx.export(
            source.module,
            inputs,
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            input_names=names,
            output_names=[source.output],
            dynamic_axes={name: {0: "positions"} for name in (*names, source.output)},
        )
    model = onnx.load_from_string(buffer.getvalue())
    _describe(model, source)
    content: bytes = model.SerializeToString()
    check_export(net if isinstance(net, OutputNet) and not isinstance(net, TorchNet) else source, content)
    return content


def to_int8(net: Net, content: bytes) -> bytes:
    """An ONNX file with 8-bit weights and activations as bytes, from the bytes of `to_onnx`."""
    source = _torch_net(net)
    with needs_torch():
        import onnx
        from onnxruntime import quantization
    readings = iter([dict(zip(_names(content), source.inputs(p), strict=True)) for p in _blocks(positions_of(source))])

    class Reader(quantization.CalibrationDataReader):  # type: ignore[misc]
        def get_next(self) -> dict[str, NDArray[Any]] | None:
            return next(readings, None)

    with tempfile.TemporaryDirectory() as folder, _silence():
        before, folded, after = (Path(folder) / f"{name}.onnx" for name in ("before", "folded", "after"))
        before.write_bytes(content)
        quantization.quant_pre_process(str(before), str(folded), skip_symbolic_shape=True)
        quantization.quantize_static(
            str(folded),
            str(after),
            Reader(),
            per_channel=True,
            weight_type=quantization.QuantType.QInt8,
            nodes_to_quantize=_with_weights(onnx.load(str(folded))) if source.module.inputs == "bits" else None,
        )
        model = onnx.load_from_string(after.read_bytes())
    _describe(model, source)
    small: bytes = model.SerializeToString()
    return small


def save_onnx(content: bytes, path: Path) -> None:
    """Write an ONNX file atomically."""
    write_atomically(path, content)


def agreement(net: Net, other: Net) -> float:
    """Share of positions of the first net's own games in which both prefer the same move."""
    positions = positions_of(net)
    return float((net.prefer(positions).argmax(axis=1) == other.prefer(positions).argmax(axis=1)).mean())


def positions_of(net: Net, seed: int = 0) -> Positions:
    """Positions of games of the net against itself, after random opening moves."""
    now = net.game.start(_GAMES)
    keys = chance.keys(chance.key(seed, "own games"), np.arange(_GAMES))
    seen = net.game.start(0)
    for ply in range(net.game.cells):
        now = now[~now.over()]
        if not len(now):
            break
        moves = np.empty(len(now), np.int32)
        now.batch.random_moves(keys[: len(now)], moves)
        if ply >= _RANDOM:
            moves = net.prefer(now).argmax(axis=1).astype(np.int32)
            seen = _joined(seen, now)
        now.play(moves)
    return seen


def _joined(first: Positions, second: Positions) -> Positions:
    both = first.game.start(len(first) + len(second))
    both[: len(first)] = first
    both[len(first) :] = second
    return both


def _torch_net(net: Net) -> TorchNet:
    """The net in torch on the CPU: a GPU rounds differently from onnxruntime."""
    if isinstance(net, OutputNet) and not isinstance(net, TorchNet):  # the core runs it
        from zeroply.nets import untrained

        same = untrained(net.spec, net.game)
        load_weights(same.module, net.weights)
        net = same
    if not isinstance(net, TorchNet):
        raise ZeroplyError(f"net {net.spec} has no torch module and cannot be exported")
    if net.output == "value":
        raise ZeroplyError("a net of values judges the positions after moves: export nets with output moves or actions")
    return net.on_cpu()


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the exporter (it calls the form that needs no further package deprecated) and the quantizer."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _blocks(positions: Positions, size: int = 64) -> Iterator[Positions]:
    return (positions[low : low + size] for low in range(0, len(positions), size))


def _names(content: bytes) -> list[str]:
    import onnx

    return [one.name for one in onnx.load_from_string(content).graph.input]


def _with_weights(model: onnx.ModelProto) -> list[str]:
    """The tables and layers of `lines` nets; the operations before them compute row numbers, which must stay exact."""
    places = {"Gather": ("/table/",), "MatMul": ("/layers.", "/last/")}
    nodes = model.graph.node
    return [node.name for node in nodes if any(place in node.name for place in places.get(node.op_type, ()))]


def _describe(model: onnx.ModelProto, net: TorchNet) -> None:
    """Write the metadata."""
    cells = [net.game.notation.name(int(cell)) for cell in playable(net.game)]
    words = {
        "game": str(net.game),
        "net": str(net.spec),
        "encoding": net.encoding,
        "output": net.output,
        "cells": json.dumps(cells),
    }
    del model.metadata_props[:]
    for key, value in words.items():
        model.metadata_props.add(key=key, value=value)


def check_export(net: OutputNet, content: bytes) -> None:
    """Compare with the net on positions of the net's own games, in batches and one at a time."""
    positions = positions_of(net)
    exported = OnnxNet(net, content)
    for some in (positions, positions[:1]):
        wanted = net.outputs(some)
        difference = np.abs(exported.outputs(some) - wanted).max()
        if not difference <= TOLERANCE * max(1.0, float(np.abs(wanted).max())):
            raise ZeroplyError(f"the exported net differs from the original by {difference:.2g}: it was not written")
