"""A pool of players: each is built once, stays ready while it is in use, and is called by one thread at a time.

A browser names a player by an allowed spec (`allowed_specs.py`); by `champion(ID)` or `champion(ID, generation=3)`, a
net of a run the server lists; or by `given(1)`, the first player named by `--player` when the server was started.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.players import Player, player
from zeroply.players.net import NetPlayer
from zeroply.players.simple import GreedyPlayer, NaivePlayer, RandomPlayer
from zeroply.specs import Spec, parse
from zeroply.web.server import bounded_cache, catalogue
from zeroply.web.server.allowed_specs import allowed_player
from zeroply.web.server.runs import RunIndex
from zeroply.web.server.schemas import OfferedPlayer
from zeroply.web.server.thread_pool import check_cancelled

MAX_PLAYERS = 32
"""Players that stay ready."""
MAX_REFUSALS = 256
"""Remembered pairs of a player from `--player` and a game it does not play."""

T = TypeVar("T")


@dataclass
class PooledPlayer:
    """A player that is ready."""

    player: Player
    """The player."""
    quick: bool
    """Whether it answers at once, so that it need not queue behind players that search."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by the thread that calls the player."""
    retired: bool = False
    """Whether it was removed from the pool: the thread that still calls it closes it afterwards."""
    closed: bool = False
    """Whether it was closed; guarded by `lock`."""


class PlayerPool:
    """Players by name and game."""

    def __init__(self, runs: RunIndex, given: Sequence[str] = ()) -> None:
        self._runs = runs
        self._given = [parse(spec) for spec in given]
        self._ready: dict[tuple[str, Game], PooledPlayer] = {}
        self._refused: dict[tuple[str, Game], None] = {}
        self._lock = threading.Lock()

    def opponents(self, game: Game) -> list[OfferedPlayer]:
        """All players of a game; those from `--player` come first."""
        own = [
            OfferedPlayer(
                player=f"given({number})",
                title=str(spec),
                about="Added with --player when the server was started.",
                group="Added",
                rating=None,
                rated_at=None,
            )
            for number, spec in enumerate(self._given, 1)
            if self._plays(f"given({number})", game)
        ]
        return own + catalogue.opponents(game)

    def is_quick(self, name: str, game: Game) -> bool:
        """Whether a player is known to answer at once; reads no files."""
        spec = parse(name)
        if spec.name == "champion":  # a net, or an n-tuple table that searches one ply
            return True
        with self._lock:
            ready = self._ready.get((str(spec), game))
        return ready is not None and ready.quick

    def ask(self, name: str, game: Game, question: Callable[[Player], T]) -> T:
        """Call `question` with the player of that name, which may take a while to build the first time."""
        while True:
            pooled = self._get(name, game)
            try:
                with _held(pooled.lock):
                    if not pooled.retired:
                        return question(pooled.player)
            finally:
                if pooled.retired:
                    _close_if_idle(pooled)

    def close(self) -> None:
        """Close all players; a player that is being called is closed when it has answered."""
        with self._lock:
            gone = list(self._ready.values())
            self._ready.clear()
        for pooled in gone:
            _retire(pooled)

    def _plays(self, name: str, game: Game) -> bool:
        """Whether a player from `--player` plays a game, found out by building it."""
        with self._lock:
            if (name, game) in self._refused:
                return False
        try:
            self._get(name, game)
        except ZeroplyError:
            with self._lock:
                bounded_cache.insert(self._refused, (name, game), None, MAX_REFUSALS)
            return False
        return True

    def _get(self, name: str, game: Game) -> PooledPlayer:
        key = (self._key(name), game)
        with self._lock:
            ready = self._ready.get(key)
            if ready is not None:
                bounded_cache.insert(self._ready, key, ready, MAX_PLAYERS)
                return ready
        built = self._builder(name, game)()
        pooled = PooledPlayer(built, isinstance(built, NetPlayer | RandomPlayer | NaivePlayer | GreedyPlayer))
        with self._lock:
            ready = self._ready.get(key)  # built by another thread in the meantime
            gone = [pooled] if ready else bounded_cache.insert(self._ready, key, pooled, MAX_PLAYERS)
        for one in gone:
            _retire(one)
        return ready or pooled

    def _key(self, name: str) -> str:
        """The name; for nets of a run also a version, which changes when the run writes a new net."""
        spec = parse(name)
        return f"{spec} {self._runs.version(spec)}" if spec.name == "champion" else str(spec)

    def _builder(self, name: str, game: Game) -> Callable[[], Player]:
        spec = parse(name)
        if spec.name == "champion":
            return lambda: self._runs.champion(spec, game)
        if spec.name == "given":
            chosen = self._given_spec(spec)
            return lambda: player(chosen, game)
        allowed = allowed_player(name)
        return lambda: player(allowed, game)

    def _given_spec(self, spec: Spec) -> Spec:
        match spec.args, dict(spec.kwargs):
            case (int(number),), {} if 1 <= number <= len(self._given):
                return self._given[number - 1]
            case _:
                raise ZeroplyError(f"there is no player {spec}: the server was started with {len(self._given)} players")


@contextmanager
def _held(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock; waiting for it can be cancelled."""
    while not lock.acquire(timeout=0.02):
        check_cancelled()
    try:
        yield
    finally:
        lock.release()


def _retire(pooled: PooledPlayer) -> None:
    pooled.retired = True  # set before trying the lock: its holder checks this after releasing it
    _close_if_idle(pooled)


def _close_if_idle(pooled: PooledPlayer) -> None:
    """Close a player unless a thread is calling it; that thread then closes it."""
    if pooled.lock.acquire(blocking=False):
        try:
            if not pooled.closed:
                pooled.closed = True
                pooled.player.close()
        finally:
            pooled.lock.release()
