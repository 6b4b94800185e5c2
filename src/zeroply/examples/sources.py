"""The games that datasets are built from: WTHOR files, other records of Othello games, or the shipped corpus.

Games become flat arrays of cells, which the core replays. WTHOR files are arrays already, so reading a hundred thousand
games is fast; other formats are parsed as records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, games
from zeroply.errors import ZeroplyError
from zeroply.examples.dataset import Bits, blank
from zeroply.examples.manifest import file_digest
from zeroply.progress import Progress
from zeroply.records import FORMATS, GameRecord, load, read_wtb, scan

SHIPPED = Path(__file__).parent / "shipped"
"""The folder of the project's own games."""
SHIPPED_NAME = "shipped"
"""The source name of the project's own games."""
CENTRE = np.uint64(0x1818000000)
"""The bits of the four central cells, which hold discs from the start: no move of an example is there."""
SUFFIXES = tuple(suffix for suffix in FORMATS if suffix != ".obf")  # .obf holds problems, not games


class OtherGamesError(ZeroplyError):
    """The files hold games of another game than Othello on 8x8."""


@dataclass(frozen=True)
class Transcripts:
    """Games as flat arrays."""

    moves: NDArray[np.uint8]
    """[moves of all games]: the cells played, passes left out."""
    lengths: NDArray[np.int64]
    """[games]: number of moves of each."""
    black: NDArray[np.uint64]
    """[games]: Black's discs at the start."""
    white: NDArray[np.uint64]
    """[games]: White's discs at the start."""
    white_first: NDArray[np.uint8]
    """[games]: 1 if White has the first turn."""

    @property
    def first(self) -> NDArray[np.int64]:
        """[games + 1]: where each game begins in the moves."""
        return np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])

    def digest(self) -> str:
        """Equal for the same games in the same order, whatever files they come from."""
        digest = hashlib.blake2b(digest_size=16)
        for array in (self.moves, self.lengths, self.black, self.white, self.white_first):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def replay(self) -> tuple[Bits, NDArray[np.int32]]:
        """One example per move, and [games] the number of moves before the first illegal one."""
        out, played = blank(len(self.moves)), np.empty(len(self.lengths), np.int32)
        _core.replay_examples(self.moves, self.first, self.black, self.white, self.white_first, *out, played)
        return out, played

    def only(self, chosen: NDArray[np.bool_]) -> Transcripts:
        """Some of the games."""
        moves = self.moves[np.repeat(chosen, self.lengths)]
        return Transcripts(
            moves, self.lengths[chosen], self.black[chosen], self.white[chosen], self.white_first[chosen]
        )


@dataclass(frozen=True)
class SourceFile:
    """A file of games that was read."""

    path: Path
    """Where it is."""
    games: int
    """How many games were taken from it."""
    skipped: int
    """How many unreadable games were skipped."""
    digest: str
    """BLAKE2b of its content."""


def find_files(source: str | Path) -> list[Path]:
    """The files of games in a folder, a single file, or the shipped ones."""
    if str(source) == SHIPPED_NAME:
        return find_files(SHIPPED)
    path = Path(source)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ZeroplyError(f"there is no folder {path}: give a folder of game records, or '{SHIPPED_NAME}'")
    seen = (file for file in path.iterdir() if not file.name.startswith("."))
    files = sorted(file for file in seen if file.suffix.lower() in SUFFIXES and file.is_file())
    if not files:
        raise ZeroplyError(
            f"{path} contains no game records ({', '.join(SUFFIXES)}): "
            f"'zeroply data get wthor --out {path}' downloads expert games, '--source {SHIPPED_NAME}' needs none"
        )
    return files


def read_games(files: Sequence[Path], skip_bad: bool, report: Progress) -> tuple[Transcripts, Bits, list[SourceFile]]:
    """All games of some files, replayed; an unreadable game raises ZeroplyError unless `skip_bad` is true."""
    parts, bits, sources = [], [], []
    for number, path in enumerate(files):
        report(number, len(files), "reading")
        part, skipped = _read(path, skip_bad)
        examples, played = part.replay()
        centred = ((part.black | part.white) & CENTRE) == CENTRE
        good = centred & (played == part.lengths)
        if not good.all():
            if not skip_bad:
                game = int(np.argmin(good))
                reason = f"move {played[game] + 1} is illegal" if centred[game] else "its start has an empty centre"
                raise ZeroplyError(f"{path}, game {game + 1}: {reason}; use --skip-bad to skip such games")
            part = part.only(good)
            examples, _ = part.replay()
        parts.append(part)
        bits.append(examples)
        sources.append(SourceFile(path, len(part.lengths), skipped + int((~good).sum()), file_digest(path)))
    report(len(files), len(files), "reading")
    fields = ("moves", "lengths", "black", "white", "white_first")
    joined = Transcripts(*(np.concatenate([getattr(part, field) for part in parts]) for field in fields))
    own, opponent, move = (np.concatenate(arrays) for arrays in zip(*bits, strict=True))
    return joined, (own, opponent, move), sources


def _read(path: Path, skip_bad: bool) -> tuple[Transcripts, int]:
    """The games of a file, and how many unreadable ones were skipped."""
    if path.suffix.lower() == ".wtb":
        try:
            file = read_wtb(path)
        except ZeroplyError:
            if not skip_bad:
                raise
        else:
            return _from_start(file.moves[file.moves >= 0].astype(np.uint8), file.lengths), 0
    if not skip_bad:
        return _from_records(load(path), path), 0
    games = scan(path)
    return _from_records(games.records, path), games.games - len(games.records)


def _from_start(moves: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Transcripts:
    """Games from the standard start."""
    stones = games.game("othello").start().stones()
    n = len(lengths)
    black, white = (np.full(n, games.pack(stones == colour)[0]) for colour in (1, -1))
    return Transcripts(moves, lengths, black, white, np.zeros(n, np.uint8))


def _from_records(records: Sequence[GameRecord], path: Path) -> Transcripts:
    othello = games.game("othello")
    if any(record.game != othello for record in records):
        raise OtherGamesError(f"{path} has games of another game than othello on 8x8")
    lengths = np.array([len(record.moves) for record in records], np.int64)
    moves = np.fromiter((cell for record in records for cell in record.moves), np.uint8, int(lengths.sum()))
    transcripts = _from_start(moves, lengths)
    placed = [i for i, record in enumerate(records) if record.setup is not None]
    if placed:
        starts = othello.parse([records[i].setup or "" for i in placed])
        stones = starts.stones()
        transcripts.black[placed] = games.pack(stones == 1)
        transcripts.white[placed] = games.pack(stones == -1)
        transcripts.white_first[placed] = starts.to_move() < 0
    return transcripts
