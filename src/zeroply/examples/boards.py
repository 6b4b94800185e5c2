"""Examples of any game but Othello on 8x8, as plain arrays of boards: the datasets original and unique.

Each example is stored once as its board, its move, and two hashes: of the position, and of all its images under the
symmetries of the game. Where Othello has the -s datasets, training shows examples under random symmetries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.examples.dataset import Examples, check_built_together, mapped
from zeroply.examples.loader import Batch, Loader, epoch_keys
from zeroply.examples.manifest import GAMES, Manifest, file_digest, read_manifest
from zeroply.examples.sources import SourceFile
from zeroply.examples.split import NEITHER, TEST, TRAIN, Split, drawn_games
from zeroply.games import Game, Positions
from zeroply.nets.encodings import planes_of
from zeroply.progress import Progress
from zeroply.records import GameRecord, load, scan
from zeroply.records.record import Lockstep

if TYPE_CHECKING:
    from zeroply.examples.dataset import Bits

STONES, WHITE, CAPTURED, KO, MOVE = "stones.i8", "white.u8", "captured.i16", "ko.i16", "move.i16"
POSITION, ORBIT = "position.u64", "orbit.u64"
TRANSCRIPTS = "transcripts.u64"
"""The file of `original` with a hash of each game, the same for its images."""
ROWS = "row.u32"
"""The file of `unique` with the number of each of its examples in `original`."""
Arrays = dict[str, NDArray[Any]]


def dtypes(manifest: Manifest, cells: int) -> dict[str, tuple[str, int]]:
    """The dtype and length of each array of a dataset."""
    n = manifest.stored
    if manifest.name == "unique":
        return {ROWS: ("<u4", n)}
    return {
        STONES: ("i1", n * cells),
        WHITE: ("u1", n),
        CAPTURED: ("<i2", 2 * n),
        KO: ("<i2", n),
        MOVE: ("<i2", n),
        POSITION: ("<u8", n),
        ORBIT: ("<u8", n),
        GAMES: ("<i8", manifest.games + 1),
        TRANSCRIPTS: ("<u8", manifest.games),
    }


@dataclass(frozen=True)
class BoardGames:
    """Games as arrays, and what the datasets hold."""

    game: Game
    """The game."""
    arrays: Arrays
    """The arrays of `original`."""
    rows: NDArray[np.uint32]
    """The examples of `unique`: where each occurs first."""
    predictable: tuple[int, int]
    """How many examples of `original` and of `unique` are right if each position's most frequent move is predicted."""
    sources: list[SourceFile]
    """The files."""

    @property
    def digest(self) -> str:
        """Equal for the same games in the same order."""
        return f"{chance.key(0, 'transcripts', *self.arrays[TRANSCRIPTS].tolist()):016x}"


def read_boards(files: Sequence[Path], skip_bad: bool, report: Progress) -> BoardGames:
    """All games of some files, which must be of one game."""
    records: list[GameRecord] = []
    sources = []
    for number, path in enumerate(files):
        report(number, len(files), "reading")
        scanned = scan(path) if skip_bad else None
        found = scanned.records if scanned else load(path)
        records += found
        skipped = scanned.games - len(found) if scanned else 0
        sources.append(SourceFile(path, len(found), skipped, file_digest(path)))
    games = {record.game: None for record in records}
    if len(games) > 1:
        raise ZeroplyError(f"a dataset holds examples of one game, not of {' and '.join(map(str, games))}")
    (game,) = games
    arrays = _replayed(game, records)
    keys = _example_keys(arrays[POSITION], arrays[MOVE])
    _, rows, counts = np.unique(keys, return_index=True, return_counts=True)
    positions, of = np.unique(arrays[POSITION][rows], return_inverse=True)
    most = np.zeros(len(positions), np.int64)
    np.maximum.at(most, of, counts)
    unique = np.sort(rows).astype(np.uint32)
    return BoardGames(game, arrays, unique, (int(most.sum()), len(positions)), sources)


