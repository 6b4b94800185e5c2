"""A league: every player meets every other one in a match; Bradley-Terry ratings over all results.

The chance of a pairing is keyed by the seed and the places of its two players in the list.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from tyro.conf import Positional, arg

from zeroply import chance
from zeroply.arena.adjudication import Adjudication
from zeroply.arena.async_games import NO_ADJUDICATION
from zeroply.arena.openings import Openings, OpeningSpec, Order
from zeroply.arena.paired_games import (
    PairedGames,
    Pairing,
    PlayConfig,
    forfeit_lines,
    forfeit_table,
    logged_games,
    prepared,
    variety_hint,
)
from zeroply.arena.pairs import LostGame, Pairs, lost_games, record
from zeroply.arena.programs import Programs
from zeroply.arena.ratings import Ratings, rate
from zeroply.arena.setup import BATCH, PlayerLike
from zeroply.arena.statistics import pair_counts
from zeroply.arena.variety import different, repetitive
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.progress import Progress
from zeroply.records import GameRecord
from zeroply.runs import Folder, Json, RunRecord, TextTable, run_experiment
from zeroply.runs.notebook import as_html
from zeroply.specs import Spec


@dataclass(frozen=True, repr=False)
class LeagueResult:
    """The result of a league."""

    game: Game
    """The game played."""
    players: tuple[str, ...]
    """The players, by their names or specs, in the order given."""
    openings: Openings
    """Start positions of the games."""
    seed: int
    """Random seed."""
    pairings: dict[Pairing, Pairs]
    """The games of every two players that met, by their places in the list."""
    date: str = ""
    """The day on which it began, in UTC: `2026-11-18`."""

    @property
    def games(self) -> NDArray[np.int64]:
        """[n, n]: games played between every two."""
        return self._table(lambda pairs: 2 * (2 * len(pairs),)).astype(np.int64)

    @property
    def different(self) -> NDArray[np.int64]:
        """[n, n]: how many games between every two are different, up to the symmetries of the board."""
        return self._table(lambda pairs: 2 * (different(self.openings, pairs),)).astype(np.int64)

    @property
    def repetitive(self) -> list[Pairing]:
        """The pairings in which fewer than half of the games are different, so that intervals are too narrow."""
        counts, games = self.different, self.games
        return [pairing for pairing in self.pairings if repetitive(int(counts[pairing]), int(games[pairing]))]

    @property
    def points(self) -> NDArray[np.float64]:
        """[n, n]: points the row's player scored against the column's."""
        return self._table(lambda pairs: (pairs.scores.sum(), (1 - pairs.scores).sum()))

    @property
    def scores(self) -> NDArray[np.float64]:
        """[n, n]: points per game of the row's player against the column's; NaN where they did not meet."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.points / self.games, np.float64)

    @property
    def mean_scores(self) -> NDArray[np.float64]:
        """[n]: points per game against all others."""
        return np.asarray(self.points.sum(axis=1) / np.maximum(1, self.games.sum(axis=1)), np.float64)

    @property
    def forfeits(self) -> list[LostGame]:
        """The forfeited games, pairing by pairing."""
        return [
            lost
            for (i, j), pairs in self.pairings.items()
            for lost in lost_games(pairs, (self.players[i], self.players[j]))
        ]

    @property
    def ratings(self) -> Ratings:
        """Bradley-Terry ratings on the Elo scale, their mean 0."""
        return rate(self.points, self.games)

    def ranking(self) -> list[int]:
        """Places in the list, strongest first; ties in the order of the list."""
        return [int(i) for i in np.argsort(-self.ratings.elo, kind="stable")]

    def records(self) -> list[GameRecord]:
        """Every game, pairing by pairing."""
        return [
            record(self.game, self.openings, pairs, number, self._colours(i, j, number), self.date)
            for (i, j), pairs in self.pairings.items()
            for number in range(2 * len(pairs))
        ]

    def __str__(self) -> str:
        ratings, scores = self.ratings, self.mean_scores
        errors = (ratings.high - ratings.low) / 2
        width = max(map(len, self.players))
        lines = [
            f"{place:>2}  {self.players[i]:<{width}}  {ratings.elo[i]:+5.0f} ± {errors[i]:<3.0f}  {scores[i]:.3f}"
            for place, i in enumerate(self.ranking(), 1)
        ]
        few = len(self.repetitive)
        note = f"in {few} of {len(self.pairings)} pairings fewer than half of the games are different"
        return "\n".join([f"{self.game}, {self.games.sum() // 2} games", *lines, *([note] if few else [])])

    def _colours(self, i: int, j: int, number: int) -> tuple[str, str]:
        black, white = (i, j) if number % 2 == 0 else (j, i)
        return self.players[black], self.players[white]

    def _table(self, entries: Any) -> NDArray[np.float64]:
        table = np.zeros((len(self.players), len(self.players)))
        for (i, j), pairs in self.pairings.items():
            table[i, j], table[j, i] = entries(pairs)
        return table

    def __repr__(self) -> str:
        best, scores = self.ranking()[0], self.mean_scores
        games = self.games.sum() // 2
        first = f"{self.players[best]} is first with a score of {scores[best]:.3f}"
        return f"<league of {len(self.players)} players at {self.game}, {games} games: {first}>"

    def _repr_html_(self) -> str:
        """What the command prints, for notebooks."""
        return as_html(League.report(self))

    def to_dict(self) -> Json:
        """As plain values, strongest player first."""
        ratings, scores, different = self.ratings, self.mean_scores, self.different
        return {
            "game": str(self.game),
            "seed": self.seed,
            "games": int(self.games.sum() // 2),
            "players": [
                {
                    "player": self.players[i],
                    "elo": float(ratings.elo[i]),
                    "elo_interval": [float(ratings.low[i]), float(ratings.high[i])],
                    "score": float(scores[i]),
                    "games": int(self.games[i].sum()),
                    "against": {self.players[j]: float(self.scores[i, j]) for j in self.ranking() if self.games[i, j]},
                }
                for i in self.ranking()
            ],
            "pentanomial": {
                f"{self.players[i]} - {self.players[j]}": pair_counts(pairs.scores.sum(axis=1)).tolist()
                for (i, j), pairs in self.pairings.items()
            },
            "different": {f"{self.players[i]} - {self.players[j]}": int(different[i, j]) for i, j in self.pairings},
            "forfeits": [vars(lost) for lost in self.forfeits],
        }


@dataclass(frozen=True, kw_only=True)
class LeagueConfig(PlayConfig):
    """Settings that decide what a league plays."""

    players: Annotated[Positional[tuple[str, ...]], arg(metavar="PLAYER PLAYER ...", help_behavior_hint="(required)")]
    """Specs of the players."""

    gauntlet: bool = False
    """Only the first player meets the others."""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise ZeroplyError("a league needs two players or more")

    @property
    def specs(self) -> tuple[str, ...]:
        return self.players


class League(PairedGames[LeagueConfig, LeagueResult]):
    """Play a league: a round robin of matches, a crosstable and ratings.

    Example: zeroply league random greedy naive "net(othello-swh)" --openings "random(plies=6)" --games 200

    Example: zeroply league random naive --game "gomoku(size=9)" --games 10000 --run runs/gomoku

    Example: zeroply league greedy random naive "iagno(level=1)" --gauntlet --openings xot --games 20
    """

    kind = "league"
    config_type = LeagueConfig
    charts = tuple(replace(one, split="players") for one in PairedGames.charts)

    def keys(self) -> dict[Pairing, int]:
        pairings = combinations(range(len(self.setup.players)), 2)
        met = (pairing for pairing in pairings if pairing[0] == 0 or not self.config.gauntlet)
        return {pairing: chance.key(self.config.seed, "league", *pairing) for pairing in met}

    @contextmanager
    def resources(self) -> Iterator[None]:
        """Players and openings; a player listed twice would be two rows of one name."""
        with super().resources():
            players = self.setup.players
            shown = [player.spec if player.name is None else player.name for player in players]
            repeated = [str(one) for one in shown if shown.count(one) > 1]
            if repeated:
                raise ZeroplyError(f"player {min(repeated)} appears twice: list each player once, or name them apart")
            yield

    def result(self) -> LeagueResult:
        setup, seed = self.setup, self.config.seed
        return LeagueResult(setup.game, setup.names, setup.openings, seed, self.joined(), self.date)

    @classmethod
    def read(cls, record: RunRecord) -> LeagueResult:
        openings, pairings = logged_games(record)
        config = record.config(LeagueConfig)
        date = record.info.created[:10]
        return LeagueResult(openings.game, config.names(), openings, config.seed, pairings, date)

    @classmethod
    def to_json(cls, result: LeagueResult) -> Json:
        return result.to_dict()

    @classmethod
    def report(cls, result: LeagueResult) -> list[str | TextTable]:
        ratings, scores, order = result.ratings, result.scores, result.ranking()
        rows = [
            (
                str(place),
                result.players[i],
                f"{ratings.elo[i]:+.0f}",
                f"± {(ratings.high[i] - ratings.low[i]) / 2:.0f}",
                f"{result.mean_scores[i]:.3f}",
                str(result.games[i].sum()),
                *(f"{scores[i, j]:.3f}" if result.games[i, j] else "·" for j in order),
            )
            for place, i in enumerate(order, 1)
        ]
        columns = ("", "player", "Elo", "95 %", "score", "games", *map(str, range(1, len(order) + 1)))
        lines: list[str | TextTable] = [
            f"{result.game}, {result.games.sum() // 2} games\n",
            TextTable(columns, rows, left=1),
        ]
        if few := result.repetitive:
            where = f"In {len(few)} of {len(result.pairings)} pairings fewer than half of the games are different"
            lines.append(f"\n{where}, so the intervals are too narrow; {variety_hint(result.openings)}.")
        return [*lines, *forfeit_table(result.forfeits), *forfeit_lines(result.forfeits)]


def league(
    players: Iterable[PlayerLike],
    *,
    game: str | Spec | Game = "othello",
    games: int | None = None,
    openings: OpeningSpec = "none",
    order: Order = "sequential",
    seed: int = 0,
    gauntlet: bool = False,
    tc: str | None = None,
    concurrency: int | None = None,
    log: Folder | None = None,
    adjudicate: Adjudication = NO_ADJUDICATION,
    batch: int = BATCH,
    run: Folder | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> LeagueResult:
    """Play a league; with `run`, a new folder, it is recorded and can be resumed.

    With `gauntlet` only the first player meets the others.
    """
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise ZeroplyError(f"a league takes a list of players, not {players!r}")
    listed = list(players)
    programs = Programs(tc, concurrency, None if log is None else os.fspath(log))
    given = {"games": games, "order": order, "seed": seed, "programs": programs}
    with prepared(listed, game, openings, batch, {**given, "adjudicate": adjudicate}) as (setup, plain):
        config = LeagueConfig(players=setup.specs, **plain, gauntlet=gauntlet)
        return run_experiment(League(config, setup=setup), run, progress=progress, threads=threads)
