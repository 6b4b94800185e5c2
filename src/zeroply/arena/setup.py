"""The setup of a match or league: players, openings and numbers of games, checked. It plays pairs of games in blocks.

Games are played in lockstep batches, but the moves depend only on the seed: any batch size and number of threads gives
the same games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np

from zeroply import chance
from zeroply.arena.adjudication import Adjudication
from zeroply.arena.async_games import NO_ADJUDICATION
from zeroply.arena.openings import Openings, OpeningSpec, Order, openings
from zeroply.arena.pairs import Pairs
from zeroply.arena.play import play
from zeroply.arena.programs import Programs
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.nets import Net
from zeroply.players import FollowingPlayer, Player
from zeroply.specs import Spec

F = TypeVar("F")
PlayerLike: TypeAlias = str | Spec | Player | Net
"""A player, or a spec or net to make one from."""

NO_SETTINGS = Programs()
BATCH = 4096
"""Games in one lockstep batch by default."""
GAMES_OF_PROGRAM, RECORDED_GAMES_OF_PROGRAM = 8, 2
"""Games per process of a foreign program in one block; fewer if they are recorded or a sequential test looks at
them."""
FIRST_PAIRS, SHARE = 8, 8
"""Pairs in the first small block; a later small block has at most 1/SHARE of the pairs before it."""


@dataclass(frozen=True)
class GameSetup:
    """Players, openings and numbers of games, ready to play; as a context manager it closes the players it made."""

    game: Game
    """The game."""
    players: tuple[Player, ...]
    """The players."""
    openings: Openings
    """Start positions of the games."""
    pairs: int
    """Pairs of games between any two players."""
    batch: int
    """Games in one lockstep batch."""
    made: tuple[Player, ...] = ()
    """The players that were made for this setup."""
    unnamed: tuple[Player, ...] = ()
    """Players made in Python, which cannot be made again from their specs."""
    adjudication: Adjudication = NO_ADJUDICATION
    """When games are stopped and decided."""

    @classmethod
    def prepare(
        cls,
        game_spec: str | Spec | Game,
        players: Sequence[PlayerLike],
        opening_spec: OpeningSpec,
        games: int | None,
        seed: int,
        batch: int = BATCH,
        *,
        order: Order = "sequential",
        programs: Programs = NO_SETTINGS,
        adjudication: Adjudication = NO_ADJUDICATION,
    ) -> GameSetup:
        """Build everything a match or a league needs; raises ZeroplyError for bad settings."""
        played = game(game_spec)
        adjudication.check(played)
        if games is not None and (whole(games, "the number of games") < 2 or games % 2):
            raise ZeroplyError(
                f"the number of games must be 2 or more, and even, as openings are played twice: not {games}"
            )
        if not 2 <= whole(batch, "a batch") <= 1_000_000:
            raise ZeroplyError(f"a batch has 2 to 1,000,000 games, not {batch:,}")
        starts = openings(opening_spec, played, whole(seed, "a seed"), None if games is None else games // 2)
        if order == "random":
            starts = starts.shuffled(seed)
        default_pairs = len(starts) if starts.listed else 50
        ready: list[Player] = []
        made: list[Player] = []
        try:
            for given in players:
                ready.append(programs.player(given, played))
                if ready[-1] is not given:
                    made.append(ready[-1])
            programs.check(ready)
        except BaseException:
            _close(made)
            raise
        unnamed = [one for one, given in zip(ready, players, strict=True) if not _has_name(given)]
        pairs = default_pairs if games is None else games // 2
        return cls(played, tuple(ready), starts, pairs, batch, tuple(made), tuple(unnamed), adjudication)

    @property
    def specs(self) -> tuple[str, ...]:
        """The specs of the players."""
        return tuple(str(player.spec) for player in self.players)

    @property
    def names(self) -> tuple[str, ...]:
        """The players as results show them: by their names, or by their specs."""
        return tuple(str(player) for player in self.players)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _close(self.made)

    def fingerprints(self) -> dict[str, str]:
        """By name; they change if a player or an opening changes, also if only a file does."""
        return {
            **{str(one.spec): one.fingerprint() for one in self.players},
            "the file of openings": self.openings.fingerprint(),
        }

    def play(self, first: int, second: int, key: int, start: int = 0, small: bool = False) -> Pairs:
        """The next block of pairs of games between two players, from pair `start`; `key` is their chance key.

        With `small` the first blocks are small, for callers that may stop after any of them.
        """
        step = max(1, self.batch // 2)
        for one in (self.players[first], self.players[second]):
            if isinstance(one, FollowingPlayer):
                in_a_row = RECORDED_GAMES_OF_PROGRAM if small else GAMES_OF_PROGRAM
                step = min(step, in_a_row * one.concurrent // 2)
        if small:
            step = min(step, max(FIRST_PAIRS, start // SHARE))
        return self._block(first, second, key, start, min(start + step, self.pairs))

    def _block(self, first: int, second: int, key: int, low: int, high: int) -> Pairs:
        n = high - low
        starts = self.openings.positions(low, high)[np.repeat(np.arange(n), 2)]
        seats = np.tile(np.array([[0, 1], [1, 0]], np.int64), (n, 1))
        keys = chance.keys(key, np.arange(2 * low, 2 * high))
        ways = [self.openings[low + k // 2] for k in range(2 * n)]
        played = play([self.players[first], self.players[second]], seats, starts, keys, ways, self.adjudication)
        winner = played.winner.astype(np.int64)
        winner[1::2] *= -1
        scores = ((winner + 1) / 2).reshape(n, 2)
        return Pairs(
            low,
            scores,
            played.moves,
            _numbered(played.forfeits, 2 * low),
            _numbered(played.adjudged, 2 * low),
            _numbered(played.seconds, 2 * low),
        )


def whole(value: Any, what: str) -> int:
    """Any integer type as Python's own."""
    try:
        return index(value)
    except TypeError:
        raise ZeroplyError(f"{what} must be a whole number, not {value!r}") from None


def _numbered(facts: Mapping[int, F], first: int) -> dict[int, F]:
    """Facts about games of a block, by their numbers in the whole match."""
    return {first + row: fact for row, fact in sorted(facts.items())}


def _has_name(given: PlayerLike) -> bool:
    """Whether a player can be made again from its name."""
    return isinstance(given, str | Spec) or (isinstance(given, Net) and given.name is not None)


def _close(players: Sequence[Player]) -> None:
    for one in players:
        one.close()
