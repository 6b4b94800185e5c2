"""What there is, listed so that it can be read on 80 columns: nothing cut, nothing twice, small before large."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path

import pytest

import zeroply as zp
from zeroply.cli.main import main
from zeroply.learning.champions import champions, written_champion
from zeroply.nets import inspect, shipped


def listed(command: str) -> list[str]:
    """What a command prints on 80 columns."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main([command])
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.fixture(scope="module")
def nets() -> list[str]:
    return listed("nets")


def test_nets_fit_and_nothing_of_them_is_cut(nets: list[str]) -> None:
    assert max(map(len, nets)) <= 80
    assert "…" not in "".join(nets)
    for name in shipped():
        at = next(i for i, line in enumerate(nets) if line.startswith(f"net({name}) "))
        info = inspect(name)
        assert nets[at].split(maxsplit=1)[1].split("  ")[0] == str(info.spec)
        assert nets[at].endswith(f" {info.parameters:,} weights")
        about = str(info.training["about"])
        assert " ".join(" ".join(nets[at + 1 : at + 4]).split()).startswith(about)


def test_small_boards_come_before_large_ones(nets: list[str]) -> None:
    names = [line.split("(")[1].split(")")[0] for line in nets if line.startswith("net(")]
    assert sorted(names) == shipped()
    for game in ("atarigo", "gomoku"):
        sizes = [int(name.split("-")[1]) for name in names if name.startswith(game)]
        assert sizes == sorted(sizes)
        assert set(sizes) == {5, 7, 9, 11, 19}
    conv = [line.split()[0] for line in nets if line.startswith("  conv")]
    assert conv == ["conv4", "conv6", "conv8", "conv10"]


def test_a_net_takes_two_lines_or_three(nets: list[str]) -> None:
    first = next(i for i, line in enumerate(nets) if line.startswith("net("))
    assert len(nets) - first <= 3 * len(shipped())


def test_sizes_of_nets_take_a_line_each(nets: list[str]) -> None:
    first = next(i for i, line in enumerate(nets) if line.startswith("sizes for othello"))
    long = next(line for line in nets[first:] if "pooling=false, projection=true" in line)
    assert long.startswith("resnet(depth=32, pooling=false, projection=true) ")


def test_players_point_to_the_list_of_nets(nets: list[str]) -> None:
    players = listed("players")
    assert max(map(len, players)) <= 80
    assert players[-1].endswith(": zeroply nets")
    assert not any("evolved" in line for line in players)


def test_an_endless_architecture_is_shortened_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    layer = "-".join(f"{7 << i:016x}" for i in range(40))
    main(["nets", f'spatial(layer="{layer}")', "mdrnn(k=10)"])
    text = capsys.readouterr().out
    assert layer not in text
    assert "…" not in text
    assert "0000000000000007-000..." in text
    main(["nets", f'spatial(layer="{layer}")', "--json"])
    assert layer in json.loads(capsys.readouterr().out)[0]["net"]


# Champions


@pytest.fixture(scope="module")
def queens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of spatial nets that keeps a champion every 4 generations, 6 generations long."""
    folder = tmp_path_factory.mktemp("runs") / "queens"
    sizes = ["--generations", "6", "--save-every", "4", "--population", "4", "--opponents", "2", "--observe.every", "0"]
    main(["coevolve", "--preset", "lin-white", *sizes, "--run", str(folder)])
    return folder


def test_a_generation_that_was_not_kept_is_told_with_those_that_were(
    queens: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        main(["champion", str(queens), "--generation", "5", "--out", str(tmp_path / "net.safetensors")])
    assert capsys.readouterr().err == (
        f"zeroply: {queens} has champions of generations 4, 6, not of 5: "
        "one is saved every 4 generations, see --save-every\n"
    )
    main(["champion", str(queens), "--generation", "4", "--out", str(tmp_path / "net.safetensors")])
    assert "champion 4 of 6 generations" in capsys.readouterr().out


def test_many_generations_are_told_by_the_first_and_the_last(queens: Path) -> None:
    result = champions(queens)
    object.__setattr__(result, "numbers", list(range(4, 404, 4)))
    with pytest.raises(zp.ZeroplyError, match=r"generations 4, 8, 12, 16, 20, 24, 28, 32, 36, \.\.\., 400, not of 5"):
        result.of(5)


def test_a_run_that_has_kept_none_yet_says_when_it_will(queens: Path, tmp_path: Path) -> None:
    young = tmp_path / "young"
    shutil.copytree(queens, young)
    for generation in (4, 6):
        written_champion(young, generation).unlink()
    with pytest.raises(zp.ZeroplyError, match="no champions yet: the first is that of generation 4, see --save-every"):
        champions(young)


# Export


@pytest.mark.parametrize("kind", ["spatial", "mdrnn", "wpc"])
def test_a_net_that_cannot_be_exported_is_named_with_those_that_can(
    kind: str, queens: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net = {"spatial": str(queens / "champion.safetensors"), "mdrnn": "othello-mdrnn", "wpc": "othello-swh"}[kind]
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        main(["export", net, str(tmp_path / "net.onnx")])
    output = capsys.readouterr().err
    wanted = f"net {net} cannot be written as ONNX: only nets of zeroply train can, not {kind}\n"
    assert output == f"zeroply: {wanted}"
    assert not (tmp_path / "net.onnx").exists()
