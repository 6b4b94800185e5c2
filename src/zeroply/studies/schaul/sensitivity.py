"""S.sensitivity: what the paper says in words about its settings (Schaul and Schmidhuber 2009, sections V-A, V-C, V-D).

Population sizes, temperatures and hidden sizes were found not to matter much, simple hill-climbing to be much worse.
Variants of evolution play as many games in all; the last champions are compared in fresh games.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply import chance
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig
from zeroply.studies.schaul.coevolution import coevolution_config
from zeroply.studies.schaul.runs import (
    SIZES,
    Scores,
    board,
    coevolved,
    evolution_config,
    evolved,
    in_fresh_games,
    performance,
    rounded,
    run_seeds,
    untrained,
    with_error,
)
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
from zeroply.studies.verdicts import Estimate, all_of, difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    "2 x 5, greedy": {"population": 5, "kept": 2, "opponents": 10, "famous": 7},
}
"""Variants of coevolution."""
UNTRAINED = ("mlp(hidden=20)", "mlp(hidden=100)", "mlp(hidden=300)", "mdrnn(k=2)", "mdrnn(k=10)", "mdrnn(k=20)")
"""Nets with random weights."""
RUNS: dict[Scale, int] = {"smoke": 1, "cpu": 2, "paper": 5}
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
        """One unit for each variant, game and run, and for each kind of untrained net."""
        runs = run_seeds(seeds, RUNS[scale])
        trained = [("evolution", variant) for variant in EVOLUTION] + [("coevolution", v) for v in COEVOLUTION]
        return [
            Unit(
                f"{what} {variant} {name} {size} run {seed}",
                {"scale": scale, "what": what, "variant": variant, "game": name, "size": size},
                seed,
            )
            for what, variant in trained
            for name, size in (GAMES if what == "evolution" else GAMES[:1])
            for seed in runs
        ] + [
            Unit(
                f"untrained {net} {name} {size} seed {seed}",
                {"scale": scale, "what": "untrained", "variant": net, "game": name, "size": size},
                seed,
            )
            for net in UNTRAINED
            for name, size in GAMES[:1]
            for seed in range(1, seeds + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The performance against naive of what a variant has come to."""
        measures = {"evolution": self._evolution, "coevolution": self._coevolution, "untrained": self._untrained}
        return {"scores": rounded(measures[unit.settings["what"]](unit, progress))}

    def _evolution(self, unit: Unit, progress: Progress) -> Scores:
        scale, name, size = (unit.settings[key] for key in ("scale", "game", "size"))
        config = evolution_config(name, size, scale, unit.seed, **EVOLUTION[unit.settings["variant"]])
        members = config.parents + (config.offspring or 0)
        config = replace(config, generations=max(1, config.generations * 20 // members))
        found = evolved(self.place, scale, config, progress)
        # Temperature is a means of training here: every champion is tested with greedy play.
        tested = in_fresh_games(config, found.weights[-1], SIZES[scale].tests, chance.key(unit.seed, unit.name))
        return np.array([tested["score"]])

    def _coevolution(self, unit: Unit, progress: Progress) -> Scores:
        scale, name = unit.settings["scale"], unit.settings["game"]
        config: HostParasiteConfig = replace(
            coevolution_config(name, True, scale, unit.seed), **COEVOLUTION[unit.settings["variant"]]
        )
        found = coevolved(self.place, scale, config, part_of(progress, 0, 1 / 2))
        key = chance.key(unit.seed, unit.name)
        late = found.weights[-LATE:]
        scores = performance(
            config.game, config.net, late, "naive", SIZES[scale].games, key, part_of(progress, 1 / 2, 1)
        )
        return np.array([scores.mean()])

    def _untrained(self, unit: Unit, progress: Progress) -> Scores:
        scale, net = unit.settings["scale"], unit.settings["variant"]
        the_game, key = board(unit.settings["game"], unit.settings["size"]), chance.key(unit.seed, unit.name)
        weights = untrained(net, the_game, SIZES[scale].nets, chance.key(key, "nets"))
        return performance(the_game, net, weights, "naive", SIZES[scale].games, key, progress)

    def report(self, found: Found) -> Report:
        """Means with their errors, variant by variant."""
        groups = _groups(found)
        rows = [
            {
                "what": what,
                "variant": variant,
                "game": f"{name} {size}x{size}",
                "n": len(scores),
                "score": with_error(scores),
                "lowest": round(float(scores.min()), 2),
                "highest": round(float(scores.max()), 2),
            }
            for (what, variant, name, size), scores in groups.items()
        ]
        return Report(
            "*evolution*: the score against naive of the last champion of every run, greedy, in fresh games; all "
            "variants play as many games in all, so smaller populations have more generations. *coevolution*: the mean "
            f"score of the last {LATE} champions of every run against naive, which they never met. *untrained*: nets "
            "with random weights.",
            [Table("variants", "mean score against naive with its standard error", rows)],
            _claims(groups),
            [Drawing("variants", "score against naive, a point for each run", lambda figure: _draw(figure, groups))],
        )


Key = tuple[str, str, str, int]


def _groups(found: Found) -> dict[Key, Scores]:
    groups: dict[Key, list[float]] = {}
    for unit, measures in found:
        key = (unit.settings["what"], unit.settings["variant"], unit.settings["game"], unit.settings["size"])
        groups.setdefault(key, []).extend(measures["scores"])
    return {key: np.array(scores) for key, scores in groups.items()}


def _claims(groups: Mapping[Key, Scores]) -> list[Claim]:
    def apart(what: str, variant: str, usual: str, where: tuple[str, int]) -> Estimate:
        return difference(groups[what, variant, *where], groups[what, usual, *where])

    climbing = {where: apart("evolution", "hill-climbing (1+1)", "(10+10)", where) for where in GAMES}
    others = {(v, where[0]): apart("evolution", v, "(10+10)", where) for v in HARDLY for where in GAMES}
    warm, few = (apart("coevolution", v, "2 x 15, greedy", GAMES[0]) for v in list(COEVOLUTION)[1:])
    mlps = [net for net in UNTRAINED if net.startswith("mlp")]
    sizes = {pair: apart("untrained", *pair, GAMES[0]) for pair in itertools.combinations(mlps, 2)}
    return [
        Claim(
            f"Simple hill-climbing performs much worse (by {MUCH} or more)",
            "; ".join(f"{name} {size}x{size} {gap}" for (name, size), gap in climbing.items()),
            all_of(gap.below(-MUCH, comparisons=len(climbing)) for gap in climbing.values()),
        ),
        Claim(
            "The exact choice of parameters is not very sensitive, as long as the population is large enough",
            "differences from (10+10): " + "; ".join(f"{v} {name} {gap}" for (v, name), gap in others.items()),
            all_of(gap.within(MUCH, comparisons=len(others)) for gap in others.values()),
        ),
        Claim(
            "Other temperatures in coevolution give no qualitatively different results",
            str(warm),
            warm.within(MUCH),
        ),
        Claim("In coevolution the population must not be too small", f"2 x 5 instead of 2 x 15: {few}", few.below()),
        Claim(
            "Untrained MLPs do alike for different hidden sizes",
            "; ".join(f"{one} less {other} {gap}" for (one, other), gap in sizes.items()),
            all_of(gap.within(MUCH, comparisons=len(sizes)) for gap in sizes.values()),
        ),
    ]


def _draw(figure: Figure, groups: Mapping[Key, Scores]) -> None:
    figure.set_size_inches(10, 4.5)
    panels = figure.subplots(1, 2, sharey=True, width_ratios=[2, 1])
    for number, where in enumerate(GAMES):
        for place, variant in enumerate(EVOLUTION):
            scores = groups["evolution", variant, *where]
            shift = place + 0.18 * (number - 0.5)
            label = f"{where[0]} {where[1]}x{where[1]}" if place == 0 else None
            panels[0].plot(
                [shift] * len(scores), scores, "o", color=COLOURS[number], alpha=0.6, markersize=4, label=label
            )
            panels[0].plot(shift, scores.mean(), "_", color=COLOURS[number], markersize=14, markeredgewidth=2)
    panels[0].set_xticks(range(len(EVOLUTION)), list(EVOLUTION), rotation=30, ha="right", fontsize="small")
    panels[0].set_title("evolution", fontsize="medium")
    panels[0].legend(frameon=False, loc="lower right")
    for place, variant in enumerate(COEVOLUTION):
        scores = groups["coevolution", variant, *GAMES[0]]
        panels[1].plot([place] * len(scores), scores, "o", color=COLOURS[0], alpha=0.6, markersize=4)
        panels[1].plot(place, scores.mean(), "_", color=COLOURS[0], markersize=14, markeredgewidth=2)
    panels[1].set_xticks(range(len(COEVOLUTION)), list(COEVOLUTION), rotation=30, ha="right", fontsize="small")
    panels[1].set_title("coevolution, Atari-Go 5x5", fontsize="medium")
    panels[0].set_ylabel("score against naive")
    for panel in panels:
        panel.axhline(0, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_ylim(-1.03, 1.03)
