"""External observers: fixed strategies that measure evolving nets (Lin and White 2009, section II-D).

Every so many generations all parents climb the ladder of each strategy; in a chosen range they do so in every
generation (Figs. 6 and 7). What they find is only written down; evolution knows nothing of it.
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
class Watch:
    """When parents are observed, and by whom."""

    every: int = 50
    """Generations from one observation to the next; 0 for none."""
    first: int | None = None
    """From this generation on every generation is observed."""
    last: int | None = None
    """The last of these."""
    strategies: tuple[str, ...] = STRATEGIES
    """Who observes: evaluations, or players that take a depth."""
    highest: int = 6
    """The highest ply-depth of the ladders; iagno has no more than 4."""

    def __post_init__(self) -> None:
        if self.every < 0:
            raise ZeroplyError(f"observers come every 1 generation or more, or never (0), not every {self.every}")
        if not self.strategies:
            raise ZeroplyError(f"observers need a strategy or more, such as {STRATEGIES[0]}; every 0 generations: none")
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
    """The ladders of all strategies; what a net has climbed once is remembered by its name while it lives."""

    def __init__(self, net: PopulationNet, watch: Watch) -> None:
        self.net = net
        self.ladders = {
            one: PopulationLadder(one, net.game, highest_of(one, watch.highest)) for one in watch.strategies
        }
        self._known: dict[str, dict[int, int]] = {one: {} for one in watch.strategies}

    def heights(self, weights: NDArray[np.float32], names: NDArray[np.int64]) -> dict[str, list[int]]:
        """By strategy, for each net the highest ply-depth it beats with Black, -1 if none; `names` tell nets apart."""
        found = {}
        for strategy, ladder in self.ladders.items():
            known = self._known[strategy]
            fresh = np.array([row for row, name in enumerate(names.tolist()) if name not in known], np.int64)
            if len(fresh):
                climbed = ladder.heights(self.net, weights[fresh])
                known |= dict(zip(names[fresh].tolist(), climbed.tolist(), strict=True))
            self._known[strategy] = {name: known[name] for name in names.tolist()}
            found[strategy] = [known[name] for name in names.tolist()]
        return found
