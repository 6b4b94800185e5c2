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
from zeroply.studies.lin_white.curves import (
    SOME,
    Curves,
    Spread,
    about_scale,
    claim,
    draw_curves,
    ladder_columns,
    legend_below,
    logarithmic,
    scale_of,
    seeds_table,
)
from zeroply.studies.lin_white.fig8 import HUNDREDS, REPEATED_TITLE, Survival, repeat_rows, survival_columns
from zeroply.studies.lin_white.runs import (
    LONG,
    OWN,
    SAME,
    STRENGTH_GAMES,
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
from zeroply.studies.study import COLOURS, Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import Verdict, ahead, all_of, opposite

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

    packages = ()
    plans: ClassVar[tuple[Plan, ...]]
    """The settings."""
    text: ClassVar[str]
    """What is compared."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each setting and seed."""
        return plan_units(self.plans, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve; keep survival times and all ladders."""
        record = evolved(self.place, unit, progress)
        ladders = {strategy: ladder_measures(record, strategy) for strategy in STRATEGIES}
        return {"survival": survival_measures(record), "ladders": ladders, **self.also(record)}

    def also(self, record: RunRecord) -> Measures:
        """What else is measured of a run."""
        return {}

    def report(self, found: Found) -> Report:
        """The settings side by side: survival time, and who is beaten in the end."""
        settings = {plan: Setting(some) for plan, some in by_plan(found).items()}
        return Report(
            f"{self.text} {about_scale(found)}",
            [
                Table(
                    "survival",
                    "mean survival time in generations, by quarter of a run, and the highest at any observation",
                    list(_survival_rows(settings)),
                ),
                Table(
                    "ladders",
                    "how many parents beat each strategy in the last tenth of a run, by its ply-depth",
                    list(_ladder_rows(settings)),
                ),
                *self.tables(found),
                seeds_table(found, "survival times and ladders of each seed at every observation", _columns),
            ],
            self.claims(scale_of(found), settings),
            [
                *self.drawings(found),
                Drawing(
                    "settings",
                    "mean survival time, and nets that beat positional and pieces at ply-depth 2: a thin line for each "
                    "seed, thick the smoothed median",
                    lambda figure: _draw(figure, settings),
                ),
            ],
        )

    def tables(self, found: Found) -> list[Table]:
        """Tables of what else was measured."""
        return []

    def drawings(self, found: Found) -> list[Drawing]:
        """Figures of what else was measured."""
        return []

    @abstractmethod
    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """What is said of the settings."""


class Setting:
    """What the runs of one setting came to."""

    def __init__(self, found: Found) -> None:
        self.found = [measures for _, measures in found]
        self.survival = Survival.of([(unit, measures["survival"]) for unit, measures in found])
        self.ladders = {
            strategy: Curves.of([(unit, measures["ladders"][strategy]) for unit, measures in found])
            for strategy in STRATEGIES
        }

    @property
    def parents(self) -> int:
        """How many nets a run has."""
        return next(iter(self.ladders.values())).parents

    @property
    def wins(self) -> Spread:
        """Nets that beat positional and pieces at ply-depths 0, 2 and 4 in the end, summed, for each seed."""
        rungs = [
            self.ladders[strategy].end(depth).values for strategy in ("positional", "pieces") for depth in (0, 2, 4)
        ]
        return Spread(tuple(map(sum, zip(*rungs, strict=True))))

    @property
    def repeatability(self) -> Spread:
        """How far a tournament tells the last nets apart, for each seed."""
        return Spread(tuple(measures["repeated"]["repeatability"][-1] for measures in self.found), ".2f")

    @property
    def strength(self) -> Spread:
        """What the last nets score against greedy, for each seed."""
        return Spread(tuple(measures["strength"]["greedy"][-1] for measures in self.found), ".3f")


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
        yield {"setting": plan.name, **{k: str(v) for k, v in shares.items()}, "highest": str(one.survival.highest())}


QUARTERS = (0.25, 0.5, 0.75, 1.0)
"""The parts of a run that are averaged over."""


def _ladder_rows(settings: dict[Plan, Setting]) -> Iterator[dict[str, Any]]:
    for plan, one in settings.items():
        row: dict[str, Any] = {"setting": plan.name}
        for strategy, curves in one.ladders.items():
            row |= {f"{strategy} {depth}": str(curves.end(depth)) for depth in curves.depths}
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
        new, old = settings[OWN], settings[PREDECESSOR]
        unfair = settings[Plan("queen", "unfair")]
        return [
            claim(
                scale,
                10_000,
                "In the predecessor's setting survival time does not rise",
                f"{old.survival.rise} times from the first tenth of the run to the last, highest at any observation: "
                f"{old.survival.highest()}; with queen and fair {new.survival.rise} times, {new.survival.highest()}",
                all_of([old.survival.rise.median < 2, opposite(old.survival.converged)]),
            ),
            claim(
                scale,
                10_000,
                "A fair tournament is needed for convergence",
                f"highest survival time at any observation: queen and fair {new.survival.highest()}, queen and unfair "
                f"{unfair.survival.highest()}",
                all_of([new.survival.converged, opposite(unfair.survival.converged)])
                if True in (new.survival.converged, unfair.survival.converged)
                else None,
            ),
            claim(
                scale,
                10_000,
                "The queen layer with a fair tournament plays as well as the predecessor or better",
                "wins over positional and pieces at ply-depths 0, 2 and 4 in the end, summed: "
                f"{new.wins} against {old.wins}",
                _no_worse(new, old),
            ),
        ]


def _no_worse(new: Setting, old: Setting) -> Verdict:
    """Whether one setting ends no lower than another; None if hardly a net wins in either."""
    if max(new.wins.median, old.wins.median) < SOME * new.parents:
        return None
    return opposite(ahead(old.wins.values, new.wins.values))


ROWS = 5
"""Kept generations of each setting that tables show, or a few more."""


class LearningStudy(SettingsStudy):
    """Settings side by side, and whether nets learn in them."""

    def also(self, record: RunRecord) -> Measures:
        """How far tournaments tell nets apart, and how strong populations are."""
        return {"repeated": repeat_measures(record), "strength": strength_measures(record)}

    def tables(self, found: Found) -> list[Table]:
        """The same by setting and generation."""
        groups = by_plan(found)
        kept = found[0][1]["repeated"]["kept"]
        shown = kept[:: -max(1, len(kept) // ROWS)]  # the last among them
        strength = [
            {"setting": plan.name, "generation": generation}
            | {
                f"against {name}": str(Spread(tuple(measures["strength"][name][at] for _, measures in some), ".3f"))
                for name in YARDSTICKS
            }
            for plan, some in groups.items()
            for at, generation in enumerate(_strength_generations(some[0][1]))
            if generation == 0 or generation in shown
        ]
        repeated = [
            {"setting": plan.name, **row}
            for plan, some in groups.items()
            for row in repeat_rows([(unit, measures["repeated"]) for unit, measures in some])
            if row["generation"] in shown
        ]
        return [
            Table("strength", f"score of the parents in {STRENGTH_GAMES} games", strength),
            Table("repeatability", REPEATED_TITLE, repeated),
        ]

    def drawings(self, found: Found) -> list[Drawing]:
        """Strength by setting and generation."""
        caption = (
            f"score of the parents in {STRENGTH_GAMES} games from random openings: a thin line for each seed, thick "
            "the median"
        )
        return [Drawing("strength", caption, lambda figure: self._draw_strength(figure, found))]

    def _draw_strength(self, figure: Figure, found: Found) -> None:
        for panel, name in zip(figure.subplots(1, len(YARDSTICKS)), YARDSTICKS, strict=True):
            for (plan, some), colour in zip(by_plan(found).items(), COLOURS, strict=False):
                generations = np.array(_strength_generations(some[0][1]), np.float64)
                strength = [np.array(measures["strength"][name]) for _, measures in some]
                draw_curves(panel, generations, strength, colour, plan.name)
            panel.axhline(0.5, color="#999999", linewidth=0.8)
            panel.set_title(f"score against {name}")
            panel.set_xlabel("generation")
            panel.grid(color="#dddddd", linewidth=0.6)
        legend_below(figure, panel)


def _strength_generations(measures: Measures) -> list[int]:
    """When strength was measured; earlier results have no generation 0."""
    generations: list[int] = measures["strength"].get("generations", measures["repeated"]["kept"])
    return generations


class Readings(LearningStudy):
    """Other readings of the paper's method."""

    name = "W.readings"
    title = "what makes nets survive for hundreds of generations: other readings of the paper's method"
    source = "Lin and White 2009, Fig. 8 and sections II-A and II-B, asked further"
    plans = (OWN, SATURATED, COMMON, SAME, LASTING)
    text = (
        "queen-fair: the paper's method, with a random number for each equation of mutation. queen-tanh-fair: boards "
        "are equal where the output node's tanh is rounded to 1 in numbers of 64 bits, as in a program that compares "
        "what the node puts out; mutation steps grow in the mean, so weights do too, and sums get there. "
        "queen-common-fair: all mutation steps of a child are multiplied by one random number, so that nets can come "
        "to change little. queen-same-fair: a step is multiplied by the number that its weight moves by, as the "
        "paper's equations have one symbol for both, so that weights drift upwards. queen-lasting: the ten extra "
        "offspring of the first generation are met in all generations, so that a net wins the same points as long as "
        "it lives. W.fig8 has more seeds of queen-fair and queen-same-fair, which differ much from run to run."
    )

    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """Fig. 8 by each reading."""
        return [
            claim(
                scale,
                10_000,
                f"{plan.name}: survival time is below {LONG} until generation 4,000 and in the hundreds ({HUNDREDS}) "
                "at 10,000",
                f"at most {(early := one.survival.highest(4_000))} until 4,000, {one.survival.end} at the end; highest "
                f"at any observation: {one.survival.highest()}",
                early.median < LONG and one.survival.end.median >= HUNDREDS,
            )
            for plan, one in settings.items()
        ]


class Selection(LearningStudy):
    """What selection needs."""

    name = "W.selection"
    title = "what makes nets learn: more opponents, and mutation steps that stay small"
    source = "Lin and White 2009, sections II-B and II-C, asked further"
    plans = (OWN, COMMON, MORE, BOTH)
    text = (
        "W.fig8 shows why selection is nearly by lot: ten games hardly tell nets apart, and mutation steps grow, so "
        "that children are not like their parents. Here either is mended, and both: ten times as many opponents, a "
        "game with each (x10), and one random factor for all steps of a net, so that selection can keep them small "
        "(common). Strength is the score of all parents together from openings of eight random plies, which no net "
        "has met in evolution."
    )

    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """What is found, as claims of our own."""
        repeated = {plan: one.repeatability for plan, one in settings.items()}
        strength = {plan: one.strength for plan, one in settings.items()}
        return [
            claim(
                scale,
                1_000,
                "Tournaments with ten times as many opponents tell nets apart better",
                f"repeatability in the end: {_told(repeated)}",
                all_of([_best(repeated, MORE, [OWN]), _best(repeated, BOTH, [COMMON])]),
            ),
            claim(
                scale,
                1_000,
                "Nets become strongest with both",
                f"score against greedy in the end: {_told(strength)}",
                _best(strength, BOTH, [OWN, COMMON, MORE]),
            ),
        ]


class Beyond1(LearningStudy):
    """Other layers."""

    name = "W.beyond1"
    title = "other first layers: king moves, rows and columns, all lines"
    source = "Lin and White 2009, asked further: how the spatial layer shapes evolution"
    plans = (
        *(replace(BOTH, layer=layer) for layer in ("queen", "king", "rows", "lines")),
        replace(BOTH, layer="subsquares", bare=True),
    )
    text = (
        "Five first layers in the setting in which W.selection finds nets to learn: ten times the paper's opponents, "
        "and steps that change together. queen: what a queen attacks from each square; king: each square with its "
        "neighbours; rows: the 8 rows and 8 columns; lines: rows, columns and diagonals of three or more squares; "
        "subsquares: the predecessor's, but bare: without the disc difference, which would make nets that know nothing "
        "play like greedy. All have a node that sees the whole board."
    )

    def claims(self, scale: Scale, settings: dict[Plan, Setting]) -> list[Claim]:
        """The paper's conclusion."""
        strength = {plan: one.strength for plan, one in settings.items()}
        best_first = dict(sorted(strength.items(), key=lambda one: -one[1].median))
        return [
            claim(
                scale,
                1_000,
                "A layer that follows the rules of the game (queen moves) serves evolution best",
                f"score against greedy in the end: {_told(best_first)}",
                _best(strength, BOTH, [plan for plan in self.plans if plan != BOTH]),
            )
        ]


def _best(spreads: dict[Plan, Spread], one: Plan, others: Sequence[Plan]) -> Verdict:
    """Whether a setting is ahead of all others; None if one of them is missing."""
    if not {one, *others} <= spreads.keys():
        return None
    return all_of(ahead(spreads[one].values, spreads[other].values, len(others)) for other in others)


def _told(spreads: dict[Plan, Spread]) -> str:
    return ", ".join(f"{plan.name} {spread}" for plan, spread in spreads.items())


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
