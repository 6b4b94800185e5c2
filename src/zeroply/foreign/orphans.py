"""Kills the programs that zeroply started when zeroply itself is killed, by whatever signal.

A small separate process reads from a pipe which process groups are alive. When the pipe closes because zeroply has
ended, it kills the remaining groups and exits. It runs only while there are such programs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress


class OrphanKiller:
    """Zeroply's end of the pipe: reports which process groups begin and end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """Report a process group that must not outlive zeroply."""
        with self._lock:
            self._groups.add(group)
            if self._process is None and sys.executable:
                with suppress(OSError):
                    self._process = _start()
            self._report(f"+{group}\n")

    def remove(self, group: int) -> None:
        """Report that a process group has ended."""
        with self._lock:
            self._groups.discard(group)
            self._report(f"-{group}\n")
            if self._process is not None and not self._groups:
                with suppress(OSError):
                    self._process.communicate()
                self._process = None

    def _report(self, message: str) -> None:
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
    """The loop of the separate process: keeps the list until the pipe closes, then kills what is left."""
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    watch()
