"""Progress of long work: one callback for everything, called as `progress(done, total, text)`."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called from time to time while work is under way."""

    def __call__(self, done: int, total: int, text: str = "", /) -> None:
        """`done` of `total` units are finished; `text` holds recent figures, such as a loss, and may be empty."""


def no_progress(done: int, total: int, text: str = "", /) -> None:
    """Ignore progress."""
