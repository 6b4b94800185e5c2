"""Makes the scores of decided games readable.

A search counts a finished game as far better or worse than any evaluation (core/evaluations.hpp): a billion for each
disc in Othello, about 2^30 elsewhere, a little more the sooner a win comes. Such numbers order moves well, but
are not for display.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game

DECIDED = 2.0**29
"""Larger than any evaluation, smaller than the score of any won game."""
DISC = 1e9
"""The score of a search per disc by which a game of Othello is won."""


def outcomes(scores: NDArray[np.float32]) -> NDArray[np.int8]:
    """The scores of a search as 1 for a won game, -1 for a lost one, 0 for all others (and for illegal moves)."""
    decided = np.isfinite(scores) & (np.abs(scores) >= DECIDED)
    return np.where(decided, np.sign(scores), 0).astype(np.int8)


def display_scores(scores: NDArray[np.float32], game: Game) -> NDArray[np.float32]:
    """The scores with decided games in discs; NaN for decided games that are not won by a margin."""
    margins = np.round(scores / DISC) if game.facts.margin else np.full_like(scores, np.nan)
    return np.where(outcomes(scores) == 0, scores, margins).astype(np.float32)
