"""S.table1: untrained nets on two board sizes (Schaul and Schmidhuber 2009, table I and section V-B).

Nets with random weights do alike on small and on large boards: that is what the paper calls scalability. Twelve
scenarios, 200 nets each, 100 games each on either board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zeroply import chance
from zeroply.learning.evolution.scaling import Scaling
from zeroply.studies.schaul.runs import NET, SIZES, board, untrained
from zeroply.studies.schaul.scenarios import Published, agreement, compared, measure_both, pooled, row, scatter
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import above, all_of

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
EXPLAINED: tuple[Scenario, ...] = (("Atari-Go", "naive", 5, 9), ("Gomoku", "naive", 7, 11))
"""The scenarios in which other forms of the net are tried."""
OTHER_NETS = ("mdrnn(k=2)", "mdrnn(k=5)", "mdrnn(k=20)", "mdrnn(k=10, border=distance, distances=3)")
"""Other forms of the net."""


def scenario_unit(scenario: Scenario, scale: Scale, seed: int, net: str = NET) -> Unit:
    """The unit that measures untrained nets in a scenario."""
    name, opponent, small, large = scenario
    size = SIZES[scale]
    settings = {"net": net, "game": name, "opponent": opponent, "small": small, "large": large}
    other = "" if net == NET else f"{net} "
    return Unit(
        f"{other}{name} {opponent} {small} vs {large} seed {seed}",
        {**settings, "nets": size.nets, "games": size.games},
        seed,
    )


def measure_scenario(unit: Unit, progress: Progress) -> Measures:
    """Untrained nets on both boards."""
    net = unit.settings["net"]
    the_game = board(unit.settings["game"], unit.settings["small"])
    weights = untrained(net, the_game, unit.settings["nets"], chance.key(unit.seed, unit.name, "nets"))
    return measure_both(unit, net, weights, progress, unit.settings["games"])


def scenario_result(found: Found, scenario: Scenario, net: str = NET) -> Scaling | None:
    """What was found in a scenario."""
    measures = pooled(found, net=net, **dict(zip(("game", "opponent", "small", "large"), scenario, strict=True)))
    return None if measures is None else compared(measures)


class Table1(Study):
    """Untrained nets on two board sizes."""

    name = "S.table1"
    title = "untrained MDRNNs on two board sizes: correlation and proportion p"
    source = "Schaul and Schmidhuber 2009, table I and section V-B"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each scenario and seed; two scenarios also with other hidden sizes and borders."""
        usual = [(scenario, NET) for scenario in PUBLISHED]
        other = [(scenario, net) for net in OTHER_NETS for scenario in EXPLAINED]
        return [
            scenario_unit(scenario, scale, seed, net) for scenario, net in usual + other for seed in range(1, seeds + 1)
        ]

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
            "the paper's taken as 200 nets. Where our correlations differ from the paper's they are lower; *forms* "
            "tries what may be behind it: fewer hidden units, whose behaviour is simpler, and the borders of the "
            "public code.",
            [
                Table("scenarios", "ours with 95 % intervals beside the paper's (S)", rows),
                Table(
                    "forms", "two scenarios with other hidden sizes and borders, beside the same numbers", forms(found)
                ),
            ],
            claims(results),
            [Drawing("scenarios", "every net on both boards, against naive", lambda figure: _draw(figure, found))],
        )


def forms(found: Found) -> list[dict[str, Any]]:
    """The explained scenarios with every form of the net."""
    return [
        {
            "game": one[0],
            "opponent": one[1],
            "sizes": f"{one[2]} vs {one[3]}",
            "net": net,
            **row(result, PUBLISHED[one]),
        }
        for one in EXPLAINED
        for net in sorted({NET, *OTHER_NETS}, key=[*OTHER_NETS[:2], NET, *OTHER_NETS[2:]].index)
        if (result := scenario_result(found, one, net)) is not None
    ]


def claims(results: dict[Scenario, Scaling]) -> list[Claim]:
    """What the paper says of its table."""
    lows = {one: result.correlation_interval.low for one, result in results.items()}
    correlations = {one: result.correlation for one, result in results.items()}
    usual = {one: r for one, r in correlations.items() if not _mostly_drawn(one)}
    drawn = [r for one, r in correlations.items() if _mostly_drawn(one)]
    larger = [one for one, result in results.items() if result.higher_interval.low > 0.5]
    smaller = [one for one, result in results.items() if result.higher_interval.high < 0.5]
    return [
        Claim(
            "The correlations are always positive",
            f"from {min(correlations.values()):.2f} to {max(correlations.values()):.2f}; "
            f"{sum(low > 0 for low in lows.values())} of {len(lows)} are so with their whole interval",
            all_of(above(result.correlation_interval, 0) for result in results.values()),
        ),
        Claim(
            "They are high in all scenarios but Gomoku on 5x5, where most games are drawn",
            f"{min(usual.values()):.2f} to {max(usual.values()):.2f}; there {' and '.join(f'{r:.2f}' for r in drawn)}",
            all_of(
                above(result.correlation_interval, 0.5) if not _mostly_drawn(one) else result.correlation < 0.5
                for one, result in results.items()
            ),
        ),
        Claim(
            "In almost all cases p is significantly larger than one half",
            f"in {len(larger)} of {len(results)} with the whole interval; in {len(smaller)} it is smaller",
            len(larger) >= len(results) - 3,
        ),
        *agreement([(" ".join(map(str, one)), result, PUBLISHED[one]) for one, result in results.items()]),
    ]


def _mostly_drawn(scenario: Scenario) -> bool:
    return scenario[0] == "Gomoku" and scenario[2] == 5


def _draw(figure: Figure, found: Found) -> None:
    shown = [scenario for scenario in PUBLISHED if scenario[1] == "naive"]
    figure.set_size_inches(10, 7)
    for panel, (name, opponent, small, large) in zip(figure.subplots(2, 3).ravel(), shown, strict=True):
        measures = pooled(found, net=NET, game=name, opponent=opponent, small=small, large=large)
        if measures:
            scatter(panel, measures, f"{name}, {opponent}", small, large)
