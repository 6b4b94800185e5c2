"""SGF, the Smart Game Format FF[4] (Hollosi 1999); a game's number (GM) and form of points are among its facts.

Points are two letters, column and row from the top left. RU holds the game's spec with every option, so that reading
back gives the same game. Othello programs do not agree on points: `dc` is written, and `D3` is read too.
Only the main line of a tree is read. It ends at the tree's first closing bracket, so no stack is needed however deep
variations go. A game that was resigned or lost on time is read as forfeited: RE[W+F], or HexGui's last move B[resign].
GC tells why a game was forfeited or adjudicated, and the comment of a move how long it took, as C[0.125 s].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice

import numpy as np

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.games import GAMES, Game
from zeroply.games.text import SYMBOLS, read_board
from zeroply.records.formats import PASS, Entry, Turns, moves_of, scan_entries, text_format
from zeroply.records.record import GameRecord, forfeit_in, full_spec, replay
from zeroply.specs import Spec, excerpt, parse

SETUP = ("AB", "AW", "AE", "PL", "ZP")
"""Set-up properties; ZP is zeroply's own, for what stones do not show: `captured=2/0 ko=C3` as in board strings."""
NAMES = ("PB", "PW", "EV", "DT")
"""Black, White, event and date."""
_SECONDS = re.compile(r"\[([0-9]{1,9}(?:\.[0-9]{1,9})?) s\]")
"""The comment of a move that tells its time."""
MOVES_PER_LINE = 12

_START = re.compile(r"\(\s*+;")
_VALUE = r"\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]"
_VALUES = re.compile(_VALUE, re.DOTALL)
_MOVE = re.compile(r"([BW])(\[[A-Za-z0-9]*+\])")
_RUN = rf"(?:\s*+;\s*+{_MOVE.pattern.replace('(', '(?:')})++"
_PROPERTY = rf"([A-Za-z][A-Za-z0-9]*+)((?:\s*+{_VALUE})++)"
_TOKEN = re.compile(rf"({_RUN})|\s*+(?:([();])|{_PROPERTY})", re.DOTALL)
"""A run of nodes with only a move (most of a file, and read in one step), a bracket, or a property."""
_ROOT = re.compile(r"\(\s*+;[^();]{0,200}?(?<![A-Za-z\[])(?:GM|FF)\[")
"""A game tree, not a variation of one."""
_OPEN = re.compile(rf"\s*+(?:[A-Za-z][A-Za-z0-9]*+)?(?:\s*+{_VALUE})*+\s*+\[", re.DOTALL)
"""A property that cannot be read because its last value is never closed."""
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)

Properties = list[tuple[str, str]]
"""Identifier and values, with their brackets, of each property of a main line."""


def write_sgf(records: Sequence[GameRecord]) -> str:
    """The records as a collection of game trees."""
    replayed = replay(records)
    return "\n".join(
        _tree(record, replayed.results[i], replayed.movers_of(i).tolist()) for i, record in enumerate(records)
    )


def read_sgf(
    text: str, source: str = "SGF", game: Game | str | Spec | None = None, most: int | None = None
) -> list[GameRecord]:
    """The main line of each game tree in a text; `game` replaces GM and RU. At most `most` trees are read."""
    entries = _entries(text, None if game is None else games.game(game))
    return scan_entries(islice(entries, most), source).checked()


# Writing


def _tree(record: GameRecord, result: str, movers: list[int]) -> str:
    game = record.game
    if game.facts.sgf is None:
        raise ZeroplyError(f"SGF has no number for {game.name}: save its games as transcripts (.txt)")
    root = {"FF": "4", "GM": str(game.facts.sgf.number), "CA": "UTF-8", "SZ": str(game.size)}
    root |= {"RU": str(full_spec(game)), "PB": record.black, "PW": record.white, "EV": record.event}
    root |= {"DT": record.date, "RE": result, "GC": record.reason}
    text = "(;" + "".join(f"{key}[{_escaped(value)}]" for key, value in root.items() if value)
    if record.setup is not None:
        text += "\n" + _setup(record.setup, game)
    points, before = _written(game), -1
    times = record.seconds or (None,) * len(movers)
    for i, (cell, mover, taken) in enumerate(zip(record.moves, movers, times, strict=True)):
        point = game.facts.swap if game.facts.swap and cell == before else points[cell]
        text += "\n" * (i % MOVES_PER_LINE == 0) + f";{'B' if mover > 0 else 'W'}[{point}]"
        text += "" if taken is None else f"C[{taken:g} s]"
        before = cell
    return text + ")\n"


