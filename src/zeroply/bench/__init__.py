"""Benchmarks that measure and compare in one run, because machines differ and are noisy."""

from collections.abc import Iterator
from contextlib import contextmanager

from zeroply import _core

LARGEST = 1_000_000
"""Maximum number of games or positions in memory at once."""


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Let the core use this many threads meanwhile."""
    before = _core.threads()
    _core.set_threads(count)
    try:
        yield
    finally:
        _core.set_threads(before)
