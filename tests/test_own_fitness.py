"""A strategy and a fitness of one's own: named in the run, resumed exactly, refused in a sentence."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import zeroply as zp
from run_commands import outcome, refusal, started, zeroply
from zeroply import chance
from zeroply.learning.evolution.executors import Threads
from zeroply.learning.evolution.own_fitness import MEMBERS_OF_A_TASK, own_scores

EXAMPLES = Path(__file__).parents[1] / "examples"
BOARD = "atarigo(size=5)"
EVOLVE = (
    "evolve",
    "--strategy",
    "own_snes:Snes",
    "--own-fitness",
    "own_snes:captures",
    "--generations",
    5,
    "--seed",
    3,
)


@pytest.fixture
def mine() -> Iterator[ModuleType]:
    """A module with functions that are, or are not, a fitness; imported as by a program of one's own."""
    module = ModuleType("mine")
    sys.modules["mine"] = module
    module.length = lambda net, weights, keys: -np.linalg.norm(weights, axis=1)  # type: ignore[attr-defined]
    module.drawn = lambda net, weights, keys: chance.uniform(keys, 0)  # type: ignore[attr-defined]
    yield module
    del sys.modules["mine"]


def test_the_example_resumes_after_a_kill_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    words = ["--import", "own_snes", *EVOLVE, "--run"]
    done = zeroply(*words, whole, "--processes", 2, "--json")
    assert done.returncode == 0, done.stderr
    assert [one["wins"] for one in json.loads(done.stdout)["generations"]] == [None] * 5
    process = started([*words, killed], killed, "checkpoints/*")
    assert process.poll() is None
    process.kill()
    process.communicate()
    said = refusal(capsys, "resume", killed)
    assert "needs the module own_snes: import it in Python, or use zeroply --import own_snes resume" in said
    done = zeroply("--import", "own_snes", "resume", killed)
    assert done.returncode == 0, done.stderr
    assert outcome(killed) == outcome(whole)
    config = json.loads((killed / "run.json").read_text())["config"]
    assert (config["strategy"], config["own_fitness"]) == ("own_snes:Snes", "own_snes:captures")


def test_every_member_has_its_own_key_however_the_work_is_cut(mine: ModuleType) -> None:
    weights = np.zeros((2 * MEMBERS_OF_A_TASK + 3, 140), np.float32)
    with Threads() as workers:
        scores = own_scores("mine:drawn", BOARD, "mdrnn(k=10)", weights, 5, workers)
    assert scores.tolist() == chance.uniform(chance.keys(5, np.arange(len(weights))), 0).tolist()


def test_evolution_follows_the_fitness(mine: ModuleType, tmp_path: Path) -> None:
    result = zp.evolve(game=BOARD, own_fitness="mine:length", generations=20, run=tmp_path / "run", seed=1)
    best = [one.best for one in result.generations]
    assert best == sorted(best)
    assert best[-1] > best[0] + 0.5
    assert zp.resume(tmp_path / "run").generations == result.generations


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (lambda net, weights, keys: [1.0], "must return a number per member: expected 16, got an array of shape (1,)"),
        (lambda net, weights, keys: np.full(len(keys), np.nan), "returned NaN or an infinite number"),
        (lambda net, weights, keys: "good", "must return numbers, not str"),
        (7, "fitness mine:bad must be a function of a net, weights and keys"),
    ],
)
def test_what_is_no_fitness_is_refused(mine: ModuleType, tmp_path: Path, function: object, complaint: str) -> None:
    mine.bad = function  # type: ignore[attr-defined]
    with pytest.raises(zp.ZeroplyError) as caught:
        zp.evolve(game=BOARD, own_fitness="mine:bad", generations=1, run=tmp_path / "run")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"own_fitness": "nowhere:f"}, "fitness nowhere:f needs the module nowhere: import it in Python"),
        ({"own_fitness": "mine:f"}, "fitness mine:f does not exist: module mine has no f"),
        ({"own_fitness": "mine"}, "fitness mine does not exist: module mine has no empty name"),
        ({"strategy": "nowhere:S"}, "strategy nowhere:S needs the module nowhere: import it in Python"),
        ({"strategy": "mine:length"}, "strategy mine:length must be a subclass of"),
        ({"own_fitness": "mine:length", "objectives": ("speed",)}, "objectives are about games"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused_before_a_folder_is_made(
    mine: ModuleType, tmp_path: Path, settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(zp.ZeroplyError) as caught:
        zp.evolve(game=BOARD, generations=1, run=tmp_path / "run", **settings)
    assert complaint in str(caught.value)
    assert not (tmp_path / "run").exists()
