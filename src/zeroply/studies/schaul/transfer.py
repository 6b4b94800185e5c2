"""S.transfer: why our trained nets do not do better on the larger board, as those of the paper do (its table III).

S.table3 finds that evolution on a small board makes nets better there than on a larger one, with few exceptions, while
the paper reports the contrary. Here what the paper leaves open is read in its other ways (the size of mutations, the
border of the net, suicide), and what might make nets less special is tried as an experiment: noisier selection, fewer
hidden units, a temperature, less training, and training on two board sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.learning.evolution.scaling import Scaling, scaling
from zeroply.studies.schaul.runs import (
    NET,
    SIZES,
    board,
    evolution_config,
    evolved,
    performance,
    rounded,
    run_seeds,
    untrained,
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
from zeroply.studies.verdicts import Estimate, Verdict, all_of, any_of, chi_square_quantile, difference, mean_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BOARDS = {"Atari-Go": (5, 9), "Gomoku": (7, 11)}
"""Trained on, and tested on."""
PAPER, SIGMA, BORDER, SUICIDE = "as the paper", "mutations of 0.316", "borders by distance", "suicide illegal"
UNTRAINED, EARLY, SMALL, BOTH = "untrained", "as the paper, generations 5 to 15", "k = 3", "trained on two sizes"
READINGS = (PAPER, SIGMA, BORDER, SUICIDE)
"""What the paper's words allow: N(0, 0.1) may mean a variance of 0.1, which is a deviation of 0.316; the public
descendant of its code has a border vector for each distance from the corner; its rules may forbid suicide.
"""
VARIANTS: dict[str, Mapping[str, Any]] = {
    UNTRAINED: {},
    PAPER: {},
    SIGMA: {"sigma": 0.316},
    BORDER: {},
    SUICIDE: {},
    EARLY: {},
    "4 games an evaluation": {"games": 4},
    SMALL: {"net": "mdrnn(k=3)"},
    "temperature 0.5": {"temperature": 0.5},
    BOTH: {},
}
"""What differs from the paper's settings. All but the readings are experiments: section IV-B says k = 10."""
RUNS: dict[Scale, int] = {"smoke": 1, "cpu": 2, "paper": 5}
NETS_OF_A_RUN: dict[Scale, int] = {"smoke": 3, "cpu": 20, "paper": 40}


