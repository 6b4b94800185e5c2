"""A run of evolution or coevolution as a program of its own, to be killed: evolving.py KIND FOLDER WHERE."""

from __future__ import annotations

import sys
from pathlib import Path

from zeroply.learning.coevolution import host_parasite, lin_white
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig
from zeroply.learning.coevolution.lin_white import LinWhiteConfig
from zeroply.learning.coevolution.observers import Watch
from zeroply.learning.evolution import evolve
from zeroply.learning.evolution.config import preset
from zeroply.runs import Run

EVOLVE = preset("schaul", net="mdrnn(k=3)", generations=12, games=20, parents=4, offspring=4, seed=5)
COEVOLVE = HostParasiteConfig(net="mdrnn(k=3)", population=6, kept=2, opponents=6, famous=4, generations=30, seed=5)

SPATIAL = LinWhiteConfig(
    net="spatial(layer=queen)",
    population=12,
    opponents=4,
    generations=40,
    keep=1,
    watch=Watch(every=4, strategies=("pieces",), highest=0),
    seed=5,
)


def main(kind: str, folder: Path, where: str) -> None:
    """Start the run, or go on with it."""
    Run.save_due = lambda self, seconds: True  # type: ignore[method-assign]
    if (folder / "run.json").exists():
        go_on = {"evolve": evolve.resume, "coevolve": host_parasite.resume, "lin-white": lin_white.resume}[kind]
        with Run.open(folder) as run:
            go_on(run, where)
    elif kind == "evolve":
        evolve.evolve(EVOLVE, folder, where)
    elif kind == "coevolve":
        host_parasite.coevolve(COEVOLVE, folder, where)
    else:
        lin_white.coevolve(SPATIAL, folder, where)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
