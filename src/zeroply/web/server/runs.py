"""The runs in a folder: a list, curves of what they log, and their nets as players.

A browser names a run by an id from the list, never by a path. Events are read as the log grows. The class of an
experiment declares its charts and net files (`zeroply.runs.experiment`); a run of an unknown kind is listed without
them.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.learning.champions import POPULATIONS, Champions
from zeroply.players import Player
from zeroply.runs import Chart, Run, RunRecord
from zeroply.runs.checkpoint import checkpoint_files
from zeroply.runs.files import Damaged, parse_json
from zeroply.runs.lock import LOCK_NAME
from zeroply.runs.record import CHECKPOINTS_NAME, INFO_NAME, LOG_NAME, resume_command
from zeroply.specs import Spec
from zeroply.web.server import bounded_cache, run_nets, schemas

MAX_DEPTH = 3
"""Levels of subfolders that are searched for runs."""
MAX_RUNS = 300
"""Most runs that are listed."""
MAX_POINTS = 50_000
"""Most points of a run in memory; beyond that, every second event is dropped."""
MAX_READ = 32_000_000
"""Most bytes of a log that are read for one request."""
MAX_CHAMPIONS = 8
"""Most runs whose champions are in memory."""
MAX_LOGS = 32
"""Most runs whose curves are in memory."""
TAIL = 256
"""Bytes before the read position; if they differ, the log was truncated or replaced."""
_FRESH = 1.0  # seconds for which a list of runs is valid

State = Literal["running", "finished", "stopped"]


@dataclass
class _Log:
    """How far the log of a run has been read, and its points."""

    reading: str = field(default_factory=lambda: secrets.token_hex(4))
    """Id of this reading of the log from its start."""
    position: int = 0
    tail: bytes = b""
    """The bytes just before the position."""
    events: int = 0
    points: list[tuple[int, Chart, str, float, float]] = field(default_factory=list)
    """Number of the event, chart, title of the curve, x and y."""
    stride: int = 1
    """Only events whose number is a multiple of it have points."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class RunIndex:
    """The runs below a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._listed: dict[str, Path] = {}
        self._when = float("-inf")
        self._lock = threading.Lock()
        self._logs: dict[tuple[Path, str], _Log] = {}
        self._champions: dict[Path, tuple[tuple[str, ...], Champions | None]] = {}

    def rows(self) -> list[schemas.RunRow]:
        """All runs that can be read, the newest first."""
        rows = []
        for name, path in self._paths().items():
            with suppress(ZeroplyError):
                rows.append(self._row(name, Run.read(path)))
        return sorted(rows, key=lambda row: row.created, reverse=True)

    def detail(self, name: str) -> schemas.RunDetail | None:
        """A run with its nets; None if there is no run with that id."""
        record = self.record(name)
        if record is None:
            return None
        champions = self.champions(record)
        return schemas.RunDetail(
            **self._row(name, record).model_dump(),
            config=record.info.config,
            result=record.result,
            resume=resume_command(record.folder),
            players=list(run_nets.players(name, record, champions)),
            generations=len(champions.numbers) if champions else 0,
        )

    def curves(self, name: str, after: int, reading: str) -> schemas.RunCurves | None:
        """The points since event `after` of a reading, or all; None if there is no run with that id."""
        record = self.record(name)
        if record is None:
            return None
        key = (record.folder, record.info.created)
        with self._lock:
            log = self._logs.get(key) or _Log()
            bounded_cache.insert(self._logs, key, log, MAX_LOGS)
        with log.lock:
            _read_new(record.folder / LOG_NAME, log, run_nets.experiment_of(record).charts)
            begin = after if reading == log.reading else 0
            series: dict[tuple[str, str], schemas.Series] = {}
            for number, chart, name, x, y in log.points:
                if number < begin:
                    continue
                curve = series.setdefault(
                    (chart.title, name),
                    schemas.Series(chart=chart.title, name=name, x_title=chart.x_title or chart.x, x=[], y=[]),
                )
                curve.x.append(x)
                curve.y.append(y)
            return schemas.RunCurves(
                state=_state(record), reading=log.reading, begin=begin, next=log.events, series=list(series.values())
            )

    def champion(self, spec: Spec, rules: Game) -> Player:
        """The player that a spec such as `champion(ID, generation=3)` names."""
        record, file, generation = self._resolve(spec)
        if file is not None:
            return run_nets.file_player(record, file, rules)
        champions = self.champions(record)
        if champions is None:
            raise ZeroplyError("this run has no champions yet")
        return run_nets.champion_player(champions, generation, rules)

    def version(self, spec: Spec) -> str:
        """A text that changes when the net is overwritten, or another run takes the folder."""
        record, file, _ = self._resolve(spec)
        created = record.info.created
        with suppress(OSError):
            return created if file is None else f"{created} {file.stat().st_mtime_ns}"
        return created

    def record(self, name: str) -> RunRecord | None:
        """A run; None if there is no run with that id."""
        path = self._paths().get(name)
        return None if path is None else Run.read(path)

    def champions(self, record: RunRecord) -> Champions | None:
        """The champions of a run; read again only when it has written a checkpoint."""
        key = (record.info.created, *_version(record.folder))
        with self._lock:
            cached = self._champions.get(record.folder)
        if cached is None or cached[0] != key:
            cached = (key, run_nets.read_champions(record))
            with self._lock:
                bounded_cache.insert(self._champions, record.folder, cached, MAX_CHAMPIONS)
        return cached[1]

    def _resolve(self, spec: Spec) -> tuple[RunRecord, Path | None, int]:
        """The run, the net file and else the generation that a spec names; files are chosen from a listing."""
        word = spec.args[0].word if len(spec.args) == 1 and isinstance(spec.args[0], Spec) else None
        path = self._paths().get(word or "")
        if path is None:
            raise ZeroplyError("there is no such run here: choose one from the list of runs")
        match dict(spec.kwargs):
            case {"generation": int(generation)} if not isinstance(generation, bool):
                return Run.read(path), None, generation
            case {"file": int(number)} if not isinstance(number, bool):
                record = Run.read(path)
                files = run_nets.files(record)
                if 0 <= number < len(files):
                    return record, files[number], 0
        raise ZeroplyError("a net of a run is named by its file or by its generation: choose one from the run's page")

    def _row(self, name: str, record: RunRecord) -> schemas.RunRow:
        relative = record.folder.relative_to(self._folder) if self._folder else record.folder
        return schemas.RunRow(
            id=name,
            name=relative.as_posix(),
            kind=record.info.kind,
            created=record.info.created,
            state=_state(record),
            game=run_nets.experiment_of(record).game_of(record),
        )

    def _paths(self) -> dict[str, Path]:
        """Folders of all runs by id."""
        with self._lock:
            if self._folder is not None and time.monotonic() - self._when > _FRESH:
                root = self._folder
                paths = islice(_find(root, MAX_DEPTH), MAX_RUNS)
                self._listed = {_id(path.relative_to(root).as_posix()): path for path in paths}
                self._when = time.monotonic()
            return self._listed


def _find(folder: Path, depth: int) -> Iterator[Path]:
    """Run folders in and below a folder; symbolic links are not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    if any(entry.name == INFO_NAME for entry in entries):
        yield folder
    elif depth > 0:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                yield from _find(folder / entry.name, depth - 1)


