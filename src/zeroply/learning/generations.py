"""What evolution and coevolution share: an experiment whose steps are generations, with a champion of each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from zeroply.learning import champions
from zeroply.learning.evolution.executors import Workers, workers
from zeroply.nets.population import PopulationNet
from zeroply.runs import Chart, Experiment, Json, RunRecord, TextTable, stored

C = TypeVar("C")
G = TypeVar("G")

SHOWN = 10
"""About how many generations are printed; JSON has them all."""


def generation_chart(title: str, *fields: str) -> Chart:
    """A chart of some figures of every generation."""
    return Chart(title, "generation", "number", {field: field for field in fields}, "generation")


@dataclass(frozen=True)
class GenerationsResult(Generic[G]):
    """The result of evolution or coevolution."""

    champion: Path
    """Net file of the last champion."""
    generations: tuple[G, ...]
    """Figures of all generations so far."""
    observed: tuple[tuple[int, dict[str, list[int]]], ...] = ()
    """Per observation: the generation, and by strategy the highest ply-depth each parent beat (-1 for none)."""


class Generations(Experiment[C, GenerationsResult[G]]):
    """An experiment whose steps are generations of population nets."""

    unit = "generations"
    options = frozenset({"workers"})
    net_files = (champions.FILE,)
    has_champions = True
    generation_type: ClassVar[type[Any]]
    """Figures of a generation, a dataclass; each is logged as an event."""
    heading: ClassVar[str]
    """Explains the columns that are printed."""
    columns: ClassVar[tuple[str, ...]]
    """Titles of the columns that are printed."""

    def __init__(self, config: C, *, workers: str = "threads") -> None:
        super().__init__(config)
        self.where = workers
        self.last: G | None = None

    @abstractmethod
    def prepare(self) -> PopulationNet:
        """The architecture; raises ZeroplyError if the configuration cannot work."""

    @contextmanager
    def resources(self) -> Iterator[None]:
        self.net = self.prepare()
        self.workers: Workers
        with workers(self.where) as self.workers:
            yield

    @property
    def total(self) -> int:
        return int(self.config.generations)  # type: ignore[attr-defined]

    @property
    def figures(self) -> str:
        return "" if self.last is None else self.line(self.last)

    @classmethod
    @abstractmethod
    def line(cls, one: G) -> str:
        """The figures of a generation in a few words, for the progress bar."""

    @classmethod
    @abstractmethod
    def row(cls, one: G) -> Sequence[str]:
        """The figures of a generation under `columns`."""

    @abstractmethod
    def champion(self) -> NDArray[np.float32]:
        """[parameters]: the last champion."""

    def log_generation(self, one: G) -> None:
        """Log the figures of a generation."""
        self.last = one
        self.log("generation", **_fields(one))

    def champion_origin(self) -> Json:
        """Where a champion comes from, for its net file."""
        seed: int = self.config.seed  # type: ignore[attr-defined]
        return {"run": self.kind, **stored(self.config), "seed": seed, "generation": self.done}

    def finish(self) -> None:
        path = self.recording.folder / champions.FILE
        champions.save_champion(path, self.net, self.champion(), self.champion_origin())

    @classmethod
    def generations(cls, record: RunRecord) -> tuple[G, ...]:
        """The figures of all generations of a run so far."""
        names = cls.generation_type.__dataclass_fields__
        return tuple(
            cls.generation_type(**{k: tuple(v) if isinstance(v, list) else v for k, v in event.items() if k in names})
            for event in record.events("generation")
        )

    @classmethod
    def read(cls, record: RunRecord) -> GenerationsResult[G]:
        observed = tuple((event["generation"], event["heights"]) for event in record.events("observed"))
        return GenerationsResult(record.folder / champions.FILE, cls.generations(record), observed)

    def summary(self, result: GenerationsResult[G]) -> Json:
        return {"champion": champions.FILE, **_fields(result.generations[-1])}

    @classmethod
    def to_json(cls, result: GenerationsResult[G]) -> Json:
        return {"champion": str(result.champion), "generations": [vars(one) for one in result.generations]}

    @classmethod
    def report(cls, result: GenerationsResult[G]) -> list[str | TextTable]:
        return [
            f"{cls.heading}\n",
            TextTable(cls.columns, [cls.row(one) for one in spread(result.generations)]),
            f"\nplay the champion as {champions.player_of(result.champion)}",
            f"earlier champions: zeroply champion {result.champion.parent} --generation N --out FILE.safetensors",
        ]


def _fields(one: Any) -> Mapping[str, Any]:
    """The figures of a generation that it has."""
    return {name: value for name, value in vars(one).items() if value not in ((), None)}


T = TypeVar("T")


def spread(items: Sequence[T]) -> Sequence[T]:
    """About `SHOWN` of many items, evenly spread, the last one included."""
    step = max(1, len(items) // SHOWN)
    return items[step - 1 :: step]
