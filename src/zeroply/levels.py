"""Instruction-set levels of the native core: baseline, v3 (AVX2), v4 (AVX-512).

Float kernels may differ in the last bit between levels, so a run records its level and resumes with it. The level
is the highest the CPU supports, unless `ZEROPLY_LEVEL` or `select` sets another before the core is loaded.
"""

import os
import sys

from zeroply import _cpu
from zeroply.errors import ZeroplyError

VARIABLE = "ZEROPLY_LEVEL"
"""The environment variable that sets the level; child processes inherit it."""


def available() -> list[str]:
    """The levels that the CPU supports and the core was built for, lowest first."""
    return _cpu.levels()


def chosen() -> str:
    """The level of the core, or the one it will have when it is loaded."""
    core = sys.modules.get("zeroply._core")
    if core is not None and hasattr(core, "LEVEL"):
        return str(core.LEVEL)
    levels = available()
    wanted = os.environ.get(VARIABLE) or levels[-1]
    if wanted not in levels:
        raise ZeroplyError(
            f"instruction-set level '{wanted}' is not available on this CPU: choose from {', '.join(levels)}"
        )
    return wanted


def select(level: str) -> None:
    """Set the level before the core is loaded; child processes inherit it."""
    if "zeroply._core" in sys.modules and chosen() != level:
        raise ZeroplyError(
            f"the core is already loaded at level {chosen()}: set {VARIABLE}={level} before starting Python"
        )
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = level
    try:
        chosen()
    except ZeroplyError:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before
        raise
