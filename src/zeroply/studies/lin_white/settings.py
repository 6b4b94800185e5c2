"""W.chong, W.readings, W.selection and W.beyond1: settings of evolution side by side (Lin and White 2009, section III).

The predecessor of the paper's method (Chong et al. 2005) had all sub-squares of the board where the paper has queen
moves, fed the disc difference to the output node, and drew opponents and their number at random. W.chong takes these
apart: either layer with either tournament. W.readings looks for what may have made nets survive longer in the paper,
W.selection for what makes them learn. W.beyond1 asks the paper's question of other layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from zeroply.learning.coevolution.observers import STRATEGIES
from zeroply.runs import RunRecord
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.lin_white.curves import LINES, MOST, SOME, Course, Ladder, Panel, drawing, over_seeds
from zeroply.studies.lin_white.fig8 import HUNDREDS, REPEATED_TITLE, Survival, repeat_courses, survival_columns
from zeroply.studies.lin_white.run_study import RunStudy, claim, course_rows, ladder_columns, seeds_table
from zeroply.studies.lin_white.runs import (
    LONG,
    OWN,
    SAME,
    YARDSTICKS,
    LinWhiteSize,
    Variant,
    ladder_measures,
    repeat_measures,
    strength_measures,
    survival_measures,
)
from zeroply.studies.measured import Measured, difference
from zeroply.studies.report import Drawing, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Units

PREDECESSOR = Variant("subsquares", "unfair")
"""The setting of Chong et al."""
SATURATED = Variant(output="tanh")
"""With boards that are equal where the output is rounded."""
COMMON = Variant(factors="common")
"""With mutation steps that grow and shrink together."""
MORE, BOTH = Variant(times=10), Variant(factors="common", times=10)
"""With more opponents, and with both."""
LASTING = Variant(tournament="lasting")
"""With opponents that stay."""


class Setting:
    """The runs of one setting."""

    def __init__(self, runs: Sequence[Measures]) -> None:
        self.runs = runs
        self.survival = Survival.of([run["survival"] for run in runs], "survival")
        self.ladders = {one: Ladder.of([run["ladders"][one] for run in runs]) for one in STRATEGIES}
        self.parents = self.ladders[STRATEGIES[0]].parents

    @property
    def wins(self) -> Measured:
        """Nets that beat positional and pieces at ply-depths 0, 2 and 4 in the end, summed, for each seed."""
        rungs = [self.ladders[strategy][depth].end.runs for strategy in ("positional", "pieces") for depth in (0, 2, 4)]
        return over_seeds([sum(some) for some in zip(*rungs, strict=True)])

    def quarters(self) -> dict[str, Measured]:
        """Survival time by quarter of the run."""
        times, last = self.survival, self.survival.generations[-1]
        return {f"to {end:.0%}": times.between((end - 0.25) * last, end * last) for end in (0.25, 0.5, 0.75, 1.0)}

    def ends(self) -> dict[str, Measured]:
        """Nets that beat each rung in the end."""
        return {f"{name} {depth}": one.end for name, its in self.ladders.items() for depth, one in its.rungs.items()}

    def repeated(self) -> dict[str, Course]:
        """Measures of stored populations."""
        return repeat_courses([run["repeated"] for run in self.runs])

    def strength(self, against: str = "greedy") -> Course:
        """The score of all parents together."""
        return Course.of([run["strength"] for run in self.runs], against, 3)


def _columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """Survival times and ladders of a run by generation."""
    columns = survival_columns(measures["survival"])
    for strategy, ladder in measures["ladders"].items():
        columns |= ladder_columns(ladder, strategy)
    return columns


class SettingsStudy(RunStudy[Setting]):
    """Several settings side by side."""

    def measures(self, record: RunRecord, size: LinWhiteSize, progress: Progress) -> Measures:
        ladders = {strategy: ladder_measures(record, strategy) for strategy in STRATEGIES}
        return {"survival": survival_measures(record), "ladders": ladders}

    def setting(self, runs: Sequence[Measures]) -> Setting:
        return Setting(runs)

    def tables(self, settings: Mapping[str, Setting], units: Units) -> list[ResultTable]:
        survival = [
            {"setting": name, **one.quarters(), "highest": one.survival.highest()} for name, one in settings.items()
        ]
        ladders = [{"setting": name, **one.ends()} for name, one in settings.items()]
        times = "mean survival time in generations, by quarter of a run, and the highest at any observation"
        beaten = "how many parents beat each strategy in the last tenth of a run, by its ply-depth"
        return [
            ResultTable("survival", times, survival),
            ResultTable("ladders", beaten, ladders),
            seeds_table(units, "survival times and ladders of each seed at every observation", _columns),
        ]

    def drawings(self, settings: Mapping[str, Setting]) -> list[Drawing]:
        survival = {name: one.survival for name, one in settings.items()}
        panels = [Panel(survival, "mean survival time (generations)", log=True)]
        for strategy in ("positional", "pieces"):
            beaten = {name: one.ladders[strategy][2] for name, one in settings.items()}
            panels.append(Panel(beaten, f"beat {strategy} 2"))
        caption = f"mean survival time, and nets that beat positional and pieces at ply-depth 2: {LINES}"
        return [drawing("settings", caption, panels)]


class Chong(SettingsStudy):
    """The predecessor's setting taken apart."""

    name = "W.chong"
    title = "queen moves against sub-squares, fair against unfair tournaments"
    source = "Lin and White 2009, sections II (Results) and III, after Chong et al. 2005"
    variants = (OWN, Variant("queen", "unfair"), Variant("subsquares", "fair"), PREDECESSOR)
    text = (
        "Nets with the queen layer (4,710 weights) or with all sub-squares (5,900, and the disc difference added to "
        "the output node) coevolve in fair or in unfair tournaments. Reading of the unfair one: every net calls five "
        "games against any others, and all games it plays count, so their number is chance; points are discs, as in "
        "the fair one. All draw a random number for each equation of mutation, as queen-fair in W.fig8."
    )

    def all_claims(self, scale: Scale, settings: Mapping[str, Setting]) -> list[Claim]:
        new, old, unfair = settings[OWN.name], settings[PREDECESSOR.name], settings["queen-unfair"]
        judged = partial(claim, scale, "section III")
        rise, hundreds = "rise from the first tenth to the last", "share of seeds"
        converged = {"queen and fair": new.survival.converged, "queen and unfair": unfair.survival.converged}
        weak = max(new.wins.value, old.wins.value) < SOME * new.parents
        return [
            judged(
                "In the predecessor's setting survival time does not rise (twofold, or to hundreds in most seeds)",
                {rise: old.survival.rise, hundreds: old.survival.converged},
                {rise: below(2), hundreds: below(MOST)},
                note=f"with queen and fair {new.survival.rise} times",
            ),
            judged(
                "A fair tournament is needed for convergence",
                converged,
                {"queen and fair": above(MOST), "queen and unfair": below(MOST)},
                note="share of seeds that survive for hundreds of generations",
                unless="" if any(one.value for one in converged.values()) else "no setting converged",
            ),
            judged(
                "The queen layer with a fair tournament plays as well as the predecessor or better "
                f"(at most {SOME:.0%} fewer nets win)",
                difference(new.wins.runs, old.wins.runs),
                above(-SOME * new.parents),
                note="more wins over positional and pieces at ply-depths 0, 2 and 4 in the end",
                unless="hardly a net wins in either" if weak else "",
            ),
        ]


