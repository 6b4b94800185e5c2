"""Boards for the stand-in engines: the plain rules of tests/reference.py. Without NumPy an engine starts at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from reference import Position as Position
from reference import start


def new(spec: str) -> Position:
    """The start of a game: `new("gomoku(size=7, exact=true)")`."""
    name, _, rest = spec.rstrip(")").partition("(")
    pairs = [pair.split("=") for pair in rest.split(",") if pair]
    options: dict[str, Any] = {"size": 8}
    options |= {key.strip(): value == "true" if value in ("true", "false") else int(value) for key, value in pairs}
    return start(name, **options)


def set_up(position: Position, signs: str, side: str) -> Position:
    """Put stones on an empty board: X or * for Black, O for White; `side` moves next."""
    position.stones = [{"X": 1, "*": 1, "O": -1}.get(sign, 0) for sign in signs]
    position.to_move = -1 if side == "O" else 1
    return position


def play(position: Position, cell: int) -> None:
    """Play a move; an engine that is sent an illegal one exits."""
    if cell not in position.legal():
        raise SystemExit(f"illegal move {cell}")
    position.play(cell)


def name_of(cell: int, size: int) -> str:
    """A cell as Othello players write it: d3."""
    return f"{'abcdefghijklmnop'[cell % size]}{cell // size + 1}"


def cell_of(name: str, size: int) -> int:
    """The cell with a name."""
    return "abcdefghijklmnop".index(name[0].lower()) + size * (int(name[1:]) - 1)
