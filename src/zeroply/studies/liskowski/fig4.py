"""L.fig4: accuracy against winning rate, for all nets (section VI-B, Fig. 4).

The paper fits straight lines, against the 13 published players and against Edax-1, and gives slopes and r². Its points
are also in its Tables II, VII and VIII, so the same fit is made to them. The engine at depth 1 takes the place of
the paper's Edax-1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.claims import Claim, Rule, above, below
from zeroply.studies.liskowski import table2, table3, table5, table6, table7, table8
from zeroply.studies.liskowski.nets import Plan, accuracy_on, plan_of, trained
from zeroply.studies.liskowski.reporting import PAR, about_scale, accuracy_measures, gather, left_out, unit_columns
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import SEARCH, match_text
from zeroply.studies.measured import Measured, correlation
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER = {"suite": (1.7, 0.997), SEARCH: (3.4, 0.999)}
"""Slope in points of winning rate for a point of accuracy, and r²; the second against Edax-1."""
COMMON = "common"
"""Accuracy on test examples that are the same for all nets."""
SMALLER = Plan("Conv4", "conv4")
STRONG = 0.9
"""A dependency is very strong if r² is above this."""
NEAR = 0.25
"""Share of the printed slope by which ours may differ to be about equal."""

Points = Sequence[tuple[float, float]]
"""Accuracies and winning rates."""


@dataclass(frozen=True)
class Line:
    """A straight line through points."""

    slope: Measured
    """Points of winning rate per point of accuracy."""
    start: float
    """Winning rate at accuracy 0."""
    r: Measured
    """Correlation; its square is the share of the variance that the line explains."""

    @property
    def numbers(self) -> dict[str, Any]:
        """Columns of a table."""
        return {"slope": self.slope, "r²": round(self.r.value**2, 3)}


def fit(x: Sequence[float], y: Sequence[float]) -> Line:
    """Least squares; a flat line of unknown error if x or y does not vary."""
    xs, ys = np.asarray(x, float), np.asarray(y, float)
    around, total = float(((xs - xs.mean()) ** 2).sum()), float(((ys - ys.mean()) ** 2).sum())
    if not around or not total:
        return Line(Measured(0.0), float(ys.mean()), Measured(0.0))
    slope = float(((xs - xs.mean()) * (ys - ys.mean())).sum()) / around
    start = float(ys.mean() - slope * xs.mean())
    left, n = float(((ys - start - slope * xs) ** 2).sum()), len(xs)
    error = (left / (n - 2) / around) ** 0.5 if n > 2 else math.nan
    r = math.copysign(math.sqrt(min(max(0.0, 1 - left / total), 1 - 1e-12)), slope)
    return Line(Measured(slope, error, n - 2, n), start, correlation(r, n, 3))


class Fig4(SuiteStudy):
    """Accuracy and strength."""

    name = "L.fig4"
    title = "move prediction accuracy against winning rate, with slopes and r²"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Fig. 4 and section VI-B"

    def plans(self, scale: Scale) -> Sequence[Plan]:
        """All nets of the other studies; at lower scales the nets of Tables V and VII and a smaller one."""
        some = [SMALLER, *table5.PLANS, *table7.PLANS]
        if scale == "paper":
            some += [*table2.plans(scale, ("position",)), *table3.plans(("position",)), *table6.PLANS]
        return list({(plan.net, plan.dataset, plan.split, plan.bag): plan for plan in some}.values())

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net, let it play, and measure its accuracy on test examples that are the same for all."""
        played = super().measure(unit, part_of(progress, 0, 0.9))
        net = trained(self.folders, unit, lambda *_: None)
        summary = accuracy_on(self.folders, unit, net, "unique-s", part_of(progress, 0.9, 1))
        return {**played, **accuracy_measures(summary, COMMON)}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The points, the lines through them, and those of the paper's tables."""
        rows = [
            {
                **unit_columns(unit, "net", "encoding", "set"),
                "accuracy": round(measures[COMMON], 2),
                **{name: round(measures[name], 2) for name in PAPER},
            }
            for unit, measures in units
        ]
        means = {name: gather(units, plan_of, name) for name in (COMMON, *PAPER)}

        def points_of(name: str, bags: bool = True) -> Points:
            return [(x.value, means[name][plan].value) for plan, x in means[COMMON].items() if bags or not plan.bag]

        points = {name: points_of(name) for name in PAPER}
        ours, theirs = _fits(points), _fits({name: paper_points(name) for name in PAPER})
        alone = _fits({name: points_of(name, bags=False) for name in PAPER})
        rates = {plan.label: rate for plan, rate in means["suite"].items()}
        bag = f"The bag's higher accuracy does not make it win more than Conv8+BN, by {PAR} points"
        won, note = rates[table5.BAG] - rates[table5.BN], "points against the 13 players"
        lines = "straight lines: winning rate in percent over accuracy in percent"
        caption = "winning rate over accuracy, ours (left) and of the paper's tables (right)"
        return Report(
            f"{match_text(self.folders, scale)} Each net is a point, the mean over its seeds. All are measured on the "
            "same test examples of Unique-S, split by position; a net that learned from another set may know some of "
            f"them. {about_scale(scale)} {left_out(scale, self.plans(scale))}",
            [
                ResultTable("lines", lines, _lines(ours, alone, theirs)),
                ResultTable("nets", "accuracy and winning rates of every net in percent", rows),
            ],
            [*_line_claims(ours, theirs), Claim("section VI-B", bag, won, below(PAR), note=note)],
            [Drawing("lines", caption, lambda figure: _draw(figure, points, ours, theirs))],
        )


