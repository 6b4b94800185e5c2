"""Records of games, saved and read back. A new format is a file here and a line below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.files import check_new, explained, write_atomically
from zeroply.games import Game
from zeroply.records import ggf, obf, sgf, transcripts, wthor
from zeroply.records.formats import Format
from zeroply.records.formats import ReadProblem as ReadProblem
from zeroply.records.formats import Scan as Scan
from zeroply.records.ggf import read_ggf as read_ggf
from zeroply.records.ggf import write_ggf as write_ggf
from zeroply.records.obf import Problem as Problem
from zeroply.records.obf import read_obf as read_obf
from zeroply.records.obf import write_obf as write_obf
from zeroply.records.record import GameRecord as GameRecord
from zeroply.records.record import Lockstep as Lockstep
from zeroply.records.record import Ply as Ply
from zeroply.records.record import replay_all as replay_all
from zeroply.records.sgf import read_sgf as read_sgf
from zeroply.records.sgf import write_sgf as write_sgf
from zeroply.records.transcripts import read_transcripts as read_transcripts
from zeroply.records.transcripts import write_transcripts as write_transcripts
from zeroply.records.wthor import WthorFile as WthorFile
from zeroply.records.wthor import read_wtb as read_wtb
from zeroply.records.wthor import write_wtb as write_wtb
from zeroply.records.wthor_names import read_names as read_names
from zeroply.records.wthor_names import write_names as write_names
from zeroply.specs import Spec

FORMATS: dict[str, Format] = {
    ".txt": transcripts.FORMAT,
    ".sgf": sgf.FORMAT,
    ".ggf": ggf.FORMAT,
    ".wtb": wthor.FORMAT,
    ".obf": obf.FORMAT,
}
"""The formats by the suffix of their files."""

_Write = Callable[[Sequence[GameRecord], Path], dict[Path, bytes]]


def save(records: Sequence[GameRecord], path: str | Path, *, overwrite: bool = False) -> None:
    """Write records to a new file, in the format its suffix names; WTHOR keeps names in files beside it.

    A file that exists is replaced only with `overwrite`.
    """
    check_suffix(path)
    check_new(Path(path), overwrite, "overwrite=True")
    for file, data in check_suffix(path)(records, Path(path)).items():
        write_atomically(file, data)


def load(path: str | Path, game: Game | str | Spec | None = None) -> list[GameRecord]:
    """Read the records in a file; its game is the one the file names unless one is given."""
    return scan(path, game).checked()


def scan(path: str | Path, game: Game | str | Spec | None = None) -> Scan:
    """Read all readable games of a file; unreadable games are reported and skipped."""
    path = Path(path)
    data = _data(path)
    return FORMATS[path.suffix.lower()].scan(data, path, None if game is None else games.game(game))


def iterate(path: str | Path, game: Game | str | Spec | None = None, *, skip_bad: bool = False) -> Iterator[GameRecord]:
    """The records in a file one after the other, of which only some are in memory at a time.

    An unreadable game raises when its turn comes, or is skipped with `skip_bad`.
    """
    path = Path(path)
    data, form = _data(path), FORMATS[path.suffix.lower()]
    parts = form.parts(data, path, None if game is None else games.game(game))
    return (record for part in parts for record in (part.records if skip_bad else part.checked()))


def check_suffix(path: str | Path, whole_games: bool = False) -> _Write:
    """The writer for a file of that name; raises ZeroplyError if there is none or the folder does not exist.

    With `whole_games` a format that holds only positions will not do.
    """
    path = Path(path)
    suited = {suffix: form for suffix, form in FORMATS.items() if form.games or not whole_games}
    writers = {suffix: form.write for suffix, form in suited.items() if form.write}
    write = writers[_known(path, list(writers))]
    if not path.parent.is_dir():
        raise ZeroplyError(f"cannot write {path}: there is no folder {path.parent}")
    return write


def check_output(path: str | Path, game: Game | str | Spec, overwrite: bool, setups: Iterable[str] = ()) -> None:
    """Raise ZeroplyError unless games of that kind can be saved in a file of that name, which is new or replaced.

    `setups` are the board strings they begin with, if any; they are looked at only if the format cannot hold them.
    """
    path = Path(path)
    write = check_suffix(path, whole_games=True)
    check_new(path, overwrite)
    usual = GameRecord(games.game(game))
    given = () if FORMATS[path.suffix.lower()].setups else (replace(usual, setup=setup) for setup in setups)
    tried = next((one for one in given if one.setup is not None), usual)
    try:
        write([tried], path)
    except ZeroplyError as error:
        raise ZeroplyError(f"cannot save games in {path}: {str(error).removeprefix('game 1: ')}") from None


def check_readable(path: str | Path) -> None:
    """Raise ZeroplyError unless there is a file of that name with the suffix of a format."""
    path = Path(path)
    _known(path, list(FORMATS))
    if not path.is_file():
        raise ZeroplyError(f"{path} is not a file" if path.exists() else f"there is no file {path}")


def _data(path: Path) -> bytes:
    check_readable(path)
    with explained(f"read {path}"):
        return path.read_bytes()


def _known(path: Path, suffixes: list[str]) -> str:
    """The suffix of a path, if a format has it."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        known = " or ".join(f"{known} ({FORMATS[known].name})" for known in suffixes)
        raise ZeroplyError(f"the name of a file of games ends in {known}, unlike {path}")
    return suffix
