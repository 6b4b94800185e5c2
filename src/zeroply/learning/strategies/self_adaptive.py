"""The evolution strategy of Lin and White 2009, section II-A: every weight has a mutation step, which is mutated too.

Each parent has one child; further children of random parents can be added as opponents that do not survive. Parents
and children are ranked together, and the best half are the next parents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.learning.strategies.strategy import Arrays, Fitness, Setup, Strategy, Weights, best_first

Factors = Literal["own", "common", "same"]


@dataclass(frozen=True)
class Parents:
    """The parents after a generation, best first."""

    generation: int
    """Generations so far."""
    weights: Weights
    """[parents, parameters]."""
    steps: NDArray[np.float32]
    """[parents, parameters]: the mutation step of every weight."""
    born: NDArray[np.int64]
    """[parents]: the generation in which each was born; 0 for the first parents."""
    names: NDArray[np.int64]
    """[parents]: a number that no other net of the run has."""

    @classmethod
    def first(cls, weights: Weights, step: float) -> Parents:
        """Untrained parents with one mutation step for all weights."""
        n = len(weights)
        return cls(0, weights, np.full_like(weights, step), np.zeros(n, np.int64), np.arange(n, dtype=np.int64))

    @property
    def ages(self) -> NDArray[np.int64]:
        """[parents]: survival times in generations as a parent, including the next one."""
        return self.generation + 1 - self.born

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All fields, for `from_arrays`."""
        return {
            "generation": np.array([self.generation]),
            "weights": self.weights,
            "steps": self.steps,
            "born": self.born,
            "names": self.names,
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Parents:
        """The parents from what `arrays` returned."""
        return cls(int(arrays["generation"][0]), arrays["weights"], arrays["steps"], arrays["born"], arrays["names"])


class SelfAdaptive(Strategy):
    """Parents with their own mutation steps, and one child of each."""

    def __init__(self, parents: Parents, extra: int, factors: Factors) -> None:
        """`extra` further children serve as opponents; they cannot become parents."""
        self.parents, self.extra, self.factors = parents, extra, factors
        self._steps = parents.steps[:0]
        self._asked = parents.weights[:0]

    def ask(self, key: int) -> Weights:
        """The parents, a child of each, then the extra children."""
        self._asked, self._steps = with_children(self.parents, self.extra, self.factors, key)
        return self._asked

    def tell(self, fitness: Fitness, key: int = 0) -> None:
        """The best half of parents and children are the next parents."""
        before, n = self.parents, len(self.parents.weights)
        number, best = before.generation + 1, best_first(fitness)[:n]
        names = np.concatenate([before.names, number * 2 * n + np.arange(n)])
        born = np.concatenate([before.born, np.full(n, number, np.int64)])
        self.parents = Parents(number, self._asked[best], self._steps[best], born[best], names[best])

    def arrays(self) -> dict[str, NDArray[Any]]:
        return self.parents.arrays()

    def restore(self, arrays: Arrays) -> None:
        self.parents = Parents.from_arrays(arrays)


def self_adaptive(
    setup: Setup,
    factors: Annotated[
        Factors, "random factor of a child's mutation steps: own, common, or same as its weight's"
    ] = "own",
) -> SelfAdaptive:
    """Every weight has a mutation step, which is mutated too (Lin and White 2009); each parent has one child."""
    if setup.parents < 1 or setup.offspring != setup.parents:
        raise ZeroplyError(
            f"strategy self-adaptive needs as many offspring as parents, not {setup.offspring} and {setup.parents}"
        )
    return SelfAdaptive(Parents.first(setup.untrained(setup.parents), setup.sigma), 0, factors)


def tau(parameters: int) -> float:
    """How fast mutation steps change: 1 / sqrt(2 sqrt(number of weights))."""
    return float((2 * parameters**0.5) ** -0.5)


def with_children(parents: Parents, extra: int, factors: Factors, key: int) -> tuple[Weights, NDArray[np.float32]]:
    """Weights and steps of the parents, a child of each, and the extra children.

    Reading: the extra children have random parents, no parent twice while there are others.
    """
    n, parameters = parents.weights.shape
    drawn = np.argsort(chance.draw(chance.key(key, "extra"), np.arange(n)), kind="stable")
    of = np.concatenate([np.arange(n), np.resize(drawn, extra) if extra else drawn[:0]]).astype(np.int32)
    keys = chance.keys(chance.key(key, "offspring"), np.arange(len(of)))
    all_weights, all_steps = (np.empty((n + len(of), parameters), np.float32) for _ in range(2))
    all_weights[:n], all_steps[:n] = parents.weights, parents.steps
    mutates, rate = (parents.weights, parents.steps, of), tau(parameters)
    if factors == "common":
        numbers, ones = np.arange(len(of), dtype=np.int32), np.ones((len(of), 1), np.float32)
        common = np.empty_like(ones)
        _core.mutate(ones, ones, numbers, chance.keys(keys, 0), rate, False, np.empty_like(ones), common)
        mutates, rate = (parents.weights[of], parents.steps[of] * common, numbers), 0.0
    _core.mutate(*mutates, keys, rate, factors == "same", all_weights[n:], all_steps[n:])
    return all_weights, all_steps
