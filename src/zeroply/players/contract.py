"""The player contract: from positions to a preference for every cell.

A player returns a preference for each move (a float per cell, -inf where a move is illegal). Choosing from
preferences is shared by all players, so a heat map, an analysis or a match works for any of them without knowing its
kind. A foreign program needs more than positions: it follows games from their first move and may forfeit one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games import game as make_game
from zeroply.specs import Spec

Answer = Callable[..., NDArray[Any]]
Check = Callable[["Player", Positions, object], None]


@dataclass(frozen=True)
class Choice:
    """How a move is chosen from preferences."""

    temperature: float = 0.0
    """0 takes the best move; above, moves are drawn from the Gibbs distribution exp(preference / temperature)."""
    ties: Literal["random", "lowest"] = "random"
    """Which of several best moves is taken at temperature 0: any at random, or the lowest cell."""

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise ZeroplyError(f"temperature must be 0 or more, not {self.temperature}")
        if self.ties not in ("random", "lowest"):
            raise ZeroplyError(f"ties are broken at random or lowest, not '{self.ties}'")

    def moves(self, preferences: ArrayLike, keys: ArrayLike, counters: ArrayLike) -> NDArray[np.int32]:
        """[n]: the chosen cells, -1 where nothing is legal; chance is keyed by `keys` and `counters`, both [n]."""
        rows = np.ascontiguousarray(preferences, np.float32)
        out = np.empty(len(rows), np.int32)
        keys = np.ascontiguousarray(keys, np.uint64)
        counters = np.ascontiguousarray(counters, np.uint64)
        for what, given in (("keys", keys), ("counters", counters)):
            if given.shape != (len(rows),):
                raise ZeroplyError(f"{len(rows)} positions need as many {what}, not an array of shape {given.shape}")
        bad = _core.choose(rows, keys, counters, self.temperature, self.ties == "lowest", out)
        if bad >= 0:
            raise ZeroplyError(f"the player's preferences in position {bad} contain NaN or +inf")
        return out


class Player(ABC):
    """Plays one game."""

    choice: Choice = Choice()
    """How its moves are chosen."""
    spec: Spec
    """The spec it was made from."""
    name: str | None = None
    """Its name in tables and saved games; None: its spec."""

    def __init_subclass__(cls) -> None:
        """Make every kind of player refuse positions of other games, and check its preferences."""
        super().__init_subclass__()
        for name, check in (("prefer", _preferences), ("prefer_all", _preferences), ("pick", None)):
            if name in vars(cls):
                setattr(cls, name, _of_its_game(vars(cls)[name], check))

    def __init__(self, game: str | Spec | Game) -> None:
        self.game = make_game(game)
        if not hasattr(self, "spec"):
            self.spec = Spec(type(self).__name__.lower())

    @abstractmethod
    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """[n, cells]: a preference for every legal move, -inf elsewhere."""

    def prefer_all(self, positions: Positions) -> NDArray[np.float32]:
        """[n, cells]: a separate score for every move, not a bound; as exact as the player's search.

        It is for display. In search players it differs from `prefer`, which is faster because all moves but the best
        have only bounds.
        """
        return self.prefer(positions)

    def best_lines(self, positions: Positions) -> list[list[int]]:
        """The line that the player expects from each position, cell by cell; empty where the game is over.

        Players without look-ahead expect no more than their own best move.
        """
        preferences = self.prefer(positions)
        return [[int(row.argmax())] if np.isfinite(row).any() else [] for row in preferences]

    def in_one_game(self) -> Player:
        """The same player for a caller that plays one game: it may keep what it has found from move to move.

        Its moves may then depend on the positions it has seen before, in their order. Elsewhere a player's preferences
        depend on the position alone.
        """
        return self

    def choose(
        self, positions: Positions, keys: NDArray[np.uint64] | None = None, *, seed: int = 0
    ) -> NDArray[np.int32]:
        """[n]: a move in every position, -1 where the game is over.

        Chance comes from the random keys of the games, or from a seed and the places of the positions in the batch.
        """
        return self.pick(positions, chance.keys(seed % 2**64, np.arange(len(positions))) if keys is None else keys)

    def pick(self, positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """[n]: what `choose` returns; for players that choose in another way than by `choice` from what they prefer."""
        return self.choice.moves(self.prefer(positions), keys, positions.move_number())

    @property
    def look_ahead(self) -> int:
        """Plies it searches; 0 for players without look-ahead."""
        return 0

    def within(self, *, seconds: float | None = None, depth: int | None = None) -> Player:
        """The same player with these limits; limits that the player already has are never raised.

        Players without look-ahead answer at once, and foreign programs have their own limits: both stay as
        they are.
        """
        return self

    def fingerprint(self) -> str:
        """Differs if the player would play differently, also when only a file it was read from has changed."""
        return str(self.spec)

    def close(self) -> None:
        """Release processes and other resources; most players have none."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __copy__(self) -> Self:
        """A player that shares this one's resources."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __str__(self) -> str:
        return str(self.spec) if self.name is None else self.name

    def __repr__(self) -> str:
        return f"<{self} for {self.game}>"


def _of_its_game(answer: Answer, check: Check | None) -> Answer:
    """A method of a player that refuses positions of other games and checks its result."""

    @wraps(answer)
    def checked(self: Player, positions: Positions, *rest: Any, **named: Any) -> NDArray[Any]:
        if positions.game is not self.game and positions.game != self.game:
            raise ZeroplyError(f"{self} is for {self.game}, not for positions of {positions.game}")
        values = answer(self, positions, *rest, **named)
        if check:
            check(self, positions, values)
        return values

    return checked


def _preferences(player: Player, positions: Positions, values: object) -> None:
    """Raise ZeroplyError unless there is a preference for every cell of every position."""
    shape = (len(positions), player.game.cells)
    if isinstance(values, np.ndarray) and values.shape == shape and values.dtype.kind == "f":
        return
    given = f"{values.dtype} of shape {values.shape}" if isinstance(values, np.ndarray) else type(values).__name__
    raise ZeroplyError(
        f"the preferences of player {player} must be an array of floats of shape {shape}, a row for each position and "
        f"-inf where a move is illegal, not {given}"
    )


@dataclass(frozen=True, eq=False)
class GameSoFar:
    """A game in progress: its start, its moves, and the current position."""

    position: Positions
    """The current position (a batch of one)."""
    turns: tuple[tuple[int, int], ...] = ()
    """Who moved (1 Black, -1 White) and where, in order; forced passes are left out."""
    setup: str | None = None
    """The board string of the first position; None for the standard start."""
    key: int = 0
    """The key of the game's random numbers."""

    @classmethod
    def replayed(cls, game: Game, moves: Sequence[int] = (), setup: str | None = None, key: int = 0) -> GameSoFar:
        """The game after the given cells were played."""
        position = game.start()
        if setup is not None:
            placed = game.parse(setup)
            setup = None if placed.text() == position.text() else placed.text()[0]
            position = placed
        turns = []
        for cell in moves:
            turns.append((int(position.to_move()[0]), int(cell)))
            position.play([cell])
        return cls(position, tuple(turns), setup, key)

    @property
    def colour(self) -> int:
        """Whose turn it is: 1 Black, -1 White."""
        return int(self.position.to_move()[0])


