"""L.table9: Conv8+BN against the engine at depths 1 to 5, the engine's own accuracy and move time (section VI-D,
Table IX).

The engine takes the place of the paper's Edax: the same rule (plain depth n, exact once 2n squares are empty), another
evaluation. So only the change with the depth can be compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from zeroply.studies.claims import Claim, above, below
from zeroply.studies.liskowski.nets import SIZES, Plan, accuracy, accuracy_on, examples, trained
from zeroply.studies.liskowski.reporting import (
    PAR,
    about_scale,
    accuracy_measures,
    draw_means,
    gather,
    label,
    too_small,
    trained_measures,
    untrained_number,
)
from zeroply.studies.liskowski.requirements import OPENINGS_FILE, NetStudy
from zeroply.studies.liskowski.strength import kind_of_time, match_text, move_time, rate_against, searcher, times_of
from zeroply.studies.liskowski.table2 import seen, seen_unit
from zeroply.studies.liskowski.table5 import BN
from zeroply.studies.measured import Measured, mean
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAN = Plan(BN, "conv8(bn=true)")
TIMINGS = 3
"""How often the engine's move time is measured."""
PAPER = {1: (87.5, 1.0, 47.9), 2: (59.4, 1.1, 53.3), 3: (34.7, 1.6, 55.2), 4: (19.8, 5.0, 59.8), 5: (10.3, 10.0, 59.7)}
"""Table IX by depth: winning rate of Conv8+BN, Edax's time of a move in 1e-4 s, Edax's accuracy."""

ByDepth = Mapping[int, Measured]


