"""S.table1: untrained nets on two board sizes (Schaul and Schmidhuber 2009, table I and section V-B).

Nets with random weights do alike on small and on large boards: that is what the paper calls scalability. Twelve
scenarios, 200 nets each, 100 games each on either board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from zeroply import chance
from zeroply.learning.evolution.scaling import Scaling
from zeroply.studies.s_runs import NET, SIZES, Found, board, untrained
from zeroply.studies.s_scenarios import Published, agreement, compared, measure_both, pooled, row, scatter
from zeroply.studies.study import Claim, Drawing, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED = {
    ("Atari-Go", "random", 5, 9): Published(0.81, 0.71),
    ("Atari-Go", "naive", 5, 9): Published(0.70, 0.49),
    ("Atari-Go", "random", 7, 11): Published(0.78, 0.73),
    ("Atari-Go", "naive", 7, 11): Published(0.72, 0.56),
    ("Atari-Go", "random", 9, 19): Published(0.71, 0.76),
    ("Atari-Go", "naive", 9, 19): Published(0.66, 0.61),
    ("Gomoku", "random", 5, 9): Published(0.12, 0.79),
    ("Gomoku", "naive", 5, 9): Published(0.07, 0.42),
    ("Gomoku", "random", 7, 11): Published(0.60, 0.78),
    ("Gomoku", "naive", 7, 11): Published(0.64, 0.58),
    ("Gomoku", "random", 9, 19): Published(0.63, 0.77),
    ("Gomoku", "naive", 9, 19): Published(0.62, 0.67),
}
"""Table I of the paper."""

Scenario = tuple[str, str, int, int]
"""Game, opponent, smaller and larger board size."""


def scenario_unit(scenario: Scenario, scale: Scale, seed: int) -> Unit:
    """The unit that measures untrained nets in a scenario."""
    name, opponent, small, large = scenario
    size = SIZES[scale]
    settings = {"game": name, "opponent": opponent, "small": small, "large": large}
    return Unit(
        f"{name} {opponent} {small} vs {large} seed {seed}", {**settings, "nets": size.nets, "games": size.games}, seed
    )


def measure_scenario(unit: Unit, progress: Progress, net: str = NET) -> Measures:
    """Untrained nets on both boards."""
    the_game = board(unit.settings["game"], unit.settings["small"])
    weights = untrained(net, the_game, unit.settings["nets"], chance.key(unit.seed, unit.name, "nets"))
    return measure_both(unit, net, weights, progress, unit.settings["games"])


def scenario_result(found: Found, scenario: Scenario) -> Scaling | None:
    """What was found in a scenario."""
    measures = pooled(found, **dict(zip(("game", "opponent", "small", "large"), scenario, strict=True)))
    return None if measures is None else compared(measures)


class Table1(Study):
    """Untrained nets on two board sizes."""

    name = "S.table1"
    title = "untrained MDRNNs on two board sizes: correlation and proportion p"
    source = "Schaul and Schmidhuber 2009, table I and section V-B"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each scenario and seed."""
        return [scenario_unit(scenario, scale, seed) for scenario in PUBLISHED for seed in range(1, seeds + 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Untrained nets on both boards."""
        return measure_scenario(unit, progress)

    def report(self, found: Found) -> Report:
        """Ours beside the paper's, scenario by scenario."""
        results = {one: result for one in PUBLISHED if (result := scenario_result(found, one)) is not None}
        rows = [
            {"game": name, "opponent": opponent, "sizes": f"{small} vs {large}", **row(result, PUBLISHED[scenario])}
            for scenario, result in results.items()
            for name, opponent, small, large in [scenario]
        ]
        return Report(
            "Each scenario takes its own nets with weights from N(0, 1); every net plays greedily, on both boards, "
            "against the same kind of opponent, alternating who starts. r is Pearson's correlation of the two "
            "performances over the nets, p the share of nets that do better on the larger board (equals count half), "
            "gain the mean difference. *S* is the paper; *apart* is the difference in standard errors of both samples, "
            "the paper's taken as 200 nets.",
            [Table("scenarios", "ours with 95 % intervals beside the paper's (S)", rows)],
            claims(results),
            [Drawing("scenarios", "every net on both boards, against naive", lambda figure: _draw(figure, found))],
        )


def claims(results: dict[Scenario, Scaling]) -> list[Claim]:
    """What the paper says of its table."""
    lows = {one: result.correlation_interval.low for one, result in results.items()}
    correlations = {one: result.correlation for one, result in results.items()}
    usual = {one: r for one, r in correlations.items() if not _mostly_drawn(one)}
    drawn = [r for one, r in correlations.items() if _mostly_drawn(one)]
    above = [one for one, result in results.items() if result.higher_interval.low > 0.5]
    below = [one for one, result in results.items() if result.higher_interval.high < 0.5]
    return [
        Claim(
            "The correlations are always positive",
            f"from {min(correlations.values()):.2f} to {max(correlations.values()):.2f}; "
            f"{sum(low > 0 for low in lows.values())} of {len(lows)} are so with their whole interval",
            min(correlations.values()) > 0,
        ),
        Claim(
            "They are high in all scenarios but Gomoku on 5x5, where most games are drawn",
            f"{min(usual.values()):.2f} to {max(usual.values()):.2f}, and there {' and '.join(f'{r:.2f}' for r in drawn)}",
            min(usual.values()) > 0.5 > max(drawn),
        ),
        Claim(
            "In almost all cases p is significantly larger than one half",
            f"in {len(above)} of {len(results)} with the whole interval; in {len(below)} it is smaller than one half",
            len(above) >= len(results) - 3,
        ),
        agreement([(" ".join(map(str, one)), result, PUBLISHED[one]) for one, result in results.items()]),
    ]


def _mostly_drawn(scenario: Scenario) -> bool:
    return scenario[0] == "Gomoku" and scenario[2] == 5


def _draw(figure: Figure, found: Found) -> None:
    shown = [scenario for scenario in PUBLISHED if scenario[1] == "naive"]
    figure.set_size_inches(10, 7)
    for panel, (name, opponent, small, large) in zip(figure.subplots(2, 3).ravel(), shown, strict=True):
        measures = pooled(found, game=name, opponent=opponent, small=small, large=large)
        if measures:
            scatter(panel, measures, f"{name}, {opponent}", small, large)
