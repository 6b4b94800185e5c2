"""Judged positions: a search player, the judge, computes what every move of many positions costs.

Games are lost by rare large errors. An expert's move says nothing about the other moves; a judge says how many discs
each of them loses. Positions are drawn from the training part of a dataset, and some of them stray from it, because a
net does not stay among the positions of experts: by a random move, and then by moves of walkers, which may be the net
to improve and players it should beat. Each position depends only on the seed and its number.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.fingerprints import fingerprints
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Split
from zeroply.files import explained
from zeroply.games import Game, Positions, bits, from_bits, game
from zeroply.games.text import BLACK
from zeroply.nets.encodings import playable
from zeroply.options import DATASET, Dataset
from zeroply.players import Player, player
from zeroply.progress import Progress
from zeroply.runs.checkpoint import Array
from zeroply.runs.driver import Folder, configured, run_experiment
from zeroply.runs.experiment import Experiment, TextTable
from zeroply.runs.files import Json
from zeroply.runs.record import RunRecord
from zeroply.runs.run import Run
from zeroply.specs import parse

KIND = "judge"
UNIT = 0.25
"""Discs that a stored cost of 1 means."""
DEAREST = 254
"""The highest stored cost."""
ILLEGAL = 255
"""Stored where there is no move."""
_BLOCK = 4096
_TRIED = 1_000_000
"""Positions that are drawn before an impossible setting is reported."""
_BOARDS = ("own.u64", "opponent.u64")
_COSTS = "costs.u8"


@dataclass(frozen=True, kw_only=True)
class JudgeConfig:
    """Settings that decide which positions are judged, and how."""

    data: str
    """Folder made by `zeroply data build`; positions come from the training part of one of its sets."""
    dataset: Dataset = DATASET
    """Name of the set."""
    judge: str = "engine(depth=4)"
    """The player that judges; its preferences must be in discs, like those of `engine`."""
    positions: int = 1_000_000
    """Number of positions."""
    until: int = 60
    """Draw only positions up to this move of a game."""
    own: int = 64
    """Draw only positions in which the side to move has at most this many discs."""
    strays: float = 0.5
    """Share of the positions that stray from the examples, first by a random move."""
    stray: int = 2
    """The most moves by which they stray."""
    walkers: tuple[str, ...] = ("random",)
    """The players that make these moves after the first one, such as the net to improve and players it should beat;
    each side is a random one of them."""
    split: Literal["position", "game"] = "game"
    """How the test part is split off, by position or by game, as in the training that will use the positions."""
    test: float = 0.05
    """Share of the test part, which is not judged."""
    split_seed: int = 1
    """Random seed of the split."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if not 1 <= self.positions <= 2**32:
            raise ZeroplyError(f"1 to 2^32 positions can be judged, not {self.positions}")
        if not 0 <= self.strays <= 1:
            raise ZeroplyError(f"strays must be a share from 0 to 1, not {self.strays}")
        if not 1 <= self.stray <= 60:
            raise ZeroplyError(f"stray must be from 1 to 60 moves, not {self.stray}")
        if not self.walkers:
            raise ZeroplyError("positions that stray need a walker")
        if not 1 <= self.until <= 60:
            raise ZeroplyError(f"until must be a move from 1 to 60, not {self.until}")
        if not 1 <= self.own <= 64:
            raise ZeroplyError(f"own must be from 1 to 64 discs, not {self.own}")

    def origin(self) -> dict[str, Any]:
        """Settings for the metadata of a net that learns from these positions, without folders and files."""
        names = ("judge", "positions", "until", "own", "strays", "stray")
        walkers = [parse(one).name for one in self.walkers]
        return {**{name: getattr(self, name) for name in names}, "walkers": walkers}