def _id(relative: str) -> str:
    return "r" + hashlib.blake2b(relative.encode(errors="surrogateescape"), digest_size=6).hexdigest()


def _state(record: RunRecord) -> State:
    if record.finished:
        return "finished"
    try:
        holder = int((record.folder / LOCK_NAME).read_text()[:20])
        os.kill(holder, 0)
    except PermissionError:
        return "running"
    except (OSError, ValueError, OverflowError):
        return "stopped"
    return "running"


def _version(folder: Path) -> tuple[str, ...]:
    """Texts that change when a run writes champions."""
    files = checkpoint_files(folder / CHECKPOINTS_NAME)[:1]
    try:
        modified = str((folder / POPULATIONS).stat().st_mtime_ns)
    except OSError:
        modified = ""
    return (*(path.name for path in files), modified)


def _read_new(path: Path, log: _Log, charts: Sequence[Chart]) -> None:
    """Read what has been added to a log; one that was truncated, as by a resumed run, is read from the start."""
    try:
        with open(path, "rb") as file:
            file.seek(log.position - len(log.tail))
            if file.read(len(log.tail)) != log.tail:
                log.reading, log.position, log.tail = secrets.token_hex(4), 0, b""
                log.events, log.points, log.stride = 0, [], 1
            file.seek(log.position)
            data = file.read(MAX_READ)
    except OSError:
        return
    data = data[: data.rfind(b"\n") + 1]
    log.position += len(data)
    log.tail = (log.tail + data)[-TAIL:]
    for line in data.splitlines():
        with suppress(Damaged):
            event = parse_json(line)
            if isinstance(event, dict) and log.events % log.stride == 0:
                log.points += ((log.events, chart, *point) for chart in charts for point in chart.points(event))
        log.events += 1
        while len(log.points) > MAX_POINTS:
            log.stride *= 2
            log.points = [point for point in log.points if point[0] % log.stride == 0]