def _replayed(game: Game, records: Sequence[GameRecord]) -> Arrays:
    """The arrays of `original` for some games."""
    lengths = np.array([len(record.moves) for record in records], np.int64)
    moves = np.fromiter((cell for record in records for cell in record.moves), np.int32, int(lengths.sum()))
    starts = game.start(len(records))
    placed = [i for i, record in enumerate(records) if record.setup is not None]
    if placed:
        starts[placed] = game.parse([records[i].setup or "" for i in placed])
    n = len(moves)
    arrays: Arrays = {
        STONES: np.empty((n, game.cells), np.int8),
        WHITE: np.empty(n, np.uint8),
        CAPTURED: np.empty((n, 2), np.int16),
        KO: np.empty(n, np.int16),
        MOVE: moves.astype(np.int16),
        POSITION: np.empty(n, np.uint64),
        ORBIT: np.empty(n, np.uint64),
    }
    images = range(len(game.symmetries))
    transcripts = np.array([starts.symmetry(k).hash() for k in images])  # [images, games]
    steps = Lockstep(starts, moves, lengths)
    for ply in steps:
        rows = steps.first[ply.games] + ply.number
        now = ply.positions
        arrays[STONES][rows], arrays[WHITE][rows] = now.stones(), now.to_move() < 0
        arrays[CAPTURED][rows], arrays[KO][rows] = now.captured(), now.ko()
        arrays[POSITION][rows] = now.hash()
        arrays[ORBIT][rows] = np.min([now.symmetry(k).hash() for k in images], axis=0)
        for k in images:
            cells = game.symmetries[k][ply.moves]
            transcripts[k, ply.games] = chance.draw(transcripts[k, ply.games], cells)
    first = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return {**arrays, GAMES: first, TRANSCRIPTS: transcripts.min(axis=0)}


def _example_keys(position: NDArray[np.uint64], move: NDArray[np.int16]) -> NDArray[np.uint64]:
    """[n]: a hash of each position with its move."""
    return chance.draw(position, move.astype(np.uint64))


