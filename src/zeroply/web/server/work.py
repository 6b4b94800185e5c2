"""Work beside the event loop: a few threads and a short queue, so that nobody can pile work up.

Searching threads are nicer than the event loop (Linux gives every thread a niceness of its own), and the core lets go
of the interpreter while it searches: a click is answered while all of them are busy.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

_NICENESS = 10


class BusyError(Exception):
    """There is too much work already."""


class Workers:
    """Threads with a queue that is never longer than `waiting`."""

    def __init__(self, threads: int, waiting: int, *, nice: bool = False) -> None:
        self._most = threads + waiting
        self._taken = 0
        self._threads = ThreadPoolExecutor(threads, "zeroply-web", initializer=_be_nice if nice else None)

    async def do(self, job: Callable[[], T]) -> T:
        """What the job returns, done by one of the threads; BusyError at once if the queue is full."""
        if self._taken >= self._most:
            raise BusyError
        self._taken += 1
        future = self._threads.submit(job)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: _tell(loop, self._release))
        return await asyncio.wrap_future(future)

    def _release(self) -> None:
        self._taken -= 1

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _tell(loop: asyncio.AbstractEventLoop, release: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop has been closed
        loop.call_soon_threadsafe(release)


def _be_nice() -> None:
    with suppress(OSError, AttributeError):  # only Linux takes the number of a thread
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
