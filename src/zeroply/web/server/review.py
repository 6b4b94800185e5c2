"""A review of a game, move by move from its end, and hints for one position: what `zeroply analyse` says.

Values are in discs where the game's evaluation is, and exact in endings of Othello; elsewhere they lie between -1
(White has won) and 1 (Black has won), and losses are parts of the winning chances. What is yielded is final, so a page
can show the first marks while the rest is judged.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from zeroply.analysis.judging import (
    EXACT,
    JudgedBlock,
    MoveScores,
    default_judge,
    for_white,
    judge,
    judge_backwards,
)
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players import Player, player
from zeroply.search.endings import solve_line
from zeroply.web.server import schemas
from zeroply.web.server.evaluations import in_unit
from zeroply.web.server.positions import ReplayedGame

BLOCK = 4
"""Positions judged at a time."""
DEEPER = {"discs": 4, "points": 1}
"""Plies that a deep review searches more than `zeroply analyse`, by the unit of the evaluation."""
DEEPER_EXACT = 4
"""Empty squares from which a deep review is exact, more than those of `zeroply analyse`."""
SECONDS = 1.0
"""Most time for one position."""
MAX_CANDIDATES = 5
"""Moves of a hint."""
MAX_LINE = 12
"""Moves shown of a best line."""


def begin(game: Game, *, deep: bool) -> schemas.ReviewStart:
    """What the review says of itself before its first move."""
    evaluation = game.default_evaluation
    unit = "discs" if evaluation.unit == "discs" else "chances"
    how = f"evaluation {evaluation.spec}, {_depth(game, deep=deep)} plies"
    endings = f", exact for the last {_exact(deep=deep)} moves" if game.facts.solvable else ""
    about = f"Estimated in discs ({how}){endings}." if unit == "discs" else f"Estimated winning chances ({how})."
    return schemas.ReviewStart(unit="discs" if unit == "discs" else "advantage", about=about)


def blocks(replayed: ReplayedGame, *, deep: bool) -> Iterator[JudgedBlock]:
    """The judged positions, from the end of the game."""
    if not replayed.moves:
        raise ZeroplyError("this game has no moves to review")
    before = Positions.join(replayed.positions[:-1])
    moves = np.array(replayed.moves, np.int64)
    judging = _judge(replayed.game, deep=deep)
    return judge_backwards(before, moves, judging, _exact(deep=deep), block=BLOCK)


def rows(replayed: ReplayedGame, block: JudgedBlock) -> list[schemas.ReviewedMove]:
    """The moves of a block, the last first."""
    moves = np.array(replayed.moves[block.first : block.first + len(block.lines)], np.int64)
    sides = np.array(replayed.movers[block.first : block.first + len(moves)])
    best, made, lost = _values(replayed.game, block.scores, moves)
    faults = ~np.isfinite(block.scores.losses(moves))
    return [
        schemas.ReviewedMove(
            ply=block.first + i,
            cell=int(moves[i]),
            before=float(best[i] * sides[i]),
            after=float(made[i] * sides[i]),
            loss=float(lost[i]),
            best=block.lines[i][:MAX_LINE] or [int(block.scores.scores[i].argmax())],
            exact=bool(block.scores.exact[i]),
            fault=None if not faults[i] else "misses win" if block.scores.outcomes[i] > 0 else "loses",
        )
        for i in range(len(moves) - 1, -1, -1)
    ]


def hints(replayed: ReplayedGame) -> schemas.Hints:
    """The best moves of the current position, each with its value and the line that follows."""
    position, game = replayed.last, replayed.game
    if position.over()[0]:
        raise ZeroplyError("the game is over: there is no move to make")
    judging = _judge(game, deep=False)
    if int(position.to_move()[0]) < 0:
        judging = for_white(judging)
    judged = judge(position, judging)
    order = np.argsort(-judged.scores[0], kind="stable")
    legal = [int(cell) for cell in order if np.isfinite(judged.scores[0, cell])][:MAX_CANDIDATES]
    values = in_unit(game, judged.scores[0, legal])
    about = begin(game, deep=False)
    return schemas.Hints(
        unit=about.unit,
        about=about.about,
        exact=bool(judged.exact[0]),
        candidates=[
            schemas.Candidate(cell=cell, value=float(value), line=[cell, *_line(position, cell, judging, judged)])
            for cell, value in zip(legal, values, strict=True)
        ],
    )


def _line(position: Positions, cell: int, judging: Player, judged: MoveScores) -> list[int]:
    """The best line after a move."""
    following = position.after([cell])
    if following.over()[0]:
        return []
    line = solve_line(following) if judged.exact[0] else judging.best_lines(following)[0]
    return [int(one) for one in line[: MAX_LINE - 1]]


def _values(game: Game, judged: MoveScores, moves: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
    """[n] each: the best move's value and the made move's for who moved, and the loss as discs or winning chances."""
    scores = judged.scores
    best = in_unit(game, scores.max(axis=1))
    made = in_unit(game, scores[np.arange(len(moves)), moves])
    lost = np.maximum(best - made, 0.0)
    return best, made, lost if game.default_evaluation.unit == "discs" else lost / 2


def _judge(game: Game, *, deep: bool) -> Player:
    judging = player(default_judge(game), game)
    if deep:
        usual = f"depth={game.default_evaluation.depth}"
        judging = player(default_judge(game).replace(usual, f"depth={_depth(game, deep=True)}"), game)
    return judging.within(seconds=SECONDS)


def _depth(game: Game, *, deep: bool) -> int:
    evaluation = game.default_evaluation
    return evaluation.depth + (DEEPER[evaluation.unit] if deep else 0)


def _exact(*, deep: bool) -> int:
    return EXACT + (DEEPER_EXACT if deep else 0)
