"""CIAO plots ("current individual against ancestral opponents"), and how far from an order of strength the nets are.

After Cliff and Miller, "Tracking the Red Queen" (ECAL 1995), as used by Schaul and Schmidhuber 2009 (section V-D), who
suspect rock-paper-scissors: then some triples beat each other in a circle, and two nets have each a victim that the
other loses to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
"""[n, n] or [rows, columns]: mean score of the row's net against the column's; above 0 it has beaten it."""


@dataclass(frozen=True)
class Share:
    """A part of a number of cases."""

    part: int
    """The cases in which it is so."""
    of: int
    """All cases."""

    @property
    def value(self) -> float:
        """The part by the whole; 0 if there is none."""
        return self.part / self.of if self.of else 0.0


def intransitive_triples(scores: Scores) -> Share:
    """Of all triples in which each pair is decided, those that beat each other in a circle.

    `scores` [n, n] are those of one group among itself. In a perfect order of strength there is none; if all meetings
    were decided by coins it would be a quarter.
    """
    beats = ((scores > 0) & (scores.T < 0)).astype(np.int64)
    decided = beats + beats.T
    np.fill_diagonal(decided, 0)
    np.fill_diagonal(beats, 0)
    circles = int(np.trace(beats @ beats @ beats)) // 3
    return Share(circles, int(np.trace(decided @ decided @ decided)) // 6)


def crossed_pairs(scores: Scores) -> Share:
    """Of all pairs of rows, those in which each beats an opponent that the other loses to.

    This is what the paper reads from single lines of its plot. Pairs that no opponent tells apart are left out.
    """
    wins, losses = (scores > 0).astype(np.int64), (scores < 0).astype(np.int64)
    first_only = wins @ losses.T > 0
    upper = np.triu_indices(len(scores), 1)
    one, other = first_only[upper], first_only.T[upper]
    return Share(int((one & other).sum()), int((one | other).sum()))


def sharpness(scores: Scores, lates: int = 4) -> tuple[float, float]:
    """Mean distance of the scores from 0 among the earliest and among the latest nets, a part in `lates` of each side.

    The further from 0, the shorter the games: scores fall with length.
    """
    rows, columns = (max(1, n // lates) for n in scores.shape)
    return float(np.abs(scores[:rows, :columns]).mean()), float(np.abs(scores[-rows:, -columns:]).mean())


def progress_seen(scores: Scores, lates: int = 4) -> float:
    """How much better late rows do against early columns than early rows against late columns; 0 without progress."""
    rows, columns = (max(1, n // lates) for n in scores.shape)
    return float(scores[-rows:, :columns].mean() - scores[:rows, -columns:].mean())