def _setup(setup: str, game: Game) -> str:
    board, points = read_board(setup, game.notation), _written(game)
    text = ""
    for key, colour in (("AB", 1), ("AW", -1)):
        cells = np.flatnonzero(board.stones == colour)
        text += key * bool(cells.size) + "".join(f"[{points[cell]}]" for cell in cells)
    text = (text or f"AE[{points[0]}:{points[-1]}]") + f"PL[{'B' if board.to_move > 0 else 'W'}]"
    _, _, extras = setup.partition(f" {SYMBOLS[board.to_move]} ")
    return text + (f"ZP[{_escaped(extras)}]" if extras else "")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


@cache
def _letters(size: int) -> list[str]:
    """The points as two letters, by cell."""
    letters = "abcdefghijklmnopqrstuvwxyz"[:size]
    return [column + row for row in letters for column in letters]


def _cell_names(game: Game) -> list[str]:
    return [game.notation.name(cell) for cell in range(game.cells)]


def _written(game: Game) -> list[str]:
    """The points as they are written, by cell."""
    named = game.facts.sgf is not None and game.facts.sgf.cell_names == "written"
    return _cell_names(game) if named else _letters(game.size)


# Reading


def _entries(text: str, given: Game | None) -> Iterator[Entry]:
    number = 0
    for number, properties in enumerate(_main_lines(text), 1):
        place = f"game {number}"
        try:
            yield Entry(place, fault=properties) if isinstance(properties, str) else _entry(place, properties, given)
        except ZeroplyError as error:
            yield Entry(place, fault=str(error))
    if not number and text.strip("\ufeff \t\r\n"):
        yield Entry("", fault="holds no game: an SGF file has '(;' at the start of each", is_game=False)


def _main_lines(text: str) -> Iterator[Properties | str]:
    """The properties along the main line of each game tree, or why it cannot be read."""
    at, more = 0, True
    while match := _START.search(text, at):
        at, depth, following = match.end(), 1, True
        properties: Properties = []
        while depth and (token := _TOKEN.match(text, at)):
            run, bracket, identifier, values = token.groups()
            if bracket == "(" and _ROOT.match(text, token.end() - 1):
                break
            at = token.end()
            if bracket:
                depth += {"(": 1, ")": -1, ";": 0}[bracket]
                following = following and bracket != ")"
            elif following:
                properties += _MOVE.findall(run) if run else [(identifier, values)]
        yield _why_unreadable(text, at) if depth else properties
        if depth and _OPEN.match(text, at):
            return  # a value that is never closed takes up the rest of the file
        if depth and more:
            root = _ROOT.search(text, at)
            at, more = (root.start(), True) if root else (at, False)


def _why_unreadable(text: str, at: int) -> str:
    rest = text[at : at + 1000].strip() or text[at:].strip()
    if not rest or _ROOT.match(rest):
        return "it is cut off: its last ')' is missing"
    return f"'{_shown(rest)}' is neither a property such as B[dc] nor one of ( ) ;"


def _shown(text: str) -> str:
    return " ".join(excerpt(text, width=20).split())


def _entry(place: str, properties: Properties, given: Game | None) -> Entry:
    """The record of a main line, and its turns with colours and passes."""
    root: dict[str, str] = {}
    setup: Properties = []
    moves: Properties = []
    times: dict[int, float] = {}
    for written, values in properties:
        identifier = written if written.isupper() else "".join(filter(str.isupper, written))
        if identifier in ("B", "W"):
            moves.append((identifier, values))
        elif identifier == "C" and moves:
            if taken := _SECONDS.fullmatch(values.strip()):
                times[len(moves)] = float(taken[1])
        elif identifier not in SETUP:
            root.setdefault(identifier, values)
        elif not moves:
            setup.append((identifier, values))
        elif identifier in ("AB", "AW", "AE"):
            raise ZeroplyError(f"{identifier} changes the stones after move {len(moves)}: only moves can be read there")
    info = {key: _plain(root[key]) for key in ("GM", "SZ", "RU", "RE", "GC", *NAMES) if key in root}
    number, size, rules = info.get("GM"), info.get("SZ"), info.get("RU", "")
    game = _checked_size(given, size) if given else _named(number, size, rules)
    resigned = moves.pop()[0] if moves and moves[-1][1].strip() == "[resign]" else ""
    turns = _turns(moves, _points(game), game.facts.swap)
    start = _board_string(setup, game, turns[0][0] if turns else 1) if setup else None
    names = (info.get(key, "") for key in NAMES)
    forfeit = {"B": 1, "W": -1}.get(resigned) or forfeit_in(info.get("RE", ""))
    reason = info.get("GC", "") if forfeit else ""
    seconds = tuple(times.get(number) for number, (_, cell) in enumerate(turns, 1) if cell != PASS) if times else ()
    record = GameRecord(game, moves_of(turns), start, *names, forfeit=forfeit, reason=reason, seconds=seconds)
    return Entry(place, record, turns)


