"""Players that look ahead: alpha-beta over an evaluation, the engine, and GNOME Iagno's whole strategy.

They are the opponents against which players without look-ahead are measured.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.players.contract import Player
from zeroply.players.threats import ThreatPlayer
from zeroply.search import EVALUATIONS, Evaluation, Limit, Memory, Mode, SearchResult
from zeroply.search.endings import solve as solve_endings
from zeroply.search.endings import solve_line, solve_moves
from zeroply.search.evaluation import MAX_THREADS
from zeroply.specs import Spec

Prefer = Callable[[Positions], NDArray[np.float32]]
Ending = Callable[..., NDArray[np.float32]]

DEEPEST_ENGINE = 20
"""Plies of the engine's search."""
MOST_SOLVED = 24
"""Empty squares of the largest ending that the engine solves; it may take seconds."""
_DEFAULT = Spec("positional")


class AlphaBetaPlayer(Player):
    """Prefers moves by the score of a search."""

    def __init__(
        self, game: Game, evaluation: Evaluation, limit: Limit, *, named: Spec | None = None, **options: Any
    ) -> None:
        """`named` is the evaluation's spec, from which another process rebuilds it; `options` are those of a search."""
        super().__init__(game)
        self.evaluation = evaluation
        self.limit = limit
        self.named = named
        self.options = options
        self.memory: Memory | None = None

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """The score of each move; exact for the best, upper bounds for others unless all are wanted."""
        if self.choice.temperature > 0:  # drawing by preference needs all of them
            return self.prefer_all(positions)
        return self._search(positions).preferences

    def prefer_all(self, positions: Positions) -> NDArray[np.float32]:
        """The search's own score of each move, not a bound."""
        return self._search(positions, all_moves=True).preferences

    def best_lines(self, positions: Positions) -> list[list[int]]:
        """The best line that the search finds."""
        found = self._search(positions, lines=True)
        return [found.line(i) for i in range(len(positions))]

    def in_one_game(self) -> Player:
        """The same player with a transposition table that it keeps, if its mode is strong."""
        if self.options.get("mode") != "strong":
            return self
        remembering = copy(self)
        remembering.memory = Memory()
        return remembering

    def _search(self, positions: Positions, **options: Any) -> SearchResult:
        return self.evaluation.search(positions, self.limit, memory=self.memory, **{**self.options, **options})

    @property
    def look_ahead(self) -> int:
        return self.limit.depth

    def within(self, *, seconds: float | None = None, depth: int | None = None) -> Player:
        """The same search with tighter limits."""
        limited = copy(self)
        depths = [self.limit.depth, *([max(depth, 1)] if depth is not None else [])]
        limited.limit = replace(self.limit, depth=min(depths), seconds=_shorter(self.limit.seconds, seconds))
        return limited

    def fingerprint(self) -> str:
        """The spec and a digest of the evaluation's file, if it has one."""
        return f"{self.spec} {self.evaluation.digest}"

    def __getstate__(self) -> dict[str, Any]:
        """The evaluation by its spec and the digest of its file."""
        if self.named is None:
            raise ZeroplyError(f"player {self} cannot go to another process: its evaluation has no name")
        return {**vars(self), "evaluation": self.evaluation.digest, "memory": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        evaluation = EVALUATIONS.build(state["named"], game=state["game"])
        if evaluation.digest != state["evaluation"]:
            raise ZeroplyError(f"the file of evaluation {state['named']} has changed since the player was made")
        vars(self).update(state, evaluation=evaluation)


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
        self.seconds: float | None = None

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """Scores by search, or disc differences once the ending is solved (other moves then count as -64)."""
        if self.choice.temperature > 0:  # drawing by preference needs all of them
            return self.prefer_all(positions)
        return self._by_stage(positions, self.before.prefer, partial(_solved, seconds=self.seconds))

    def prefer_all(self, positions: Positions) -> NDArray[np.float32]:
        """A separate score for each move, by search or, exact, by solving the ending after it."""
        return self._by_stage(positions, self.before.prefer_all, partial(solve_moves, seconds=self.seconds))

    def best_lines(self, positions: Positions) -> list[list[int]]:
        """The best line by search, or of perfect play to the end once the ending is solved."""
        empties = (positions.stones() == 0).sum(axis=1)
        solved = empties <= self.exact_from
        lines: list[list[int]] = [[] for _ in range(len(positions))]
        for i in np.flatnonzero(solved):
            lines[i] = solve_line(positions[i], seconds=self.seconds)
        searched = np.array([i for i in range(len(positions)) if not lines[i]], np.int64)
        for i, line in zip(searched, self.before.best_lines(positions[searched]), strict=True):
            lines[i] = line
        return lines

    def in_one_game(self) -> Player:
        """The same player whose search keeps its transposition table."""
        remembering = copy(self)
        remembering.before = self.before.in_one_game()
        return remembering

    @property
    def look_ahead(self) -> int:
        return self.before.look_ahead

    def within(self, *, seconds: float | None = None, depth: int | None = None) -> Player:
        """The same player with tighter limits: half of the time is for the ending, which is left unsolved after that.

        A smaller depth also has smaller endings solved, those of twice as many empty squares.
        """
        limited = copy(self)
        limited.seconds = None if seconds is None else seconds / 2
        limited.before = self.before.within(seconds=limited.seconds, depth=depth)
        if depth is not None and depth < self.look_ahead:
            limited.exact_from = min(self.exact_from, 2 * depth)
            limited.outcome_from = min(self.outcome_from, 2 * depth)
        return limited

    def fingerprint(self) -> str:
        """The spec and the fingerprint of the player before the ending."""
        return f"{self.spec} {self.before.fingerprint()}"

    def _by_stage(self, positions: Positions, search: Prefer, ending: Ending) -> NDArray[np.float32]:
        empties = (positions.stones() == 0).sum(axis=1)
        live = ~positions.over()
        out = np.full((len(positions), self.game.cells), -np.inf, np.float32)
        stages: tuple[tuple[NDArray[np.bool_], Prefer], ...] = (
            (live & (empties > self.random_above), _any),
            (live & (empties <= self.random_above) & (empties > self.outcome_from), search),
            (live & (empties <= self.outcome_from) & (empties > self.exact_from), partial(ending, outcome_only=True)),
            (live & (empties <= self.exact_from), partial(ending, outcome_only=False)),
        )
        for chosen, prefer in stages:
            if chosen.any():
                out[chosen] = prefer(positions[chosen])
        late = np.isnan(out).any(axis=1)  # endings that were not solved in time
        if late.any():
            out[late] = search(positions[late])
        return out


def _any(positions: Positions) -> NDArray[np.float32]:
    return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))


