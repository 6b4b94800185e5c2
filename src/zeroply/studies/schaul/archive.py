"""The authors' own results of 2008, as plain arrays in the folder of published data (`schaul-2008`).

They come from the public history of PyBrain: repository pybrain/pybrain, commit 372638d, folders pybrain/tests/drafts
(scripts) and pybrain/tests/temp/stats (results). The project holds none of them; docs/studies.md describes the arrays.
Their nets are `mdrnn(border=distance, distances=1)`: one border vector, added without passing through the hidden
weights, and the opposing stone is the first input.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.games import game as rules
from zeroply.nets import population_net
from zeroply.studies.needs import published
from zeroply.studies.schaul.runs import GAMES, Scores, Weights, authors_form
from zeroply.studies.study import Folders, Scale

FOLDER = "schaul-2008"
"""The name in the folder of published data."""
OPPONENTS = ("random", "naive")
ORIGIN = (
    "docs/studies.md says how to make it from the public history of PyBrain (repository pybrain/pybrain, commit "
    "372638d)"
)
"""Where the folder comes from."""
TRAINED = {
    "p-atarigo-on5": ("Atari-Go", "Coevolution", 5, 9),
    "we1-atarigo-on5": ("Atari-Go", "Coevolution", 5, 9),
    "x-atarigo-es-on5": ("Atari-Go", "Evolution", 5, 9),
    "x-atarigo-es-on7": ("Atari-Go", "Evolution", 7, 11),
    "we2-gomoku-on5": ("Gomoku", "Coevolution", 5, 9),
    "x-gomoku-es-on5": ("Gomoku", "Evolution", 5, 9),
    "x-gomoku-es-on7": ("Gomoku", "Evolution", 7, 11),
}
"""The files of trained nets: the row of table III that each belongs to."""


ARRAYS = {
    "untrained-lstm": ("scores",),
    "untrained-atarigo": ("hidden", "divided_by", "sizes", "scores", "weights"),
    "untrained-gomoku": ("hidden", "divided_by", "sizes", "scores", "weights"),
    "trained": ("score_small", "score_large", "weights"),
    "percentiles": ("game", "opponent", "net", "size", "score"),
}
"""The arrays that each kind of file must have."""


@dataclass(frozen=True)
class Nets:
    """Nets of several sizes with the scores that the authors recorded on two boards."""

    hidden: NDArray[np.int64]
    """[n]: hidden units of each."""
    divided_by: NDArray[np.int64]
    """[n]: 1 for weights from N(0, 1), 10 for a tenth of them."""
    small: Scores
    """[n]: the recorded score on the smaller board."""
    large: Scores
    """[n]: and on the larger one."""
    weights: Weights
    """[n, longest]: the weights, NaN after the last."""

    def __len__(self) -> int:
        return len(self.hidden)

    def __getitem__(self, rows: Any) -> Nets:
        arrays = (self.hidden, self.divided_by, self.small, self.large, self.weights)
        hidden, divided_by, small, large, weights = (array[rows] for array in arrays)
        return Nets(hidden, divided_by, small, large, weights)

    def by_units(self) -> Iterable[tuple[int, NDArray[np.int64], Weights]]:
        """For each number of hidden units: the numbers of its nets, and their weights without padding."""
        for k in np.unique(self.hidden).tolist():
            rows = np.flatnonzero(self.hidden == k)
            yield k, rows, np.ascontiguousarray(self.weights[rows, : k * k + 4 * k])


class Archive:
    """The files, read when they are needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def untrained(self, game: str, opponent: str, small: int, large: int) -> Nets:
        """The nets of a scenario of table I: those that played on both boards."""
        file = self._arrays(f"untrained-{GAMES[game]}-{opponent}")
        sizes = file["sizes"].tolist()
        scores = [file["scores"][:, sizes.index(size)] for size in (small, large)]
        both = np.flatnonzero(~np.isnan(scores[0]) & ~np.isnan(scores[1]))
        return Nets(file["hidden"], file["divided_by"], scores[0], scores[1], file["weights"])[both]

    def trained(self, file: str) -> Nets:
        """The champions of a file; their number of weights tells their hidden units."""
        its = self._arrays(f"trained-{file}")
        count = (~np.isnan(its["weights"])).sum(axis=1)
        hidden = np.round(np.sqrt(count + 4.0) - 2).astype(np.int64)
        return Nets(hidden, np.ones_like(hidden), its["score_small"], its["score_large"], its["weights"])

    def lstm(self, opponent: str) -> tuple[Scores, Scores]:
        """The recorded scores of untrained nets with LSTM cells, Atari-Go 5x5 and 9x9."""
        small, large = self._arrays(f"untrained-lstm-atarigo-{opponent}")["scores"].T
        return small, large

    def percentiles(self, game: str, opponent: str, net: str, size: int) -> Scores:
        """The recorded scores behind figures 3 and 4, all hidden sizes and weight scales together."""
        file = self._percentiles
        wanted = {"game": GAMES[game], "opponent": opponent, "net": net, "size": size}
        rows = np.all([file[name] == value for name, value in wanted.items()], axis=0)
        return np.asarray(file["score"][rows], np.float64)

    @cached_property
    def dominance(self) -> list[dict[str, Any]]:
        """Runs of coevolution: settings in the name, number of champions, generations of the dominant ones."""
        path = self.folder / "dominance.json"
        with explained(f"read {path}"):
            runs: list[dict[str, Any]] = json.loads(path.read_text())
        return runs

    @cached_property
    def _percentiles(self) -> Mapping[str, NDArray[Any]]:
        return self._arrays("percentiles")

    def _arrays(self, name: str) -> Mapping[str, NDArray[Any]]:
        path = self.folder / f"{name}.npz"
        try:
            with explained(f"read {path}"), np.load(path, allow_pickle=False) as file:
                arrays = {key: file[key] for key in file.files}
        except (ValueError, BadZipFile) as reason:
            raise ZeroplyError(f"cannot read {path}: {reason}") from None
        missing = next(
            (key for kind, keys in ARRAYS.items() if name.startswith(kind) for key in keys if key not in arrays), None
        )
        if missing is not None:
            raise ZeroplyError(f"{path} has no array '{missing}': docs/studies.md describes the files of {FOLDER}")
        return arrays


