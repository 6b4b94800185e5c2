"""A match: two players, every opening played twice with colours swapped.

Foreign programs play as they like; a game one of them forfeits counts as lost, and the result says why. With a folder a
match is a run, see `zeroply.arena.keeping`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.keeping import PlayConfig, config_of, new_run, play_all, same_table, settings, told
from zeroply.arena.openings import Openings, OpeningSpec
from zeroply.arena.pairs import LostGame, Pairs, lost_games, record, tally
from zeroply.arena.statistics import (
    Interval,
    Sprt,
    SprtResult,
    Tally,
    elo,
    elo_interval,
    mean_score,
    pair_counts,
    score_interval,
)
from zeroply.arena.table import BATCH, Progress, Seated, Table
from zeroply.arena.variety import different, repetitive
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.records import GameRecord
from zeroply.runs import Run
from zeroply.specs import Spec

KIND = "match"


@dataclass(frozen=True)
class MatchResult:
    """What a match says about its two players; all numbers are the first player's."""

    game: Game
    """The game played."""
    players: tuple[str, str]
    """The specs of the two players."""
    openings: Openings = field(repr=False)
    """Where the games started."""
    seed: int
    """What all chance came from."""
    pairs: Pairs = field(repr=False)
    """The games, in pairs."""
    test: Sprt | None = None
    """The sequential test, if one was asked for."""

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
        """Where the sequential test ended, if one was asked for."""
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
    def forfeits(self) -> list[LostGame]:
        """The games that were lost by other means than moves."""
        return lost_games(self.pairs, self.players)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[games]: moves in each game, those of the opening included, passes not counted."""
        opening = [len(self.openings[k].moves) for k in range(len(self.pairs))]
        return np.asarray((self.pairs.moves >= 0).sum(axis=1) + np.repeat(opening, 2), np.int64)

    def records(self) -> list[GameRecord]:
        """Every game, to be saved by `zeroply.records.save`."""
        colours = (self.players, self.players[::-1])
        return [
            record(self.game, self.openings, self.pairs, number, colours[number % 2]) for number in range(self.games)
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


@dataclass(frozen=True, kw_only=True)
class MatchConfig(PlayConfig):
    """Everything that decides what a match plays."""

    sprt: Sequence[float] | None = None
    """The sequential test that ends it: elo0, elo1, alpha and beta."""

    @property
    def test(self) -> Sprt | None:
        """The sequential test."""
        return Sprt(*self.sprt) if self.sprt else None


def match(
    first: Seated,
    second: Seated,
    *,
    game: str | Spec | Game = "othello",
    games: int | None = None,
    openings: OpeningSpec = "none",
    seed: int = 0,
    sprt: Sprt | tuple[float, float] | None = None,
    batch: int = BATCH,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match; with `sprt` it ends as soon as the test is decided, at the latest after `games` games.

    `games` is even; by default 100, or two for each opening of a file or list. With `folder` it is a run that can be
    killed and resumed.
    """
    test = _test(sprt)
    bounds = None if test is None else [test.elo0, test.elo1, test.alpha, test.beta]
    with Table.prepare(game, [first, second], openings, games, seed, batch) as table:
        config = MatchConfig(**settings(table, games, openings, seed), sprt=bounds)
        with new_run(folder, KIND, config, table) as run:
            return _play(config, table, run, progress)


def resume(run: Run, *, batch: int = BATCH, progress: Progress | None = None) -> MatchResult:
    """Go on with a match from where its run stands; one that is finished is told again."""
    config = config_of(run, MatchConfig)
    if run.finished:
        openings, pairings = told(run)
        return _result(config, config.names(), openings, pairings[0, 1])
    with same_table(run, config, batch) as table:
        return _play(config, table, run, progress)


def _play(config: MatchConfig, table: Table, run: Run | None, progress: Progress | None) -> MatchResult:
    played = play_all(table, {(0, 1): chance.key(config.seed, "match")}, run, progress, config.test)
    result = _result(config, table.names, table.openings, played[0, 1])
    if run:
        run.finish(summary(result))
    return result


def _result(config: MatchConfig, names: tuple[str, ...], openings: Openings, pairs: Pairs) -> MatchResult:
    first, second = names
    return MatchResult(openings.game, (first, second), openings, config.seed, pairs, config.test)


def summary(result: MatchResult) -> dict[str, Any]:
    """A match for programs; all numbers are the first player's."""
    lengths, test = result.lengths, result.test
    return {
        "game": str(result.game),
        "players": list(result.players),
        "seed": result.seed,
        "games": result.games,
        "different": result.different,
        "wins": result.tally.wins,
        "draws": result.tally.draws,
        "losses": result.tally.losses,
        "as_black": vars(result.as_black),
        "as_white": vars(result.as_white),
        "score": result.score,
        "score_interval": list(result.score_interval),
        "elo": result.elo,
        "elo_interval": list(result.elo_interval),
        "pentanomial": result.pentanomial.tolist(),
        "length": {"mean": float(lengths.mean()), "min": int(lengths.min()), "max": int(lengths.max())},
        "sprt": {**asdict(test), "bounds": list(test.bounds), **result.sprt._asdict()}
        if test and result.sprt
        else None,
        "forfeits": [vars(lost) for lost in result.forfeits],
    }


def _test(sprt: Any) -> Sprt | None:
    """A test from what people give."""
    if sprt is None or isinstance(sprt, Sprt):
        return sprt
    try:
        low, high = map(float, () if isinstance(sprt, str) else sprt)
    except (TypeError, ValueError):
        raise ZeroplyError(f"sprt is two Elo differences such as (0, 20), or zp.Sprt(0, 20), not {sprt!r}") from None
    return Sprt(low, high)
