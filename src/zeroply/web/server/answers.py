"""What a player answers about a position: its move, its preferences and what its first layer computes."""

from __future__ import annotations

import time

import numpy as np

from zeroply import chance
from zeroply.analysis.preferences import probabilities
from zeroply.errors import ZeroplyError
from zeroply.nets.first_layer import first_layer
from zeroply.players import Player
from zeroply.players.net import NetPlayer
from zeroply.web.server import positions, schemas


def move(player: Player, reached: positions.Reached, seed: int) -> schemas.Moved:
    """The player's move."""
    begun = time.perf_counter()
    key = np.array([chance.key(seed, "web")], np.uint64)
    cell = int(player.choose(reached.last, key)[0])
    if cell < 0:
        raise ZeroplyError("the game is over: there is no move to make")
    following = positions.after(reached, cell)
    seconds = round(time.perf_counter() - begun, 4)
    return schemas.Moved(
        cell=cell, name=reached.game.notation.name(cell), seconds=seconds, position=positions.shown(following)
    )


def preferences(player: Player, reached: positions.Reached, name: str) -> schemas.Preferences:
    """The player's preference for every move."""
    values = player.prefer_all(reached.last)[0]
    shares = np.where(np.isfinite(values), probabilities(values, player.choice.temperature), np.nan)
    logits = isinstance(player, NetPlayer) and getattr(player.net, "output", "") == "moves"
    return schemas.Preferences(
        player=name, values=positions.finite(values), shares=positions.finite(shares), logits=logits
    )


def inside(player: Player, reached: positions.Reached, name: str) -> schemas.Inside:
    """The first layer of a net, computed for a position."""
    if not isinstance(player, NetPlayer):
        return schemas.Inside(player=name, about="This player is not a net, so it has no layers to show.", groups=[])
    groups = [
        schemas.Pictures(
            title=group.title,
            size=group.size,
            pictures=[
                schemas.Picture(title=title, values=[float(f"{v:.4g}") for v in np.asarray(values).ravel().tolist()])
                for title, values in group.maps
            ],
        )
        for group in first_layer(player.net, reached.last)
    ]
    about = f"{player.net.spec}, {player.net.parameters:,} weights. Input: {player.net.encoding}."
    return schemas.Inside(player=name, about=about, groups=groups)
