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


def move(player: Player, replayed: positions.ReplayedGame, seed: int) -> schemas.MoveReply:
    """The player's move."""
    begun = time.perf_counter()
    key = np.array([chance.key(seed, "web")], np.uint64)
    cell = int(player.choose(replayed.last, key)[0])
    if cell < 0:
        raise ZeroplyError("the game is over: there is no move to make")
    following = positions.after(replayed, cell)
    seconds = round(time.perf_counter() - begun, 4)
    return schemas.MoveReply(
        cell=cell, name=replayed.game.notation.name(cell), seconds=seconds, position=positions.describe(following)
    )


def preferences(player: Player, replayed: positions.ReplayedGame, name: str) -> schemas.Preferences:
    """The player's preference for every move."""
    values = player.prefer_all(replayed.last)[0]
    shares = np.where(np.isfinite(values), probabilities(values, player.choice.temperature), np.nan)
    logits = isinstance(player, NetPlayer) and getattr(player.net, "output", "") == "moves"
    return schemas.Preferences(
        player=name, values=positions.finite(values), shares=positions.finite(shares), logits=logits
    )


def inside(player: Player, replayed: positions.ReplayedGame, name: str) -> schemas.FirstLayer:
    """The first layer of a net, computed for a position."""
    if not isinstance(player, NetPlayer):
        return schemas.FirstLayer(
            player=name, about="This player is not a net, so it has no layers to show.", groups=[]
        )
    groups = [
        schemas.LayerMaps(
            title=group.title,
            size=group.size,
            pictures=[
                schemas.LayerMap(title=title, values=[float(f"{v:.4g}") for v in np.asarray(values).ravel().tolist()])
                for title, values in group.maps
            ],
        )
        for group in first_layer(player.net, replayed.last)
    ]
    about = f"{player.net.spec}, {player.net.parameters:,} weights. Input: {player.net.encoding}."
    return schemas.FirstLayer(player=name, about=about, groups=groups)
