"""S.transfer: why our trained nets do not do better on the larger board, as those of the paper do (its table III).

S.table3 finds that evolution on a small board makes nets better there than on a larger one, with few exceptions, while
the paper reports the contrary. Here the settings that the paper leaves open, or that might make nets less special, are
tried one by one: the size of mutations, noisier selection, fewer hidden units, a temperature, less training, and
training on two board sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.learning.evolution.scaling import scaling
from zeroply.studies.s_fig6 import run_config
from zeroply.studies.s_runs import (
    COLOURS,
    NET,
    SIZES,
    Found,
    board,
    evolved,
    part_of,
    performance,
    rounded,
    run_seeds,
    untrained,
)
from zeroply.studies.study import Claim, Drawing, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BOARDS = {"Atari-Go": (5, 9), "Gomoku": (7, 11)}
"""Trained on, and tested on."""
PAPER = "as the paper"
UNTRAINED = "untrained"
EARLY = "as the paper, generations 5 to 15"
BOTH = "trained on two sizes"
VARIANTS: dict[str, Mapping[str, Any]] = {
    UNTRAINED: {},
    EARLY: {},
    PAPER: {},
    "mutations of 0.316": {"sigma": 0.316},
    "4 games an evaluation": {"games": 4},
    "k = 3": {"net": "mdrnn(k=3)"},
    "temperature 0.5": {"temperature": 0.5},
    BOTH: {"sizes": "both"},
}
"""What differs from the paper's settings; N(0, 0.1) may mean a variance of 0.1, which is a deviation of 0.316."""
RUNS: dict[Scale, int] = {"smoke": 1, "cpu": 2, "paper": 5}
NETS_OF_A_RUN: dict[Scale, int] = {"smoke": 3, "cpu": 20, "paper": 40}


