"""Courses of runs over generations, and figures of them.

Nets of one run are relatives, so every number is a mean over runs, with the interval that the seeds give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from zeroply.studies.lin_white.runs import Series
from zeroply.studies.measured import Measured, mean, share
from zeroply.studies.report import COLOURS, Axes, Drawing, Figure
from zeroply.studies.study import Measures

END = 0.1
"""The share of a run that counts as its end."""
MOST, ALL = 0.5, 0.9
"""The shares of nets that are called a majority, and essentially all."""
SOME = 0.1
"""The share of nets below which nothing was learned."""
STRETCH = 250
"""Generations over which an ability is averaged to find its loss or return."""
LINES = "thin lines are seeds, thick the smoothed median"


def over_seeds(values: Sequence[float], digits: int = 1) -> Measured:
    """The mean of one number per seed."""
    return mean(values, digits, paired=True)


def share_of_seeds(outcomes: Sequence[bool | None]) -> Measured:
    """The share of seeds for which something is true, without the seeds that cannot tell."""
    known = [one for one in outcomes if one is not None]
    return share(sum(known), len(known))


@dataclass(frozen=True)
class Course:
    """A number by generation, for several seeds."""

    generations: Series
    """[k]: when it was observed."""
    seeds: NDArray[np.float64]
    """[seeds, k]: its values."""
    digits: int = 1
    """Digits after the point when it is printed."""

    @classmethod
    def of(cls, runs: Sequence[Measures], name: str, digits: int = 1, when: str = "generations") -> Self:
        """The course of one measure of several runs."""
        return cls(np.array(runs[0][when], float), np.array([run[name] for run in runs], float), digits)

    def each(self, value: Callable[[Series], float]) -> Measured:
        """The mean over the seeds of a number that is computed from the values of each."""
        return over_seeds([float(value(one)) for one in self.seeds], self.digits)

    def at(self, generation: float) -> Measured:
        """At the first observation from a generation on, or at the last one."""
        at = min(int(np.searchsorted(self.generations, generation)), len(self.generations) - 1)
        return self.each(lambda one: one[at])

    def between(self, first: float, last: float) -> Measured:
        """The mean from one generation to another."""
        some = (self.generations >= first) & (self.generations <= last)
        some[-1] |= not some.any()
        return self.each(lambda one: one[some].mean())

    @property
    def last(self) -> Measured:
        """At the last observation."""
        return self.each(lambda one: one[-1])

    @property
    def end(self) -> Measured:
        """The mean over the last tenth of the run."""
        return self.between((1 - END) * self.generations[-1], self.generations[-1])

    def highest(self, last: float = math.inf) -> Measured:
        """The highest value up to a generation."""
        return self.each(lambda one: one[self.generations <= last].max(initial=0.0))

    def worst(self, first: float, last: float) -> Measured:
        """The mean over the worst `STRETCH` generations from one to another."""
        return self.each(lambda one: self._stretches(one, first, last).min())

    def best(self, first: float, last: float) -> Measured:
        """The mean over the best `STRETCH` generations from one to another."""
        return self.each(lambda one: self._stretches(one, first, last).max())

    def _stretches(self, one: Series, first: float, last: float) -> Series:
        """Means over all stretches between two generations; the last value alone if there is none."""
        some = one[(self.generations >= first) & (self.generations <= last)]
        width = min(max(1, round(STRETCH / (self.generations[-1] / len(self.generations)))), len(some))
        return np.convolve(some, np.ones(width) / width, mode="valid") if width else one[-1:]

    def first(self, reached: NDArray[np.bool_]) -> list[int | None]:
        """For each seed the first generation at which something is reached; None if it never is."""
        return [int(self.generations[np.argmax(one)]) if one.any() else None for one in reached]


@dataclass(frozen=True)
class Ladder:
    """Numbers of parents that beat a strategy."""

    parents: int
    """How many parents there are."""
    rungs: Mapping[int, Course]
    """By ply-depth how many of them beat it."""

    @classmethod
    def of(cls, runs: Sequence[Measures]) -> Ladder:
        """The ladder of all runs of one setting."""
        curves = [{"generations": run["generations"], **run["beaten"]} for run in runs]
        return cls(int(runs[0]["parents"]), {int(depth): Course.of(curves, depth) for depth in runs[0]["beaten"]})

    def __getitem__(self, depth: int) -> Course:
        """The course of a rung: 0 if it was not observed."""
        some = next(iter(self.rungs.values()))
        return self.rungs.get(depth) or Course(some.generations, np.zeros_like(some.seeds))

    def majority(self, depth: int) -> NDArray[np.bool_]:
        """[seeds, k]: whether more than half of the nets beat a ply-depth."""
        return self[depth].seeds > MOST * self.parents


def when(generations: Sequence[int | None]) -> str:
    """Generations in words, one per seed; `never` for None, and only once if all are."""
    words = ["never" if one is None else f"{one:,}" for one in generations]
    return "never" if {*words} == {"never"} else ", ".join(words)


# Figures


@dataclass(frozen=True)
class Panel:
    """One panel of a figure: courses against generation."""

    courses: Mapping[str, Course]
    """The courses by label."""
    title: str = ""
    """What it shows."""
    log: bool = False
    """Whether the vertical axis is logarithmic."""
    line: float = math.nan
    """Where a horizontal dotted line is drawn; NaN for none."""


def drawing(
    name: str, caption: str, panels: Sequence[Panel], label: str = "", top: float = 0, sharey: bool = False
) -> Drawing:
    """A figure of panels that share their labels, and an axis from 0 to `top` if it is given."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots(1, len(panels), sharey=sharey or top > 0, squeeze=False)[0]
        for axis, panel in zip(axes, panels, strict=True):
            for (setting, course), colour in zip(panel.courses.items(), COLOURS, strict=False):
                _draw_course(axis, course, colour, setting)
            if panel.log:
                _logarithmic(axis)
            if not math.isnan(panel.line):
                axis.axhline(panel.line, color="#888888", linewidth=0.8, linestyle=":")
            if top:
                axis.set_ylim(-0.02 * top, 1.02 * top)
            axis.set_title(panel.title)
            axis.set_xlabel("generation")
            axis.grid(color="#dddddd", linewidth=0.6)
        axes[0].set_ylabel(label)
        legend_below(figure, axes[0])

    return Drawing(name, caption, draw)


