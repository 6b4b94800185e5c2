"""Transcripts: text with a game on each line, as people paste them.

    # game: othello(size=8)
    f5d6c3d3c4f4  # "alphabeta(depth=4)" - "random", ?
    ---------------------------OX------XO--------------------------- X; f5d6

A comment begins with `#`. The line `# game:` holds for the lines after it. Names are quoted as in JSON, so any name
can be read back; a comment of another form is only a comment. A game from a set-up position has its board string and
a semicolon before its moves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games.text import Notation
from zeroply.records.formats import Format, encode
from zeroply.records.record import GameRecord, full_spec, replay
from zeroply.specs import Spec

_HEADER = re.compile(r"#\s*game:\s*(.*)")
_QUOTED = r'("(?:[^"\\]|\\.)*+")'
_NAMES = re.compile(rf"\s*{_QUOTED}\s*-\s*{_QUOTED}\s*(?:,.*)?")
_MOVE = re.compile(r"[a-z][0-9]+")


def write_transcripts(records: Sequence[GameRecord]) -> str:
    """The records as text."""
    lines, last = [], None
    for record, result in zip(records, replay(records).results, strict=True):
        if record.game != last:
            lines.append(f"# game: {full_spec(record.game)}")
            last = record.game
        lines.append(_line(record, result))
    return "".join(line + "\n" for line in lines)


def read_transcripts(text: str, game: Game | str | Spec | None = None, source: str = "transcripts") -> list[GameRecord]:
    """The records in a text, of the game its header names unless one is given."""
    given = None if game is None else games.game(game)
    current, records, places = given, [], []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        place = f"{source}, line {number}"
        content, _, comment = line.partition("#")
        try:
            if content.strip():
                records.append(_record(content, comment, current))
                places.append(place)
            elif given is None and (header := _HEADER.match(line.strip())):
                current = games.game(header[1])
        except ZeroplyError as error:
            raise ZeroplyError(f"{place}: {error}") from None
    replay(records, places)
    return records


def _line(record: GameRecord, result: str) -> str:
    start = record.setup
    if start is None and not record.moves:  # a line must not be empty
        start = record.game.start().text()[0]
    moves = record.game.notation.transcript(list(record.moves))
    line = moves if start is None else f"{start}; {moves}".rstrip()
    names = [json.dumps(name, ensure_ascii=False) for name in (record.black, record.white)]
    return f"{line}  # {' - '.join(names)}, {result}" if record.black or record.white else f"{line}  # {result}"


def _record(content: str, comment: str, game: Game | None) -> GameRecord:
    if game is None:
        raise ZeroplyError("which game is this? name it, or put a line such as '# game: othello' before the first game")
    before, semicolon, after = content.partition(";")
    moves = _cells(after if semicolon else before, game.notation)
    return GameRecord(game, moves, before if semicolon else None, *_names(comment))


def _cells(text: str, notation: Notation) -> tuple[int, ...]:
    """The cells of moves written one after the other; as `Notation.cells` but faster."""
    plain = "".join(text.lower().split())
    names = _MOVE.findall(plain)
    if "".join(names) == plain:
        table = _table(notation)
        if all(name in table for name in names):
            return tuple([table[name] for name in names])
    return tuple(notation.cells(text))


@cache
def _table(notation: Notation) -> dict[str, int]:
    return {notation.name(cell).lower(): cell for cell in range(notation.size**2)}


def _names(comment: str) -> tuple[str, str]:
    match = _NAMES.fullmatch(comment.rstrip("\r"))
    if not match:
        return "", ""
    try:
        return json.loads(match[1]), json.loads(match[2])
    except ValueError:
        return "", ""


def _read(data: bytes, source: str, game: Game | None) -> list[GameRecord]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ZeroplyError(f"{source} is not text in UTF-8") from None
    return read_transcripts(text, game, source)


FORMAT = Format("transcripts", _read, lambda records: encode(write_transcripts(records)))
