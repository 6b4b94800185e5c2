"""Stand-in programs as players: their specs, their processes, and what they were sent."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from zeroply.specs import literal

ENGINES = Path(__file__).parent / "engines"


class Bench:
    """Makes the specs of stand-ins, and knows all their processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.once = folder / "once"
        self._pids = folder / "pids"

    def spec(self, protocol: str, game: str, arguments: str = "", **keys: float | str) -> str:
        """A stand-in with the given arguments, as a player."""
        words = [sys.executable, str(ENGINES / f"{protocol}_engine.py"), "--pids", str(self._pids)]
        if protocol == "gtp":
            words.append(f"'{game}'")
        options = {**({"level": 7} if protocol == "edax" else {}), **keys}
        extra = "".join(f", {key}={value}" for key, value in options.items())
        return f"{protocol}({literal(' '.join([*words, arguments]))}{extra})"

    def pids(self) -> list[int]:
        """Every process that was started, grandchildren too."""
        return [int(line) for line in self._pids.read_text().split()] if self._pids.exists() else []

    def left(self) -> list[int]:
        """The processes that are still there, our zombies included, by id and by a look at all command lines."""
        left = [pid for pid in self.pids() if there(pid)]
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self._pids).encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                    left.append(int(entry.parent.name))
            except OSError:
                continue
        return left

    def gone_within(self, seconds: float) -> bool:
        """Whether all processes go away."""
        deadline = time.monotonic() + seconds
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.02)
        return not self.left()

    def told(self) -> list[list[str]]:
        """The lines each process was told, without the process ids."""
        by_process: dict[str, list[str]] = {}
        for line in self.log.read_text().splitlines():
            pid, _, text = line.partition(" ")
            by_process.setdefault(pid, []).append(text)
        return list(by_process.values())


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Stand-ins; afterwards none may be left, nor any child of this process that was not there before."""
    before = children()
    made = Bench(tmp_path)
    yield made
    assert made.left() == []
    assert children() <= before


def there(pid: int) -> bool:
    """Whether a process exists; one that was not ours and is dead does not, whether or not it has been reaped."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return False
    return state != "Z" or int(parent) == os.getpid()


def children() -> set[int]:
    """The children of this process, zombies included."""
    return {int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}
