"""S.fig6: evolution against the naive player (Schaul and Schmidhuber 2009, figure 6 and section V-C).

Average and best fitness of the population, generation by generation, over ten runs. The paper does not name the board;
the sizes on which its table III trains, 5x5 and 7x7, are both run here. The last champion of each run is tested in
fresh games, because the best fitness of a generation is the luckiest of twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.learning.evolution.evolve import Evolution
from zeroply.runs import Run
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.measured import difference, mean
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.runs import SIZES, evolution_config, evolved, in_fresh_games, rounded, run_seeds, score_axis
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grid, grouped

GAMES, BOARDS = ["Atari-Go", "Gomoku"], [5, 7]
HIGH = 0.9
"""A mean score from which on performance is really high."""
SHOWN = (1, 10, 25, 50, 100, 150, 200)


class SchaulFig6(Study):
    """Fitness during evolution."""

    name = "S.fig6"
    title = "average and best fitness during evolution against naive"
    source = "Schaul and Schmidhuber 2009, figure 6 and section V-C"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        runs = run_seeds(seeds, SIZES[scale].runs)
        return grid("{game} {size} run {seed}", runs, scale=scale, game=GAMES, size=BOARDS)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
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
        cases = {
            case: {what: np.array([one[what] for one in runs]) for what in runs[0]}
            for case, runs in grouped(units, "game", "size").items()
        }
        fitness = [
            {"game": name, "size": size, "generation": number}
            | {what: mean(its[what][:, number - 1], 3) for what in ("best", "mean")}
            for (name, size), its in cases.items()
            for number in SHOWN
            if number <= its["best"].shape[1]
        ]
        tests = [
            {"game": name, "size": size, "runs": len(its["won"])}
            | {what: mean(its[what], 3) for what in ("score", "won", "drawn")}
            | {"worst won": round(float(its["won"].min()), 3), "best won": round(float(its["won"].max()), 3)}
            for (name, size), its in cases.items()
        ]
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


Cases = dict[tuple[Any, ...], dict[str, Any]]
"""By game and board size, every measure as an array with a row per run."""


def _claims(cases: Cases) -> list[Claim]:
    names = {f"{name} {size}x{size}": its for (name, size), its in cases.items()}
    won, score = ({name: mean(its[what]) for name, its in names.items()} for what in ("won", "score"))
    falls = {name: mean((np.diff(its["best"], axis=1) < 0).mean(axis=1)) for name, its in names.items()}
    gomoku = {
        f"{size}x{size}": difference(cases["Gomoku", size]["score"], cases["Atari-Go", size]["score"])
        for size in BOARDS
    }
    claim, noisy = (
        partial(Claim, "section V-C"),
        "Fitness is noisy: that of the best net falls from some generations to the next",
    )
    return [
        claim("Evolution easily finds weights that win most games against naive", won, above(0.5)),
        claim(f"It is hard to reach really high performance (a score of {HIGH})", score, below(HIGH)),
        claim(noisy, falls, above(0), note="share of generations in which it falls"),
        claim("The performance is a bit better for Gomoku than for Atari-Go", gomoku, above(0)),
    ]


def _draw(figure: Figure, cases: Cases) -> None:
    panels = dict(zip(GAMES, figure.subplots(1, 2, sharey=True), strict=True))
    for (name, size), its in cases.items():
        colour, numbers = COLOURS[BOARDS.index(size)], np.arange(1, its["best"].shape[1] + 1)
        for what, style in (("best", "-"), ("mean", "--")):
            curve = its[what]
            middle, label = curve.mean(axis=0), f"{size}x{size} {what.replace('mean', 'average')}"
            panels[name].plot(numbers, middle, style, color=colour, linewidth=1.4, label=label)
            if len(curve) > 1:
                error = curve.std(axis=0, ddof=1) / len(curve) ** 0.5
                ends = middle - error, middle + error
                panels[name].fill_between(numbers, *ends, color=colour, alpha=0.15, linewidth=0)
    for name, panel in panels.items():
        score_axis(panel, name, "generation")
    panels["Atari-Go"].set_ylabel("fitness")
    panels["Gomoku"].legend(frameon=False, loc="lower right")
