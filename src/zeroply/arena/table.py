"""A table to play at: players, openings and numbers of games, checked; it plays pairs of games block by block.

Games are played in lockstep batches, but what is played depends only on the seed: any batch size and number of threads
gives the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Self, TypeAlias

import numpy as np

from zeroply import chance
from zeroply.arena.openings import Openings, OpeningSpec, openings
from zeroply.arena.pairs import Pairs
from zeroply.arena.play import play
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.nets import Net
from zeroply.players import FollowingPlayer, Player, player
from zeroply.specs import Spec

Seated: TypeAlias = str | Spec | Player | Net
"""How players may be given: by a spec, or as they are."""
Progress = Callable[[int, int], None]
"""Called with the games done and the games in all, from time to time."""

BATCH = 4096
"""Games played in lockstep at a time, unless said otherwise."""
GAMES_IN_A_ROW, KEPT_IN_A_ROW = 8, 2
"""Games a foreign program plays before progress is told; before they are kept, or a sequential test looks."""
FIRST_PAIRS, SHARE = 8, 8
"""Pairs of the first block of games that are kept or tested; a later one is at most a share of those before it."""


@dataclass(frozen=True)
class Table:
    """Players, openings and numbers of games, checked and ready to play; when left it closes the players it made."""

    game: Game
    """The game to be played."""
    players: tuple[Player, ...]
    """Who plays."""
    openings: Openings
    """Where the games start."""
    pairs: int
    """Pairs of games between two players."""
    batch: int
    """Games in lockstep."""
    made: tuple[Player, ...] = ()
    """The players that were made for this table."""
    unnamed: tuple[Player, ...] = ()
    """Those that were made in Python and cannot be made again by their specs."""

    @classmethod
    def prepare(
        cls,
        game_spec: str | Spec | Game,
        players: Sequence[Seated],
        opening_spec: OpeningSpec,
        games: int | None,
        seed: int,
        batch: int = BATCH,
    ) -> Table:
        """Build everything a match or a league needs, or say what is wrong with it."""
        the_game = game(game_spec)
        if games is not None and (whole(games, "the number of games") < 2 or games % 2):
            raise ZeroplyError(
                f"the number of games must be 2 or more, and even, as openings are played twice: not {games}"
            )
        if not 2 <= whole(batch, "a batch") <= 1_000_000:
            raise ZeroplyError(f"a batch has 2 to 1,000,000 games, not {batch:,}")
        wanted = openings(opening_spec, the_game, whole(seed, "a seed"), None if games is None else games // 2)
        by_default = len(wanted) if wanted.listed else 50
        seated: list[Player] = []
        made: list[Player] = []
        try:
            for one in players:
                seated.append(player(one, the_game))
                if seated[-1] is not one:
                    made.append(seated[-1])
        except BaseException:
            _close(made)
            raise
        unnamed = [one for one, given in zip(seated, players, strict=True) if not _by_name(given)]
        pairs = by_default if games is None else games // 2
        return cls(the_game, tuple(seated), wanted, pairs, batch, tuple(made), tuple(unnamed))

    @property
    def names(self) -> tuple[str, ...]:
        """The specs of the players."""
        return tuple(str(player) for player in self.players)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _close(self.made)

    def fingerprint(self) -> list[str]:
        """Differs if a player or an opening would be another one, also when only a file has changed."""
        return [*(player.fingerprint() for player in self.players), self.openings.fingerprint()]

    def play(self, first: int, second: int, key: int, start: int = 0, small: bool = False) -> Iterator[Pairs]:
        """The pairs of games between two players from pair `start` on, block by block; `key` names them for chance.

        Blocks that are `small` at first suit whoever may stop between them; where they end depends on nothing else.
        """
        step = max(1, self.batch // 2)
        for one in (self.players[first], self.players[second]):
            if isinstance(one, FollowingPlayer):
                step = min(step, (KEPT_IN_A_ROW if small else GAMES_IN_A_ROW) * one.concurrent // 2)
        low = start
        while low < self.pairs:
            most = max(FIRST_PAIRS, low // SHARE) if small else step
            high = min(low + min(step, most), self.pairs)
            yield self._block(first, second, key, low, high)
            low = high

    def _block(self, first: int, second: int, key: int, low: int, high: int) -> Pairs:
        n = high - low
        starts = self.openings.positions(low, high)[np.repeat(np.arange(n), 2)]
        seats = np.tile(np.array([[0, 1], [1, 0]], np.int64), (n, 1))
        keys = chance.keys(key, np.arange(2 * low, 2 * high))
        ways = [self.openings[low + k // 2] for k in range(2 * n)]
        played = play([self.players[first], self.players[second]], seats, starts, keys, ways)
        winner = played.winner.astype(np.int64)
        winner[1::2] *= -1
        forfeits = {2 * low + row: forfeited for row, forfeited in sorted(played.forfeits.items())}
        return Pairs(low, ((winner + 1) / 2).reshape(n, 2), played.moves, forfeits)


def whole(value: Any, what: str) -> int:
    """A whole number of any kind as Python's own."""
    try:
        return index(value)
    except TypeError:
        raise ZeroplyError(f"{what} is a whole number, not {value!r}") from None


def _by_name(given: Seated) -> bool:
    """Whether who is given can be made again by name."""
    return isinstance(given, str | Spec) or (isinstance(given, Net) and given.name is not None)


def _close(players: Sequence[Player]) -> None:
    for one in players:
        one.close()
