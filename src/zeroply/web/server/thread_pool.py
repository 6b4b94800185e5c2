"""Threads beside the event loop, with a bounded queue, so that no client can pile up work.

Threads that search run at a lower priority than the event loop (on Linux niceness is per thread), and the core releases
the GIL while it searches: a click is answered while all of them are busy.
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
    """The queue is full."""


class BoundedThreadPool:
    """Threads with a queue of at most `waiting` jobs; they start with the first job."""

    def __init__(self, threads: int, waiting: int, *, nice: bool = False) -> None:
        self._size = threads
        self._limit = threads + waiting
        self._nice = nice
        self._pending = 0
        self._threads: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    async def run(self, job: Callable[[], T]) -> T:
        """Run a job in one of the threads and return its result; raises BusyError at once if the queue is full."""
        with self._lock:
            if self._pending >= self._limit:
                raise BusyError
            self._pending += 1
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._size, initializer=_lower_priority if self._nice else None)
            future = self._threads.submit(job)
        future.add_done_callback(self._release)
        return await asyncio.wrap_future(future)

    def _release(self, _: Future[T]) -> None:
        with self._lock:
            self._pending -= 1

    def close(self) -> None:
        """Cancel waiting jobs and end the threads."""
        with self._lock:
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)


def _lower_priority() -> None:
    with suppress(OSError, AttributeError):  # only Linux accepts a thread id
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
