"""The players (.jou) and tournaments (.trn) of WTHOR: files of numbered names that stand beside the games.

A header of 16 bytes, then 20 bytes a player or 26 a tournament, in Latin-1, the last byte 0. Games hold only numbers,
so names are added at the end and never moved. A name that does not fit is cut and marked, so that two long names stay
two: `alphabeta(dep~1f0c9`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np

from zeroply.errors import ZeroplyError
from zeroply.files import explained

_DAY = [("century", "u1"), ("year", "u1"), ("month", "u1"), ("day", "u1")]
_BOARD = [("size", "u1"), ("kind", "u1"), ("depth", "u1"), ("reserved", "u1")]
HEADER = np.dtype([*_DAY, ("games", "<u4"), ("names", "<u2"), ("played", "<u2"), *_BOARD])
"""The header of all three kinds of file: the day it was made, how many games or names, their year, board and depth."""
WIDTHS = {".jou": 20, ".trn": 26}
"""Bytes of a name by the suffix of the file."""
UNKNOWN = "???"
"""The unknown name in WTHOR."""
MAX_NAMES = 0xFFFF


def header(created: date | None, **fields: int) -> bytes:
    """The bytes of a header."""
    filled = np.zeros(1, HEADER)
    if created is not None:
        fields |= {"century": created.year // 100, "year": created.year % 100}
        fields |= {"month": created.month, "day": created.day}
    for name, value in fields.items():
        filled[name] = value
    return filled.tobytes()


def read_names(path: str | Path) -> tuple[str, ...]:
    """The names in a .jou or .trn file, by number."""
    path = Path(path)
    width = _width(path)
    with explained(f"read {path}"):
        data = path.read_bytes()
    if len(data) < HEADER.itemsize:
        raise ZeroplyError(f"{path} is damaged: it has {len(data)} bytes, fewer than the {HEADER.itemsize} of a header")
    names = int(np.frombuffer(data, HEADER, 1)["names"][0])
    size = HEADER.itemsize + width * names
    if len(data) != size:
        raise ZeroplyError(
            f"{path} is damaged: the {names} names it promises need {size} bytes, but it has {len(data)}"
        )
    starts = range(HEADER.itemsize, size, width)
    return tuple(data[at : at + width].split(b"\0", 1)[0].decode("latin-1") for at in starts)


def write_names(names: Sequence[str], path: str | Path) -> bytes:
    """The bytes of a .jou or .trn file, by the suffix of its path."""
    width = _width(Path(path))
    if len(names) > MAX_NAMES:
        raise ZeroplyError(f"{path} cannot hold {len(names)} names: WTHOR has numbers for {MAX_NAMES}")
    stored = (_stored(name, width).encode("latin-1").ljust(width, b"\0") for name in names)
    return header(date.today(), names=len(names)) + b"".join(stored)


class Numbering:
    """Names with their numbers, to which new ones are added."""

    def __init__(self, games: Path, suffix: str) -> None:
        """Read the names beside a file of games, or start with the unknown name."""
        path = find_beside(games, suffix)
        self.path = path or games.with_name(f"WTHOR{suffix.upper()}")
        self.names = list(read_names(path)) if path else [UNKNOWN]
        self.added = False
        self._numbers = {name: number for number, name in reversed(list(enumerate(self.names)))}

    def number(self, name: str) -> int:
        """The number of a name, a new one if it has none."""
        stored = _stored(name or UNKNOWN, WIDTHS[self.path.suffix.lower()])
        if stored not in self._numbers:
            if len(self.names) == MAX_NAMES:
                raise ZeroplyError(f"{self.path} cannot hold more than {MAX_NAMES} names: save to another folder")
            self._numbers[stored] = len(self.names)
            self.names.append(stored)
            self.added = True
        return self._numbers[stored]


def find_beside(games: Path, suffix: str) -> Path | None:
    """The file of players (.jou) or tournaments (.trn) beside a file of games: WTHOR.JOU in any case."""
    if not games.parent.is_dir():
        return None
    wanted = f"wthor{suffix}"
    return min((entry for entry in games.parent.iterdir() if entry.name.lower() == wanted), default=None)


def read_beside(games: Path, suffix: str) -> tuple[str, ...]:
    """The names beside a file of games; none if there is no such file."""
    path = find_beside(games, suffix)
    return () if path is None else read_names(path)


def _width(path: Path) -> int:
    suffix = path.suffix.lower()
    if suffix not in WIDTHS:
        raise ZeroplyError(f"names of WTHOR stand in files that end in .jou or .trn, unlike {path}")
    return WIDTHS[suffix]


def _stored(name: str, width: int) -> str:
    """A name as it can be stored."""
    latin = name.encode("latin-1", "replace").replace(b"\0", b"?").decode("latin-1")
    if latin == name and len(latin) < width:
        return name
    mark = "~" + hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()[:5]
    return latin[: width - 1 - len(mark)] + mark
