"""Records of games, saved and read back. A new format is a file here and a line below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.files import explained, write_atomically
from zeroply.games import Game
from zeroply.records import sgf, transcripts
from zeroply.records.formats import Format
from zeroply.records.record import GameRecord, replay_all
from zeroply.records.sgf import read_sgf, write_sgf
from zeroply.records.transcripts import read_transcripts, write_transcripts
from zeroply.specs import Spec

__all__ = [
    "FORMATS",
    "GameRecord",
    "check_suffix",
    "load",
    "read_sgf",
    "read_transcripts",
    "replay_all",
    "save",
    "write_sgf",
    "write_transcripts",
]

FORMATS: dict[str, Format] = {
    ".txt": transcripts.FORMAT,
    ".sgf": sgf.FORMAT,
}
"""The formats by the suffix of their files."""


def save(records: Sequence[GameRecord], path: str | Path) -> None:
    """Write records to a file, in the format its suffix names."""
    write_atomically(Path(path), check_suffix(path)(records))


def load(path: str | Path, game: Game | str | Spec | None = None) -> list[GameRecord]:
    """Read the records in a file; its game is the one the file names unless one is given."""
    path = Path(path)
    read = FORMATS[_known(path, list(FORMATS))].read
    if not path.is_file():
        raise ZeroplyError(f"{path} is not a file" if path.exists() else f"there is no file {path}")
    with explained(f"read {path}"):
        data = path.read_bytes()
    return read(data, str(path), None if game is None else games.game(game))


def check_suffix(path: str | Path) -> Callable[[Sequence[GameRecord]], bytes]:
    """What writes records for a file of that name; raises ZeroplyError if nothing does."""
    writers = {suffix: form.write for suffix, form in FORMATS.items() if form.write}
    return writers[_known(Path(path), list(writers))]


def _known(path: Path, suffixes: list[str]) -> str:
    """The suffix of a path, if it is one of those."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        known = " or ".join(f"{known} ({FORMATS[known].name})" for known in suffixes)
        raise ZeroplyError(f"the name of a file of games ends in {known}, unlike {path}")
    return suffix
