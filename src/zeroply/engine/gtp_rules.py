"""GTP for referees: the rules extension of GoGui, the questions GNU Go answers about stones, and handicaps.

With `gogui-rules_...` GoGui plays any game by asking the engine what is legal. A referee of Atari-Go asks `captures`
after each move. Handicap stones lie as section 4.1.1 of GTP 2 has them.
"""

from __future__ import annotations

import numpy as np

from zeroply.engine.gtp import WORDS, Arguments, Command, GtpError, GtpServer, cells_of, colour_of, whole
from zeroply.errors import ZeroplyError
from zeroply.games.text import Board, write_board

MOST_FREE = 40
"""The most free handicap stones."""


# GoGui


def _board(server: GtpServer, _: Arguments) -> str:
    size = server.session.game.size
    rows = server.session.position.stones()[0].reshape(size, size)
    return "\n" + "\n".join(" ".join({0: ".", 1: "X", -1: "O"}[int(stone)] for stone in row) for row in rows)


def _legal_moves(server: GtpServer, _: Arguments) -> str:
    return " ".join(map(server.move_name, cells_of(server.session.position.legal()[0])))


def _final_result(server: GtpServer, _: Arguments) -> str:
    return server.session.position.status()[0] if server.session.over else ""


def _captured_count(server: GtpServer, _: Arguments) -> str:
    black, white = server.session.position.captured()[0].tolist()
    return f"{black} {white}"


# GNU Go


def _captures(server: GtpServer, arguments: Arguments) -> str:
    colour = colour_of(arguments)
    return str(int(server.session.position.captured()[0, 0 if colour > 0 else 1]))


def _legal_for(server: GtpServer, colour: int) -> list[int]:
    session = server.session
    if session.over or not session.can_move(colour):
        return []
    seen = session.position if colour == session.so_far.colour else session.seen_by(colour)
    return cells_of(seen.legal()[0])


def _is_legal(server: GtpServer, arguments: Arguments) -> str:
    colour = colour_of(arguments, 2)
    if arguments[1].lower() == "pass":
        return "0" if not server.session.game.facts.passes or server.session.can_move(colour) else "1"
    return str(int(server.vertex(arguments[1]) in _legal_for(server, colour)))


def _all_legal(server: GtpServer, arguments: Arguments) -> str:
    return server.names(_legal_for(server, colour_of(arguments)))


def _list_stones(server: GtpServer, arguments: Arguments) -> str:
    return server.names(cells_of(server.session.position.stones()[0] == colour_of(arguments)))


def _countlib(server: GtpServer, arguments: Arguments) -> str:
    if len(arguments) != 1:
        raise GtpError("syntax error")
    cell = server.vertex(arguments[0])
    liberties = int(server.session.position.liberties()[0, cell])
    if not server.session.position.stones()[0, cell]:
        raise GtpError("vertex must not be empty")
    return str(liberties)


# Handicap


def fixed_points(size: int, stones: int) -> list[tuple[int, int]]:
    """Column and row, from 0 at the bottom left, of fixed handicap stones; none if there are not that many points."""
    most = 0 if size < 7 else 4 if size == 7 or size % 2 == 0 else 9
    if not 2 <= stones <= most:
        return []
    low = 2 if size < 13 else 3
    high, middle = size - 1 - low, size // 2
    points = [(low, low), (high, high), (low, high), (high, low)][:stones]
    if stones >= 6:
        points += [(low, middle), (high, middle)]
    if stones >= 8:
        points += [(middle, low), (middle, high)]
    if stones in (5, 7, 9):
        points.append((middle, middle))
    return points


def _fixed_handicap(server: GtpServer, arguments: Arguments) -> str:
    if len(arguments) != 1:
        raise GtpError("syntax error")
    points = fixed_points(server.session.game.size, whole(arguments[0]))
    if not points:
        raise GtpError("invalid number of stones")
    return _placed(server, [server.vertex(f"{server.notation.letters[c]}{r + 1}") for c, r in points])


def _place_free_handicap(server: GtpServer, arguments: Arguments) -> str:
    """As many of the fixed points as there are: an engine may place fewer than it is asked to."""
    if len(arguments) != 1:
        raise GtpError("syntax error")
    stones = whole(arguments[0])
    if not 2 <= stones <= MOST_FREE:
        raise GtpError("invalid number of stones")
    counts = (count for count in range(stones, 1, -1) if fixed_points(server.session.game.size, count))
    return _fixed_handicap(server, [str(next(counts, 0))])


def _set_free_handicap(server: GtpServer, arguments: Arguments) -> str:
    cells = [server.vertex(text) for text in arguments]
    if len(cells) < 2 or len(set(cells)) < len(cells):
        raise GtpError("bad vertex list")
    _placed(server, cells)
    return ""


def _placed(server: GtpServer, cells: list[int]) -> str:
    """Put Black's stones on the empty board; White is to move."""
    game = server.session.game
    if server.session.position.stones().any():
        raise GtpError("board not empty")
    stones = np.zeros(game.cells, np.int8)
    stones[cells] = 1
    try:
        position = game.parse(write_board(Board(stones, -1), game.notation))
    except ZeroplyError:
        raise GtpError("bad vertex list") from None
    server.session.place(position)
    return server.names(cells)


COMMANDS: dict[str, Command] = {
    "gogui-rules_game_id": lambda server, _: server.session.game.facts.gtp.names[0],
    "gogui-rules_board_size": lambda server, _: str(server.session.game.size),
    "gogui-rules_board": _board,
    "gogui-rules_side_to_move": lambda server, _: WORDS[server.session.so_far.colour],
    "gogui-rules_legal_moves": _legal_moves,
    "gogui-rules_final_result": _final_result,
    "gogui-rules_captured_count": _captured_count,
    "is_legal": _is_legal,
    "all_legal": _all_legal,
    "list_stones": _list_stones,
    "captures": _captures,
    "countlib": _countlib,
}
"""Commands for all games."""
HANDICAP: dict[str, Command] = {
    "fixed_handicap": _fixed_handicap,
    "place_free_handicap": _place_free_handicap,
    "set_free_handicap": _set_free_handicap,
}
"""Commands for games with handicaps."""
