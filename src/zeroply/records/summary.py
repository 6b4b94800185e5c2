"""What many games have in common: results, lengths, years, players and openings.

Openings are counted up to the symmetries that leave the start of the game as it is, and shown in the form that is
played most often.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.records.record import GameRecord, replay

Key = TypeVar("Key")
SCORES = {"B": 1.0, "D": 0.5, "W": 0.0}
"""Black's points by the first letter of a result; a game that is not over has none."""


@dataclass
class Points:
    """The results of some games from one side."""

    games: int = 0
    """Number of games, finished or not."""
    finished: int = 0
    """Number of games that are over or forfeited."""
    points: float = 0.0
    """A win is 1, a draw 1/2."""

    def add(self, points: float | None) -> None:
        """Count one game; None if it is not over."""
        self.games += 1
        if points is not None:
            self.finished += 1
            self.points += points

    @property
    def score(self) -> float:
        """Points for each finished game; nan if there is none."""
        return self.points / self.finished if self.finished else float("nan")


@dataclass
class Summary:
    """The games of one kind."""

    game: Game
    """The rules."""
    games: int = 0
    """Number of games."""
    moves: int = 0
    """Number of moves, passes left out."""
    passes: int = 0
    """Number of passes between two moves."""
    black_wins: int = 0
    """Games that Black has won."""
    draws: int = 0
    """Games that were drawn."""
    white_wins: int = 0
    """Games that White has won."""
    unfinished: int = 0
    """Games that are neither over after their last move nor forfeited."""
    setups: int = 0
    """Games that do not begin at the standard start."""
    lengths: Counter[int] = field(default_factory=Counter)
    """Number of games by number of moves."""
    years: Counter[int] = field(default_factory=Counter)
    """Number of games by year, where it is known."""
    players: dict[str, Points] = field(default_factory=dict)
    """The results of each player that is named."""
    openings: dict[tuple[int, ...], Points] = field(default_factory=dict)
    """Black's results after each opening; games that are shorter or begin elsewhere have none."""

    @property
    def mean_length(self) -> float:
        """Moves of a game on average."""
        return self.moves / self.games if self.games else float("nan")


def summarise(records: Iterable[GameRecord], plies: int = 6) -> list[Summary]:
    """A summary for each game there is, the most frequent one first; an opening is the first `plies` moves."""
    if plies < 1:
        raise ZeroplyError(f"an opening has 1 ply or more, not {plies}")
    groups: defaultdict[Game, list[GameRecord]] = defaultdict(list)
    for record in records:
        groups[record.game].append(record)
    summaries = [_summary(game, group, plies) for game, group in groups.items()]
    return sorted(summaries, key=lambda summary: -summary.games)


def _summary(game: Game, records: Sequence[GameRecord], plies: int) -> Summary:
    replayed = replay(records)
    moves = len(replayed.movers)
    again = np.zeros(moves, np.bool_)
    again[1:] = replayed.movers[1:] == replayed.movers[:-1]
    again[replayed.first[replayed.first < moves]] = False  # the first move of a game
    summary = Summary(game, len(records), moves, int(np.count_nonzero(again)))
    outcomes = Counter(result[0] for result in replayed.results)
    summary.black_wins, summary.white_wins = outcomes["B"], outcomes["W"]
    summary.draws, summary.unfinished = outcomes["D"], outcomes["?"]
    summary.setups = sum(record.setup is not None for record in records)
    summary.lengths.update(len(record.moves) for record in records)
    summary.years.update(record.year for record in records if record.year)
    points = [SCORES.get(result[0]) for result in replayed.results]
    summary.players = _players(records, points)
    summary.openings = _openings(game, records, points, plies)
    return summary


def _players(records: Sequence[GameRecord], points: list[float | None]) -> dict[str, Points]:
    players: defaultdict[str, Points] = defaultdict(Points)
    for record, blacks in zip(records, points, strict=True):
        if record.black:
            players[record.black].add(blacks)
        if record.white:
            players[record.white].add(None if blacks is None else 1 - blacks)
    return _most_first(players)


def _openings(
    game: Game, records: Sequence[GameRecord], points: list[float | None], plies: int
) -> dict[tuple[int, ...], Points]:
    played: defaultdict[tuple[int, ...], Points] = defaultdict(Points)
    for record, blacks in zip(records, points, strict=True):
        if record.setup is None and len(record.moves) >= plies:
            played[record.moves[:plies]].add(blacks)
    start = game.start()
    images = [
        game.symmetries[k].tolist() for k in range(len(game.symmetries)) if start.symmetry(k).hash() == start.hash()
    ]
    merged: dict[tuple[int, ...], tuple[tuple[int, ...], Points]] = {}
    for moves, each in _most_first(played).items():  # the first form met is the most frequent one
        canonical = min(tuple(image[cell] for cell in moves) for image in images)
        _, total = merged.setdefault(canonical, (moves, Points()))
        total.games += each.games
        total.finished += each.finished
        total.points += each.points
    return _most_first(dict(merged.values()))


def _most_first(points: dict[Key, Points]) -> dict[Key, Points]:
    return dict(sorted(points.items(), key=lambda item: -item[1].games))