class Table9(NetStudy):
    """A net against search."""

    name = "L.table9"
    title = "Conv8+BN against the engine at depths 1 to 5; the engine's accuracy and move time"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table IX and section VI-D"
    nets = (PLAN,)
    files = (OPENINGS_FILE,)
    searching = True

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per depth of the engine, per net and per match, and one that counts known test positions."""
        depths = SIZES[scale].depths
        return [
            seen_unit("seen", scale, PLAN.dataset, PLAN.split, PLAN.part),
            *(Unit(f"engine depth {n}", {"scale": scale, "engine": n}, 1) for n in depths),
            *super().units(scale, seeds),
            *(PLAN.unit(scale, seed, depth=n) for seed in range(1, seeds + 1) for n in depths),
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Measure the engine itself, the net, their match, or how many test positions the net has seen."""
        if "seen" in unit.settings:
            return {"seen": seen(self.folders, unit, progress)}
        if "engine" in unit.settings:
            return self._engine(unit, progress)
        net = trained(self.folders, unit, part_of(progress, 0, 0.9))
        rest = part_of(progress, 0.9, 1)
        if "depth" in unit.settings:
            return rate_against(self.folders, unit, net, searcher(self.folders, unit.settings["depth"]), rest)
        summary = accuracy_on(self.folders, unit, net, "original", rest)
        tested = {**accuracy_measures(summary, "on original"), "on original positions": summary["positions"]}
        return {**trained_measures(net.result), **tested, **times_of(net, unit.settings["scale"])}

    def _engine(self, unit: Unit, progress: Progress) -> Measures:
        from zeroply.players import player

        scale, spec = unit.settings["scale"], searcher(self.folders, unit.settings["engine"])
        with player(spec, "othello") as one:
            data = examples(self.folders, scale, "original")
            result = accuracy(one, data, "position", SIZES[scale].engine, progress)
        seconds = [move_time(spec, scale, seed) for seed in range(1, TIMINGS + 1)]
        return {**accuracy_measures(result.summary()), "seconds": seconds}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form."""
        rates = gather(units, lambda unit: unit.settings["depth"], "rate")
        engines = {unit.settings["engine"]: m for unit, m in units if "engine" in unit.settings}
        accuracies = {n: untrained_number(m["accuracy"], m["accuracy error"]) for n, m in engines.items()}
        seconds = {n: mean([1e4 * one for one in m["seconds"]]) for n, m in engines.items()}
        nets = [m for _, m in units if "on original" in m]
        share = next(m["seen"] for _, m in units if "seen" in m)
        own = gather(units, label, "on original")[BN]
        rows = [
            {"depth": n, "rate": rates[n], "accuracy": accuracies[n], "1e-4 s": seconds[n]}
            | dict(zip(("rate, paper", "1e-4 s, Edax", "accuracy, Edax"), PAPER[n], strict=True))
            for n in sorted(rates)
        ]
        together, alone = (1e4 * min(m[time] for m in nets) for time in ("batch 256", "batch 1"))
        caption = "winning rate of Conv8+BN (left) and accuracy of the engine (right) by depth"
        return Report(
            f"{match_text(self.folders, scale)} The accuracy of search is how often it prefers the expert's move, on "
            "test examples of Original (split by position); equally good moves count with their chance to be drawn. "
            "Its time is CPU time of one thread over whole games, one position at a time; wall time for another "
            f"program. Conv8+BN finds the expert's move in {own} % of the same kind of examples (paper: 62.7 to 64) "
            f"and takes {together:.2f}e-4 s for a position in batches of 256, {alone:.1f}e-4 s alone "
            f"({kind_of_time(nets)}). It learned "
            "from Unique-S, whose split by position is independent, as in the paper: the training part contains "
            f"{share:.1f} % of the test positions of Original. {about_scale(scale)}",
            [ResultTable("depths", "winning rate of Conv8+BN, the engine's accuracy in percent and move time", rows)],
            _claims(scale, rates, accuracies, own, seconds, share),
            [Drawing("depths", caption, lambda figure: _draw(figure, rates, accuracies, own))],
        )


def _steps(numbers: ByDepth) -> dict[str, Measured]:
    """What every depth adds to the one before."""
    return {f"{a} to {b}": numbers[b] - numbers[a] for a, b in itertools.pairwise(sorted(numbers))}


def _claims(
    scale: Scale, rates: ByDepth, accuracies: ByDepth, own: Measured, seconds: ByDepth, seen: float
) -> list[Claim]:
    rises, place, points, small = _steps(accuracies), "table IX", "points from depth to depth", too_small(scale)
    last = {step: rises.pop(step) for step in [*rises] if step == "4 to 5"}
    deeper = {f"depth {n}": rate for n, rate in rates.items() if n >= 3}
    leads = {f"depth {n}": own - one for n, one in accuracies.items()}
    grows, flat = "The search's own accuracy grows with its depth up to 4", f"From depth 4 to 5 it does not, by {PAR}"
    more = "The net finds experts' moves more often than search at any depth"
    known = f"points; {seen:.1f} % of these test positions were among those the net learned from"
    return [
        Claim(place, "Conv8+BN wins most games against depth 1", rates[1], above(50), PAPER[1][0]).open(small),
        Claim(place, "It still wins most games against depth 2", rates[2], above(50), PAPER[2][0]).open(small),
        Claim(place, "From depth 3 on it loses more than it wins", deeper, below(50)).open(small),
        Claim(place, "Its winning rate falls with the depth", _steps(rates), below(0), note=points),
        Claim(place, grows, rises, above(0), note=points),
        Claim(place, f"{flat} points", last, below(PAR), {"4 to 5": -0.1}, note=points),
        Claim(place, more, leads, above(0), note=known).open(small),
        Claim(place, "Deeper search takes longer", _steps(seconds), above(0), note="1e-4 s from depth to depth"),
    ]


def _draw(figure: Figure, rates: ByDepth, accuracies: ByDepth, own: Measured) -> None:
    left, right = figure.subplots(1, 2)
    depths = sorted(rates)
    panels = (left, rates, 0, "winning rate of Conv8+BN (%)"), (right, accuracies, 2, "accuracy (%)")
    for panel, means, column, words in panels:
        draw_means(panel, depths, [means[n] for n in depths], COLOURS[0], "ours: engine")
        panel.plot(depths, [PAPER[n][column] for n in depths], "s--", color="#999999", label="paper: Edax")
        panel.set_xticks(depths)
        panel.set_xlabel("depth of search")
        panel.set_ylabel(words)
        panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    left.axhline(50, color="#999999", linewidth=0.8, linestyle=":")
    right.axhline(own.value, color=COLOURS[1], linewidth=1, label="our Conv8+BN")
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper right", ncols=3, frameon=False)
