"""Scores of moves: exact in endings of Othello, otherwise from a player that searches.

A judge is any player whose preferences are scores of moves. The value of a position is the score of its best move, and
the loss of a move is the difference from it. Where the search sees the end of a game without a margin there are no such
numbers: a move wins or it does not.

In a game, the move that was made has the value of the position after it, which is judged too. So the value before a
move is the value after it if the best move was made, and losses add up: the first value is the last one and
all that was lost between. A move that the search from its own position finds best loses nothing. If the position after
a move turns out better or worse than the search from before it said, much of that holds for the other moves too: they
get half of the difference. White's positions are searched one ply less than Black's, so that all lines end with the
same side to move, and a bias of the evaluation for that side moves all values alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zeroply import nets
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players import Player
from zeroply.search.endings import solve_line, solve_moves
from zeroply.search.outcomes import display_scores, outcomes

IN_DISCS = {"engine", "pattern", "pieces", "greedy"}
"""Judges, or their evaluations, that count discs."""
SHARED = 0.5
"""How much of what a later search changes in the value of a move holds for the other moves: chosen on games of experts,
where values and losses were then nearest to those of a search four plies deeper."""
EXACT = 14
"""Default number of empty squares from which endings of Othello are solved; each one more doubles the time."""
MOST_EXACT = 24


@dataclass(frozen=True, eq=False)
class MoveScores:
    """The moves of n positions, scored for the side to move."""

    game: Game
    """The game."""
    scores: NDArray[np.float32]
    """[n, cells]: the judge's scores, -inf where a move is illegal; decided games have huge scores."""
    exact: NDArray[np.bool_]
    """[n]: whether the scores are the disc differences of perfect play."""

    @property
    def values(self) -> NDArray[np.float32]:
        """[n]: what the best move is worth, 0 where there is none; NaN if the game is decided and has no margin."""
        best = self.scores.max(axis=1)
        return display_scores(np.where(np.isfinite(best), best, np.float32(0)), self.game)

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """[n]: 1 where the search sees the side to move win, -1 where it sees it lose, else 0."""
        return outcomes(self.scores.max(axis=1))

    def losses(self, moves: NDArray[np.int64]) -> NDArray[np.float32]:
        """[n]: how much less a move is worth than the best one; NaN where it misses a win or loses an open game."""
        mine = self.scores[np.arange(len(moves)), moves]
        best, made = self.outcomes, outcomes(mine)
        by_margin = self.game.facts.margin is not None
        comparable = ((best != 0) == (made != 0)) if by_margin else best == made
        differences = np.nan_to_num(self.values - display_scores(mine, self.game))  # a win is as good as another
        return np.where(comparable, differences, np.float32(np.nan))


def default_judge(game: Game) -> str:
    """The spec of the default judge of a game."""
    evaluation = game.default_evaluation
    return f"alphabeta(depth={evaluation.depth}, eval={evaluation.spec}, mode=strong)"


def default_player(game: Game) -> str:
    """The spec of the default player of a game.

    Unless the game names one, that is the shipped net trained on the board nearest in size, or `naive` if there is
    none.
    """
    if game.facts.player is not None:
        return game.facts.player
    sizes = {name: nets.inspect(name).game.size for name in nets.shipped() if _plays(name, game)}
    near = sorted(sizes, key=lambda name: (abs(sizes[name] - game.size), -sizes[name], "coevolved" in name))
    return f"net({near[0]})" if near else "naive"


def _plays(name: str, game: Game) -> bool:
    """Whether a net that comes with zeroply plays a game."""
    try:
        nets.load(name, game)
    except ZeroplyError:
        return False
    return True


def judge(positions: Positions, judging: Player, exact: int = EXACT) -> MoveScores:
    """Score every move of every position; endings of Othello with at most `exact` empty squares are solved."""
    if not 0 <= exact <= MOST_EXACT:
        raise ZeroplyError(f"endings can be solved from 0 to {MOST_EXACT} empty squares on, not {exact}")
    empties = (positions.stones() == 0).sum(axis=1)
    solved = (empties <= exact) & ~positions.over() & positions.game.facts.solvable
    scores = np.full((len(positions), positions.game.cells), -np.inf, np.float32)
    open_ones = ~solved & ~positions.over()
    if open_ones.any():
        scores[open_ones] = judging.prefer_all(positions[open_ones])
    if solved.any():
        scores[solved] = solve_moves(positions[solved])
    return MoveScores(positions.game, scores, np.asarray(solved, np.bool_))


@dataclass(frozen=True, eq=False)
class JudgedBlock:
    """Some positions of a game in a row, judged."""

    first: int
    """The number of the first, from 0."""
    scores: MoveScores
    """The scores of their moves."""
    lines: list[list[int]]
    """The best line from each; empty if the judge does not look ahead."""


class _Following(NamedTuple):
    """What is known of the position after some others."""

    score: float  # of its best move, for Black
    exact: bool
    line: list[int]  # the best one


