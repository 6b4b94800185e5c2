"""Threads beside the event loop, with a bounded queue that is fair between clients.

The next job is that of the address with the fewest running jobs that was served least recently, and of its tabs the
next in turn: whoever sends many requests only waits longer himself. A job whose client has gone away leaves the queue,
or is cancelled if it runs: the core notices within about 10 ms.

Threads that search run at a lower priority than the event loop (on Linux niceness is per thread), and the core releases
the GIL while it searches: a click is answered while all of them are busy.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from zeroply import _core

T = TypeVar("T")

_NICENESS = 5
_here = threading.local()  # its `cancellation` is that of the job that this thread runs


class BusyError(Exception):
    """The queue is full."""


class Client(NamedTuple):
    """Who sent a request."""

    address: str
    """The network address."""
    tab: str
    """The id of its own that the page sends from each browser tab; empty if there is none."""


CLIENT: ContextVar[Client] = ContextVar("client", default=Client("", ""))  # noqa: B039 - a NamedTuple is immutable
"""The client of the request that is being handled."""


def check_cancelled() -> None:
    """Raise `Cancelled` if the job of this thread was cancelled; for Python code that waits or loops."""
    cancellation = getattr(_here, "cancellation", None)
    if cancellation is not None and cancellation.cancelled:
        raise _core.Cancelled


@dataclass(eq=False)
class _Job:
    work: Callable[[], Any]
    client: Client
    number: int
    turn: int  # jobs of one address with the same turn are the first of each tab, then come the second ones, and so on
    result: Future[Any] = field(default_factory=Future)
    cancellation: _core.Cancellation = field(default_factory=_core.Cancellation)


@dataclass
class _Address:
    running: int = 0
    served: int = 0  # the number of the service, counted over all addresses
    turn: int = 0  # of the job that was started last
    waiting: list[_Job] = field(default_factory=list)


class BoundedThreadPool:
    """Threads with a queue of at most `waiting` jobs; an address has at most `each`, waiting or running.

    The threads start with the first job.
    """

    def __init__(self, threads: int, waiting: int, each: int, *, nice: bool = False) -> None:
        self._size = threads
        self._limit, self._each = waiting, each
        self._nice = nice
        self._threads: list[threading.Thread] = []
        self._addresses: dict[str, _Address] = {}
        self._running: set[_Job] = set()
        self._jobs = self._served = 0
        self._changed = threading.Condition()

    async def run(self, work: Callable[[], T]) -> T:
        """Run a job for the current client and return its result; raises BusyError at once if the queue is full.

        If the task that awaits it is cancelled, so is the job.
        """
        job = self._add(work, CLIENT.get())
        try:
            result: T = await asyncio.wrap_future(job.result)
            return result
        except asyncio.CancelledError:
            self._abandon(job)
            raise

    def _add(self, work: Callable[[], Any], client: Client) -> _Job:
        with self._changed:
            address = self._addresses.setdefault(client.address, _Address(served=self._served))
            pending = len(self._running) + sum(len(one.waiting) for one in self._addresses.values())
            if pending >= self._size + self._limit or address.running + len(address.waiting) >= self._each:
                raise BusyError
            before = [one.turn + 1 for one in address.waiting if one.client.tab == client.tab]
            job = _Job(work, client, self._jobs, max([address.turn, *before]))
            self._jobs += 1
            address.waiting.append(job)
            if len(self._threads) < self._size:
                self._threads.append(threading.Thread(target=self._serve, name="zeroply web", daemon=True))
                self._threads[-1].start()
            self._changed.notify()
        return job

    def _abandon(self, job: _Job) -> None:
        job.cancellation.cancel()
        with self._changed:
            address = self._addresses.get(job.client.address)
            if address is not None and job in address.waiting:
                address.waiting.remove(job)
                self._forget_idle(job.client.address)

    def _serve(self) -> None:
        if self._nice:
            with suppress(OSError, AttributeError):  # only Linux accepts a thread id
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        while (job := self._next()) is not None:
            if job.result.set_running_or_notify_cancel():
                _here.cancellation = job.cancellation
                _core.obey(job.cancellation)
                try:
                    result = job.work()
                except BaseException as error:
                    job.result.set_exception(error)
                else:
                    job.result.set_result(result)
                finally:
                    _core.obey(None)
                    _here.cancellation = None
            self._end(job)

    def _next(self) -> _Job | None:
        """The job to do next, marked as running; None for a thread that the pool has let go."""
        with self._changed:
            while threading.current_thread() in self._threads:
                able = [one for one in self._addresses.values() if one.waiting]
                if not able:
                    self._changed.wait()
                    continue
                address = min(able, key=lambda one: (one.running, one.served))
                job = min(address.waiting, key=lambda one: (one.turn, one.number))
                address.waiting.remove(job)
                self._served += 1
                address.running, address.served, address.turn = address.running + 1, self._served, job.turn
                self._running.add(job)
                return job
        return None

    def _end(self, job: _Job) -> None:
        with self._changed:
            self._running.remove(job)
            self._addresses[job.client.address].running -= 1
            self._forget_idle(job.client.address)

    def _forget_idle(self, name: str) -> None:
        if not self._addresses[name].running and not self._addresses[name].waiting:
            del self._addresses[name]

    def close(self) -> None:
        """Cancel all jobs and end the threads; a job that comes later starts new ones."""
        with self._changed:
            threads, self._threads = self._threads, []
            waiting = [job for address in self._addresses.values() for job in address.waiting]
            self._addresses = {name: one for name, one in self._addresses.items() if one.running}
            for address in self._addresses.values():
                address.waiting.clear()
            for job in (*waiting, *self._running):
                job.cancellation.cancel()
            self._changed.notify_all()
        for job in waiting:
            job.result.cancel()
        for thread in threads:
            thread.join(timeout=1)
