"""The interface of file formats for game records, and shared code.

A format turns bytes (some are binary) into entries, one for each game it finds: a record, or why there is none. All
that needs the rules is done here, for all games of a file at once: are the moves legal, did the right colour make
them, and was every pass forced?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.records.record import GameRecord, Replay, attempt

Turns = list[tuple[int, int]]
"""Who moved (1 Black, -1 White) and where, in formats that name the colour of each move."""
PASS = -1
"""The cell of a pass."""
PART = 1000
"""Games of a part of a file."""


@dataclass(frozen=True)
class Entry:
    """A game in a file as its format read it, or why it could not be read."""

    place: str
    """Its place in the file, such as `line 7` or `game 3`; empty for the whole file."""
    record: GameRecord | None = None
    """The game, its moves not yet checked; None if it cannot be read."""
    turns: Turns | None = None
    """Who moved where, if the file names colours."""
    fault: str = ""
    """Why there is no record."""
    is_game: bool = True
    """Whether it counts as a game."""


@dataclass(frozen=True)
class ReadProblem:
    """A problem of a game, or of the whole file."""

    source: str
    """The file."""
    game: int
    """Which game of the file, from 1; 0 for the file as a whole."""
    place: str
    """Its place in the file, such as `line 7` or `game 3`; empty for the whole file."""
    reason: str
    """What is wrong with it."""

    def __str__(self) -> str:
        return f"{self.source}, {self.place}: {self.reason}" if self.place else f"{self.source} {self.reason}"


@dataclass(frozen=True)
class Scan:
    """All games of a file, readable or not."""

    source: str
    """The file."""
    games: int
    """Number of games, good and bad."""
    records: Sequence[GameRecord]
    """The good games: all their moves are legal."""
    faults: list[ReadProblem]
    """Problems of the unreadable games, in file order, and of the whole file or its files of names."""

    @property
    def bad(self) -> list[ReadProblem]:
        """Problems of single games."""
        return [fault for fault in self.faults if fault.game]

    @property
    def numbers(self) -> list[int]:
        """[records]: which game of the file each good one is, from 1."""
        bad = {fault.game for fault in self.bad}
        return [number for number in range(1, self.games + 1) if number not in bad]

    def checked(self, names: bool = True) -> list[GameRecord]:
        """All games; raises the first fault. Without `names`, damaged files of names are accepted."""
        for fault in self.faults:
            if names or fault.source == self.source:
                raise ZeroplyError(str(fault))
        return list(self.records)


@dataclass(frozen=True)
class Format:
    """How records are read from the bytes of a file, and written."""

    name: str
    """Its name for people."""
    scan: Callable[[bytes, Path, Game | None], Scan]
    """What the bytes of a file hold, given its path and the game if the caller knows it."""
    write: Callable[[Sequence[GameRecord], Path], dict[Path, bytes]] | None = None
    """The file of that path, and others that must stand beside it, with their bytes; None if it is only read."""
    games: bool = True
    """Whether it holds whole games, not only positions."""
    setups: bool = True
    """Whether it holds games that do not begin at the standard start."""
    scan_parts: Callable[[bytes, Path, Game | None], Iterator[Scan]] | None = None
    """As `scan`, but the games a part at a time; None if they are all read together."""

    def parts(self, data: bytes, path: Path, game: Game | None) -> Iterator[Scan]:
        """What the bytes of a file hold, a part at a time."""
        return iter([self.scan(data, path, game)]) if self.scan_parts is None else self.scan_parts(data, path, game)


def text_format(
    name: str,
    entries: Callable[[str, Game | None], Iterator[Entry]],
    write: Callable[[Sequence[GameRecord]], str],
    latin: bool = False,
    games: bool = True,
) -> Format:
    """A format of text in UTF-8; `latin` takes text that is not UTF-8 for Latin-1."""

    def read(data: bytes, game: Game | None) -> Iterator[Entry]:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            if not latin:
                return iter([Entry("", fault="is not text in UTF-8", is_game=False)])
            text = data.decode("latin-1")
        return entries(text, game)

    def scan(data: bytes, path: Path, game: Game | None) -> Scan:
        return scan_entries(read(data, game), str(path))

    def scan_parts(data: bytes, path: Path, game: Game | None) -> Iterator[Scan]:
        left, before = read(data, game), 0
        while some := list(islice(left, PART)):
            part = scan_entries(some, str(path), before)
            before = part.games
            yield part

    return Format(name, scan, lambda records, path: {path: encode(write(records))}, games, scan_parts=scan_parts)


def encode(text: str) -> bytes:
    """Text as UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.end]
        raise ZeroplyError(f"a player's name holds {bad!r}, which no text file can hold") from None


def scan_entries(entries: Iterable[Entry], source: str, before: int = 0) -> Scan:
    """The records of the readable entries, and the problems of the others; `before` games of the file came before."""
    games = before
    matches: list[tuple[int, Entry, GameRecord]] = []
    faults: list[tuple[int, ReadProblem]] = []  # with the number of games up to there, to put them in order
    for entry in entries:
        games += entry.is_game
        if entry.record is None:
            faults.append((games, ReadProblem(source, games if entry.is_game else 0, entry.place, entry.fault)))
        else:
            matches.append((games, entry, entry.record))
    replayed = attempt([record for *_, record in matches])
    reasons = _against_the_rules([(record, entry.turns) for _, entry, record in matches], replayed)
    faults += [
        (matches[i][0], ReadProblem(source, matches[i][0], matches[i][1].place, why)) for i, why in reasons.items()
    ]
    faults.sort(key=lambda fault: fault[0])
    good = [_settled(record, replayed, i) for i, (*_, record) in enumerate(matches) if i not in reasons]
    return Scan(source, games, good, [fault for _, fault in faults])


def moves_of(turns: Turns) -> tuple[int, ...]:
    """The cells without the passes."""
    return tuple([cell for _, cell in turns if cell != PASS])


def _settled(record: GameRecord, replayed: Replay, i: int) -> GameRecord:
    """A record without its forfeit if the game is over by the rules."""
    return replace(record, forfeit=0, reason="") if record.forfeit and not replayed.to_move[i] else record


def _against_the_rules(games: list[tuple[GameRecord, Turns | None]], replayed: Replay) -> dict[int, str]:
    """The faults of games that break the rules."""
    reasons = dict(replayed.illegal)
    for i, (record, turns) in enumerate(games):
        if turns is not None and i not in reasons and (reason := _wrong_turn(record, turns, replayed, i)):
            reasons[i] = reason
    return reasons


def _wrong_turn(record: GameRecord, turns: Turns, replayed: Replay, i: int) -> str:
    """Which turn the wrong colour took, or passed without need; empty if none."""
    movers = [*replayed.movers_of(i).tolist(), int(replayed.to_move[i])]
    if [colour for colour, _ in turns] == movers[:-1]:
        return ""
    move = 0
    for colour, cell in turns:
        name = "Black" if colour > 0 else "White"
        if cell != PASS:
            if colour != movers[move]:
                return f"move {move + 1}: {name} moves, but it is not {name}'s turn"
            move += 1
        elif colour == movers[move]:
            rule = "has a move" if record.game.facts.passes else f"may not in {record.game.name}"
            return f"move {move + 1}: {name} passes but {rule}"
    return ""