def ladder_drawing(name: str, strategy: str, ladders: Mapping[str, Ladder], depths: Iterable[int]) -> Drawing:
    """The paper's kind of figure: a panel per ply-depth, the number of nets that beat it against generation."""
    panels = [Panel({name: one[depth] for name, one in ladders.items()}, f"ply-depth {depth}") for depth in depths]
    top, caption = next(iter(ladders.values())).parents, f"number of nets that beat {strategy}: {LINES}"
    return drawing(name, caption, panels, "nets that win with Black", top)


def _draw_course(panel: Axes, course: Course, colour: str, label: str) -> None:
    """A thin line per seed, and their median, smoothed over a twentieth of the run."""
    for one in course.seeds:
        panel.plot(course.generations, one, color=colour, linewidth=0.6, alpha=0.35)
    ones = np.ones(max(1, len(course.generations) // 20))
    sums, counts = (
        np.convolve(one, ones, mode="same") for one in (np.median(course.seeds, axis=0), np.ones_like(course.seeds[0]))
    )
    panel.plot(course.generations, sums / counts, color=colour, linewidth=1.8, label=label)


def legend_below(figure: Figure, panel: Axes) -> None:
    """A legend below all panels, which show the same curves."""
    figure.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")


def _logarithmic(panel: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers also where it spans less than a decade."""
    from matplotlib.ticker import LogFormatter

    panel.set_yscale("log")
    panel.yaxis.set_major_formatter(LogFormatter())
    panel.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))
