"""The runs in a folder: a list, curves of what they log, and their nets as players.

A browser names a run by an id from the list, never by a path. Events are read as the log grows; any field that is a
number makes a curve, so every kind of run is shown without knowing it.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import nets
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.nets.files import SUFFIX
from zeroply.players import Player
from zeroply.players.net import NetPlayer
from zeroply.runs import Run, RunRecord
from zeroply.runs.checkpoint import checkpoint_files, read_checkpoint
from zeroply.runs.files import Damaged, parse_json
from zeroply.runs.lock import LOCK_NAME
from zeroply.runs.record import CHECKPOINTS_NAME, INFO_NAME, LOG_NAME, resume_command
from zeroply.specs import Spec
from zeroply.web.server import schemas

DEEPEST = 3
"""Folders within folders that are looked through."""
MOST_RUNS = 300
"""Runs that are listed."""
MOST_POINTS = 50_000
"""Points of a run that are kept; of more those of every second event are dropped."""
MOST_READ = 32_000_000
"""Bytes of a log that are read for one answer."""
CHAMPIONS = "champions"
"""The array of a checkpoint with a champion of each generation a row."""
ALONG = ("number", "generation", "generations", "step", "games", "epoch", "round")
"""Fields that go along the horizontal axis, the first that an event has."""
APART = ("member", "stage", "set")
"""Fields that tell curves of one name apart."""
_FRESH = 1.0  # seconds for which a list is still good

State = Literal["running", "finished", "stopped"]


@dataclass
class _Log:
    """How far the log of a run has been read, and what was found."""

    position: int = 0
    events: int = 0
    points: list[tuple[int, str, str, str, float, float]] = field(default_factory=list)
    """Number of the event, its kind, the curve's name, what goes along, x and y."""
    stride: int = 1
    """Only every so many events are kept."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Shelf:
    """The runs below a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._listed: dict[str, Path] = {}
        self._when = float("-inf")
        self._lock = threading.Lock()
        self._logs: dict[str, _Log] = {}

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
        generations = len(_champions(path))
        players = list(self._players(name, record, generations))
        return schemas.RunDetail(
            **self._row(name, record).model_dump(),
            config=record.info.config,
            result=record.result,
            resume=resume_command(path),
            players=players,
            generations=generations,
        )

    def curves(self, name: str, after: int) -> schemas.Curves | None:
        """What a run has logged since an event; None if there is none of that id."""
        path = self._paths().get(name)
        if path is None:
            return None
        with self._lock:
            log = self._logs.setdefault(name, _Log())
        with log.lock:
            _read_on(path / LOG_NAME, log)
            begin = after if after <= log.events else 0
            series: dict[tuple[str, str, str], schemas.Series] = {}
            for number, event, curve, along, x, y in log.points:
                if number < begin:
                    continue
                found = series.setdefault(
                    (event, curve, along), schemas.Series(event=event, name=curve, along=along, x=[], y=[])
                )
                found.x.append(x)
                found.y.append(y)
            return schemas.Curves(
                state=_state(path, Run.read(path)), begin=begin, next=log.events, series=list(series.values())
            )

    def champion(self, spec: Spec, the_game: Game) -> Player:
        """The net of a run that a name such as `champion(ID, generation=3)` stands for."""
        path, file, generation = self._named(spec)
        if generation is None:
            return NetPlayer(the_game, nets.load(str(path / file), the_game))
        weights = _champions(path)
        if not 1 <= generation <= len(weights):
            raise ZeroplyError(f"this run has champions of generations 1 to {len(weights)}, not of {generation}")
        return champion_player(Run.read(path), weights[generation - 1], the_game)

    def version(self, spec: Spec) -> str:
        """Changes when the run writes another net under the same name."""
        path, file, generation = self._named(spec)
        if generation is not None:
            return ""
        try:
            return str((path / file).stat().st_mtime_ns)
        except OSError:
            return ""

    def champions(self, name: str) -> tuple[RunRecord, NDArray[np.float32]] | None:
        """A run and the weights of its champions, a row each; None if there is no run of that id."""
        path = self._paths().get(name)
        return None if path is None else (Run.read(path), _champions(path))

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
                files = _net_files(path)
                if 0 <= number < len(files):
                    return path, files[number], None
        raise ZeroplyError("a net of a run is named by its file or by its generation: choose one from the run's page")

    def _players(self, name: str, record: RunRecord, generations: int) -> Iterator[schemas.RunPlayer]:
        for number, file in enumerate(_net_files(record.folder)):
            with suppress(ZeroplyError):
                info = nets.inspect(str(record.folder / file))
                yield schemas.RunPlayer(
                    player=f"champion({name}, file={number})",
                    title=file.removesuffix(SUFFIX),
                    game=str(info.game),
                )
        the_game = record.info.config.get("game")
        if isinstance(the_game, str):
            for generation in range(generations, 0, -1):
                yield schemas.RunPlayer(
                    player=f"champion({name}, generation={generation})",
                    title=f"generation {generation}",
                    game=the_game,
                )

    def _row(self, name: str, record: RunRecord) -> schemas.RunRow:
        the_game = record.info.config.get("game")
        relative = record.folder.relative_to(self._folder) if self._folder else record.folder
        return schemas.RunRow(
            id=name,
            name=relative.as_posix(),
            kind=record.info.kind,
            created=record.info.created,
            state=_state(record.folder, record),
            game=the_game if isinstance(the_game, str) else None,
        )

    def _paths(self) -> dict[str, Path]:
        """The folders of all runs by id."""
        with self._lock:
            if self._folder is not None and time.monotonic() - self._when > _FRESH:
                root = self._folder
                paths = list(_find(root, DEEPEST))[:MOST_RUNS]
                self._listed = {_id(path.relative_to(root).as_posix()): path for path in paths}
                self._when = time.monotonic()
            return self._listed


