"""What a player answers about a position: its move, its preferences and what its first layer computes."""

from __future__ import annotations

import time

import numpy as np

from zeroply import chance
from zeroply.analysis.judging import in_discs
from zeroply.analysis.preferences import probabilities
from zeroply.errors import ZeroplyError
from zeroply.nets.first_layer import first_layer
from zeroply.players import Choice, Player
from zeroply.players.net import NetPlayer
from zeroply.web.server import positions, schemas

VARIED_MOVES = 10
"""First moves of a game in which a player may vary."""
VARIED_LOGITS = 1.0
"""How much smaller the logit of a varied move may be: down to 37 % of the best move's probability."""
VARIED_DISCS = 0.5
"""How many discs a varied move of a search may lose."""


def move(player: Player, replayed: positions.ReplayedGame, query: schemas.MoveRequest) -> schemas.MoveReply:
    """The player's move."""
    begun = time.perf_counter()
    key = np.array([chance.key(query.seed, "web")], np.uint64)
    tolerance = _tolerance(player) if query.varied and len(replayed.moves) < VARIED_MOVES else 0.0
    if tolerance:
        values = player.prefer_all(replayed.last)
        about_equal = np.where(values >= values.max() - tolerance, 0, -np.inf).astype(np.float32)
        cell = int(Choice().moves(about_equal, key, replayed.last.move_number())[0])
    else:
        cell = int(player.choose(replayed.last, key)[0])
    if cell < 0:
        raise ZeroplyError("the game is over: there is no move to make")
    following = positions.after(replayed, cell)
    seconds = round(time.perf_counter() - begun, 4)
    return schemas.MoveReply(
        cell=cell, name=replayed.game.notation.name(cell), seconds=seconds, position=positions.describe(following)
    )


def _tolerance(player: Player) -> float:
    """By how much preferences may differ and still be about equal; 0 where their scale is unknown or chance decides."""
    if player.choice.temperature > 0:
        return 0.0
    if _has_logits(player):
        return VARIED_LOGITS
    return VARIED_DISCS if player.look_ahead and in_discs(player) else 0.0


def _has_logits(player: Player) -> bool:
    return isinstance(player, NetPlayer) and getattr(player.net, "output", "") == "moves"


def preferences(player: Player, replayed: positions.ReplayedGame, name: str) -> schemas.Preferences:
    """The player's preference for every move."""
    values = player.prefer_all(replayed.last)[0]
    shares = np.where(np.isfinite(values), probabilities(values, player.choice.temperature), np.nan)
    return schemas.Preferences(
        player=name, values=positions.finite(values), shares=positions.finite(shares), logits=_has_logits(player)
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
