"""A match: two players, every opening played twice with colours swapped.

A game that a foreign program forfeits counts as lost, and the result says why.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tyro.conf import Positional

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
from zeroply.arena.pairs import LostGame, Pairs, lost_games, record, tally
from zeroply.arena.programs import Programs
from zeroply.arena.setup import BATCH, PlayerLike
from zeroply.arena.statistics import (
    Interval,
    Model,
    Sprt,
    SprtResult,
    Tally,
    elo,
    elo_interval,
    likelihood_of_superiority,
    mean_score,
    normalised_elo,
    pair_counts,
    score_interval,
)
from zeroply.arena.variety import different, repetitive
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.progress import Progress
from zeroply.records import GameRecord
from zeroply.runs import Folder, Json, RunRecord, TextTable, run_experiment
from zeroply.runs.notebook import as_html
from zeroply.specs import Spec


@dataclass(frozen=True, repr=False)
class MatchResult:
    """The result of a match, from the first player's point of view."""

    game: Game
    """The game played."""
    players: tuple[str, str]
    """The two players, by their names or specs."""
    openings: Openings
    """Start positions of the games."""
    seed: int
    """Random seed."""
    pairs: Pairs
    """The games, in pairs."""
    test: Sprt | None = None
    """The sequential test, if there was one."""
    date: str = ""
    """The day on which it began, in UTC: `2026-11-18`."""

    @property
    def games(self) -> int:
        """Number of games played."""
        return 2 * len(self.pairs)

    @property
    def different(self) -> int:
        """How many of the games are different, up to the symmetries of the board."""
        return different(self.openings, self.pairs)

    @property
    def pentanomial(self) -> NDArray[np.int64]:
        """Number of pairs that scored 0, 0.5, 1, 1.5 and 2 points."""
        return pair_counts(self.pairs.scores.sum(axis=1))

    @property
    def as_black(self) -> Tally:
        """The games with Black."""
        return tally(self.pairs.scores[:, 0])

    @property
    def as_white(self) -> Tally:
        """The games with White."""
        return tally(self.pairs.scores[:, 1])

    @property
    def tally(self) -> Tally:
        """Wins, draws and losses."""
        return self.as_black + self.as_white

    @property
    def score(self) -> float:
        """Points per game."""
        return mean_score(self.pentanomial)

    @property
    def score_interval(self) -> Interval:
        """95 % interval of the score."""
        return score_interval(self.pentanomial)

    @property
    def sprt(self) -> SprtResult | None:
        """The outcome of the sequential test, if there was one."""
        return self.test.decide(self.pairs.scores.sum(axis=1)) if self.test else None

    @property
    def elo(self) -> float:
        """Elo difference; infinite if every game was won or lost."""
        return elo(self.score)

    @property
    def elo_interval(self) -> Interval:
        """95 % interval of the Elo difference."""
        return elo_interval(self.pentanomial)

    @property
    def normalised_elo(self) -> float:
        """The score above 1/2 in standard deviations, on a scale like Elo."""
        return normalised_elo(self.pentanomial)

    @property
    def superiority(self) -> float:
        """The likelihood of superiority (LOS): the probability that the first player is the stronger one."""
        return likelihood_of_superiority(self.pentanomial)

    @property
    def adjudicated(self) -> int:
        """How many games were adjudicated."""
        return len(self.pairs.adjudged)

    @property
    def forfeits(self) -> list[LostGame]:
        """The forfeited games."""
        return lost_games(self.pairs, self.players)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[games]: moves in each game, including the opening, without passes."""
        opening = [len(self.openings[k].moves) for k in range(len(self.pairs))]
        return np.asarray((self.pairs.moves >= 0).sum(axis=1) + np.repeat(opening, 2), np.int64)

    def records(self) -> list[GameRecord]:
        """Every game, for `zeroply.records.save`."""
        colours = (self.players, self.players[::-1])
        return [
            record(self.game, self.openings, self.pairs, number, colours[number % 2], self.date)
            for number in range(self.games)
        ]

    def __str__(self) -> str:
        low, high = self.score_interval
        t = self.tally
        differ = self.different
        few = f", only {differ} different games" if repetitive(differ, self.games) else ""
        decided = f", SPRT {self.test.words(self.sprt)}" if self.test and self.sprt else ""
        return (
            f"{self.players[0]} against {self.players[1]} at {self.game}: +{t.wins} ={t.draws} -{t.losses}, "
            f"score {self.score:.3f} [{low:.3f}, {high:.3f}]{few}{decided}"
        )

    def __repr__(self) -> str:
        return f"<match {self}>"

    def _repr_html_(self) -> str:
        """What the command prints, for notebooks."""
        return as_html(Match.report(self))

    def to_dict(self) -> Json:
        """As plain values, from the first player's point of view."""
        lengths, test = self.lengths, self.test
        return {
            "game": str(self.game),
            "players": list(self.players),
            "seed": self.seed,
            "games": self.games,
            "different": self.different,
            "wins": self.tally.wins,
            "draws": self.tally.draws,
            "losses": self.tally.losses,
            "as_black": vars(self.as_black),
            "as_white": vars(self.as_white),
            "score": self.score,
            "score_interval": list(self.score_interval),
            "elo": self.elo,
            "elo_interval": list(self.elo_interval),
            "normalised_elo": self.normalised_elo,
            "superiority": self.superiority,
            "pentanomial": self.pentanomial.tolist(),
            "length": {"mean": float(lengths.mean()), "min": int(lengths.min()), "max": int(lengths.max())},
            "sprt": {**asdict(test), "bounds": list(test.bounds), **self.sprt._asdict()}
            if test and self.sprt
            else None,
            "forfeits": [vars(lost) for lost in self.forfeits],
            "adjudicated": self.adjudicated,
        }