ROWS = 5
"""Stored generations of each setting that tables show, or a few more."""


class LearningStudy(SettingsStudy):
    """Settings side by side, and whether nets learn in them."""

    def measures(self, record: RunRecord, size: LinWhiteSize, progress: Progress) -> Measures:
        more = {"repeated": repeat_measures(record), "strength": strength_measures(record, size.strength_games)}
        return {**super().measures(record, size, progress), **more}

    def tables(self, settings: Mapping[str, Setting], units: Units) -> list[ResultTable]:
        def shown(generations: Sequence[int]) -> list[int]:
            stored = [one for one in generations if one > 0]
            return [one for one in generations if one in (0, *stored[:: -max(1, len(stored) // ROWS)])]

        scores = {name: {f"against {one}": its.strength(one) for one in YARDSTICKS} for name, its in settings.items()}
        repeated = {name: one.repeated() for name, one in settings.items()}
        *tables, seeds = super().tables(settings, units)
        return [
            *tables,
            ResultTable("strength", "score of the parents from random openings", course_rows(scores, shown)),
            ResultTable("repeatability", REPEATED_TITLE, course_rows(repeated, shown)),
            seeds,
        ]

    def drawings(self, settings: Mapping[str, Setting]) -> list[Drawing]:
        caption = "score of the parents from random openings: thin lines are seeds, thick the median"
        panels = [
            Panel({name: one.strength(player) for name, one in settings.items()}, f"score against {player}", line=0.5)
            for player in YARDSTICKS
        ]
        return [drawing("strength", caption, panels), *super().drawings(settings)]


class Readings(LearningStudy):
    """Other readings of the paper's method."""

    name = "W.readings"
    title = "what makes nets survive for hundreds of generations: other readings of the paper's method"
    source = "Lin and White 2009, Fig. 8 and sections II-A and II-B, extended"
    variants = (OWN, SATURATED, COMMON, SAME, LASTING)
    text = (
        "queen-fair: the paper's method, with a random number for each equation of mutation. queen-tanh-fair: boards "
        "are equal where the output node's tanh is rounded to 1 in double precision, as in a program that compares "
        "the node's output; mutation steps grow in the mean, so weights do too, and sums get there. "
        "queen-common-fair: all mutation steps of a child are multiplied by one random number, so that nets can come "
        "to change little. queen-same-fair: a step is multiplied by the number that its weight moves by, as the "
        "paper's equations have one symbol for both, so that weights drift upwards. queen-lasting: the ten extra "
        "offspring of the first generation are met in all generations, so that a net wins the same points as long as "
        "it lives. W.fig8 has more seeds of queen-fair and queen-same-fair, which differ much from run to run."
    )

    def claims(self, scale: Scale, setting: Setting) -> list[Claim]:
        early, end, times = "at most until 4,000", "at the end", setting.survival
        text = f"Survival time is below {LONG} until generation 4,000 and in the hundreds ({HUNDREDS}) at 10,000"
        ours, rules = {early: times.highest(4_000), end: times.last}, {early: below(LONG), end: above(HUNDREDS)}
        return [claim(scale, "figure 8", text, ours, rules, f"highest at any observation: {times.highest()}")]


class Selection(LearningStudy):
    """What selection needs."""

    name = "W.selection"
    title = "what makes nets learn: more opponents, and mutation steps that stay small"
    source = "Lin and White 2009, sections II-B and II-C, extended"
    variants = (OWN, COMMON, MORE, BOTH)
    text = (
        "W.fig8 shows why selection is almost random: ten games hardly distinguish nets, and mutation steps grow, so "
        "that children are not like their parents. Here either is corrected, and both: ten times as many opponents, a "
        "game with each (x10), and one random factor for all steps of a net, so that selection can keep them small "
        "(common). Strength is the score of all parents together from openings of eight random plies, which no net "
        "has met in evolution."
    )

    def all_claims(self, scale: Scale, settings: Mapping[str, Setting]) -> list[Claim]:
        repeated = {name: one.repeated()["repeatability"].last for name, one in settings.items()}
        more = _ahead(repeated, MORE, [OWN]) | _ahead(repeated, BOTH, [COMMON])
        text = "Tournaments with ten times as many opponents are more repeatable"
        judged = partial(claim, scale, "our experiment", rule=above(0), needs=1_000)
        return [
            judged(text, more, note="difference of repeatability in the end"),
            judged("Nets become strongest with both", _stronger(settings, [OWN, COMMON, MORE]), note=SCORE),
        ]


class LinWhiteBeyond1(LearningStudy):
    """Other layers."""

    name = "W.beyond1"
    title = "other first layers: king moves, rows and columns, all lines"
    source = "Lin and White 2009, extended: how the spatial layer shapes evolution"
    variants = (
        *(replace(BOTH, layer=layer) for layer in ("queen", "king", "rows", "lines")),
        replace(BOTH, layer="subsquares", bare=True),
    )
    text = (
        "Five first layers in the setting in which W.selection finds nets to learn: ten times the paper's opponents, "
        "and steps that change together. queen: what a queen attacks from each square; king: each square with its "
        "neighbours; rows: the 8 rows and 8 columns; lines: rows, columns and diagonals of three or more squares; "
        "subsquares: the predecessor's, but bare: without the disc difference, which would make untrained nets "
        "play like greedy. All have a node that sees the whole board."
    )

    def all_claims(self, scale: Scale, settings: Mapping[str, Setting]) -> list[Claim]:
        text = "A layer that follows the rules of the game (queen moves) serves evolution best"
        others = [variant for variant in self.variants if variant != BOTH]
        return [claim(scale, "section IV", text, _stronger(settings, others), above(0), note=SCORE, needs=1_000)]


SCORE = "difference of the score against greedy in the end"


def _stronger(settings: Mapping[str, Setting], others: Sequence[Variant]) -> dict[str, Measured]:
    """By how much nets with more opponents and common steps score more against greedy than others."""
    return _ahead({name: one.strength().last for name, one in settings.items()}, BOTH, others)


def _ahead(numbers: Mapping[str, Measured], variant: Variant, others: Sequence[Variant]) -> dict[str, Measured]:
    """By how much a setting is ahead of others, as far as they were measured."""
    pairs = [(variant.name, other.name) for other in others if {variant.name, other.name} <= numbers.keys()]
    return {
        f"{one} minus {other}": difference(numbers[one].runs, numbers[other].runs).rounded(3) for one, other in pairs
    }
