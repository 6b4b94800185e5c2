"""Kept populations as safetensors files, with a SHA-256 of every array, so that a damaged file is known as such.

Files of earlier versions have no checksums: of these only what cannot be read at all is noticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors.numpy import load, save

from zeroply.files import write_atomically
from zeroply.runs.checkpoint import checksum, read_body
from zeroply.runs.files import Damaged, parse_json, read_file, seal, to_json


def write_population(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays of a population; the same arrays always give the same bytes."""
    body = {"arrays": {name: checksum(array) for name, array in arrays.items()}}
    write_atomically(path, save(dict(arrays), {"zeroply": to_json(seal(body), what="population")}))


def read_population(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a population; raises `Damaged` if they are not those that were written."""
    data = read_file(path)
    try:
        arrays = load(data)
    except Exception as error:  # a foreign parser on a damaged file: whatever it raises means the same
        raise Damaged("not a safetensors file") from error
    header = parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])
    if "__metadata__" in header:
        written = read_body(data).get("arrays")
        if {name: checksum(array) for name, array in arrays.items()} != written:
            raise Damaged("wrong checksum")
    return arrays
