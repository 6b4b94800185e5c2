"""Checkpoints: numbered safetensors files with a run's arrays, its JSON state and its place in the event log.

Everything in a file is under a SHA-256, so a damaged one is known as such and an older one can be used. The
same state always gives the same bytes: safetensors writes metadata in no fixed order, so there is one entry.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load, save

from zeroply.errors import ZeroplyError
from zeroply.files import explained, sync_folder, write_atomically
from zeroply.runs.eventlog import LogMark
from zeroply.runs.files import Damaged, Json, parse_json, read_file, seal, to_json, unseal

Array = npt.NDArray[Any]

KEPT = 3
_NAME = re.compile(r"\d{8,18}\.safetensors")
_DTYPES = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
_LARGEST_HEADER = 100_000_000  # bytes; safetensors reads no larger one


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """The state from which a run resumes."""

    step: int
    """Number of the checkpoint, counting from 1."""
    state: Json
    """State as JSON, in the order in which it was saved."""
    arrays: dict[str, Array]
    """Arrays by name, in the order in which they were saved."""
    log: LogMark
    """End of the event log when the checkpoint was made."""


def checkpoint_files(folder: Path) -> list[Path]:
    """The checkpoint files of a folder, newest first."""
    with explained(f"read {folder}"):
        names = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(names, key=lambda path: int(path.stem), reverse=True)


def write_checkpoint(
    folder: Path, step: int, state: Mapping[str, Any], arrays: Mapping[str, Array], log: LogMark
) -> None:
    """Write a checkpoint atomically, then remove the oldest."""
    plain = {name: _storable(name, array) for name, array in arrays.items()}
    body = {"step": step, "log": log.to_json(), "state": parse_json(to_json(dict(state), what="state"))}
    data = packed(plain, body)
    if int.from_bytes(data[:8], "little") > _LARGEST_HEADER:
        raise ZeroplyError("the state of the run is too large for a checkpoint: pass its large parts as arrays")
    if not folder.is_dir():
        with explained(f"make {folder}"):
            folder.mkdir()
            sync_folder(folder.parent)
    write_atomically(folder / f"{step:08d}.safetensors", data)
    rotate(folder)


def rotate(folder: Path) -> None:
    """Remove all checkpoints but the newest `KEPT`."""
    with explained(f"tidy {folder}"):
        for old in checkpoint_files(folder)[KEPT:]:
            old.unlink()


def _storable(name: object, array: object) -> Array:
    if not isinstance(name, str) or name == "__metadata__":
        raise ZeroplyError(f"an array in a checkpoint cannot be named {name!r}: give it another name")
    array = np.asarray(array, order="C")
    if not _DTYPES.fullmatch(array.dtype.name):
        raise ZeroplyError(f"array {name!r} has dtype {array.dtype}: a checkpoint holds booleans, integers and floats")
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def _checksum(array: Array) -> str:
    """SHA-256 of type, shape and content of an array in C order."""
    digest = hashlib.sha256(f"{array.dtype.name} {list(array.shape)}\n".encode())
    digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint back; raises `Damaged` unless it is exactly what was written."""
    arrays, body = unpacked(read_file(path))
    match body:
        case {"step": int(step), "log": log, "state": dict(state)}:
            pass
        case _:
            raise Damaged("fields are missing")
    if step != int(path.stem):
        raise Damaged(f"it is checkpoint {step}")
    return Checkpoint(step=step, state=state, arrays=arrays, log=LogMark.from_json(log))


def packed(arrays: Mapping[str, Array], body: Json) -> bytes:
    """A safetensors file of arrays and JSON, all of it under checksums; the same always gives the same bytes."""
    sealed = seal({**body, "arrays": {name: _checksum(array) for name, array in arrays.items()}})
    return save(dict(arrays), {"zeroply": to_json(sealed, what="checkpoint")})


def unpacked(data: bytes) -> tuple[dict[str, Array], Json]:
    """The arrays, in the order in which they were packed, and the JSON; raises `Damaged` if anything is different."""
    try:
        loaded = load(data)
    except Exception as error:  # a foreign parser on a damaged file: whatever it raises means the same
        raise Damaged("not a safetensors file") from error
    match parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")]):
        case {"__metadata__": {"zeroply": str(text)}}:
            body = unseal(parse_json(text))
        case _:
            raise Damaged("no state in it")
    checksums = body.get("arrays")
    if {name: _checksum(array) for name, array in loaded.items()} != checksums:
        raise Damaged("wrong checksum")
    return {name: loaded[name].copy() for name in checksums}, body  # the loaded ones cannot be written to
