"""The place of this process among the processes that torchrun has started, without importing torch."""

from __future__ import annotations

import os


def size() -> int:
    """Number of processes that train together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def beside() -> int:
    """Number of them on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def leads() -> bool:
    """Whether this process records the run; true for a single process."""
    return size() == 1 or int(os.environ.get("RANK", "0")) == 0