@dataclass(frozen=True, kw_only=True)
class MatchConfig(PlayConfig):
    """Settings that decide what a match plays."""

    first: Positional[str]
    """Spec of the first player; any spec takes a name for tables and files: naive(name=N1)."""
    second: Positional[str]
    """Spec of the second player."""
    sprt: tuple[float, float] | None = None
    """Stop as soon as a sequential test decides between these two Elo differences."""
    model: Model = "logistic"
    """Scale of these differences: logistic Elo, or normalised Elo, by the spread of the scores."""
    alpha: float = 0.05
    """Probability that the test accepts the second Elo difference although the first is true."""
    beta: float = 0.05
    """Probability that the test accepts the first Elo difference although the second is true."""

    @property
    def specs(self) -> tuple[str, ...]:
        return self.first, self.second

    @property
    def test(self) -> Sprt | None:
        """The sequential test."""
        return Sprt(*self.sprt, self.alpha, self.beta, self.model) if self.sprt else None


class Match(PairedGames[MatchConfig, MatchResult]):
    """Play a match between two players.

    Example: zeroply match naive random --game "atarigo(size=5)" --games 1000 --seed 1

    Example: zeroply match greedy random --openings "random(plies=8)" --sprt 0 20 --games 20000 --run runs/greedy

    Example: zeroply match 'gtp("./new", name=new)' 'gtp("./old", name=old)' --tc 5+0.05 --concurrency 4 --sprt 0 10
    """

    kind = "match"
    config_type = MatchConfig

    def keys(self) -> dict[Pairing, int]:
        return {(0, 1): chance.key(self.config.seed, "match")}

    @property
    def sprt(self) -> Sprt | None:
        return self.config.test

    def result(self) -> MatchResult:
        return _result(self.config, self.setup.names, self.setup.openings, self.joined()[0, 1], self.date)

    @classmethod
    def read(cls, record: RunRecord) -> MatchResult:
        openings, pairings = logged_games(record)
        config = record.config(MatchConfig)
        return _result(config, config.names(), openings, pairings[0, 1], record.info.created[:10])

    @classmethod
    def to_json(cls, result: MatchResult) -> Json:
        return result.to_dict()

    @classmethod
    def rows(cls, result: MatchResult) -> list[Json]:
        summary = result.to_dict()
        players = dict(zip(("first", "second"), summary.pop("players"), strict=True))
        return [{**players, **summary, "forfeits": len(result.forfeits)}]

    @classmethod
    def report(cls, result: MatchResult) -> list[str | TextTable]:
        first, second = result.players
        tallies = (("all", result.tally), ("as Black", result.as_black), ("as White", result.as_white))
        rows = [(name, str(t.wins), str(t.draws), str(t.losses), f"{t.score:.3f}") for name, t in tallies]
        lengths, low_high = result.lengths, result.score_interval
        elo_low, elo_high = result.elo_interval
        lines: list[str | TextTable] = [
            f"{first} against {second}, {result.game}, {result.games} games\n",
            TextTable(("", "wins", "draws", "losses", "score"), rows),
            f"\n  score   {result.score:.3f} [{low_high.low:.3f}, {low_high.high:.3f}]",
            f"  Elo     {result.elo:+.0f} [{elo_low:+.0f}, {elo_high:+.0f}]",
            f"  LOS     {result.superiority:.1%}",
            f"  pairs   {' '.join(map(str, result.pentanomial.tolist()))}  (0, ½, 1, 1½, 2 points)",
            f"  length  {lengths.mean():.1f} moves, {lengths.min()} to {lengths.max()}",
        ]
        distinct = result.different
        if repetitive(distinct, result.games):
            few = f"only {distinct} of {result.games} are different, so the intervals are too narrow"
            lines.append(f"  games   {few}; {variety_hint(result.openings)}")
        if result.test and result.sprt:
            lines.append(f"  SPRT    {result.test.words(result.sprt)}")
        if result.adjudicated:
            lines.append(f"  decided {result.adjudicated} of {result.games} games by adjudication")
        return [*lines, *forfeit_table(result.forfeits), *forfeit_lines(result.forfeits)]


