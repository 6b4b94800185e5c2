"""S.transfer: why our trained nets do not do better on the larger board, as the paper's do (its table III).

Evolution on a small board makes nets better there than on a larger one, with few exceptions, while the paper reports
the contrary. Its larger board is another game against a weaker opponent (see S.archive): that decides its p. Played as
the text says, what decides p? Here every open point of the paper is read in its other ways (the size of mutations, the
border of the net, suicide, the settings of the authors' scripts), and experiments try to make nets more general:
noisier selection, fewer hidden units, a temperature, less training, and training on two board sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.measured import Measured, correlation, difference, mean, pearson
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable, guide
from zeroply.studies.schaul import runs
from zeroply.studies.schaul.scenarios import Scaling, pooled
from zeroply.studies.schaul.table3 import SCRIPTS_EVOLUTION
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grouped, part_of

BOARDS = {"Atari-Go": (5, 9), "Gomoku": (7, 11)}
"""Trained on, and tested on."""
PAPER, SIGMA, BORDER, SUICIDE = "as the paper", "mutations of 0.316", "borders by distance", "suicide illegal"
SCRIPTS = "as the scripts"
UNTRAINED, EARLY, SMALL, BOTH = "untrained", "as the paper, generations 5 to 15", "k = 3", "trained on two sizes"
READINGS = (PAPER, SIGMA, BORDER, SUICIDE, SCRIPTS)
"""What the paper's words allow: N(0, 0.1) may mean a variance of 0.1, which is a deviation of 0.316; the public
descendant of its code has a border vector for each distance from the corner; its rules may forbid suicide. The authors'
scripts have one such vector, a (5+5) strategy with smaller mutations and initial weights, and nets that are White.
"""
VARIANTS: dict[str, Mapping[str, Any]] = {
    UNTRAINED: {},
    PAPER: {},
    SIGMA: {"sigma": 0.316},
    BORDER: {},
    SUICIDE: {},
    SCRIPTS: {"net": runs.authors_form(), **SCRIPTS_EVOLUTION},
    EARLY: {},
    "4 games an evaluation": {"games": 4},
    SMALL: {"net": "mdrnn(k=3)"},
    "temperature 0.5": {"temperature": 0.5},
    BOTH: {},
}
"""What differs from the paper's settings. All but the readings are experiments: section IV-B says k = 10."""

Groups = Mapping[tuple[Any, ...], Scaling]
"""By game and variant, the nets of all runs on both boards."""


