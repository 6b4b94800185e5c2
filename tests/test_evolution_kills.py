"""Runs killed at any moment end as if they had not been, and threads, processes and a cluster give the same champions.

A few kills are part of every test run; `pytest -m kills` kills twenty times.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from small_runs import main as run_here
from tiny_net import same_net
from zeroply.learning.champions import champions
from zeroply.learning.evolution.executors import workers
from zeroply.runs import Run
from zeroply.runs.record import LOG_NAME

PROGRAM = [sys.executable, str(Path(__file__).with_name("small_runs.py"))]
KINDS = ("evolve", "self-play", "coevolve", "lin-white")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs that were never interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    for kind in KINDS:
        run_here(kind, folder / kind, "threads")
    return {kind: folder / kind for kind in KINDS}


def assert_same(one: Path, other: Path) -> None:
    """The same champions, events and result."""
    assert (champions(one).weights == champions(other).weights).all()
    assert same_net(one / "champion.safetensors", other / "champion.safetensors")
    events = [[{**event, "time": ""} for event in Run.read(folder).events()] for folder in (one, other)]
    assert events[0] == events[1]
    assert Run.read(one).result == Run.read(other).result


def start(kind: str, folder: Path, where: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*PROGRAM, kind, str(folder), where], start_new_session=True)


def generations(folder: Path) -> int:
    """How many generations a run has come to, as far as its last checkpoint."""
    with contextlib.suppress(Exception):
        return len(champions(folder))
    return 0


def killed_once(kind: str, folder: Path, where: str, after: float) -> bool:
    """Start or go on with a run and kill it some time after it has made a step; False if it ended before."""
    before = generations(folder)
    program = start(kind, folder, where)
    try:
        while program.poll() is None and generations(folder) == before:
            time.sleep(0.01)
        time.sleep(after)
        ended = program.poll() is not None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    return not ended


# Kills


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_run_ends_as_if_it_had_not_been_killed(kind: str, whole: dict[str, Path], tmp_path: Path) -> None:
    assert killed_once(kind, tmp_path / "run", "threads", 0.0), "the run was over before it could be killed"
    run_here(kind, tmp_path / "run", "threads")
    assert_same(tmp_path / "run", whole[kind])


@pytest.mark.kills
@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_twenty_kills_at_random_moments(kind: str, number: int, whole: dict[str, Path], tmp_path: Path) -> None:
    moments = np.random.default_rng(number)
    while killed_once(kind, tmp_path / "run", "threads", float(moments.uniform(0, 0.3))):
        pass
    run_here(kind, tmp_path / "run", "threads")
    assert_same(tmp_path / "run", whole[kind])


# Whoever plays


@pytest.mark.parametrize("kind", KINDS)
def test_processes_give_the_same_champions(kind: str, whole: dict[str, Path], tmp_path: Path) -> None:
    run_here(kind, tmp_path / "run", "processes:2")
    assert_same(tmp_path / "run", whole[kind])


@pytest.mark.parametrize("kind", ["evolve", "self-play", "lin-white"])
def test_one_and_two_threads_give_the_same_champions(kind: str, whole: dict[str, Path], tmp_path: Path) -> None:
    from zeroply import _core

    before = _core.threads()
    try:
        other = 1 if before > 1 else 2
        _core.set_threads(other)
        run_here(kind, tmp_path / "run", "threads")
        assert_same(tmp_path / "run", whole[kind])
    finally:
        _core.set_threads(before)


@contextlib.contextmanager
def killing_a_worker(find: Any) -> Iterator[None]:
    """Kill one worker process as soon as there is one, while the work in this block goes on."""
    import threading

    def kill() -> None:
        for _ in range(600):
            pids = find()
            if pids:
                time.sleep(0.2)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[0], signal.SIGKILL)
                    killed.append(pids[0])
                return
            time.sleep(0.05)

    killed: list[int] = []
    thread = threading.Thread(target=kill)
    thread.start()
    yield
    thread.join()
    assert killed, "no worker was there to be killed"


def worker_pids() -> list[int]:
    return [child.pid for child in multiprocessing.active_children() if child.pid]


def test_a_killed_process_costs_time_only(whole: dict[str, Path], tmp_path: Path) -> None:
    with killing_a_worker(worker_pids):
        run_here("evolve", tmp_path / "run", "processes:2")
    assert_same(tmp_path / "run", whole["evolve"])


@pytest.mark.parametrize("kind", ["evolve", "self-play"])
def test_a_cluster_with_a_killed_worker_gives_the_same_champions(
    kind: str, whole: dict[str, Path], tmp_path: Path
) -> None:
    pytest.importorskip("distributed")

    def busy() -> list[int]:
        """Worker processes, once the cluster has measured a generation: until then it cannot lose one."""
        log = tmp_path / "run" / LOG_NAME
        return worker_pids() if log.exists() and "generation" in log.read_text() else []

    with killing_a_worker(busy):
        run_here(kind, tmp_path / "run", "local:2")
    assert_same(tmp_path / "run", whole[kind])


def test_a_cluster_that_runs_elsewhere_gives_the_same_champions(whole: dict[str, Path], tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,  # starting a process with its packages takes most of the time
        protocol="tcp",
        dashboard_address=None,
        silence_logs="CRITICAL",
    ) as cluster:
        for kind in ("coevolve", "lin-white"):
            run_here(kind, tmp_path / kind, cluster.scheduler_address)
            assert_same(tmp_path / kind, whole[kind])


def double(number: int) -> int:
    return 2 * number


def test_work_goes_on_after_a_worker_died_between_two_generations() -> None:
    with workers("processes:1") as pool:
        assert pool.map(double, [1, 2]) == [2, 4]
        for child in multiprocessing.active_children():
            child.kill()
            child.join()
        assert pool.map(double, [3]) == [6]
