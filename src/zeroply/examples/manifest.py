"""The manifest of a dataset folder: JSON that describes its arrays, with a digest of itself.

It is written after the arrays, so a folder without it is not a dataset, and it holds their lengths, so truncated arrays
are detected when the dataset is opened. `Manifest.check_digests` also detects changed bytes. The digest only protects
against accidents, so all numbers are checked for consistency too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.files import explained, write_atomically

FORMAT = "zeroply-examples"
VERSION = 1
FILE = "dataset.json"
GAME = "othello"
"""Spec of the game whose datasets hold bitboards; those of others hold boards (`examples/boards.py`)."""
NAMES = ("original", "unique", "original-s", "unique-s")
"""The datasets that are built from games of Othello; from those of other games, the first two."""
ARRAYS = {"own.u64": "<u8", "opponent.u64": "<u8", "move.u8": "u1"}
"""Array files with their dtypes: own discs, opposing discs, cell and colour of the mover."""
GAMES = "first.i64"
"""The file of `original` with the index of the first example of each game."""
MAX_EXAMPLES = 1 << 32
"""Example numbers have 32 bits."""
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Stored:
    """An array in a file."""

    bytes: int
    """Length of the file."""
    digest: str
    """BLAKE2b of its content."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The description of a dataset."""

    name: str
    """Which of the datasets it is, such as `unique-s`."""
    game: str
    """Spec of the game."""
    examples: int
    """Number of examples, counted through all images."""
    stored: int
    """Number of examples in the arrays."""
    whole: int
    """How many stored examples have eight distinct images; the others have four. -1: only the example itself counts."""
    predictable: int
    """How many examples are right if the most frequent move of each position is predicted."""
    games: int
    """Number of games they come from."""
    sources: str
    """Digest of the games they come from."""
    arrays_of: str
    """The dataset beside it that holds its arrays; its own name if it has arrays itself."""
    original: str = ""
    """Digest of the dataset `original` built with it, which holds the games; empty in `original` itself."""
    arrays: Mapping[str, Stored] = field(default_factory=dict)
    """Its own arrays by the names of their files."""
    files: tuple[Mapping[str, Any], ...] = ()
    """The files the games were read from: name, games, skipped games, and digest."""

    @property
    def seal(self) -> str:
        """Digest of all other fields."""
        return _seal({"format": FORMAT, "version": VERSION, **_plain(self)})

    @property
    def skipped(self) -> int:
        """How many unreadable games were skipped."""
        return sum(file.get("skipped", 0) for file in self.files)

    def write(self, folder: Path) -> None:
        """Write the manifest; the arrays must exist already."""
        content = {"format": FORMAT, "version": VERSION, **_plain(self), "seal": self.seal}
        write_atomically(folder / FILE, (json.dumps(content, indent=1) + "\n").encode())

    def check_lengths(self, folder: Path) -> None:
        """Raise ZeroplyError if an array is missing or cut off."""
        for name, stored in self.arrays.items():
            path = folder / name
            if not path.is_file():
                raise ZeroplyError(f"the dataset {folder} is damaged: {name} is missing; build it again")
            if (size := path.stat().st_size) != stored.bytes:
                cut = f"{name} has {size} bytes instead of {stored.bytes}"
                raise ZeroplyError(f"the dataset {folder} is damaged: {cut}; build it again")

    def check_digests(self, folder: Path) -> None:
        """Raise ZeroplyError if a byte of an array has changed."""
        for name in self.arrays:
            self.check_digest(folder, name)

    def check_digest(self, folder: Path, name: str) -> None:
        """Raise ZeroplyError if a byte of one array has changed."""
        if file_digest(folder / name) != self.arrays[name].digest:
            raise ZeroplyError(f"the dataset {folder} is damaged: {name} has changed; build it again")


