"""Runs that studies share: made once, gone on with after an interrupt, refused if they were made otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from zeroply import levels
from zeroply.errors import ZeroplyError
from zeroply.runs import Run, RunRecord
from zeroply.studies.shared_runs import shared_run

CONFIG: Mapping[str, Any] = {"size": 3, "sides": (1, 2), "data": "here"}


class Counting:
    """A run of three steps that can be interrupted before the last."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.steps = folder, 0

    def get(self, config: Mapping[str, Any] = CONFIG, seed: int = 1, interrupted: bool = False) -> RunRecord:
        def make() -> None:
            with Run.create(self.folder, kind="counting", config=config, seed=seed, level=levels.chosen()) as run:
                work(run)

        def work(run: Run) -> None:
            for step in range((run.state or {"done": 0})["done"], 3):
                if interrupted and step == 2:
                    raise KeyboardInterrupt
                self.steps += 1
                run.save({"done": step + 1})
            run.finish({"steps": 3})

        return shared_run(self.folder, config, seed, make, work, free=("data",))


@pytest.fixture
def counting(tmp_path: Path) -> Counting:
    return Counting(tmp_path / "run")


def test_a_run_is_made_once(counting: Counting) -> None:
    assert counting.get().result == {"steps": 3}
    assert counting.get().result == {"steps": 3}
    assert counting.steps == 3


def test_an_interrupted_run_is_gone_on_with(counting: Counting) -> None:
    with pytest.raises(KeyboardInterrupt):
        counting.get(interrupted=True)
    assert counting.steps == 2
    assert counting.get().finished
    assert counting.steps == 3


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(
    ("key", "config", "seed"),
    [
        ("size", {**CONFIG, "size": 4}, 1),
        ("sides", {**CONFIG, "sides": (1, 3)}, 1),
        ("colour", {**CONFIG, "colour": None}, 1),
        ("size", {"sides": (1, 2), "data": "here"}, 1),
        ("seed", CONFIG, 2),
    ],
)
def test_a_run_made_otherwise_is_refused(
    counting: Counting, finished: bool, key: str, config: Mapping[str, Any], seed: int
) -> None:
    if finished:
        counting.get()
    else:
        with pytest.raises(KeyboardInterrupt):
            counting.get(interrupted=True)
    with pytest.raises(ZeroplyError, match=f"holds a run made with another {key}: remove that folder"):
        counting.get(config, seed)


def test_what_may_differ_is_taken(counting: Counting) -> None:
    counting.get()
    assert counting.get({**CONFIG, "data": "there"}).finished
    assert counting.steps == 3
