"""A run of evolution or coevolution as a program of its own, to be killed: evolving.py KIND FOLDER WHERE."""

from __future__ import annotations

import sys
from pathlib import Path

from zeroply.learning.coevolution import host_parasite
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig
from zeroply.learning.evolution import evolve
from zeroply.learning.evolution.config import preset
from zeroply.runs import Run

EVOLVE = preset("schaul", net="mdrnn(k=3)", generations=12, games=20, parents=4, offspring=4, seed=5)
COEVOLVE = HostParasiteConfig(net="mdrnn(k=3)", population=6, kept=2, opponents=6, famous=4, generations=30, seed=5)


def main(kind: str, folder: Path, where: str) -> None:
    """Start the run, or go on with it."""
    evolve._SECONDS_BETWEEN_CHECKPOINTS = host_parasite._SECONDS_BETWEEN_CHECKPOINTS = 0.0
    if not (folder / "run.json").exists():
        if kind == "evolve":
            evolve.evolve(EVOLVE, folder, where)
        else:
            host_parasite.coevolve(COEVOLVE, folder, where)
        return
    with Run.open(folder) as run:
        if kind == "evolve":
            evolve.resume(run, where)
        else:
            host_parasite.resume(run, where)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
