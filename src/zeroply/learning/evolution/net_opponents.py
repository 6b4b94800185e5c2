"""Opponents that are nets of the run itself: its own generation, its hall of fame, its recent champions.

They are named like players, such as `earlier(n=3)`, and drawn once for each generation, so that all members meet the
same ones. The hall of fame (Rosin and Belew 1997) keeps evolution from forgetting how to beat earlier champions. It has
the champion of every generation, or the centre of the distribution of strategies that have one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.learning.coevolution.hall_of_fame import draw_from
from zeroply.registry import Registry
from zeroply.specs import Spec, parse

Weights = NDArray[np.float32]
MOST = 1000
"""The most opponents of one kind."""


class Hall:
    """Champions so far: all of the last `RECENT` generations, and fewer and fewer of those before."""

    RECENT, OLDER = 100, 100

    def __init__(self) -> None:
        self.weights: list[Weights] = []
        self._generations: list[int] = []

    def __len__(self) -> int:
        return len(self.weights)

    def add(self, weights: Weights, generation: int) -> None:
        """Add the champion of a generation; if there are too many old ones, every second of them leaves."""
        self.weights.append(weights)
        self._generations.append(generation)
        if len(self) > self.RECENT + self.OLDER:
            thinned = [*range(1, self.OLDER + 1, 2), *range(self.OLDER + 1, len(self))]
            self.weights = [self.weights[i] for i in thinned]
            self._generations = [self._generations[i] for i in thinned]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state, for `restore`."""
        return {"weights": np.stack(self.weights), "generations": np.array(self._generations)} if self.weights else {}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Set the state to what `arrays` returned."""
        self.weights = list(np.asarray(arrays.get("weights", []), np.float32))
        self._generations = np.asarray(arrays.get("generations", []), np.int64).tolist()


@dataclass(frozen=True)
class NetOpponents(ABC):
    """How the opponents of a generation are drawn."""

    n: int
    """Number of opponents."""

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST:
            raise ZeroplyError(f"opponents from the run number from 1 to {MOST}, not {self.n}")

    @abstractmethod
    def draw(self, population: Weights, hall: Hall, key: int) -> Weights:
        """[n, parameters]: the opponents of a generation; `key` is a chance key."""


class FromPopulation(NetOpponents):
    """Members of the generation itself."""

    def draw(self, population: Weights, hall: Hall, key: int) -> Weights:
        return population[np.resize(draw_from(len(population), self.n, key), self.n)]


class FromHall(NetOpponents):
    """Members of the hall of fame, no one twice; while it is too small, members of the generation fill up."""

    def draw(self, population: Weights, hall: Hall, key: int) -> Weights:
        chosen = [hall.weights[i] for i in draw_from(len(hall), self.n, key)]
        others = FromPopulation(self.n).draw(population, hall, chance.key(key, "others"))
        return np.stack([*chosen, *others])[: self.n]


@dataclass(frozen=True)
class Earlier(NetOpponents):
    """The last champion, and earlier ones, of which most are recent; before there is one, members of the generation."""

    recent: float = 0.7
    """Probability that an earlier champion is one of the last `window`."""
    window: int = 100
    """How many generations are recent."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.recent <= 1 and 1 <= self.window <= Hall.RECENT):
            raise ZeroplyError(f"opponents earlier need recent from 0 to 1 and a window from 1 to {Hall.RECENT}")

    def draw(self, population: Weights, hall: Hall, key: int) -> Weights:
        size = len(hall)
        if not size:
            return FromPopulation(self.n).draw(population, hall, key)
        numbers = np.arange(1, self.n)
        window = min(self.window, size)
        is_recent = chance.uniform(chance.key(key, "recent"), numbers) < self.recent
        drawn = chance.key(key, "earlier")
        rows = np.where(is_recent, size - 1 - chance.below(window, drawn, numbers), chance.below(size, drawn, numbers))
        return np.stack([hall.weights[i] for i in [size - 1, *rows.tolist()]])


Number = Annotated[int, "number of opponents in a generation"]

NET_OPPONENTS: Registry[NetOpponents] = Registry("opponent")


@NET_OPPONENTS.register("population")
def population(n: Number = 3) -> NetOpponents:
    """Members of the generation itself."""
    return FromPopulation(n)


@NET_OPPONENTS.register("hall")
def hall(n: Number = 3) -> NetOpponents:
    """Champions of any earlier generations."""
    return FromHall(n)


@NET_OPPONENTS.register("earlier")
def earlier(
    n: Number = 3,
    recent: Annotated[float, "probability that a champion before the last one is recent"] = 0.7,
    window: Annotated[int, "generations that are recent"] = 100,
) -> NetOpponents:
    """The last champion, and earlier ones, of which most are recent."""
    return Earlier(n, recent, window)


def net_opponents(spec: str | Spec) -> NetOpponents | None:
    """The opponents from the run that a spec names; None if it names a player."""
    named = parse(spec)
    return NET_OPPONENTS.build(named) if named.name in NET_OPPONENTS else None
