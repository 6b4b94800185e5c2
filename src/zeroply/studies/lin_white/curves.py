"""What the W studies share: curves of several seeds, texts for their reports, and figures like the paper's.

Nets of one run are relatives, so every number is a mean over runs, with the interval that the seeds give; a CSV file
holds every number of each seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.claims import Claim
from zeroply.studies.lin_white.runs import OWN, SAME, SIZES, Plan, Series, by_plan
from zeroply.studies.measured import Measured, mean, share
from zeroply.studies.report import COLOURS, ResultTable
from zeroply.studies.study import Measures, Scale, Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

END = 0.1
"""The share of a run that counts as its end."""
MOST, ALL = 0.5, 0.9
"""The shares of nets that are called a majority, and essentially all."""
STRETCH = 250
"""Generations over which an ability is averaged when its loss or return is looked for."""
ABOUT_READINGS = (
    "Readings: the paper's two equations of mutation share one symbol for a random number, which is drawn again for "
    f"every weight. {OWN.name} draws a number for each equation; {SAME.name} takes one for both, so that a weight that "
    "moves up gets a larger step."
)
"""How the plans of the paper's figures differ."""
SOME, ABLE = 0.1, 0.2
"""The shares of nets below which nothing was learned, and that must have been able before an ability can be lost."""


def too_short(scale: Scale, needed: int) -> str:
    """Why runs of this scale cannot decide a claim about so many generations; empty if they can."""
    generations = SIZES[scale].generations
    return f"the runs end at generation {generations:,}" if generations < needed else ""


def side_by_side(claims: Mapping[str, Sequence[Claim]]) -> list[Claim]:
    """The same claims about several things, each with its name."""
    named = [[claim.named(name) for claim in some] for name, some in claims.items()]
    return [claim for some in zip(*named, strict=True) for claim in some]


def share_of_seeds(outcomes: Sequence[bool | None]) -> Measured:
    """The share of seeds for which something is true, of those that can tell."""
    known = [one for one in outcomes if one is not None]
    return share(sum(known), len(known))


def over_seeds(values: Sequence[float], digits: int = 1) -> Measured:
    """The mean of one number per seed."""
    return mean(values, digits, paired=True)


@dataclass(frozen=True)
class Curves:
    """Numbers of nets that beat a strategy, for several seeds at the same generations."""

    generations: Series
    """[k]: when they were counted."""
    beaten: Mapping[int, tuple[Series, ...]]
    """By ply-depth, for each seed [k]."""
    parents: int
    """How many nets there are."""

    @classmethod
    def of(cls, units: Units) -> Curves:
        """The curves of all seeds of one plan."""
        first = units[0][1]
        return cls(
            np.array(first["generations"], float),
            {int(d): tuple(np.array(m["beaten"][d], float) for _, m in units) for d in first["beaten"]},
            int(first["parents"]),
        )

    @property
    def seeds(self) -> int:
        """How many runs there are."""
        return len(next(iter(self.beaten.values())))

    @property
    def depths(self) -> list[int]:
        """The ply-depths."""
        return list(self.beaten)

    def at(self, depth: int, generation: int) -> Measured:
        """How many beat a ply-depth at the first count from a generation on."""
        at = min(int(np.searchsorted(self.generations, generation)), len(self.generations) - 1)
        return self._each(depth, lambda curve: float(curve[at]))

    def between(self, depth: int, first: float, last: float) -> Measured:
        """How many beat a ply-depth on average from one generation to another."""
        some = (self.generations >= first) & (self.generations <= last)
        some[-1] |= not some.any()
        return self._each(depth, lambda curve: float(curve[some].mean()))

    def end(self, depth: int) -> Measured:
        """How many beat a ply-depth on average in the last tenth of the run."""
        return self.between(depth, (1 - END) * self.generations[-1], self.generations[-1])

    def lowest(self, depth: int, first: float, last: float) -> Measured:
        """How many beat a ply-depth on average over the worst `STRETCH` generations from one to another."""
        return self._each(depth, lambda curve: float(self._stretches(curve, first, last).min()))

    def highest(self, depth: int, first: float, last: float) -> Measured:
        """How many beat a ply-depth on average over the best `STRETCH` generations from one to another."""
        return self._each(depth, lambda curve: float(self._stretches(curve, first, last).max()))

    def _stretches(self, curve: Series, first: float, last: float) -> Series:
        """Means over all stretches between two generations; the last count alone if there is none."""
        some = curve[(self.generations >= first) & (self.generations <= last)]
        apart = self.generations[-1] / len(self.generations)
        width = min(max(1, round(STRETCH / apart)), len(some))
        return np.convolve(some, np.ones(width) / width, mode="valid") if width else curve[-1:]

    def most(self, depth: int, before: float = math.inf) -> Measured:
        """The largest number that ever beat a ply-depth, up to a generation."""
        early = self.generations < before
        return self._each(depth, lambda curve: float(curve[early].max(initial=0.0)))

    def never_able(self, depth: int, before: float) -> str:
        """Why a loss of ability cannot be decided, if hardly a net was able before; empty if it can."""
        able = self.most(depth, before).value >= ABLE * self.parents
        return "" if able else f"at most {self.most(depth, before)} nets were able before"

    def first_majority(self, depth: int) -> list[int | None]:
        """For each seed the first count at which more than half beat a ply-depth, None if none."""
        rows = [np.flatnonzero(curve > MOST * self.parents) for curve in self.beaten[depth]]
        return [int(self.generations[one[0]]) if len(one) else None for one in rows]

    def _each(self, depth: int, value: Callable[[Series], float]) -> Measured:
        if depth not in self.beaten:
            return over_seeds((0.0,) * self.seeds)
        return over_seeds([value(curve) for curve in self.beaten[depth]])


