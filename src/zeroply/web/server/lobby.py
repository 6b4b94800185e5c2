"""The players that browsers can meet: built once, kept while they are used, asked by one thread at a time.

A player is named by a permitted spec; by `champion(ID)` or `champion(ID, generation=3)`, a net of a run the server
lists; or by `given(1)`, one that the person who started the server has allowed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.players import Player, player
from zeroply.players.net import NetPlayer
from zeroply.players.simple import GreedyPlayer, NaivePlayer, RandomPlayer
from zeroply.specs import Spec, parse
from zeroply.web.server import catalogue
from zeroply.web.server.kept import keep
from zeroply.web.server.permits import permitted
from zeroply.web.server.runs import Shelf
from zeroply.web.server.schemas import Opponent

MOST_KEPT = 32
"""Players that are kept ready."""
MOST_REFUSED = 256
"""Games for which it is remembered that a given player does not play them."""

T = TypeVar("T")


@dataclass
class Seated:
    """A player that is ready."""

    player: Player
    """The player."""
    quick: bool
    """Whether it answers at once, so that it need not stand in line with those that search."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by the thread that asks it."""
    retired: bool = False
    """Whether it has lost its seat: nobody asks it any more, and whoever asks it now closes it afterwards."""
    closed: bool = False
    """Whether it was let go of; changed by who holds the lock."""


class Lobby:
    """Players by name."""

    def __init__(self, shelf: Shelf, given: Sequence[str] = ()) -> None:
        self._shelf = shelf
        self._given = [parse(spec) for spec in given]
        self._seated: dict[tuple[str, Game], Seated] = {}
        self._refused: dict[tuple[str, Game], None] = {}
        self._lock = threading.Lock()

    def opponents(self, game: Game) -> list[Opponent]:
        """Everyone who plays a game; those the server was given come first."""
        own = [
            Opponent(
                player=f"given({number})",
                title=str(spec),
                about="Given when the server was started.",
                group="Given",
                rating=None,
                rated_at=None,
            )
            for number, spec in enumerate(self._given, 1)
            if self._plays(f"given({number})", game)
        ]
        return own + catalogue.opponents(game)

    def is_quick(self, name: str, game: Game) -> bool:
        """Whether a player is known to answer at once; looks at no disk."""
        spec = parse(name)
        if spec.name == "champion":  # a net, or a table of n-tuples that looks one ply ahead
            return True
        with self._lock:
            found = self._seated.get((str(spec), game))
        return found is not None and found.quick

    def ask(self, name: str, game: Game, question: Callable[[Player], T]) -> T:
        """Put a question to the player of that name, which may take a while to build the first time."""
        while True:
            seated = self._seat(name, game)
            try:
                with seated.lock:
                    if not seated.retired:
                        return question(seated.player)
            finally:
                if seated.retired:
                    _let_go(seated)

    def close(self) -> None:
        """Let all players go; those who are being asked when they have answered."""
        with self._lock:
            gone = list(self._seated.values())
            self._seated.clear()
        for seated in gone:
            _retire(seated)

    def _plays(self, name: str, game: Game) -> bool:
        """Whether a given player plays a game, found out by seating it."""
        with self._lock:
            if (name, game) in self._refused:
                return False
        try:
            self._seat(name, game)
        except ZeroplyError:
            with self._lock:
                keep(self._refused, (name, game), None, MOST_REFUSED)
            return False
        return True

    def _seat(self, name: str, game: Game) -> Seated:
        key = (self._key(name), game)
        with self._lock:
            found = self._seated.get(key)
            if found is not None:
                keep(self._seated, key, found, MOST_KEPT)
                return found
        built = self._maker(name, game)()
        seated = Seated(built, isinstance(built, NetPlayer | RandomPlayer | NaivePlayer | GreedyPlayer))
        with self._lock:
            found = self._seated.get(key)  # by another thread in the meantime
            gone = [seated] if found else keep(self._seated, key, seated, MOST_KEPT)
        for one in gone:
            _retire(one)
        return found or seated

    def _key(self, name: str) -> str:
        """The name, and for nets of a run what changes when the run writes a new one."""
        spec = parse(name)
        return f"{spec} {self._shelf.version(spec)}" if spec.name == "champion" else str(spec)

    def _maker(self, name: str, game: Game) -> Callable[[], Player]:
        spec = parse(name)
        if spec.name == "champion":
            return lambda: self._shelf.champion(spec, game)
        if spec.name == "given":
            chosen = self._of_given(spec)
            return lambda: player(chosen, game)
        allowed = permitted(name)
        return lambda: player(allowed, game)

    def _of_given(self, spec: Spec) -> Spec:
        match spec.args, dict(spec.kwargs):
            case (int(number),), {} if 1 <= number <= len(self._given):
                return self._given[number - 1]
            case _:
                raise ZeroplyError(f"the server was given {len(self._given)} players, and this is none of them")


def _retire(seated: Seated) -> None:
    seated.retired = True  # before the lock is tried: whoever holds it looks here after giving it back
    _let_go(seated)


def _let_go(seated: Seated) -> None:
    """Close a player unless it is being asked; then the thread that asks it does so."""
    if seated.lock.acquire(blocking=False):
        try:
            if not seated.closed:
                seated.closed = True
                seated.player.close()
        finally:
            seated.lock.release()
