"""Nets as ONNX files: onnxruntime says what torch says, in 8 bits nearly so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeroply as zp
from zeroply import _core
from zeroply.games import bits
from zeroply.nets import load, save, untrained
from zeroply.nets.lines import LinesNet

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from zeroply.cli.main import main  # noqa: E402
from zeroply.nets import onnx_files  # noqa: E402
from zeroply.nets.modules.initialise import initialise  # noqa: E402
from zeroply.nets.onnx_files import OnnxNet, agreement, positions_of, to_int8, to_onnx  # noqa: E402
from zeroply.nets.torch_net import TorchNet  # noqa: E402

OTHELLO = zp.game("othello")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    _core.set_threads(1)


def net_of(spec: str) -> TorchNet:
    net = untrained(spec, OTHELLO)
    initialise(net.module, 1)
    return net


@pytest.mark.parametrize(
    "spec",
    [
        "conv4(width=0.1, bn=true)",
        "resnet(depth=8, encoding=vmoves)",
        "densenet(depth=10, growth=4)",
        "staged(net=dense(layers=16))",
        "bag(net=dense(layers=16), members=2)",
        "dense(layers=16, output=actions)",
        "bag(net=lines(embedding=2, layers=8), members=2)",
        "staged(net=lines(embedding=2, layers=8), stages=2)",
    ],
)
def test_onnxruntime_says_what_torch_says(tmp_path: Path, spec: str) -> None:
    net = net_of(spec)
    path = tmp_path / "net.onnx"
    onnx_files.save_onnx(to_onnx(net), path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    positions = positions_of(net, seed=5)
    names = [one.name for one in session.get_inputs()]
    inputs = dict(zip(names, net.inputs(positions), strict=True))
    np.testing.assert_allclose(session.run(None, inputs)[0], net.outputs(positions), atol=1e-4)
    about = session.get_modelmeta().custom_metadata_map
    assert (about["game"], about["net"], about["encoding"]) == ("othello", spec, net.encoding)
    assert json.loads(about["cells"])[:2] == ["a1", "b1"]
    assert len(json.loads(about["cells"])) == 60


@pytest.mark.parametrize("name", ["othello", "othello-fast"])
def test_shipped_nets_can_be_exported(tmp_path: Path, name: str) -> None:
    net, path = load(name, OTHELLO), tmp_path / "net.onnx"
    assert isinstance(net, LinesNet)
    main(["export", name, str(path)])
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    positions = positions_of(net, seed=5)
    own, opponent = (one.view(np.int64) for one in bits(positions))
    assert (own < 0).any()  # the last cell is the highest bit
    said = session.run(None, {"own": own, "opponent": opponent})[0]
    np.testing.assert_allclose(said, net.outputs(positions), atol=1e-4)


def test_the_8_bit_form_of_a_shipped_net_mostly_agrees() -> None:
    net = load("othello-fast", OTHELLO)
    content = to_onnx(net)
    small = to_int8(net, content)
    assert len(small) < 0.3 * len(content)
    assert agreement(net, OnnxNet(net, small)) > 0.95


def test_a_net_stays_where_it_runs_when_it_is_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    net, moved, move = net_of("conv4(width=0.1)"), [], torch.nn.Module._apply

    def remember(module: Any, *words: Any, **more: Any) -> Any:
        moved.append(module)
        return move(module, *words, **more)

    monkeypatch.setattr(torch.nn.Module, "_apply", remember)
    to_int8(net, to_onnx(net))
    assert not any(module is one for module in net.module.modules() for one in moved)
    assert any(type(one) is type(net.module) for one in moved)  # a copy of it went to the processor


def test_an_export_that_differs_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    net, other = net_of("dense(layers=16)"), net_of("dense(layers=16)")
    content = to_onnx(net)
    initialise(other.module, 2)
    with pytest.raises(zp.ZeroplyError, match="differs"):
        onnx_files.check_export(other, content)


def test_the_8_bit_form_is_smaller_and_mostly_agrees() -> None:
    net = net_of("conv4(width=0.3)")
    content = to_onnx(net)
    small = to_int8(net, content)
    assert len(small) < 0.4 * len(content)
    assert agreement(net, OnnxNet(net, content)) == 1
    assert agreement(net, OnnxNet(net, small)) > 0.7


def test_the_command_exports_and_says_how_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.safetensors"
    save(net_of("dense(layers=64)"), file)
    main(["export", str(file), str(tmp_path / "net.onnx"), "--json"])
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert said["agreement"] == 1
    main(["export", str(file), str(tmp_path / "small.onnx"), "--int8", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert 0.5 < said["agreement"] <= 1
    assert said["bytes"] == (tmp_path / "small.onnx").stat().st_size < (tmp_path / "net.onnx").stat().st_size
    main(["export", str(file), str(tmp_path / "half.safetensors"), "--storage", "fp16", "--json"])
    assert json.loads(capsys.readouterr().out)["agreement"] > 0.9
    assert load(str(tmp_path / "half.safetensors"), OTHELLO).weights


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["othello-swh", "out.onnx"], "only nets of zeroply train can, not wpc"),
        (["nowhere.safetensors", "out.onnx"], "no net file"),
        (["othello-swh", "out.txt"], "onnx or"),
        (["othello", "out.safetensors", "--int8"], "--storage int8"),
        (["othello", "out.onnx", "--storage", "fp32"], "use --int8 for .onnx"),
    ],
)
def test_bad_exports_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["export", words[0], str(tmp_path / words[1]), *words[2:]])
    assert caught.value.code == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_net_of_values_is_not_exported() -> None:
    with pytest.raises(zp.ZeroplyError, match="net of values"):
        to_onnx(net_of("dense(layers=16, output=value)"))
