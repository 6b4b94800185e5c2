"""W.fig6 and W.fig7: the transition of a run, generation by generation (Lin and White 2009, Figs. 6 and 7).

The paper shows generations 4,500 to 5,600 of its run, where its nets suddenly improved. Every run has its own
transition, so the window surrounds the generation at which the nets of a run gain most; that part is evolved again,
exactly, from a population that the run stored.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zeroply.runs import RunRecord
from zeroply.studies.claims import Claim, Rule
from zeroply.studies.lin_white.curves import legend_below, over_seeds
from zeroply.studies.lin_white.run_study import RunStudy, claim, ladder_columns, seeds_table
from zeroply.studies.lin_white.runs import LONG, LinWhiteSize, Series, turn, zoomed
from zeroply.studies.measured import Measured
from zeroply.studies.report import COLOURS, Drawing, Figure, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Units

LEAST = 0.2
"""A rise counts as one if it takes in at least this share of the nets."""
Statements = Mapping[str, tuple[list[float], float, float]]
"""Statements, each with our numbers of generations and the limits between which they have to lie."""


@dataclass(frozen=True)
class Rise:
    """When nets of a run came to beat a rung."""

    begin: int | None
    """The last generation up to the middle that ends ten with a mean of a tenth of the way or less; None if none is."""
    middle: int
    """The first generation after the step that fits the counts best."""
    end: int | None
    """The first generation from the middle on that begins ten with a mean of nine tenths or more; None if none is."""

    @property
    def length(self) -> int | None:
        """Generations from begin to end."""
        return None if self.begin is None or self.end is None else self.end - self.begin


class Window:
    """The generations that were looked at one by one, of one seed."""

    def __init__(self, seed: int, measures: Measures) -> None:
        self.seed = seed
        self.first, self.last = int(measures["first"]), int(measures["last"])
        self.parents = int(measures["parents"])
        self.turn: int | None = measures["turn"]
        self.beaten: dict[str, dict[int, Series]] = {
            strategy: {int(depth): np.array(curve, float) for depth, curve in curves.items()}
            for strategy, curves in measures["beaten"].items()
        }

    @property
    def length(self) -> int:
        """Number of generations."""
        return self.last - self.first + 1

    def rise(self, strategy: str, depth: int) -> Rise | None:
        """The rise of the number of nets that beat a rung; None if there is none."""
        curve = self.beaten[strategy].get(depth)
        if curve is None:
            return None
        quarter = max(1, len(curve) // 4)
        before, after = np.median(curve[:quarter]), np.median(curve[-quarter:])
        if after - before < LEAST * self.parents:
            return None
        middle = _step(curve)
        smooth, way = self.smooth(strategy, depth), after - before
        width = len(curve) - len(smooth) + 1
        low = np.flatnonzero(smooth[: max(0, middle - width + 2)] <= before + 0.1 * way) + width - 1
        high = np.flatnonzero(smooth[middle:] >= before + 0.9 * way) + middle
        begin = self.first + int(low[-1]) if len(low) else None
        end = self.first + int(high[0]) if len(high) else None
        return Rise(begin, self.first + middle, end)

    def row(self) -> dict[str, Any]:
        """The middle of each rise, for a table; empty where there is none."""
        rises = {f"{one} {depth}": self.rise(one, depth) for one, rungs in self.beaten.items() for depth in rungs}
        return {
            "seed": self.seed,
            "first": self.first,
            "last": self.last,
            f"survival {LONG}": "" if self.turn is None else self.turn,
            **{name: "" if rise is None else rise.middle for name, rise in rises.items()},
        }

    def smooth(self, strategy: str, depth: int) -> Series:
        """The mean over each generation and the nine that follow it."""
        curve = self.beaten[strategy][depth]
        width = min(10, len(curve))
        return np.convolve(curve, np.ones(width) / width, mode="valid")


def _step(curve: Series) -> int:
    """Where the step begins that fits a curve best: one mean before, a higher one from there on (least squares)."""
    n = len(curve)
    before = np.cumsum(curve)[:-1] / np.arange(1, n)
    after = np.cumsum(curve[::-1])[-2::-1] / np.arange(n - 1, 0, -1)
    weight = np.arange(1, n) * np.arange(n - 1, 0, -1)
    return 1 + int(np.argmax(np.maximum(after - before, 0) ** 2 * weight))


def delays(windows: Sequence[Window], one: tuple[str, int], other: tuple[str, int]) -> list[float]:
    """By how many generations one rise follows another, for the seeds that have both."""
    pairs = [(window.rise(*one), window.rise(*other)) for window in windows]
    return [float(b.middle - a.middle) for a, b in pairs if a is not None and b is not None]


class ZoomStudy(RunStudy[Sequence[Window]]):
    """Every generation around the transition, against one strategy."""

    strategy: ClassVar[str]
    """The strategy, which has White."""

    def measures(self, record: RunRecord, size: LinWhiteSize, progress: Progress) -> Measures:
        return {**zoomed(record, size.zoom, progress), "turn": turn(record)}

    def setting(self, runs: Sequence[Measures]) -> Sequence[Window]:
        return [Window(seed, run) for seed, run in enumerate(runs, 1)]

    def about(self, setting: Sequence[Window]) -> str:
        return (
            f"As W.fig4, but all {setting[0].parents} parents are observed in every generation of a window of "
            f"{setting[0].length:,} around the transition of each run: where its nets gain most on the ladders of "
            "positional and pieces, which may not be where survival time begins to rise. A rise goes from the median "
            "of the window's first quarter to that of its last; its middle is where a step fits the counts "
            f"best. An empty cell: no rise by {LEAST:.0%} of the nets."
        )

    def tables(self, settings: Mapping[str, Sequence[Window]], units: Units) -> list[ResultTable]:
        caption = f"when nets first survived {LONG} generations on average, and the middle of each rise on the ladders"
        rises = [{"setting": name, **window.row()} for name, windows in settings.items() for window in windows]
        beaten = f"how many parents beat {self.strategy} in each generation"
        return [ResultTable("rises", caption, rises), seeds_table(units, beaten, self._columns)]

    def _columns(self, measures: Measures) -> dict[str, Sequence[Any]]:
        generations = range(measures["first"], measures["last"] + 1)
        return ladder_columns({"generations": generations, "beaten": measures["beaten"][self.strategy]})

    def claims(self, scale: Scale, setting: Sequence[Window]) -> list[Claim]:
        claims = []
        for text, (values, low, high) in self.statements(setting).items():
            seeds = f"{len(values)} of {len(setting)} seeds"
            few = "" if 2 * len(values) > len(setting) else f"only {seeds} have such a rise"
            ours = over_seeds(values) if values else dict[str, Measured]()
            rule, note = Rule(low, high), f"generations, in {seeds}"
            claims.append(claim(scale, "section II (Results)", text, ours, rule, note, needs=1_000, unless=few))
        return claims

    @abstractmethod
    def statements(self, windows: Sequence[Window]) -> Statements:
        """The paper's statements about this strategy: numbers of generations and their limits."""

    def drawings(self, settings: Mapping[str, Sequence[Window]]) -> list[Drawing]:
        caption = f"number of nets that beat {self.strategy} around the transition, means over 10 generations"
        return [Drawing("zoom", caption, lambda figure: _draw(figure, settings, self.strategy))]


