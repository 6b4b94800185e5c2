"""The players that browsers can meet: built once, kept while they are used, asked by one thread at a time.

A player is named by a permitted spec; by `champion(ID)` or `champion(ID, generation=3)`, a net of a run the server
lists; or by `given(1)`, one that the person who started the server has allowed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.players import Player, player
from zeroply.players.net import NetPlayer
from zeroply.players.simple import GreedyPlayer, NaivePlayer, RandomPlayer
from zeroply.specs import Spec, parse
from zeroply.web.server import catalogue
from zeroply.web.server.permits import permitted
from zeroply.web.server.runs import Shelf
from zeroply.web.server.schemas import Opponent

MOST_KEPT = 32
"""Players that are kept ready."""


@dataclass
class Seated:
    """A player that is ready."""

    player: Player
    """The player."""
    quick: bool
    """Whether it answers at once, so that it need not stand in line with those that search."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by the thread that asks it."""


class Lobby:
    """Players by name."""

    def __init__(self, shelf: Shelf, given: Sequence[str] = ()) -> None:
        self._shelf = shelf
        self._given = [parse(spec) for spec in given]
        self._seated: OrderedDict[tuple[str, Game], Seated] = OrderedDict()
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
        ]
        return own + catalogue.opponents(game)

    def ready(self, name: str, game: Game) -> Seated | None:
        """The player if it has been built before."""
        with self._lock:
            key = (self._key(name), game)
            if key not in self._seated:
                return None
            self._seated.move_to_end(key)
            return self._seated[key]

    def seat(self, name: str, game: Game) -> Seated:
        """The player of that name; may take a while the first time."""
        found = self.ready(name, game)
        if found is not None:
            return found
        built = self._maker(name, game)()
        seated = Seated(built, isinstance(built, NetPlayer | RandomPlayer | NaivePlayer | GreedyPlayer))
        with self._lock:
            kept = self._seated.setdefault((self._key(name), game), seated)
            if kept is not seated:
                built.close()
            while len(self._seated) > MOST_KEPT:
                _, gone = self._seated.popitem(last=False)
                if gone.lock.acquire(blocking=False):  # whoever is asked now is closed by its own end
                    gone.player.close()
                    gone.lock.release()
            return kept

    def close(self) -> None:
        """Let all players go."""
        with self._lock:
            for seated in self._seated.values():
                seated.player.close()
            self._seated.clear()

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
