"""Two players that share a game by its stages, as in Liskowski et al. 2018, section VI-E (Fig. 5): a net plays, and a
searching player makes the moves of one stage, to show where look-ahead is worth most.

Moves are counted from 1, passes not counted. If one of the two is a foreign program it receives the whole game, and
makes its moves when its stage has come.
"""

from __future__ import annotations

import threading
import time
from copy import copy
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players.contract import Choice, Follower, FollowingPlayer, Forfeit, GameSoFar, Player
from zeroply.specs import Spec


class HybridPlayer(Player):
    """Plays as one player, and in one stage of the game as another."""

    def __init__(self, game: Game, usual: Player, other: Player, first: int, last: int) -> None:
        super().__init__(game)
        self.usual, self.other = usual, other
        self.first, self.last = first, last

    def turn(self, positions: Positions) -> NDArray[np.bool_]:
        """[n]: whether it is the other player's stage."""
        number = positions.move_number()
        return (number >= self.first) & (number <= self.last)

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """The preferences of the player of each stage."""
        out = np.full((len(positions), self.game.cells), -np.inf, np.float32)
        turn = self.turn(positions)
        for chosen, part in ((~turn, self.usual), (turn, self.other)):
            if chosen.any():
                out[chosen] = part.prefer(positions[chosen])
        return out

    def pick(self, positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Each player chooses with its own settings, unless the hybrid has settings."""
        if self.choice != Choice():
            return super().pick(positions, keys)
        moves = np.full(len(positions), -1, np.int32)
        turn = self.turn(positions)
        for chosen, part in ((~turn, self.usual), (turn, self.other)):
            if chosen.any():
                moves[chosen] = part.pick(positions[chosen], keys[chosen])
        return moves

    @property
    def look_ahead(self) -> int:
        return max(self.usual.look_ahead, self.other.look_ahead)

    def within(self, *, seconds: float | None = None, depth: int | None = None) -> Player:
        limited = copy(self)
        limited.usual = self.usual.within(seconds=seconds, depth=depth)
        limited.other = self.other.within(seconds=seconds, depth=depth)
        return limited

    def in_one_game(self) -> Player:
        """Both players, each with what it keeps from move to move."""
        playing = copy(self)
        playing.usual, playing.other = self.usual.in_one_game(), self.other.in_one_game()
        return playing

    def fingerprint(self) -> str:
        """The spec and the fingerprints of both players."""
        return f"{self.spec} {self.usual.fingerprint()} {self.other.fingerprint()}"

    def close(self) -> None:
        self.usual.close()
        self.other.close()


class FollowingHybrid(HybridPlayer, FollowingPlayer):
    """A hybrid with a player that receives whole games."""

    def __init__(self, game: Game, usual: Player, other: Player, first: int, last: int) -> None:
        super().__init__(game, usual, other, first, last)
        self.concurrent = min(part.concurrent for part in (usual, other) if isinstance(part, FollowingPlayer))
        self.lock = threading.Lock()

    def follow(self) -> Follower:
        return _Part(self)


class _Part(Follower):
    """One game of a hybrid; a player that follows games joins when its first move is wanted."""

    def __init__(self, player: FollowingHybrid) -> None:
        self._player = player
        self._followers: dict[Player, Follower] = {}
        self._abandoned = False

    def reply(self, game: GameSoFar) -> int | Forfeit:
        hybrid = self._player
        part = hybrid.other if hybrid.turn(game.position)[0] else hybrid.usual
        if isinstance(part, FollowingPlayer):
            if part not in self._followers:
                self._followers[part] = part.follow()
                if self._abandoned:
                    self._followers[part].abandon()
            answer = self._followers[part].reply(game)
            self.seconds, self.score = self._followers[part].seconds, self._followers[part].score
            return answer
        begun = time.monotonic()
        with hybrid.lock:  # players of positions are asked by one thread at a time
            cell = int(part.choose(game.position, np.array([game.key], np.uint64))[0])
        self.seconds, self.score = time.monotonic() - begun, None
        return cell

    def finish(self) -> None:
        for follower in self._followers.values():
            follower.finish()

    def abandon(self) -> None:
        self._abandoned = True
        for follower in list(self._followers.values()):
            follower.abandon()


def hybrid(
    game: Game,
    a: Annotated[Spec, "the player that plays, such as net(othello)"],
    b: Annotated[Spec, "the player of these moves, such as engine(depth=5)"],
    first: Annotated[int, "the first move that b makes, from 1"] = 46,
    last: Annotated[int, "the last move that b makes"] = 60,
) -> Player:
    """Player a, but player b for the moves from first to last."""
    if not 1 <= first <= last:
        raise ZeroplyError(f"a hybrid needs 1 <= first <= last, not {first} and {last}")
    from zeroply.players import player

    usual = player(a, game)
    try:
        other = player(b, game)
    except BaseException:
        usual.close()
        raise
    following = any(isinstance(part, FollowingPlayer) for part in (usual, other))
    return (FollowingHybrid if following else HybridPlayer)(game, usual, other, first, last)
