"""The tables of the pattern evaluation: a file shipped with the package, fitted by `zeroply patterns fit`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from safetensors.numpy import save as to_bytes

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically

SHIPPED = Path(__file__).parent / "shipped" / "othello-patterns.safetensors"
UNIT = 128
"""Weights are stored in 1/128 of a disc."""


@cache
def shipped_tables() -> _core.PatternTables:
    """The tables shipped with the package."""
    return load_tables(SHIPPED)


def load_tables(path: str | Path) -> _core.PatternTables:
    """Load tables from a file."""
    if not Path(path).is_file():
        raise ZeroplyError(f"there is no file of pattern tables {path}")
    try:
        arrays = load_file(path)
        return _core.PatternTables(arrays["weights"], arrays["bias"])
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ZeroplyError(f"{path} holds no pattern tables or is damaged: {error}") from None


def in_units(discs: NDArray[np.float32]) -> NDArray[np.int16]:
    """Weights in discs, converted to the units of the tables."""
    return np.clip(np.round(discs * UNIT), -32767, 32767).astype(np.int16)


def save_tables(path: str | Path, weights: NDArray[np.float32], bias: NDArray[np.float32], about: str) -> None:
    """Write tables given in discs."""
    arrays = {"weights": in_units(weights), "bias": in_units(bias)}
    # One entry only, because safetensors writes several in any order and equal tables should make equal files.
    about_them = json.dumps({"format": "zeroply-patterns 1", "about": about})
    write_atomically(Path(path), to_bytes(arrays, {"zeroply": about_them}))