class Transfer(Study):
    """Training settings and the larger board."""

    name = "S.transfer"
    title = "which training makes nets do better on the larger board"
    source = "Schaul and Schmidhuber 2009, table III and section V-E, examined"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game, variant and run."""
        return [
            Unit(f"{name} {variant} run {seed}", {"scale": scale, "game": name, "variant": variant}, seed)
            for name in BOARDS
            for variant in VARIANTS
            for seed in run_seeds(seeds, RUNS[scale])
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The champions of a run on both boards."""
        scale, name = unit.settings["scale"], unit.settings["game"]
        net, weights = self._nets(unit, part_of(progress, 0, 3))
        found = {}
        for number, (which, size) in enumerate(zip(("small", "large"), BOARDS[name], strict=True), 1):
            key, report = chance.key(unit.seed, unit.name, which), part_of(progress, number, 3)
            found[which] = rounded(
                performance(board(name, size), net, weights, "naive", SIZES[scale].games, key, report)
            )
        return found

    def _nets(self, unit: Unit, progress: Progress) -> tuple[str, NDArray[np.float32]]:
        scale, name, variant = (unit.settings[key] for key in ("scale", "game", "variant"))
        wanted, (small, large) = NETS_OF_A_RUN[scale], BOARDS[name]
        if variant == UNTRAINED:
            return NET, untrained(NET, board(name, small), wanted, chance.key(unit.seed, unit.name, "nets"))
        changes = dict(VARIANTS[variant])
        if variant == BOTH:
            changes["sizes"] = (small, (small + large) // 2)
        config = run_config(name, small, scale, unit.seed, **changes)
        kept = evolved(self.place, scale, config, progress).weights
        rows = np.arange(4, 15) if variant == EARLY else np.arange(SIZES[scale].ignored, len(kept))
        rows = rows[rows < len(kept)] if (rows < len(kept)).any() else np.array([len(kept) - 1])
        chosen = rows[np.linspace(0, len(rows) - 1, min(wanted, len(rows))).round().astype(np.int64)]
        return config.net, kept[chosen]

    def report(self, found: Found) -> Report:
        """Every variant, and p run by run."""
        rows = [_row(found, name, variant) for name in BOARDS for variant in VARIANTS]
        return Report(
            "Champions of evolution on a small board (without the first generations, where nothing else is said) "
            "against naive, on that board and on a larger one: 5x5 and 9x9 for Atari-Go, 7x7 and 11x11 for Gomoku. p "
            "is the share of nets that do better on the larger board. Champions of a run are relatives, so p is given "
            "run by run: most often it is near 0 or near 1. *trained on two sizes* adds the size in between.",
            [Table("variants", "mean performance on both boards; p over all nets, and its range over the runs", rows)],
            _claims(found, rows),
            [Drawing("variants", "p of every run", lambda figure: _draw(figure, found))],
        )


def _shares(found: Found, name: str, variant: str) -> list[float]:
    """p of every run."""
    wanted = {"game": name, "variant": variant}
    return [scaling(m["small"], m["large"]).higher for unit, m in found if wanted.items() <= unit.settings.items()]


def _row(found: Found, name: str, variant: str) -> dict[str, Any]:
    wanted = {"game": name, "variant": variant}
    chosen = [m for unit, m in found if wanted.items() <= unit.settings.items()]
    small, large = (np.concatenate([one[which] for one in chosen]) for which in ("small", "large"))
    result, shares = scaling(small, large), _shares(found, name, variant)
    return {
        "game": name,
        "training": variant,
        "runs": len(shares),
        "n": result.nets,
        "on small": round(float(small.mean()), 2),
        "on large": round(float(large.mean()), 2),
        "r": round(result.correlation, 2),
        "p": round(result.higher, 2),
        "lowest": round(min(shares), 2),
        "highest": round(max(shares), 2),
    }


def _claims(found: Found, rows: Sequence[dict[str, Any]]) -> list[Claim]:
    trained = [row for row in rows if row["training"] not in (UNTRAINED, BOTH)]
    best = max(trained, key=lambda row: row["p"])
    shares = [p for name in BOARDS for v in VARIANTS if v != UNTRAINED for p in _shares(found, name, v)]
    extreme = float(np.mean([share < 0.2 or share > 0.8 for share in shares]))
    by = {(row["game"], row["training"]): row for row in rows}
    gains = {name: by[name, BOTH]["on large"] - by[name, PAPER]["on large"] for name in BOARDS}
    return [
        Claim(
            "Some reading of the paper's settings makes most nets do better on the larger board",
            f"the highest p is {best['p']:.2f} ({best['game']}, {best['training']})",
            best["p"] > 0.5,
        ),
        Claim(
            "Whether nets do better on the larger board is decided by the run they come from",
            f"p of a run is below 0.2 or above 0.8 in {100 * extreme:.0f} % of the runs",
            extreme > 0.5,
        ),
        Claim(
            "Training on two board sizes helps on a third, larger one",
            ", ".join(f"{name} {gain:+.2f}" for name, gain in gains.items()) + " on the larger board",
            True if min(gains.values()) > 0 else False if max(gains.values()) <= 0 else None,
        ),
    ]


def _draw(figure: Figure, found: Found) -> None:
    panels = figure.subplots(1, len(BOARDS), sharey=True)
    for panel, (name, (small, large)) in zip(panels, BOARDS.items(), strict=True):
        for row, variant in enumerate(VARIANTS):
            shares = _shares(found, name, variant)
            panel.plot(shares, [row] * len(shares), "o", color=COLOURS[0], alpha=0.6)
            panel.plot(float(np.mean(shares)), row, "|", color=COLOURS[1], markersize=16, markeredgewidth=2)
        panel.set_xlim(-0.03, 1.03)
        panel.axvline(0.5, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_title(f"{name}: {small}x{small} to {large}x{large}", fontsize="medium")
        panel.set_xlabel("p of a run (line: mean)")
    panels[0].set_yticks(range(len(VARIANTS)), list(VARIANTS))
    panels[0].invert_yaxis()
