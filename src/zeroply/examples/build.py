"""Building the four datasets of paper L (V-A1) from games, in the core and on all its threads; those of other games
than Othello on 8x8 are made by `boards.py`.

Original has an example for every move; Unique has each example once; the -S sets are their closures under the eight
symmetries. Everything is written to a hidden folder inside the target and renamed at the end, so a killed build leaves
nothing that looks like a dataset, and the datasets it was to replace are not lost.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.examples.boards import MOVE, ROWS, BoardGames, read_boards
from zeroply.examples.dataset import Bits, Examples
from zeroply.examples.manifest import ARRAYS, GAME, GAMES, NAMES, Manifest, Stored, file_digest, with_images
from zeroply.examples.sources import OtherGamesError, SourceFile, find_files, read_games
from zeroply.files import TEMPORARY, explained, locked, sync_folder
from zeroply.progress import Progress, no_progress
from zeroply.records.record import full_spec

WORK = TEMPORARY + "build"
"""The hidden folder of unfinished datasets; it can be deleted at any time."""
SWAP = TEMPORARY + "swap"
"""The name of that folder while its datasets replace old ones; it holds the old ones until all are replaced."""
Arrays = dict[str, NDArray[Any]]
"""Arrays by the names of their files."""


def build(
    source: str | Path,
    out: str | Path,
    *,
    skip_bad: bool = False,
    overwrite: bool = False,
    progress: Progress = no_progress,
) -> list[Examples]:
    """Build the datasets in a new folder from the games of a folder, a file, or `shipped`: all four of Othello on 8x8,
    original and unique of other games."""
    target = Path(out)
    files = find_files(source)
    if (target / SWAP).exists():
        with _kept(target):
            _clear_up(target)
    _check_target(target, overwrite)
    try:
        transcripts, bits, sources = read_games(files, skip_bad, progress)
    except OtherGamesError:
        return _build_boards(read_boards(files, skip_bad, progress), target, overwrite)
    if not len(transcripts.moves):
        raise ZeroplyError(f"the games of {source} contain no moves")
    common = {"game": GAME, "games": len(transcripts.lengths), "sources": transcripts.digest()}
    with _workplace(target) as folder:
        _check_target(target, overwrite)  # another process may have written to it meanwhile
        made = _Datasets(folder, common)
        progress(0, len(NAMES), "original")
        made.original(bits, transcripts.first, tuple(_listed(source) for source in sources))
        progress(1, len(NAMES), "unique")
        made.distinct("unique", bits)
        progress(2, len(NAMES), "original-s")
        made.original_s(bits)
        progress(3, len(NAMES), "unique-s")
        made.distinct("unique-s", bits)
        _put_in_place(folder, target)
    return [Examples.open(target, name) for name in NAMES]


def _build_boards(games: BoardGames, target: Path, overwrite: bool) -> list[Examples]:
    """The datasets of another game than Othello on 8x8."""
    n = len(games.arrays[MOVE])
    if not n:
        raise ZeroplyError("the games contain no moves")
    common = {
        "game": str(full_spec(games.game)),
        "games": len(games.arrays[GAMES]) - 1,
        "sources": games.digest,
    }
    files = tuple(_listed(source) for source in games.sources)
    with _workplace(target) as folder:
        _check_target(target, overwrite)
        made = _Datasets(folder, common)
        seal = made.write("original", games.arrays, n, -1, games.predictable[0], files=files)
        made.write("unique", {ROWS: games.rows}, len(games.rows), -1, games.predictable[1], original=seal)
        _put_in_place(folder, target)
    return [Examples.open(target, name) for name in ("original", "unique")]


class _Datasets:
    """Writes the datasets of one folder."""

    def __init__(self, folder: Path, common: dict[str, object]) -> None:
        self.folder = folder
        self.common = common
        self.seal = ""

    def original(self, bits: Bits, first: NDArray[np.int64], files: tuple[dict[str, object], ...]) -> None:
        """Every move of every game."""
        right = _core.ExampleSet(*bits, -1).predictable(False, False)
        self.seal = self.write("original", {**_named(bits), GAMES: first}, len(bits[0]), -1, right, files=files)

    def original_s(self, bits: Bits) -> None:
        """All images of Original, which holds the arrays for both."""
        stored = len(bits[0])
        right = _core.ExampleSet(*bits, stored).predictable(True, False)
        self.write("original-s", {}, stored, stored, right, original=self.seal)

    def distinct(self, name: str, bits: Bits) -> None:
        """Each example once: exactly, or up to symmetry."""
        orbits = name == "unique-s"
        own, opponent, move = bits[0].copy(), bits[1].copy(), bits[2].copy()
        stored, whole = _core.unique_examples(own, opponent, move, orbits)
        unique = (own[:stored], opponent[:stored], move[:stored])
        whole = whole if orbits else -1
        right = _core.ExampleSet(*unique, whole).predictable(orbits, True)
        self.write(name, _named(unique), stored, whole, right, original=self.seal)

    def write(
        self,
        name: str,
        arrays: Arrays,
        stored: int,
        whole: int,
        predictable: int,
        original: str = "",
        files: tuple[dict[str, object], ...] = (),
    ) -> str:
        """Write a dataset; returns its digest."""
        folder = self.folder / name
        with explained(f"write {folder}"):
            folder.mkdir()
            for file, array in arrays.items():
                _write_array(folder / file, array)
        manifest = Manifest(
            name=name,
            examples=with_images(stored, whole),
            stored=stored,
            whole=whole,
            predictable=predictable,
            arrays_of=name if arrays else "original",
            original=original,
            arrays={file: Stored(array.nbytes, file_digest(folder / file)) for file, array in arrays.items()},
            files=files,
            **self.common,  # type: ignore[arg-type]
        )
        manifest.write(folder)
        return manifest.seal


def _listed(source: SourceFile) -> dict[str, object]:
    """The entry of a file of games in the manifest."""
    return {"name": source.path.name, "games": source.games, "skipped": source.skipped, "digest": source.digest}


def _named(bits: Bits) -> Arrays:
    """The arrays of examples by the names of their files."""
    return dict(zip(ARRAYS, bits, strict=True))


def _write_array(path: Path, array: NDArray[Any]) -> None:
    with open(path, "wb") as file:
        file.write(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
        file.flush()
        os.fsync(file.fileno())


def _check_target(target: Path, overwrite: bool) -> None:
    if not target.absolute().parent.is_dir():
        raise ZeroplyError(f"cannot write {target}: there is no folder {target.absolute().parent}")
    if not target.exists():
        return
    there = {entry.name for entry in target.iterdir()} - {WORK, SWAP} if target.is_dir() else None
    if there is None or not there <= set(NAMES):
        raise ZeroplyError(f"{target} exists and contains other files than datasets: name a new folder")
    if there and not overwrite:
        raise ZeroplyError(f"{target} exists: name a new folder, or use --overwrite to replace its datasets")


@contextmanager
def _workplace(target: Path) -> Iterator[Path]:
    """An empty hidden folder in the target, for one process at a time; leftovers of a killed build are removed."""
    with explained(f"write {target}"):
        target.mkdir(parents=True, exist_ok=True)
    with _kept(target):
        _clear_up(target)
        folder = target / WORK
        with explained(f"write {folder}"):
            folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _kept(target: Path) -> AbstractContextManager[None]:
    """Lock the target for this process."""
    return locked(target, f"another process is building {target}: wait until it ends or stop it")


def _clear_up(target: Path) -> None:
    """Restore datasets that a killed build was about to replace, and remove its other files."""
    folder = target / WORK
    with explained(f"write {target}"):
        if folder.exists():
            shutil.rmtree(folder)
        if (target / SWAP).exists():
            _put_back(target)
            shutil.rmtree(folder)


def _put_in_place(folder: Path, target: Path) -> None:
    """Move the finished datasets into place, all of them or none."""
    swap = target / SWAP
    with explained(f"write {target}"):
        os.rename(folder, swap)
        try:
            for name in NAMES:  # move all old ones away first, so that old and new are never mixed
                if (target / name).exists():
                    os.rename(target / name, _old(swap, name))
            for name in reversed(NAMES):
                if (swap / name).exists():  # games other than Othello have no -s sets
                    os.rename(swap / name, target / name)
            sync_folder(target)
            os.rename(swap, folder)
        except BaseException:
            _put_back(target)
            raise


def _put_back(target: Path) -> None:
    """Undo what `_put_in_place` has done so far; new datasets that are not in the swap folder are in the target."""
    swap = target / SWAP
    for name in NAMES:
        if (target / name).exists() and not (swap / name).exists():
            os.rename(target / name, swap / name)
    for name in NAMES:
        if _old(swap, name).exists():
            os.rename(_old(swap, name), target / name)
    sync_folder(target)
    os.rename(swap, target / WORK)


def _old(swap: Path, name: str) -> Path:
    """Where an old dataset is held."""
    return swap / f"old-{name}"
