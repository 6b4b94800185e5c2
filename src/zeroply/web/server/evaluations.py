"""The evaluation over a game, and exact values of endings: what the page draws as a graph and on the board.

Othello 8x8 is judged in discs by the pattern evaluation and a short search, and exactly once few squares are empty.
Other games are judged by a short search too, and squeezed between -1 (White has won) and 1 (Black has won).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.analysis.judging import default_judge
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.search import EVALUATIONS, Evaluation, Limit
from zeroply.search.endings import solve, solve_moves
from zeroply.search.outcomes import outcomes
from zeroply.specs import Spec, parse
from zeroply.web.server import schemas
from zeroply.web.server.positions import SQUASH, Reached, finite

EXACT_GRAPH = 12
"""Empty squares from which the graph is exact."""
EXACT_BOARD = 18
"""Empty squares from which every move can be solved on request."""
GRAPH_SECONDS = 2.0
"""Time for the searches of a whole graph, at each of two depths."""
SOLVING_SECONDS = 0.4
"""Time for each position or move of an ending."""


def graph(reached: Reached, first: int) -> schemas.Graph:
    """The value of every position from the given one on."""
    chosen = reached.positions[first:]
    positions = _batch(reached.game, chosen)
    if reached.game.name == "othello" and reached.game.size == 8:
        values, exact = _discs(positions)
        about = f"pattern evaluation, 4 and 5 plies; exact from {EXACT_GRAPH} empty squares on"
        unit: Literal["discs", "advantage"] = "discs"
    else:
        values, exact = _advantage(positions)
        about = f"evaluation {_evaluator(reached.game)}, 1 and 2 plies"
        unit = "advantage"
    values = values * positions.to_move()
    return schemas.Graph(
        first=first,
        values=[value or 0.0 for value in finite(values.astype(np.float32))],
        exact=exact.tolist(),
        unit=unit,
        about=about,
    )


def exact_values(reached: Reached) -> schemas.Exact:
    """The exact score of every move, where that is possible in little time."""
    position, the_game = reached.last, reached.game
    if the_game.name != "othello" or the_game.size != 8:
        return _no("Exact values are for endings of Othello on 8x8.")
    if position.over()[0]:
        return _no("The game is over.")
    empty = int((position.stones()[0] == 0).sum())
    if empty > EXACT_BOARD:
        return _no(f"Exact values begin when {EXACT_BOARD} squares are empty; now there are {empty}.")
    moves = int(position.legal().sum())
    return schemas.Exact(
        available=True, reason="", values=finite(solve_moves(position, seconds=SOLVING_SECONDS * moves)[0])
    )


def _no(reason: str) -> schemas.Exact:
    return schemas.Exact(available=False, reason=reason, values=[])


def _batch(the_game: Game, positions: list[Positions]) -> Positions:
    batch = the_game.start(len(positions))
    for number, position in enumerate(positions):
        batch[number] = position
    return batch


def _discs(positions: Positions) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Disc differences for the side to move."""
    evaluation = EVALUATIONS.build(_evaluator(positions.game), game=positions.game)
    values = _searched(evaluation, positions, 4)
    late = ((positions.stones() == 0).sum(axis=1) <= EXACT_GRAPH) | positions.over()
    exact = np.zeros(len(positions), np.bool_)
    if late.any():
        solved = solve(positions[late], seconds=SOLVING_SECONDS)
        values[late] = np.where(solved.complete, solved.scores, values[late])
        exact[late] = solved.complete
    return values, exact


def _searched(evaluation: Evaluation, positions: Positions, depth: int) -> NDArray[np.float64]:
    """The mean of two depths: evaluations favour whoever has just moved, and so it falls out."""
    seconds = min(0.05, GRAPH_SECONDS / len(positions))
    both = [evaluation.search(positions, Limit(depth=plies, seconds=seconds)).scores for plies in (depth, depth + 1)]
    mean: NDArray[np.float64] = np.mean(np.array(both, np.float64), axis=0)
    return mean


def _advantage(positions: Positions) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """From -1 to 1, for the side to move."""
    evaluation = EVALUATIONS.build(_evaluator(positions.game), game=positions.game)
    found = _searched(evaluation, positions, 1)
    if positions.game.name == "othello":
        over = positions.over()
        result = np.sign(positions.score() * positions.to_move()).astype(np.float64)
        return np.where(over, result, np.tanh(found / 10)), over
    won = outcomes(found.astype(np.float32))
    half = SQUASH[positions.game.name] / np.arctanh(0.5)
    return np.where(won != 0, won, np.tanh(found / half)), won != 0


def _evaluator(the_game: Game) -> Spec:
    """The evaluation by which games are analysed too."""
    found = parse(default_judge(the_game)).kwargs["eval"]
    if not isinstance(found, Spec):
        raise ZeroplyError(f"there is no evaluation for {the_game.name}")
    return found
