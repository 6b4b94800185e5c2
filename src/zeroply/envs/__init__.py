"""The games as environments for reinforcement learning.

`vector` is many games at once, in the style of Gymnasium's vector environments, against any player; `turns` is one
game for two agents, as PettingZoo's AEC environments are. Both need their package: `pip install '.[envs]'`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games.positions import Plane
from zeroply.players import Player
from zeroply.specs import Spec

if TYPE_CHECKING:
    from zeroply.envs.gymnasium_vector import Vector
    from zeroply.envs.pettingzoo_turns import Turns

__all__ = ["turns", "vector"]

PLANES: tuple[Plane, ...] = ("own", "opponent")
"""What an agent sees by default."""


@contextmanager
def _needs_package() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in ("gymnasium", "pettingzoo"):
            raise
        raise ZeroplyError(f"this needs {error.name}: install it with pip install '.[envs]'") from None


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
