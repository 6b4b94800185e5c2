"""The machine that something was measured on, in words."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from zeroply import levels


def hardware() -> str:
    """Cores, processor and instruction-set level of this machine."""
    return f"{os.cpu_count()} cores, {_processor()}, level {levels.chosen()}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
