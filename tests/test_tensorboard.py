"""`--tensorboard`: the curves of a run as event files, each point once however often the run was interrupted."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import zeroply as zp
from run_commands import refusal
from zeroply.cli.main import main
from zeroply.runs.tensorboard import FOLDER

SETTINGS: dict[str, Any] = {"game": "atarigo(size=5)", "games": 2, "generations": 4, "seed": 1}
Points = dict[str, list[tuple[int, float]]]


class Written:
    """What stands in for torch's writer: files with a line per point."""

    def __init__(self, folder: str) -> None:
        Path(folder).mkdir(exist_ok=True)
        number = len(list(Path(folder).iterdir()))
        self.path, self.lines = Path(folder, f"events.out.tfevents.{number}"), list[str]()

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self.lines.append(f"{tag}\t{step}\t{value}\n")

    def close(self) -> None:
        self.path.write_text("".join(self.lines))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("torch.utils.tensorboard.writer")
    module.SummaryWriter = Written  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", ModuleType("torch.utils.tensorboard"))
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard.writer", module)


def points(run: Path) -> Points:
    """The points of all event files of the stand-in."""
    found: Points = {}
    for file in sorted((run / FOLDER).iterdir()):
        for line in file.read_text().splitlines():
            tag, step, value = line.split("\t")
            found.setdefault(tag, []).append((int(step), float(value)))
    return found


def test_the_points_are_those_of_the_log(stand_in: None, tmp_path: Path) -> None:
    result = zp.evolve(**SETTINGS, run=tmp_path / "run", tensorboard=True)
    written = points(tmp_path / "run")
    assert set(written) == {"fitness/best", "fitness/mean", "champion/wins"}
    assert written["fitness/best"] == [(one.number, one.best) for one in result.generations]


def test_a_resumed_run_has_each_point_once(stand_in: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zp.evolve(**SETTINGS, run=tmp_path / "whole", tensorboard=True)

    def stop(done: int, total: int, text: str = "", /) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as often:
        often.setattr(zp.Run, "save_due", lambda run, seconds: run.step == 0)  # generations 2 and 3 are lost
        with pytest.raises(KeyboardInterrupt):
            zp.evolve(**SETTINGS, run=tmp_path / "stopped", tensorboard=True, progress=stop)
    assert len(points(tmp_path / "stopped")["fitness/best"]) == 3
    zp.resume(tmp_path / "stopped")
    assert points(tmp_path / "stopped") == points(tmp_path / "whole")


def test_every_command_that_makes_a_run_has_the_option(
    stand_in: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    main(["coevolve", "--generations", "2", "--population", "6", "--run", str(run), "--tensorboard"])
    assert any(points(run).values())
    for command in ("train", "evolve", "coevolve", "train-td"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert "--tensorboard" in capsys.readouterr().out


def test_without_the_packages_it_is_refused_before_a_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard.writer", None)
    said = refusal(capsys, "evolve", "--generations", 1, "--run", tmp_path / "run", "--tensorboard")
    assert said == (
        "zeroply: --tensorboard needs torch and tensorboard: install them with pip install '.[tensorboard]'\n"
    )
    assert not (tmp_path / "run").exists()


def test_torch_s_writer_writes_what_tensorboard_reads(tmp_path: Path) -> None:
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    result = zp.evolve(**SETTINGS, run=tmp_path / "run", tensorboard=True)
    read = accumulators.EventAccumulator(str(tmp_path / "run" / FOLDER)).Reload()
    best = read.Scalars("fitness/best")
    assert [one.step for one in best] == [one.number for one in result.generations]
    assert [one.value for one in best] == pytest.approx([one.best for one in result.generations])
