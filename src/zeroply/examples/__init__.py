"""Examples of expert moves: datasets built from game records, their splits and batches (paper L, V-A).

    data = Examples.open("data/sets", "unique-s")
    train = data.side(Split(by="game", test=0.05, seed=1), "train")
    planes, moves = Loader(data, train, batch=512, seed=1).batch(0)

An example is a position from the mover's side and the cell that was played; a dataset is a folder.
"""

from __future__ import annotations

from zeroply.examples.dataset import Examples
from zeroply.examples.loader import Loader
from zeroply.examples.manifest import NAMES
from zeroply.examples.split import Split

__all__ = ["NAMES", "Examples", "Loader", "Split"]
