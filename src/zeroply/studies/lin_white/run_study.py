"""The form of a study of coevolution runs: settings side by side, each evolved with several seeds.

A study names its settings and says what is measured of a run; it makes one object of all runs of a setting, and from
these objects its tables, claims and figures. A CSV file holds every number of each seed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from zeroply.runs import RunRecord
from zeroply.studies.claims import Claim, Rule
from zeroply.studies.lin_white.curves import Course
from zeroply.studies.lin_white.runs import (
    OWN,
    READINGS,
    SAME,
    SIZES,
    LinWhiteSize,
    Variant,
    evolved,
    variant_of,
    variant_units,
)
from zeroply.studies.measured import Measured
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, part_of

S = TypeVar("S")
Columns = Mapping[str, Sequence[Any]]
"""Lists of the same length by column."""
ABOUT_READINGS = (
    "Readings: the paper's two equations of mutation share one symbol for a random number, which is drawn again for "
    f"every weight. {OWN.name} draws a number for each equation; {SAME.name} takes one for both, so that a weight that "
    "moves up gets a larger step."
)


class RunStudy(Study, Generic[S]):
    """A study of coevolution runs; S is what it makes of all runs of a setting."""

    variants: ClassVar[tuple[Variant, ...]] = READINGS
    """The settings."""
    text: ClassVar[str] = ""
    """What was done."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return variant_units(self.variants, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        record = evolved(self.folders, unit, part_of(progress, 0, 0.6))
        return self.measures(record, SIZES[unit.settings["scale"]], part_of(progress, 0.6, 1))

    @abstractmethod
    def measures(self, record: RunRecord, size: LinWhiteSize, progress: Progress) -> Measures:
        """The measures of a finished run."""

    @abstractmethod
    def setting(self, runs: Sequence[Measures]) -> S:
        """What is made of all runs of one setting, one per seed."""

    def about(self, setting: S) -> str:
        """What was done, given the first setting."""
        return self.text

    @abstractmethod
    def tables(self, settings: Mapping[str, S], units: Units) -> list[ResultTable]:
        """The tables, from the settings by name."""

    def claims(self, scale: Scale, setting: S) -> list[Claim]:
        """The claims about one setting."""
        return []

    def all_claims(self, scale: Scale, settings: Mapping[str, S]) -> list[Claim]:
        """The claims about all settings: the same about each."""
        return side_by_side({name: self.claims(scale, one) for name, one in settings.items()})

    @abstractmethod
    def drawings(self, settings: Mapping[str, S]) -> list[Drawing]:
        """The figures."""

    def findings(self, units: Units, scale: Scale) -> Report:
        names = dict.fromkeys(variant_of(unit).name for unit, _ in units)
        settings = {one: self.setting([run for unit, run in units if variant_of(unit).name == one]) for one in names}
        about = [self.about(next(iter(settings.values()))), ABOUT_READINGS, about_scale(units, scale)]
        if self.variants != READINGS:
            del about[1]
        tables, claims = self.tables(settings, units), self.all_claims(scale, settings)
        return Report(" ".join(about), tables, claims, self.drawings(settings))


def about_scale(units: Units, scale: Scale) -> str:
    """What the scale means, for the text of a report."""
    seeds, size = len({unit.seed for unit, _ in units}), SIZES[scale]
    if scale == "smoke":
        return (
            f"**This is the smoke scale**: {size.generations} generations of {size.population} nets. It shows that "
            "everything runs; its numbers say nothing about the paper."
        )
    as_in = "as in the paper" if scale == "paper" else "where the paper has 10,000"
    return (
        f"{size.generations:,} generations {as_in}, {size.population} nets, observers every {size.every} generations, "
        f"{seeds} seed{'s' if seeds > 1 else ''}. Numbers are means over the seeds with 95 % intervals."
    )


def tenths(generations: Sequence[int]) -> Sequence[int]:
    """About ten of the observed generations."""
    step = max(1, len(generations) // 10)
    return generations[step - 1 :: step]


def course_rows(
    settings: Mapping[str, Mapping[str, Course]], shown: Callable[[Sequence[int]], Iterable[int]] = tenths
) -> list[dict[str, Any]]:
    """A row per setting and shown generation, with a column per course."""
    return [
        {"setting": setting, "generation": generation} | {name: one.at(generation) for name, one in courses.items()}
        for setting, courses in settings.items()
        for generation in shown(next(iter(courses.values())).generations.astype(int).tolist())
    ]


def seeds_table(units: Units, caption: str, columns: Callable[[Measures], Columns], name: str = "seeds") -> ResultTable:
    """Every number of every seed, for a file: `columns` makes lists of the measures of a run."""
    rows = []
    for unit, measures in units:
        lists, run = columns(measures), {"setting": variant_of(unit).name, "seed": unit.seed}
        rows += [run | dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return ResultTable(name, caption, rows, printed=False)


def ladder_columns(measures: Measures, name: str = "ply-depth") -> dict[str, Sequence[Any]]:
    """The counts of a ladder by generation, for `seeds_table`; `name` stands before each ply-depth."""
    counts = {f"{name} {depth}": curve for depth, curve in measures["beaten"].items()}
    return {"generation": measures["generations"], **counts}


def claim(
    scale: Scale,
    place: str,
    text: str,
    ours: Measured | Mapping[str, Measured],
    rule: Rule | Mapping[str, Rule],
    note: str = "",
    *,
    needs: int = 10_000,
    unless: str = "",
    printed: float | None = None,
) -> Claim:
    """A claim that is open if runs have fewer generations than it needs, or for another reason, if there is one."""
    generations = SIZES[scale].generations
    short = f"the runs end at generation {generations:,}" if generations < needs else ""
    return Claim(place, text, ours, rule, printed, note=note).open(short or unless)


def side_by_side(claims: Mapping[str, Sequence[Claim]]) -> list[Claim]:
    """The same claims about several settings, each with its name."""
    named = [[claim.named(name) for claim in some] for name, some in claims.items()]
    return [claim for some in zip(*named, strict=True) for claim in some]
