"""The simplest opponents: random, naive (Schaul and Schmidhuber 2009, section IV-B) and greedy."""

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.players.contract import Choice, Player


class RandomPlayer(Player):
    """Prefers all legal moves equally."""

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """0 for every legal move."""
        return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))

    def pick(self, positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """A legal move drawn uniformly; a shortcut that gives the same moves as choosing from `prefer`."""
        if self.choice != Choice():
            return super().pick(positions, keys)
        out = np.empty(len(positions), np.int32)
        positions.batch.random_moves(np.ascontiguousarray(keys, np.uint64), out)
        return out


class NaivePlayer(Player):
    """Considers its own move only, not the reply, so it does not block."""

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """1 for a move that wins at once, -1 for one that loses at once (such as suicide), else 0."""
        out = np.empty((len(positions), self.game.cells), np.float32)
        positions.batch.child_values(False, out)
        return out


class GreedyPlayer(Player):
    """Counts discs."""

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """Own discs on the board after the move."""
        out = np.empty((len(positions), self.game.cells), np.float32)
        positions.batch.child_values(True, out)
        return out


def random(game: Game) -> Player:
    """Any legal move."""
    return RandomPlayer(game)


def naive(game: Game) -> Player:
    """A move that wins at once if there is one, never one that loses at once; else any."""
    return NaivePlayer(game)


def greedy(game: Game) -> Player:
    """Othello: the move after which it has most discs."""
    game.require("othello", "player greedy")
    return GreedyPlayer(game)
