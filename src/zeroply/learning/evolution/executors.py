"""Workers for the tasks of a generation: threads of this process, other processes, or a dask cluster.

All are `concurrent.futures` executors, and a task is a pure function of plain data, so the results do not depend on the
kind of workers. If a worker dies, its unfinished tasks are submitted again.
"""

from __future__ import annotations

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from typing import Any, Self, TypeVar

from zeroply import levels, plugins
from zeroply.errors import ZeroplyError

T = TypeVar("T")
R = TypeVar("R")

ATTEMPTS = 5
"""How many times in a row the same tasks may fail because workers died."""
PATIENCE = 60.0
"""Seconds that a cluster may be without any worker."""
SECONDS_TO_CONNECT = 10.0
"""How long a cluster's scheduler may take to answer."""


class Workers(ABC):
    """Workers that do tasks; a context manager."""

    name: str
    """Their name in messages."""
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)
    """The errors that mean a worker has died."""

    def __init__(self) -> None:
        self._executor = self._start()

    @abstractmethod
    def _start(self) -> Executor:
        """A new executor."""

    def map(self, function: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """The result of every task, in order."""
        results: dict[int, R] = {}
        failures = 0
        while len(results) < len(tasks):
            before = len(results)
            waiting = [number for number in range(len(tasks)) if number not in results]
            if not self._attempt(function, tasks, waiting, results):
                failures = 1 if len(results) > before else failures + 1
                if failures == ATTEMPTS:
                    raise ZeroplyError(
                        f"{self.name} died {ATTEMPTS} times over the same work: find out what kills them"
                    )
        return [results[number] for number in range(len(tasks))]

    def _attempt(
        self, function: Callable[[T], R], tasks: Sequence[T], waiting: Sequence[int], results: dict[int, R]
    ) -> bool:
        """Do the waiting tasks; False if workers died before all were done."""
        whole = True
        try:
            futures = {self._executor.submit(self._wrapped(function), tasks[number]): number for number in waiting}
        except self.lost:
            self._replace()
            return False
        self._wait(list(futures))
        for future, number in futures.items():
            try:
                results[number] = future.result()
            except self.lost:
                whole = False
        if not whole:
            self._replace()
        return whole

    def _wrapped(self, function: Callable[[T], R]) -> Callable[[T], R]:
        return function

    def _wait(self, futures: list[Future[Any]]) -> None:
        wait(futures)

    def _replace(self) -> None:
        self._executor.shutdown(wait=False)
        self._executor = self._start()

    def close(self) -> None:
        """Stop the workers."""
        self._executor.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Threads(Workers):
    """Threads of this process, the same number as the core uses."""

    name = "threads"

    def _start(self) -> Executor:
        from zeroply import _core

        return ThreadPoolExecutor(_core.threads())


class Processes(Workers):
    """Processes of this machine."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.name = f"{count} worker processes"
        super().__init__()

    def _start(self) -> Executor:
        from multiprocessing import get_context

        # A fork would copy the threads' locks, but not the threads; a fresh process inherits the level by variable.
        return ProcessPoolExecutor(self.count, get_context("spawn"), _prepare, (levels.chosen(), plugins.imported()))


def _prepare(level: str, modules: Sequence[str]) -> None:
    """In a new worker process: the run's level and modules, and one thread, because there are other workers."""
    levels.select(level)
    plugins.use(modules)
    from zeroply import _core

    _core.set_threads(1)


class _Alone:
    """A task for a worker that shares its machine with others."""

    def __init__(self, function: Callable[[Any], Any], level: str, modules: Sequence[str]) -> None:
        self.function, self.level, self.modules = function, level, modules

    def __call__(self, task: Any) -> Any:
        _prepare(self.level, self.modules)
        return self.function(task)


class Cluster(Workers):
    """A dask cluster: a running one at an address, or a new one with processes of this machine."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.name = f"the workers of cluster {address}"
        try:
            from distributed import KilledWorker
            from distributed.client import FutureCancelledError
            from distributed.comm.core import CommClosedError
        except ImportError:
            raise ZeroplyError("a cluster needs dask: install it with pip install '.[cluster]'") from None
        self.lost = (KilledWorker, FutureCancelledError, CommClosedError)
        self._local: Any = None
        self._client: Any = None
        super().__init__()

    def _start(self) -> Executor:
        if self._client is None:
            self._connect()
        executor: Executor = self._client.get_executor(pure=False, retries=ATTEMPTS)
        return executor

    def _connect(self) -> None:
        from distributed import Client, LocalCluster

        count = _number("local", self.address)
        if count is not None:
            os.environ[levels.VARIABLE] = levels.chosen()  # inherited by the workers
            self._local = LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL"
            )
        target = self.address if self._local is None else self._local
        try:
            self._client = Client(target, timeout=SECONDS_TO_CONNECT)
        except (OSError, ValueError, TimeoutError):
            raise ZeroplyError(
                f"no dask scheduler answers at {self.address}: start one there, or use --cluster local:2"
            ) from None

    def _wrapped(self, function: Callable[[T], R]) -> Callable[[T], R]:
        return _Alone(function, levels.chosen(), plugins.imported())

    def _wait(self, futures: list[Future[Any]]) -> None:
        """Wait for the workers; raises ZeroplyError if there are none for a long time."""
        alone = 0.0
        while wait(futures, timeout=5).not_done:
            if self._client.status != "running":
                raise ZeroplyError(f"the scheduler of cluster {self.address} is gone: start it and resume the run")
            if self._client.scheduler_info().get("workers"):
                alone = 0.0
                continue
            alone = alone or time.monotonic()
            if time.monotonic() - alone > PATIENCE:
                raise ZeroplyError(f"cluster {self.address} has no workers: start some and resume the run")

    def close(self) -> None:
        """Disconnect from the cluster; stop it if it was started here."""
        self._executor.shutdown(wait=False)  # what is still under way is cancelled
        self._client.close()
        if self._local is not None:
            self._local.close()


def workers(where: str = "threads") -> Workers:
    """Workers by name: threads, processes:2, local:2 (a dask cluster here) or the address of a dask scheduler."""
    if where == "threads":
        return Threads()
    count = _number("processes", where)
    if count is not None:
        return Processes(count)
    if _number("local", where) is not None or re.match(r"(tcp|tls|ws|wss)://.", where):
        return Cluster(where)
    raise ZeroplyError(f"unknown workers '{where}': use threads, processes:2, local:2 or tcp://host:port")


def _number(kind: str, where: str) -> int | None:
    """The n of `kind:n`, or None if it is something else."""
    match = re.fullmatch(rf"{kind}:(\d+)", where)
    if not match:
        return None
    count = int(match[1])
    if not 1 <= count <= 1024:
        raise ZeroplyError(f"the number of workers must be from 1 to 1024, not {count}")
    return count
