"""Positions per second of the loader alone: batches with random symmetries, as planes.

Measured on a given dataset, or on one built from the shipped games.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from zeroply.bench import LARGEST
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Loader, Split
from zeroply.examples.build import build
from zeroply.examples.sources import SHIPPED_NAME
from zeroply.nets.encodings import PLANES

TRIALS = 10  # short, because the machine may have other load


@dataclass(frozen=True)
class LoaderSpeed:
    """One measured figure."""

    what: str
    """The output: bitboards, or the planes of an encoding."""
    positions_per_second: float
    """Best of several trials."""


def loader_speeds(folder: Path | None, name: str, batch: int, seconds: float) -> list[LoaderSpeed]:
    """The loader's speed for bitboards and every encoding, and with its background thread."""
    if not (seconds > 0 and 1 <= batch <= LARGEST):
        raise ZeroplyError(f"a benchmark needs seconds above 0 and a batch of 1 to {LARGEST:,} positions")
    if folder is None:
        with tempfile.TemporaryDirectory() as own:
            build(SHIPPED_NAME, Path(own) / "sets")
            return _speeds(Examples.open(Path(own) / "sets", name), batch, seconds)
    return _speeds(Examples.open(folder, name), batch, seconds)


def _speeds(data: Examples, batch: int, seconds: float) -> list[LoaderSpeed]:
    rows = data.side(Split(by="position", test=0.05, seed=1), "train")
    loaders = {encoding: Loader(data, rows, batch=batch, encoding=encoding, symmetries=True) for encoding in PLANES}
    speeds = [LoaderSpeed("bit boards", _measure(loaders["pieces"].bits, seconds))]
    speeds += [LoaderSpeed(encoding, _measure(loader.batch, seconds)) for encoding, loader in loaders.items()]
    ahead = loaders["pieces"].from_step(0)
    speeds.append(LoaderSpeed("pieces, background thread", _measure(lambda step: next(ahead), seconds)))
    return speeds


def _measure(make: Callable[[int], tuple[NDArray[Any], ...]], seconds: float) -> float:
    best, step = 0.0, 0
    for _ in range(TRIALS):
        made, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds / TRIALS:
            made += len(make(step)[0])
            step += 1
        best = max(best, made / spent)
    return best
