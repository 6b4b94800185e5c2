"""Objectives: the goals of evolution with several objectives, by name.

Schaul and Schmidhuber 2009 (section VI) propose the chance of winning with Black, with White, the number of moves until
winning or losing, and all of that against several opponents on several boards. An objective is written
`black(opponent=naive, size=7)`; without arguments it is the mean over all opponents and boards that are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning.evolution.fitness import Fitness, Outcome, Trial
from zeroply.registry import Registry
from zeroply.specs import Spec, parse

Values = NDArray[np.float64]

Opponent = Annotated[Spec | None, "one of the opponents; none for all of them"]
Size = Annotated[int | None, "one of the board sizes; none for all of them"]


@dataclass(frozen=True)
class Objective:
    """One thing to be made as large as possible."""

    of: Callable[[Outcome], Values]
    """[members]: its value in one trial."""
    opponent: Spec | None
    """The opponent that counts; None for all."""
    size: int | None
    """The board size that counts; None for all."""

    def looks_at(self, trial: Trial) -> bool:
        """Whether a trial counts."""
        return (self.opponent is None or self.opponent == parse(trial.opponent)) and (
            self.size is None or self.size == game(trial.game).size
        )

    def value(self, outcomes: Mapping[Trial, Outcome]) -> Values:
        """[members]: the mean over the trials that count."""
        return np.asarray(np.mean([self.of(o) for t, o in outcomes.items() if self.looks_at(t)], axis=0), np.float64)


OBJECTIVES: Registry[Objective] = Registry("objective")


@OBJECTIVES.register("score")
def score(opponent: Opponent = None, size: Size = None) -> Objective:
    """The mean score."""
    return Objective(lambda outcome: outcome.mean, opponent, size)


@OBJECTIVES.register("black")
def black(opponent: Opponent = None, size: Size = None) -> Objective:
    """Points per game with Black, a draw counting half."""
    return Objective(lambda outcome: _points(outcome.results[:, 0::2]), opponent, size)


@OBJECTIVES.register("white")
def white(opponent: Opponent = None, size: Size = None) -> Objective:
    """Points per game with White, a draw counting half."""
    return Objective(lambda outcome: _points(outcome.results[:, 1::2]), opponent, size)


@OBJECTIVES.register("speed")
def speed(opponent: Opponent = None, size: Size = None) -> Objective:
    """Winning early and losing late, from 0 to 1, whatever the share of wins; a draw counts a half."""
    return Objective(_speed, opponent, size)


def _points(results: NDArray[np.int8]) -> Values:
    return np.asarray((1 + results.mean(axis=1)) / 2, np.float64)


def _speed(outcome: Outcome) -> Values:
    return np.asarray((0.5 + outcome.results * (0.5 - outcome.lateness)).mean(axis=1), np.float64)


def objectives(specs: Sequence[str], fitness: Fitness) -> list[Objective]:
    """The objectives that specs name; raises ZeroplyError if no trial counts for one."""
    values = []
    for spec in specs:
        one = OBJECTIVES.build(spec)
        if not any(one.looks_at(trial) for trial in fitness.trials()):
            raise ZeroplyError(f"objective {spec} names an opponent or a board size that is not played")
        values.append(one)
    return values


def values(wanted: Sequence[Objective], outcomes: Mapping[Trial, Outcome]) -> Values:
    """[members, objectives]."""
    return np.stack([one.value(outcomes) for one in wanted], axis=1)
