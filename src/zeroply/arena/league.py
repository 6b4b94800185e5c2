"""A league: every player meets every other one in a match; Bradley-Terry ratings over all results.

With a folder a league is a run, see `zeroply.arena.keeping`. The games of a pairing are keyed by the seed and by the
places of its two players in the list.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.keeping import Pairing, PlayConfig, config_of, new_run, play_all, same_table, settings, told
from zeroply.arena.openings import Openings, OpeningSpec
from zeroply.arena.pairs import LostGame, Pairs, lost_games, record
from zeroply.arena.ratings import Ratings, rate
from zeroply.arena.statistics import pair_counts
from zeroply.arena.table import BATCH, Progress, Seated, Table
from zeroply.arena.variety import different, repetitive
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.records import GameRecord
from zeroply.runs import Run
from zeroply.specs import Spec

KIND = "league"


@dataclass(frozen=True)
class LeagueResult:
    """The table of a league."""

    game: Game
    """The game played."""
    players: tuple[str, ...]
    """The specs of the players, in the order given."""
    openings: Openings = field(repr=False)
    """Where the games started."""
    seed: int
    """What all chance came from."""
    pairings: dict[Pairing, Pairs] = field(repr=False)
    """The games of every two players, by their places in the list."""

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
        """The pairings in which fewer than half of the games are different, so that intervals mean little."""
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
        """The games that were lost by other means than moves, pairing by pairing."""
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
        """Places in the list, strongest first; equals in the order of the list."""
        return [int(i) for i in np.argsort(-self.ratings.elo, kind="stable")]

    def records(self) -> list[GameRecord]:
        """Every game, pairing by pairing."""
        return [
            record(self.game, self.openings, pairs, number, self._colours(i, j, number))
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
        told = f"in {few} of {len(self.pairings)} pairings fewer than half of the games are different"
        return "\n".join([f"{self.game}, {self.games.sum() // 2} games", *lines, *([told] if few else [])])

    def _colours(self, i: int, j: int, number: int) -> tuple[str, str]:
        black, white = (i, j) if number % 2 == 0 else (j, i)
        return self.players[black], self.players[white]

    def _table(self, entries: Any) -> NDArray[np.float64]:
        table = np.zeros((len(self.players), len(self.players)))
        for (i, j), pairs in self.pairings.items():
            table[i, j], table[j, i] = entries(pairs)
        return table


def league(
    players: Iterable[Seated],
    *,
    game: str | Spec | Game = "othello",
    games: int | None = None,
    openings: OpeningSpec = "none",
    seed: int = 0,
    batch: int = BATCH,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> LeagueResult:
    """Play a league; with `folder` it is a run that can be killed and resumed."""
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise ZeroplyError(f"a league takes a list of players, not {players!r}")
    listed = list(players)
    if len(listed) < 2:
        raise ZeroplyError("a league needs two players or more")
    with Table.prepare(game, listed, openings, games, seed, batch) as table:
        specs = [player.spec for player in table.players]
        repeated = [str(spec) for spec in specs if specs.count(spec) > 1]
        if repeated:
            raise ZeroplyError(f"player {min(repeated)} is in the league twice")
        config = PlayConfig(**settings(table, games, openings, seed))
        with new_run(folder, KIND, config, table) as run:
            return _play(config, table, run, progress)


def resume(run: Run, *, batch: int = BATCH, progress: Progress | None = None) -> LeagueResult:
    """Go on with a league from where its run stands; one that is finished is told again."""
    config = config_of(run, PlayConfig)
    if run.finished:
        openings, pairings = told(run)
        return LeagueResult(openings.game, config.names(), openings, config.seed, pairings)
    with same_table(run, config, batch) as table:
        return _play(config, table, run, progress)


def _play(config: PlayConfig, table: Table, run: Run | None, progress: Progress | None) -> LeagueResult:
    pairings = combinations(range(len(table.players)), 2)
    keys = {pairing: chance.key(config.seed, "league", *pairing) for pairing in pairings}
    played = play_all(table, keys, run, progress)
    result = LeagueResult(table.game, table.names, table.openings, config.seed, played)
    if run:
        run.finish(summary(result))
    return result


def summary(result: LeagueResult) -> dict[str, Any]:
    """The table of a league for programs, strongest player first."""
    ratings, scores, different = result.ratings, result.mean_scores, result.different
    return {
        "game": str(result.game),
        "seed": result.seed,
        "games": int(result.games.sum() // 2),
        "players": [
            {
                "player": result.players[i],
                "elo": float(ratings.elo[i]),
                "elo_interval": [float(ratings.low[i]), float(ratings.high[i])],
                "score": float(scores[i]),
                "games": int(result.games[i].sum()),
                "against": {result.players[j]: float(result.scores[i, j]) for j in result.ranking() if j != i},
            }
            for i in result.ranking()
        ],
        "pentanomial": {
            f"{result.players[i]} - {result.players[j]}": pair_counts(pairs.scores.sum(axis=1)).tolist()
            for (i, j), pairs in result.pairings.items()
        },
        "different": {f"{result.players[i]} - {result.players[j]}": int(different[i, j]) for i, j in result.pairings},
        "forfeits": [vars(lost) for lost in result.forfeits],
    }
