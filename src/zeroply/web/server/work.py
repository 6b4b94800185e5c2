"""Work beside the event loop: a few threads and a short queue, so that nobody can pile work up.

Searching threads are nicer than the event loop (Linux gives every thread a niceness of its own), and the core lets go
of the interpreter while it searches: a click is answered while all of them are busy.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

_NICENESS = 5


class BusyError(Exception):
    """There is too much work already."""


class BoundedThreads:
    """Threads with a queue that is never longer than `waiting`; they start with the first job."""

    def __init__(self, threads: int, waiting: int, *, nice: bool = False) -> None:
        self._size = threads
        self._most = threads + waiting
        self._nice = nice
        self._taken = 0
        self._threads: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    async def do(self, job: Callable[[], T]) -> T:
        """What the job returns, done by one of the threads; BusyError at once if the queue is full."""
        with self._lock:
            if self._taken >= self._most:
                raise BusyError
            self._taken += 1
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._size, initializer=_be_nice if self._nice else None)
            future = self._threads.submit(job)
        future.add_done_callback(self._release)
        return await asyncio.wrap_future(future)

    def _release(self, _: Future[T]) -> None:
        with self._lock:
            self._taken -= 1

    def close(self) -> None:
        """Begin nothing that still waits, and let the threads go."""
        with self._lock:
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)


def _be_nice() -> None:
    with suppress(OSError, AttributeError):  # only Linux takes the number of a thread
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
