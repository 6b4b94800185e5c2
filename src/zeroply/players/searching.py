"""Players that look ahead: alpha-beta over an evaluation, the engine, and GNOME Iagno's whole strategy.

They are the opponents against which players without look-ahead are measured.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players.contract import Player
from zeroply.search import EVALUATIONS, Evaluation, Limit
from zeroply.search.endings import solve
from zeroply.specs import Spec

_DEFAULT = Spec("positional")
_SELECTIVE = 1.0  # ProbCut's threshold in standard deviations


class AlphaBetaPlayer(Player):
    """Likes a move as much as the search says."""

    def __init__(self, game: Game, evaluation: Evaluation, limit: Limit, **options: Any) -> None:
        super().__init__(game)
        self.evaluation = evaluation
        self.limit = limit
        self.options = options

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """The score of each move; exact for the best, upper bounds for others unless all are wanted."""
        options = {**self.options, "all_moves": self.options["all_moves"] or self.choice.temperature > 0}
        return self.evaluation.search(positions, self.limit, **options).preferences

    def fingerprint(self) -> str:
        """The spec and a digest of the evaluation's file, if it has one."""
        return f"{self.spec} {self.evaluation.digest}"


class EndingPlayer(Player):
    """Othello 8x8: plays by search until few squares are empty, then solves the rest."""

    def __init__(
        self, game: Game, before: Player, exact_from: int, outcome_from: int = 0, random_above: int = 64
    ) -> None:
        super().__init__(game)
        self.before = before
        self.exact_from = exact_from
        self.outcome_from = max(exact_from, outcome_from)
        self.random_above = random_above

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """Scores by search, or disc differences once the ending is solved (other moves then count as -64)."""
        self.before.choice = self.choice  # drawing by preference needs exact scores of all moves
        empties = (positions.stones() == 0).sum(axis=1)
        live = ~positions.over()
        out = np.full((len(positions), self.game.cells), -np.inf, np.float32)
        stages = (
            (live & (empties > self.random_above), self._any),
            (live & (empties <= self.random_above) & (empties > self.outcome_from), self.before.prefer),
            (live & (empties <= self.outcome_from) & (empties > self.exact_from), self._outcome),
            (live & (empties <= self.exact_from), self._exact),
        )
        for chosen, prefer in stages:
            if chosen.any():
                out[chosen] = prefer(positions[chosen])
        return out

    def fingerprint(self) -> str:
        """The spec and what it plays by before the ending."""
        return f"{self.spec} {self.before.fingerprint()}"

    def _any(self, positions: Positions) -> NDArray[np.float32]:
        return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))

    def _exact(self, positions: Positions, outcome_only: bool = False) -> NDArray[np.float32]:
        solved = solve(positions, outcome_only=outcome_only)
        out = np.where(positions.legal(), np.float32(-64), np.float32(-np.inf))
        out[np.arange(len(positions)), solved.moves] = np.maximum(solved.scores, -63)
        return out

    def _outcome(self, positions: Positions) -> NDArray[np.float32]:
        return self._exact(positions, outcome_only=True)


def alphabeta(
    game: Game,
    depth: Annotated[int, "plies from the root; 1 evaluates each child"] = 1,
    eval: Annotated[Spec, "the evaluation; `zeroply evaluations` lists them"] = _DEFAULT,
    nodes: Annotated[int | None, "at most this many positions a move"] = None,
    seconds: Annotated[float | None, "at most this long a move"] = None,
    selective: Annotated[bool, "cut what shallower search finds hopeless (ProbCut; pattern only)"] = False,
    exact: Annotated[bool, "exact scores for all moves, not only for the best"] = False,
    ends: Annotated[
        Literal["auto", "result", "board"],
        "a finished game counts by its result or by its board; auto: by board for wpc and ntuple at depth 1",
    ] = "auto",
) -> Player:
    """Alpha-beta search over an evaluation."""
    evaluation = EVALUATIONS.build(eval, game=game)
    if selective and eval.name != "pattern":
        raise ZeroplyError(f"selective search is for eval=pattern, not for {eval}")
    limit = Limit(depth=depth, nodes=nodes, seconds=seconds)
    as_published = depth == 1 and eval.name in ("wpc", "ntuple")
    return AlphaBetaPlayer(
        game,
        evaluation,
        limit,
        all_moves=exact,
        ends_by_board=as_published if ends == "auto" else ends == "board",
        selective=_SELECTIVE if selective else 0.0,
    )


def engine(
    game: Game,
    depth: Annotated[int, "plies of plain search; exact once twice as many squares are empty"] = 4,
) -> Player:
    """Othello 8x8: the project's own engine, plain depth n, exact once empties <= 2n."""
    before = alphabeta(game, depth, Spec("pattern"))
    return EndingPlayer(game, before, exact_from=2 * depth)


def iagno(
    game: Game,
    level: Annotated[int, "1, 2 or 3, as in its menu: depth 1, 3 or 5"] = 1,
) -> Player:
    """Othello 8x8: GNOME Iagno's strategy, with its random opening and solved ending."""
    if level not in (1, 2, 3):
        raise ZeroplyError(f"iagno has levels 1, 2 and 3, not {level}")
    its_level = {1: 6, 2: 4, 3: 2}[level]
    before = alphabeta(game, 7 - its_level, Spec("iagno"))
    return EndingPlayer(game, before, exact_from=17 - its_level, outcome_from=19 - its_level, random_above=56)
