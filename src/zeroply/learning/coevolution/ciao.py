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
        """The part divided by the whole; 0 if the whole is 0."""
        return self.part / self.of if self.of else 0.0


def intransitive_triples(scores: Scores) -> Share:
    """Of all triples in which each pair is decided, the triples that beat each other in a circle.

    `scores` [n, n] are of one group among itself. A perfect order of strength has none; if all meetings were random it
    would be a quarter.
    """
    beats = ((scores > 0) & (scores.T < 0)).astype(np.int64)
    decided = beats + beats.T
    np.fill_diagonal(decided, 0)
    np.fill_diagonal(beats, 0)
    circles = int(np.trace(beats @ beats @ beats)) // 3
    return Share(circles, int(np.trace(decided @ decided @ decided)) // 6)


def noisy_order(flips: float) -> float:
    """The share of intransitive triples in an order of strength in which chance turns this share of all meetings round.

    Three nets in order are made a circle by turning round the meeting of the first with the last, or the other two.
    What `flipped` counts in two tables is at least as much: as much if some meetings are decided by coins and all
    others are certain, twice as much, or nearly, if chance turns round any meeting as often. So with it this is the
    most that chance explains.
    """
    return flips * (1 - flips)


def flipped(scores: Scores, again: Scores) -> Share:
    """Of all pairs that are decided in two tables of the same group among itself, the pairs decided differently."""
    one, other = (np.sign(table)[np.triu_indices(len(table), 1)] for table in (scores, again))
    decided = (one != 0) & (other != 0)
    return Share(int((one != other)[decided].sum()), int(decided.sum()))


def crossed_pairs(scores: Scores, group: float = 0.0) -> Share:
    """Of all pairs of rows, the pairs in which each beats opponents that the other loses to.

    This is what the paper reads from single lines of its plot. At least one opponent either way, or that share of all
    of them. Pairs with the same results against all opponents are excluded.
    """
    wins, losses = (scores > 0).astype(np.int64), (scores < 0).astype(np.int64)
    first_only = wins @ losses.T
    least = max(1.0, group * scores.shape[1])
    upper = np.triu_indices(len(scores), 1)
    one, other = first_only[upper], first_only.T[upper]
    return Share(int(((one >= least) & (other >= least)).sum()), int(((one > 0) | (other > 0)).sum()))


def early_and_late(table: Scores) -> tuple[float, float]:
    """The means over the meetings of the earliest and of the latest nets, a quarter of each side."""
    rows, columns = (max(1, n // 4) for n in table.shape)
    return float(table[:rows, :columns].mean()), float(table[-rows:, -columns:].mean())


def progress_seen(scores: Scores) -> float:
    """How much better late rows do against early columns than early rows against late columns; 0 without progress."""
    rows, columns = (max(1, n // 4) for n in scores.shape)
    return float(scores[-rows:, :columns].mean() - scores[:rows, -columns:].mean())