def opened(folders: Folders, scale: Scale) -> Archive:
    """The archive in the folder of data; at the smoke scale a made-up one."""
    return MadeUpArchive() if scale == "smoke" else Archive(published(folders, FOLDER))


class MadeUpArchive(Archive):
    """A few nets with random scores: the archive of the smoke scale, which needs no data."""

    def __init__(self) -> None:
        super().__init__(Path())

    def _arrays(self, name: str) -> Mapping[str, NDArray[Any]]:
        nets, hidden = 6, np.array([1, 5, 1, 5, 1, 5])
        weights = np.full((nets, 45), np.nan, np.float32)
        for row, k in enumerate(hidden.tolist()):
            net = population_net(authors_form(k), rules("atarigo(size=5)"))
            weights[row, : net.parameters] = net.initial(chance.key(row, name))[0]
        key = chance.key(1, name, "scores")
        scores = np.round(2 * chance.uniform(key, np.arange(5 * nets)) - 1, 2).reshape(nets, 5)
        if name == "percentiles":
            cases = [(g, o, n, s) for g in GAMES.values() for o in OPPONENTS for n in ("mdrnn", "mlp") for s in (5, 9)]
            columns = dict(
                zip(("game", "opponent", "net", "size"), map(np.array, zip(*cases, strict=True)), strict=True)
            )
            return {**columns, "score": np.linspace(-1, 1, len(cases))}
        if "lstm" in name:
            return {"scores": scores[:, :2]}
        if name.startswith("trained"):
            return {"score_small": scores[:, 0], "score_large": scores[:, 1], "weights": weights}
        own = {"hidden": hidden, "divided_by": np.array([1, 1, 10, 10, 1, 10]), "sizes": np.array([5, 7, 9, 11, 19])}
        return {**own, "scores": scores, "weights": weights}

    @cached_property
    def dominance(self) -> list[dict[str, Any]]:
        names = ("CompetitiveCoevolution (5+10)-mut0.1", "CompetitiveCoevolution (5,15)-mut0.1")
        return [{"run": name, "champions": 9, "dominance": 4, "generations": [0, 2, 4, 7]} for name in names]
