"""Pairs of games: two players and one opening, played twice with colours swapped.

Game 2k and game 2k + 1 start from opening k; the first player has Black in the even one.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.adjudication import Adjudged
from zeroply.arena.async_games import Forfeited
from zeroply.arena.openings import Openings
from zeroply.arena.statistics import Tally
from zeroply.games import Game
from zeroply.players import Fault
from zeroply.records import GameRecord

F = TypeVar("F")


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
    adjudged: Mapping[int, Adjudged] = field(default_factory=dict)
    """The games that were adjudicated, by their number in the whole match."""
    seconds: Mapping[int, tuple[float | None, ...]] = field(default_factory=dict)
    """The times of the moves of programs, None for those of other players, by the number of the game."""

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, which: slice) -> Pairs:
        low, high, _ = which.indices(len(self))
        numbers = range(2 * (self.first + low), 2 * (self.first + high))
        moves = self.moves[2 * low : 2 * high]
        return Pairs(
            self.first + low,
            self.scores[low:high],
            moves,
            _among(numbers, self.forfeits),
            _among(numbers, self.adjudged),
            _among(numbers, self.seconds),
        )

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
        forfeits, adjudged, seconds = (
            dict(ChainMap(*(vars(block)[name] for block in blocks))) for name in ("forfeits", "adjudged", "seconds")
        )
        scores = np.concatenate([block.scores for block in blocks])
        return Pairs(blocks[0].first, scores, np.concatenate(wide), forfeits, adjudged, seconds)


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
    fault: Fault = "protocol"
    """The kind of its fault."""

    def __str__(self) -> str:
        return f"game {self.game} against {self.against}: {self.player} {self.reason}"


def tally(scores: NDArray[np.float64]) -> Tally:
    """Wins, draws and losses among scores of 1, 0.5 and 0."""
    return Tally(int((scores == 1).sum()), int((scores == 0.5).sum()), int((scores == 0).sum()))


def lost_games(pairs: Pairs, names: Sequence[str]) -> list[LostGame]:
    """The forfeits among pairs of games between two players of these names."""
    return [
        LostGame(number + 1, names[one.player], names[1 - one.player], one.reason, one.fault)
        for number, one in sorted(pairs.forfeits.items())
    ]


def record(
    game: Game, openings: Openings, pairs: Pairs, number: int, names: tuple[str, str], date: str = ""
) -> GameRecord:
    """One game of a whole match as a record; `names` are Black's and White's."""
    opening, forfeited, adjudged = openings[number // 2], pairs.forfeits.get(number), pairs.adjudged.get(number)
    reason = ""
    if forfeited is not None:
        reason = f"{names[0 if forfeited.colour > 0 else 1]} {forfeited.reason}"
    elif adjudged is not None:
        reason = f"adjudicated: {adjudged.reason}"
    times = pairs.seconds.get(number)
    return GameRecord(
        game,
        opening.moves + pairs.game(number),
        opening.setup,
        *names,
        date=date,
        forfeit=0 if forfeited is None else forfeited.colour,
        adjudicated=None if adjudged is None else adjudged.score,
        reason=reason,
        seconds=() if times is None else (None,) * len(opening.moves) + times,
    )


def _among(numbers: range, facts: Mapping[int, F]) -> dict[int, F]:
    return {number: one for number, one in facts.items() if number in numbers}
