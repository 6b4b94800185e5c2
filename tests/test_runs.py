"""Runs: a folder survives any kill, any damage and any second process, or says in a sentence why it cannot.

Run as a program this file is the victim: it forks toy runs, which are killed with a real `kill -9`.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroply.errors import ZeroplyError
from zeroply.runs import Run, RunRecord, recorded_level, stored
from zeroply.runs import files as run_files
from zeroply.runs.files import seal
from zeroply.runs.lock import LOCK_NAME, RunLock

Snapshot = dict[str, Any]

STEPS = 22
EVERY = 4
KILLS = 15


def create(folder: Path, **changes: Any) -> Run:
    options: dict[str, Any] = {"kind": "toy", "config": {"steps": STEPS}, "seed": 7, "level": "v3"}
    return Run.create(folder, **{**options, **changes})


def play_toy(folder: Path, stop_after: int = STEPS) -> None:
    """A toy run: a number a step, logged, and a checkpoint every few steps; it goes on where it was."""
    run = Run.open(folder, level="v3") if (folder / "run.json").exists() else create(folder)
    with run:
        if run.finished:
            return
        state = run.state or {"step": 0, "total": 0.0}
        numbers = (run.arrays or {"numbers": np.zeros(run.info.config["steps"])})["numbers"]
        for step in range(state["step"], stop_after):
            numbers[step] = np.random.default_rng([run.info.seed, step]).normal()
            state = {"step": step + 1, "total": state["total"] + float(numbers[step])}
            run.log("step", step=step, number=numbers[step], comment="x" * (step % 5))
            if (step + 1) % EVERY == 0:
                run.save(state, {"numbers": numbers, "empty": np.zeros((0, 3), np.int8)})
        if stop_after == STEPS:
            run.finish({"total": state["total"], "events": sum(1 for _ in run.events())})


def snapshot(folder: Path) -> Snapshot:
    """All that must be the same however often a run was killed: everything but the clock."""
    record = Run.read(folder)
    return {
        "result": record.result,
        "events": [{key: value for key, value in event.items() if key != "time"} for event in record.events()],
        "log bytes": (folder / "events.jsonl").stat().st_size,
        "checkpoints": {path.name: path.read_bytes() for path in checkpoints(folder)},
    }


def checkpoints(folder: Path) -> list[Path]:
    return sorted((folder / "checkpoints").glob("*.safetensors"))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("reference") / "run"
    play_toy(folder)
    return snapshot(folder)


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A toy run that ended early: checkpoints 1 to 3 (after step 12) and two more events."""
    folder = tmp_path / "stopped"
    play_toy(folder, stop_after=14)
    return folder


# Killing