Fault = Literal["time", "crash", "illegal", "resign", "protocol"]
"""How a game can be forfeited; `protocol` is an answer that makes no sense."""


@dataclass(frozen=True)
class Forfeit:
    """The answer of a player that loses the game by something other than moves."""

    reason: str
    """What it did, phrased to follow its name: `gave no move within 10 s`."""
    fault: Fault = "protocol"
    """The kind of its fault."""


class Follower(ABC):
    """A player's part in one game, from the first move to the last; one thread at a time may use it."""

    seconds: float = 0.0
    """How long the last reply took."""
    score: float | None = None
    """What the player said its last move is worth, in discs or points for itself; None if it said nothing."""

    @abstractmethod
    def reply(self, game: GameSoFar) -> int | Forfeit:
        """The cell to play, which may be an illegal one; or why the game is forfeited."""

    @abstractmethod
    def finish(self) -> None:
        """The game is over."""

    @abstractmethod
    def abandon(self) -> None:
        """Stop at once, also from another thread; a waiting `reply` soon returns, with an arbitrary answer."""


class FollowingPlayer(Player):
    """A player that receives whole games instead of positions."""

    concurrent: int = 1
    """How many games it follows at a time without loss of speed."""

    @abstractmethod
    def follow(self) -> Follower:
        """Take part in a new game."""

    def __getstate__(self) -> dict[str, Any]:
        raise ZeroplyError(f"player {self} runs a program and cannot go to another process: make it there by its spec")
