"""GGF, the Generic Game Format of Othello servers (GGS) and NBoard: any number of games, usually one per line.

    (;GM[Othello]PB[left]PW[right]TY[8]RE[+12.000]BO[8 <64 of - * O> *]B[F5//1.2]W[D6/0.5/3]...W[PA]...;)

A move may carry an evaluation and seconds, which are skipped when read; seconds are written if they are known. Blanks
in the board, any case, passes in any spelling or left out, and words between games are all taken. Brackets cannot be
written inside names: they become ( and ).
A forfeited game is written as resigned, RE[-64.000:r]; one lost on time (`:t`) is read as forfeited too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import islice

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.records.formats import PASS, Entry, Turns, moves_of, scan_entries, text_format
from zeroply.records.obf import check_squares
from zeroply.records.record import GameRecord, replay
from zeroply.specs import Spec, excerpt

NAMES = {"PB": "black", "PW": "white", "PC": "event"}
"""The properties that hold the players and the place."""
PASSES = ("p", "pa", "pas", "pass", "ps", "--")
"""What is read as a pass, in any case."""
VARIANTS = {"a": "anti-Othello, where the fewest discs win", "k": "played with komi"}
"""Letters in TY that name other rules."""

_START = re.compile(r"\(\s*+;")
_VALUE = r"\[((?:[^\](]|\((?!;))*+)\]"
_MOVE = re.compile(r"([BbWw])\s*+\[\s*+([^\]/\s]*+)[^\]]*+\]")
_RUN = r"(?:\s*+;?+\s*+[BbWw]\s*+\[[^\](]*+\])++"
_TOKEN = re.compile(rf"({_RUN})|\s*+;?+\s*+([A-Za-z]++)\s*+{_VALUE}")
"""A run of moves (most of a file, and read in one step), or a property."""
_END = re.compile(r"\s*+;?+\s*+\)")
_BOARD = re.compile(r"\s*([0-9]{1,3})\s(.*)", re.DOTALL)
_LOST = re.compile(r"([+-]?[0-9]{1,4}(?:\.[0-9]{0,9})?)\s*:\s*[rt]", re.IGNORECASE)
"""The result of a game that was resigned or lost on time."""
_TYPE = re.compile(r"s?([0-9]+)([a-z0-9]*)")

Moves = list[tuple[str, str]]
"""Colour and name of each move of a game."""


def write_ggf(records: Sequence[GameRecord]) -> str:
    """The records, one per line, with passes."""
    replayed = replay(records)
    lines = []
    for i, record in enumerate(records):
        record.game.require("othello", f"game {i + 1}: GGF", hint="save it as .sgf")
        lines.append(_line(record, replayed.results[i], replayed.movers_of(i).tolist()) + "\n")
    return "".join(lines)


def read_ggf(
    text: str, source: str = "GGF", game: Game | str | Spec | None = None, most: int | None = None
) -> list[GameRecord]:
    """The games in a text, of the size their boards have; a game that is given must be of that size.

    At most `most` games are read.
    """
    entries = _entries(text, None if game is None else games.game(game))
    return scan_entries(islice(entries, most), source).checked()


# Writing


def _line(record: GameRecord, result: str, movers: list[int]) -> str:
    size = record.game.size
    info = {key: getattr(record, field) for key, field in NAMES.items()} | {"DT": record.date, "TY": str(size)}
    text = "(;GM[Othello]" + "".join(f"{key}[{_plain(value)}]" for key, value in info.items() if value)
    names, previous = _names(record.game), 0
    text += f"RE[{_result(result, record.game)}]BO[{size} {_board(record)}]"
    times = record.seconds or (None,) * len(movers)
    for cell, mover, taken in zip(record.moves, movers, times, strict=True):
        if mover == previous:
            text += "W[PA]" if mover > 0 else "B[PA]"
        text += f"{'B' if mover > 0 else 'W'}[{names[cell]}{'' if taken is None else f'//{taken:g}'}]"
        previous = mover
    return text + ";)"


def _plain(text: str) -> str:
    return text.replace("[", "(").replace("]", ")").replace("(;", "( ;")


def _result(result: str, game: Game) -> str:
    """Black's score as GGF writes it."""
    if result in ("?", "Draw"):
        return {"?": "?", "Draw": "0.000"}[result]
    sign, score = "+" if result[0] == "B" else "-", result[2:]
    return f"{sign}{game.cells}.000:r" if score == "F" else f"{sign}{score}.000"


def _board(record: GameRecord) -> str:
    """The rows of the first position and the side to move."""
    squares, side = (record.setup or _start(record.game)).replace("X", "*").split()
    size = record.game.size
    return " ".join([*(squares[row * size : row * size + size] for row in range(size)), side])


