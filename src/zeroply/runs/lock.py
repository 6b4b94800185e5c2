"""The lock that keeps two processes from writing one run.

It is an `flock` on a file in the run folder, so the kernel drops it with the process that holds it, however
that process ends. The file also holds the process number, only so that a refusal can name it.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

from zeroply.errors import ZeroplyError
from zeroply.files import explained

LOCK_NAME = "lock"


class RunLock:
    """The lock of one run folder, held from its making until `release`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK_NAME
        with explained(f"lock {folder}"):
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            try:
                self._take(folder, descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            self._descriptor: int | None = descriptor
            _held.add(self)
            try:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            except BaseException:
                self.release(remove=True)
                raise

    def _take(self, folder: Path, descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).strip().decode("ascii", "replace")
            raise ZeroplyError(_refusal(folder, holder)) from None
        # A failed `create` may have removed the file after it was opened here; then this is no lock.
        if not os.path.samestat(os.fstat(descriptor), os.stat(self._path)):
            raise FileNotFoundError(errno.ENOENT, "its lock has just been removed, try again")

    @property
    def held(self) -> bool:
        """Whether this process still holds the lock."""
        return self._descriptor is not None

    def release(self, *, remove: bool = False) -> None:
        """Give the lock up; `remove` also deletes its file."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            with suppress(OSError):
                if remove:
                    self._path.unlink(missing_ok=True)
                else:
                    os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def forget(self) -> None:
        """Drop the copy in a forked child, which must not keep the lock alive after the parent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _refusal(folder: Path, holder: str) -> str:
    if holder == str(os.getpid()):
        return f"{folder} is already open in this process: close it first"
    name = f"process {holder}" if holder.isdigit() else "another process"
    return f"{folder} is in use by {name}: wait until it ends or stop it"


_held: WeakSet[RunLock] = WeakSet()


def _forget_all() -> None:
    for lock in list(_held):
        lock.forget()


os.register_at_fork(after_in_child=_forget_all)
