"""One game as it was played: the moves, the position it started from and the players.

Passes are not recorded, since `play` makes them itself. Records are checked and judged by replaying many of them at
once, a move of each in every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from operator import index

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games.text import Board, write_board
from zeroply.specs import Spec, text_value


@dataclass(frozen=True)
class GameRecord:
    """One game, finished or not."""

    game: Game
    """The rules it was played by."""
    moves: tuple[int, ...] = ()
    """The cells played, in order, passes left out."""
    setup: str | None = None
    """The board string of the first position; None for the usual start."""
    black: str = ""
    """Black's name, on one line; may be empty."""
    white: str = ""
    """White's name, on one line; may be empty."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "moves", _cells(self.moves, self.game))
        object.__setattr__(self, "black", " ".join(self.black.split()))
        object.__setattr__(self, "white", " ".join(self.white.split()))
        if self.setup is not None:
            object.__setattr__(self, "setup", _setup(self.game, self.setup)[0])

    def final(self) -> Positions:
        """The position (a batch of one) after the last move."""
        return _replay(self.game, [self], [""])[0]

    @cached_property
    def _outcome(self) -> tuple[int, int, str]:
        final = self.final()
        return int(final.winner()[0]), int(final.score()[0]), _results(final)[0]

    @property
    def winner(self) -> int:
        """1 if Black has won, -1 if White has; 0 if drawn or not over."""
        return self._outcome[0]

    @property
    def score(self) -> int:
        """Black's result: the disc difference in Othello, else 1 won, 0 drawn or not over, -1 lost."""
        return self._outcome[1]

    @property
    def result(self) -> str:
        """As SGF writes it: `B+12`, `W+1`, `Draw`, or `?` if the game is not over."""
        return self._outcome[2]


@dataclass(frozen=True)
class Replay:
    """What replaying n records tells."""

    first: NDArray[np.int64]
    """[n + 1]: where the moves of each record begin in `movers`."""
    movers: NDArray[np.int8]
    """[moves of all records]: who made each move, 1 Black, -1 White."""
    to_move: NDArray[np.int8]
    """[n]: whose turn it is at the end; 0 if the game is over."""
    results: list[str]
    """[n]: the results as SGF writes them."""

    def movers_of(self, record: int) -> NDArray[np.int8]:
        """Who made each move of one record."""
        return self.movers[self.first[record] : self.first[record + 1]]


def replay_all(records: Sequence[GameRecord]) -> Positions:
    """The final positions of records of one game, replayed together."""
    games = {record.game for record in records}
    if len(games) != 1:
        raise ZeroplyError(f"records of one game can be replayed together, not of {len(games)} games")
    return _replay(records[0].game, records, _numbered(records))[0]


def replay(records: Sequence[GameRecord], places: Sequence[str] | None = None) -> Replay:
    """Check records of any games by playing them; `places` says in errors where each record stands."""
    places = _numbered(records) if places is None else places
    first = _first([len(record.moves) for record in records])
    movers, to_move = np.zeros(first[-1], np.int8), np.zeros(len(records), np.int8)
    results = [""] * len(records)
    groups: dict[Game, list[int]] = {}
    for i, record in enumerate(records):
        groups.setdefault(record.game, []).append(i)
    for game, group in groups.items():
        final, theirs = _replay(game, [records[i] for i in group], [places[i] for i in group])
        movers[np.concatenate([np.arange(first[i], first[i + 1]) for i in group])] = theirs
        to_move[group] = np.where(final.over(), 0, final.to_move())
        for i, result in zip(group, _results(final), strict=True):
            results[i] = result
    return Replay(first, movers, to_move, results)


def full_spec(game: Game) -> Spec:
    """The spec of a game with every option given, so that it means the same wherever it is read."""
    return Spec(game.name, **{key: text_value(v) if isinstance(v, str) else v for key, v in game.options})


def _numbered(records: Sequence[GameRecord]) -> list[str]:
    return [f"game {i}" for i in range(1, len(records) + 1)]


def _first(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _results(final: Positions) -> list[str]:
    def text(over: bool, score: int) -> str:
        if not over:
            return "?"
        return f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "Draw"

    return list(map(text, final.over().tolist(), final.score().tolist()))


def _cells(moves: Sequence[int], game: Game) -> tuple[int, ...]:
    try:
        cells = tuple(map(index, moves))
    except TypeError:
        raise ZeroplyError("the moves of a record are numbers of cells") from None
    if cells and not 0 <= min(cells) <= max(cells) < game.cells:
        number, cell = next((i, cell) for i, cell in enumerate(cells, 1) if not 0 <= cell < game.cells)
        raise ZeroplyError(f"move {number}: {game} has cells from 0 to {game.cells - 1}, not {cell}")
    return cells


@lru_cache(maxsize=1 << 14)
def _setup(game: Game, text: str) -> tuple[str | None, Board]:
    """The board string as zeroply itself writes it, None for the usual start, and its board."""
    board = game.parse(text).boards()[0]
    written = write_board(board, game.notation)
    return (None if written == _start(game) else written), board


@lru_cache(maxsize=64)
def _start(game: Game) -> str:
    return game.start().text()[0]


def _replay(game: Game, records: Sequence[GameRecord], places: Sequence[str]) -> tuple[Positions, NDArray[np.int8]]:
    """The final positions, and who made each move, of records of one game.

    The longest records come first, so that those still being played are always the first ones of the batch.
    """
    lengths = np.array([len(record.moves) for record in records], np.int64)
    first = _first(lengths.tolist())
    moves = np.fromiter(chain.from_iterable(record.moves for record in records), np.int32, first[-1])
    movers = np.zeros(first[-1], np.int8)
    order = np.argsort(-lengths, kind="stable")
    final = _starts(game, records)
    playing = final[order]
    for ply in range(lengths.max(initial=0)):
        still = int(np.count_nonzero(lengths > ply))
        if still < len(playing):
            final[order[still : len(playing)]] = playing[still:]
            playing = playing[:still]
        at = first[order[:still]] + ply
        movers[at] = playing.to_move()
        illegal = playing.batch.play(moves[at])
        if illegal >= 0:
            place = places[order[illegal]]
            why = _why_illegal(playing[illegal], int(moves[at[illegal]]))
            raise ZeroplyError(f"{place}{': ' if place else ''}move {ply + 1}{why}")
    final[order[: len(playing)]] = playing
    return final, movers


def _starts(game: Game, records: Sequence[GameRecord]) -> Positions:
    starts = game.start(len(records))
    placed = [(i, record.setup) for i, record in enumerate(records) if record.setup is not None]
    if placed:
        starts[[i for i, _ in placed]] = game.make([_setup(game, setup)[1] for _, setup in placed])
    return starts


def _why_illegal(position: Positions, cell: int) -> str:
    if position.over()[0]:
        return " comes after the end of the game"
    try:
        position.play([cell])
    except ZeroplyError as error:
        return f": {error}"
    return " cannot be played"