def when(generations: Sequence[int | None]) -> str:
    """Generations in words, one per seed; `never` for None, and only once if all are."""
    words = ["never" if one is None else f"{one:,}" for one in generations]
    return "never" if {*words} == {"never"} else ", ".join(words)


def rows_of(curves: Curves, count: int = 10) -> list[dict[str, Any]]:
    """A table of about so many generations: at each ply-depth the mean over the seeds."""
    step = max(1, len(curves.generations) // count)
    generations = [int(curves.generations[at]) for at in range(step - 1, len(curves.generations), step)]
    return [
        {"generation": one, **{f"ply-depth {depth}": curves.at(depth, one) for depth in curves.depths}}
        for one in generations
    ]


def seeds_table(
    units: Units, caption: str, columns: Callable[[Measures], Mapping[str, Sequence[Any]]], name: str = "seeds"
) -> ResultTable:
    """Every number of every seed, for a file: `columns` makes lists of the same length from the measures of a run."""
    rows = []
    for plan, some in by_plan(units).items():
        for unit, measures in some:
            lists, run = columns(measures), {"setting": plan.name, "seed": unit.seed}
            rows += [run | dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return ResultTable(name, caption, rows, printed=False)


def ladder_columns(measures: Measures, name: str = "ply-depth") -> dict[str, Sequence[Any]]:
    """The counts of a ladder by generation, for `seeds_table`; `name` stands before each ply-depth."""
    counts = {f"{name} {depth}": curve for depth, curve in measures["beaten"].items()}
    return {"generation": measures["generations"], **counts}


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


def draw_curves(panel: Axes, x: Series, curves: Sequence[Series], colour: str, label: str = "") -> None:
    """A thin line per seed, and their median, smoothed over a twentieth of the run."""
    for curve in curves:
        panel.plot(x, curve, color=colour, linewidth=0.6, alpha=0.35)
    median = np.median(np.stack(list(curves)), axis=0)
    panel.plot(x, running_mean(median, len(x) // 20), color=colour, linewidth=1.8, label=label)


def running_mean(curve: Series, width: int) -> Series:
    """The mean over this many values around each place, fewer at the ends."""
    ones = np.ones(max(1, width))
    return np.convolve(curve, ones, mode="same") / np.convolve(np.ones(len(curve)), ones, mode="same")


def legend_below(figure: Figure, panel: Axes) -> None:
    """A legend below all panels, which show the same curves."""
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")


def logarithmic(panel: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers also where it spans less than a decade."""
    from matplotlib.ticker import LogFormatter

    panel.set_yscale("log")
    panel.yaxis.set_major_formatter(LogFormatter())
    panel.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))


def draw_ladder(figure: Figure, curves: Mapping[Plan, Curves], depths: Sequence[int]) -> None:
    """The paper's kind of figure: a panel per ply-depth, the number of nets that beat it against generation."""
    panels = figure.subplots(1, len(depths), sharey=True, squeeze=False)[0]
    parents = next(iter(curves.values())).parents
    for panel, depth in zip(panels, depths, strict=True):
        for (plan, its), colour in zip(curves.items(), COLOURS, strict=False):
            draw_curves(panel, its.generations, its.beaten[depth], colour, plan.name)
        panel.set_title(f"ply-depth {depth}")
        panel.set_xlabel("generation")
        panel.set_ylim(-0.02 * parents, 1.02 * parents)
        panel.grid(color="#dddddd", linewidth=0.6)
    panels[0].set_ylabel("nets that win with Black")
    legend_below(figure, panels[0])
