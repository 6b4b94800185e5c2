"""W.fig6 and W.fig7: the transition of a run, generation by generation (Lin and White 2009, Figs. 6 and 7).

The paper looks at generations 4,500 to 5,600 of its run, where its nets suddenly improved. Every run has a transition
of its own, so the window is laid around the generation at which the nets of a run gain most; that part is evolved
again, exactly, from a population the run kept.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zeroply.studies.study import (
    COLOURS,
    Claim,
    Drawing,
    Found,
    Measures,
    Progress,
    Report,
    Scale,
    Study,
    Table,
    Unit,
    part_of,
)
from zeroply.studies.verdicts import Verdict
from zeroply.studies.w_figures import ABOUT_READINGS, Spread, about_scale, claim, legend_below, scale_of, side_by_side
from zeroply.studies.w_runs import LONG, READINGS, SIZES, Plan, Series, by_plan, evolved, plan_units, turn, zoomed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 0.2
"""A rise counts as one if it takes in at least this share of the nets."""


class ZoomStudy(Study):
    """Every generation around the transition, against one strategy."""

    packages = ()
    strategy: ClassVar[str]
    """Who has White."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each reading of the paper and seed."""
        return plan_units(READINGS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, find the transition, and evolve it again under observation."""
        record = evolved(self.place, unit, part_of(progress, 0, 0.6))
        found = zoomed(record, SIZES[unit.settings["scale"]].zoom, part_of(progress, 0.6, 1))
        return {**found, "turn": turn(record)}

    def report(self, found: Found) -> Report:
        """Counts against generation, and how fast they rise."""
        windows = {
            plan: [Window(unit.seed, measures) for unit, measures in some] for plan, some in by_plan(found).items()
        }
        first = next(iter(windows.values()))[0]
        return Report(
            f"As W.fig4, but all {first.parents} parents are observed in every generation of a window of "
            f"{first.length:,} around the transition of each run: where its nets gain most on the ladders of "
            "positional and pieces, which need not be where survival time begins to rise. A rise is the way from the "
            "median of the window's first quarter to that of its last; it is half done when a mean over 10 generations "
            f"has come half the way. A dash: no rise by {LEAST:.0%} of the nets. {ABOUT_READINGS} {about_scale(found)}",
            [
                Table(
                    "rises",
                    f"when nets first survived {LONG} generations on average, and when each rise on the ladders was "
                    "half done",
                    [{"setting": plan.name, **row} for plan, its in windows.items() for row in rows(its)],
                )
            ],
            side_by_side({plan.name: self.claims(scale_of(found), its) for plan, its in windows.items()}),
            [
                Drawing(
                    "zoom",
                    f"number of nets that beat {self.strategy} around the transition, means over 10 generations",
                    lambda figure: _draw(figure, windows, self.strategy),
                )
            ],
        )

    @abstractmethod
    def claims(self, scale: Scale, windows: Sequence[Window]) -> list[Claim]:
        """What the paper says of this strategy."""


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

    def half_way(self, strategy: str, depth: int, share: float = 0.5, since: int = 0) -> int | None:
        """The first generation, from `since` on, at which a rise has come so far; None if there is no rise."""
        curve = self.beaten[strategy].get(depth)
        if curve is None:
            return None
        quarter = max(1, len(curve) // 4)
        before, after = np.median(curve[:quarter]), np.median(curve[-quarter:])
        if after - before < LEAST * self.parents:
            return None
        there = self.first + np.flatnonzero(self.smooth(strategy, depth) >= before + share * (after - before))
        later = there[there >= since]
        return int(later[0]) if len(later) else None

    def smooth(self, strategy: str, depth: int) -> Series:
        """The mean over each generation and the nine that follow it."""
        curve = self.beaten[strategy][depth]
        width = min(10, len(curve))
        return np.convolve(curve, np.ones(width) / width, mode="valid")


def rows(windows: Sequence[Window]) -> list[dict[str, Any]]:
    """One row for each seed."""
    found = []
    for window in windows:
        row: dict[str, Any] = {"seed": window.seed, "window": f"{window.first} to {window.last}"}
        row[f"survival {LONG}"] = "-" if window.turn is None else window.turn
        for strategy, curves in window.beaten.items():
            for depth in curves:
                at = window.half_way(strategy, depth)
                row[f"{strategy} {depth}"] = "-" if at is None else at
        found.append(row)
    return found


def delays(windows: Sequence[Window], one: tuple[str, int], other: tuple[str, int]) -> list[float]:
    """By how many generations one rise follows another, for the seeds that have both."""
    pairs = [(window.half_way(*one), window.half_way(*other)) for window in windows]
    return [float(b - a) for a, b in pairs if a is not None and b is not None]


def _delay_claim(
    scale: Scale,
    windows: Sequence[Window],
    text: str,
    one: tuple[str, int],
    other: tuple[str, int],
    low: float,
    high: float,
) -> Claim:
    found = delays(windows, one, other)
    if not found:
        return claim(scale, 1_000, text, "no seed has both rises", None)
    spread = Spread(tuple(found), "+.0f")
    ours = f"{spread} generations later, in {len(found)} of {len(windows)} seeds"
    return claim(scale, 1_000, text, ours, _if_most(found, windows, low <= spread.median <= high))


def _if_most(found: Sequence[float], windows: Sequence[Window], holds: bool) -> Verdict:
    """What is found, if more than half of the seeds have it."""
    return holds if 2 * len(found) > len(windows) else None


class Fig6(ZoomStudy):
    """The positional strategy."""

    name = "W.fig6"
    title = "the transition generation by generation, against the positional strategy"
    source = "Lin and White 2009, Fig. 6 and section II (Results)"
    strategy = "positional"

    def claims(self, scale: Scale, windows: Sequence[Window]) -> list[Claim]:
        """Ply-depth 2 first, ply-depth 4 soon after."""
        took = [
            float(end - begin)
            for window in windows
            if (begin := window.half_way("positional", 2, 0.1)) is not None
            and (end := window.half_way("positional", 2, 0.9, since=begin)) is not None
        ]
        spread = Spread(tuple(took)) if took else None
        ours = (
            f"{spread} generations from a tenth to nine tenths of the rise, in {len(took)} of {len(windows)} seeds"
            if spread
            else "no seed has this rise"
        )
        return [
            claim(
                scale,
                1_000,
                "The change at ply-depth 2 takes about 40 generations (10 to 100)",
                ours,
                _if_most(took, windows, 10 <= spread.median <= 100) if spread else None,
            ),
            _delay_claim(
                scale,
                windows,
                "Ply-depth 4 follows ply-depth 2 within about 10 generations",
                ("positional", 2),
                ("positional", 4),
                0,
                30,
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
        return [
            _delay_claim(
                scale,
                windows,
                "It follows the improvement against positional by 15 to 20 generations",
                ("positional", 2),
                ("pieces", 2),
                5,
                40,
            ),
            _delay_claim(
                scale,
                windows,
                "Ply-depth 6 is beaten as soon as ply-depth 2",
                ("pieces", 2),
                ("pieces", 6),
                -10,
                15,
            ),
        ]


def _draw(figure: Figure, windows: Mapping[Plan, Sequence[Window]], strategy: str) -> None:
    panels = figure.subplots(len(windows), max(map(len, windows.values())), sharey=True, squeeze=False)
    for row, (plan, its) in zip(panels, windows.items(), strict=True):
        _draw_row(row, its, strategy)
        row[0].set_ylabel(plan.name)
    for panel in panels[-1]:
        panel.set_xlabel("generation")
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
