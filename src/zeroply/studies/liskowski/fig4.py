"""L.fig4: accuracy against winning rate, for all nets (Liskowski et al. 2018, section VI-B, Fig. 4).

The paper fits straight lines, against the 13 published players and against Edax-1, and gives slopes and r². Its points
can be taken from its own Tables II, VII and VIII, so the same fit is made of those too. The engine at depth 1 stands
where the paper has Edax-1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.claims import Claim, Rule, above, below
from zeroply.studies.liskowski import table2, table8
from zeroply.studies.liskowski.nets import (
    SIZES,
    Plan,
    accuracy,
    encoding_of,
    examples,
    load_net,
    plan_of,
    plan_units,
    trained,
)
from zeroply.studies.liskowski.reporting import PAR, about_scale, accuracy_measures, gather, left_out
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import ENGINE, match_text, strength
from zeroply.studies.liskowski.table3 import plans as encoding_plans
from zeroply.studies.liskowski.table5 import BAG, BN
from zeroply.studies.liskowski.table5 import PLANS as REGULARISED
from zeroply.studies.liskowski.table6 import PLANS as SKIPPING
from zeroply.studies.liskowski.table7 import PAPER as TABLE7
from zeroply.studies.liskowski.table7 import PLANS as BEST_NETS
from zeroply.studies.measured import Measured, correlation
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER = {"suite": (1.7, 0.997), ENGINE: (3.4, 0.999)}
"""Slope in points of winning rate for a point of accuracy, and r²; the second against Edax-1."""
COMMON = "common"
"""Accuracy on test examples that are the same for all nets."""
SMALLER = Plan("Conv4", "conv4")
STRONG = 0.9
"""r² from which on a dependency is called very strong."""
NEAR = 0.25
"""Share of the printed slope by which ours may differ to be about equal."""


def plans(scale: Scale) -> list[Plan]:
    """All nets that were trained for other studies; at lower scales the nets of Tables V and VII and a smaller one."""
    some = [SMALLER, *REGULARISED, *BEST_NETS]
    if scale == "paper":
        some += [*table2.plans(scale, ("position",)), *encoding_plans(("position",)), *SKIPPING]
    return list({(plan.net, plan.dataset, plan.split, plan.bag): plan for plan in some}.values())


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
    """Least squares; nothing is known where nothing varies."""
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

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per net."""
        return plan_units(plans(scale), scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net, let it play, and measure its accuracy on test examples that are the same for all."""
        played = strength(self.folders, unit, part_of(progress, 0, 0.9))
        net, scale = trained(self.folders, unit, lambda *_: None), unit.settings["scale"]
        data = examples(self.folders, scale, "unique-s")

        def measure() -> Any:
            rest = part_of(progress, 0.9, 1)
            return accuracy(load_net(net), data, "position", SIZES[scale].measured, rest).summary()

        return {**played, **accuracy_measures(net.remembered("on unique-s by position", measure), COMMON)}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The points, the lines through them, and those of the paper's tables."""
        rows = [
            {
                "net": unit.settings["label"],
                "encoding": encoding_of(unit.settings["net"]),
                "set": unit.settings["dataset"],
                "seed": unit.seed,
                "accuracy": round(measures[COMMON], 2),
                "suite": round(measures["suite"], 2),
                ENGINE: round(measures[ENGINE], 2),
            }
            for unit, measures in units
        ]
        means = {name: gather(units, plan_of, name) for name in (COMMON, *PAPER)}
        nets = means[COMMON]
        points = {name: [(nets[plan].value, means[name][plan].value) for plan in nets] for name in PAPER}
        alone = {name: [(nets[p].value, means[name][p].value) for p in nets if not p.bag] for name in PAPER}
        lines, single = ({name: fit(*zip(*some[name], strict=True)) for name in PAPER} for some in (points, alone))
        theirs = {name: fit(*zip(*paper_points(name), strict=True)) for name in PAPER}
        rates = {plan.label: rate for plan, rate in means["suite"].items()}
        return Report(
            f"{match_text(scale)} Each net is a point, the mean over its seeds. All are measured on the same "
            "test examples of Unique-S, split by position; a net that learned from another set may know some of them. "
            f"{about_scale(scale)} {left_out(scale, plans(scale))}",
            [
                ResultTable(
                    "lines",
                    "straight lines: winning rate in percent over accuracy in percent",
                    _lines(lines, single, theirs),
                ),
                ResultTable("nets", "accuracy and winning rates of every net in percent", rows),
            ],
            [
                *_line_claims(lines, theirs),
                Claim(
                    "section VI-B",
                    f"The bag's higher accuracy does not make it win more than Conv8+BN, by {PAR} points",
                    rates[BAG] - rates[BN],
                    below(PAR),
                    note="points against the 13 players",
                ),
            ],
            [
                Drawing(
                    "lines",
                    "winning rate over accuracy, ours (left) and of the paper's tables (right)",
                    lambda figure: _draw(figure, points, lines, theirs),
                )
            ],
        )


def paper_points(name: str) -> list[tuple[float, float]]:
    """Accuracy and winning rate of the paper's nets, from its tables; against Edax-1 only Table VII has any."""
    points = [(row[0], row[1 if name == "suite" else 3]) for row in TABLE7.values()]
    if name == "suite":
        for net, accuracies in table2.PAPER.items():
            points += zip(accuracies, table8.PAPER[net], strict=True)
    return points


def _lines(ours: dict[str, Line], single: dict[str, Line], theirs: dict[str, Line]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name, (slope, r2) in PAPER.items():
        against, other = ("13 published players",) * 2 if name == "suite" else (name, "Edax-1")
        for what, line in (("ours", ours[name]), ("ours without the bag", single[name])):
            rows.append({"against": against, "what": what, **line.numbers})
        nets = len(paper_points(name))
        rows.append({"against": other, "what": f"from the paper's tables ({nets} nets)", **theirs[name].numbers})
        rows.append({"against": other, "what": "printed in the paper", "slope": slope, "r²": r2})
    return rows


def _line_claims(ours: dict[str, Line], theirs: dict[str, Line]) -> list[Claim]:
    claims = []
    for name, (slope, r2) in PAPER.items():
        words = "the 13 players" if name == "suite" else "the engine at depth 1 (paper: Edax-1)"
        claims += [
            Claim(
                "figure 4",
                f"Winning rate against {words} depends linearly, very strongly, on accuracy (r² above {STRONG})",
                ours[name].r,
                above(math.sqrt(STRONG)),
                round(math.sqrt(r2), 4),
                note=f"r; from the paper's own tables {theirs[name].r}",
            ),
            Claim(
                "figure 4",
                f"A point of accuracy brings {slope} points against {words} (within {NEAR:.0%})",
                ours[name].slope,
                Rule((1 - NEAR) * slope, (1 + NEAR) * slope),
                slope,
                note=f"slope; from the paper's own tables {theirs[name].slope}",
            ),
        ]
    return claims


Points = Sequence[tuple[float, float]]
"""Accuracies and winning rates."""


def _draw(figure: Figure, points: Mapping[str, Points], ours: dict[str, Line], theirs: dict[str, Line]) -> None:
    left, right = figure.subplots(1, 2, sharey=True)
    for name, colour, mark, other in (("suite", COLOURS[1], "o", "suite"), (ENGINE, COLOURS[0], "^", "Edax-1")):
        _panel(left, points[name], ours[name], name, colour, mark)
        _panel(right, paper_points(name), theirs[name], other, colour, mark)
    left.set_title("ours")
    right.set_title("the paper's tables")
    left.set_ylabel("winning rate (%)")
    for panel in (left, right):
        panel.set_xlabel("accuracy (%)")
        panel.legend(loc="best", fontsize="small")
        panel.grid(color="#dddddd", linewidth=0.6)


def _panel(panel: Axes, points: Points, line: Line, name: str, colour: str, mark: str) -> None:
    x, y = np.array(points).T
    label = f"{name}: slope {line.slope.value:.2f}, r² {line.r.value**2:.3f}"
    panel.plot(x, y, mark, color=colour, markersize=5, label=label)
    ends = np.array([x.min(), x.max()])
    panel.plot(ends, line.start + line.slope.value * ends, "-", color=colour, linewidth=1)