def as_program(*arguments: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_a_run_killed_at_random_moments_ends_as_if_never_killed(tmp_path: Path, uninterrupted: Snapshot) -> None:
    out, _ = as_program("kill-randomly", tmp_path).communicate(timeout=300)
    assert int(out) == KILLS
    for folder in tmp_path.iterdir():
        assert snapshot(folder) == uninterrupted


def test_a_run_killed_at_any_of_its_file_operations_ends_as_if_never_killed(
    tmp_path: Path, uninterrupted: Snapshot
) -> None:
    out, _ = as_program("kill-at-each-operation", tmp_path).communicate(timeout=300)
    folders = sorted(tmp_path.iterdir())
    assert len(folders) == int(out) > 50
    for folder in folders:
        assert snapshot(folder) == uninterrupted
        assert not [path for path in folder.rglob("*") if ".tmp-" in path.name]


def fork_toy(folder: Path, before: Callable[[], None] = lambda: None) -> int:
    process = os.fork()
    if process == 0:
        try:
            before()
            play_toy(folder)
            os._exit(0)
        finally:
            os._exit(1)
    return process


def kill_randomly(parent: Path) -> int:
    chance = random.Random(1)
    started = time.monotonic()
    os.waitpid(fork_toy(parent / "timing"), 0)
    full_time = time.monotonic() - started
    kills = runs = 0
    while kills < KILLS:
        process = fork_toy(parent / f"{runs}")
        time.sleep(chance.uniform(0, full_time))
        os.kill(process, signal.SIGKILL)
        status = wait_for(process)
        kills += status == signal.SIGKILL
        runs += status == 0
    wait_for(fork_toy(parent / f"{runs}"))
    return kills


def wait_for(process: int) -> int:
    _, status = os.waitpid(process, 0)
    if status not in (0, signal.SIGKILL):
        raise SystemExit(f"the toy failed with status {status}")
    return status


def kill_at_operation(number: int) -> None:
    """Make this process kill itself in its nth file operation; a write is killed half done."""
    calls = iter(range(number, -1, -1))

    def deadly(operation: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            if next(calls) == 0:
                if operation is real_pwrite:
                    real_pwrite(arguments[0], arguments[1][: len(arguments[1]) // 2], arguments[2])
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*arguments, **options)

        return counted

    real_pwrite = os.pwrite
    for module, names in ((os, "open pwrite fsync ftruncate replace unlink mkdir"), (fcntl, "flock")):
        for name in names.split():
            setattr(module, name, deadly(getattr(module, name)))


def kill_at_each_operation(parent: Path) -> int:
    with unsynced():
        for number in range(1000):
            folder = parent / f"{number:03d}"
            if wait_for(fork_toy(folder, partial(kill_at_operation, number))) == 0:
                return number + 1
            wait_for(fork_toy(folder))
    raise SystemExit("the toy never ended")


def test_an_interrupt_while_the_log_is_written_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with create(tmp_path / "run") as run:
        run.log("first")
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", raising(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                run.save({})
        run.log("second")
        run.save({})
    with Run.open(tmp_path / "run") as run:
        assert [event["event"] for event in run.events()] == ["first", "second"]
        assert run.warnings == []


def raising(error: type[BaseException] | BaseException) -> Callable[..., Any]:
    def operation(*_: Any, **__: Any) -> Any:
        raise error

    return operation


# Configurations


@dataclass(frozen=True, kw_only=True)
class Watchers:
    names: tuple[str, ...] = ("one", "two")
    every: int = 5


@dataclass(frozen=True, kw_only=True)
class Work:
    game: str
    sizes: tuple[int, ...] = ()
    most: int | None = None
    watchers: Watchers = field(default_factory=Watchers)
    seed: int = 0


def test_a_configuration_comes_back_equal(tmp_path: Path) -> None:
    work = Work(game="othello", sizes=(5, 7), watchers=Watchers(names=("three",)), seed=7)
    with create(tmp_path / "run", config=stored(work)) as run:
        assert run.config(Work) == work
    assert Run.read(tmp_path / "run").config(Work) == work
    assert "seed" not in Run.read(tmp_path / "run").info.config


def test_a_setting_that_could_not_be_chosen_yet_has_its_default(tmp_path: Path) -> None:
    with create(tmp_path / "run", config={"game": "othello", "watchers": {"names": ["one"]}}) as run:
        assert run.config(Work) == Work(game="othello", watchers=Watchers(names=("one",)), seed=7)
    with create(tmp_path / "other", config={"game": "othello"}) as run:
        assert run.config(Work) == Work(game="othello", seed=7)


@pytest.mark.parametrize(
    "changes",
    [
        *[
            {"game": None},
            {"unheard_of": 1},
            {"sizes": 5},
            {"watchers": ["every"]},
            {"watchers": {"names": [], "unheard_of": 1}},
        ],
    ],
)
def test_settings_of_another_version_are_one_sentence(tmp_path: Path, changes: dict[str, Any]) -> None:
    settings = {**stored(Work(game="othello")), **changes}
    settings = {name: value for name, value in settings.items() if value is not None}  # None leaves a field out
    with (
        create(tmp_path / "run", config=settings) as run,
        pytest.raises(ZeroplyError, match="started by another version"),
    ):
        run.config(Work)


# Events


def test_events_of_a_kind_are_in_order(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        for number in range(6):
            run.log("odd" if number % 2 else "even", number=number)
        assert [event["number"] for event in run.events("odd")] == [1, 3, 5]
    assert [event["number"] for event in Run.read(tmp_path / "run").events("even")] == [0, 2, 4]


def test_a_torn_last_line_is_dropped(stopped: Path, uninterrupted: Snapshot) -> None:
    with open(stopped / "events.jsonl", "ab") as log:
        log.write(b'{"event":"step","ste')
    assert len(list(Run.read(stopped).events())) == 14
    play_toy(stopped)
    assert snapshot(stopped) == uninterrupted


def test_opening_cuts_the_log_back_to_the_checkpoint(stopped: Path) -> None:
    assert [event["step"] for event in Run.read(stopped).events()] == list(range(14))
    with Run.open(stopped) as run:
        assert [event["step"] for event in run.events()] == list(range(12))
        assert run.step == 3
    assert [event["step"] for event in Run.read(stopped).events()] == list(range(12))


def test_without_a_checkpoint_a_run_starts_from_the_beginning(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        run.log("lost")
    with Run.open(tmp_path / "run") as run:
        assert (run.state, run.arrays, run.step, list(run.events())) == (None, None, 0, [])


def test_an_event_is_one_line_of_strict_json_with_its_time_last(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        run.log("result", rating=np.float32(0.5), games=np.int64(3), won=np.bool_(True), who="žába\n", gap=None)
        run.log("diverged", loss=float("nan"), elo=[float("inf"), 1.0])
    first, second = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    assert list(json.loads(first)) == ["event", "rating", "games", "won", "who", "gap", "time"]
    assert first.startswith(
        '{"event":"result","rating":0.5,"games":3,"won":true,"who":"\\u017e\\u00e1ba\\n","gap":null'
    )
    assert second.startswith('{"event":"diverged","loss":null,"elo":[null,1.0],"time":')


def test_an_event_that_json_cannot_hold_is_refused_and_not_logged(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        for fields in (
            {"board": np.zeros(3)},
            {"time": 1},
            {"event": 1},
            {"table": {3: 4}},
            {"what": {1, 2}},
        ):
            with pytest.raises(ZeroplyError):
                run.log("bad", **fields)
        assert list(run.events()) == []


def test_a_damaged_line_is_named_when_the_log_is_read(stopped: Path) -> None:
    lines = (stopped / "events.jsonl").read_bytes().splitlines(keepends=True)
    (stopped / "events.jsonl").write_bytes(b"".join([*lines[:4], b"[1, 2]\n", *lines[5:]]))
    with pytest.raises(ZeroplyError, match=r"line 5 of .*events.jsonl is damaged"):
        list(Run.read(stopped).events())


# Checkpoints


def test_a_line_that_is_no_json_is_named_when_the_log_is_read(stopped: Path) -> None:
    log = stopped / "events.jsonl"
    log.write_bytes(b"so many words\n" + log.read_bytes())
    with pytest.raises(ZeroplyError, match=r"line 1 of .* is damaged: it is not a JSON object"):
        list(Run.read(stopped).events())


def test_a_run_whose_log_is_gone_is_refused(stopped: Path) -> None:
    (stopped / "events.jsonl").unlink()
    with pytest.raises(ZeroplyError, match="the event log is missing"):
        Run.open(stopped)


def test_a_checkpoint_is_due_when_the_last_one_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with create(tmp_path / "run") as run:
        assert not run.save_due(10)
        now = 111.0
        assert run.save_due(10)
        run.save({})
        assert not run.save_due(10)


def test_a_checkpoint_gives_back_what_was_saved_in_the_same_order(tmp_path: Path) -> None:
    arrays = {
        "z": np.arange(6, dtype=np.int16).reshape(2, 3).T,
        "scalar": np.array(2.5, dtype=np.float16),
        "a": np.array([True, False]),
        "big endian": np.array([1.5, np.nan], dtype=">f8"),
        "none": np.zeros((0, 4), dtype=np.uint8),
    }
    state = {"z": [1, 2.5, None], "a": {"nested": (True, "ž")}, "n": np.int32(4), "large": 2**127 + 1}
    with create(tmp_path / "run") as run:
        run.save(state, arrays)
    with Run.open(tmp_path / "run") as run:
        assert run.state == {"z": [1, 2.5, None], "a": {"nested": [True, "ž"]}, "n": 4, "large": 2**127 + 1}
        assert list(run.state) == ["z", "a", "n", "large"]
        assert run.arrays is not None
        assert list(run.arrays) == list(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(run.arrays[name], array)
            assert run.arrays[name].dtype == array.dtype.newbyteorder("=")
        run.arrays["z"][0, 0] = 9  # loaded arrays can be worked on in place


@given(
    state=st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
            max_leaves=8,
        ),
        max_size=4,
    )
)
def test_what_is_sealed_is_unsealed_unchanged(state: dict[str, Any]) -> None:
    text = run_files.to_json(seal({"state": state}), what="state")
    assert run_files.unseal(run_files.parse_json(text)) == {"state": state}


def test_only_the_newest_three_checkpoints_are_kept(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        for step in range(5):
            run.save({"step": step})
    assert [path.stem for path in checkpoints(tmp_path / "run")] == ["00000003", "00000004", "00000005"]
    with Run.open(tmp_path / "run") as run:
        assert (run.step, run.state) == (5, {"step": 4})


def corrupt(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_a_corrupted_checkpoint_is_passed_over_with_a_warning(
    stopped: Path, uninterrupted: Snapshot, caplog: pytest.LogCaptureFixture
) -> None:
    corrupt(checkpoints(stopped)[-1])
    with Run.open(stopped) as run:
        assert run.step == 2
        assert run.state is not None
        assert run.state["step"] == 8
        assert len(list(run.events())) == 8
        [warning] = run.warnings
        assert "00000003.safetensors is damaged (wrong checksum)" in warning
        assert "resumes from checkpoint 00000002.safetensors" in warning
        assert warning in caplog.text
    assert (stopped / "checkpoints" / "00000003.damaged").exists()
    play_toy(stopped)
    assert snapshot(stopped) == uninterrupted


def test_a_run_with_only_corrupted_checkpoints_is_refused_and_left_as_it_was(stopped: Path) -> None:
    for path in checkpoints(stopped):
        path.write_bytes(path.read_bytes()[:-5])
    before = contents(stopped)
    with pytest.raises(ZeroplyError, match=r"no checkpoint of .* can be used"):
        Run.open(stopped)
    assert contents(stopped) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


def test_a_checkpoint_under_another_number_is_damaged(stopped: Path) -> None:
    shutil.copy(checkpoints(stopped)[0], stopped / "checkpoints" / "00000009.safetensors")
    with Run.open(stopped) as run:
        assert run.step == 3
        assert "00000009.safetensors is damaged (it is checkpoint 1)" in run.warnings[0]


def test_a_log_shorter_than_a_checkpoint_says_goes_back_to_an_older_one(stopped: Path, uninterrupted: Snapshot) -> None:
    lines = (stopped / "events.jsonl").read_bytes().splitlines(keepends=True)
    (stopped / "events.jsonl").write_bytes(b"".join(lines[:9]))
    with Run.open(stopped) as run:
        assert run.step == 2
        assert "the event log does not match it" in run.warnings[0]
    play_toy(stopped)
    assert snapshot(stopped) == uninterrupted


def test_a_state_that_would_not_come_back_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    with create(tmp_path / "run") as run:
        bad: dict[str, Any]
        for bad in ({"loss": float("nan")}, {"a": [1, -np.inf]}, {"a": {1: 2}}, {"a": np.ones(2)}, circle):
            with pytest.raises(ZeroplyError, match="cannot write this as JSON: state"):
                run.save(bad)
        for name, array in (
            ("a", np.array(["text"])),
            ("b", np.array([None])),
            ("__metadata__", np.zeros(1)),
        ):
            with pytest.raises(ZeroplyError, match="array"):
                run.save({}, {name: array})
        assert checkpoints(run.folder) == []
        run.save({})
        assert run.step == 1


def test_a_full_disk_is_one_sentence_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with create(tmp_path / "run") as run:
        run.save({"n": 1})
        run.log("kept")
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", raising(OSError(28, "No space left on device")))
            with pytest.raises(ZeroplyError, match=r"cannot write .*00000002.safetensors: No space left on device"):
                run.save({"n": 2})
        run.save({"n": 2})
    with Run.open(tmp_path / "run") as run:
        assert (run.step, run.state, len(list(run.events()))) == (2, {"n": 2}, 1)


# The lock


def test_a_run_is_refused_while_another_process_writes_it_and_free_when_that_is_killed(stopped: Path) -> None:
    with as_program("hold", stopped) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ZeroplyError, match=f"stopped is in use by process {holder.pid}: "):
            Run.open(stopped)
        assert Run.read(stopped).info.kind == "toy"
        holder.kill()
        holder.wait()
        Run.open(stopped).close()


def test_a_forked_worker_does_not_keep_the_lock_of_its_killed_parent(stopped: Path) -> None:
    with as_program("hold-and-fork", stopped) as holder:
        assert holder.stdout is not None
        worker = int(holder.stdout.readline())
        holder.kill()
        holder.wait()
        try:
            os.kill(worker, 0)
            Run.open(stopped).close()
        finally:
            os.kill(worker, signal.SIGKILL)


def hold(folder: Path) -> None:
    with Run.open(folder):
        print("held", flush=True)
        time.sleep(60)


def hold_and_fork(folder: Path) -> None:
    run = Run.open(folder)
    if os.fork() == 0:
        with pytest.raises(ZeroplyError, match="closed"):
            run.log("written by the worker")
        print(os.getpid(), flush=True)
    time.sleep(60)


def test_a_lock_that_a_child_forgets_leaves_the_file_to_its_owner(tmp_path: Path) -> None:
    copy = RunLock(tmp_path)
    copy.forget()  # as after a fork
    assert not copy.held
    owner = RunLock(tmp_path)
    copy.release(remove=True)
    assert (tmp_path / LOCK_NAME).read_text() == f"{os.getpid()}\n"
    owner.release()
    assert (tmp_path / LOCK_NAME).read_text() == ""


def test_a_run_cannot_be_opened_twice_in_one_process(stopped: Path) -> None:
    with Run.open(stopped), pytest.raises(ZeroplyError, match="already open in this process"):
        Run.open(stopped)
    Run.open(stopped).close()


def test_a_closed_run_takes_nothing_more(stopped: Path) -> None:
    run = Run.open(stopped)
    run.close()
    run.close()
    with pytest.raises(ZeroplyError, match="is closed"):
        run.log("late")
    with pytest.raises(ZeroplyError, match="is closed"):
        run.save({})


# Making and opening


def test_create_writes_down_what_the_run_is(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er" / "run"
    with create(folder, config={"sizes": (5, 9)}) as run:
        assert run.info.config == {"sizes": [5, 9]}
    info = Run.read(folder).info
    assert info == run.info
    assert (info.kind, info.seed, info.level) == ("toy", 7, "v3")
    assert info.created.endswith("Z")
    assert json.loads((folder / "run.json").read_text())["format"] == 1


def test_create_refuses_a_folder_that_holds_something(tmp_path: Path, stopped: Path) -> None:
    with pytest.raises(ZeroplyError, match="already holds a run: resume it with: zeroply resume /"):
        create(stopped)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    with pytest.raises(ZeroplyError, match="full is not empty"):
        create(tmp_path / "full")
    with pytest.raises(ZeroplyError, match=r"thesis.tex is not a folder"):
        create(tmp_path / "full" / "thesis.tex")
    with pytest.raises(ZeroplyError, match="cannot make"):
        create(tmp_path / "full" / "thesis.tex" / "run")
    assert os.listdir(tmp_path / "full") == ["thesis.tex"]


def test_create_takes_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    create(Path(".")).close()
    with Run.open(Path(".")) as run:
        assert run.folder.resolve() == tmp_path.resolve()
    assert (tmp_path / "run.json").is_file()


@pytest.mark.parametrize("operation", ["replace", "fsync", "ftruncate"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_create_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str, error: BaseException
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(os, operation, raising(error))
    for folder in (tmp_path / "new" / "run", tmp_path / "empty"):
        with pytest.raises((ZeroplyError, KeyboardInterrupt)):
            create(folder)
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]


def test_a_config_that_would_not_come_back_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match=r"config.rates\[1\] is inf"):
        create(tmp_path / "run", config={"rates": [1, float("inf")]})
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_a_run_folder_is_refused_and_not_touched(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for name, sentence in (
        ("file", "file is not a folder"),
        ("nowhere", "nowhere does not exist"),
        ("folder", "folder is not a run folder"),
    ):
        readers: list[Callable[[Path], object]] = [Run.open, Run.read, recorded_level]
        for reader in readers:
            with pytest.raises(ZeroplyError, match=sentence):
                reader(tmp_path / name)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": 1}',
        '{"format": NaN}',
        "[" * 100_000,
        '{"a":' * 50_000,
        "\xff",
        "9" * 9999,
    ],
)
def test_a_damaged_run_json_is_one_sentence(stopped: Path, text: str) -> None:
    (stopped / "run.json").write_text(text, encoding="latin-1")
    with pytest.raises(ZeroplyError, match=r"run\.json is damaged \(.*\): start the run again in a new folder"):
        Run.open(stopped)


def test_a_changed_seed_is_noticed(stopped: Path) -> None:
    text = (stopped / "run.json").read_text()
    (stopped / "run.json").write_text(text.replace('"seed": 7', '"seed": 8'))
    with pytest.raises(ZeroplyError, match="wrong checksum"):
        Run.open(stopped)


def test_a_run_of_a_newer_format_asks_for_an_update(stopped: Path) -> None:
    (stopped / "run.json").write_text(json.dumps({"format": 2, "anything": True}))
    with pytest.raises(ZeroplyError, match=r"newer zeroply \(run format 2, this one reads up to 1\): update zeroply"):
        Run.open(stopped)


def test_a_run_keeps_to_its_instruction_set_level(stopped: Path) -> None:
    assert recorded_level(stopped) == "v3"
    Run.open(stopped, level="v3").close()
    with pytest.raises(ZeroplyError, match="made at instruction-set level v3 and this process runs at v4"):
        Run.open(stopped, level="v4")


def test_links_out_of_the_folder_are_not_written_through(tmp_path: Path, stopped: Path) -> None:
    precious = tmp_path / "precious"
    for name in ("lock", "events.jsonl"):
        precious.write_text("data")
        (stopped / name).unlink()
        (stopped / name).symlink_to(precious)
        with pytest.raises(ZeroplyError):
            Run.open(stopped)
        (stopped / name).unlink()
        assert precious.read_text() == "data"


def test_strays_of_a_kill_are_removed(stopped: Path) -> None:
    strays = [stopped / ".tmp-result.json", stopped / "checkpoints" / ".tmp-00000004.safetensors"]
    for stray in strays:
        stray.touch()
    Run.open(stopped).close()
    assert not any(stray.exists() for stray in strays)


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("runs/a", "zeroply resume runs/a"),
        ("my runs/a", "zeroply resume 'my runs/a'"),
        ("-a", "zeroply resume ./-a"),
    ],
)
def test_the_resume_command_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with create(Path(folder)) as run:
        assert run.resume_command == command


# The end


def test_a_finished_run_is_read_without_its_lock_and_takes_nothing_more(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        assert not run.finished
        run.save({})
        run.log("after the last checkpoint")
        run.finish({"elo": np.float64(12.5), "margin": float("inf")})
        assert run.finished
        record = Run.read(tmp_path / "run")
        assert record.finished
        assert record.result == run.result == {"elo": 12.5, "margin": None}
        with pytest.raises(ZeroplyError, match="is finished"):
            run.log("late")
    with Run.open(tmp_path / "run") as run:
        assert run.result == record.result
        assert [event["event"] for event in run.events()] == ["after the last checkpoint"]
        with pytest.raises(ZeroplyError, match="is finished"):
            run.save({})


def test_a_run_tells_in_a_line_what_it_is(stopped: Path, tmp_path: Path) -> None:
    assert repr(Run.read(stopped)) == f"<run {stopped}: toy, seed 7, not finished>"
    with create(tmp_path / "other") as run:
        run.finish({})
        assert repr(run) == f"<run {tmp_path / 'other'}: toy, seed 7, finished>"


@pytest.mark.parametrize("kind", [Run, RunRecord])
def test_whoever_names_only_a_folder_is_told_how_it_is_read(kind: Any, stopped: Path) -> None:
    with pytest.raises(ZeroplyError, match=re.escape(f"Run.read('{stopped}')")):
        kind(stopped)


def test_a_finished_run_whose_log_lost_its_end_says_so(stopped: Path, uninterrupted: Snapshot) -> None:
    play_toy(stopped)
    os.truncate(stopped / "events.jsonl", uninterrupted["log bytes"] - 10)
    with pytest.raises(ZeroplyError, match="its end is missing"):
        list(Run.read(stopped).events())
    play_toy(stopped)
    assert snapshot(stopped) == uninterrupted


def test_a_damaged_result_is_made_again(stopped: Path, uninterrupted: Snapshot) -> None:
    play_toy(stopped)
    text = (stopped / "result.json").read_text()
    (stopped / "result.json").write_text(text.replace('"events": 22', '"events": 23'))
    with pytest.raises(ZeroplyError, match=r"result.json is damaged \(wrong checksum\): make it again with zeroply"):
        Run.read(stopped)
    with Run.open(stopped) as run:
        assert not run.finished
        assert "result.json is damaged (wrong checksum): the run resumes from checkpoint 00000005" in run.warnings[0]
    play_toy(stopped)
    assert snapshot(stopped) == uninterrupted


# Damage of every kind


def damage(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            data[place] ^= 1 << chance.randrange(8)
        case 1:
            del data[place:]
        case 2:
            data[place : place + chance.randrange(1, 40)] = chance.randbytes(chance.randrange(40))
        case _:
            data[place:place] = data[: chance.randrange(1, 200)]
    path.write_bytes(data)


@pytest.mark.parametrize("finished", [False, True])
def test_any_damage_gives_a_clean_error_or_a_good_end(
    tmp_path: Path, stopped: Path, uninterrupted: Snapshot, finished: bool
) -> None:
    if finished:
        play_toy(stopped)
    chance = random.Random(5)
    errors = 0
    with unsynced():
        for trial in range(150):
            folder = tmp_path / f"{trial}"
            shutil.copytree(stopped, folder)
            files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
            for path in chance.sample(files, chance.choice([1, 1, 2, 4])):
                damage(path, chance)
            try:
                play_toy(folder)
                end = snapshot(folder)
            except ZeroplyError:
                errors += 1
            else:
                assert end["result"] == uninterrupted["result"]
                assert end["events"] == uninterrupted["events"]
                newest = checkpoints(folder)[-1].name
                if not finished:
                    assert end["checkpoints"][newest] == uninterrupted["checkpoints"][newest]
            shutil.rmtree(folder)
    assert 20 < errors < 130


@contextmanager
def unsynced() -> Iterator[None]:
    """Spare the disk where only the content of files matters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


def main(task: str, folder: str) -> None:
    match task:
        case "kill-randomly":
            print(kill_randomly(Path(folder)))
        case "kill-at-each-operation":
            print(kill_at_each_operation(Path(folder)))
        case "hold":
            hold(Path(folder))
        case "hold-and-fork":
            hold_and_fork(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
