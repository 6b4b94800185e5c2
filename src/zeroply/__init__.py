"""zeroply: neural board-game players that need no look-ahead, for Othello, Gomoku, Atari-Go and Hex.

>>> import zeroply as zp
>>> print(zp.match("naive", "random", game="atarigo(size=5)", games=1000, seed=1))  # doctest: +SKIP

Every public name and module is imported when it is first used, so `import zeroply` itself is fast.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zeroply import chance as chance
    from zeroply import envs as envs
    from zeroply import examples as examples
    from zeroply import games as games
    from zeroply import nets as nets
    from zeroply import players as players
    from zeroply import records as records
    from zeroply import runs as runs
    from zeroply import search as search
    from zeroply._core import threads as threads
    from zeroply.arena.adjudication import Adjudication as Adjudication
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
    from zeroply.learning.coevolution.host_parasite import coevolve as coevolve
    from zeroply.learning.evolution.evolve import evolve as evolve
    from zeroply.learning.imitation.judging import judge as judge
    from zeroply.learning.imitation.train import train as train
    from zeroply.nets import Net as Net
    from zeroply.players import Choice as Choice
    from zeroply.players import Player as Player
    from zeroply.players import player as player
    from zeroply.records import GameRecord as GameRecord
    from zeroply.runs import Run as Run
    from zeroply.runs.resume import resume as resume

_MODULES = ("chance", "envs", "examples", "games", "nets", "players", "records", "runs", "search")
_HOMES = {
    "Adjudication": "zeroply.arena.adjudication",
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
    "coevolve": "zeroply.learning.coevolution.host_parasite",
    "evolve": "zeroply.learning.evolution.evolve",
    "game": "zeroply.games",
    "judge": "zeroply.learning.imitation.judging",
    "league": "zeroply.arena.league",
    "match": "zeroply.arena.match",
    "player": "zeroply.players",
    "resume": "zeroply.runs.resume",
    "threads": "zeroply._core",
    "train": "zeroply.learning.imitation.train",
}

__all__ = sorted([*_HOMES, *_MODULES, "set_threads"])
__version__ = "0.1.0"


def set_threads(count: int) -> None:
    """Use this many threads from now on, 1 to 1024; changes speed only."""
    from zeroply import _core
    from zeroply.errors import ZeroplyError

    if not 1 <= count <= 1024:
        raise ZeroplyError(f"threads must be from 1 to 1024, not {count}")
    _core.set_threads(count)


if not TYPE_CHECKING:  # type checkers know the names above, and must not take every other name for one

    def __getattr__(name):
        if name in _MODULES:
            return importlib.import_module(f"zeroply.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'zeroply' has no attribute '{name}'")
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
