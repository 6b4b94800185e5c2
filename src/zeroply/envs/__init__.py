"""The games as environments for reinforcement learning, and OpenSpiel.

`vector` is many games at once, in the style of Gymnasium's vector environments, against any player; `turns` is one
game for two agents, as PettingZoo's AEC environments are. Both need their package: `pip install '.[envs]'`. With
OpenSpiel, `open_spiel_bot` makes one of its bots from a player, and `open_spiel_player` a player from one of its bots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games.positions import Plane
from zeroply.players import Player
from zeroply.specs import Spec

if TYPE_CHECKING:
    from zeroply.envs.gymnasium_vector import Vector
    from zeroply.envs.open_spiel import Bot, MakeBot
    from zeroply.envs.pettingzoo_turns import Turns

__all__ = ["open_spiel_bot", "open_spiel_player", "turns", "vector"]

PLANES: tuple[Plane, ...] = ("own", "opponent")
"""What an agent sees by default."""
MOST_SIMULATIONS = 10**9
"""Most random games per move."""


@contextmanager
def _needs_package() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        extra = {"gymnasium": "envs", "pettingzoo": "envs", "pyspiel": "peers"}.get(error.name or "")
        if extra is None:
            raise
        raise ZeroplyError(f"this needs {error.name}: install it with pip install '.[{extra}]'") from None


def vector(
    game: str | Spec | Game,
    num_envs: int,
    *,
    opponent: str | Spec | Player | None = None,
    planes: Sequence[Plane] = PLANES,
) -> Vector:
    """Many games at once: the agent plays against `opponent`, both colours in turn, or moves for both sides.

    >>> envs = vector("othello", 1024, opponent="greedy")  # doctest: +SKIP
    """
    with _needs_package():
        from zeroply.envs.gymnasium_vector import Vector
    return Vector(game, num_envs, opponent, planes)


def turns(game: str | Spec | Game, *, planes: Sequence[Plane] = PLANES, render_mode: str | None = None) -> Turns:
    """One game for the agents `black` and `white`, who move when it is their turn."""
    with _needs_package():
        from zeroply.envs.pettingzoo_turns import Turns
    return Turns(game, planes, render_mode)


def open_spiel_bot(player: str | Spec | Player, game: str | Spec | Game, *, seed: int = 0) -> Bot:
    """A player as a bot of OpenSpiel, for games that OpenSpiel has: Othello 8x8, Gomoku, Hex."""
    with _needs_package():
        from zeroply.envs.open_spiel import Bot
    return Bot(player, game, seed)


def open_spiel_player(make: MakeBot, game: str | Spec | Game) -> Player:
    """A bot of OpenSpiel as a player; `make` gets OpenSpiel's game, the number of the player, and a random seed."""
    with _needs_package():
        from zeroply.envs.open_spiel import BotPlayer
    return BotPlayer(game, make)


def openspiel(
    game: Game,
    simulations: Annotated[int, "random games per move"] = 100,
    uct: Annotated[float, "weight of exploration"] = 2.0,
) -> Player:
    """Othello 8x8, Gomoku, Hex: OpenSpiel's Monte Carlo tree search; openings must be made of moves."""
    if not 1 <= simulations <= MOST_SIMULATIONS or not 0 <= uct < float("inf"):
        raise ZeroplyError(f"openspiel needs from 1 to {MOST_SIMULATIONS} simulations, and uct from 0")
    with _needs_package():
        from zeroply.envs.open_spiel import search_bot
    return open_spiel_player(search_bot(simulations, uct), game)
