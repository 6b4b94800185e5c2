"""Writing files so that they are whole or absent, whatever happens: a temporary file beside them, then a rename.

`locked` keeps a folder for one process at a time; the kernel drops the lock with the process that holds it.
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
"""How the names of temporary files begin."""


@contextmanager
def explained(doing: str) -> Iterator[None]:
    """Turn what the operating system refuses into one sentence: cannot `doing`: why."""
    try:
        yield
    except OSError as error:
        raise ZeroplyError(f"cannot {doing}: {error.strerror or error}") from error


def check_new(path: Path, overwrite: bool) -> None:
    """Raise ZeroplyError if a file cannot be written, or exists and is not to be replaced."""
    if not path.parent.is_dir():
        raise ZeroplyError(f"cannot write {path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise ZeroplyError(f"cannot write {path}: it is there already and is not a file")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ZeroplyError(f"cannot write {path}: nothing may be written into the folder {path.parent}")
    if path.exists() and not overwrite:
        raise ZeroplyError(f"{path} exists: give the name of a new file, or --overwrite to replace it")


def write_atomically(path: Path, data: bytes) -> None:
    """Put a file in place whole and durable, or not at all; several who write the same one do so in turn."""
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
    """An empty file, also if a killed process left it; others that ask for it in this way wait."""
    while True:
        with open(path, "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(path, file):  # or it was renamed while this one waited
                file.truncate(0)
                yield file
                return


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def sync_folder(folder: Path) -> None:
    """Make renames and new names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path, refusal: str | None = None) -> Iterator[None]:
    """Keep a folder from others that ask for it in this way; they get the refusal as an error, or without one wait."""
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
