"""The champions of a run that evolves population nets: the best net of every generation.

A run keeps them all in its checkpoints, as one matrix with a row for each generation. Any of them can be written as an
ordinary net file (`zeroply champion RUN --generation 20 --out FILE`), which then plays, is rated and looked at like
every net. A finished run holds its last champion as `champion.safetensors`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import nets
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.nets.population import VECTOR, Member, PopulationNet
from zeroply.runs import Run
from zeroply.runs.checkpoint import checkpoint_files, read_checkpoint
from zeroply.runs.files import Damaged
from zeroply.runs.record import CHECKPOINTS_NAME, RunRecord
from zeroply.specs import Spec

ARRAY = "champions"
"""The name of the matrix in a checkpoint."""
FILE = "champion.safetensors"
"""The net file of the last champion, in the folder of a run."""


@dataclass(frozen=True)
class Champions:
    """The champions of a run so far."""

    folder: Path
    """The folder of the run."""
    game: Game
    """The game they play."""
    net: PopulationNet
    """Their architecture."""
    weights: NDArray[np.float32]
    """[generations, parameters]: row 0 is the champion of generation 1."""

    def __len__(self) -> int:
        return len(self.weights)

    def save(self, path: str | os.PathLike[str], generation: int | None = None) -> Path:
        """Write the champion of a generation (by default the last) as a net file."""
        number = len(self) if generation is None else generation
        if not 1 <= number <= len(self):
            raise ZeroplyError(f"{self.folder} has champions of generations 1 to {len(self)}, not of {number}")
        return save_champion(path, self.net, self.weights[number - 1], {"run": self.folder.name, "generation": number})


def champions(folder: str | os.PathLike[str]) -> Champions:
    """The champions of a run, which may still be going on."""
    record = Run.read(folder)
    for path in checkpoint_files(record.folder / CHECKPOINTS_NAME):
        try:
            found = read_checkpoint(path).arrays
        except Damaged:
            continue
        if ARRAY in found:
            return _champions(record, np.asarray(found[ARRAY], np.float32))
        break
    raise ZeroplyError(f"{folder} holds no champions: it is no run of evolution or coevolution, or has just begun")


def _champions(record: RunRecord, weights: NDArray[np.float32]) -> Champions:
    the_game = game(record.info.config["game"])
    net = nets.population_net(record.info.config["net"], the_game)
    return Champions(record.folder, the_game, net, net.checked(weights))


def save_champion(
    path: str | os.PathLike[str], net: PopulationNet, vector: NDArray[np.float32], training: Mapping[str, object]
) -> Path:
    """Write one member as a net file."""
    nets.save(Member(net, {VECTOR: vector}), path, training)
    return Path(path)


def player_of(path: str | os.PathLike[str]) -> Spec:
    """A champion's file as a player."""
    return Spec("net", os.fspath(path))
