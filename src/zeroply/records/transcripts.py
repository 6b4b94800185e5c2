"""Transcripts: text with a game on each line, as people paste them.

    # game: othello(size=8)
    f5d6c3d3c4f4  # "alphabeta(depth=4)" - "random", ?
    f5f6e6  # "Tamenori" - "Suekuni", W+F, "World Championship", "1999"
    ---------------------------OX------XO--------------------------- X; f5d6

A comment begins with `#`. The line `# game:` holds for the lines after it. Names are quoted as in JSON, so any name
can be read back; a comment of another form is only a comment. Results follow from the moves, so only that of a
forfeited game is read, `W+F` or `B+F`. A game from a set-up position has its board string and a semicolon before its
moves; a board string alone is a game without moves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games.text import Notation
from zeroply.records.formats import Entry, scan_entries, text_format
from zeroply.records.record import GameRecord, forfeit_in, full_spec, replay
from zeroply.specs import Spec

_HEADER = re.compile(r"#\s*game:\s*(.*)")
_QUOTED = r'("(?:[^"\\]|\\.)*+")'
_NAMES = re.compile(rf"\s*{_QUOTED}\s*-\s*{_QUOTED}\s*(?:,([^,\"]*),\s*{_QUOTED}\s*,\s*{_QUOTED}\s*|,(.*))?")
_MOVE = re.compile(r"[a-z][0-9]+")
_BOARD = re.compile(r"\s*+(?:[-.*XOxoBbWw]\s*+){16}")


def write_transcripts(records: Sequence[GameRecord]) -> str:
    """The records as text."""
    lines, last = [], None
    for record, result in zip(records, replay(records).results, strict=True):
        if record.game != last:
            lines.append(f"# game: {full_spec(record.game)}")
            last = record.game
        lines.append(_line(record, result))
    return "".join(line + "\n" for line in lines)


def read_transcripts(
    text: str, game: Game | str | Spec | None = None, source: str = "transcripts", most: int | None = None
) -> list[GameRecord]:
    """The records in a text, of the game its header names unless one is given. At most `most` games are read."""
    entries = _entries(text, None if game is None else games.game(game))
    return scan_entries(islice(entries, most), source).checked()


def names_game(text: str) -> bool:
    """Whether a text names the game of its transcripts."""
    return any(map(_header, _lines(text)))


def _lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").split("\n")


def _header(line: str) -> re.Match[str] | None:
    return _HEADER.match(line.strip())


def _entries(text: str, given: Game | None) -> Iterator[Entry]:
    current = given
    for number, line in enumerate(_lines(text), 1):
        content, _, comment = line.partition("#")
        is_game = bool(content.strip())
        try:
            if is_game:
                yield Entry(f"line {number}", _record(content, comment, current))
            elif given is None and (header := _header(line)):
                current = None
                current = games.game(header[1])
        except ZeroplyError as error:
            yield Entry(f"line {number}", fault=str(error), is_game=is_game)


def _line(record: GameRecord, result: str) -> str:
    start = record.setup
    if start is None and not record.moves:  # a line must not be empty
        start = record.game.start().text()[0]
    moves = record.game.notation.transcript(list(record.moves))
    line = moves if start is None else f"{start}; {moves}".rstrip()
    black, white, event, date = (
        json.dumps(text, ensure_ascii=False) for text in (record.black, record.white, record.event, record.date)
    )
    if record.event or record.date:
        return f"{line}  # {black} - {white}, {result}, {event}, {date}"
    return f"{line}  # {black} - {white}, {result}" if record.black or record.white else f"{line}  # {result}"


def _record(content: str, comment: str, game: Game | None) -> GameRecord:
    if game is None:
        raise ZeroplyError("which game is this? say --game othello, or put a line '# game: othello' before the games")
    before, semicolon, after = content.partition(";")
    if semicolon or _BOARD.match(content):
        return GameRecord(game, _cells(after, game.notation), before, **_told(comment))
    return GameRecord(game, _cells(content, game.notation), None, **_told(comment))


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


def _told(comment: str) -> dict[str, Any]:
    """Black, White, event, date and forfeit, as far as a comment contains them."""
    match = _NAMES.fullmatch(comment.rstrip("\r"))
    if match is None:
        return {"forfeit": forfeit_in(comment)}
    black, white, result, event, date, last = match.groups()
    names = {"black": black, "white": white, "event": event, "date": date}
    try:
        known = {field: json.loads(text) for field, text in names.items() if text}
    except ValueError:
        return {}
    return {**known, "forfeit": forfeit_in(result or last or "")}


FORMAT = text_format("transcripts", _entries, write_transcripts)
