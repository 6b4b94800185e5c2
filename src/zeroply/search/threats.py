"""Games with threats to win at once: the search of `engine`, and forced wins.

A four in Gomoku, an atari in Atari-Go threatens to win with the next move and has one answer, so a series of such
threats is read out to its end (VCF in Gomoku, ladders in Atari-Go). In Gomoku a three, which threatens an open four,
can be part of a series too (VCT); then all answers that may stop it are tried.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.search.evaluation import Limit, SearchResult


@dataclass(frozen=True)
class ForcedWins:
    """What is known of forced wins of the side to move, in n positions."""

    plies: NDArray[np.int32]
    """[n]: moves of both sides until the game is won; 0 if no forced win was found."""
    lines: list[list[int]]
    """The moves of each win, with answers that hold out; empty where none was found."""
    nodes: NDArray[np.uint64]
    """[n]: positions visited."""
    complete: NDArray[np.bool_]
    """[n]: whether the search finished; if it did without a win, there is none by threats."""


def threat_rules(game: Game) -> int:
    """The number in the core of the game's threats; raises ZeroplyError for games without."""
    if game.facts.threats is None:
        raise ZeroplyError(f"there is no search for threats in {game}")
    return game.facts.threats


def search_threats(positions: Positions, limit: Limit, *, all_moves: bool = False) -> SearchResult:
    """Search every position for the best move, reading out threats; other scores are bounds unless `all_moves`.

    A search that reaches its limit before the first iteration is finished takes the most urgent move.
    """
    n = len(positions)
    result = SearchResult(
        np.empty((n, positions.game.cells), np.float32),
        np.empty(n, np.float32),
        np.empty(n, np.int32),
        np.empty(n, np.uint64),
        np.empty((n, 0), np.int16),
    )
    _core.search_threats(
        positions.batch,
        threat_rules(positions.game),
        int(limit.depth),
        int(limit.nodes or 0),
        float(limit.seconds or 0),
        all_moves,
        result.preferences,
        result.scores,
        result.depths,
        result.nodes,
    )
    return result


def forced_wins(
    positions: Positions, *, strongest_only: bool = False, nodes: int | None = None, seconds: float | None = None
) -> ForcedWins:
    """Look for wins of the side to move in which each of its moves is a threat; limits are for each position.

    `strongest_only` leaves out threes in Gomoku.
    """
    limit = Limit(nodes=nodes, seconds=seconds)
    n = len(positions)
    plies, lines = np.empty(n, np.int32), np.empty((n, positions.game.cells), np.int32)
    visited, complete = np.empty(n, np.uint64), np.empty(n, np.uint8)
    _core.find_forced_wins(
        positions.batch,
        threat_rules(positions.game),
        strongest_only,
        int(limit.nodes or 0),
        float(limit.seconds or 0),
        plies,
        lines,
        visited,
        complete,
    )
    return ForcedWins(plies, [line[line >= 0].tolist() for line in lines], visited, complete.view(np.bool_))
