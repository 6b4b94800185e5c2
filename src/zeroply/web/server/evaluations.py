"""The evaluation graph of a game, and exact values of moves in endings.

A short strong search with the game's default evaluation gives the values. They are in discs where the evaluation is,
and exact in solved endings; otherwise they are scaled to lie between -1 (White has won) and 1 (Black has won).

White's positions are searched one ply less than Black's, so that all lines end with the same side to move. A move that
the search prefers leaves the value as it is after the move, and no other move makes it better: the graph changes only
where a move loses something.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Game, Positions
from zeroply.search import EVALUATIONS, Limit
from zeroply.search.endings import solve, solve_moves
from zeroply.search.outcomes import display_scores, outcomes
from zeroply.web.server import bounded_cache, schemas
from zeroply.web.server.positions import ReplayedGame, finite

EXACT_GRAPH = 12
"""Empty squares up to which the graph is exact."""
EXACT_BOARD = 18
"""Empty squares up to which every move can be solved on request."""
GRAPH_SECONDS = 3.0
"""Time for the searches of a whole graph."""
MAX_KNOWN = 20_000
"""Positions in the cache."""
SOLVING_SECONDS = 0.4
"""Time for each position or move of an ending."""


@dataclass(frozen=True)
class Searched:
    """What is known of one position."""

    score: float
    """Its value for the side to move."""
    best: NDArray[np.intp]
    """The moves with that score."""
    exact: bool
    """Whether the score is that of perfect play."""


_known: dict[tuple[Game, str], Searched] = {}
_lock = threading.Lock()


def graph(replayed: ReplayedGame) -> schemas.Graph:
    """The value of every position."""
    default = replayed.game.facts.evaluation
    if default is None:
        about = f"No evaluation graph: the rules of {replayed.game.facts.title} are written in Python."
        return schemas.Graph(values=[], exact=[], unit="advantage", about=about)
    searched = _search(replayed)
    values = in_unit(replayed.game, _backed_up(replayed, searched))
    exact = [one.exact for one in searched]
    in_discs = default.unit == "discs"
    about = f"Estimated{' in discs' if in_discs else ''} (evaluation {default.spec}, {_depth(replayed.game)} plies)"
    about += f", exact for the last {EXACT_GRAPH} moves." if replayed.game.facts.solvable else "."
    values = values * [int(position.to_move()[0]) for position in replayed.positions]
    return schemas.Graph(
        values=[value or 0.0 for value in finite(values.astype(np.float32))],
        exact=exact,
        unit="discs" if in_discs else "advantage",
        about=about,
    )


def in_unit(game: Game, scores: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """[n]: scores of a search as the page shows them: discs, or from -1 (lost) to 1 (won)."""
    default, plain = game.default_evaluation, scores.astype(np.float64)
    if default.unit == "discs":
        return np.asarray(display_scores(scores.astype(np.float32), game), np.float64)
    won = outcomes(scores.astype(np.float32))
    scale = default.half_won / np.arctanh(0.5)
    return np.where(won != 0, won, np.tanh(plain / scale))


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


def _depth(game: Game) -> int:
    """Plies of search with Black to move."""
    return max(2, game.default_evaluation.depth)


def _search(replayed: ReplayedGame) -> list[Searched]:
    """A search of every position; those of the cache are not searched again."""
    keys = [(replayed.game, position.text()[0]) for position in replayed.positions]
    with _lock:
        found = {key: _known[key] for key in keys if key in _known}
    missing = [i for i, key in enumerate(keys) if key not in found]
    if missing:
        positions = Positions.join([replayed.positions[i] for i in missing])
        for i, one in zip(missing, _search_now(positions), strict=True):
            found[keys[i]] = one
    with _lock:
        for key in keys:
            bounded_cache.insert(_known, key, found[key], MAX_KNOWN)
    return [found[key] for key in keys]


def _search_now(positions: Positions) -> list[Searched]:
    game, over, white = positions.game, positions.over(), positions.to_move() < 0
    evaluation = EVALUATIONS.build(game.default_evaluation.spec, game=game)
    scores = np.zeros(len(positions), np.float64)
    preferences = np.full((len(positions), game.cells), -np.inf, np.float32)
    seconds = min(0.05, GRAPH_SECONDS / len(positions))
    for mine, depth in ((~white, _depth(game)), (white, _depth(game) - 1)):
        if mine.any():
            limit = Limit(depth=depth, seconds=seconds)
            searched = evaluation.search(positions[mine], limit, mode="strong")
            scores[mine], preferences[mine] = searched.scores, searched.preferences
    exact = over | (outcomes(scores.astype(np.float32)) != 0)
    if game.facts.solvable:
        late = ~over & ((positions.stones() == 0).sum(axis=1) <= EXACT_GRAPH)
        if late.any():
            solved = solve(positions[late], seconds=SOLVING_SECONDS)
            done = np.flatnonzero(late)[solved.complete]
            scores[done] = solved.scores[solved.complete]
            preferences[done] = -np.inf
            preferences[done, solved.moves[solved.complete]] = 0
            exact[done] = True
    return [
        Searched(float(scores[i]), np.flatnonzero(preferences[i] == preferences[i].max()), bool(exact[i]))
        for i in range(len(positions))
    ]


def _backed_up(replayed: ReplayedGame, searched: list[Searched]) -> NDArray[np.float64]:
    """The value of every position for its side to move, from the last one back."""
    values = np.array([one.score for one in searched])
    sides = [int(position.to_move()[0]) for position in replayed.positions]
    for i in range(len(replayed.moves) - 1, -1, -1):
        if searched[i].exact:
            continue
        after = sides[i] * sides[i + 1] * values[i + 1]
        values[i] = after if replayed.moves[i] in searched[i].best else max(values[i], after)
    return values
