"""Ends foreign programs when zeroply itself is killed, by whatever signal.

A small process of its own reads from a pipe which process groups live. When the pipe closes because zeroply is gone,
it kills what is left and goes too. It runs only while there are foreign programs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress


class Watchdog:
    """The side of zeroply: says which process groups begin and end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """A process group that must not outlive zeroply."""
        with self._lock:
            self._groups.add(group)
            if self._process is None and sys.executable:
                with suppress(OSError):
                    self._process = _start()
            self._tell(f"+{group}\n")

    def remove(self, group: int) -> None:
        """A process group that has ended."""
        with self._lock:
            self._groups.discard(group)
            self._tell(f"-{group}\n")
            if self._process is not None and not self._groups:
                with suppress(OSError):
                    self._process.communicate()
                self._process = None

    def _tell(self, message: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(message.encode())


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def watch() -> None:
    """The side of the watchdog: keeps count until the pipe closes, then kills what is left."""
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    watch()
