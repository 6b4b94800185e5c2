"""One game as it was played: the moves, the position it started from, the players, where and when.

Passes are not recorded, since `play` makes them itself. Records are checked and judged by replaying many of them at
once, a move of each in every call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html import escape
from itertools import chain
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games.text import Board, write_board
from zeroply.specs import Spec, text_value

_YEAR = re.compile(r"(?<![0-9])(?:1[89]|20)[0-9]{2}(?![0-9])")
_FORFEIT = re.compile(r"([BW])\+(?:F|Forfeit|R|Resign|T|Time)", re.IGNORECASE)
_NOT_OVER = {0: "?", 1: "W+F", -1: "B+F"}
"""The results of games that are not over by the rules, by who has forfeited them."""


@dataclass(frozen=True, repr=False)
class GameRecord:
    """One game, finished or not."""

    game: Game
    """The rules it was played by."""
    moves: tuple[int, ...] = ()
    """The cells played, in order, passes left out."""
    setup: str | None = None
    """The board string of the first position; None for the standard start."""
    black: str = ""
    """Black's name, on one line; may be empty."""
    white: str = ""
    """White's name, on one line; may be empty."""
    event: str = ""
    """The tournament or place, on one line; may be empty."""
    date: str = ""
    """When it was played: `1999-10-31`, a year, or as the file has it; may be empty."""
    forfeit: int = field(default=0, kw_only=True)
    """Who has forfeited it: 1 Black, -1 White, 0 nobody. Ignored if it is over by the rules."""
    adjudicated: int | None = field(default=None, kw_only=True)
    """Black's score if the game was stopped and decided before its end. Ignored if it is over by the rules."""
    reason: str = field(default="", kw_only=True)
    """Why it was forfeited or adjudicated, on one line; may be empty."""
    seconds: tuple[float | None, ...] = field(default=(), kw_only=True, compare=False)
    """The time of each of `moves`, None where it is not known; empty if none is. Records are equal whatever it is."""

    def __post_init__(self) -> None:
        if self.forfeit not in _NOT_OVER:
            raise ZeroplyError(f"a game is forfeited by 1 (Black), -1 (White) or 0 (nobody), not by {self.forfeit}")
        object.__setattr__(self, "moves", _cells(self.moves, self.game))
        if self.seconds and len(self.seconds) != len(self.moves):
            raise ZeroplyError(
                f"a record of {len(self.moves)} moves has as many times, or none: not {len(self.seconds)}"
            )
        for name in ("black", "white", "event", "date", "reason"):
            if value := getattr(self, name):
                object.__setattr__(self, name, " ".join(value.split()))
        if self.setup is not None:
            object.__setattr__(self, "setup", _setup(self.game, self.setup)[0])

    def final(self) -> Positions:
        """The position (a batch of one) after the last move."""
        steps = _steps(self.game, [self])
        _play(steps)
        if steps.illegal:
            raise ZeroplyError(steps.illegal[0])
        return steps.final

    def positions(self) -> Positions:
        """[moves + 1]: the positions from the first to the last; number k is the one after k moves."""
        n = len(self.moves)
        steps = Lockstep(
            _starts(self.game, [self])[np.zeros(n + 1, np.int64)],
            np.array([cell for k in range(n + 1) for cell in self.moves[:k]], np.int32),
            np.arange(n + 1),
        )
        _play(steps)
        if steps.illegal:
            raise ZeroplyError(steps.illegal[min(steps.illegal)])
        return steps.final

    @property
    def year(self) -> int | None:
        """The year in `date`, if there is one."""
        match = _YEAR.search(self.date)
        return int(match[0]) if match else None

    @cached_property
    def _outcome(self) -> tuple[int, int, str]:
        final = self.final()
        (result,) = _results(final, [self])
        if self.forfeit and not final.over()[0]:
            most = self.game.cells if self.game.facts.margin else 1
            return -self.forfeit, -self.forfeit * most, result
        if self.adjudicated is not None and not final.over()[0]:
            return (self.adjudicated > 0) - (self.adjudicated < 0), self.adjudicated, result
        return int(final.winner()[0]), int(final.score()[0]), result

    @property
    def winner(self) -> int:
        """1 if Black has won, by a forfeit too, -1 if White has; 0 if drawn or not over."""
        return self._outcome[0]

    @property
    def score(self) -> int:
        """Black's result: the disc difference in Othello, else 1 won, 0 drawn or not over, -1 lost.

        In Othello a forfeit gives the winner all squares: 64 or -64 on the usual board.
        """
        return self._outcome[1]

    @property
    def result(self) -> str:
        """As SGF writes it: `B+12`, `W+1`, `Draw`, `W+F` if Black has forfeited, or `?` if the game is not over."""
        return self._outcome[2]

    @property
    def transcript(self) -> str:
        """The moves written one after the other."""
        return self.game.notation.transcript(list(self.moves))

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON or a table."""
        return {
            "game": str(full_spec(self.game)),
            "moves": self.transcript,
            "setup": self.setup,
            "black": self.black,
            "white": self.white,
            "event": self.event,
            "date": self.date,
            "result": self.result,
            "score": self.score,
            "reason": self.reason,
        }

    def __repr__(self) -> str:
        players = f"{self.black or '?'} - {self.white or '?'}, " if self.black or self.white else ""
        try:
            result = "unfinished" if self.result == "?" else self.result
        except ZeroplyError:
            result = "with an illegal move"
        return f"<game of {self.game}: {players}{len(self.moves)} moves, {result}>"

    def _repr_html_(self) -> str:
        """The last position, the players and the moves, for notebooks."""
        words = " - ".join(filter(None, (self.black, self.white)))
        lines = [words, self.result, self.transcript]
        return self.final().svg() + "".join(f"<div>{escape(line)}</div>" for line in lines if line)


@dataclass(frozen=True)
class Replay:
    """The replay of n records."""

    first: NDArray[np.int64]
    """[n + 1]: where the moves of each record begin in `movers`."""
    movers: NDArray[np.int8]
    """[moves of all records]: who made each move, 1 Black, -1 White."""
    to_move: NDArray[np.int8]
    """[n]: whose turn it is at the end; 0 if the game is over."""
    results: list[str]
    """[n]: the results as SGF writes them."""
    illegal: dict[int, str]
    """Why a record cannot be played to its end, by record number."""

    def movers_of(self, record: int) -> NDArray[np.int8]:
        """Who made each move of one record."""
        return self.movers[self.first[record] : self.first[record + 1]]


@dataclass(frozen=True)
class Ply:
    """One move of every unfinished game."""

    number: int
    """How many moves have been made, passes left out."""
    games: NDArray[np.int64]
    """[m]: which games these are."""
    positions: Positions
    """[m]: the positions before the move. The next step changes them: copy what you need."""
    moves: NDArray[np.int32]
    """[m]: the cells that are played now."""


class Lockstep:
    """Many games replayed together: iterate over it to see every `Ply` before it is played.

    The longest games come first, so that those still being played are always the first ones of the batch. A game with
    an illegal move stops there; the others continue.
    """

    final: Positions
    """[n]: where each game ends, once all plies have been played."""
    illegal: dict[int, str]
    """Why a game stopped before its end, by game number."""

    def __init__(self, starts: Positions, moves: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        """Replay `lengths[i]` moves from `starts[i]`; `moves` holds those of all games, one game after the other."""
        self.final = starts
        self.illegal = {}
        self.first = _first(lengths)
        self.moves = moves
        self.lengths = lengths

    def __iter__(self) -> Iterator[Ply]:
        games = np.argsort(-self.lengths, kind="stable")
        positions = self.final[games]
        for number in range(self.lengths.max(initial=0)):
            still = int(np.count_nonzero(self.lengths[games] > number))
            if still < len(games):
                self.final[games[still:]] = positions[still:]
                games, positions = games[:still], positions[:still]
            if not still:
                break
            moves = self.moves[self.first[games] + number]
            yield Ply(number, games, positions, moves)
            if positions.batch.play(moves) >= 0:
                legal = positions.legal()[np.arange(still), moves]
                self._stop(Ply(number, games[~legal], positions[~legal], moves[~legal]))
                games, positions = games[legal], positions[legal]
                positions.batch.play(moves[legal])
        self.final[games] = positions

    def _stop(self, ply: Ply) -> None:
        self.final[ply.games] = ply.positions
        for i, game in enumerate(ply.games.tolist()):
            self.illegal[game] = f"move {ply.number + 1}{_why_illegal(ply.positions[i], int(ply.moves[i]))}"


def replay_all(records: Sequence[GameRecord]) -> Positions:
    """The final positions of records of one game, replayed together."""
    games = {record.game for record in records}
    if len(games) != 1:
        raise ZeroplyError(f"records of one game can be replayed together, not of {len(games)} games")
    steps = _steps(records[0].game, records)
    _play(steps)
    _refuse(steps.illegal)
    return steps.final


def replay(records: Sequence[GameRecord]) -> Replay:
    """Check records of any games by playing them."""
    replayed = attempt(records)
    _refuse(replayed.illegal)
    return replayed


def attempt(records: Sequence[GameRecord]) -> Replay:
    """Replay records of any games, some of which may hold illegal moves; results of such records are meaningless."""
    first = _first(np.array([len(record.moves) for record in records], np.int64))
    movers, to_move = np.zeros(first[-1], np.int8), np.zeros(len(records), np.int8)
    results = [""] * len(records)
    illegal: dict[int, str] = {}
    groups: dict[Game, list[int]] = {}
    for i, record in enumerate(records):
        groups.setdefault(record.game, []).append(i)
    for game, group in groups.items():
        steps = _steps(game, [records[i] for i in group])
        rows = slice(None) if len(groups) == 1 else np.concatenate([np.arange(first[i], first[i + 1]) for i in group])
        movers[rows] = _play(steps)
        to_move[group] = np.where(steps.final.over(), 0, steps.final.to_move())
        for i, result in zip(group, _results(steps.final, [records[i] for i in group]), strict=True):
            results[i] = result
        illegal |= {group[i]: why for i, why in steps.illegal.items()}
    return Replay(first, movers, to_move, results, illegal)


def full_spec(game: Game) -> Spec:
    """The spec of a game with every option, independent of defaults."""
    return Spec(game.name, **{key: text_value(v) if isinstance(v, str) else v for key, v in game.options})


def forfeit_in(result: str) -> int:
    """Who has forfeited by a result as SGF writes it, also one by resignation or on time: 1 Black, -1 White, else 0."""
    match = _FORFEIT.fullmatch(result.strip())
    return 0 if match is None else -1 if match[1] in "Bb" else 1


def _refuse(illegal: dict[int, str]) -> None:
    """Raise the fault of the first bad record, if any."""
    if illegal:
        bad = next(iter(illegal))
        raise ZeroplyError(f"game {bad + 1}: {illegal[bad]}")


def _first(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _results(final: Positions, records: Sequence[GameRecord]) -> list[str]:
    def text(over: bool, score: int, record: GameRecord) -> str:
        if not over:
            if record.forfeit or record.adjudicated is None:
                return _NOT_OVER[record.forfeit]
            score = record.adjudicated
        return f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "Draw"

    return list(map(text, final.over().tolist(), final.score().tolist(), records))


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
    """The board string as zeroply itself writes it, None for the standard start, and its board."""
    board = game.parse(text).boards()[0]
    written = write_board(board, game.notation)
    return (None if written == _start(game) else written), board


@lru_cache(maxsize=64)
def _start(game: Game) -> str:
    return game.start().text()[0]


def _steps(game: Game, records: Sequence[GameRecord]) -> Lockstep:
    """The replay of records of one game."""
    lengths = np.array([len(record.moves) for record in records], np.int64)
    moves = np.fromiter(chain.from_iterable(record.moves for record in records), np.int32, int(lengths.sum()))
    return Lockstep(_starts(game, records), moves, lengths)


def _play(steps: Lockstep) -> NDArray[np.int8]:
    """Play all plies; returns who made each move, in the order of the moves."""
    movers = np.zeros(steps.first[-1], np.int8)
    for ply in steps:
        movers[steps.first[ply.games] + ply.number] = ply.positions.to_move()
    return movers


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
