"""Saved populations as safetensors files, with a SHA-256 of every array, so that damage is detected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from zeroply.files import write_atomically
from zeroply.runs.checkpoint import packed, unpacked
from zeroply.runs.files import read_file


def write_population(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays of a population; the same arrays always give the same bytes."""
    write_atomically(path, packed(arrays, {}))


def read_population(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a population; raises `Damaged` if they differ from what was written."""
    return unpacked(read_file(path))[0]
