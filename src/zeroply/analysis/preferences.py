"""Preferences as an order of moves, ranks and probabilities.

The probability of a move is that of the Gibbs distribution exp(preference / temperature). A player that takes its best
move has temperature 0; it is then read at temperature 1, at which a net that was trained on moves says what it learned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def probabilities(preferences: NDArray[np.float32], temperature: float = 0.0) -> NDArray[np.float64]:
    """[..., cells]: the probability of each move, 0 where it is illegal or nothing is legal."""
    scaled = preferences.astype(np.float64) / (temperature if temperature > 0 else 1.0)
    best = scaled.max(axis=-1, keepdims=True)
    weights = np.exp(scaled - np.where(np.isfinite(best), best, 0.0))
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights / np.where(total > 0, total, 1.0))


def ranks(preferences: NDArray[np.float32], moves: NDArray[np.int64]) -> NDArray[np.int64]:
    """[n]: the rank of a move in each row of preferences [n, cells], from 1; equals share the best rank among them."""
    mine = preferences[np.arange(len(moves)), moves][:, None]
    return np.asarray((preferences > mine).sum(axis=1) + 1, np.int64)


def order(preferences: NDArray[np.float32]) -> list[int]:
    """The legal cells of one row, the best first, equals by number."""
    cells = np.flatnonzero(np.isfinite(preferences))
    return [int(cell) for cell in cells[np.argsort(-preferences[cells], kind="stable")]]
