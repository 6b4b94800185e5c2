"""What every move of a position costs, said by a player that looks ahead, as a run.

Games are lost by rare large errors. An expert's move tells which move was made, and nothing about the others; a judge
says how many discs each of them gives away. Positions are drawn from the training side of a dataset, and some of them
stray from it, because a net does not stay among the positions of experts: by a random move, and then by moves of
walkers, which may be the net that is to be improved and players it should beat. Each position depends only on the seed
and its number, so a killed run ends with the same costs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, levels
from zeroply.arena.unchanged import STORED, check_unchanged, fingerprints
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Split
from zeroply.files import explained
from zeroply.games import Game, Positions, bits, from_bits, game
from zeroply.games.text import BLACK
from zeroply.nets.encodings import playable
from zeroply.options import DATASET, Dataset
from zeroply.players import Player, player
from zeroply.runs import Run, RunRecord, restored, stored
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
"""Positions after which it is given up to find one that is wanted."""
_BOARDS = ("own.u64", "opponent.u64")
_COSTS = "costs.u8"

Progress = Callable[[int, int], None]
"""Called with the positions done and the positions in all."""


@dataclass(frozen=True, kw_only=True)
class JudgeConfig:
    """Everything that decides which positions are judged, and how."""

    data: str
    """Folder made by `zeroply data build`; positions come from the training side of one of its sets."""
    dataset: Dataset = DATASET
    """Which of its sets."""
    judge: str = "engine(depth=4)"
    """The player that judges; its preferences must be discs, as those of `engine` are."""
    positions: int = 1_000_000
    """How many positions are judged."""
    until: int = 60
    """The last move of games whose positions are drawn: with 10, those in which one of the first ten is to be made."""
    own: int = 64
    """The most discs that the side to move has: with few, it may soon lose them all, and the game with them."""
    strays: float = 0.5
    """Share of the positions that leave the examples, by a random move first."""
    stray: int = 2
    """Most moves by which they leave the examples."""
    walkers: tuple[str, ...] = ("random",)
    """The players that make those moves after the first, such as the net that is to be improved and some that it should
    beat: each side is one of them, by lot."""
    split: Literal["position", "game"] = "game"
    """What is kept for the test, positions or games, as in the training that will use it; only the rest is judged."""
    test: float = 0.05
    """Share that is kept for the test."""
    split_seed: int = 1
    """What the split comes from."""
    seed: int = 0
    """What all chance comes from."""

    def __post_init__(self) -> None:
        if not 1 <= self.positions <= 2**32:
            raise ZeroplyError(f"1 to 2^32 positions can be judged, not {self.positions}")
        if not 0 <= self.strays <= 1:
            raise ZeroplyError(f"strays is a share, from 0 to 1, not {self.strays}")
        if not 1 <= self.stray <= 60:
            raise ZeroplyError(f"positions stray by 1 to 60 moves, not {self.stray}")
        if not self.walkers:
            raise ZeroplyError("positions that stray need a walker")
        if not 1 <= self.until <= 60:
            raise ZeroplyError(f"the last move is 1 to 60, not {self.until}")
        if not 1 <= self.own <= 64:
            raise ZeroplyError(f"the side to move has 1 to 64 discs, not {self.own}")

    def told(self) -> dict[str, Any]:
        """What a net that learned from these positions tells of them: all but folders and files."""
        names = ("judge", "positions", "until", "own", "strays", "stray")
        walkers = [parse(one).name for one in self.walkers]
        return {**{name: getattr(self, name) for name in names}, "walkers": walkers}


@dataclass(frozen=True, eq=False)
class Judged:
    """Judged positions, memory-mapped."""

    config: JudgeConfig
    """Which positions they are, and who judged them."""
    digest: str
    """That of the examples they were drawn from."""
    own: NDArray[np.uint64]
    """[n]: discs of the side to move."""
    opponent: NDArray[np.uint64]
    """[n]: discs of the other side."""
    stored: NDArray[np.uint8]
    """[n, moves]: the cost of each move in units of `UNIT` discs, at most `DEAREST`; `ILLEGAL` where it is none."""

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Judged:
        """The positions of a finished run of `zeroply data judge`."""
        record = Run.read(folder)
        if record.info.kind != KIND:
            raise ZeroplyError(f"{folder} is a run of kind '{record.info.kind}', not of judged positions")
        if not record.finished:
            raise ZeroplyError(f"{folder} is not finished: go on with: {record.resume_command}")
        config, digest = _config(record)
        own, opponent = (_mapped(Path(folder) / name, "<u8", (config.positions,)) for name in _BOARDS)
        moves = len(playable(game("othello")))
        return cls(config, digest, own, opponent, _mapped(Path(folder) / _COSTS, "u1", (config.positions, moves)))

    def __len__(self) -> int:
        return len(self.own)

    def costs(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """[n, moves]: what each move gives away, in discs; infinite where there is no move."""
        stored = self.stored[rows]
        return np.where(stored == ILLEGAL, np.float32(np.inf), stored * np.float32(UNIT))


def _mapped(path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    with explained(f"read {path}"):
        if path.stat().st_size != math.prod(shape) * np.dtype(dtype).itemsize:
            raise ZeroplyError(f"{path} is damaged: it does not hold {shape[0]:,} positions; judge again")
        return np.memmap(path, dtype, "r", shape=shape)


def judge(config: JudgeConfig, folder: str | os.PathLike[str], progress: Progress | None = None) -> Judged:
    """Judge positions as a run in a new folder."""
    settings = {**stored(config), "digest": _examples(config).digest, STORED: _players(config)}
    with Run.create(folder, kind=KIND, config=settings, seed=config.seed, level=levels.chosen()) as run:
        return _judge(config, run, progress)


def resume(run: Run, progress: Progress | None = None) -> Judged:
    """Go on with judging from where its run stands."""
    config, digest = _config(run)
    if not run.finished:
        if _examples(config).digest != digest:
            raise ZeroplyError(f"the examples in {config.data} are not those that {run.folder} was started with")
        check_unchanged(run, _players(config))
    return _judge(config, run, progress)


def _players(config: JudgeConfig) -> list[str]:
    """The fingerprints of the judge and the walkers."""
    return fingerprints([config.judge, *config.walkers], "othello")


def _config(record: RunRecord) -> tuple[JudgeConfig, str]:
    """What a run was started with, and the digest of its examples."""
    settings = dict(record.info.config)
    digest: str = settings.pop("digest", "")
    settings.pop(STORED, None)  # finished runs of earlier versions have none
    with record.understood():
        config = restored(JudgeConfig, settings, record.info.seed)
    if not digest:  # then positions may have strayed to the test side
        raise ZeroplyError(f"{record.folder} does not say which examples its positions come from: judge again")
    return config, digest


def _examples(config: JudgeConfig) -> Examples:
    return Examples.open(config.data, config.dataset)


def _judge(config: JudgeConfig, run: Run, progress: Progress | None) -> Judged:
    if run.finished:
        return Judged.open(run.folder)
    data = _examples(config)
    split = Split(by=config.split, test=config.test, seed=config.split_seed)
    rows = _until(config.until, data, data.side(split, "train"))
    tested = np.sort(_orbits(data.game, *data.take(data.side(split, "test"))[:2]))
    its_judge, walkers = player(config.judge, data.game), [player(spec, data.game) for spec in config.walkers]
    done, drawn = (run.state["done"], run.state["drawn"]) if run.state else (0, 0)
    moves = len(playable(data.game))
    sizes = {**dict.fromkeys(_BOARDS, 8), _COSTS: moves}
    for name, size in sizes.items():
        with open(run.folder / name, "ab") as file:
            file.truncate(done * size)
    while done < config.positions:
        positions, strayed = _drawn(config, data, rows, walkers, np.arange(drawn, drawn + _BLOCK))
        own, opponent = bits(positions)
        wanted = np.bitwise_count(own) <= config.own
        wanted[strayed] &= ~np.isin(_orbits(data.game, own[strayed], opponent[strayed]), tested)
        positions = positions[np.flatnonzero(wanted)[: config.positions - done]]
        arrays: list[NDArray[Any]] = [*bits(positions), _costs(its_judge, positions)]
        for name, array in zip(sizes, arrays, strict=True):
            with open(run.folder / name, "ab") as file:
                file.write(array.tobytes())
                file.flush()
                os.fsync(file.fileno())
        done, drawn = done + len(positions), drawn + _BLOCK
        if drawn >= _TRIED and not done:
            raise ZeroplyError(f"none of {drawn:,} positions has at most {config.own} discs of the side to move")
        run.save({"done": done, "drawn": drawn})
        if progress:
            progress(done, config.positions)
    run.finish({"positions": done})
    return Judged.open(run.folder)


def _until(move: int, data: Examples, rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Those of the rows in which this move or an earlier one is to be made."""
    own, opponent, _ = data.take(rows)
    found: NDArray[np.uint32] = rows[np.bitwise_count(own | opponent) < 4 + move]
    if not len(found):
        raise ZeroplyError(f"there are no examples up to move {move}")
    return found


def _drawn(
    config: JudgeConfig, data: Examples, rows: NDArray[np.uint32], walkers: Sequence[Player], numbers: NDArray[np.int64]
) -> tuple[Positions, NDArray[np.int64]]:
    """The positions with these numbers, and which of them have strayed from examples; games that would end stay."""
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
            going_on = ~moved.over()
            positions[moving[going_on]] = moved[going_on]
            strays[moving[~going_on]] = 0
    return positions, strayed


def _orbits(the_game: Game, own: NDArray[np.uint64], opponent: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """[n]: a number for each position that is the same for all its images."""
    positions = from_bits(the_game, own, opponent)
    found: NDArray[np.uint64] = np.min(
        [positions.symmetry(image).hash() for image in range(len(positions.game.symmetries))], axis=0
    )
    return found


def _costs(its_judge: Player, positions: Positions) -> NDArray[np.uint8]:
    """[n, moves]: as they are stored."""
    scores = its_judge.prefer_all(positions)[:, playable(positions.game)]
    with np.errstate(invalid="ignore"):
        costs = np.minimum(np.round((scores.max(axis=1, keepdims=True) - scores) / UNIT), DEAREST)
    return np.where(np.isfinite(scores), costs, ILLEGAL).astype(np.uint8)
