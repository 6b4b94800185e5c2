"""S.table3 and S.fig10: trained nets on a larger board (Schaul and Schmidhuber 2009, table III, figure 10).

The champions of evolution and coevolution, without those of the first 50 generations, on the board they were trained on
and on a larger one. For trained nets the small board predicts less, but almost all do better on the larger board.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.learning.champions import Champions
from zeroply.learning.evolution.scaling import Scaling, correlations_apart, proportions_apart, scaling
from zeroply.studies.schaul.coevolution import coevolution
from zeroply.studies.schaul.runs import NET, SIZES, board, evolution_config, evolved, run_seeds, trained, untrained
from zeroply.studies.schaul.scenarios import Published, agreement, compared, measure_both, pooled, row, scatter
from zeroply.studies.schaul.table1 import PUBLISHED as UNTRAINED
from zeroply.studies.study import (
    Claim,
    Drawing,
    Found,
    Measures,
    Place,
    Progress,
    Report,
    Scale,
    Study,
    Table,
    Unit,
    part_of,
)
from zeroply.studies.verdicts import CONFIDENCE, Estimate, all_of, mean_of, t_quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Method = Literal["Coevolution", "Evolution", "Untrained"]
Scenario = tuple[str, Method, int, int]
"""Game, method, board trained on, board tested on."""

PUBLISHED: dict[Scenario, Published] = {
    ("Atari-Go", "Coevolution", 5, 9): Published(0.45, 0.92),
    ("Atari-Go", "Evolution", 5, 9): Published(0.05, 0.61),
    ("Atari-Go", "Evolution", 7, 11): Published(0.07, 0.98),
    ("Gomoku", "Coevolution", 5, 9): Published(-0.11, 0.70),
    ("Gomoku", "Evolution", 5, 9): Published(0.22, 0.73),
    ("Gomoku", "Evolution", 7, 11): Published(0.43, 0.85),
}
"""Table III of the paper."""
BEFORE: tuple[Scenario, ...] = tuple(
    (name, "Untrained", small, large) for name in ("Atari-Go", "Gomoku") for small, large in ((5, 9), (7, 11))
)
"""Nets with random weights in the same places: what training has changed is told from these."""
KEYS = ("game", "method", "small", "large")


def nets_of(place: Place, scale: Scale, scenario: Scenario, seeds: int, progress: Progress) -> NDArray[np.float32]:
    """[nets, parameters]: champions of all runs of a scenario without the first generations, or untrained nets."""
    name, method, small, _ = scenario
    size = SIZES[scale]
    if method == "Untrained":
        return untrained(NET, board(name, small), seeds * size.nets, chance.key(1, "S.table3", *scenario))
    numbers = run_seeds(seeds, size.coevolutions if method == "Coevolution" else size.runs)
    found: list[Champions] = []
    for number, seed in enumerate(numbers):
        report = part_of(progress, number / len(numbers), (number + 1) / len(numbers))
        if method == "Coevolution":
            found.append(coevolution(place, scale, name, seed, report))
        else:
            found.append(evolved(place, scale, evolution_config(name, small, scale, seed), report))
    return trained(found, size.ignored, size.trained)


def scenario_units(scenarios: Sequence[Scenario], scale: Scale, seeds: int) -> list[Unit]:
    """One unit for each scenario; more seeds mean more runs."""
    return [
        Unit(
            f"{name} {method} {small} vs {large}",
            {
                "scale": scale,
                "seeds": seeds,
                "opponent": "naive",
                **dict(zip(KEYS, (name, method, small, large), strict=True)),
            },
            1,
        )
        for name, method, small, large in scenarios
    ]


def measure_scenario(place: Place, unit: Unit, progress: Progress) -> Measures:
    """The champions of a scenario on both boards."""
    scale, seeds = unit.settings["scale"], unit.settings["seeds"]
    name, method, small, large = (unit.settings[key] for key in KEYS)
    weights = nets_of(place, scale, (name, method, small, large), seeds, part_of(progress, 0, 1 / 2))
    return measure_both(unit, NET, weights, part_of(progress, 1 / 2, 1), SIZES[scale].games)


def results(found: Found, scenarios: Iterable[Scenario] = PUBLISHED) -> dict[Scenario, Scaling]:
    """Every one of these scenarios that was measured, its boards compared."""
    return {
        scenario: compared(measures)
        for scenario in scenarios
        if (measures := pooled(found, **dict(zip(KEYS, scenario, strict=True)))) is not None
    }


class Table3(Study):
    """Trained nets on two board sizes."""

    name = "S.table3"
    title = "trained MDRNNs on the board they learned on and on a larger one"
    source = "Schaul and Schmidhuber 2009, table III and section V-E"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each scenario, with trained and with untrained nets."""
        return scenario_units([*PUBLISHED, *BEFORE], scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The champions of a scenario on both boards."""
        return measure_scenario(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """Ours beside the paper's, scenario by scenario."""
        known, before = results(found), results(found, BEFORE)
        rows = [_row(scenario, result, found) for scenario, result in known.items()]
        return Report(
            "Trained nets are generation champions of the runs of S.fig6 (evolution) and S.table2 (coevolution, "
            "elitist), spread evenly over the runs, without the first generations. Performance is against naive, "
            "which the evolved nets were trained against and the coevolved ones never met. Champions of one run are "
            "relatives, so the intervals, which take them as independent, are too narrow. Columns as in S.table1; *on "
            "small* and "
            "*on large* are mean performances. *untrained* compares with nets with random weights in the same places; "
            "*apart* is there in standard errors of both.",
            [
                Table("scenarios", "ours with 95 % intervals beside the paper's (S)", rows),
                Table("untrained", "r and p of trained and of untrained nets", _changes(known, before)),
                Table("runs", "p of the runs of each scenario", list(_run_rows(found))),
            ],
            _claims(known, before, {one: _shares(found, one) for one in known}),
            [Drawing("scenarios", "every champion on both boards", lambda figure: _draw(figure, found, list(known)))],
        )


class Fig10(Study):
    """Coevolved nets on two board sizes."""

    name = "S.fig10"
    title = "coevolved MDRNNs on 5x5 and 9x9"
    source = "Schaul and Schmidhuber 2009, figure 10 and section V-E"
    scenarios: tuple[Scenario, ...] = (("Atari-Go", "Coevolution", 5, 9), ("Gomoku", "Coevolution", 5, 9))

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game; the same nets and games as in S.table3."""
        return scenario_units(self.scenarios, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The champions of a scenario on both boards."""
        return measure_scenario(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """The points, and where most of them lie."""
        known = results(found)
        rows = [_row(scenario, result, found) for scenario, result in known.items()]
        higher = {one[0]: mean_of(_shares(found, one)) for one in known}
        return Report(
            "Every point is a champion of a coevolutionary run on 5x5. Above the dotted line it does better on 9x9.",
            [Table("points", "5x5 and 9x9 against naive, beside table III of the paper (S)", rows)],
            [
                Claim(
                    "Most coevolved nets do better on the larger board, on which they were not trained",
                    "p of a run: " + ", ".join(f"{name} {_plain(share)}" for name, share in higher.items()),
                    all_of(share.above(0.5, comparisons=len(higher)) for share in higher.values()),
                )
            ],
            [Drawing("scatter", "performance on 5x5 and 9x9", lambda f: _draw(f, found, list(known)))],
        )


def _row(scenario: Scenario, result: Scaling, found: Found) -> dict[str, Any]:
    name, method, small, large = scenario
    measures = pooled(found, **dict(zip(KEYS, scenario, strict=True)))
    means = [round(float(side.mean()), 2) for side in measures] if measures else [0.0, 0.0]
    both = {"on small": means[0], "on large": means[1]}
    return {"game": name, "method": method, "sizes": f"{small} vs {large}", **both, **row(result, PUBLISHED[scenario])}


def _plain(share: Estimate) -> str:
    return str(share).lstrip("+")


def _shares(found: Found, scenario: Scenario) -> list[float]:
    """p of every run of a scenario: champions of a run are relatives."""
    wanted = dict(zip(KEYS, scenario, strict=True))
    unit, measures = next(one for one in found if wanted.items() <= one[0].settings.items())
    size, seeds = SIZES[unit.settings["scale"]], unit.settings["seeds"]
    runs = len(run_seeds(seeds, size.coevolutions if scenario[1] == "Coevolution" else size.runs))
    low, high = np.asarray(measures["small"]), np.asarray(measures["large"])
    groups = np.array_split(np.arange(len(low)), runs)
    return [scaling(low[rows], high[rows]).higher for rows in groups if len(rows)]


def _run_rows(found: Found) -> Iterator[dict[str, Any]]:
    """p among the runs of each scenario."""
    for scenario in results(found):
        name, method, small, large = scenario
        shares = sorted(_shares(found, scenario))
        yield {
            "game": name,
            "method": method,
            "sizes": f"{small} vs {large}",
            "runs": len(shares),
            "p of a run": _plain(mean_of(shares)),
            "lowest": round(shares[0], 2),
            "median": round(float(np.median(shares)), 2),
            "highest": round(shares[-1], 2),
            "runs with p above 1/2": sum(share > 0.5 for share in shares),
            "S p": PUBLISHED[scenario].higher,
        }


def _untrained(scenario: Scenario) -> Scenario:
    return scenario[0], "Untrained", scenario[2], scenario[3]


def _apart(result: Scaling, before: Scaling) -> tuple[float, float]:
    """How far trained nets are from untrained ones in correlation and in p, in standard errors of both."""
    n, m = max(result.nets, 5), max(before.nets, 5)
    return (
        correlations_apart(result.correlation, n, before.correlation, m),
        proportions_apart(result.higher, n, before.higher, m),
    )


def _changes(known: Mapping[Scenario, Scaling], before: Mapping[Scenario, Scaling]) -> list[dict[str, Any]]:
    rows = []
    for scenario, result in known.items():
        name, method, small, large = scenario
        same = before[_untrained(scenario)]
        r, p = _apart(result, same)
        rows.append(
            {
                "game": name,
                "method": method,
                "sizes": f"{small} vs {large}",
                "r": round(result.correlation, 2),
                "untrained r": round(same.correlation, 2),
                "r apart": round(r, 1),
                "p": round(result.higher, 2),
                "untrained p": round(same.higher, 2),
                "p apart": round(p, 1),
                "S untrained r": UNTRAINED[name, "naive", small, large].correlation,
                "S untrained p": UNTRAINED[name, "naive", small, large].higher,
            }
        )
    return rows


def _claims(
    known: Mapping[Scenario, Scaling], before: Mapping[Scenario, Scaling], shares: Mapping[Scenario, list[float]]
) -> list[Claim]:
    """What the paper says of its table; it compares with untrained nets against naive."""
    apart = [_apart(result, before[_untrained(one)]) for one, result in known.items()]
    runs = {one: mean_of(some) for one, some in shares.items()}
    grows = [one for one, share in runs.items() if share.above(0.5)]
    return [
        _generally(
            "The correlations are generally much lower than for untrained nets", "lower", [-r for r, _ in apart]
        ),
        _generally("p is much higher than for untrained nets", "higher", [p for _, p in apart]),
        Claim(
            "The large majority of trained nets does better on the larger board",
            f"p of a run from {min(p.value for p in runs.values()):.2f} to {max(p.value for p in runs.values()):.2f}; "
            f"above one half with the whole interval in {len(grows)} of {len(known)} scenarios",
            all_of(share.above(0.5, comparisons=len(runs)) for share in runs.values()),
        ),
        *agreement([(" ".join(map(str, one)), result, PUBLISHED[one]) for one, result in known.items()]),
    ]


def _generally(claim: str, way: str, apart: Sequence[float]) -> Claim:
    """A claim on most scenarios, by distances in standard errors that are positive where it is so."""
    limit = t_quantile(math.inf, 1 - (1 - CONFIDENCE) / len(apart))
    so, not_so = (sum(sign * one > limit for one in apart) for sign in (1, -1))
    most, unclear = len(apart) / 2, len(apart) - so - not_so
    return Claim(
        claim,
        f"clearly {way} in {so} of {len(apart)} scenarios, clearly not in {not_so} (beyond {limit:.1f} standard errors "
        "of both samples)",
        True if so > most else False if so + unclear <= most else None,
    )


def _draw(figure: Figure, found: Found, scenarios: Sequence[Scenario]) -> None:
    rows = 2 if len(scenarios) > 3 else 1
    if rows == 2:
        figure.set_size_inches(10, 7)
    panels = figure.subplots(rows, (len(scenarios) + rows - 1) // rows, squeeze=False).ravel()
    for panel, (name, method, small, large) in zip(panels, scenarios, strict=False):
        measures = pooled(found, **dict(zip(KEYS, (name, method, small, large), strict=True)))
        if measures:
            scatter(panel, measures, f"{name}, {method.lower()}", small, large)