def _plain(values: str) -> str:
    """The first of the values, as simple text."""
    match = _VALUES.search(values)
    return _ESCAPE.sub(_unescape, match[0][1:-1] if match else "").strip()


def _unescape(match: re.Match[str]) -> str:
    return "" if match[1][0] in "\r\n" else match[1]


@lru_cache(maxsize=256)
def _named(number: str | None, size: str | None, rules: str) -> Game:
    """The game that GM, SZ and RU describe."""
    try:
        spec = parse(rules)
    except ZeroplyError:
        spec = Spec("unknown")
    if spec.name in GAMES and (spec.args or spec.kwargs):
        return _checked_size(games.game(spec), size)
    there_are = {str(known.facts.sgf.number): known for known in map(games.game, GAMES) if known.facts.sgf}
    listed = there_are.get(number or "1")
    if listed is None or listed.facts.sgf is None:
        known = ", ".join(f"GM[{gm}] ({one.name})" for gm, one in sorted(there_are.items()))
        raise ZeroplyError(f"GM[{_shown(number or '')}] is not a game that zeroply reads; it reads {known}")
    options = listed.facts.sgf.rules.get(rules, {})
    if isinstance(options, str):
        raise ZeroplyError(f"RU[{rules}] is {options}, which zeroply does not play")
    return games.game(Spec(listed.name, size=listed.facts.sgf.size if size is None else _size(size), **options))


def _checked_size(game: Game, size: str | None) -> Game:
    if size is not None and _size(size) != game.size:
        raise ZeroplyError(f"its board has size {_size(size)}, which is not that of {game}")
    return game


def _size(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,3})(?::\1)?", text)
    if not match:
        raise ZeroplyError(f"SZ[{_shown(text)}] is not the size of a square board")
    return int(match[1])


@lru_cache(maxsize=64)
def _points(game: Game) -> dict[str, int]:
    """The cell of each point, in both forms where a game has two; passes too."""
    points = dict.fromkeys(("", "tt", "pa", "pass"), PASS)
    points |= {point: cell for cell, point in enumerate(_letters(game.size))}
    if game.facts.sgf is not None and game.facts.sgf.cell_names != "no":
        points |= {name: cell for cell, name in enumerate(_cell_names(game))}
    return {**points, "PA": PASS}


def _turns(moves: Properties, points: dict[str, int], swap: str | None) -> Turns:
    turns: Turns = []
    for colour, values in moves:
        text = values.strip()[1:-1]
        try:
            cell = turns[-1][1] if turns and text == swap else _point(text, points)
            turns.append((1 if colour == "B" else -1, cell))
        except ZeroplyError as error:
            raise ZeroplyError(f"move {len(moves_of(turns)) + 1}: {error}") from None
    return turns


def _point(text: str, points: dict[str, int]) -> int:
    cell = points.get(text)
    if cell is None:
        cell = points.get(text.strip().lower())
    if cell is None:
        raise ZeroplyError(f"'{_shown(text)}' is not a point of this board")
    return cell


def _board_string(setup: Properties, game: Game, first: int) -> str:
    """The position that set-up properties describe; without PL the colour `first` is to move."""
    points, to_move, extras = _points(game), first, ""
    bare = any(key in ("AB", "AW") for key, _ in setup)
    stones: list[int] = [0] * game.cells if bare else game.start().stones()[0].tolist()
    for key, values in setup:
        if key == "ZP":
            extras = _plain(values)
        elif key == "PL":
            colour = _plain(values)[:1].upper()
            if colour not in ("B", "W"):
                raise ZeroplyError("PL must be B or W")
            to_move = 1 if colour == "B" else -1
        else:
            for value in _VALUES.findall(values):
                for cell in _area(value, points, game.size):
                    stones[cell] = {"AB": 1, "AW": -1, "AE": 0}[key]
    return f"{''.join(SYMBOLS[stone] for stone in stones)} {SYMBOLS[to_move]} {extras}".rstrip()


def _area(value: str, points: dict[str, int], size: int) -> list[int]:
    """The cells of a point `dc` or of a rectangle `aa:cb`."""
    corners = [_point(corner, points) for corner in value[1:-1].split(":")]
    if PASS in corners or len(corners) > 2:
        raise ZeroplyError(f"'{_shown(value[1:-1])}' is not a point of this board")
    rows, columns = sorted(cell // size for cell in corners), sorted(cell % size for cell in corners)
    return [r * size + c for r in range(rows[0], rows[-1] + 1) for c in range(columns[0], columns[-1] + 1)]


FORMAT = text_format("SGF", _entries, write_sgf, latin=True)  # the encoding of SGF files that name none