def match(
    first: PlayerLike,
    second: PlayerLike,
    *,
    game: str | Spec | Game = "othello",
    games: int | None = None,
    openings: OpeningSpec = "none",
    order: Order = "sequential",
    seed: int = 0,
    sprt: Sprt | tuple[float, float] | None = None,
    tc: str | None = None,
    concurrency: int | None = None,
    log: Folder | None = None,
    adjudicate: Adjudication = NO_ADJUDICATION,
    batch: int = BATCH,
    run: Folder | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> MatchResult:
    """Play a match; with `sprt` it ends as soon as the test is decided, at the latest after `games` games.

    `games` is even; by default 100, or two for each opening of a file or list. `tc` (such as "5+0.05"), `concurrency`
    and `log` are for players that are programs. With `run`, a new folder, the match is recorded and can be resumed.
    """
    test = _test(sprt)
    tested: dict[str, Any] = (
        {}
        if test is None
        else {"sprt": (test.elo0, test.elo1), "alpha": test.alpha, "beta": test.beta, "model": test.model}
    )
    programs = Programs(tc, concurrency, None if log is None else os.fspath(log))
    given = {"games": games, "order": order, "seed": seed, "programs": programs}
    with prepared([first, second], game, openings, batch, {**given, "adjudicate": adjudicate}) as (setup, plain):
        config = MatchConfig(first=setup.specs[0], second=setup.specs[1], **plain, **tested)
        return run_experiment(Match(config, setup=setup), run, progress=progress, threads=threads)


def _result(config: MatchConfig, names: Sequence[str], openings: Openings, pairs: Pairs, date: str) -> MatchResult:
    first, second = names
    return MatchResult(openings.game, (first, second), openings, config.seed, pairs, config.test, date)


def _test(sprt: Any) -> Sprt | None:
    """A test from two Elo differences."""
    if sprt is None or isinstance(sprt, Sprt):
        return sprt
    try:
        low, high = map(float, () if isinstance(sprt, str) else sprt)
    except (TypeError, ValueError):
        raise ZeroplyError(
            f"sprt must be two Elo differences such as (0, 20) or zp.Sprt(0, 20), not {sprt!r}"
        ) from None
    return Sprt(low, high)