class LinWhiteFig6(ZoomStudy):
    """The positional strategy: ply-depth 2 first, ply-depth 4 soon after."""

    name = "W.fig6"
    title = "the transition generation by generation, against the positional strategy"
    source = "Lin and White 2009, Fig. 6 and section II (Results)"
    strategy = "positional"

    def statements(self, windows: Sequence[Window]) -> Statements:
        rises = [window.rise("positional", 2) for window in windows]
        lengths = [float(rise.length) for rise in rises if rise is not None and rise.length is not None]
        later = delays(windows, ("positional", 2), ("positional", 4))
        return {
            "The change at ply-depth 2 takes about 40 generations (10 to 100)": (lengths, 9, 101),
            "Ply-depth 4 follows ply-depth 2 within about 10 generations (0 to 30)": (later, -1, 31),
        }


class LinWhiteFig7(ZoomStudy):
    """The piece differential: later than positional, and all ply-depths at once."""

    name = "W.fig7"
    title = "the transition generation by generation, against the piece-differential strategy"
    source = "Lin and White 2009, Fig. 7 and section II (Results)"
    strategy = "pieces"

    def statements(self, windows: Sequence[Window]) -> Statements:
        later, at_once = "15 to 20 generations (5 to 40)", "(10 generations before to 15 after)"
        follows = delays(windows, ("positional", 2), ("pieces", 2))
        deeper = delays(windows, ("pieces", 2), ("pieces", 6))
        return {
            f"It follows the improvement against positional by {later}": (follows, 4, 41),
            f"Ply-depth 6 is beaten as soon as ply-depth 2 {at_once}": (deeper, -11, 16),
        }


def _draw(figure: Figure, settings: Mapping[str, Sequence[Window]], strategy: str) -> None:
    some = next(iter(settings.values()))
    panels = figure.subplots(len(settings), len(some), sharey=True, squeeze=False)
    for row, (name, windows) in zip(panels, settings.items(), strict=True):
        for panel, window in zip(row, windows, strict=True):
            depths = [depth for depth in window.beaten[strategy] if depth > 0] or list(window.beaten[strategy])
            for depth, colour in zip(depths, COLOURS, strict=False):
                smooth = window.smooth(strategy, depth)
                generations = window.first + np.arange(len(smooth))
                panel.plot(generations, smooth, color=colour, linewidth=1, label=f"ply-depth {depth}")
            panel.set_title(f"seed {window.seed}", fontsize="medium")
            panel.grid(color="#dddddd", linewidth=0.6)
            panel.tick_params(axis="x", labelrotation=30)
        row[0].set_ylabel(name)
    for panel in panels[-1]:
        panel.set_xlabel("generation")
    panels[0][0].set_ylim(-0.02 * some[0].parents, 1.02 * some[0].parents)  # shared by all
    figure.supylabel("nets that win with Black", fontsize="medium")
    legend_below(figure, panels[0][0])
