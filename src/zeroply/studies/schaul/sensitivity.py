"""S.sensitivity: how much the settings matter (Schaul and Schmidhuber 2009, sections V-A, V-C and V-D, in the text).

The paper found that population sizes, temperatures and hidden sizes do not matter much and that simple hill-climbing is
much worse. All variants of evolution play the same number of games; the last champions are compared in fresh games.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, below, near
from zeroply.studies.measured import Measured, difference, mean
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul import runs
from zeroply.studies.schaul.coevolution import coevolution_config
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grouped, part_of

GAMES = (("Atari-Go", 5), ("Gomoku", 7))
EVOLUTION: dict[str, Mapping[str, Any]] = {
    "(10+10)": {},
    "hill-climbing (1+1)": {"parents": 1, "offspring": 1},
    "(5+5)": {"parents": 5, "offspring": 5},
    "(20+20)": {"parents": 20, "offspring": 20},
    "temperature 0.2": {"temperature": 0.2},
    "temperature 1": {"temperature": 1.0},
    "k = 2": {"net": "mdrnn(k=2)"},
    "k = 5": {"net": "mdrnn(k=5)"},
    "k = 20": {"net": "mdrnn(k=20)"},
}
"""Variants of evolution by what differs from the paper's settings."""
HARDLY = ("(5+5)", "(20+20)", "temperature 0.2", "k = 5", "k = 20")
"""Variants that, in the paper's words, should not matter much."""
COEVOLUTION: dict[str, Mapping[str, Any]] = {
    "2 x 15, greedy": {},
    "2 x 15, temperature 0.2": {"temperature": 0.2, "games": 10},
    "2 x 5, greedy": {"population": 5, "parents": 2, "opponents": 10, "hall_of_fame": 7},
}
"""Variants of coevolution."""
UNTRAINED = ("mlp(hidden=20)", "mlp(hidden=100)", "mlp(hidden=300)", "mdrnn(k=2)", "mdrnn(k=10)", "mdrnn(k=20)")
"""Nets with random weights."""
MUCH = 0.2
"""Differences of mean scores below this are not called much."""
LATE = 20
"""Champions at the end of a coevolutionary run that are measured."""


