"""The frame of a study: one command per published table or figure.

A study cuts its work into units (one scenario, one seed). Each measured unit is an event of a run, so a study that is
killed resumes if you run the same command again. From all units it makes a report: tables of numbers with their
intervals, figures, and the claims of the paper.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from zeroply.progress import Progress as Progress
from zeroply.studies.claims import SMOKE
from zeroply.studies.report import Report

T = TypeVar("T")
Scale = Literal["smoke", "cpu", "paper"]
"""How much work: seconds for a test, what two cores can do, or what the paper did."""

Measures = Mapping[str, Any]
"""The result of measuring a unit: names to numbers, text or lists of them."""

PAPERS = {
    "L": "Liskowski, Jaśkowski and Krawiec 2018",
    "S": "Schaul and Schmidhuber 2009",
    "W": "Lin and White 2009",
    "e": "evolution with methods of today, our own",
}
"""The papers by the letter that the names of their studies begin with."""


@dataclass(frozen=True)
class Unit:
    """A piece of a study that is measured by itself."""

    name: str
    """Unique within the study; random streams are keyed by it."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What to measure."""
    seed: int = 0
    """Random seed."""


Units = Sequence[tuple[Unit, Measures]]
"""All units of a study with their measures."""


def grid(name: str, seeds: Sequence[int] = (1,), **axes: Any) -> list[Unit]:
    """Units for all combinations of the values that lists give, and all seeds; other values are the same in all.

    `name` is a template such as `{game} run {seed}`.
    """
    lists = {key: values if isinstance(values, list) else [values] for key, values in axes.items()}
    rows = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    return [Unit(name.format(seed=seed, **row), row, seed) for row in rows for seed in seeds]


def chosen(units: Units, **wanted: Any) -> list[Measures]:
    """The measures of all units with these settings."""
    return [measures for unit, measures in units if wanted.items() <= unit.settings.items()]


def grouped(units: Units, *keys: str) -> dict[tuple[Any, ...], list[Measures]]:
    """The measures of all units by the values of these settings, in the order of the units."""
    groups: dict[tuple[Any, ...], list[Measures]] = {}
    for unit, measures in units:
        groups.setdefault(tuple(unit.settings[key] for key in keys), []).append(measures)
    return groups


def part_of(progress: Progress, low: float, high: float) -> Progress:
    """Progress of a piece of the work that begins and ends at these shares of the whole."""

    def report(step: int, steps: int, text: str = "", /) -> None:
        progress(round(1000 * (low + (high - low) * step / max(1, steps))), 1000, text)

    return report


def steps(progress: Progress, items: Iterable[T]) -> Iterator[tuple[T, Progress]]:
    """Items with the progress of each, all as equal parts of the work."""
    several = list(items)
    for number, item in enumerate(several):
        yield item, part_of(progress, number / len(several), (number + 1) / len(several))


OPPONENT = "engine(depth={n})"
"""The searching opponent of the L studies at depth n, where the paper has Edax."""


@dataclass(frozen=True)
class Folders:
    """Where a study works, and with what."""

    results: Path = Path("results")
    """The folder of all results, also of runs that several studies share."""
    data: Path | None = None
    """The folder of published games, players and openings, if there is one."""
    opponent: str = OPPONENT
    """The searching opponent, a player with {n} for its depth."""


class Study(ABC):
    """One published table, figure or claim."""

    name: ClassVar[str]
    """Such as `S.table1`: the paper's letter, then what it repeats."""
    title: ClassVar[str]
    """One line for people."""
    source: ClassVar[str]
    """Where in the paper."""
    packages: ClassVar[tuple[str, ...]] = ("scipy",)
    """What must be installed beyond what zeroply itself needs."""
    searching: ClassVar[bool] = False
    """Whether nets meet a searching opponent, which may be replaced."""
    extendable: ClassVar[bool] = False
    """Whether it can measure nets besides those of the paper."""
    origin: ClassVar[str] = "docs/studies.md says where it comes from"
    """Where the published data comes from, for an error message."""
    folders: Folders = Folders()
    """Where it works; set before anything is measured."""
    also: Sequence[str] = ()
    """Architectures to measure as well; set before anything is measured."""

    @property
    def paper(self) -> str:
        """The paper that it repeats; for studies of other people, where they come from."""
        return PAPERS[self.name[0]] if type(self).__module__.startswith("zeroply.") else self.source

    def needs(self, scale: Scale) -> Sequence[str]:
        """The published data of a scale: folders and files below the folder of data, such as `wthor`."""
        return ()

    def made_before(self, name: str) -> bool:
        """Whether the results hold what is made from a piece of data, so that the data itself is not needed."""
        return False

    @abstractmethod
    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """The units of a scale."""

    @abstractmethod
    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Measure one unit; all randomness comes from the unit's seed and name."""

    @abstractmethod
    def findings(self, units: Units, scale: Scale) -> Report:
        """Make tables, claims and figures of all measured units."""

    def report(self, units: Units, scale: Scale) -> Report:
        """The findings; at the smoke scale no claim is decided."""
        report = self.findings(units, scale)
        open_ = [claim.open(SMOKE) for claim in report.claims] if scale == "smoke" else report.claims
        return replace(report, claims=open_)
