"""What the L studies need: torch, the games their nets learn from, and for matches published players and openings."""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.studies.liskowski.nets import FOLDER, SOME_GAMES
from zeroply.studies.liskowski.strength import OPENINGS, SUITE
from zeroply.studies.study import Scale, Study

WHOLE, PART = "wthor", f"wthor/{SOME_GAMES}"
SETS = {WHOLE: "sets", PART: "sets-part"}
"""The folders of the sets of examples made from the games."""
LEAGUE_FILES = tuple(f"league/{file}" for file in SUITE.values())
OPENINGS_FILE = f"openings/{OPENINGS}"


class NetStudy(Study):
    """A study of nets that learn from the games of WTHOR."""

    packages = ("torch", "scipy")

    def needs(self, scale: Scale) -> Sequence[str]:
        """The games: all, or those of one year."""
        if scale == "smoke":
            return ()
        units = self.units(scale, 1)
        return sorted({PART if unit.settings.get("part") and scale == "cpu" else WHOLE for unit in units})

    def made_before(self, name: str) -> bool:
        """Whether the sets of examples are there."""
        return name in SETS and (self.folders.results / FOLDER / SETS[name] / "unique-s").exists()


class MatchStudy(NetStudy):
    """A study whose nets play from the published openings."""

    def needs(self, scale: Scale) -> Sequence[str]:
        """The openings too."""
        return [*super().needs(scale), OPENINGS_FILE] if scale != "smoke" else ()


class SuiteStudy(MatchStudy):
    """A study whose nets meet the published players."""

    def needs(self, scale: Scale) -> Sequence[str]:
        """The players too."""
        return [*super().needs(scale), *LEAGUE_FILES] if scale != "smoke" else ()
