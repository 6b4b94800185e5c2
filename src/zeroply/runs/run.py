"""A run that this process writes: create it, log events, save checkpoints, resume after a kill, finish.

A run killed at any moment and resumed ends with the same state, events and result as one never killed, provided
the work depends only on its configuration, its seed and the state it saved.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from zeroply import plugins
from zeroply.errors import ZeroplyError
from zeroply.files import TEMPORARY, explained, sync_folder
from zeroply.runs.checkpoint import Array, checkpoint_files, read_checkpoint, rotate, write_checkpoint
from zeroply.runs.eventlog import START, EventLog
from zeroply.runs.files import (
    Damaged,
    Json,
    parse_json,
    remove_strays,
    set_aside,
    to_json,
    utc_now,
    write_sealed,
)
from zeroply.runs.lock import LOCK_NAME, RunLock
from zeroply.runs.record import (
    CHECKPOINTS_NAME,
    INFO_NAME,
    LOG_NAME,
    RESULT_NAME,
    RunInfo,
    RunRecord,
    read_info,
    read_record,
    read_result,
    resume_command,
    write_info,
)

_logger = logging.getLogger(__name__)
_logger.addHandler(logging.NullHandler())


class Run(RunRecord):
    """A run folder open for writing, under its lock; made by `create` or `open`, used as a context manager.

    Use it from one thread. Configuration and state must be restored exactly, so non-finite floats in them raise;
    in events and results they become null. `state` and `arrays` come from the checkpoint it resumes from (None for a
    new run), `step` is the number of its newest checkpoint, and `warnings` has a sentence for every damaged file.
    """

    def __init__(self, folder: Path, info: RunInfo, lock: RunLock) -> None:
        super().__init__(folder, info, None, None)
        self.warnings: list[str] = []
        self.step = 0
        self.state: Json | None = None
        self.arrays: dict[str, Array] | None = None
        self._lock = lock
        self._saved = time.monotonic()
        remove_strays(folder)
        remove_strays(folder / CHECKPOINTS_NAME)
        self._log = self._restore()
        rotate(folder / CHECKPOINTS_NAME)

    def _restore(self) -> EventLog:
        """Load the result, or the newest intact checkpoint, with the event log as it was then."""
        log_path = self.folder / LOG_NAME
        result_path = self.folder / RESULT_NAME
        damaged: dict[Path, Damaged] = {}
        if result_path.exists():
            try:
                result, end = read_result(self.folder)
                log = EventLog(log_path, end)
            except Damaged as reason:
                damaged[result_path] = reason
            else:
                self.result = result
                return log
        files = checkpoint_files(self.folder / CHECKPOINTS_NAME)
        for path in files:
            try:
                checkpoint = read_checkpoint(path)
                log = EventLog(log_path, checkpoint.log)
            except Damaged as reason:
                damaged[path] = reason
            else:
                self.step, self.state, self.arrays = checkpoint.step, checkpoint.state, checkpoint.arrays
                self._pass_over(damaged, f"checkpoint {path.name}")
                return log
        if files:
            raise ZeroplyError(
                f"no checkpoint of {self.folder} can be used ({files[0].name}: {damaged[files[0]]}): "
                "start the run again in a new folder"
            )
        self._pass_over(damaged, "the beginning")
        return EventLog(log_path, START)

    def _pass_over(self, damaged: Mapping[Path, Damaged], instead: str) -> None:
        for path, reason in damaged.items():
            self.warnings.append(f"{path} is damaged ({reason}): the run resumes from {instead}")
            _logger.warning("%s", self.warnings[-1])
            set_aside(path)

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        *,
        kind: str,
        config: Mapping[str, Any],
        seed: int,
        level: str,
        inputs: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a run in a new or empty folder; a failure leaves nothing behind.

        `run.json` is written last and atomically: a folder without it is not a run and can be used again.
        """
        path = Path(folder)
        info = RunInfo(
            kind=kind,
            config=parse_json(to_json(dict(config), what="config")),
            seed=int(seed),
            level=level,
            version=_version(),
            created=utc_now(),
            inputs=dict(inputs or {}),
            modules=plugins.imported(),
        )
        with explained(f"make {path}"):
            _check_free(path)
            missing = [place for place in (path, *path.parents) if not place.exists()]
        try:
            with explained(f"make {path}"):
                path.mkdir(parents=True, exist_ok=True)
                for place in missing:
                    sync_folder(place.parent)
            return cls._start(path, info)
        except BaseException:
            for place in missing:
                with suppress(OSError):
                    place.rmdir()
            raise

    @classmethod
    def _start(cls, path: Path, info: RunInfo) -> Self:
        lock = RunLock(path)
        try:
            _check_free(path)
        except BaseException:
            lock.release()
            raise
        try:
            write_info(path, info)
            return cls(path, info, lock)
        except BaseException:
            for name in (INFO_NAME, LOG_NAME):
                (path / name).unlink(missing_ok=True)
            lock.release(remove=True)
            raise

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, level: str | None = None) -> Self:
        """Open a run at its newest intact checkpoint, or at its beginning if it has none.

        `level` is the instruction-set level of this process; a run made at another one is refused. A finished run
        opens too, but takes no more events or checkpoints.
        """
        path = Path(folder)
        info = read_info(path)
        if level is not None and level != info.level:
            raise ZeroplyError(
                f"{path} was made at instruction-set level {info.level} and this process runs at {level}, "
                f"which may round differently: resume it at level {info.level}"
            )
        lock = RunLock(path)
        try:
            return cls(path, info, lock)
        except BaseException:
            lock.release()
            raise

    @staticmethod
    def read(folder: str | os.PathLike[str]) -> RunRecord:
        """Read a run, finished or not, without locking or changing it."""
        return read_record(folder)

    def events(self, kind: str | None = None) -> Iterator[Json]:
        """The events logged so far, in order, including events before the run was resumed."""
        if self._lock.held:
            self._log_length = self._log.flush().length
        return super().events(kind)

    def log(self, event: str, /, **fields: Any) -> None:
        """Add an event with its fields to the log; the log adds the `time`."""
        self._check_writable()
        self._log.append(event, fields)

    def save(self, state: Mapping[str, Any], arrays: Mapping[str, Array] | None = None) -> None:
        """Write a checkpoint: the state of the work, as JSON and as arrays.

        After a kill `open` restores both in the same order, with lists in place of tuples.
        """
        self._check_writable()
        write_checkpoint(self.folder / CHECKPOINTS_NAME, self.step + 1, state, arrays or {}, self._log.sync())
        self.step += 1
        self._saved = time.monotonic()

    def save_due(self, seconds: float) -> bool:
        """Whether more than `seconds` have passed since the last checkpoint, or since the run was opened."""
        return time.monotonic() - self._saved > seconds

    def finish(self, result: Mapping[str, Any]) -> None:
        """Write the result; the run takes no more events."""
        self._check_writable()
        plain = parse_json(to_json(dict(result), what="result", non_finite_as_null=True))
        end = self._log.sync()
        write_sealed(self.folder / RESULT_NAME, {"result": plain, "time": utc_now(), "log": end.to_json()})
        self.result = plain

    def close(self) -> None:
        """Write buffered events and release the lock."""
        if not self._lock.held:
            return
        try:
            self._log_length = self._log.flush().length
        finally:
            self._log.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_writable(self) -> None:
        if not self._lock.held:
            raise ZeroplyError(f"{self.folder} is closed: open it again to write to it")
        if self.finished:
            raise ZeroplyError(f"{self.folder} is finished and takes no more events: start a new run")


def _check_free(folder: Path) -> None:
    """Raise ZeroplyError if a folder holds anything but leftovers of a killed `create`."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ZeroplyError(f"{folder} is not a folder: choose another name")
    if (folder / INFO_NAME).exists():
        raise ZeroplyError(f"{folder} already holds a run: resume it with: {resume_command(folder)}")
    if any(path.name not in (LOCK_NAME, TEMPORARY + INFO_NAME) for path in folder.iterdir()):
        raise ZeroplyError(f"{folder} is not empty: choose another folder")


def _version() -> str:
    try:
        return metadata.version("zeroply")
    except metadata.PackageNotFoundError:
        return "unknown"
