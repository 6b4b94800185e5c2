"""The machine that something was measured on, in words."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from zeroply import levels


def hardware(torch: bool = False) -> str:
    """Cores, processor and instruction-set level of this machine; with `torch` also its version and GPU."""
    words = f"{os.cpu_count()} cores, {_processor()}, level {levels.chosen()}"
    if not torch or find_spec("torch") is None:
        return words
    from zeroply.nets.torch_net import device

    place = device()
    gpu = f" on {_torch().cuda.get_device_name(place)}" if place.type == "cuda" else ""
    return f"{words}, torch {_torch().__version__}{gpu}"


def _torch() -> Any:
    return import_module("torch")


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
