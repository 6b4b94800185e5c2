"""Resuming runs of all kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeroply import levels
from zeroply.cli.main import main
from zeroply.runs import Run
from zeroply.runs.registry import experiments

pytest.importorskip("torch")


@pytest.mark.parametrize("kind", list(experiments))
def test_a_run_of_another_version_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    Run.create(tmp_path / "run", kind=kind, config={"unheard_of": 1}, seed=1, level=levels.chosen()).close()
    with pytest.raises(SystemExit) as left:
        main(["resume", str(tmp_path / "run")])
    assert left.value.code == 2
    assert "started by another version" in " ".join(capsys.readouterr().err.split())
