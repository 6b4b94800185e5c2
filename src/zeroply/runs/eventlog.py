"""The append-only event log of a run: one JSON object a line, its time always last and of constant width.

Equal work therefore writes equal lines apart from the time, which the log's checksum leaves out: a run that
was killed and resumed and one that never was have logs of the same length and the same checksum.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from zeroply.errors import ZeroplyError
from zeroply.files import explained, sync_folder
from zeroply.runs.files import Damaged, Json, parse_json, to_json, utc_now

_STAMP = re.compile(rb',"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"\}\n')
_STAMP_BYTES = len(',"time":"2000-01-01T00:00:00.000000Z"}\n')
_BUFFER_LINES = 1000
_BUFFER_SECONDS = 1.0


@dataclass(frozen=True)
class LogMark:
    """A point in the event log, as a checkpoint or a result remembers it."""

    length: int
    """Bytes of the log up to this point."""
    sha256: str
    """Checksum of the events up to this point, times left out."""

    def to_json(self) -> Json:
        """The mark as a JSON object."""
        return {"bytes": self.length, "sha256": self.sha256}

    @classmethod
    def from_json(cls, value: object) -> LogMark:
        """The mark that `to_json` wrote; raises `Damaged` for anything else."""
        match value:
            case {"bytes": int(length), "sha256": str(sha256)}:
                return cls(length, sha256)
            case _:
                raise Damaged("no event log mark")


START = LogMark(0, hashlib.sha256().hexdigest())


def _replay(path: Path, mark: LogMark) -> hashlib._Hash:
    checksum = hashlib.sha256()
    if mark != START:
        try:
            if not path.is_file():
                raise Damaged("the event log is missing")
            with open(path, "rb") as file:
                _feed(checksum, file, mark.length)
        except OSError as error:
            raise Damaged(f"the event log cannot be read: {error.strerror or error}") from None
    if checksum.hexdigest() != mark.sha256:
        raise Damaged("the event log does not match it")
    return checksum


def _feed(checksum: hashlib._Hash, file: BinaryIO, length: int) -> None:
    position = 0
    while position < length:
        line = file.readline(length - position)
        if not _STAMP.fullmatch(line[-_STAMP_BYTES:]):
            raise Damaged("the event log does not match it")
        checksum.update(line[:-_STAMP_BYTES])
        position += len(line)


def read_events(path: Path, length: int | None = None) -> Iterator[Json]:
    """The events in order: `length` bytes of them, or all there are; a torn last line is not an event."""
    position = 0
    with explained(f"read {path}"), open(path if path.is_file() else os.devnull, "rb") as file:
        for number in count(1):
            line = file.readline(-1 if length is None else length - position)
            position += len(line)
            if not line.endswith(b"\n"):
                break
            yield _parse_event(path, number, line)
    if length is not None and position < length:
        raise ZeroplyError(f"{path} is damaged: its end is missing")


def _parse_event(path: Path, number: int, line: bytes) -> Json:
    try:
        event = parse_json(line)
    except Damaged:
        event = None
    if not isinstance(event, dict):
        raise ZeroplyError(f"line {number} of {path} is damaged: it is not a JSON object")
    return event


class EventLog:
    """The log of a run that this process writes.

    Opening cuts the file back to `mark`, or raises `Damaged` if the log up to there is not what it was.
    """

    def __init__(self, path: Path, mark: LogMark) -> None:
        checksum = _replay(path, mark)
        self.path = path
        with explained(f"open {path}"):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            try:
                os.ftruncate(self._file, mark.length)
                sync_folder(path.parent)
            except BaseException:
                os.close(self._file)
                raise
        # (bytes written, their checksum, lines waiting) change in one assignment: after an interrupt during a
        # flush the next one writes the same bytes to the same place, and nothing is lost or doubled.
        self._position: tuple[int, hashlib._Hash, list[bytes]] = (mark.length, checksum, [])
        self._flushed = time.monotonic()

    def append(self, event: str, fields: Json) -> None:
        """Add one line; it reaches the file within a second of further lines, or at `flush`."""
        for name in ("event", "time"):
            if name in fields:
                raise ZeroplyError(f"an event cannot have a field named {name!r}: the log sets it itself")
        body: Json = {"event": event, **fields}
        text = to_json(body, what=f"event {event}", non_finite_as_null=True)
        waiting = self._position[2]
        waiting.append(f'{text[:-1]},"time":"{utc_now()}"}}\n'.encode())
        if len(waiting) >= _BUFFER_LINES or time.monotonic() - self._flushed > _BUFFER_SECONDS:
            self.flush()

    def flush(self) -> LogMark:
        """Hand waiting lines to the operating system; the mark is the log's end."""
        length, checksum, waiting = self._position
        if waiting:
            checksum = checksum.copy()
            for line in waiting:
                checksum.update(line[:-_STAMP_BYTES])
            data = b"".join(waiting)
            with explained(f"write {self.path}"):
                self._write(data, length)
            length += len(data)
            self._position = (length, checksum, [])
            self._flushed = time.monotonic()
        return LogMark(length, checksum.hexdigest())

    def _write(self, data: bytes, offset: int) -> None:
        written = 0
        while written < len(data):
            written += os.pwrite(self._file, data[written:], offset + written)

    def sync(self) -> LogMark:
        """Flush, and wait until the disk has it."""
        mark = self.flush()
        with explained(f"write {self.path}"):
            os.fsync(self._file)
        return mark

    def close(self) -> None:
        """Close the file without writing what waits."""
        os.close(self._file)