class TrainingSettings(Study):
    """Training settings and the larger board."""

    name = "S.transfer"
    title = "which training makes nets do better on the larger board"
    source = "Schaul and Schmidhuber 2009, table III and section V-E, examined"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return [
            Unit(f"{name} {variant} run {seed}", {"scale": scale, "game": name, "variant": variant}, seed)
            for name in BOARDS
            for variant in VARIANTS
            if variant != SUICIDE or name == "Atari-Go"
            for seed in runs.run_seeds(seeds, runs.SIZES[scale].variants)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, name, variant = unit.settings.values()
        sizes = dict(zip(("small", "large"), BOARDS[name], strict=True))
        specs = {
            which: f"atarigo(size={size}, suicide=illegal)" if variant == SUICIDE else runs.board(name, size)
            for which, size in sizes.items()
        }
        net, weights = self._nets(unit, specs["small"], part_of(progress, 0, 1 / 3))
        games, key = runs.SIZES[scale].games, chance.key(unit.seed, unit.name)
        return runs.on_boards(specs, net, weights, "naive", games, key, part_of(progress, 1 / 3, 1))

    def _nets(self, unit: Unit, spec: str, progress: Progress) -> tuple[str, runs.Weights]:
        scale, name, variant = unit.settings.values()
        count, (small, large) = runs.SIZES[scale].nets_of_a_run, BOARDS[name]
        if variant == UNTRAINED:
            return runs.NET, runs.untrained(runs.NET, spec, count, chance.key(unit.seed, unit.name, "nets"))
        changes: dict[str, Any] = {"game": spec, **VARIANTS[variant]}
        if variant == BOTH:
            changes["sizes"] = (small, (small + large) // 2)
        if variant == BORDER:
            changes["net"] = f"mdrnn(k=10, border=distance, distances={(small + 1) // 2})"
        config = runs.evolution_config(name, small, scale, unit.seed, **changes)
        weights = runs.evolved(self.folders, scale, config, progress).weights
        rows = np.arange(4, 15) if variant == EARLY else np.arange(runs.SIZES[scale].ignored, len(weights))
        rows = rows[rows < len(weights)] if (rows < len(weights)).any() else np.array([len(weights) - 1])
        return config.net, weights[rows[runs.spread(len(rows), count)]]

    def findings(self, units: Units, scale: Scale) -> Report:
        groups = {case: pooled(several) for case, several in grouped(units, "game", "variant").items()}
        rows = [
            {
                "game": name,
                "training": variant,
                "kind": "" if variant == UNTRAINED else "reading" if variant in READINGS else "experiment",
                "runs": len(its.shares),
                **its.means,
                **its.row,
                "p of a run": mean(its.shares),
                "lowest": round(min(its.shares), 2),
                "highest": round(max(its.shares), 2),
            }
            for (name, variant), its in groups.items()
        ]
        return Report(
            "Champions of evolution on a small board (by default without the first generations) against naive, on that "
            "board and on a larger one: 5x5 and 9x9 for Atari-Go, 7x7 and 11x11 for Gomoku. p is the share of nets "
            "that do better on the larger board. Champions of a run are relatives, so runs are counted: *p of a run* "
            "is the mean over the runs. *readings* are what the paper's text allows: N(0, 0.1) as a variance, a border "
            "vector for each distance from the corner as in the public code (distances beyond those of the board "
            "trained on share the last one), suicide forbidden, and the settings of the authors' scripts. "
            "*experiments* change what the paper states, such as "
            "k = 10. *trained on two sizes* adds the size in between.",
            [ResultTable("variants", "mean performance on both boards; p over all nets, and of the runs", rows)],
            _claims(groups),
            [Drawing("variants", "p of every run", lambda figure: _draw(figure, groups))],
        )


def _claims(groups: Groups) -> list[Claim]:
    scatter = [one for (_, v), its in groups.items() if v not in (UNTRAINED, EARLY) for one in _scatter(its)]
    more = {name: difference(groups[name, SMALL].shares, groups[name, PAPER].shares) for name in BOARDS}
    better = {name: difference(groups[name, BOTH].on_large, groups[name, PAPER].on_large) for name in BOARDS}
    levels = {name: _level_and_p(groups, name) for name in BOARDS}
    claim, ours = partial(Claim, "section V-E"), partial(Claim, "our experiment")
    return [
        *(
            claim(
                f"Some reading of the paper's settings makes most nets do better on the larger board ({name})",
                {one: mean(groups[name, one].shares) for one in READINGS if (name, one) in groups},
                above(0.5),
                needed=1,
                note="p of a run",
            )
            for name in BOARDS
        ),
        claim(
            "Whether nets do better on the larger board depends on the run they come from",
            mean(scatter, 1) if scatter else Measured(1.0),
            above(1),
            note="variance of p between runs, where independent nets would give 1",
        ),
        ours(
            "The better the nets of a run play on the small board, the fewer do better on the larger one",
            levels,
            below(0),
            note="correlation over all trained runs",
        ),
        ours(
            "With three hidden units instead of ten more nets do better on the larger board",
            more,
            above(0),
            note="difference of p",
        ),
        ours(
            "Training on two board sizes helps on a third, larger one",
            better,
            above(0),
            note="difference of performance there",
        ),
    ]


def _level_and_p(groups: Groups, name: str) -> Measured:
    """The correlation of the mean performance on the small board and p, over all runs but those of untrained nets."""
    each = [run for (game, v), its in groups.items() if game == name and v != UNTRAINED for run in its.each]
    return correlation(pearson([float(run.small.mean()) for run in each], [run.p.value for run in each]), len(each))


def _scatter(its: Scaling) -> list[float]:
    """The squared deviation of each run's p from their mean, in binomial variances; empty if all are alike."""
    n, shares = np.array(its.runs), np.array(its.shares)
    p = float(n @ shares / n.sum())
    if not 0 < p < 1 or len(shares) < 2:
        return []
    unbiased = len(shares) / (len(shares) - 1)
    return [float(one) for one in unbiased * n * (shares - p) ** 2 / (p * (1 - p))]


def _draw(figure: Figure, groups: Groups) -> None:
    panels = figure.subplots(1, len(BOARDS), sharey=True)
    for panel, (name, (small, large)) in zip(panels, BOARDS.items(), strict=True):
        for row, variant in enumerate(VARIANTS):
            if (name, variant) in groups:
                shares = groups[name, variant].shares
                panel.plot(shares, [row] * len(shares), "o", color=COLOURS[0], alpha=0.6)
                panel.plot(float(np.mean(shares)), row, "|", color=COLOURS[1], markersize=16, markeredgewidth=2)
        guide(panel, 0.5, vertical=True)
        panel.set_title(f"{name}: {small}x{small} to {large}x{large}", fontsize="medium")
        panel.set(xlim=(-0.03, 1.03), xlabel="p of a run (line: mean)")
    panels[0].set_yticks(range(len(VARIANTS)), list(VARIANTS))
    panels[0].invert_yaxis()
