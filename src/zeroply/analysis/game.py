"""One game, move by move: a player's preference for each move, and its value by a judge.

All positions of the game go through the player in one batch. Values are from Black's point of view, so that their graph
shows who was ahead; losses are those of the side that moved. Each value is the one before it less what the move lost
(`zeroply.analysis.judging`). Where the judge sees the end of the game, words replace numbers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.analysis.judging import EXACT, in_discs, judge_game
from zeroply.analysis.preferences import probabilities, ranks
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.players import Player
from zeroply.records import GameRecord


@dataclass(frozen=True)
class Move:
    """One move of a game."""

    number: int
    """The number of the move, from 1; passes are not counted."""
    colour: str
    """Who made it: `black` or `white`."""
    move: str
    """The cell."""
    legal: int
    """How many moves there were."""
    rank: int
    """Its rank among them for the player, from 1; equally preferred moves share a rank."""
    probability: float
    """How likely the player was to make it, see `zeroply.analysis.preferences`."""
    favourite: str
    """The player's preferred move; among several, the one made if it is one of them."""
    value: float | None
    """The judge's value of the position before the move, for Black; discs where it is exact or the game is decided and
    won by discs; None in other games that are decided."""
    winner: str | None
    """The side that the judge sees win from there, `black` or `white`; None if it does not see the end."""
    loss: float | None
    """How much less the move is worth than the best one, for the side that made it; None where `fault` is set."""
    fault: str | None
    """`misses win` or `loses` for a move that gives away a win or an undecided game within the judge's search."""
    best: str
    """The judge's best move; among several, the one made if it is one of them."""
    line: tuple[str, ...]
    """The judge's best line, beginning with `best`; empty if the judge does not look ahead."""
    exact: bool
    """Whether value and loss are those of perfect play."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """A game and the analysis of its moves."""

    record: GameRecord
    """The game."""
    player: str
    """Spec of the player."""
    judge: str
    """Spec of the judge."""
    unit: Literal["discs", "points"]
    """Unit of values and losses that are not exact: discs, or the judge's own points."""
    moves: tuple[Move, ...]
    """The moves in order."""
    positions: Positions
    """[moves]: the positions before each move."""
    preferences: NDArray[np.float32]
    """[moves, cells]: the player's preferences in them."""

    @property
    def agreement(self) -> float:
        """Share of moves that are the player's preferred ones."""
        return float(np.mean([move.rank == 1 for move in self.moves])) if self.moves else 0.0

    def mean_loss(self, colour: str, *, exact: bool) -> float | None:
        """What a side's moves lose on average, where that is exact or elsewhere; None without such moves.

        Moves with a fault are left out, as are those of games that are decided and not won by discs.
        """
        mine = (move for move in self.moves if move.colour == colour and move.exact == exact)
        losses = [move.loss for move in mine if move.loss is not None and move.value is not None]
        return float(np.mean(losses)) if losses else None

    def faults(self, colour: str) -> int:
        """How many moves of a side miss a win or lose an open game."""
        return sum(move.fault is not None for move in self.moves if move.colour == colour)

    def summary(self) -> dict[str, Any]:
        """Everything as JSON values."""
        record = self.record
        return {
            "game": str(record.game),
            "black": record.black,
            "white": record.white,
            "result": record.result,
            "player": self.player,
            "judge": self.judge,
            "agreement": self.agreement,
            "moves": [asdict(move) for move in self.moves],
        }


def analyse(record: GameRecord, player: Player, judging: Player, exact: int = EXACT) -> Analysis:
    """Analyse every move of a game."""
    if not record.moves:
        raise ZeroplyError("this game has no moves to analyse")
    positions = _before_moves(record)
    moves = np.array(record.moves, np.int64)
    preferences = player.prefer_all(positions)
    chances = probabilities(preferences, player.choice.temperature)
    rank = ranks(preferences, moves)
    judged, lines = judge_game(positions, moves, judging, exact)
    losses, values = judged.losses(moves), judged.values * positions.to_move()
    winners, outcomes = judged.outcomes * positions.to_move(), judged.outcomes
    name, rows = record.game.notation.name, range(len(moves))
    analysed = tuple(
        Move(
            number=int(positions.move_number()[i]),
            colour="black" if positions.to_move()[i] > 0 else "white",
            move=name(int(moves[i])),
            legal=int(np.isfinite(preferences[i]).sum()),
            rank=int(rank[i]),
            probability=float(chances[i, moves[i]]),
            favourite=name(int(moves[i] if rank[i] == 1 else preferences[i].argmax())),
            value=_number(values[i]),
            winner={1: "black", -1: "white"}.get(int(winners[i])),
            loss=_number(losses[i]),
            fault=None if np.isfinite(losses[i]) else "misses win" if outcomes[i] > 0 else "loses",
            best=name(int(moves[i] if losses[i] == 0 else judged.scores[i].argmax())),
            line=tuple(name(cell) for cell in lines[i]),
            exact=bool(judged.exact[i]),
        )
        for i in rows
    )
    unit: Literal["discs", "points"] = "discs" if in_discs(judging) else "points"
    return Analysis(record, str(player), str(judging), unit, analysed, positions, preferences)


def _number(value: np.float32) -> float | None:
    return float(value) if np.isfinite(value) else None


def _before_moves(record: GameRecord) -> Positions:
    """[moves]: the positions in which the moves were made."""
    position = record.game.start() if record.setup is None else record.game.parse(record.setup)
    every = position[np.zeros(len(record.moves), np.int64)]
    for i, cell in enumerate(record.moves):
        every[i] = position
        position.play([cell])
    return every
