"""W.fig6 and W.fig7: the transition of a run, generation by generation (Lin and White 2009, Figs. 6 and 7).

The paper shows generations 4,500 to 5,600 of its run, where its nets suddenly improved. Every run has its own
transition, so the window surrounds the generation at which the nets of a run gain most; that part is evolved again,
exactly, from a population that the run stored.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zeroply.studies.claims import Claim, Rule
from zeroply.studies.lin_white.curves import (
    ABOUT_READINGS,
    about_scale,
    ladder_columns,
    legend_below,
    over_seeds,
    seeds_table,
    side_by_side,
    too_short,
)
from zeroply.studies.lin_white.runs import (
    LONG,
    READINGS,
    SIZES,
    Plan,
    Series,
    by_plan,
    evolved,
    plan_units,
    turn,
    zoomed,
)
from zeroply.studies.measured import Measured
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 0.2
"""A rise counts as one if it takes in at least this share of the nets."""


class ZoomStudy(Study):
    """Every generation around the transition, against one strategy."""

    strategy: ClassVar[str]
    """The strategy, which has White."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per reading of the paper and seed."""
        return plan_units(READINGS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, find the transition, and evolve it again under observation."""
        record = evolved(self.folders, unit, part_of(progress, 0, 0.6))
        window = zoomed(record, SIZES[unit.settings["scale"]].zoom, part_of(progress, 0.6, 1))
        return {**window, "turn": turn(record)}

    def findings(self, units: Units, scale: Scale) -> Report:
        """Counts against generation, and how fast they rise."""
        windows = {
            plan: [Window(unit.seed, measures) for unit, measures in some] for plan, some in by_plan(units).items()
        }
        first = next(iter(windows.values()))[0]
        return Report(
            f"As W.fig4, but all {first.parents} parents are observed in every generation of a window of "
            f"{first.length:,} around the transition of each run: where its nets gain most on the ladders of "
            "positional and pieces, which may not be where survival time begins to rise. A rise goes from the median "
            "of the window's first quarter to that of its last; its middle is where a step fits the counts "
            f"best. An empty cell: no rise by {LEAST:.0%} of the nets. {ABOUT_READINGS} {about_scale(units, scale)}",
            [
                ResultTable(
                    "rises",
                    f"when nets first survived {LONG} generations on average, and the middle of each rise on the "
                    "ladders",
                    [{"setting": plan.name, **row} for plan, its in windows.items() for row in rows(its)],
                ),
                seeds_table(units, f"how many parents beat {self.strategy} in each generation", self._columns),
            ],
            side_by_side({plan.name: self.claims(scale, its) for plan, its in windows.items()}),
            [
                Drawing(
                    "zoom",
                    f"number of nets that beat {self.strategy} around the transition, means over 10 generations",
                    lambda figure: _draw(figure, windows, self.strategy),
                )
            ],
        )

    def _columns(self, measures: Measures) -> dict[str, Sequence[Any]]:
        generations = range(measures["first"], measures["last"] + 1)
        return ladder_columns({"generations": generations, "beaten": measures["beaten"][self.strategy]})

    @abstractmethod
    def claims(self, scale: Scale, windows: Sequence[Window]) -> list[Claim]:
        """The paper's claims about this strategy."""


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


def rows(windows: Sequence[Window]) -> list[dict[str, Any]]:
    """One row per seed."""
    table = []
    for window in windows:
        row: dict[str, Any] = {"seed": window.seed, "first": window.first, "last": window.last}
        row[f"survival {LONG}"] = "" if window.turn is None else window.turn
        for strategy, curves in window.beaten.items():
            for depth in curves:
                rise = window.rise(strategy, depth)
                row[f"{strategy} {depth}"] = "" if rise is None else rise.middle
        table.append(row)
    return table


def delays(windows: Sequence[Window], one: tuple[str, int], other: tuple[str, int]) -> list[float]:
    """By how many generations one rise follows another, for the seeds that have both."""
    pairs = [(window.rise(*one), window.rise(*other)) for window in windows]
    return [float(b.middle - a.middle) for a, b in pairs if a is not None and b is not None]


def _claim(
    scale: Scale, text: str, values: Sequence[float], windows: Sequence[Window], low: float, high: float
) -> Claim:
    """A claim about a number of generations, which counts if more than half of the seeds have one."""
    few = "" if 2 * len(values) > len(windows) else f"only {len(values)} of {len(windows)} seeds have such a rise"
    ours: Measured | dict[str, Measured] = over_seeds(values) if values else {}
    place, note = "section II (Results)", f"generations, in {len(values)} of {len(windows)} seeds"
    return Claim(place, text, ours, Rule(low, high), note=note).open(too_short(scale, 1_000) or few)


class Fig6(ZoomStudy):
    """The positional strategy."""

    name = "W.fig6"
    title = "the transition generation by generation, against the positional strategy"
    source = "Lin and White 2009, Fig. 6 and section II (Results)"
    strategy = "positional"

    def claims(self, scale: Scale, windows: Sequence[Window]) -> list[Claim]:
        """Ply-depth 2 first, ply-depth 4 soon after."""
        rises = [window.rise("positional", 2) for window in windows]
        lengths = [float(rise.length) for rise in rises if rise is not None and rise.length is not None]
        later = delays(windows, ("positional", 2), ("positional", 4))
        return [
            _claim(scale, "The change at ply-depth 2 takes about 40 generations (10 to 100)", lengths, windows, 9, 101),
            _claim(
                scale,
                "Ply-depth 4 follows ply-depth 2 within about 10 generations (0 to 30)",
                later,
                windows,
                -1,
                31,
            ),
        ]


class Fig7(ZoomStudy):
    """The piece differential."""

    name = "W.fig7"
    title = "the transition generation by generation, against the piece-differential strategy"
    source = "Lin and White 2009, Fig. 7 and section II (Results)"
    strategy = "pieces"

    def claims(self, scale: Scale, windows: Sequence[Window]) -> list[Claim]:
        """Later than against positional, and all ply-depths at once."""
        follows = delays(windows, ("positional", 2), ("pieces", 2))
        at_once = delays(windows, ("pieces", 2), ("pieces", 6))
        return [
            _claim(
                scale,
                "It follows the improvement against positional by 15 to 20 generations (5 to 40)",
                follows,
                windows,
                4,
                41,
            ),
            _claim(
                scale,
                "Ply-depth 6 is beaten as soon as ply-depth 2 (10 generations before to 15 after)",
                at_once,
                windows,
                -11,
                16,
            ),
        ]


def _draw(figure: Figure, windows: Mapping[Plan, Sequence[Window]], strategy: str) -> None:
    panels = figure.subplots(len(windows), len(next(iter(windows.values()))), sharey=True, squeeze=False)
    for row, (plan, its) in zip(panels, windows.items(), strict=True):
        _draw_row(row, its, strategy)
        row[0].set_ylabel(plan.name)
    for panel in panels[-1]:
        panel.set_xlabel("generation")
    parents = next(iter(windows.values()))[0].parents
    panels[0][0].set_ylim(-0.02 * parents, 1.02 * parents)  # shared by all
    figure.supylabel("nets that win with Black", fontsize="medium")
    legend_below(figure, panels[0][0])


def _draw_row(panels: Sequence[Axes], windows: Sequence[Window], strategy: str) -> None:
    for panel, window in zip(panels, windows, strict=True):
        depths = [depth for depth in window.beaten[strategy] if depth > 0] or list(window.beaten[strategy])
        for depth, colour in zip(depths, COLOURS, strict=False):
            smooth = window.smooth(strategy, depth)
            panel.plot(
                window.first + np.arange(len(smooth)), smooth, color=colour, linewidth=1, label=f"ply-depth {depth}"
            )
        panel.set_title(f"seed {window.seed}", fontsize="medium")
        panel.grid(color="#dddddd", linewidth=0.6)
        panel.tick_params(axis="x", labelrotation=30)
