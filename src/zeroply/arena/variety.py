"""How many different games were played: players that always play alike repeat themselves unless openings differ.

Intervals and ratings take every game for a new one, so they mean little where games are repeated. Two games are the
same if, from the end of the opening on, a symmetry of the board carries each position of one into that of the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.openings import Openings
from zeroply.arena.pairs import Pairs
from zeroply.games import Positions

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def different(openings: Openings, pairs: Pairs) -> int:
    """How many different games there are among the pairs of a match."""
    number = min(len(openings), len(pairs))
    start = np.arange(2 * len(pairs)) // 2 % max(1, number)
    once = {(begun, row.tobytes()): game for game, (begun, row) in enumerate(zip(start, pairs.moves, strict=True))}
    games = np.array(list(once.values()), np.int64)
    positions = openings.positions(0, number)[start[games]]
    keys = _canonical(positions)  # [games]: equal if all positions were the same so far
    repeats = 0
    for moves in (*pairs.moves.T, np.full(2 * len(pairs), -1, np.int16)):
        ended = moves[games] < 0
        repeats += len(np.unique(keys[ended]))
        # Games that share no position with another one need not be looked at any further.
        _, group, size = np.unique(keys, return_inverse=True, return_counts=True)
        repeats += int(np.count_nonzero((size[group] == 1) & ~ended))
        left = np.flatnonzero((size[group] > 1) & ~ended)
        games, positions, keys = games[left], positions[left], keys[left]
        positions.play(moves[games].astype(np.int32))
        keys = keys * _SPREAD + _canonical(positions)
    return repeats


def repetitive(different: int, games: int) -> bool:
    """Whether a warning is due: fewer than half of the games are different."""
    return 2 * different < games


def _canonical(positions: Positions) -> NDArray[np.uint64]:
    """[n]: a hash that a position shares with its images."""
    _, first, again = np.unique(positions.hash(), return_index=True, return_inverse=True)
    some = positions[first]
    lowest = np.min([some.symmetry(k).hash() for k in range(len(some.game.symmetries))], axis=0)
    return np.asarray(lowest[again], np.uint64)
