"""The champions of a run that evolves population nets: the best net of every generation.

A run has them all in its checkpoints, as one matrix with a row per generation; a run with large nets and many
generations writes some of them as files instead. Any of them can be written as an ordinary net file (`zeroply champion
RUN --generation 20 --out FILE`), which then works like any other net file. A finished run holds its last
champion as `champion.safetensors`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import nets
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.nets.files import SUFFIX, read
from zeroply.nets.population import VECTOR, Member, PopulationNet
from zeroply.runs import Run
from zeroply.runs.checkpoint import checkpoint_files, read_checkpoint
from zeroply.runs.files import Damaged
from zeroply.runs.record import CHECKPOINTS_NAME
from zeroply.specs import Spec

ARRAY = "champions"
"""The name of the matrix in a checkpoint."""
FILE = "champion.safetensors"
"""The net file of the last champion, in the folder of a run."""
POPULATIONS = "populations"
"""Folder of saved generations in the folder of a run."""
SHOWN = 10
"""How many generations are named."""
_WRITTEN = re.compile(r"champion-([0-9]+)\.safetensors")


@dataclass(frozen=True)
class Champions:
    """The champions of a run so far."""

    folder: Path
    """The folder of the run."""
    game: Game
    """The game they play."""
    net: PopulationNet
    """Their architecture."""
    numbers: list[int]
    """Their generations, rising."""
    weights: NDArray[np.float32]
    """[n, parameters]."""
    save_every: int = 1
    """Generations between two saved champions; the last one is saved too."""

    def __len__(self) -> int:
        return len(self.weights)

    def of(self, generation: int) -> NDArray[np.float32]:
        """[parameters]: the champion of a generation."""
        if generation not in self.numbers:
            why = (
                "" if self.save_every == 1 else f": one is saved every {self.save_every} generations, see --save-every"
            )
            raise ZeroplyError(
                f"{self.folder} has champions of generations {_listed(self.numbers)}, not of {generation}{why}"
            )
        return np.asarray(self.weights[self.numbers.index(generation)])

    def save(self, path: str | os.PathLike[str], generation: int | None = None) -> Path:
        """Write the champion of a generation (by default the last) as a net file."""
        number = self.numbers[-1] if generation is None else generation
        return save_champion(path, self.net, self.of(number), {"run": self.folder.name, "generation": number})


def champions(folder: str | os.PathLike[str]) -> Champions:
    """The champions of a run, which may be unfinished."""
    record = Run.read(folder)
    weights = _in_checkpoint(record.folder)
    written = {} if weights is not None else _written(record.folder)
    config = record.info.config
    if weights is None and not written:
        if "save_every" in config:
            first = min(config["save_every"], config["generations"])
            raise ZeroplyError(
                f"{folder} holds no champions yet: the first is that of generation {first}, see --save-every"
            )
        raise ZeroplyError(
            f"{folder} holds no champions: it is not a run of evolution or coevolution, or has just started"
        )
    rules = game(config.get("game", "othello"))
    net = nets.population_net(config["net"], rules)
    if weights is None:
        weights = np.stack([read(str(path))[1][VECTOR] for path in written.values()])
    numbers = list(written) or list(range(1, len(weights) + 1))
    vectors = net.checked(np.asarray(weights, np.float32))
    return Champions(record.folder, rules, net, numbers, vectors, config.get("save_every", 1))


def _listed(numbers: list[int]) -> str:
    """Generations as text."""
    if numbers == list(range(1, len(numbers) + 1)):
        return f"1 to {len(numbers)}"
    some = numbers if len(numbers) <= SHOWN else [*numbers[: SHOWN - 1], "...", numbers[-1]]
    return ", ".join(map(str, some))


def written_champion(folder: Path, generation: int) -> Path:
    """Where a run that writes champions as files has that of a generation."""
    return folder / POPULATIONS / f"champion-{generation:06}{SUFFIX}"


def _in_checkpoint(folder: Path) -> NDArray[np.float32] | None:
    for path in checkpoint_files(folder / CHECKPOINTS_NAME):
        with suppress(Damaged):
            return read_checkpoint(path).arrays.get(ARRAY)
    return None


def _written(folder: Path) -> dict[int, Path]:
    """Champions that were written as files, by generation."""
    try:
        paths = [path for path in (folder / POPULATIONS).iterdir() if path.is_file()]
    except OSError:
        return {}
    return dict(sorted((int(match[1]), path) for path in paths if (match := _WRITTEN.fullmatch(path.name))))


def save_champion(
    path: str | os.PathLike[str], net: PopulationNet, vector: NDArray[np.float32], training: Mapping[str, object]
) -> Path:
    """Write one member as a net file."""
    nets.save(Member(net, {VECTOR: vector}), path, training)
    return Path(path)


def player_of(path: str | os.PathLike[str]) -> Spec:
    """A champion's file as a player."""
    return Spec("net", os.fspath(path))
