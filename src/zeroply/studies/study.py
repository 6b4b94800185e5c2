"""The frame of a study: one command per published table or figure.

A study cuts its work into units (one scenario, one seed). Each measured unit is an event of a run, so a study killed
at any moment goes on where it was when the same command is given again. From all units it makes a report: numbers
with intervals beside the paper's, and a closing table *claim / ours / holds?*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from zeroply.progress import Progress as Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Scale = Literal["smoke", "cpu", "paper"]
"""How much work: seconds for a test, what two cores can do, or what the paper did."""

Measures = Mapping[str, Any]
"""What measuring a unit gave: names to numbers, text or lists of them."""


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b")
"""Of all figures; told apart by people who see colours differently (Okabe and Ito's, with brown for yellow)."""


@dataclass(frozen=True)
class Unit:
    """A piece of a study that is measured by itself."""

    name: str
    """Unique within the study; chance is keyed by it."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What to measure."""
    seed: int = 0
    """What all chance of this unit comes from."""


Found = Sequence[tuple[Unit, Measures]]
"""All measured units of a study."""


def part_of(progress: Progress, low: float, high: float) -> Progress:
    """Progress of a piece of the work that begins and ends at these shares of the whole."""

    def report(step: int, steps: int, text: str = "", /) -> None:
        progress(round(1000 * (low + (high - low) * step / max(1, steps))), 1000, text)

    return report


@dataclass(frozen=True)
class Place:
    """Where a study works."""

    results: Path = Path("results")
    """The folder of all results; what several studies share, such as trained nets, is kept there too."""
    data: Path | None = None
    """The folder of published games, players and openings, if there is one."""


@dataclass(frozen=True)
class Table:
    """Numbers side by side; written as CSV and Markdown."""

    name: str
    """A word for the file's name."""
    caption: str
    """What it shows, and the units."""
    rows: Sequence[Mapping[str, Any]]
    """One mapping from column to value a row, all with the same columns."""
    printed: bool = True
    """Whether people see it in the report; long tables are only written as CSV."""


@dataclass(frozen=True)
class Claim:
    """What the paper says, and what was found here."""

    claim: str
    """In the paper's sense, in a sentence."""
    ours: str
    """The figures that speak to it."""
    holds: bool | None
    """Whether it holds here; None if this scale does not tell."""


@dataclass(frozen=True)
class Drawing:
    """A figure."""

    name: str
    """A word for the file's name."""
    caption: str
    """What it shows."""
    draw: Callable[[Figure], None]
    """Draws it on an empty matplotlib figure."""


@dataclass(frozen=True)
class Report:
    """What a study found."""

    text: str
    """A paragraph on what was done and how to read the tables."""
    tables: Sequence[Table]
    """The numbers, ours beside the paper's."""
    claims: Sequence[Claim]
    """The closing table."""
    drawings: Sequence[Drawing] = ()
    """The figures."""
    study: str = ""
    """Name of the study."""
    folder: Path = Path()
    """Folder of the results."""


class Study(ABC):
    """One published table, figure or claim."""

    name: ClassVar[str]
    """Such as `S.table1`: the paper's letter, then what it repeats."""
    title: ClassVar[str]
    """One line for people."""
    source: ClassVar[str]
    """Paper and place."""
    packages: ClassVar[tuple[str, ...]] = ("scipy",)
    """What must be installed beyond what zeroply itself needs."""
    place: Place = Place()
    """Where it works; set before anything is measured."""

    def needs(self, scale: Scale) -> Sequence[str]:
        """The published data of a scale: folders and files below the folder of data, such as `wthor`."""
        return ()

    def made_before(self, name: str) -> bool:
        """Whether what is made from a piece of data is among the results, so that it can be done without."""
        return False

    @abstractmethod
    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """What there is to measure at a scale."""

    @abstractmethod
    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Measure one unit; its chance comes from the unit's seed and name only."""

    @abstractmethod
    def report(self, found: Sequence[tuple[Unit, Measures]]) -> Report:
        """Make tables, claims and figures of all measured units."""
