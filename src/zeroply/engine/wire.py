"""The two pipes of an engine: lines in, text out.

A thread reads ahead, so that an engine that is thinking can see that somebody speaks to it. Whatever comes in is taken:
bytes that are no text, lines without end, an end in the middle of a line.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from io import RawIOBase
from queue import Empty, Queue
from typing import BinaryIO

AT_ONCE = 1 << 16
"""The most bytes per read."""
LONGEST = 1 << 20
"""Longest line in bytes; the rest of a longer line is dropped."""
AHEAD = 1000
"""Lines that are read ahead; a faster writer waits."""


class Wire:
    """Incoming lines and outgoing text.

    What comes in is unbuffered: a thread that waits for a buffered pipe holds its lock, and Python may then not exit.
    """

    def __init__(self, incoming: BinaryIO | RawIOBase, outgoing: BinaryIO) -> None:
        self._outgoing = outgoing
        self._lines: Queue[str | None] = Queue(AHEAD)
        self._next: list[str | None] = []
        threading.Thread(target=self._read, args=(incoming,), daemon=True).start()

    def lines(self) -> Iterator[str]:
        """Every line, without its end, as it arrives, until the end of the input."""
        while (line := self._next.pop() if self._next else self._lines.get()) is not None:
            yield line
        self._next.append(None)

    def peek(self, seconds: float = 0.0) -> str | None:
        """The next line without consuming it, None if none arrives in time; an empty line at the end of the input."""
        if not self._next:
            try:
                self._next.append(self._lines.get(timeout=seconds) if seconds > 0 else self._lines.get_nowait())
            except Empty:
                return None
        return self._next[0] or ""

    def take(self, wanted: Callable[[str], bool]) -> str | None:
        """The next line, if it has arrived and is wanted; others stay."""
        self.peek()
        if not self._next or self._next[0] is None or not wanted(self._next[0]):
            return None
        return self._next.pop()

    def say(self, text: str) -> None:
        """Write and flush."""
        self._outgoing.write(text.encode("utf-8", "replace"))
        self._outgoing.flush()

    def _read(self, incoming: BinaryIO | RawIOBase) -> None:
        begun = b""
        try:
            while some := incoming.read(AT_ONCE):
                *lines, begun = (begun + some).split(b"\n")
                begun = begun[:LONGEST]
                for line in lines:
                    self._lines.put(_text(line))
        except (OSError, ValueError):  # the pipe is gone, which is an end like any other
            pass
        if begun:
            self._lines.put(_text(begun))
        self._lines.put(None)


def _text(line: bytes) -> str:
    return line[:LONGEST].decode("utf-8", "replace").rstrip("\r")
