"""OBF, Othello Board Files as Edax reads them, and plain board strings: one position per line, its moves scored.

    --XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;  % FFO 1

Scores are disc differences for the side to move, the best move first. What follows `%` is a comment. A problem is a
record without moves, so it can go wherever a game from a set-up position can; a game is written as its last position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from zeroply import games
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games.text import NAMES, read_board
from zeroply.records.formats import Entry, scan_entries, text_format
from zeroply.records.record import GameRecord, replay_all
from zeroply.specs import Spec, excerpt

_SCORE = re.compile(r"[+-]?[0-9]{1,4}")


@dataclass(frozen=True)
class Problem(GameRecord):
    """A position whose moves may be scored."""

    scores: tuple[tuple[int, int], ...] = ()
    """Cells and their scores for the side to move, in the order of the file: all moves, some or none."""

    @property
    def position(self) -> str:
        """The board string."""
        return self.setup or self.game.start().text()[0]

    @property
    def value(self) -> int | None:
        """The score of the best move; None if none is scored."""
        return max((score for _, score in self.scores), default=None)

    @property
    def best(self) -> tuple[int, ...]:
        """The cells of the best moves."""
        return tuple(cell for cell, score in self.scores if score == self.value)


def read_obf(text: str, source: str = "OBF", game: Game | str | Spec = "othello") -> list[Problem]:
    """The problems in a text; every scored move is legal."""
    records = scan_entries(_entries(text, games.game(game)), source).checked()
    return [record for record in records if isinstance(record, Problem)]


def write_obf(records: Sequence[GameRecord]) -> str:
    """Problems with their scores, and the last position of each game, one per line."""
    lines = [""] * len(records)
    groups: dict[Game, list[int]] = {}
    for i, record in enumerate(records):
        record.game.require("othello", f"game {i + 1}: OBF")
        groups.setdefault(record.game, []).append(i)
    for group in groups.values():
        for i, text in zip(group, replay_all([records[i] for i in group]).text(), strict=True):
            lines[i] = f"{text};{_scores(records[i])}\n"
    return "".join(lines)


def check_squares(text: str, cells: int) -> str:
    """A board string that has a side to move and the right number of squares before it."""
    squares, side = text.strip()[:-1].split(), text.strip()[-1:]
    count = sum(map(len, squares))
    if count == cells - 1 and not text.strip()[:-1].endswith(tuple(" \t\r\n")):
        raise ZeroplyError(f"the side to move, X or O, is missing after the {cells} squares of the board")
    if count != cells:
        raise ZeroplyError(f"the board has {count} squares where {cells} are needed, before the side to move")
    return f"{''.join(squares)} {side}"


def _scores(record: GameRecord) -> str:
    scores = record.scores if isinstance(record, Problem) else ()
    return "".join(f" {record.game.notation.name(cell).upper()}:{score:+d};" for cell, score in scores)


def _entries(text: str, given: Game | None) -> Iterator[Entry]:
    game = given or games.game("othello")
    game.require("othello", "OBF")
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        content = line.partition("%")[0].strip()
        if not content or content.startswith("#"):
            continue
        try:
            yield Entry(f"line {number}", _problem(content, game))
        except ZeroplyError as error:
            yield Entry(f"line {number}", fault=str(error))


def _problem(content: str, game: Game) -> Problem:
    board, *fields = content.split(";")
    text = check_squares(board, game.cells)
    scores = tuple(_scored(field, game) for field in fields if field.strip())
    problem = Problem(game, (), text, scores=scores)
    if scores:
        _check_moves(problem, read_board(text, game.notation).to_move)
    return problem


def _scored(field: str, game: Game) -> tuple[int, int]:
    """The cell and score of a field such as `G8:+18`."""
    name, colon, score = field.partition(":")
    if not colon:
        raise ZeroplyError(f"'{excerpt(field.strip(), width=20)}' is not a scored move such as {_example(game)}")
    cell = game.notation.cell(name)
    if not _SCORE.fullmatch(score.strip()):
        shown = excerpt(score.strip(), width=20)
        raise ZeroplyError(f"the score '{shown}' of {name.strip()} is not a whole number, as in {_example(game)}")
    return cell, int(score.strip())


def _example(game: Game) -> str:
    return f"{game.notation.name(game.cells - 2).upper()}:+18"


def _check_moves(problem: Problem, side: int) -> None:
    """Refuse scored moves that cannot be played, or that are scored twice."""
    position = problem.game.parse(problem.position)
    if not position.over()[0] and position.to_move()[0] != side:
        raise ZeroplyError(f"{NAMES[side]} has no move here: give the position with {NAMES[-side]} to move")
    legal = np.flatnonzero(position.legal()[0]).tolist()
    for cell, _ in problem.scores:
        name = problem.game.notation.name(cell)
        if cell not in legal:
            choice = ", ".join(map(problem.game.notation.name, legal)) or "none, game over"
            raise ZeroplyError(f"{name} is scored but is not a legal move for {NAMES[side]}; legal moves: {choice}")
        if sum(cell == other for other, _ in problem.scores) > 1:
            raise ZeroplyError(f"{name} is scored twice")


FORMAT = text_format("OBF", _entries, write_obf, latin=True, games=False)