class Sensitivity(Study):
    """How much the settings matter."""

    name = "S.sensitivity"
    title = "population sizes, hill-climbing, temperatures and hidden sizes"
    source = "Schaul and Schmidhuber 2009, sections V-A, V-C and V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        cases = [("evolution", variant, where) for variant in EVOLUTION for where in GAMES]
        cases += [("coevolution", variant, GAMES[0]) for variant in COEVOLUTION]
        cases += [("untrained", net, GAMES[0]) for net in UNTRAINED]
        return [
            Unit(
                f"{what} {variant} {name} {size} {'seed' if what == 'untrained' else 'run'} {seed}",
                {"scale": scale, "what": what, "variant": variant, "game": name, "size": size},
                seed,
            )
            for what, variant, (name, size) in cases
            for seed in runs.run_seeds(seeds, 1 if what == "untrained" else runs.SIZES[scale].variants)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, what, variant, name, size = unit.settings.values()
        plan, key = runs.SIZES[scale], chance.key(unit.seed, unit.name)
        if what == "evolution":
            # Temperature is a means of training here: every champion is tested with greedy play.
            config = runs.evolution_config(name, size, scale, unit.seed, **EVOLUTION[variant])
            members = config.parents + (config.offspring or 0)
            config = replace(config, generations=max(1, config.generations * 20 // members))
            last = runs.evolved(self.folders, scale, config, progress).weights[-1]
            return {"scores": [round(runs.in_fresh_games(config, last, plan.tests, key)["score"], 5)]}
        if what == "coevolution":
            pairs = replace(coevolution_config(name, True, scale, unit.seed), **COEVOLUTION[variant])
            late = runs.coevolved(self.folders, scale, pairs, part_of(progress, 0, 1 / 2)).weights[-LATE:]
            report = part_of(progress, 1 / 2, 1)
            scores = runs.performance(pairs.game, pairs.net, late, "naive", plan.games, key, report).scores
            return {"scores": [round(float(scores.mean()), 5)]}
        spec = runs.board(name, size)
        weights = runs.untrained(variant, spec, plan.nets, chance.key(key, "nets"))
        return {
            "scores": runs.rounded(runs.performance(spec, variant, weights, "naive", plan.games, key, progress).scores)
        }

    def findings(self, units: Units, scale: Scale) -> Report:
        groups = {
            case: [score for one in several for score in one["scores"]]
            for case, several in grouped(units, "what", "variant", "game", "size").items()
        }
        rows = [
            {
                "what": what,
                "variant": variant,
                "game": f"{name} {size}x{size}",
                "n": len(scores),
                "score": mean(scores, 3),
                "lowest": round(min(scores), 2),
                "highest": round(max(scores), 2),
            }
            for (what, variant, name, size), scores in groups.items()
        ]
        return Report(
            "*evolution*: the score against naive of the last champion of every run, greedy, in fresh games; all "
            "variants play the same number of games in all, so smaller populations have more generations. "
            f"*coevolution*: the mean score of the last {LATE} champions of every run against naive, which they never "
            "met. *untrained*: nets with random weights.",
            [ResultTable("variants", "mean score against naive", rows)],
            _claims(groups),
            [Drawing("variants", "score against naive, a point per run", lambda figure: _draw(figure, groups))],
        )


Groups = Mapping[tuple[Any, ...], Sequence[float]]
"""Scores by what was tried, variant, game and board size."""


def _claims(groups: Groups) -> list[Claim]:
    def gap(what: str, variant: str, usual: str, where: tuple[str, int] = GAMES[0]) -> Measured:
        return difference(groups[what, variant, *where], groups[what, usual, *where])

    climbing = {f"{w[0]} {w[1]}x{w[1]}": gap("evolution", "hill-climbing (1+1)", "(10+10)", w) for w in GAMES}
    others = {f"{v} {w[0]}": gap("evolution", v, "(10+10)", w) for v in HARDLY for w in GAMES}
    warm, few = (gap("coevolution", variant, "2 x 15, greedy") for variant in list(COEVOLUTION)[1:])
    mlps = [net for net in UNTRAINED if net.startswith("mlp")]
    sizes = {f"{a} minus {b}": gap("untrained", a, b) for a, b in itertools.combinations(mlps, 2)}
    evolution, coevolution = partial(Claim, "section V-C"), partial(Claim, "section V-D")
    hardly = f"The exact choice of parameters hardly matters (scores within {MUCH}) if the population is large enough"
    alike, small = f"Untrained MLPs of different hidden sizes are alike (within {MUCH})", "2 x 5 instead of 2 x 15"
    return [
        evolution(f"Simple hill-climbing is much worse (by {MUCH} or more)", climbing, below(-MUCH)),
        evolution(hardly, others, near(0, MUCH), note="differences from (10+10)"),
        coevolution(f"Another temperature in coevolution changes little (within {MUCH})", warm, near(0, MUCH)),
        coevolution("In coevolution the population must not be too small", few, below(0), note=small),
        Claim("section V-A", alike, sizes, near(0, MUCH)),
    ]


def _draw(figure: Figure, groups: Groups) -> None:
    figure.set_size_inches(10, 4.5)
    panels = figure.subplots(1, 2, sharey=True, width_ratios=[2, 1])
    drawn = ((panels[0], "evolution", EVOLUTION, GAMES), (panels[1], "coevolution", COEVOLUTION, GAMES[:1]))
    for panel, what, variants, where in drawn:
        for (number, (name, size)), (place, variant) in itertools.product(enumerate(where), enumerate(variants)):
            scores, x, colour = groups[what, variant, name, size], place + 0.18 * number, COLOURS[number]
            label = f"{name} {size}x{size}" if place == 0 else None
            panel.plot([x] * len(scores), scores, "o", color=colour, alpha=0.6, markersize=4, label=label)
            panel.plot(x, np.mean(scores), "_", color=colour, markersize=14, markeredgewidth=2)
        panel.set_xticks(range(len(variants)), list(variants), rotation=30, ha="right", fontsize="small")
        runs.score_axis(panel, what)
    panels[0].legend(frameon=False, loc="lower right")
    panels[0].set_ylabel("score against naive")
