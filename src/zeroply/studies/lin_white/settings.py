"""W.chong, W.readings, W.selection and W.beyond1: settings of evolution side by side (Lin and White 2009, section III).

The predecessor of the paper's method (Chong et al. 2005) had all sub-squares of the board where the paper has queen
moves, fed the disc difference to the output node, and drew opponents and their number at random. W.chong takes these
apart: either layer with either tournament. W.readings looks for what may have made nets survive longer in the paper,
W.selection for what makes them learn. W.beyond1 asks the paper's question of other layers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zeroply.learning.coevolution.observers import STRATEGIES
from zeroply.runs import RunRecord
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.lin_white.curves import (
    MOST,
    SOME,
    Curves,
    about_scale,
    draw_curves,
    ladder_columns,
    legend_below,
    logarithmic,
    over_seeds,
    seeds_table,
    too_short,
)
from zeroply.studies.lin_white.fig8 import HUNDREDS, REPEATED_TITLE, Survival, repeat_rows, survival_columns
from zeroply.studies.lin_white.runs import (
    LONG,
    OWN,
    SAME,
    SIZES,
    YARDSTICKS,
    Plan,
    by_plan,
    evolved,
    ladder_measures,
    plan_units,
    repeat_measures,
    strength_measures,
    survival_measures,
)
from zeroply.studies.measured import Measured, difference
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PREDECESSOR = Plan("subsquares", "unfair")
"""The setting of Chong et al."""
SATURATED = Plan(output="tanh")
"""With boards that are equal where the output is rounded."""
COMMON = Plan(factors="common")
"""With mutation steps that grow and shrink together."""
MORE, BOTH = Plan(times=10), Plan(factors="common", times=10)
"""With more opponents, and with both."""
LASTING = Plan(tournament="lasting")
"""With opponents that stay."""


class SettingsStudy(Study):
    """Several settings side by side."""

    plans: ClassVar[tuple[Plan, ...]]
    """The settings."""
    text: ClassVar[str]
    """What is compared."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per setting and seed."""
        return plan_units(self.plans, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve; measure survival times and all ladders."""
        record = evolved(self.folders, unit, progress)
        ladders = {strategy: ladder_measures(record, strategy) for strategy in STRATEGIES}
        return {
            "survival": survival_measures(record),
            "ladders": ladders,
            **self.more_measures(record, unit.settings["scale"]),
        }

    def more_measures(self, record: RunRecord, scale: Scale) -> Measures:
        """Further measures of a run."""
        return {}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The settings side by side: survival time, and the strategies that are beaten in the end."""
        settings = {plan: Setting(some) for plan, some in by_plan(units).items()}
        return Report(
            f"{self.text} {about_scale(units, scale)}",
            [
                ResultTable(
                    "survival",
                    "mean survival time in generations, by quarter of a run, and the highest at any observation",
                    list(_survival_rows(settings)),
                ),
                ResultTable(
                    "ladders",
                    "how many parents beat each strategy in the last tenth of a run, by its ply-depth",
                    list(_ladder_rows(settings)),
                ),
                *self.tables(units),
                seeds_table(units, "survival times and ladders of each seed at every observation", _columns),
            ],
            self.claims(scale, settings),
            [
                *self.drawings(units),
                Drawing(
                    "settings",
                    "mean survival time, and nets that beat positional and pieces at ply-depth 2: thin lines are "
                    "seeds, thick the smoothed median",
                    lambda figure: _draw(figure, settings),
                ),
            ],
        )

    def tables(self, units: Units) -> list[ResultTable]:
        """Tables of further measures."""
        return []

    def drawings(self, units: Units) -> list[Drawing]:
        """Figures of further measures."""
        return []

    @abstractmethod
    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """Claims about the settings."""


class Setting:
    """The runs of one setting."""

    def __init__(self, units: Units) -> None:
        self.runs = [measures for _, measures in units]
        self.survival = Survival.of([(unit, measures["survival"]) for unit, measures in units])
        self.ladders = {
            strategy: Curves.of([(unit, measures["ladders"][strategy]) for unit, measures in units])
            for strategy in STRATEGIES
        }

    @property
    def parents(self) -> int:
        """How many nets a run has."""
        return next(iter(self.ladders.values())).parents

    @property
    def wins(self) -> Measured:
        """Nets that beat positional and pieces at ply-depths 0, 2 and 4 in the end, summed, for each seed."""
        rungs = [self.ladders[strategy].end(depth).runs for strategy in ("positional", "pieces") for depth in (0, 2, 4)]
        return over_seeds([sum(some) for some in zip(*rungs, strict=True)])

    @property
    def repeatability(self) -> Measured:
        """The repeatability of the last tournament, for each seed."""
        return over_seeds([measures["repeated"]["repeatability"][-1] for measures in self.runs], 2)

    @property
    def strength(self) -> Measured:
        """The score of the last nets against greedy, for each seed."""
        return over_seeds([measures["strength"]["greedy"][-1] for measures in self.runs], 3)


def _columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """Survival times and ladders of a run by generation."""
    columns = survival_columns(measures["survival"])
    for strategy, ladder in measures["ladders"].items():
        columns |= ladder_columns(ladder, strategy)
    return columns


def _survival_rows(settings: dict[Plan, Setting]) -> Iterator[dict[str, Any]]:
    for plan, one in settings.items():
        last = one.survival.generations[-1]
        shares = {f"to {share:.0%}": one.survival.between((share - 0.25) * last, share * last) for share in QUARTERS}
        yield {"setting": plan.name, **shares, "highest": one.survival.highest()}


QUARTERS = (0.25, 0.5, 0.75, 1.0)
"""The parts of a run that are averaged over."""


def _ladder_rows(settings: dict[Plan, Setting]) -> Iterator[dict[str, Any]]:
    for plan, one in settings.items():
        row: dict[str, Any] = {"setting": plan.name}
        for strategy, curves in one.ladders.items():
            row |= {f"{strategy} {depth}": curves.end(depth) for depth in curves.depths}
        yield row


class Chong(SettingsStudy):
    """The predecessor's setting taken apart."""

    name = "W.chong"
    title = "queen moves against sub-squares, fair against unfair tournaments"
    source = "Lin and White 2009, sections II (Results) and III, after Chong et al. 2005"
    plans = (OWN, Plan("queen", "unfair"), Plan("subsquares", "fair"), PREDECESSOR)
    text = (
        "Nets with the queen layer (4,710 weights) or with all sub-squares (5,900, and the disc difference added to "
        "the output node) coevolve in fair or in unfair tournaments. Reading of the unfair one: every net calls five "
        "games against any others, and all games it plays count, so their number is chance; points are discs, as in "
        "the fair one. All draw a random number for each equation of mutation, as queen-fair in W.fig8."
    )

    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """Survival, noise, and strength."""
        new, old, unfair = settings[OWN], settings[PREDECESSOR], settings[Plan("queen", "unfair")]
        short, rise, hundreds = too_short(scale, 10_000), "rise from the first tenth to the last", "share of seeds"
        converged = {"queen and fair": new.survival.converged, "queen and unfair": unfair.survival.converged}
        none = "" if any(one.value for one in converged.values()) else "no setting converged"
        weak = "" if max(new.wins.value, old.wins.value) >= SOME * new.parents else "hardly a net wins in either"
        return [
            Claim(
                "section III",
                "In the predecessor's setting survival time does not rise (twofold, or to hundreds in most seeds)",
                {rise: old.survival.rise, hundreds: old.survival.converged},
                {rise: below(2), hundreds: below(MOST)},
                note=f"with queen and fair {new.survival.rise} times",
            ).open(short),
            Claim(
                "section III",
                "A fair tournament is needed for convergence",
                converged,
                {"queen and fair": above(MOST), "queen and unfair": below(MOST)},
                note="share of seeds that survive for hundreds of generations",
            ).open(short or none),
            Claim(
                "section III",
                "The queen layer with a fair tournament plays as well as the predecessor or better "
                f"(at most {SOME:.0%} fewer nets win)",
                difference(new.wins.runs, old.wins.runs),
                above(-SOME * new.parents),
                note="more wins over positional and pieces at ply-depths 0, 2 and 4 in the end",
            ).open(short or weak),
        ]


ROWS = 5
"""Kept generations of each setting that tables show, or a few more."""


class LearningStudy(SettingsStudy):
    """Settings side by side, and whether nets learn in them."""

    def more_measures(self, record: RunRecord, scale: Scale) -> Measures:
        """Repeatability of tournaments, and strength of populations."""
        return {
            "repeated": repeat_measures(record),
            "strength": strength_measures(record, SIZES[scale].strength_games),
        }

    def tables(self, units: Units) -> list[ResultTable]:
        """The same by setting and generation."""
        groups = by_plan(units)
        kept = units[0][1]["repeated"]["kept"]
        shown = [0, *kept[:: -max(1, len(kept) // ROWS)]]  # the last among them
        strength = [
            {"setting": plan.name, "generation": generation}
            | {
                f"against {name}": over_seeds([measures["strength"][name][at] for _, measures in some], 3)
                for name in YARDSTICKS
            }
            for plan, some in groups.items()
            for at, generation in enumerate(some[0][1]["strength"]["generations"])
            if generation in shown
        ]
        repeated = [
            {"setting": plan.name, **row}
            for plan, some in groups.items()
            for row in repeat_rows([(unit, measures["repeated"]) for unit, measures in some])
            if row["generation"] in shown
        ]
        return [
            ResultTable("strength", "score of the parents from random openings", strength),
            ResultTable("repeatability", REPEATED_TITLE, repeated),
        ]

    def drawings(self, units: Units) -> list[Drawing]:
        """Strength by setting and generation."""
        caption = "score of the parents from random openings: thin lines are seeds, thick the median"
        return [Drawing("strength", caption, lambda figure: self._draw_strength(figure, units))]

    def _draw_strength(self, figure: Figure, units: Units) -> None:
        for panel, name in zip(figure.subplots(1, len(YARDSTICKS)), YARDSTICKS, strict=True):
            for (plan, some), colour in zip(by_plan(units).items(), COLOURS, strict=False):
                generations = np.array(some[0][1]["strength"]["generations"], np.float64)
                strength = [np.array(measures["strength"][name]) for _, measures in some]
                draw_curves(panel, generations, strength, colour, plan.name)
            panel.axhline(0.5, color="#999999", linewidth=0.8)
            panel.set_title(f"score against {name}")
            panel.set_xlabel("generation")
            panel.grid(color="#dddddd", linewidth=0.6)
        legend_below(figure, panel)


class Readings(LearningStudy):
    """Other readings of the paper's method."""

    name = "W.readings"
    title = "what makes nets survive for hundreds of generations: other readings of the paper's method"
    source = "Lin and White 2009, Fig. 8 and sections II-A and II-B, extended"
    plans = (OWN, SATURATED, COMMON, SAME, LASTING)
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

    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """Fig. 8 by each reading."""
        early, end = "at most until 4,000", "at the end"
        return [
            Claim(
                "figure 8",
                f"Survival time is below {LONG} until generation 4,000 and in the hundreds ({HUNDREDS}) at 10,000",
                {early: one.survival.highest(4_000), end: one.survival.end},
                {early: below(LONG), end: above(HUNDREDS)},
                note=f"highest at any observation: {one.survival.highest()}",
            )
            .open(too_short(scale, 10_000))
            .named(plan.name)
            for plan, one in settings.items()
        ]


class Selection(LearningStudy):
    """What selection needs."""

    name = "W.selection"
    title = "what makes nets learn: more opponents, and mutation steps that stay small"
    source = "Lin and White 2009, sections II-B and II-C, extended"
    plans = (OWN, COMMON, MORE, BOTH)
    text = (
        "W.fig8 shows why selection is almost random: ten games hardly distinguish nets, and mutation steps grow, so "
        "that children are not like their parents. Here either is corrected, and both: ten times as many opponents, a "
        "game with each (x10), and one random factor for all steps of a net, so that selection can keep them small "
        "(common). Strength is the score of all parents together from openings of eight random plies, which no net "
        "has met in evolution."
    )

    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """Our own findings, as claims."""
        repeated = {plan: one.repeatability for plan, one in settings.items()}
        strength = {plan: one.strength for plan, one in settings.items()}
        return [
            Claim(
                "our experiment",
                "Tournaments with ten times as many opponents are more repeatable",
                _ahead(repeated, MORE, [OWN]) | _ahead(repeated, BOTH, [COMMON]),
                above(0),
                note="difference of repeatability in the end",
            ).open(too_short(scale, 1_000)),
            Claim(
                "our experiment",
                "Nets become strongest with both",
                _ahead(strength, BOTH, [OWN, COMMON, MORE]),
                above(0),
                note="difference of the score against greedy in the end",
            ).open(too_short(scale, 1_000)),
        ]


class Beyond1(LearningStudy):
    """Other layers."""

    name = "W.beyond1"
    title = "other first layers: king moves, rows and columns, all lines"
    source = "Lin and White 2009, extended: how the spatial layer shapes evolution"
    plans = (
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

    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """The paper's conclusion."""
        strength = {plan: one.strength for plan, one in settings.items()}
        return [
            Claim(
                "section IV",
                "A layer that follows the rules of the game (queen moves) serves evolution best",
                _ahead(strength, BOTH, [plan for plan in self.plans if plan != BOTH]),
                above(0),
                note="difference of the score against greedy in the end",
            ).open(too_short(scale, 1_000))
        ]


def _ahead(numbers: dict[Plan, Measured], one: Plan, others: Sequence[Plan]) -> dict[str, Measured]:
    """By how much a setting is ahead of others, as far as they were measured."""
    return {
        f"{one.name} minus {other.name}": difference(numbers[one].runs, numbers[other].runs).rounded(3)
        for other in others
        if one in numbers and other in numbers
    }


def _draw(figure: Figure, settings: dict[Plan, Setting]) -> None:
    survival, positional, pieces = figure.subplots(1, 3)
    for (plan, one), colour in zip(settings.items(), COLOURS, strict=False):
        draw_curves(survival, one.survival.generations, one.survival.times, colour, plan.name)
        for panel, strategy in ((positional, "positional"), (pieces, "pieces")):
            curves = one.ladders[strategy]
            draw_curves(panel, curves.generations, curves.beaten[2], colour)
    logarithmic(survival)
    survival.set_title("mean survival time (generations)")
    for panel, title in ((positional, "beat positional 2"), (pieces, "beat pieces 2")):
        panel.set_title(title)
    for panel in (survival, positional, pieces):
        panel.set_xlabel("generation")
        panel.grid(color="#dddddd", linewidth=0.6)
    legend_below(figure, survival)