def read_manifest(folder: Path) -> Manifest:
    """Read a manifest; raises ZeroplyError if it is missing, damaged or of another version."""
    path = folder / FILE
    if not path.is_file():
        raise ZeroplyError(f"there is no dataset {folder}: 'zeroply data build' makes datasets")
    with explained(f"read {path}"):
        text = path.read_bytes()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise ZeroplyError(f"the dataset {folder} is damaged: {FILE} is not JSON; build it again") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ZeroplyError(f"{path} is not a manifest of a zeroply dataset")
    if content.get("version") != VERSION:
        version = content.get("version")
        raise ZeroplyError(
            f"the dataset {folder} has format version {version}, this zeroply reads {VERSION}: build it again"
        )
    seal = content.pop("seal", None)
    if seal != _seal(content):
        raise ZeroplyError(f"the dataset {folder} is damaged: {FILE} does not match its digest; build it again")
    del content["format"], content["version"]
    try:
        arrays = {name: Stored(**stored) for name, stored in content["arrays"].items()}
        manifest = Manifest(**{**content, "arrays": arrays, "files": tuple(content["files"])})
    except (KeyError, TypeError, AttributeError):
        raise ZeroplyError(f"the dataset {folder} is damaged: {FILE} has missing fields; build it again") from None
    if not (_typed(manifest) and _consistent(manifest)):
        raise ZeroplyError(f"the dataset {folder} is damaged: {FILE} has inconsistent values; build it again")
    return manifest


def file_digest(path: Path) -> str:
    """BLAKE2b of a file's content."""
    digest = hashlib.blake2b(digest_size=16)
    with explained(f"read {path}"), open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def with_images(stored: int, whole: int) -> int:
    """Number of examples, counted through all images."""
    return stored if whole < 0 else 8 * whole + 4 * (stored - whole)


def _typed(manifest: Manifest) -> bool:
    """Whether the fields have the right types."""
    stored = manifest.arrays.values()
    if type(manifest.whole) is not int or not all(isinstance(file, dict) for file in manifest.files):
        return False
    words: list[Any] = [manifest.name, manifest.game, manifest.sources, manifest.arrays_of, manifest.original]
    words += [one.digest for one in stored] + [file.get(key) for file in manifest.files for key in ("name", "digest")]
    counts: list[Any] = [manifest.examples, manifest.stored, manifest.predictable, manifest.games, manifest.whole + 1]
    counts += [one.bytes for one in stored]
    counts += [number for file in manifest.files for number in (file.get("games"), file.get("skipped", 0))]
    return all(type(word) is str for word in words) and all(type(count) is int and count >= 0 for count in counts)


def _consistent(manifest: Manifest) -> bool:
    """Whether the numbers are consistent."""
    if manifest.game != GAME:
        return _consistent_boards(manifest)
    own = manifest.arrays_of == manifest.name
    lengths = {file: manifest.stored * np.dtype(kind).itemsize for file, kind in ARRAYS.items()} if own else {}
    if manifest.name == "original":
        lengths[GAMES] = 8 * (manifest.games + 1)
    return (
        manifest.name in NAMES
        and manifest.game == GAME
        and (own or manifest.arrays_of == "original")
        and {name: stored.bytes for name, stored in manifest.arrays.items()} == lengths
        and (manifest.whole >= 0) == manifest.name.endswith("-s")
        and manifest.whole <= manifest.stored
        and manifest.examples == with_images(manifest.stored, manifest.whole)
        and 0 < manifest.predictable <= manifest.examples <= MAX_EXAMPLES
    )


def _consistent_boards(manifest: Manifest) -> bool:
    """The same for the datasets of other games."""
    from zeroply.examples.boards import dtypes

    if manifest.name not in ("original", "unique"):
        return False
    kinds = dtypes(manifest, games.game(manifest.game).cells)
    return (
        manifest.arrays_of == manifest.name
        and {name: stored.bytes for name, stored in manifest.arrays.items()}
        == {name: np.dtype(kind).itemsize * length for name, (kind, length) in kinds.items()}
        and manifest.whole == -1
        and 0 < manifest.predictable <= manifest.examples == manifest.stored <= MAX_EXAMPLES
    )


def _plain(manifest: Manifest) -> dict[str, Any]:
    """The fields as JSON values."""
    return {**asdict(manifest), "files": [dict(file) for file in manifest.files]}


def _seal(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
