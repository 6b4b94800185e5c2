"""S.fig6: evolution against the naive player (Schaul and Schmidhuber 2009, figure 6 and section V-C).

Average and best fitness of the population, generation by generation, over ten runs. The paper does not name the board;
the sizes on which its table III trains, 5x5 and 7x7, are both run here. The last champion of each run is tested in
fresh games, because the best fitness of a generation is the luckiest of twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply import chance
from zeroply.learning.evolution.evolve import Evolution
from zeroply.runs import Run
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.measured import Measured, difference, mean
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.schaul.runs import SIZES, Scores, evolution_config, evolved, in_fresh_games, rounded, run_seeds
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, chosen, grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMES, BOARDS = ["Atari-Go", "Gomoku"], [5, 7]
HIGH = 0.9
"""A mean score from which on performance is really high."""
SHOWN = (1, 10, 25, 50, 100, 150, 200)


class Fig6(Study):
    """Fitness during evolution."""

    name = "S.fig6"
    title = "average and best fitness during evolution against naive"
    source = "Schaul and Schmidhuber 2009, figure 6 and section V-C"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per game, board and run."""
        runs = run_seeds(seeds, SIZES[scale].runs)
        return grid("{game} {size} run {seed}", runs, scale=scale, game=GAMES, size=BOARDS)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, and test the last champion."""
        scale: Scale = unit.settings["scale"]
        config = evolution_config(unit.settings["game"], unit.settings["size"], scale, unit.seed)
        run = evolved(self.folders, scale, config, progress)
        generations = Evolution.generations(Run.read(run.folder))
        return {
            "best": rounded(np.array([one.best for one in generations]), 4),
            "mean": rounded(np.array([one.mean for one in generations]), 4),
            **in_fresh_games(config, run.weights[-1], SIZES[scale].tests, chance.key(unit.seed, unit.name)),
        }

    def findings(self, units: Units, scale: Scale) -> Report:
        """The curves, and the champions in fresh games."""
        cases = {
            (name, size): Curves(chosen(units, game=name, size=size), f"{name} {size}x{size}")
            for name in GAMES
            for size in BOARDS
        }
        fitness = [
            {"game": name, "size": size, "generation": number, "best": mean(its.best[:, number - 1], 3)}
            | {"mean": mean(its.mean[:, number - 1], 3)}
            for (name, size), its in cases.items()
            for number in SHOWN
            if number <= its.best.shape[1]
        ]
        tests = [{"game": name, "size": size, **its.tested()} for (name, size), its in cases.items()]
        return Report(
            "The (10+10) evolution strategy with weights from N(0, 1), changes from N(0, 0.1), and the mean score over "
            "games against naive as fitness; all twenty nets are evaluated anew in each generation (reading: the "
            "paper's 'population size of 15' contradicts its '(10+10)'). *tests*: the last champions in fresh games.",
            [
                ResultTable("fitness", "fitness over the runs", fitness),
                ResultTable("tests", "the last champions in fresh games against naive", tests),
            ],
            _claims(cases),
            [Drawing("fitness", "average and best fitness, means over the runs", lambda f: _draw(f, cases))],
        )


class Curves:
    """The runs of one game on one board."""

    def __init__(self, runs: Sequence[Measures], name: str) -> None:
        self.best: Scores = np.array([one["best"] for one in runs])
        self.mean: Scores = np.array([one["mean"] for one in runs])
        self.runs, self.name = runs, name

    def values(self, what: str) -> Scores:
        """One number per test."""
        return np.array([one[what] for one in self.runs])

    def tested(self) -> dict[str, Any]:
        """The tests in numbers."""
        won = self.values("won")
        return {
            "runs": len(self.runs),
            "score": mean(self.values("score"), 3),
            "won": mean(won, 3),
            "drawn": mean(self.values("drawn"), 3),
            "worst won": round(float(won.min()), 3),
            "best won": round(float(won.max()), 3),
        }


def _claims(cases: dict[tuple[str, int], Curves]) -> list[Claim]:
    def each(what: str) -> dict[str, Measured]:
        return {its.name: mean(its.values(what)) for its in cases.values()}

    gomoku = {
        f"{size}x{size}": difference(cases["Gomoku", size].values("score"), cases["Atari-Go", size].values("score"))
        for size in BOARDS
    }
    falls = {its.name: mean((np.diff(its.best, axis=1) < 0).mean(axis=1)) for its in cases.values()}
    place = "section V-C"
    return [
        Claim(place, "Evolution easily finds weights that win most games against naive", each("won"), above(0.5)),
        Claim(place, f"It is hard to reach really high performance (a score of {HIGH})", each("score"), below(HIGH)),
        Claim(
            place,
            "Fitness is noisy: that of the best net falls from some generations to the next",
            falls,
            above(0),
            note="share of generations in which it falls",
        ),
        Claim(place, "The performance is a bit better for Gomoku than for Atari-Go", gomoku, above(0)),
    ]


def _draw(figure: Figure, cases: dict[tuple[str, int], Curves]) -> None:
    panels = dict(zip(GAMES, figure.subplots(1, 2, sharey=True), strict=True))
    for (name, size), its in cases.items():
        panel, colour = panels[name], COLOURS[BOARDS.index(size)]
        numbers = np.arange(1, its.best.shape[1] + 1)
        for curve, style, what in ((its.best, "-", "best"), (its.mean, "--", "average")):
            middle = curve.mean(axis=0)
            panel.plot(numbers, middle, style, color=colour, linewidth=1.4, label=f"{size}x{size} {what}")
            if len(curve) > 1:
                error = curve.std(axis=0, ddof=1) / len(curve) ** 0.5
                panel.fill_between(numbers, middle - error, middle + error, color=colour, alpha=0.15, linewidth=0)
    for name, panel in panels.items():
        panel.axhline(0, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_title(name)
        panel.set_xlabel("generation")
        panel.set_ylim(-1.03, 1.03)
    panels["Atari-Go"].set_ylabel("fitness")
    panels["Gomoku"].legend(frameon=False, loc="lower right")
