"""zeroply: neural board-game players that need no look-ahead, for Othello, Gomoku and Atari-Go.

>>> import zeroply as zp
>>> print(zp.match("naive", "random", game="atarigo(size=5)", games=1000, seed=1))  # doctest: +SKIP

Names are imported when they are first used, so `import zeroply` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zeroply._core import threads as threads
    from zeroply.arena.league import LeagueResult as LeagueResult
    from zeroply.arena.league import league as league
    from zeroply.arena.match import MatchResult as MatchResult
    from zeroply.arena.match import match as match
    from zeroply.arena.statistics import Sprt as Sprt
    from zeroply.errors import ZeroplyError as ZeroplyError
    from zeroply.games import Board as Board
    from zeroply.games import Game as Game
    from zeroply.games import Positions as Positions
    from zeroply.games import game as game
    from zeroply.nets import Net as Net
    from zeroply.players import Choice as Choice
    from zeroply.players import Player as Player
    from zeroply.players import player as player
    from zeroply.records import GameRecord as GameRecord
    from zeroply.runs import Run as Run

_HOMES = {
    "Board": "zeroply.games",
    "Choice": "zeroply.players",
    "Game": "zeroply.games",
    "GameRecord": "zeroply.records",
    "LeagueResult": "zeroply.arena.league",
    "MatchResult": "zeroply.arena.match",
    "Net": "zeroply.nets",
    "Player": "zeroply.players",
    "Positions": "zeroply.games",
    "Run": "zeroply.runs",
    "Sprt": "zeroply.arena.statistics",
    "ZeroplyError": "zeroply.errors",
    "game": "zeroply.games",
    "league": "zeroply.arena.league",
    "match": "zeroply.arena.match",
    "player": "zeroply.players",
    "threads": "zeroply._core",
}

__all__ = sorted([*_HOMES, "set_threads"])
__version__ = "0.1.0"


def set_threads(count: int) -> None:
    """Use this many threads from now on, 1 to 1024; changes speed only."""
    from zeroply import _core
    from zeroply.errors import ZeroplyError

    if not 1 <= count <= 1024:
        raise ZeroplyError(f"threads must be from 1 to 1024, not {count}")
    _core.set_threads(count)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'zeroply' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
