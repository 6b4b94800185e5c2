"""Champions of a coevolution against each other: the CIAO picture and the dominance list.

CIAO ("current individual against ancestral opponents") is after Cliff and Miller (1995), dominance after Stanley and
Miikkulainen (2004), both as used by Schaul and Schmidhuber 2009 (section V-D). A browser waits for the answer, so only
champions of some generations meet, each pair with either colour.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.play import play
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.web.server import schemas
from zeroply.web.server.runs import Shelf, champion_player

MOST = 20
"""Champions that meet, evenly over the generations."""


def ciao(shelf: Shelf, run: str) -> schemas.Ciao | None:
    """How the champions of a run fare against each other; None if there is no run of that id."""
    found = shelf.champions(run)
    if found is None:
        return None
    record, weights = found
    if len(weights) < 2:
        raise ZeroplyError("this run has no champions to meet each other yet")
    chosen = np.unique(np.linspace(0, len(weights) - 1, min(MOST, len(weights))).round().astype(int))
    the_game = game(record.info.config["game"])
    players = [champion_player(record, weights[number], the_game) for number in chosen]
    first, second = (
        part.ravel() for part in np.meshgrid(np.arange(len(chosen)), np.arange(len(chosen)), indexing="ij")
    )
    seats = np.stack([first, second], axis=1)
    keys = chance.keys(chance.key(record.info.seed, "ciao"), np.arange(len(seats)))
    winner = play(players, seats, the_game.start(len(seats)), keys).winner.astype(np.float64)
    as_black = winner.reshape(len(chosen), len(chosen))
    scores = (as_black - as_black.T) / 2
    return schemas.Ciao(
        generations=(chosen + 1).tolist(),
        scores=scores.round(3).tolist(),
        dominant=(chosen[dominant(scores)] + 1).tolist(),
    )


def dominant(scores: NDArray[np.float64]) -> list[int]:
    """The places of those who beat all dominant ones before them; the first is dominant."""
    found = [0]
    for place in range(1, len(scores)):
        if (scores[place, found] > 0).all():
            found.append(place)
    return found