def _solved(positions: Positions, *, outcome_only: bool, seconds: float | None = None) -> NDArray[np.float32]:
    """The score of one best move; others count as -64. NaN for positions that were not solved within the time."""
    solved = solve_endings(positions, outcome_only=outcome_only, seconds=seconds)
    out = np.where(positions.legal(), np.float32(-64), np.float32(-np.inf))
    out[np.arange(len(positions)), solved.moves] = np.maximum(solved.scores, -63)
    out[~solved.complete] = np.nan
    return out


def _shorter(one: float | None, other: float | None) -> float | None:
    """The shorter of two time limits; None is no limit."""
    return min((seconds for seconds in (one, other) if seconds is not None), default=None)


def alphabeta(
    game: Game,
    depth: Annotated[int, "plies from the root; 1 evaluates each child"] = 1,
    eval: Annotated[Spec, "the evaluation; `zeroply evaluations` lists them"] = _DEFAULT,
    nodes: Annotated[int | None, "node limit per move"] = None,
    seconds: Annotated[float | None, "time limit per move"] = None,
    mode: Annotated[Mode, "exact: the value of plain minimax; strong: everything that finds better moves"] = "exact",
    threads: Annotated[int, "threads that search one position together; strong mode then varies from run to run"] = 1,
    exact: Annotated[bool, "exact scores for all moves, not only for the best"] = False,
    ends: Annotated[
        Literal["auto", "result", "board"],
        "a finished game counts by its result or by its board; auto: by board for wpc, ntuple and net at depth 1",
    ] = "auto",
) -> Player:
    """Alpha-beta search over an evaluation."""
    evaluation = EVALUATIONS.build(eval, game=game)
    if not 1 <= threads <= MAX_THREADS:
        raise ZeroplyError(f"threads must be from 1 to {MAX_THREADS}, not {threads}")
    limit = Limit(depth=depth, nodes=nodes, seconds=seconds)
    as_published = depth == 1 and eval.name in ("wpc", "ntuple", "net")
    return AlphaBetaPlayer(
        game,
        evaluation,
        limit,
        named=eval,
        all_moves=exact,
        ends_by_board=as_published if ends == "auto" else ends == "board",
        mode=mode,
        threads=threads,
    )


def engine(
    game: Game,
    depth: Annotated[int, "plies of search; answers to threats count none"] = 4,
    solve: Annotated[int | None, "Othello: solve the ending from so many empty squares; default: 2 depth"] = None,
    threads: Annotated[int, "Othello: threads that search a position together; moves may then vary"] = 1,
    nodes: Annotated[int | None, "node limit per move, in games with threats"] = None,
    seconds: Annotated[float | None, "time limit per move"] = None,
) -> Player:
    """The project's own engine: a strong search; Othello 8x8 with exact endings, Gomoku and Atari-Go with threats."""
    if game.facts.threats is not None:
        if solve is not None or threads != 1:
            raise ZeroplyError("engine takes solve and threads only in Othello")
        return ThreatPlayer(game, Limit(depth=depth, nodes=nodes, seconds=seconds))
    if not game.facts.solvable:
        raise ZeroplyError(f"player engine does not play {game}: it needs Othello 8x8, or threats to win at once")
    if nodes is not None:
        raise ZeroplyError("engine takes nodes only in games with threats")
    if not 1 <= depth <= DEEPEST_ENGINE:
        raise ZeroplyError(
            f"engine has depths from 1 to {DEEPEST_ENGINE}, not {depth}; "
            "alphabeta(eval=pattern, mode=strong, depth=...) has others"
        )
    exact_from = 2 * depth if solve is None else solve
    if not 0 <= exact_from <= MOST_SOLVED:
        raise ZeroplyError(
            f"engine solves the last 0 to {MOST_SOLVED} squares, not {exact_from}"
            + (f", which is twice its depth: add solve={MOST_SOLVED} or less" if solve is None else "")
        )
    before = alphabeta(game, depth, Spec("pattern"), mode="strong", threads=threads)
    player = EndingPlayer(game, before, exact_from)
    return player if seconds is None else player.within(seconds=Limit(seconds=seconds).seconds)


def iagno(
    game: Game,
    level: Annotated[int, "1, 2 or 3, as in its menu: depth 1, 3 or 5"] = 1,
) -> Player:
    """Othello 8x8: GNOME Iagno's strategy, with its random opening and solved ending."""
    game.require("othello", "player iagno", size=8)
    if level not in (1, 2, 3):
        raise ZeroplyError(f"iagno has levels 1, 2 and 3, not {level}")
    its_level = {1: 6, 2: 4, 3: 2}[level]
    before = alphabeta(game, 7 - its_level, Spec("iagno"))
    return EndingPlayer(game, before, exact_from=17 - its_level, outcome_from=19 - its_level, random_above=56)