def judge_game(
    positions: Positions, moves: NDArray[np.int64], judging: Player, exact: int = EXACT
) -> tuple[MoveScores, list[list[int]]]:
    """The scores of all moves of a game, and the best line from each position; `positions` are those before its moves.

    A judge without look-ahead has scores and no lines: its preferences are not values of positions.
    """
    for block in judge_backwards(positions, moves, judging, exact, block=max(1, len(positions))):
        return block.scores, block.lines
    return judge(positions, judging, exact), []


def judge_backwards(
    positions: Positions, moves: NDArray[np.int64], judging: Player, exact: int = EXACT, *, block: int
) -> Iterator[JudgedBlock]:
    """The same as `judge_game`, in blocks from the end of the game to its beginning: what is yielded is final."""
    after: _Following | None = None
    for first in range((len(positions) - 1) // block * block, -1, -block):
        part = slice(first, first + block)
        judged = _judge_block(positions[part], moves[part], judging, exact, after)
        lines = _best_lines(positions[part], moves[part], judged, judging, after) if judging.look_ahead else []
        yield JudgedBlock(first, judged, lines or [[] for _ in judged.scores])
        score = float(judged.scores[0].max() * positions.to_move()[first])
        after = _Following(score, bool(judged.exact[0]), lines[0] if lines else [])


def _judge_block(
    positions: Positions,
    moves: NDArray[np.int64],
    judging: Player,
    exact: int,
    after: _Following | None,
) -> MoveScores:
    """Judge positions and hand their values back along the game."""
    sides = positions.to_move()
    white = sides < 0
    scores = np.full((len(positions), positions.game.cells), -np.inf, np.float32)
    solved = np.zeros(len(positions), np.bool_)
    for mine, judging_them in ((~white, judging), (white, for_white(judging))):
        if mine.any():
            judged = judge(positions[mine], judging_them, exact)
            scores[mine], solved[mine] = judged.scores, judged.exact
    if judging.look_ahead:
        comparable = in_discs(judging)
        for i in range(len(positions) - 1, -1, -1):
            if i + 1 < len(positions):
                after = _Following(float(scores[i + 1].max() * sides[i + 1]), bool(solved[i + 1]), [])
            if after is not None and (comparable or solved[i] == after.exact):
                _hand_back(scores[i], int(moves[i]), np.float32(sides[i] * after.score), positions.game)
    return MoveScores(positions.game, scores, solved)


def _hand_back(scores: NDArray[np.float32], move: int, value: np.float32, game: Game) -> None:
    """Give the move that was made its value by the position after it, and adapt the scores of the others."""
    after, made = outcomes(np.array([value, scores[move]]))
    if scores[move] >= scores.max():
        if after >= made or game.facts.margin is not None:  # otherwise it gives a game away that another may not
            np.minimum(scores, value, out=scores)
    elif after == made == 0:
        undecided = np.isfinite(scores) & (outcomes(scores) == 0)
        scores[undecided] += np.float32(SHARED) * (value - scores[move])
    scores[move] = value


def for_white(judging: Player) -> Player:
    """The judge of positions with White to move, which searches one ply less than for Black."""
    return judging.within(depth=judging.look_ahead - 1) if judging.look_ahead > 1 else judging


def in_discs(judging: Player) -> bool:
    """Whether a judge's scores are discs, as those of solved endings are."""
    spec = judging.spec
    return bool({spec.name, *map(str, spec.args), *map(str, spec.kwargs.values())} & IN_DISCS)


def _best_lines(
    positions: Positions,
    moves: NDArray[np.int64],
    judged: MoveScores,
    judging: Player,
    after: _Following | None,
) -> list[list[int]]:
    """The best line from each position: that of the game as long as its moves are best, then the judge's."""
    best = judged.scores.argmax(axis=1)
    rows = np.arange(len(positions))
    made_best = judged.scores[rows, moves] == judged.scores[rows, best]
    best = np.where(made_best, moves, best)
    ends = np.flatnonzero(~made_best | ((rows == len(positions) - 1) & (after is None)))
    rest: dict[int, list[int]] = {}
    following = positions[ends].after(best[ends].astype(np.int32))
    white = following.to_move() < 0
    for mine, judging_them in ((~white, judging), (white, for_white(judging))):
        searched = mine & ~judged.exact[ends] & ~following.over()
        for end, line in zip(ends[searched], judging_them.best_lines(following[searched]), strict=True):
            rest[int(end)] = line
    for at in np.flatnonzero(judged.exact[ends]):
        rest[int(ends[at])] = solve_line(following[int(at)])
    lines: list[list[int]] = [[] for _ in range(len(positions))]
    for i in range(len(positions) - 1, -1, -1):
        if i in rest or not made_best[i]:
            later = rest.get(i, [])
        elif i + 1 < len(positions):
            later = lines[i + 1]
        else:
            later = after.line if after else []
        lines[i] = [int(best[i]), *later]
    return lines
