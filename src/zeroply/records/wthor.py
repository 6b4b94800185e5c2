"""WTHOR, the database of the French Othello Federation: the games (.wtb) of one year, little endian.

A header of 16 bytes and 68 bytes a game, of which 60 are moves: row * 10 + column, from 11 to 88, passes left out. So
a file is one NumPy array, and `WthorFile` keeps it so: all its games are replayed in 60 calls. Players and tournaments
are numbers; their names stand in WTHOR.JOU and WTHOR.TRN beside it (see `wthor_names`).

The theoretical score is what perfect play would have reached from `depth` empty squares on. Records do not hold it, so
they are written with depth 0, where it is the score itself. Their year is written if it is the same for all. A
forfeited game is written as 0 or 64 discs; reading goes by the moves alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.games import Game, Positions
from zeroply.records.formats import Format, ReadProblem, Scan
from zeroply.records.record import GameRecord, Lockstep, replay_all
from zeroply.records.wthor_names import HEADER, UNKNOWN, Numbering, find_beside, header, read_beside, write_names

_NUMBERS = [("tournament", "<u2"), ("black", "<u2"), ("white", "<u2"), ("black_discs", "u1"), ("theoretical", "u1")]
RECORD = np.dtype([*_NUMBERS, ("moves", "u1", 60)])
"""One game in a file."""
ILLEGIBLE = -2
"""Stands for a byte that is neither a square nor 0."""

_ROWS, _COLUMNS = np.divmod(np.arange(64), 8)
_BYTES = (10 * (_ROWS + 1) + _COLUMNS + 1).astype(np.uint8)
_CELLS = np.full(256, ILLEGIBLE, np.int8)
_CELLS[_BYTES] = np.arange(64)
_CELLS[0] = -1

Faults = dict[int, str]
"""What is wrong with games by their numbers, from 1; 0 for the file as a whole."""


@dataclass(frozen=True, eq=False)
class WthorFile:
    """The n games of a file as arrays."""

    moves: NDArray[np.int8]
    """[n, 60]: the cells played, passes left out; -1 after the last one."""
    black_discs: NDArray[np.uint8]
    """[n]: Black's discs at the end, with the empty squares if Black has won; half of them after a draw."""
    theoretical: NDArray[np.uint8]
    """[n]: what `black_discs` would have been with perfect play from `depth` empty squares on."""
    tournament: NDArray[np.uint16]
    """[n]: number of the tournament."""
    black: NDArray[np.uint16]
    """[n]: number of Black."""
    white: NDArray[np.uint16]
    """[n]: number of White."""
    year: int = 0
    """The year of the games; 0 if it is not known."""
    depth: int = 0
    """Empty squares from which the theoretical scores were computed."""
    created: date | None = None
    """The day the file was made; None if it is not known."""
    players: tuple[str, ...] = ()
    """The players by their numbers; empty if their names are not known."""
    tournaments: tuple[str, ...] = ()
    """The tournaments by their numbers; empty if their names are not known."""

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[n]: number of moves, passes left out."""
        lengths: NDArray[np.int64] = (self.moves >= 0).sum(axis=1, dtype=np.int64)
        return lengths

    def lockstep(self) -> Lockstep:
        """The replay of all games at once: iterate over its plies; then it holds their ends and the illegal ones."""
        return Lockstep(_othello().start(len(self)), self.moves[self.moves >= 0].astype(np.int32), self.lengths)

    def record(self, i: int) -> GameRecord:
        """One game as a record; its moves are not checked."""
        moves = self.moves[i].tolist()
        if moves[-1] < 0:
            moves = moves[: moves.index(-1)]
        black = _named(self.players, int(self.black[i]), "player")
        white = _named(self.players, int(self.white[i]), "player")
        event = _named(self.tournaments, int(self.tournament[i]), "tournament")
        return GameRecord(_othello(), tuple(moves), None, black, white, event, str(self.year or ""))


def read_wtb(path: str | Path) -> WthorFile:
    """A file of games with the names beside it; only `lockstep` checks that moves are legal."""
    path = Path(path)
    with explained(f"read {path}"):
        data = path.read_bytes()
    file, faults = _parse(data, read_beside(path, ".jou"), read_beside(path, ".trn"))
    if faults:
        number = min(faults)
        raise ZeroplyError(f"{path}, game {number}: {faults[number]}" if number else f"{path} {faults[0]}")
    return file


def write_wtb(file: WthorFile) -> bytes:
    """The bytes of a file of games."""
    records = np.zeros(len(file), RECORD)
    for field, _ in _NUMBERS:
        records[field] = getattr(file, field)
    records["moves"] = np.where(file.moves >= 0, _BYTES[file.moves], 0)
    return header(file.created, games=len(file), played=file.year, size=8, depth=file.depth) + records.tobytes()


def black_discs(final: Positions) -> NDArray[np.uint8]:
    """[n]: Black's discs as WTHOR counts them: empty squares go to the winner, half of them to each after a draw."""
    stones = final.stones()
    difference = stones.sum(axis=1, dtype=np.int64)
    empty = (stones == 0).sum(axis=1, dtype=np.int64)
    return np.asarray((final.game.cells + difference + np.sign(difference) * empty) // 2, np.uint8)


@cache
def _othello() -> Game:
    return games.game("othello")


# Reading


def _named(names: tuple[str, ...], number: int, kind: str) -> str:
    """A name, or the number in its place; empty if WTHOR does not know it."""
    name = names[number] if number < len(names) else f"{kind} {number}"
    return "" if name == UNKNOWN or (not names and number == 0) else name


def _parse(data: bytes, players: tuple[str, ...], tournaments: tuple[str, ...]) -> tuple[WthorFile, Faults]:
    """The games of a file, and what is wrong with them; a game that is cut off is reported and left out."""
    faults: Faults = {}
    promised, whole = 0, 0
    head = np.frombuffer(data.ljust(HEADER.itemsize, b"\0"), HEADER, 1)[0]
    if len(data) < HEADER.itemsize:
        faults[0] = f"is cut off: it has {len(data)} bytes, fewer than the {HEADER.itemsize} of a header"
    elif head["size"] not in (0, 8):
        faults[0] = f"holds games on boards of size {head['size']}: only size 8 can be read"
    else:
        promised = int(head["games"])
        whole, rest = divmod(len(data) - HEADER.itemsize, RECORD.itemsize)
        if whole < promised:
            there = f"{rest} of its {RECORD.itemsize} bytes are there" if rest else "nothing of it is there"
            faults[whole + 1] = (
                f"the file is cut off at byte {len(data)}, its header promises {promised} games: {there}"
            )
        elif whole > promised or rest:
            size = HEADER.itemsize + promised * RECORD.itemsize
            faults[0] = f"has {len(data)} bytes, but the {promised} games its header promises end at byte {size}"
    rows = np.frombuffer(data, RECORD, min(whole, promised), HEADER.itemsize) if promised else np.zeros(0, RECORD)
    cells = _CELLS[rows["moves"]]
    faults |= _illegible(cells, rows["moves"])
    file = WthorFile(
        cells,
        **{field: np.ascontiguousarray(rows[field]) for field, _ in _NUMBERS},
        year=int(head["played"]),
        depth=int(head["depth"]),
        created=_day(head),
        players=players,
        tournaments=tournaments,
    )
    return file, faults


def _illegible(cells: NDArray[np.int8], moves: NDArray[np.uint8]) -> Faults:
    """Faults: bytes that are not squares, and moves after an empty one."""
    faults: Faults = {}
    for game, move in np.argwhere((cells[:, 1:] >= 0) & (cells[:, :-1] == -1))[::-1].tolist():
        faults[game + 1] = f"move {move + 2} follows an empty move"
    for game, move in np.argwhere(cells == ILLEGIBLE)[::-1].tolist():
        faults[game + 1] = f"move {move + 1}: byte {moves[game, move]} is not a square, from 11 (a1) to 88 (h8)"
    return faults


def _day(head: np.void) -> date | None:
    try:
        return date(100 * int(head["century"]) + int(head["year"]), int(head["month"]), int(head["day"]))
    except ValueError:
        return None


class _Records(Sequence[GameRecord]):
    """Some games of a file as records, created on access."""

    def __init__(self, file: WthorFile, which: NDArray[np.int64]) -> None:
        self.file = file
        self.which = which

    def __len__(self) -> int:
        return len(self.which)

    @overload
    def __getitem__(self, i: int) -> GameRecord: ...
    @overload
    def __getitem__(self, i: slice) -> _Records: ...
    def __getitem__(self, i: int | slice) -> GameRecord | _Records:
        return _Records(self.file, self.which[i]) if isinstance(i, slice) else self.file.record(int(self.which[i]))


def _scan(data: bytes, path: Path, given: Game | None) -> Scan:
    if given is not None:
        given.require("othello", "WTHOR", size=8)
    names, tables = [], []
    for suffix in (".jou", ".trn"):
        try:
            names.append(read_beside(path, suffix))
        except ZeroplyError as error:
            beside = str(find_beside(path, suffix))
            tables.append(ReadProblem(beside, 0, "", str(error).removeprefix(beside).strip()))
            names.append(())
    file, faults = _parse(data, *names)
    file.moves[[game - 1 for game in faults if 1 <= game <= len(file)]] = -1
    steps = file.lockstep()
    deque(steps, maxlen=0)
    faults |= {game + 1: why for game, why in steps.illegal.items()}
    tables += [ReadProblem(str(path), game, f"game {game}" if game else "", faults[game]) for game in sorted(faults)]
    good = np.array([game for game in range(len(file)) if game + 1 not in faults], np.int64)
    return Scan(str(path), max(len(file), *faults, 0), _Records(file, good), tables)


# Writing


def _files(records: Sequence[GameRecord], path: Path) -> dict[Path, bytes]:
    """The file of games, after those of names if there are new ones."""
    for i, record in enumerate(records, 1):
        record.game.require("othello", f"game {i}: WTHOR", size=8)
        if record.setup is not None:
            raise ZeroplyError(f"game {i}: WTHOR cannot hold a set-up position: save it as .ggf")
    players, tournaments = Numbering(path, ".jou"), Numbering(path, ".trn")
    file = _from_records(records, players, tournaments)
    names = {one.path: write_names(one.names, one.path) for one in (players, tournaments) if one.added}
    return {**names, path: write_wtb(file)}


def _from_records(records: Sequence[GameRecord], players: Numbering, tournaments: Numbering) -> WthorFile:
    discs = _discs(records) if records else np.zeros(0, np.uint8)
    moves = np.full((len(records), 60), -1, np.int8)
    for i, record in enumerate(records):
        moves[i, : len(record.moves)] = record.moves
    years = {record.year for record in records}
    return WthorFile(
        moves,
        discs,
        discs,
        np.array([tournaments.number(record.event) for record in records], np.uint16),
        np.array([players.number(record.black) for record in records], np.uint16),
        np.array([players.number(record.white) for record in records], np.uint16),
        year=(years.pop() or 0) if len(years) == 1 else 0,
        created=date.today(),
    )


def _discs(records: Sequence[GameRecord]) -> NDArray[np.uint8]:
    """[n]: Black's discs; after a forfeit the winner has all of them."""
    final, forfeit = replay_all(records), np.array([record.forfeit for record in records])
    return np.where((forfeit != 0) & ~final.over(), 32 - 32 * forfeit, black_discs(final)).astype(np.uint8)


FORMAT = Format("WTHOR", _scan, _files, setups=False)