class TrainingSettings(Study):
    """Training settings and the larger board."""

    name = "S.transfer"
    title = "which training makes nets do better on the larger board"
    source = "Schaul and Schmidhuber 2009, table III and section V-E, examined"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game, variant and run."""
        return [
            Unit(f"{name} {variant} run {seed}", {"scale": scale, "game": name, "variant": variant}, seed)
            for name in BOARDS
            for variant in _variants(name)
            for seed in run_seeds(seeds, RUNS[scale])
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The champions of a run on both boards."""
        scale, name, variant = (unit.settings[key] for key in ("scale", "game", "variant"))
        net, weights = self._nets(unit, part_of(progress, 0, 1 / 3))
        found = {}
        for number, (which, size) in enumerate(zip(("small", "large"), BOARDS[name], strict=True), 1):
            key, report = chance.key(unit.seed, unit.name, which), part_of(progress, number / 3, (number + 1) / 3)
            the_game = _board(name, variant, size)
            found[which] = rounded(performance(the_game, net, weights, "naive", SIZES[scale].games, key, report))
        return found

    def _nets(self, unit: Unit, progress: Progress) -> tuple[str, NDArray[np.float32]]:
        scale, name, variant = (unit.settings[key] for key in ("scale", "game", "variant"))
        wanted, (small, large) = NETS_OF_A_RUN[scale], BOARDS[name]
        if variant == UNTRAINED:
            return NET, untrained(NET, board(name, small), wanted, chance.key(unit.seed, unit.name, "nets"))
        changes: dict[str, Any] = {"game": _board(name, variant, small), **VARIANTS[variant]}
        if variant == BOTH:
            changes["sizes"] = (small, (small + large) // 2)
        if variant == BORDER:
            changes["net"] = f"mdrnn(k=10, border=distance, distances={(small + 1) // 2})"
        config = evolution_config(name, small, scale, unit.seed, **changes)
        kept = evolved(self.place, scale, config, progress).weights
        rows = np.arange(4, 15) if variant == EARLY else np.arange(SIZES[scale].ignored, len(kept))
        rows = rows[rows < len(kept)] if (rows < len(kept)).any() else np.array([len(kept) - 1])
        chosen = rows[np.linspace(0, len(rows) - 1, min(wanted, len(rows))).round().astype(np.int64)]
        return config.net, kept[chosen]

    def report(self, found: Found) -> Report:
        """Every variant, and p run by run."""
        groups = {(name, variant): Runs.of(found, name, variant) for name in BOARDS for variant in _variants(name)}
        rows = [_row(name, variant, runs) for (name, variant), runs in groups.items()]
        return Report(
            "Champions of evolution on a small board (without the first generations, where nothing else is said) "
            "against naive, on that board and on a larger one: 5x5 and 9x9 for Atari-Go, 7x7 and 11x11 for Gomoku. p "
            "is the share of nets that do better on the larger board. Champions of a run are relatives, so a run is "
            "what is counted: *p of a run* is the mean over the runs with its standard error. *readings* are what the "
            "paper's words allow: N(0, 0.1) as a variance, a border vector for each distance from the corner as in "
            "the public code (distances beyond those of the board trained on share the last one), suicide forbidden. "
            "*experiments* change what the paper states, such as k = 10. *trained on two sizes* adds the size in "
            "between.",
            [Table("variants", "mean performance on both boards; p over all nets, and of the runs", rows)],
            _claims(groups),
            [Drawing("variants", "p of every run", lambda figure: _draw(figure, groups))],
        )


def _variants(name: str) -> list[str]:
    return [variant for variant in VARIANTS if variant != SUICIDE or name == "Atari-Go"]


def _board(name: str, variant: str, size: int) -> str:
    return f"atarigo(size={size}, suicide=illegal)" if variant == SUICIDE else board(name, size)


@dataclass(frozen=True)
class Runs:
    """The runs of one variant in one game."""

    small: tuple[NDArray[np.float64], ...]
    """Performance of the nets of each run on the board they were trained on."""
    large: tuple[NDArray[np.float64], ...]
    """And on the larger one."""

    @classmethod
    def of(cls, found: Found, name: str, variant: str) -> Runs:
        """The measured runs of a variant."""
        wanted = {"game": name, "variant": variant}
        chosen = [m for unit, m in found if wanted.items() <= unit.settings.items()]
        small, large = (tuple(np.asarray(one[which], np.float64) for one in chosen) for which in ("small", "large"))
        return cls(small, large)

    @property
    def all(self) -> Scaling:
        """All nets together."""
        return scaling(np.concatenate(self.small), np.concatenate(self.large))

    @property
    def shares(self) -> list[float]:
        """p of each run."""
        return [scaling(*both).higher for both in zip(self.small, self.large, strict=True)]

    @property
    def on_large(self) -> list[float]:
        """Mean performance on the larger board of each run."""
        return [float(run.mean()) for run in self.large]

    @property
    def scatter(self) -> tuple[float, int]:
        """Squared deviations of the runs' p from their mean in binomial variances, and their degrees of freedom."""
        sizes, shares = np.array([len(run) for run in self.large]), np.array(self.shares)
        p = float(sizes @ shares / sizes.sum())
        if not 0 < p < 1:
            return 0.0, 0
        return float(sizes @ (shares - p) ** 2) / (p * (1 - p)), len(shares) - 1


def _row(name: str, variant: str, runs: Runs) -> dict[str, Any]:
    result, shares = runs.all, runs.shares
    return {
        "game": name,
        "training": variant,
        "kind": "" if variant == UNTRAINED else "reading" if variant in READINGS else "experiment",
        "runs": len(shares),
        "n": result.nets,
        "on small": round(float(np.concatenate(runs.small).mean()), 2),
        "on large": round(float(np.concatenate(runs.large).mean()), 2),
        "r": round(result.correlation, 2),
        "p": round(result.higher, 2),
        "p of a run": str(mean_of(shares)).lstrip("+"),
        "lowest": round(min(shares), 2),
        "highest": round(max(shares), 2),
    }


Groups = Mapping[tuple[str, str], Runs]


def _claims(groups: Groups) -> list[Claim]:
    return [
        *(_readings(groups, name) for name in BOARDS),
        _apart(groups),
        _experiment(
            "Experiment: with three hidden units instead of ten more nets do better on the larger board",
            "p of a run",
            {name: difference(groups[name, SMALL].shares, groups[name, PAPER].shares) for name in BOARDS},
        ),
        _experiment(
            "Experiment: training on two board sizes helps on a third, larger one",
            "performance there",
            {name: difference(groups[name, BOTH].on_large, groups[name, PAPER].on_large) for name in BOARDS},
        ),
    ]


def _readings(groups: Groups, name: str) -> Claim:
    found = {reading: mean_of(groups[name, reading].shares) for reading in READINGS if (name, reading) in groups}
    return Claim(
        f"Some reading of the paper's settings makes most nets do better on the larger board ({name})",
        "p of a run: " + ", ".join(f"{reading} {str(p).lstrip('+')}" for reading, p in found.items()),
        any_of(p.above(0.5, comparisons=len(found)) for p in found.values()),
    )


def _apart(groups: Groups) -> Claim:
    """Whether runs differ more than they would if each of their nets were a case of its own."""
    trained = _together(runs for (_, variant), runs in groups.items() if variant not in (UNTRAINED, EARLY))
    control = _together(runs for (_, variant), runs in groups.items() if variant == UNTRAINED)
    squares, degrees = trained
    holds: Verdict = None
    if degrees:
        holds = True if squares > chi_square_quantile(degrees, 0.975) else False if squares < degrees else None
    said = [f"{which} {s / d:.1f}" for which, (s, d) in (("trained", trained), ("untrained", control)) if d]
    return Claim(
        "Whether nets do better on the larger board depends on the run they come from",
        "variance of p between runs, where 1 is what independent nets would give: " + (", ".join(said) or "unknown"),
        holds,
    )


def _together(some: Iterable[Runs]) -> tuple[float, int]:
    scatters = [runs.scatter for runs in some]
    return sum(squares for squares, _ in scatters), sum(degrees for _, degrees in scatters)


def _experiment(claim: str, what: str, found: Mapping[str, Estimate]) -> Claim:
    said = f"{what}: " + ", ".join(f"{name} {gain}" for name, gain in found.items())
    return Claim(claim, said, all_of(gain.above(comparisons=len(found)) for gain in found.values()))


def _draw(figure: Figure, groups: Groups) -> None:
    panels = figure.subplots(1, len(BOARDS), sharey=True)
    for panel, (name, (small, large)) in zip(panels, BOARDS.items(), strict=True):
        for row, variant in enumerate(VARIANTS):
            if (name, variant) in groups:
                shares = groups[name, variant].shares
                panel.plot(shares, [row] * len(shares), "o", color=COLOURS[0], alpha=0.6)
                panel.plot(float(np.mean(shares)), row, "|", color=COLOURS[1], markersize=16, markeredgewidth=2)
        panel.set_xlim(-0.03, 1.03)
        panel.axvline(0.5, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_title(f"{name}: {small}x{small} to {large}x{large}", fontsize="medium")
        panel.set_xlabel("p of a run (line: mean)")
    panels[0].set_yticks(range(len(VARIANTS)), list(VARIANTS))
    panels[0].invert_yaxis()
