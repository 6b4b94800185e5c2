"""A match: two players, every opening played twice with colours swapped.

Game 2k and game 2k + 1 start from opening k; the first player has Black in the even one. Games are played in lockstep
batches, but what is played depends only on the seed: any batch size and number of threads gives the same match.
Foreign programs play as they like; a game one of them forfeits counts as lost, and the result says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.following import Forfeited
from zeroply.arena.openings import Openings, openings
from zeroply.arena.play import play
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
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.players import FollowingPlayer, Player, player
from zeroply.records import GameRecord
from zeroply.specs import Spec

Progress = Callable[[int, int], None]
"""Called with the games done and the games in all, from time to time."""

BATCH = 4096
"""Games played in lockstep at a time, unless said otherwise."""
GAMES_IN_A_ROW = 8
"""Games a foreign program plays before progress is told and a sequential test looks."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Consecutive pairs of games between two players; the first player has Black in the first game of a pair."""

    first: int
    """The number of the first pair."""
    scores: NDArray[np.float64]
    """[pairs, 2]: the first player's score of each game: 1 won, 0.5 drawn, 0 lost."""
    moves: NDArray[np.int16]
    """[2 * pairs, longest]: the moves of each game after its opening, -1 once it was over."""
    forfeits: Mapping[int, Forfeited] = field(default_factory=dict)
    """The games that were forfeited, by their number in the whole match; player 0 is the first, 1 the second."""

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, which: slice) -> Pairs:
        low, high, _ = which.indices(len(self))
        kept = range(2 * (self.first + low), 2 * (self.first + high))
        forfeits = {number: one for number, one in self.forfeits.items() if number in kept}
        return Pairs(self.first + low, self.scores[low:high], self.moves[2 * low : 2 * high], forfeits)

    def game(self, number: int) -> tuple[int, ...]:
        """The moves of one game (game 2k and 2k + 1 are pair k)."""
        row = self.moves[number]
        return tuple(row[row >= 0].tolist())

    @staticmethod
    def join(blocks: Sequence[Pairs]) -> Pairs:
        """Blocks that follow one another as one."""
        longest = max((block.moves.shape[1] for block in blocks), default=0)
        wide = [np.pad(b.moves, ((0, 0), (0, longest - b.moves.shape[1])), constant_values=-1) for b in blocks]
        if not blocks:
            return Pairs(0, np.zeros((0, 2)), np.zeros((0, 0), np.int16))
        forfeits = {number: one for block in blocks for number, one in block.forfeits.items()}
        scores = np.concatenate([block.scores for block in blocks])
        return Pairs(blocks[0].first, scores, np.concatenate(wide), forfeits)


@dataclass(frozen=True)
class LostGame:
    """A game of a match or league that was forfeited."""

    game: int
    """Its number among the games of the two players, from 1."""
    player: str
    """The spec of the player that lost it."""
    against: str
    """The spec of the other one."""
    reason: str
    """What it did, in words that go on after its name."""

    def __str__(self) -> str:
        return f"game {self.game} against {self.against}: {self.player} {self.reason}"


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
    sprt: SprtResult | None = None
    """Where the sequential test ended, if one was asked for."""

    @property
    def games(self) -> int:
        """Number of games played."""
        return 2 * len(self.pairs)

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
        return (
            f"{self.players[0]} against {self.players[1]} at {self.game}: +{t.wins} ={t.draws} -{t.losses}, "
            f"score {self.score:.3f} [{low:.3f}, {high:.3f}]"
        )


def match(
    first: str | Spec | Player,
    second: str | Spec | Player,
    *,
    game: str | Spec | Game = "othello",
    games: int | None = None,
    openings: str | Spec = "none",
    seed: int = 0,
    sprt: Sprt | None = None,
    batch: int = BATCH,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match; with `sprt` it ends as soon as the test is decided, at the latest after `games` games.

    `games` is even; by default 100, or two for each opening of a file.
    """
    blocks: list[Pairs] = []
    verdict = sprt.decide([]) if sprt else None
    with Table.prepare(game, [first, second], openings, games, seed, batch) as table:
        for block in table.play(0, 1, chance.key(seed, "match")):
            blocks.append(block)
            if sprt:
                verdict = sprt.decide(np.concatenate([b.scores.sum(axis=1) for b in blocks]))
            if progress:
                progress(2 * (block.first + len(block)), 2 * table.pairs)
            if verdict and verdict.verdict:
                break
    pairs = Pairs.join(blocks)[: verdict.pairs if verdict else None]
    names = (str(table.players[0]), str(table.players[1]))
    return MatchResult(table.game, names, table.openings, seed, pairs, verdict)


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

    @classmethod
    def prepare(
        cls,
        game_spec: str | Spec | Game,
        players: list[str | Spec | Player],
        opening_spec: str | Spec,
        games: int | None,
        seed: int,
        batch: int = BATCH,
    ) -> Table:
        """Build everything a match or a league needs, or say what is wrong with it."""
        the_game = game(game_spec)
        if games is not None and (games < 2 or games % 2):
            raise ZeroplyError(
                f"the number of games must be 2 or more, and even, as openings are played twice: not {games}"
            )
        if not 2 <= batch <= 1_000_000:
            raise ZeroplyError(f"a batch has 2 to 1,000,000 games, not {batch:,}")
        wanted = openings(opening_spec, the_game, seed, None if games is None else games // 2)
        by_default = len(wanted) if wanted.from_file else 50
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
        pairs = by_default if games is None else games // 2
        return cls(the_game, tuple(seated), wanted, pairs, batch, tuple(made))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _close(self.made)

    def fingerprint(self) -> list[str]:
        """Differs if a player or an opening would be another one, also when only a file has changed."""
        return [*(player.fingerprint() for player in self.players), self.openings.fingerprint()]

    def play(self, first: int, second: int, key: int, start: int = 0) -> Iterator[Pairs]:
        """The pairs of games between two players from pair `start` on, block by block; `key` names them for chance."""
        step = max(1, self.batch // 2)
        for one in (self.players[first], self.players[second]):
            if isinstance(one, FollowingPlayer):
                step = min(step, GAMES_IN_A_ROW * one.concurrent // 2)
        for low in range(start, self.pairs, step):
            yield self._block(first, second, key, low, min(low + step, self.pairs))

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


def _close(players: Sequence[Player]) -> None:
    for one in players:
        one.close()


def tally(scores: NDArray[np.float64]) -> Tally:
    """Wins, draws and losses among scores of 1, 0.5 and 0."""
    return Tally(int((scores == 1).sum()), int((scores == 0.5).sum()), int((scores == 0).sum()))


def lost_games(pairs: Pairs, names: Sequence[str]) -> list[LostGame]:
    """The forfeits among pairs of games between two players of these names."""
    return [
        LostGame(number + 1, names[one.player], names[1 - one.player], one.reason)
        for number, one in sorted(pairs.forfeits.items())
    ]


def record(game: Game, openings: Openings, pairs: Pairs, number: int, names: tuple[str, str]) -> GameRecord:
    """One game of a whole match as a record; `names` are Black's and White's."""
    opening, forfeited = openings[number // 2], pairs.forfeits.get(number)
    moves = opening.moves + pairs.game(number)
    return GameRecord(game, moves, opening.setup, *names, forfeit=forfeited.colour if forfeited else 0)
