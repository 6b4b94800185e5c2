"""The runs in a folder: a list, curves of what they log, and their nets as players.

A browser names a run by an id from the list, never by a path. Events are read as the log grows; any field that is a
number makes a curve, so every kind of run is shown without knowing it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.learning.champions import POPULATIONS, Champions
from zeroply.players import Player
from zeroply.runs import Run, RunRecord
from zeroply.runs.checkpoint import checkpoint_files
from zeroply.runs.files import Damaged, parse_json
from zeroply.runs.lock import LOCK_NAME
from zeroply.runs.record import CHECKPOINTS_NAME, INFO_NAME, LOG_NAME, resume_command
from zeroply.specs import Spec
from zeroply.web.server import bounded_cache, run_nets, schemas

DEEPEST = 3
"""Folders within folders that are looked through."""
MOST_RUNS = 300
"""Runs that are listed."""
MOST_POINTS = 50_000
"""Points of a run that are kept; of more those of every second event are dropped."""
MOST_READ = 32_000_000
"""Bytes of a log that are read for one answer."""
MOST_KEPT = 8
"""Runs whose champions are kept in memory."""
MOST_LOGS = 32
"""Runs whose curves are kept in memory."""
TAIL = 256
"""Bytes of a log by which it is known again."""
FEW = 8
"""Numbers of a list that are drawn one by one."""
ALONG = ("number", "generation", "generations", "step", "games", "epoch", "round")
"""Fields that go along the horizontal axis, the first that an event has."""
LEFT_OUT = ("time", "seed", "hosts", "pair")
"""Fields that are numbers but no measures."""
APART = ("member", "stage", "set")
"""Fields that tell curves of one name apart."""
_FRESH = 1.0  # seconds for which a list is still good

State = Literal["running", "finished", "stopped"]


@dataclass
class _Log:
    """How far the log of a run has been read, and what was found."""

    reading: str = field(default_factory=lambda: secrets.token_hex(4))
    """Names this reading of the log from its start."""
    position: int = 0
    tail: bytes = b""
    """What stands just before the position."""
    events: int = 0
    points: list[tuple[int, str, str, str, float, float]] = field(default_factory=list)
    """Number of the event, its kind, the curve's name, what goes along, x and y."""
    stride: int = 1
    """Only every so many events are kept."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class RunIndex:
    """The runs below a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._listed: dict[str, Path] = {}
        self._when = float("-inf")
        self._lock = threading.Lock()
        self._logs: dict[tuple[Path, str], _Log] = {}
        self._generations: dict[Path, tuple[tuple[str, ...], Champions | None]] = {}

    def rows(self) -> list[schemas.RunRow]:
        """All runs that can be read, the newest first."""
        found = []
        for name, path in self._paths().items():
            with suppress(ZeroplyError):
                found.append(self._row(name, Run.read(path)))
        return sorted(found, key=lambda row: row.created, reverse=True)

    def detail(self, name: str) -> schemas.RunDetail | None:
        """A run with its nets; None if there is none of that id."""
        path = self._paths().get(name)
        if path is None:
            return None
        record = Run.read(path)
        found = self.generations(record)
        return schemas.RunDetail(
            **self._row(name, record).model_dump(),
            config=record.info.config,
            result=record.result,
            resume=resume_command(path),
            players=list(run_nets.players(name, record, found)),
            generations=len(found.numbers) if found else 0,
        )

    def curves(self, name: str, after: int, reading: str) -> schemas.RunCurves | None:
        """What a run has logged since an event of a reading, else all; None if there is none of that id."""
        record = self.record(name)
        if record is None:
            return None
        key = (record.folder, record.info.created)
        with self._lock:
            log = self._logs.get(key) or _Log()
            bounded_cache.insert(self._logs, key, log, MOST_LOGS)
        with log.lock:
            _read_on(record.folder / LOG_NAME, log)
            begin = after if reading == log.reading else 0
            series: dict[tuple[str, str, str], schemas.Series] = {}
            for number, event, curve, along, x, y in log.points:
                if number < begin:
                    continue
                found = series.setdefault(
                    (event, curve, along), schemas.Series(event=event, name=curve, along=along, x=[], y=[])
                )
                found.x.append(x)
                found.y.append(y)
            return schemas.RunCurves(
                state=_state(record), reading=log.reading, begin=begin, next=log.events, series=list(series.values())
            )

    def champion(self, spec: Spec, rules: Game) -> Player:
        """The net of a run that a name such as `champion(ID, generation=3)` stands for."""
        path, file, generation = self._named(spec)
        if generation is None:
            return run_nets.player_of(path / file, rules)
        found = self.generations(Run.read(path))
        if found is None:
            raise ZeroplyError("this run has no champions yet")
        return run_nets.champion_player(found, generation, rules)

    def version(self, spec: Spec) -> str:
        """Changes when another net is written under the same name, or another run takes the folder."""
        path, file, generation = self._named(spec)
        created = Run.read(path).info.created
        if generation is not None:
            return created
        try:
            return f"{created} {(path / file).stat().st_mtime_ns}"
        except OSError:
            return created

    def record(self, name: str) -> RunRecord | None:
        """A run; None if there is none of that id."""
        path = self._paths().get(name)
        return None if path is None else Run.read(path)

    def generations(self, record: RunRecord) -> Champions | None:
        """The champions of a run; read again only when it has written a checkpoint."""
        key = (record.info.created, *_written(record.folder))
        with self._lock:
            known = self._generations.get(record.folder)
        if known is None or known[0] != key:
            known = (key, run_nets.generations(record))
            with self._lock:
                bounded_cache.insert(self._generations, record.folder, known, MOST_KEPT)
        return known[1]

    def _named(self, spec: Spec) -> tuple[Path, str, int | None]:
        """The folder, the net file and the generation a name stands for; files are chosen from a listing."""
        word = spec.args[0].word if len(spec.args) == 1 and isinstance(spec.args[0], Spec) else None
        path = self._paths().get(word or "")
        if path is None:
            raise ZeroplyError("there is no such run here: choose one from the list of runs")
        match dict(spec.kwargs):
            case {"generation": int(generation)} if not isinstance(generation, bool):
                return path, "", generation
            case {"file": int(number)} if not isinstance(number, bool):
                files = run_nets.files(path)
                if 0 <= number < len(files):
                    return path, files[number], None
        raise ZeroplyError("a net of a run is named by its file or by its generation: choose one from the run's page")

    def _row(self, name: str, record: RunRecord) -> schemas.RunRow:
        rules = record.info.config.get("game")
        relative = record.folder.relative_to(self._folder) if self._folder else record.folder
        return schemas.RunRow(
            id=name,
            name=relative.as_posix(),
            kind=record.info.kind,
            created=record.info.created,
            state=_state(record),
            game=rules if isinstance(rules, str) else None,
        )

    def _paths(self) -> dict[str, Path]:
        """The folders of all runs by id."""
        with self._lock:
            if self._folder is not None and time.monotonic() - self._when > _FRESH:
                root = self._folder
                paths = islice(_find(root, DEEPEST), MOST_RUNS)
                self._listed = {_id(path.relative_to(root).as_posix()): path for path in paths}
                self._when = time.monotonic()
            return self._listed


