"""The front desk: what all questions share, and the answers that players give."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from fastapi import Request

from zeroply import chance
from zeroply.analysis.preferences import probabilities
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.nets.first_layer import first_layer
from zeroply.players import Player
from zeroply.players.net import NetPlayer
from zeroply.web.server import positions, schemas
from zeroply.web.server.lobby import Lobby
from zeroply.web.server.runs import Shelf
from zeroply.web.server.studies import Results
from zeroply.web.server.work import BoundedThreads

T = TypeVar("T")


class Desk:
    """Everything the server holds."""

    def __init__(self, runs: Path | None, results: Sequence[Path], given: Sequence[str] = ()) -> None:
        self.shelf = Shelf(runs)
        self.results = Results(results)
        self.lobby = Lobby(self.shelf, given)
        self.quick = BoundedThreads(threads=2, waiting=200)
        self.slow = BoundedThreads(threads=2, waiting=60, nice=True)

    async def ask(self, name: str, game: Game, question: Callable[[Player], T]) -> T:
        """Put a question to a player, by the threads that suit it."""

        threads = self.quick if self.lobby.is_quick(name, game) else self.slow
        return await threads.do(lambda: self.lobby.ask(name, game, question))

    def close(self) -> None:
        """End all work."""
        self.quick.close()
        self.slow.close()
        self.lobby.close()


def desk_of(request: Request) -> Desk:
    """The desk of the application that is asked."""
    found: Desk = request.app.state.desk
    return found


def move(player: Player, reached: positions.Reached, seed: int) -> schemas.Moved:
    """What a player plays."""
    begun = time.perf_counter()
    key = np.array([chance.key(seed, "web")], np.uint64)
    cell = int(player.choose(reached.last, key)[0])
    if cell < 0:
        raise ZeroplyError("the game is over: nobody is to move")
    following = positions.after(reached, cell)
    seconds = round(time.perf_counter() - begun, 4)
    return schemas.Moved(
        cell=cell, name=reached.game.notation.name(cell), seconds=seconds, position=positions.shown(following)
    )


def preferences(player: Player, reached: positions.Reached, name: str) -> schemas.Preferences:
    """What a player likes."""
    values = player.prefer_all(reached.last)[0]
    shares = np.where(np.isfinite(values), probabilities(values, player.choice.temperature), np.nan)
    logits = isinstance(player, NetPlayer) and getattr(player.net, "output", "") == "moves"
    return schemas.Preferences(
        player=name, values=positions.finite(values), shares=positions.finite(shares), logits=logits
    )


def inside(player: Player, reached: positions.Reached, name: str) -> schemas.Inside:
    """What a net's first layer makes of a position."""
    if not isinstance(player, NetPlayer):
        return schemas.Inside(player=name, about="This player is not a net: there are no layers to look at.", groups=[])
    groups = [
        schemas.Pictures(
            title=group.title,
            size=group.size,
            pictures=[
                schemas.Picture(title=title, values=[float(f"{v:.4g}") for v in np.asarray(values).ravel().tolist()])
                for title, values in group.pictures
            ],
        )
        for group in first_layer(player.net, reached.last)
    ]
    about = f"{player.net.spec}, {player.net.parameters:,} weights. It sees: {player.net.encoding}."
    return schemas.Inside(player=name, about=about, groups=groups)
