"""A league: every player meets every other one in a match; Bradley-Terry ratings over all results.

A league is a run: every pair of games is an event of its log, so that one killed at any moment resumes and ends with
the same games, table and ratings. All pairings use the same openings; the games of a pairing are keyed by the seed and
the places of its two players in the list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, levels
from zeroply.arena.following import Forfeited
from zeroply.arena.match import BATCH, LostGame, Pairs, Progress, Table, lost_games, record
from zeroply.arena.openings import Openings
from zeroply.arena.ratings import Ratings, rate
from zeroply.arena.statistics import pair_counts
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.players import Player
from zeroply.records import GameRecord
from zeroply.runs import Run, stored
from zeroply.specs import Spec, parse

KIND = "league"
_SECONDS_BETWEEN_CHECKPOINTS = 1.0
_NAMES = re.compile("[A-Za-z][0-9]+")  # of the cells in a transcript


@dataclass(frozen=True)
class LeagueResult:
    """The table of a league."""

    game: Game
    """The game played."""
    players: tuple[str, ...]
    """The specs of the players, in the order given."""
    openings: Openings | None = field(repr=False)
    """Where the games started; None if they can no longer be had."""
    seed: int
    """What all chance came from."""
    pairings: dict[tuple[int, int], Pairs] = field(repr=False)
    """The games of every two players, by their places in the list."""

    @property
    def games(self) -> NDArray[np.int64]:
        """[n, n]: games played between every two."""
        return self._table(lambda pairs: (2 * len(pairs), 2 * len(pairs))).astype(np.int64)

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
        if self.openings is None:
            raise ZeroplyError("the games cannot be told again: the file of their openings, or a player's, has changed")
        return [
            record(self.game, self.openings, pairs, number, self._colours(i, j, number))
            for (i, j), pairs in self.pairings.items()
            for number in range(2 * len(pairs))
        ]

    def _colours(self, i: int, j: int, number: int) -> tuple[str, str]:
        black, white = (i, j) if number % 2 == 0 else (j, i)
        return self.players[black], self.players[white]

    def _table(self, entries: Any) -> NDArray[np.float64]:
        table = np.zeros((len(self.players), len(self.players)))
        for (i, j), pairs in self.pairings.items():
            table[i, j], table[j, i] = entries(pairs)
        return table


@dataclass(frozen=True, kw_only=True)
class LeagueConfig:
    """Everything that decides what a league plays."""

    players: Sequence[str]
    """Specs of the players."""
    game: str = "othello"
    """Spec of the game."""
    games: int | None = None
    """Games of every two players; by default 100, or two for each opening of a file."""
    openings: str = "none"
    """Spec of the openings."""
    seed: int = 0
    """What all chance comes from."""

    def table(self, batch: int = BATCH, players: Sequence[str | Spec | Player] | None = None) -> Table:
        """Players and openings, checked; `players` are those of the specs, where they are made already."""
        if len(self.players) < 2:
            raise ZeroplyError("a league needs two players or more")
        specs = [parse(name) for name in self.players]
        repeated = [str(spec) for spec in specs if specs.count(spec) > 1]
        if repeated:
            raise ZeroplyError(f"player {min(repeated)} is in the league twice")
        return Table.prepare(self.game, list(players or self.players), self.openings, self.games, self.seed, batch)


def league(
    players: Sequence[str | Spec | Player],
    *,
    game: str | Spec | Game = "othello",
    games: int | None = None,
    openings: str | Spec = "none",
    seed: int = 0,
    batch: int = BATCH,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> LeagueResult:
    """Play a league; with `folder` it is a run that can be killed and resumed."""
    config = LeagueConfig(
        players=[str(one) for one in players], game=str(game), games=games, openings=str(openings), seed=seed
    )
    with config.table(batch, players) as table:
        if folder is None:
            return _play(config, table, None, progress)
        settings = {**stored(config), "fingerprint": table.fingerprint()}
        with Run.create(folder, kind=KIND, config=settings, seed=seed, level=levels.chosen()) as run:
            return _play(config, table, run, progress)


def resume(run: Run, *, batch: int = BATCH, progress: Progress | None = None) -> LeagueResult:
    """Go on with a league from where its run stands; one that is finished is told also if its files have changed."""
    config = run.config(LeagueConfig, "fingerprint")
    try:
        with config.table(batch) as table:
            if table.fingerprint() != run.info.config["fingerprint"]:
                raise ZeroplyError(
                    f"{run.folder} cannot go on: a net, program or opening file it uses has changed since it was "
                    "started"
                )
            return _play(config, table, run, progress)
    except ZeroplyError:
        if not run.finished:
            raise
    names = tuple(str(parse(name)) for name in config.players)
    joined = {pairing: Pairs.join(blocks) for pairing, blocks in _played(run, len(names)).items()}
    return LeagueResult(make_game(config.game), names, None, config.seed, joined)


def _play(config: LeagueConfig, table: Table, run: Run | None, progress: Progress | None) -> LeagueResult:
    played = _played(run, len(table.players))
    total = 2 * table.pairs * len(played)
    done = sum(2 * len(block) for blocks in played.values() for block in blocks)
    for pairing in played:
        key = chance.key(config.seed, "league", *pairing)
        start = sum(map(len, played[pairing]))
        for block in table.play(*pairing, key, start):
            played[pairing].append(block)
            done += 2 * len(block)
            if run:
                _write_log(run, table.game, pairing, block)
                if run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
                    run.save({"games": done})
            if progress:
                progress(done, total)
    names = tuple(str(player) for player in table.players)
    joined = {pairing: Pairs.join(blocks) for pairing, blocks in played.items()}
    result = LeagueResult(table.game, names, table.openings, config.seed, joined)
    if run and not run.finished:
        run.save({"games": done})
        run.finish(summary(result))
    return result


def summary(result: LeagueResult) -> dict[str, Any]:
    """The table of a league for programs, strongest player first."""
    ratings, scores = result.ratings, result.mean_scores
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
        "forfeits": [vars(lost) for lost in result.forfeits],
    }


def _write_log(run: Run, game: Game, pairing: tuple[int, int], block: Pairs) -> None:
    for k, scores in enumerate(block.scores.tolist()):
        games = [game.notation.transcript(list(block.game(2 * k + side))) for side in (0, 1)]
        numbers = (2 * (block.first + k), 2 * (block.first + k) + 1)
        lost = {str(number): vars(block.forfeits[number]) for number in numbers if number in block.forfeits}
        forfeits = {"forfeits": lost} if lost else {}
        run.log("pair", players=list(pairing), pair=block.first + k, scores=scores, games=games, **forfeits)


def _played(run: Run | None, players: int) -> dict[tuple[int, int], list[Pairs]]:
    """The games in the log of a run, if there is one, by pairing."""
    played: dict[tuple[int, int], list[Pairs]] = {pairing: [] for pairing in combinations(range(players), 2)}
    for pairing, block in _read_log(run) if run else ():
        played[pairing].append(block)
    return played


def _read_log(run: Run) -> Iterator[tuple[tuple[int, int], Pairs]]:
    """The pairs of games in the log of a run; neighbours of one pairing together."""
    the_game = make_game(run.info.config["game"])
    cell_of = {the_game.notation.name(cell): cell for cell in range(the_game.cells)}
    for (i, j), together in groupby(run.events("pair"), key=lambda event: tuple(event["players"])):
        pairs = list(together)
        rows = [[cell_of[name] for name in _NAMES.findall(text)] for pair in pairs for text in pair["games"]]
        moves = np.full((len(rows), max(map(len, rows))), -1, np.int16)
        for row, cells in zip(moves, rows, strict=True):
            row[: len(cells)] = cells
        forfeits = {int(n): Forfeited(**lost) for pair in pairs for n, lost in pair.get("forfeits", {}).items()}
        yield (i, j), Pairs(pairs[0]["pair"], np.array([pair["scores"] for pair in pairs]), moves, forfeits)