@cache
def _start(game: Game) -> str:
    return game.start().text()[0]


@cache
def _names(game: Game) -> list[str]:
    return [game.notation.name(cell).upper() for cell in range(game.cells)]


# Reading


def _entries(text: str, given: Game | None) -> Iterator[Entry]:
    if given is not None:
        given.require("othello", "GGF")
    number, at = 0, 0
    while match := _START.search(text, at):
        number, at = number + 1, match.end()
        info: dict[str, str] = {}
        moves: Moves = []
        while token := _TOKEN.match(text, at):
            run, key, value = token.groups()
            if run or key in ("B", "W"):
                moves += _MOVE.findall(token[0])
            else:
                info.setdefault(key.upper(), value.strip())
            at = token.end()
        end = _END.match(text, at)
        try:
            if end is None:
                raise ZeroplyError(_why_unreadable(text[at : at + 1000].lstrip()))
            at = end.end()
            yield _entry(f"game {number}", info, moves, given)
        except ZeroplyError as error:
            yield Entry(f"game {number}", fault=str(error))
    if not number and text.strip("\ufeff \t\r\n"):
        yield Entry("", fault="holds no game: a GGF file has '(;' at the start of each", is_game=False)


def _why_unreadable(rest: str) -> str:
    if not rest or _START.match(rest):
        return "it is cut off: its last ';)' is missing"
    return f"'{_shown(rest)}' is neither a property such as B[F5] nor the end ';)'"


def _shown(text: str) -> str:
    return " ".join(excerpt(text, width=20).split())


def _entry(place: str, info: dict[str, str], moves: Moves, given: Game | None) -> Entry:
    if (name := info.get("GM", "Othello")).title() not in _othello(8).facts.gtp.names:
        raise ZeroplyError(f"GM[{_shown(name)}] is not GM[Othello], the only game of GGF that can be read")
    size, board = _size_and_board(info)
    if given is not None and given.size != size:
        raise ZeroplyError(f"its board has size {size}, which is not that of {given}")
    game = given or _othello(size)
    turns = _turns(moves, game)
    black, white, event = (info.get(key, "") for key in NAMES)
    setup = None if board is None else check_squares(board, game.cells)
    date, forfeit = _date(info.get("DT", "")), _forfeit(info.get("RE", ""))
    record = GameRecord(game, moves_of(turns), setup, black, white, event, date, forfeit=forfeit)
    return Entry(place, record, turns)


@cache
def _othello(size: int) -> Game:
    return games.game(Spec("othello", size=size))


def _size_and_board(info: dict[str, str]) -> tuple[int, str | None]:
    """The size of the board and, unless it is the standard start, the squares and side to move."""
    kind = _TYPE.match(info.get("TY", "").lower())
    for letter, variant in VARIANTS.items():
        if kind and letter in kind[2]:
            raise ZeroplyError(f"TY[{_shown(info['TY'])}] is {variant}, which zeroply does not play")
    if "BO" in info:
        match = _BOARD.match(info["BO"])
        return (int(match[1]), match[2]) if match else (8, info["BO"])
    return int(kind[1][:3]) if kind else 8, None


def _turns(moves: Moves, game: Game) -> Turns:
    cells = _cells(game)
    for i, (_, name) in enumerate(moves):
        if name not in cells:
            number = 1 + sum(cells[before] != PASS for _, before in moves[:i])
            raise ZeroplyError(f"move {number}: {_why_unknown(name, game)}")
    return [(1 if colour in "Bb" else -1, cells[name]) for colour, name in moves]


@cache
def _cells(game: Game) -> dict[str, int]:
    """The cell of each name in either case, passes too."""
    cells = dict.fromkeys(PASSES, PASS) | {name: cell for cell, name in enumerate(_names(game))}
    return {written: cell for name, cell in cells.items() for written in (name.upper(), name.lower(), name.title())}


def _why_unknown(name: str, game: Game) -> str:
    return f"'{_shown(name)}' is neither a cell from {_names(game)[0]} to {_names(game)[-1]} nor the pass PA"


def _forfeit(result: str) -> int:
    """Who has forfeited: 1 Black, -1 White, 0 nobody."""
    match = _LOST.fullmatch(result)
    score = float(match[1]) if match else 0
    return (score < 0) - (score > 0)


def _date(text: str) -> str:
    """A date as `1999-10-31` if it can be read (servers also write seconds since 1970), else as it is."""
    if re.fullmatch(r"[0-9]{9,10}", text):
        return datetime.fromtimestamp(int(text), UTC).date().isoformat()
    match = re.match(r"([0-9]{4})[-./]([0-9]{2})[-./]([0-9]{2})(?![0-9])", text)
    return "-".join(match.groups()) if match else text


FORMAT = text_format("GGF", _entries, write_ggf, latin=True)
