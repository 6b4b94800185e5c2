"""Studies at the smoke scale, measured once for all tests of a file, whichever worker runs them."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

from zeroply.studies import Report
from zeroply.studies.running import run_study, study_folder

Smoke = Callable[[str], tuple[Path, Report]]
"""From the name of a study to the folder of its results and its report."""


def smoke_in(results: Path) -> Smoke:
    """Runs studies in a folder that they share."""
    done: dict[str, tuple[Path, Report]] = {}

    def find(name: str) -> tuple[Path, Report]:
        if name not in done:
            with open(results / "in-use", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # test workers take turns; what one has measured the next one takes
                done[name] = study_folder(name, "smoke", 1, results), run_study(name, folder=results)
        return done[name]

    return find
