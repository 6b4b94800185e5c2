"""Strict JSON and checksums, for every file of a run folder.

JSON here has no NaN or Infinity, has only text as keys, and keeps its order.
A *sealed* object carries a SHA-256 of its content, so that damage is detected before a run resumes from it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from zeroply.errors import ZeroplyError
from zeroply.files import TEMPORARY, explained, write_atomically

Json = dict[str, Any]

_DEEPEST = 100


class Damaged(Exception):
    """A file cannot be read back; the text says why in a few words."""


def utc_now() -> str:
    """The time as UTC text of constant width, so that equal events have lines of equal length."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def to_json(value: object, *, what: str, non_finite_as_null: bool = False) -> str:
    """Compact strict JSON of plain Python values and numpy scalars.

    Tuples become lists. A non-finite float raises, or becomes null if asked; anything else JSON cannot hold
    raises an error that names `what` and the place in it.
    """
    try:
        return _compact(_plain(value, what, non_finite_as_null, 0))
    except ValueError as error:
        raise ZeroplyError(f"cannot write this as JSON: {error}") from None


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _plain(value: object, place: str, non_finite_as_null: bool, depth: int) -> object:
    if isinstance(value, np.generic):
        value = float(value) if isinstance(value, np.floating) else value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        if non_finite_as_null:
            return None
        raise ValueError(f"{place} is {value}, which JSON cannot hold")
    if depth == _DEEPEST:
        raise ValueError(f"{place} is nested more than {_DEEPEST} deep")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ValueError(f"{place} has the key {key!r}, which is not text")
        return {str(key): _plain(item, f"{place}.{key}", non_finite_as_null, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{place}[{i}]", non_finite_as_null, depth + 1) for i, item in enumerate(value)]
    raise ValueError(f"{place} is of type {type(value).__name__}")


def parse_json(text: bytes | str) -> Any:
    """The value of strict JSON text; raises `Damaged` for anything else."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Damaged("not valid JSON") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def seal(body: Json) -> Json:
    """The JSON object with the checksum of its content added as `sha256`."""
    return {**body, "sha256": hashlib.sha256(_compact(body).encode()).hexdigest()}


def unseal(sealed: object) -> Json:
    """The content of a sealed object; raises `Damaged` if it is not what was sealed."""
    if not isinstance(sealed, dict):
        raise Damaged("not a JSON object")
    body = {key: value for key, value in sealed.items() if key != "sha256"}
    try:
        intact = seal(body) == sealed
    except (ValueError, RecursionError):
        intact = False
    if not intact:
        raise Damaged("wrong checksum")
    return body


def read_file(path: Path) -> bytes:
    """The bytes of a regular file; raises `Damaged` if it cannot be read."""
    try:
        if not path.is_file():
            raise Damaged("not a file" if path.exists() else "missing")
        return path.read_bytes()
    except OSError as error:
        raise Damaged(error.strerror or str(error)) from None


def write_sealed(path: Path, body: Json) -> None:
    """Write a JSON object with its checksum, indented for people."""
    write_atomically(path, (json.dumps(seal(body), indent=2, allow_nan=False) + "\n").encode())


def set_aside(path: Path) -> None:
    """Rename a damaged file to `.damaged`: it is no longer read, but can still be looked at."""
    with explained(f"set {path} aside"):
        os.replace(path, path.with_suffix(".damaged"))


def remove_strays(folder: Path) -> None:
    """Remove the temporary files a killed process left behind."""
    with explained(f"tidy {folder}"):
        for stray in folder.glob(TEMPORARY + "*"):
            stray.unlink()
