"""Runs that studies share: made once, resumed after an interrupt, refused if they were made with other settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from zeroply.errors import ZeroplyError
from zeroply.runs import RunRecord
from zeroply.runs.experiment import Experiment
from zeroply.runs.registry import experiments
from zeroply.studies.shared_runs import shared_run


@dataclass(frozen=True, kw_only=True)
class CountConfig:
    size: int = 3
    sides: tuple[int, ...] = (1, 2)
    data: str = "here"
    seed: int = 1


class Counting(Experiment[CountConfig, int]):
    """Three steps that can be interrupted before the last."""

    kind = "counting"
    config_type = CountConfig
    total = 3
    done = 0
    checkpoint_seconds = -1.0
    steps: ClassVar[int] = 0
    interrupted: ClassVar[bool] = False

    def start(self) -> None:
        self.done = 0

    def restore(self, arrays: Mapping[str, Any], state: dict[str, Any]) -> None:
        self.done = state["done"]

    def step(self) -> None:
        if self.interrupted and self.done == 2:
            raise KeyboardInterrupt
        Counting.steps += 1
        self.done += 1

    def state(self) -> dict[str, Any]:
        return {"done": self.done}

    @classmethod
    def read(cls, record: RunRecord) -> int:
        return 3

    @classmethod
    def to_json(cls, result: int) -> dict[str, Any]:
        return {"steps": result}

    @classmethod
    def report(cls, result: int) -> list[Any]:
        return []


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Counting, "steps", 0)
    experiments.register(Counting)
    yield
    experiments.remove(Counting.kind)


def get(folder: Path, config: CountConfig, inputs: Mapping[str, str] | None = None) -> RunRecord:
    return shared_run(folder / "run", Counting(config), free=("data",), inputs=inputs)


def interrupt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Counting, "interrupted", True)
        with pytest.raises(KeyboardInterrupt):
            get(folder, CountConfig())


def test_a_run_is_made_once(tmp_path: Path) -> None:
    assert get(tmp_path, CountConfig()).result == {"steps": 3}
    assert get(tmp_path, CountConfig()).result == {"steps": 3}
    assert Counting.steps == 3


def test_an_interrupted_run_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(tmp_path, monkeypatch)
    assert Counting.steps == 2
    assert get(tmp_path, CountConfig()).finished
    assert Counting.steps == 3


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(("key", "value"), [("size", 4), ("sides", (1, 3)), ("seed", 2)])
def test_a_run_made_with_other_settings_is_refused(
    tmp_path: Path, finished: bool, key: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if finished:
        get(tmp_path, CountConfig())
    else:
        interrupt(tmp_path, monkeypatch)
    with pytest.raises(ZeroplyError, match=f"holds a run made with another {key}: remove that folder"):
        get(tmp_path, replace(CountConfig(), **{key: value}))


def test_settings_that_may_differ_are_accepted(tmp_path: Path) -> None:
    get(tmp_path, CountConfig())
    assert get(tmp_path, CountConfig(data="there")).finished
    assert Counting.steps == 3


def test_other_inputs_are_refused(tmp_path: Path) -> None:
    get(tmp_path, CountConfig())
    with pytest.raises(ZeroplyError, match="made with another inputs"):
        get(tmp_path, CountConfig(), inputs={"file": "changed"})
