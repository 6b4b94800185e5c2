"""The log of a program: every line that it is sent, every line that it writes, and all of its error output.

    2026-11-18T20:41:03.123Z gtp_engine.py[4711] > genmove black

A line is marked `>` if it was sent, `<` if it was answered, `!` if it was written to the error output. Several programs
may share a file: each line is added by a single write.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

from zeroply.files import explained

_LONGEST = 1 << 16
"""Bytes without a line end that are logged as a line."""


class ProtocolLog:
    """The log of one running program."""

    def __init__(self, path: str, name: str) -> None:
        with explained(f"open {path}"):
            self._file = os.open(os.path.expanduser(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self._path, self._name = path, name
        self._rest: dict[str, bytes] = {}

    def add(self, mark: str, data: bytes) -> None:
        """Add output or input, which may end within a line."""
        *lines, rest = (self._rest.get(mark, b"") + data).split(b"\n")
        if len(rest) > _LONGEST:
            lines, rest = [*lines, rest], b""
        self._rest[mark] = rest
        self._write(mark, lines)

    def close(self) -> None:
        """Write what ended without a line end, and close the file."""
        for mark, rest in self._rest.items():
            self._write(mark, [rest] if rest else [])
        self._rest.clear()
        os.close(self._file)

    def _write(self, mark: str, lines: list[bytes]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
        head = f"{now}Z {self._name} {mark} ".encode()
        if lines:
            with explained(f"write {self._path}"):
                os.write(self._file, b"".join(head + line.rstrip(b"\r") + b"\n" for line in lines))
