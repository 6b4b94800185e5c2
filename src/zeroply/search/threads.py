"""How many threads the core uses for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

from zeroply import _core


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Let the core use this many threads meanwhile."""
    before = _core.threads()
    _core.set_threads(count)
    try:
        yield
    finally:
        _core.set_threads(before)
