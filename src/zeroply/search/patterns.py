"""The tables of the pattern evaluation: a file shipped with the package, fitted by `zeroply patterns fit`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file
from safetensors.numpy import save as to_bytes

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically

SHIPPED = Path(__file__).parent / "shipped" / "othello-patterns.safetensors"
FORMAT = "zeroply-patterns 3"
UNIT = 128
"""Weights are stored in 1/128 of a disc."""
STAGE_PLIES = np.arange(0, 61, 4, dtype=np.int32)
"""The plies at which a fit gives tables; between them they are interpolated."""


@dataclass
class Tables:
    """The tables of the pattern evaluation in discs."""

    plies: NDArray[np.int32]
    """[stages]: plies at which tables are given, from 0 to 60."""
    weights: NDArray[np.float32]
    """[stages, weights of a stage]."""
    bias: NDArray[np.float32]
    """[61] by empty squares."""
    deviations: NDArray[np.float32]
    """[stages, depths]: standard deviation of the error of ProbCut's shallow search."""

    @classmethod
    def zero(cls) -> Tables:
        """All weights 0."""
        stages = len(STAGE_PLIES)
        return cls(
            STAGE_PLIES,
            np.zeros((stages, _core.PATTERN_WEIGHTS), np.float32),
            np.zeros(61, np.float32),
            np.full((stages, _core.PATTERN_DEPTHS), 5.5, np.float32),
        )

    def core(self) -> _core.PatternTables:
        """The tables as the core uses them."""
        return _core.PatternTables(self.plies, in_units(self.weights), in_units(self.bias), self.deviations)

    def save(self, path: str | Path, about: str) -> None:
        """Write a file; `about` says where the tables come from."""
        arrays: dict[str, NDArray[Any]] = {
            "plies": self.plies,
            "weights": in_units(self.weights),
            "bias": in_units(self.bias),
            "deviations": self.deviations,
        }
        # One entry only, because safetensors writes several in any order and equal tables should make equal files.
        about_them = json.dumps({"format": FORMAT, "about": about})
        write_atomically(Path(path), to_bytes(arrays, {"zeroply": about_them}))

    @classmethod
    def load(cls, path: str | Path) -> Tables:
        """Read a file; raises ZeroplyError if it holds no usable tables."""
        arrays, _ = _read(path)
        return cls(
            arrays["plies"],
            arrays["weights"].astype(np.float32) / np.float32(UNIT),
            arrays["bias"].astype(np.float32) / np.float32(UNIT),
            arrays["deviations"],
        )


@cache
def shipped_tables() -> _core.PatternTables:
    """The tables shipped with the package."""
    return load_tables(SHIPPED)


def load_tables(path: str | Path) -> _core.PatternTables:
    """Load tables from a file as the core uses them."""
    return _read(path)[1]


def _read(path: str | Path) -> tuple[dict[str, NDArray[Any]], _core.PatternTables]:
    """The arrays of a file, and what the core makes of them."""
    if not Path(path).is_file():
        raise ZeroplyError(f"there is no file of pattern tables {path}")
    try:
        with safe_open(path, "numpy") as file:
            about = json.loads((file.metadata() or {})["zeroply"])
        if about["format"] != FORMAT:
            raise ValueError(f"its format is {about['format']}, not {FORMAT}")
        arrays = load_file(path)
        core = _core.PatternTables(arrays["plies"], arrays["weights"], arrays["bias"], arrays["deviations"])
        return arrays, core
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ZeroplyError(f"{path} holds no pattern tables or is damaged: {error}") from None


def in_units(discs: NDArray[np.float32]) -> NDArray[np.int16]:
    """Weights in discs, converted to the units of the tables."""
    return np.clip(np.round(discs * UNIT), -32767, 32767).astype(np.int16)
