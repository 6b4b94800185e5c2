"""Atomic writes: to a temporary file in the same folder, then a rename. A file is complete or absent, whatever happens.

`locked` gives a folder to one process at a time; the kernel releases the lock when the process ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from zeroply.errors import ZeroplyError

TEMPORARY = ".tmp-"
"""Prefix of the names of temporary files."""


@contextmanager
def explained(doing: str) -> Iterator[None]:
    """Turn an OSError into a ZeroplyError: cannot `doing`: reason."""
    try:
        yield
    except OSError as error:
        raise ZeroplyError(f"cannot {doing}: {error.strerror or error}") from error


def check_new(path: Path, overwrite: bool, option: str = "--overwrite") -> None:
    """Raise ZeroplyError if a file cannot be written, or exists and `overwrite` is false."""
    if not path.parent.is_dir():
        raise ZeroplyError(f"cannot write {path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise ZeroplyError(f"cannot write {path}: it exists and is not a file")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ZeroplyError(f"cannot write {path}: no permission to write to the folder {path.parent}")
    if path.exists() and not overwrite:
        raise ZeroplyError(f"{path} exists: give the name of a new file, or {option} to replace it")


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file completely and durably, or not at all; concurrent writers of one file take turns."""
    temporary = path.with_name(TEMPORARY + path.name)
    with explained(f"write {path}"):
        with _in_turn(temporary) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        sync_folder(path.parent)


@contextmanager
def _in_turn(path: Path) -> Iterator[BinaryIO]:
    """An empty temporary file, also if a killed process left one; other callers wait."""
    while True:
        with open(path, "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(path, file):  # false if it was renamed while we waited
                file.truncate(0)
                yield file
                return


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def sync_folder(folder: Path) -> None:
    """Make renames and new files in a folder survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path, refusal: str | None = None) -> Iterator[None]:
    """Lock a folder; a second caller waits or, if `refusal` is given, gets a ZeroplyError with that text."""
    with explained(f"lock {folder}"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with explained(f"lock {folder}"):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if refusal is None else fcntl.LOCK_NB))
            except BlockingIOError:
                raise ZeroplyError(refusal) from None
        yield
    finally:
        os.close(descriptor)
