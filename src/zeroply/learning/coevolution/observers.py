"""External observers: fixed strategies that measure evolving nets (Lin and White 2009, section II-D).

At regular intervals all parents climb the ladder of each strategy; in a chosen range they do so in every generation
(Figs. 6 and 7). The results are logged; evolution does not use them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.ladder import highest_of
from zeroply.arena.population_ladder import PopulationLadder
from zeroply.errors import ZeroplyError
from zeroply.nets.population import PopulationNet

STRATEGIES = ("positional", "pieces", "mobility", "iagno")
"""The paper's four."""


@dataclass(frozen=True, kw_only=True)
class ObserverConfig:
    """When parents are observed, and by which strategies."""

    every: int = 50
    """Generations between two observations; 0 turns them off."""
    first: int | None = None
    """First generation of a range in which every generation is observed."""
    last: int | None = None
    """Last generation of that range."""
    strategies: tuple[str, ...] = STRATEGIES
    """The observing strategies: evaluations, or players with a depth."""
    highest: int = 6
    """The highest ply-depth of the ladders; iagno has no more than 4."""

    def __post_init__(self) -> None:
        if self.every < 0:
            raise ZeroplyError(f"every must be 0 (no observers) or more, not {self.every}")
        if not self.strategies:
            raise ZeroplyError(f"observers need a strategy, such as {STRATEGIES[0]}; to turn them off use every 0")
        if (self.first is None) != (self.last is None):
            raise ZeroplyError("a range in which every generation is observed needs both ends")
        if self.first is not None and self.last is not None and not 1 <= self.first <= self.last:
            raise ZeroplyError(f"there are no generations from {self.first} to {self.last}")
        if self.highest < 0 or self.highest % 2:
            raise ZeroplyError(
                f"the highest ply-depth of a ladder is 0, 2, 4 or another even number, not {self.highest}"
            )

    def is_due(self, generation: int) -> bool:
        """Whether the parents after a generation are observed."""
        if self.first is not None and self.last is not None and self.first <= generation <= self.last:
            return True
        return self.every > 0 and generation % self.every == 0


class Observers:
    """The ladders of all strategies; the height of a net is cached by its name while it survives."""

    def __init__(self, net: PopulationNet, config: ObserverConfig) -> None:
        self.net = net
        self.ladders = {
            one: PopulationLadder(one, net.game, highest_of(one, config.highest)) for one in config.strategies
        }
        self._known: dict[str, dict[int, int]] = {one: {} for one in config.strategies}

    def heights(self, weights: NDArray[np.float32], names: NDArray[np.int64]) -> dict[str, list[int]]:
        """By strategy, the highest ply-depth each net beats with Black, -1 if none; `names` identify the nets."""
        by_strategy = {}
        for strategy, ladder in self.ladders.items():
            known = self._known[strategy]
            fresh = np.array([row for row, name in enumerate(names.tolist()) if name not in known], np.int64)
            if len(fresh):
                climbed = ladder.heights(self.net, weights[fresh])
                known |= dict(zip(names[fresh].tolist(), climbed.tolist(), strict=True))
            self._known[strategy] = {name: known[name] for name in names.tolist()}
            by_strategy[strategy] = [known[name] for name in names.tolist()]
        return by_strategy
