"""What the L studies share: nets that learn from WTHOR, and for matches published players and openings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from zeroply.studies.liskowski.nets import FOLDER, SOME_GAMES, Plan, plan_units, trained
from zeroply.studies.liskowski.reporting import trained_measures, untrained
from zeroply.studies.liskowski.strength import OPENINGS, SUITE, strength
from zeroply.studies.report import Report
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units

WHOLE, PART = "wthor", f"wthor/{SOME_GAMES}"
SETS = {WHOLE: "sets", PART: "sets-part"}
"""The folders of the examples made from the games."""
LEAGUE_FILES = tuple(f"league/{file}" for file in SUITE.values())
OPENINGS_FILE = f"openings/{OPENINGS}"


class NetStudy(Study):
    """A study with one unit per net, which is trained."""

    packages = ("torch", "scipy")
    nets: ClassVar[Sequence[Plan]] = ()
    """The nets, if they are the same at every scale."""
    files: ClassVar[tuple[str, ...]] = ()
    """Published data beside the games."""

    def plans(self, scale: Scale) -> Sequence[Plan]:
        """The nets of a scale."""
        return self.nets

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per net and seed."""
        return plan_units(self.plans(scale), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net, which is tested on its own test set."""
        return trained_measures(trained(self.folders, unit, progress).result)

    def report(self, units: Units, scale: Scale) -> Report:
        """The findings; nets that are untrained decide nothing."""
        report = super().report(units, scale)
        why = "" if scale == "smoke" else untrained(units)
        return replace(report, claims=[claim.open(why) for claim in report.claims])

    def needs(self, scale: Scale) -> Sequence[str]:
        """The games, all or those of one year, and the other files."""
        if scale == "smoke":
            return ()
        units = self.units(scale, 1)
        games = {PART if unit.settings.get("part") and scale == "cpu" else WHOLE for unit in units}
        return [*sorted(games), *self.files]

    def made_before(self, name: str) -> bool:
        """Whether the examples are there, so that the games are not needed."""
        return name in SETS and (self.folders.results / FOLDER / SETS[name] / "unique-s").exists()


class SuiteStudy(NetStudy):
    """A study whose nets also meet the published players."""

    files = (OPENINGS_FILE, *LEAGUE_FILES)
    searching = True

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and let it play."""
        return strength(self.folders, unit, progress)