@dataclass(frozen=True, eq=False)
class JudgedPositions:
    """Judged positions, memory-mapped."""

    folder: Path
    """Folder of the run."""
    config: JudgeConfig
    """Settings of the run."""
    digest: str
    """Digest of the examples they were drawn from."""
    own: NDArray[np.uint64]
    """[n]: discs of the side to move."""
    opponent: NDArray[np.uint64]
    """[n]: discs of the other side."""
    stored: NDArray[np.uint8]
    """[n, moves]: the cost of each move in units of `UNIT` discs, at most `DEAREST`; `ILLEGAL` for illegal moves."""

    @classmethod
    def open(cls, folder: Folder) -> JudgedPositions:
        """The positions of a finished run of `zeroply data judge`."""
        record = Run.read(folder)
        if record.info.kind != KIND:
            raise ZeroplyError(f"{folder} is a run of kind '{record.info.kind}', not of judged positions")
        if not record.finished:
            raise ZeroplyError(f"{folder} is not finished: resume it with: {record.resume_command}")
        return cls.of(record)

    @classmethod
    def of(cls, record: RunRecord) -> JudgedPositions:
        """The positions of a run that has all of them."""
        config = record.config(JudgeConfig)
        digest = record.info.inputs.get(config.data)
        if digest is None:  # then positions may have strayed to the test part
            raise ZeroplyError(f"{record.folder} does not record which examples its positions come from: judge again")
        own, opponent = (_mapped(record.folder / name, "<u8", (config.positions,)) for name in _BOARDS)
        costs = _mapped(record.folder / _COSTS, "u1", (config.positions, len(playable(game("othello")))))
        return cls(record.folder, config, digest, own, opponent, costs)

    def __len__(self) -> int:
        return len(self.own)

    def costs(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """[n, moves]: how many discs each move loses; infinite for illegal moves."""
        stored = self.stored[rows]
        return np.where(stored == ILLEGAL, np.float32(np.inf), stored * np.float32(UNIT))


def _mapped(path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    with explained(f"read {path}"):
        if path.stat().st_size != math.prod(shape) * np.dtype(dtype).itemsize:
            raise ZeroplyError(f"{path} is damaged: it does not hold {shape[0]:,} positions; judge again")
        return np.memmap(path, dtype, "r", shape=shape)


class Judging(Experiment[JudgeConfig, JudgedPositions]):
    """Let a search player evaluate every move of many positions, for `zeroply train --judged`.

    Example: zeroply data judge --data data/sets --judge "engine(depth=4)" --positions 1000000 --run runs/judged
    """

    kind = KIND
    config_type = JudgeConfig
    unit = "positions"
    game = "othello"

    @contextmanager
    def resources(self) -> Iterator[None]:
        config = self.config
        self.data = Examples.open(config.data, config.dataset)
        self.judge = player(config.judge, self.data.game)
        self.walkers = [player(spec, self.data.game) for spec in config.walkers]
        yield

    def inputs(self) -> dict[str, str]:
        players = fingerprints([self.config.judge, *self.config.walkers], "othello")
        return {self.config.data: self.data.digest, **players}

    def start(self) -> None:
        self._begin(0, 0)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        """Continue after a block; positions that a killed process wrote after it are cut off."""
        self._begin(state["done"], state["drawn"])

    def _begin(self, done: int, drawn: int) -> None:
        config, data = self.config, self.data
        split = Split(by=config.split, test=config.test, seed=config.split_seed)
        self._rows = _until(config.until, data, data.side(split, "train"))
        self._tested = np.sort(_orbits(data.game, *data.take(data.side(split, "test"))[:2]))
        self._done, self._drawn = done, drawn
        self._sizes = {**dict.fromkeys(_BOARDS, 8), _COSTS: len(playable(data.game))}
        for name, size in self._sizes.items():
            with open(self.recording.folder / name, "ab") as file:
                file.truncate(done * size)

    def step(self) -> None:
        config, game = self.config, self.data.game
        numbers = np.arange(self._drawn, self._drawn + _BLOCK)
        positions, strayed = _drawn(config, self.data, self._rows, self.walkers, numbers)
        own, opponent = bits(positions)
        wanted = np.bitwise_count(own) <= config.own
        wanted[strayed] &= ~np.isin(_orbits(game, own[strayed], opponent[strayed]), self._tested)
        positions = positions[np.flatnonzero(wanted)[: config.positions - self._done]]
        arrays: list[NDArray[Any]] = [*bits(positions), _costs(self.judge, positions)]
        for name, array in zip(self._sizes, arrays, strict=True):
            with open(self.recording.folder / name, "ab") as file:
                file.write(array.tobytes())
                file.flush()
                os.fsync(file.fileno())
        self._done, self._drawn = self._done + len(positions), self._drawn + _BLOCK
        if self._drawn >= _TRIED and not self._done:
            raise ZeroplyError(f"none of {self._drawn:,} positions has at most {config.own} discs of the side to move")

    @property
    def done(self) -> int:
        return self._done

    @property
    def total(self) -> int:
        return self.config.positions

    def state(self) -> Json:
        return {"done": self._done, "drawn": self._drawn}

    @classmethod
    def read(cls, record: RunRecord) -> JudgedPositions:
        return JudgedPositions.of(record)

    def summary(self, result: JudgedPositions) -> Json:
        return {"positions": len(result)}

    @classmethod
    def to_json(cls, result: JudgedPositions) -> Json:
        return {"folder": str(result.folder), "positions": len(result)}

    @classmethod
    def report(cls, result: JudgedPositions) -> list[str | TextTable]:
        return [f"{len(result):,} positions judged in {result.folder}"]


def judge(
    config: JudgeConfig | None = None,
    *,
    run: Folder,
    progress: Progress | None = None,
    threads: int | None = None,
    **settings: object,
) -> JudgedPositions:
    """Judge positions in the new folder `run`; `settings` are fields of `JudgeConfig`."""
    experiment = Judging(configured(JudgeConfig, config, settings))
    return run_experiment(experiment, run, progress=progress, threads=threads)


def _until(move: int, data: Examples, rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The rows up to this move of a game."""
    own, opponent, _ = data.take(rows)
    chosen: NDArray[np.uint32] = rows[np.bitwise_count(own | opponent) < 4 + move]
    if not len(chosen):
        raise ZeroplyError(f"there are no examples up to move {move}")
    return chosen


def _drawn(
    config: JudgeConfig, data: Examples, rows: NDArray[np.uint32], walkers: Sequence[Player], numbers: NDArray[np.int64]
) -> tuple[Positions, NDArray[np.int64]]:
    """The positions with these numbers, and which of them have strayed; a move that would end the game is not made."""
    keys = chance.keys(chance.key(config.seed, KIND), numbers)
    chosen = rows[chance.below(len(rows), keys, 0)]
    own, opponent, _ = data.take(chosen)
    positions = from_bits(data.game, own, opponent, data.black(chosen))
    strays = np.where(chance.uniform(keys, 1) < config.strays, chance.below(config.stray, keys, 2) + 1, 0)
    strayed = np.flatnonzero(strays)
    black, white = (chance.below(len(walkers), keys, counter) for counter in (3, 4))
    random = [player("random", data.game)]
    for step in range(config.stray):
        movers = walkers if step else random
        walking = np.where(positions.to_move() == BLACK, black, white) % len(movers)
        for number, mover in enumerate(movers):
            moving = np.flatnonzero((strays > step) & (walking == number))
            moved = positions[moving].after(mover.choose(positions[moving], chance.keys(keys[moving], step)))
            under_way = ~moved.over()
            positions[moving[under_way]] = moved[under_way]
            strays[moving[~under_way]] = 0
    return positions, strayed


def _orbits(rules: Game, own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """[n]: a hash of each position that is the same for all its symmetric images."""
    positions = from_bits(rules, own, opponent)
    smallest: NDArray[np.uint64] = np.min(
        [positions.symmetry(image).hash() for image in range(len(positions.game.symmetries))], axis=0
    )
    return smallest


def _costs(its_judge: Player, positions: Positions) -> NDArray[np.uint8]:
    """[n, moves]: costs as they are stored."""
    scores = its_judge.prefer_all(positions)[:, playable(positions.game)]
    with np.errstate(invalid="ignore"):
        costs = np.minimum(np.round((scores.max(axis=1, keepdims=True) - scores) / UNIT), DEAREST)
    return np.where(np.isfinite(scores), costs, ILLEGAL).astype(np.uint8)