class BoardExamples(Examples):
    """A dataset of boards."""

    def __init__(self, folder: Path, manifest: Manifest, arrays: Arrays, rows: NDArray[np.uint32] | None) -> None:
        """Use `Examples.open` instead; `arrays` are those of `original`, `rows` the examples of `unique` in it."""
        self.folder = folder
        self.manifest = manifest
        self.arrays = arrays
        self._rows = rows
        self._sides = None

    def positions(self, rows: ArrayLike) -> tuple[Positions, NDArray[np.int64]]:
        """The positions with these numbers, and the cells that were played."""
        stored, game = self._stored(rows), self.game
        arrays = {name: array[stored] for name, array in self.arrays.items() if name not in (GAMES, TRANSCRIPTS)}
        batch = game.core.make(
            np.ascontiguousarray(arrays[STONES]),
            arrays[WHITE],
            arrays[CAPTURED].astype(np.int32),
            arrays[KO].astype(np.int32),
        )
        return Positions(game, batch), arrays[MOVE].astype(np.int64)

    def move_numbers(self, rows: ArrayLike) -> NDArray[np.int32]:
        """[n]: the numbers of the moves, from 1."""
        blocks = np.array_split(self.numbers(rows), max(1, len(self.numbers(rows)) // 4096))
        return np.concatenate([self.positions(block)[0].move_number() for block in blocks])

    def orbits(self, rows: ArrayLike) -> NDArray[np.uint64]:
        """[n]: a hash of each position that is the same for its images."""
        return np.asarray(self.arrays[ORBIT][self._stored(rows)])

    def take(self, rows: ArrayLike) -> Bits:
        """Not available: boards of this game are no bitboards."""
        self._only_othello()

    def black(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """[n]: whether Black is the mover."""
        return np.asarray(self.arrays[WHITE][self._stored(rows)] == 0)

    def original(self) -> tuple[Examples, NDArray[np.int64]]:
        """The dataset `original` built with this one, and [games + 1] where each game begins in it."""
        beside = self if self.name == "original" else Examples.open(self.folder, "original")
        return beside, self.arrays[GAMES]

    def by_game(self, split: Split) -> NDArray[np.uint8]:
        """[examples]: the side of each example if whole games are drawn."""
        tested = np.repeat(drawn_games(self.arrays[TRANSCRIPTS], split), np.diff(self.arrays[GAMES]))
        orbit, keys = self.arrays[ORBIT], _example_keys(self.arrays[POSITION], self.arrays[MOVE])
        unseen = ~np.isin(orbit, orbit[~tested])
        train = np.isin(keys, keys[~tested]) if self._rows is not None else ~tested
        sides = np.where(train, TRAIN, np.where(unseen, TEST, NEITHER)).astype(np.uint8)
        return sides if self._rows is None else sides[self._rows]

    def _stored(self, rows: ArrayLike) -> NDArray[np.uint32]:
        numbers = self.numbers(rows)
        return numbers if self._rows is None else self._rows[numbers]

    def _only_othello(self) -> NoReturn:
        raise ZeroplyError(f"this needs examples of Othello on 8x8, and {self.folder} has examples of {self.game}")


def open_boards(parent: Path, manifest: Manifest) -> BoardExamples:
    """A dataset whose manifest has been read."""
    original, rows = manifest, None
    manifest.check_lengths(parent / manifest.name)
    if manifest.name == "unique":
        original = read_manifest(parent / "original")
        check_built_together(parent, manifest, original)
        original.check_lengths(parent / "original")
        rows = mapped(parent / "unique" / ROWS, "<u4", manifest.stored)
        if rows.max(initial=0) >= original.stored:
            raise ZeroplyError(f"the dataset {parent / 'unique'} is damaged: {ROWS} has numbers that are too large")
    opened = BoardExamples(parent, manifest, {}, rows)
    kinds = dtypes(original, opened.game.cells)
    opened.arrays = {name: mapped(parent / "original" / name, kind, n) for name, (kind, n) in kinds.items()}
    for name, width in ((STONES, opened.game.cells), (CAPTURED, 2)):
        opened.arrays[name] = opened.arrays[name].reshape(-1, width)
    return opened


class BoardLoader(Loader):
    """Draws batches of boards; every batch is a pure function of the seed and its step."""

    data: BoardExamples

    def batch(self, step: int) -> Batch:
        """The batch of a step: planes [b, planes, size, size] and the moves [b] that were played."""
        if step < 0:
            raise ZeroplyError(f"steps are numbered from 0, not {step}")
        epoch, number = divmod(step, self.steps_per_epoch)
        n, game = len(self.rows), self.data.game
        order, images = epoch_keys(self.seed, epoch)
        drawn = _order(order, n)[number * self.size : (number + 1) * self.size]
        places = chance.below(n, self._sample, drawn) if self.replacement else drawn
        positions, moves = self.data.positions(self.rows[places])
        planes = positions.planes(planes_of(self.encoding))
        if not self.symmetries:
            return planes, moves
        to = game.symmetries[chance.below(len(game.symmetries), images, drawn)]  # [b, cells]
        turned = np.empty((len(drawn), planes.shape[1], game.cells), np.float32)
        np.put_along_axis(turned, np.broadcast_to(to[:, None], turned.shape), planes.reshape(turned.shape), axis=2)
        return turned.reshape(planes.shape), to[np.arange(len(drawn)), moves]


@lru_cache(maxsize=4)
def _order(key: int, n: int) -> NDArray[np.int64]:
    """[n]: the order of an epoch."""
    return np.argsort(chance.draw(key, np.arange(n)), kind="stable")


def loader(data: Examples, rows: ArrayLike, **settings: Any) -> Loader:
    """The loader for a dataset; `settings` as for `Loader`."""
    return (BoardLoader if isinstance(data, BoardExamples) else Loader)(data, rows, **settings)