def champion_player(record: RunRecord, vector: NDArray[np.float32], the_game: Game) -> Player:
    """A champion's weights as a player."""
    own = game(record.info.config["game"])
    if own != the_game:
        raise ZeroplyError(f"this champion plays {own}, not {the_game}")
    return NetPlayer(the_game, nets.build(record.info.config["net"], the_game, {"vector": vector}))


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


def _state(path: Path, record: RunRecord) -> State:
    if record.finished:
        return "finished"
    try:
        holder = int((path / LOCK_NAME).read_text()[:20])
        os.kill(holder, 0)
    except PermissionError:
        return "running"
    except (OSError, ValueError, OverflowError):
        return "stopped"
    return "running"


def _net_files(path: Path) -> list[str]:
    try:
        return sorted(file.name for file in path.glob(f"*{SUFFIX}") if file.is_file() and not file.name.startswith("."))
    except OSError:
        return []


def _champions(path: Path) -> NDArray[np.float32]:
    """[generations, parameters]: the champions in the newest checkpoint that can be read; empty if there are none."""
    for file in checkpoint_files(path / CHECKPOINTS_NAME):
        with suppress(Damaged, OSError):
            found = read_checkpoint(file).arrays.get(CHAMPIONS)
            return np.zeros((0, 0), np.float32) if found is None else np.asarray(found, np.float32)
    return np.zeros((0, 0), np.float32)


def _read_on(path: Path, log: _Log) -> None:
    """Read what has been added to a log; one that was cut back and is shorter now is read again."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < log.position:
                log.position, log.events, log.points, log.stride = 0, 0, [], 1
            file.seek(log.position)
            data = file.read(MOST_READ)
    except OSError:
        return
    data = data[: data.rfind(b"\n") + 1]
    log.position += len(data)
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
    for key, value in event.items():
        if key in (along, "time", "seed", *APART, *ALONG):
            continue
        if _is_number(value):
            yield number, kind, f"{key}{apart}", along, x, float(value)
        elif isinstance(value, list) and 1 <= len(value) <= 8 and all(map(_is_number, value)):
            for place, item in enumerate(value, 1):
                yield number, kind, f"{key} {place}{apart}", along, x, float(item)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
