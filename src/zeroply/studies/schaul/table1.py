"""S.table1: untrained nets on two board sizes (Schaul and Schmidhuber 2009, table I and section V-B).

Nets with random weights do equally well on small and on large boards: the paper calls this scalability. Twelve
scenarios, 200 nets each, 100 games each on either board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from zeroply import chance
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.schaul.runs import NET, SIZES, board, untrained
from zeroply.studies.schaul.scenarios import Printed, Scaling, agreement, by_scenario, measure_both, pooled, scatter
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Scenario = tuple[str, str, int, int]
"""Game, opponent, smaller and larger board size."""
KEYS = ("game", "opponent", "small", "large")
PRINTED: dict[Scenario, Printed] = {
    ("Atari-Go", "random", 5, 9): Printed(0.81, 0.71),
    ("Atari-Go", "naive", 5, 9): Printed(0.70, 0.49),
    ("Atari-Go", "random", 7, 11): Printed(0.78, 0.73),
    ("Atari-Go", "naive", 7, 11): Printed(0.72, 0.56),
    ("Atari-Go", "random", 9, 19): Printed(0.71, 0.76),
    ("Atari-Go", "naive", 9, 19): Printed(0.66, 0.61),
    ("Gomoku", "random", 5, 9): Printed(0.12, 0.79),
    ("Gomoku", "naive", 5, 9): Printed(0.07, 0.42),
    ("Gomoku", "random", 7, 11): Printed(0.60, 0.78),
    ("Gomoku", "naive", 7, 11): Printed(0.64, 0.58),
    ("Gomoku", "random", 9, 19): Printed(0.63, 0.77),
    ("Gomoku", "naive", 9, 19): Printed(0.62, 0.67),
}
"""Table I of the paper."""
EXPLAINED: tuple[Scenario, ...] = (("Atari-Go", "naive", 5, 9), ("Gomoku", "naive", 7, 11))
"""The scenarios in which other forms of the net are tried."""
OTHER_NETS = ("mdrnn(k=2)", "mdrnn(k=5)", "mdrnn(k=20)", "mdrnn(k=10, border=distance, distances=3)")
"""Other forms of the net."""
HIGH = 0.5
"""A correlation above this is called high."""
ALMOST_ALL = 0.75
"""The share of scenarios that is called almost all."""


def scenario_unit(scenario: Scenario, scale: Scale, seed: int, net: str = NET) -> Unit:
    """The unit that measures untrained nets in a scenario."""
    name, opponent, small, large = scenario
    settings = {"net": net, **by_scenario(KEYS, scenario), "nets": SIZES[scale].nets, "games": SIZES[scale].games}
    other = "" if net == NET else f"{net} "
    return Unit(f"{other}{name} {opponent} {small} vs {large} seed {seed}", settings, seed)


def measure_scenario(unit: Unit, progress: Progress) -> Measures:
    """Untrained nets on both boards."""
    net, spec = unit.settings["net"], board(unit.settings["game"], unit.settings["small"])
    weights = untrained(net, spec, unit.settings["nets"], chance.key(unit.seed, unit.name, "nets"))
    return measure_both(unit, net, weights, progress, unit.settings["games"])


def result_of(units: Units, scenario: Scenario, net: str = NET) -> Scaling:
    """The result of a scenario."""
    result = pooled(units, net=net, **by_scenario(KEYS, scenario))
    assert result is not None
    return result


def in_words(scenario: Sequence[object]) -> str:
    """A scenario in words."""
    *names, small, large = map(str, scenario)
    return f"{' '.join(names)} {small} vs {large}"


class Table1(Study):
    """Untrained nets on two board sizes."""

    name = "S.table1"
    title = "untrained MDRNNs on two board sizes: correlation and proportion p"
    source = "Schaul and Schmidhuber 2009, table I and section V-B"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per scenario and seed; two scenarios also with other hidden sizes and borders."""
        cases = [(one, NET) for one in PRINTED] + [(one, net) for net in OTHER_NETS for one in EXPLAINED]
        return [scenario_unit(one, scale, seed, net) for one, net in cases for seed in range(1, seeds + 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Untrained nets on both boards."""
        return measure_scenario(unit, progress)

    def findings(self, units: Units, scale: Scale) -> Report:
        """Ours beside the paper's, scenario by scenario."""
        results = {one: result_of(units, one) for one in PRINTED}
        rows = [
            {"game": one[0], "opponent": one[1], "sizes": f"{one[2]} vs {one[3]}", **its.row, **PRINTED[one].row}
            for one, its in results.items()
        ]
        forms = [
            {"scenario": in_words(one), "net": net, **result_of(units, one, net).row, **PRINTED[one].row}
            for one in EXPLAINED
            for net in (*OTHER_NETS[:2], NET, *OTHER_NETS[2:])
        ]
        return Report(
            "Each scenario draws its own nets with weights from N(0, 1). Every net plays greedily on both boards "
            "against the same kind of opponent, alternating who starts. r is Pearson's correlation of the two "
            "performances over the nets, p the share of nets that do better on the larger board (equals count half). "
            "Where our correlations differ from the paper's they are lower; *forms* tries two possible reasons: fewer "
            "hidden units, whose behaviour is simpler, and the borders of the public code.",
            [
                ResultTable("scenarios", "ours with 95 % intervals beside the paper's", rows),
                ResultTable("forms", "two scenarios with other hidden sizes and borders", forms),
            ],
            table1_claims(results),
            [Drawing("scenarios", "every net on both boards, against naive", lambda figure: _draw(figure, results))],
        )


def table1_claims(results: dict[Scenario, Scaling]) -> list[Claim]:
    """The claims of the paper about its table."""
    r = {in_words(one): its.r for one, its in results.items()}
    p = {in_words(one): its.p for one, its in results.items()}
    high = {in_words(one): below(HIGH) if _mostly_drawn(one) else above(HIGH) for one in results}
    return [
        Claim("section V-B", "The correlations are always positive", r, above(0)),
        Claim(
            "section V-B",
            f"They are high (above {HIGH}) in all scenarios but Gomoku on 5x5, where most games are drawn",
            r,
            high,
        ),
        Claim(
            "section V-B",
            f"In almost all scenarios ({ALMOST_ALL:.0%}) p is larger than one half",
            p,
            above(0.5),
            needed=round(ALMOST_ALL * len(p)),
        ),
        *agreement("table I", {in_words(one): (its, PRINTED[one]) for one, its in results.items()}),
    ]


def _mostly_drawn(scenario: Scenario) -> bool:
    return scenario[0] == "Gomoku" and scenario[2] == 5


def _draw(figure: Figure, results: dict[Scenario, Scaling]) -> None:
    shown = [one for one in results if one[1] == "naive"]
    figure.set_size_inches(10, 7)
    for panel, one in zip(figure.subplots(2, 3).ravel(), shown, strict=True):
        scatter(panel, results[one], f"{one[0]}, {one[1]}", one[2], one[3])