def paper_points(name: str) -> Points:
    """Accuracy and winning rate of the paper's nets, from its tables; against Edax-1 only Table VII has any."""
    points = [(row[0], row[1 if name == "suite" else 3]) for row in table7.PAPER.values()]
    if name == "suite":
        for net, accuracies in table2.PAPER.items():
            points += zip(accuracies, table8.PAPER[net], strict=True)
    return points


def _fits(points: Mapping[str, Points]) -> dict[str, Line]:
    return {name: fit(*zip(*some, strict=True)) for name, some in points.items()}


def _lines(ours: dict[str, Line], alone: dict[str, Line], theirs: dict[str, Line]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name, (slope, r2) in PAPER.items():
        against, other = ("13 published players",) * 2 if name == "suite" else (name, "Edax-1")
        tables = f"from the paper's tables ({len(paper_points(name))} nets)"
        rows += [
            {"against": against, "what": "ours", **ours[name].numbers},
            {"against": against, "what": "ours without the bag", **alone[name].numbers},
            {"against": other, "what": tables, **theirs[name].numbers},
            {"against": other, "what": "printed in the paper", "slope": slope, "r²": r2},
        ]
    return rows


def _line_claims(ours: dict[str, Line], theirs: dict[str, Line]) -> list[Claim]:
    claims = []
    for name, (slope, r2) in PAPER.items():
        words = "the 13 players" if name == "suite" else "the engine at depth 1 (paper: Edax-1)"
        strong = f"Winning rate against {words} depends linearly, very strongly, on accuracy (r² above {STRONG})"
        steep = f"A point of accuracy brings {slope} points against {words} (within {NEAR:.0%})"
        r, r_note = round(math.sqrt(r2), 4), f"r; from the paper's own tables {theirs[name].r}"
        about = Rule((1 - NEAR) * slope, (1 + NEAR) * slope)
        slope_note = f"slope; from the paper's own tables {theirs[name].slope}"
        claims += [
            Claim("figure 4", strong, ours[name].r, above(math.sqrt(STRONG)), r, note=r_note),
            Claim("figure 4", steep, ours[name].slope, about, slope, note=slope_note),
        ]
    return claims


def _draw(figure: Figure, points: Mapping[str, Points], ours: dict[str, Line], theirs: dict[str, Line]) -> None:
    left, right = figure.subplots(1, 2, sharey=True)
    for name, colour, mark, other in (("suite", COLOURS[1], "o", "suite"), (SEARCH, COLOURS[0], "^", "Edax-1")):
        _panel(left, points[name], ours[name], name, colour, mark)
        _panel(right, paper_points(name), theirs[name], other, colour, mark)
    left.set_ylabel("winning rate (%)")
    for panel, title in ((left, "ours"), (right, "the paper's tables")):
        panel.set_title(title)
        panel.set_xlabel("accuracy (%)")
        panel.legend(loc="best", fontsize="small")
        panel.grid(color="#dddddd", linewidth=0.6)


def _panel(panel: Axes, points: Points, line: Line, name: str, colour: str, mark: str) -> None:
    x, y = np.array(points).T
    label = f"{name}: slope {line.slope.value:.2f}, r² {line.r.value**2:.3f}"
    panel.plot(x, y, mark, color=colour, markersize=5, label=label)
    ends = np.array([x.min(), x.max()])
    panel.plot(ends, line.start + line.slope.value * ends, "-", color=colour, linewidth=1)
