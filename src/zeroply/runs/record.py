"""Reading a run folder: its settings, the events so far, and its result.

Reading takes no lock and changes nothing, so it works while another process writes the run.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.runs.config import Config, restored
from zeroply.runs.eventlog import LogMark, read_events
from zeroply.runs.files import Damaged, Json, parse_json, read_file, unseal, write_sealed

FORMAT = 1

INFO_NAME = "run.json"
LOG_NAME = "events.jsonl"
RESULT_NAME = "result.json"
CHECKPOINTS_NAME = "checkpoints"


@dataclass(frozen=True, kw_only=True)
class RunInfo:
    """The settings of a run; they never change."""

    kind: str
    """Kind of experiment, such as `league`."""
    config: Json
    """Configuration as JSON, without the seed."""
    seed: int
    """Random seed."""
    level: str
    """Instruction-set level: `baseline`, `v3`, `v4`."""
    version: str
    """Version of zeroply that started it."""
    created: str
    """Start time, UTC in ISO format."""
    inputs: dict[str, str] = field(default_factory=dict)
    """Fingerprints of what it reads, by name."""
    modules: list[str] = field(default_factory=list)
    """Python modules outside zeroply that were imported for it."""


class RunRecord:
    """A run folder: `folder`, `info`, `result` (None until the run has finished) and events."""

    def __new__(cls, *parts: object) -> Self:
        """Point to `Run.read` if only a folder is given."""
        if len(parts) == 1:
            raise ZeroplyError(f"read a run with Run.read({str(parts[0])!r}); write one with Run.create or Run.open")
        return super().__new__(cls)

    def __init__(self, folder: Path, info: RunInfo, result: Json | None, log_length: int | None) -> None:
        self.folder = folder
        self.info = info
        self.result = result
        self._log_length = log_length

    def __repr__(self) -> str:
        now = "finished" if self.finished else "not finished"
        return f"<run {self.folder}: {self.info.kind}, seed {self.info.seed}, {now}>"

    @property
    def finished(self) -> bool:
        """Whether the run has its result."""
        return self.result is not None

    @property
    def resume_command(self) -> str:
        """The shell command that resumes this run."""
        return resume_command(self.folder)

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Turn missing or unknown settings into one sentence; read the configuration within this."""
        try:
            yield
        except (KeyError, TypeError):
            raise ZeroplyError(
                f"{self.folder} was started by another version of zeroply with other settings: "
                "start the run again in a new folder"
            ) from None

    def config(self, kind: type[Config]) -> Config:
        """The configuration as a dataclass."""
        with self.understood():
            return restored(kind, self.info.config, self.info.seed)

    def events(self, kind: str | None = None) -> Iterator[Json]:
        """The events logged so far, in order: all, or only those named `kind`."""
        logged = read_events(self.folder / LOG_NAME, self._log_length)
        return logged if kind is None else (event for event in logged if event["event"] == kind)


def read_record(folder: str | os.PathLike[str]) -> RunRecord:
    """Read a run folder without its lock."""
    path = Path(folder)
    info = read_info(path)
    if not (path / RESULT_NAME).exists():
        return RunRecord(path, info, None, None)
    try:
        result, mark = read_result(path)
    except Damaged as reason:
        again = resume_command(path)
        raise ZeroplyError(f"{path / RESULT_NAME} is damaged ({reason}): make it again with {again}") from None
    return RunRecord(path, info, result, mark.length)


def resume_command(folder: Path) -> str:
    """The shell command that resumes the run in a folder."""
    name = str(folder)
    return f"zeroply resume {shlex.quote('./' + name if name.startswith('-') else name)}"


def recorded_level(folder: str | os.PathLike[str]) -> str:
    """The instruction-set level of a run; reads only `run.json`."""
    return read_info(Path(folder)).level


def read_info(folder: Path) -> RunInfo:
    """Read `run.json`; raises ZeroplyError if the folder is not a usable run."""
    path = folder / INFO_NAME
    with explained(f"open {folder}"):
        if not folder.is_dir():
            raise ZeroplyError(f"{folder} is not a folder" if folder.exists() else f"{folder} does not exist")
        if not path.exists():
            raise ZeroplyError(f"{folder} is not a run folder: it has no {INFO_NAME}")
    try:
        written = parse_json(read_file(path))
        _refuse_newer(folder, written)
        match {"inputs": {}, "modules": [], **unseal(written)}:
            case {
                "format": int(),
                "kind": str(kind),
                "config": dict(config),
                "seed": int(seed),
                "level": str(level),
                "version": str(version),
                "created": str(created),
                "inputs": dict(inputs),
                "modules": list(modules),
            }:
                return RunInfo(
                    kind=kind,
                    config=config,
                    seed=seed,
                    level=level,
                    version=version,
                    created=created,
                    inputs=inputs,
                    modules=modules,
                )
            case _:
                raise Damaged("fields are missing")
    except Damaged as reason:
        raise ZeroplyError(f"{path} is damaged ({reason}): start the run again in a new folder") from None


def _refuse_newer(folder: Path, written: object) -> None:
    match written:
        case {"format": int(number)} if number > FORMAT:
            raise ZeroplyError(
                f"{folder} was made by a newer zeroply (run format {number}, this one reads up to {FORMAT}): "
                "update zeroply to use it"
            )


def write_info(folder: Path, info: RunInfo) -> None:
    """Write `run.json`, which makes a folder a run."""
    write_sealed(folder / INFO_NAME, {"format": FORMAT, **asdict(info)})


def read_result(folder: Path) -> tuple[Json, LogMark]:
    """Read `result.json` and the end of the event log it belongs to; raises `Damaged`."""
    match unseal(parse_json(read_file(folder / RESULT_NAME))):
        case {"result": dict(result), "log": log}:
            return result, LogMark.from_json(log)
        case _:
            raise Damaged("fields are missing")