def _find(folder: Path, depth: int) -> Iterator[Path]:
    """Folders of runs in and below a folder, links left aside."""
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


def _written(folder: Path) -> tuple[str, ...]:
    """What changes when a run writes champions."""
    files = checkpoint_files(folder / CHECKPOINTS_NAME)[:1]
    try:
        kept = str((folder / POPULATIONS).stat().st_mtime_ns)
    except OSError:
        kept = ""
    return (*(path.name for path in files), kept)


def _read_on(path: Path, log: _Log) -> None:
    """Read what has been added to a log; one that was cut back, as by a run that is resumed, is read again."""
    try:
        with open(path, "rb") as file:
            file.seek(log.position - len(log.tail))
            if file.read(len(log.tail)) != log.tail:
                log.reading, log.position, log.tail = secrets.token_hex(4), 0, b""
                log.events, log.points, log.stride = 0, [], 1
            file.seek(log.position)
            data = file.read(MOST_READ)
    except OSError:
        return
    data = data[: data.rfind(b"\n") + 1]
    log.position += len(data)
    log.tail = (log.tail + data)[-TAIL:]
    for line in data.splitlines():
        with suppress(Damaged):
            event = parse_json(line)
            if isinstance(event, dict) and log.events % log.stride == 0:
                log.points += _points(event, log.events)
        log.events += 1
        while len(log.points) > MOST_POINTS:
            log.stride *= 2
            log.points = [point for point in log.points if point[0] % log.stride == 0]


def _points(event: dict[str, Any], number: int) -> Iterator[tuple[int, str, str, str, float, float]]:
    """A point for every number in an event."""
    kind = str(event.get("event", ""))
    along = next((key for key in ALONG if _is_number(event.get(key))), "event")
    x = float(event[along]) if along != "event" else float(number)
    apart = "".join(
        f", {key} {event[key]}" for key in APART if key in event and not isinstance(event[key], list | dict)
    )
    axis = kind if along == "number" else along
    for key, value in event.items():
        if key not in (*LEFT_OUT, *APART, *ALONG):
            for name, y in _numbers(key, value):
                yield number, kind, f"{name}{apart}", axis, x, y


def _numbers(name: str, value: object) -> Iterator[tuple[str, float]]:
    """A number, the few numbers of a list, or by name the numbers and the means of lists in an object."""
    if isinstance(value, int | float) and _is_number(value):
        yield name, float(value)
    elif isinstance(value, list) and 1 <= len(value) <= FEW and all(map(_is_number, value)):
        yield from ((f"{name} {place}", float(item)) for place, item in enumerate(value, 1))
    elif isinstance(value, dict):
        for key, item in list(value.items())[:FEW]:
            if _is_number(item):
                yield f"{name}, {key}", float(item)
            elif isinstance(item, list) and item and all(map(_is_number, item)):
                yield f"{name}, {key} (mean)", sum(map(float, item)) / len(item)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
