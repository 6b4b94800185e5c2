"""Scores of decided games, read as what they mean.

A search counts a finished game as far better or worse than any evaluation (core/evaluations.hpp): a billion for each
disc in Othello, about 2^30 elsewhere, a little more the sooner a win comes. Such numbers order moves well, but nobody
should have to read them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game

DECIDED = 2.0**29
"""No evaluation is as large; every score of a finished game that is no draw is larger."""
DISC = 1e9
"""What a search counts for each disc by which a game of Othello was won."""


def outcomes(scores: NDArray[np.float32]) -> NDArray[np.int8]:
    """The scores of a search as 1 for a won game, -1 for a lost one, 0 for all others (and for illegal moves)."""
    decided = np.isfinite(scores) & (np.abs(scores) >= DECIDED)
    return np.where(decided, np.sign(scores), 0).astype(np.int8)


def worth(scores: NDArray[np.float32], game: Game) -> NDArray[np.float32]:
    """The scores with decided games in discs; NaN for decided games that are not won by a margin."""
    margins = np.round(scores / DISC) if game.facts.margin else np.full_like(scores, np.nan)
    return np.where(outcomes(scores) == 0, scores, margins).astype(np.float32)
