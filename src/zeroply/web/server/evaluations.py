"""The evaluation graph of a game, and exact values of moves in endings.

A short search with the game's default evaluation gives the values. They are in discs where the evaluation is, and exact
in solved endings; otherwise they are scaled to lie between -1 (White has won) and 1 (Black has won).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.search import EVALUATIONS, Limit
from zeroply.search.endings import solve, solve_moves
from zeroply.search.outcomes import outcomes
from zeroply.web.server import schemas
from zeroply.web.server.positions import ReplayedGame, finite

EXACT_GRAPH = 12
"""Empty squares up to which the graph is exact."""
EXACT_BOARD = 18
"""Empty squares up to which every move can be solved on request."""
GRAPH_SECONDS = 2.0
"""Time for the searches of a whole graph, at each of two depths."""
SOLVING_SECONDS = 0.4
"""Time for each position or move of an ending."""


def graph(replayed: ReplayedGame, first: int) -> schemas.Graph:
    """The value of every position from the given one on."""
    positions = Positions.join(replayed.positions[first:])
    default = replayed.game.facts.evaluation
    searched = _searched(positions)
    in_discs = default.unit == "discs"
    values, exact = (_discs if in_discs else _advantage)(positions, searched)
    unit: Literal["discs", "advantage"] = "discs" if in_discs else "advantage"
    depth = _depth(replayed.game)
    about = f"Estimated{' in discs' if in_discs else ''} (evaluation {default.spec}, {depth} and {depth + 1} plies)"
    about += f", exact for the last {EXACT_GRAPH} moves." if replayed.game.facts.solvable else "."
    values = values * positions.to_move()
    return schemas.Graph(
        first=first,
        values=[value or 0.0 for value in finite(values.astype(np.float32))],
        exact=exact.tolist(),
        unit=unit,
        about=about,
    )


def exact_values(replayed: ReplayedGame) -> schemas.Exact:
    """The exact score of every move, if it can be computed quickly."""
    position, game = replayed.last, replayed.game
    if not game.facts.solvable:
        return _unavailable("Exact values are available for endings of Othello on 8x8 only.")
    if position.over()[0]:
        return _unavailable("The game is over.")
    empty = int((position.stones()[0] == 0).sum())
    if empty > EXACT_BOARD:
        return _unavailable(f"Exact values are available from {EXACT_BOARD} empty squares on; now {empty} are empty.")
    moves = int(position.legal().sum())
    return schemas.Exact(
        available=True, reason="", values=finite(solve_moves(position, seconds=SOLVING_SECONDS * moves)[0])
    )


def _unavailable(reason: str) -> schemas.Exact:
    return schemas.Exact(available=False, reason=reason, values=[])


def _discs(positions: Positions, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Disc differences for the side to move, exact in endings that can be solved."""
    late = ((positions.stones() == 0).sum(axis=1) <= EXACT_GRAPH) | positions.over()
    exact = np.zeros(len(positions), np.bool_)
    if late.any() and positions.game.facts.solvable:
        solved = solve(positions[late], seconds=SOLVING_SECONDS)
        values[late] = np.where(solved.complete, solved.scores, values[late])
        exact[late] = solved.complete
    return values, exact


def _depth(game: Game) -> int:
    """Plies of the shallower of two searches."""
    return max(1, game.facts.evaluation.depth - 2)


def _searched(positions: Positions) -> NDArray[np.float64]:
    """The mean of two depths, which cancels an evaluation's bias for the side that has just moved."""
    evaluation = EVALUATIONS.build(positions.game.facts.evaluation.spec, game=positions.game)
    depth = _depth(positions.game)
    seconds = min(0.05, GRAPH_SECONDS / len(positions))
    both = [evaluation.search(positions, Limit(depth=plies, seconds=seconds)).scores for plies in (depth, depth + 1)]
    mean: NDArray[np.float64] = np.mean(np.array(both, np.float64), axis=0)
    return mean


def _advantage(positions: Positions, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """From -1 to 1, for the side to move; exact where the search sees the end of the game."""
    won = outcomes(values.astype(np.float32))
    scale = positions.game.facts.evaluation.half_won / np.arctanh(0.5)
    return np.where(won != 0, won, np.tanh(values / scale)), (won != 0) | positions.over()
