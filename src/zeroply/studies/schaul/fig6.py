"""S.fig6: evolution against the naive player (Schaul and Schmidhuber 2009, figure 6 and section V-C).

Average and best fitness of the population, generation by generation, over ten runs. The paper does not say on which
board; the sizes on which its table III trains, 5x5 and 7x7, are both run here. The last champion of each run is tested
in fresh games, because the best fitness of a generation is the luckiest of twenty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply import chance
from zeroply.learning.evolution.evolve import Evolution
from zeroply.runs import Run
from zeroply.studies.schaul.runs import (
    SIZES,
    Scores,
    evolution_config,
    evolved,
    in_fresh_games,
    rounded,
    run_seeds,
    with_error,
)
from zeroply.studies.study import COLOURS, Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import all_of, difference, mean_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS = tuple((name, size) for name in ("Atari-Go", "Gomoku") for size in (5, 7))
HIGH = 0.9
"""A mean score from which on performance is really high."""
SHOWN = (1, 10, 25, 50, 100, 150, 200)


class Fig6(Study):
    """Fitness during evolution."""

    name = "S.fig6"
    title = "average and best fitness during evolution against naive"
    source = "Schaul and Schmidhuber 2009, figure 6 and section V-C"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game, board and run."""
        return [
            Unit(f"{name} {size} run {seed}", {"scale": scale, "game": name, "size": size}, seed)
            for name, size in SETTINGS
            for seed in run_seeds(seeds, SIZES[scale].runs)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, and test the last champion."""
        scale: Scale = unit.settings["scale"]
        config = evolution_config(unit.settings["game"], unit.settings["size"], scale, unit.seed)
        found = evolved(self.place, scale, config, progress)
        generations = Evolution.generations(Run.read(found.folder))
        tested = in_fresh_games(config, found.weights[-1], SIZES[scale].tests, chance.key(unit.seed, unit.name))
        return {
            "best": rounded(np.array([one.best for one in generations]), 4),
            "mean": rounded(np.array([one.mean for one in generations]), 4),
            **tested,
        }

    def report(self, found: Found) -> Report:
        """The curves, and the champions in fresh games."""
        curves = {setting: _Curves(found, *setting) for setting in SETTINGS}
        fitness = [
            {"game": name, "size": size, "generation": number, "runs": some.runs, **some.at(number)}
            for (name, size), some in curves.items()
            for number in SHOWN
            if number <= some.generations
        ]
        tests = [{"game": name, "size": size, **some.tested()} for (name, size), some in curves.items()]
        return Report(
            "The (10+10) evolution strategy with weights from N(0, 1), changes from N(0, 0.1), and the mean score over "
            "games against naive as fitness, all twenty nets evaluated anew in each generation (reading: the paper's "
            "'population size of 15' contradicts its '(10+10)'). *tests* are the last champions in fresh games.",
            [
                Table("fitness", "fitness over the runs, with the standard error of the mean", fitness),
                Table(
                    "tests",
                    "the last champions in fresh games against naive, in percent; score is the mean score",
                    tests,
                ),
            ],
            _claims(curves),
            [Drawing("fitness", "average and best fitness, means over the runs", lambda f: _draw(f, curves))],
        )


class _Curves:
    """The runs of one game on one board."""

    def __init__(self, found: Found, name: str, size: int) -> None:
        chosen = [m for unit, m in found if (unit.settings["game"], unit.settings["size"]) == (name, size)]
        self.best: Scores = np.array([one["best"] for one in chosen])
        self.mean: Scores = np.array([one["mean"] for one in chosen])
        self.tests = chosen
        self.runs, self.generations = self.best.shape

    def at(self, generation: int) -> dict[str, str]:
        """Best and mean fitness in a generation."""
        return {
            what: with_error(curve[:, generation - 1]) for what, curve in (("best", self.best), ("mean", self.mean))
        }

    def values(self, what: str) -> Scores:
        """One number of every test."""
        return np.array([one[what] for one in self.tests])

    def tested(self) -> dict[str, Any]:
        """The tests in numbers."""
        won, drawn = 100 * self.values("won"), 100 * self.values("drawn")
        return {
            "runs": self.runs,
            "score": with_error(self.values("score")),
            "won": f"{won.mean():.1f}",
            "drawn": f"{drawn.mean():.1f}",
            "lost": f"{100 - won.mean() - drawn.mean():.1f}",
            "worst won": f"{won.min():.1f}",
            "best won": f"{won.max():.1f}",
        }


def _claims(curves: dict[tuple[str, int], _Curves]) -> list[Claim]:
    won = {one: mean_of(some.values("won")) for one, some in curves.items()}
    scores = {one: mean_of(some.values("score")) for one, some in curves.items()}
    beats = {one: (some.values("won") > 0.5).mean() for one, some in curves.items()}
    falls = {one: float((np.diff(some.best, axis=1) < 0).mean()) for one, some in curves.items()}
    better = {
        size: difference(curves["Gomoku", size].values("score"), curves["Atari-Go", size].values("score"))
        for size in (5, 7)
    }
    return [
        Claim(
            "Evolution easily finds weights that beat the naive player on most games",
            "; ".join(
                f"{n} {s}x{s}: {100 * share.value:.0f} ± {100 * share.error:.0f} % of games won, "
                f"{100 * beats[n, s]:.0f} % of champions win most"
                for (n, s), share in won.items()
            ),
            all_of(share.above(0.5, comparisons=len(won)) for share in won.values()),
        ),
        Claim(
            "It seems hard to reach really high performance",
            f"mean score of the last champions {', '.join(map(str, scores.values()))} (high: {HIGH})",
            all_of(score.below(HIGH, comparisons=len(scores)) for score in scores.values()),
        ),
        Claim(
            "Fitness is noisy, so that of the best net per generation is not strictly increasing",
            "it falls from a generation to the next in "
            + ", ".join(f"{100 * share:.0f} %" for share in falls.values()),
            all(share > 0 for share in falls.values()),
        ),
        Claim(
            "The performance looks a bit better for Gomoku than for Atari-Go",
            "; ".join(f"{size}x{size}: {gap}" for size, gap in better.items()),
            all_of(gap.above(comparisons=len(better)) for gap in better.values()),
        ),
    ]


def _draw(figure: Figure, curves: dict[tuple[str, int], _Curves]) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for panel, name in zip(panels, ("Atari-Go", "Gomoku"), strict=True):
        for colour, size in zip(COLOURS, (5, 7), strict=False):
            some = curves[name, size]
            numbers = np.arange(1, some.generations + 1)
            for curve, style, what in ((some.best, "-", "best"), (some.mean, "--", "average")):
                middle = curve.mean(axis=0)
                panel.plot(numbers, middle, style, color=colour, linewidth=1.4, label=f"{size}x{size} {what}")
                if some.runs > 1:
                    error = curve.std(axis=0, ddof=1) / math.sqrt(some.runs)
                    panel.fill_between(numbers, middle - error, middle + error, color=colour, alpha=0.15, linewidth=0)
        panel.axhline(0, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_title(name)
        panel.set_xlabel("generation")
        panel.set_ylim(-1.03, 1.03)
    panels[0].set_ylabel("fitness")
    panels[1].legend(frameon=False, loc="lower right")
