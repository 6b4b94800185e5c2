"""Competitive shared fitness: beating an opponent is worth the more, the fewer others beat it.

After Rosin and Belew, "Methods for Competitive Co-evolution: Finding Opponents Worth Beating" (ICGA 1995). A host that
alone beats some opponent survives even if it loses most games, which preserves diversity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shared_fitness(beaten: NDArray[np.bool_]) -> NDArray[np.float64]:
    """[hosts] from `beaten` [hosts, opponents]: the sum over beaten opponents of 1 / number of hosts that beat it."""
    by = beaten.sum(axis=0)
    return np.asarray((beaten / np.maximum(by, 1)).sum(axis=1), np.float64)


def best_first(beaten: NDArray[np.bool_], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """[hosts]: their numbers by shared fitness; equals by their mean score (`scores` [hosts, opponents])."""
    # Sums of the same fractions in another order may differ in the last bit: they count as equal.
    shared = np.round(shared_fitness(beaten), 9)
    return np.lexsort((-scores.mean(axis=1), -shared)).astype(np.int64)
