"""Pairs of games: two players and one opening, played twice with colours swapped.

Game 2k and game 2k + 1 start from opening k; the first player has Black in the even one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.async_games import Forfeited
from zeroply.arena.openings import Openings
from zeroply.arena.statistics import Tally
from zeroply.games import Game
from zeroply.records import GameRecord


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
        numbers = range(2 * (self.first + low), 2 * (self.first + high))
        forfeits = {number: one for number, one in self.forfeits.items() if number in numbers}
        return Pairs(self.first + low, self.scores[low:high], self.moves[2 * low : 2 * high], forfeits)

    def game(self, number: int) -> tuple[int, ...]:
        """The moves of one game (game 2k and 2k + 1 are pair k)."""
        row = self.moves[number]
        return tuple(row[row >= 0].tolist())

    @staticmethod
    def join(blocks: Sequence[Pairs]) -> Pairs:
        """Consecutive blocks as one."""
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
    """What it did, as text that follows its name."""

    def __str__(self) -> str:
        return f"game {self.game} against {self.against}: {self.player} {self.reason}"


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
