"""Experiments of every registered kind: interrupted or killed and resumed, they end as if they had not been."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import small_runs
from small_runs import run_folder, small
from zeroply.errors import ZeroplyError
from zeroply.runs import Run
from zeroply.runs.driver import run_experiment
from zeroply.runs.registry import experiments
from zeroply.runs.resume import resume

for package in ("torch", "cmaes"):  # not imported here: that takes seconds, in every test worker
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed", allow_module_level=True)

KINDS = list(experiments)
TIMES = ("time", "seconds", "measured", "champion", "player")
"""Fields that hold times or paths, which differ between two runs."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What runs that were never interrupted leave behind, by kind, made when first asked for."""

    class Whole(dict[str, Any]):
        def __missing__(self, kind: str) -> Any:
            folder = tmp_path_factory.mktemp(kind) / "whole"
            run_experiment(small(kind, folder.parent), run_folder(kind, folder))
            self[kind] = outcome(run_folder(kind, folder))
            return self[kind]

    return Whole()


def outcome(folder: Path) -> Any:
    """Events and result without times and paths."""
    record = Run.read(folder)
    events = [{key: value for key, value in event.items() if key not in TIMES} for event in record.events()]
    return events, {key: value for key, value in (record.result or {}).items() if key not in TIMES}


@pytest.mark.parametrize("kind", KINDS)
def test_interrupted_after_any_step_and_resumed_it_ends_the_same(
    kind: str, whole: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = whole[kind]
    run, steps = run_folder(kind, tmp_path / "run"), 0

    def interrupt(done: int, total: int, text: str = "") -> None:
        nonlocal steps
        steps += 1
        if steps in (1, 3, 7):
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "save_due", lambda run, seconds: steps != 2)  # work after the last checkpoint is repeated
    with pytest.raises(KeyboardInterrupt):
        run_experiment(small(kind, tmp_path), run, progress=interrupt)
    assert not Run.read(run).finished
    for _ in range(2):
        try:
            resume(run, progress=interrupt)
        except KeyboardInterrupt:
            continue
    result = resume(run)
    assert outcome(run) == expected
    assert experiments[kind].report(result), "a finished run is only read"


@pytest.mark.kills
@pytest.mark.parametrize("kind", KINDS)
def test_killed_as_a_process_and_resumed_it_ends_the_same(kind: str, whole: dict[str, Any], tmp_path: Path) -> None:
    run = run_folder(kind, tmp_path / "run")
    program = [sys.executable, small_runs.__file__, kind, str(tmp_path / "run"), "threads"]
    for wanted in (1, 2):
        process = subprocess.Popen(program, start_new_session=True)
        while process.poll() is None and len(list(run.glob("checkpoints/*.safetensors"))) < wanted:
            time.sleep(0.005)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert subprocess.run(program, check=False).returncode == 0
    assert outcome(run) == whole[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_whose_inputs_have_changed_is_not_resumed_and_a_finished_one_is_read(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(done: int, total: int, text: str = "") -> None:
        raise KeyboardInterrupt

    run = run_folder(kind, tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        run_experiment(small(kind, tmp_path), run, progress=interrupt)
    with monkeypatch.context() as patch:
        patch.setattr(experiments[kind], "inputs", lambda self: {"net.safetensors": "another"})
        with pytest.raises(ZeroplyError, match=r"cannot resume: .* has changed since the run began"):
            resume(run)


def test_every_kind_can_be_tried_here() -> None:
    assert {*small_runs.CONFIGS, "train", "judge", "study"} - small_runs.PRESETS.keys() == set(KINDS)
