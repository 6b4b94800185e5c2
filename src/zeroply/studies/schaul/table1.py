"""S.table1 and S.fig5: untrained nets on two board sizes (Schaul and Schmidhuber 2009, section V-B).

Nets with random weights do equally well on small and on large boards: the paper calls this scalability. Table I has
twelve scenarios, 200 nets each, 100 games each on either board; figure 5 shows the nets of one scenario.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from zeroply import chance
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.schaul.runs import NET, SIZES, board, on_boards, untrained
from zeroply.studies.schaul.scenarios import Printed, Scaling, Scenario, agreement, in_words, pooled, scatter
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grouped

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
FORMS = ("mdrnn(k=2)", "mdrnn(k=5)", NET, "mdrnn(k=20)", "mdrnn(k=10, border=distance, distances=3)")
"""The net and other forms of it."""
HIGH, ALMOST_ALL = 0.5, 0.75
"""Above which a correlation is called high, and the share of scenarios that is called almost all."""


class UntrainedNets(Study):
    """Untrained nets on two board sizes."""

    cases: Sequence[tuple[str, Scenario]]
    """Nets and scenarios."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        keys, size = ("game", "opponent", "small", "large"), SIZES[scale]
        return [
            Unit(
                f"{'' if net == NET else f'{net} '}{in_words(one)} seed {seed}",
                {"net": net, **dict(zip(keys, one, strict=True)), "nets": size.nets, "games": size.games},
                seed,
            )
            for net, one in self.cases
            for seed in range(1, seeds + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        net, game, opponent, small, large, nets, games = unit.settings.values()
        key, specs = chance.key(unit.seed, unit.name), {"small": board(game, small), "large": board(game, large)}
        weights = untrained(net, specs["small"], nets, chance.key(key, "nets"))
        return on_boards(specs, net, weights, opponent, games, key, progress)

    def results(self, units: Units) -> dict[tuple[str, Scenario], Scaling]:
        """The cases with both boards compared."""
        groups = grouped(units, "net", "game", "opponent", "small", "large")
        return {(net, one): pooled(groups[net, *one]) for net, one in self.cases}


class SchaulTable1(UntrainedNets):
    """Table I."""

    name = "S.table1"
    title = "untrained MDRNNs on two board sizes: correlation and proportion p"
    source = "Schaul and Schmidhuber 2009, table I and section V-B"
    cases = [(NET, one) for one in PRINTED] + [(net, one) for net in FORMS if net != NET for one in EXPLAINED]

    def findings(self, units: Units, scale: Scale) -> Report:
        every = self.results(units)
        results = {one: every[NET, one] for one in PRINTED}
        rows = [
            {"game": one[0], "opponent": one[1], "sizes": f"{one[2]} vs {one[3]}", **its.row, **PRINTED[one].row}
            for one, its in results.items()
        ]
        forms = [
            {"scenario": in_words(one), "net": net, **every[net, one].row, **PRINTED[one].row}
            for one in EXPLAINED
            for net in FORMS
        ]
        r, p = ({in_words(one): (its.r, its.p)[at] for one, its in results.items()} for at in (0, 1))
        high = {in_words(one): below(HIGH) if one[0] == "Gomoku" and one[2] == 5 else above(HIGH) for one in results}
        claim, needed = partial(Claim, "section V-B"), round(ALMOST_ALL * len(p))
        but = "in all scenarios but Gomoku on 5x5, where most games are drawn"
        return Report(
            "Each scenario draws its own nets with weights from N(0, 1). Every net plays greedily on both boards "
            "against the same kind of opponent, alternating who starts. r is Pearson's correlation of the two "
            "performances over the nets, p the share of nets that do better on the larger board (ties count half). "
            "Where our correlations differ from the paper's they are lower; *forms* tries two possible reasons: fewer "
            "hidden units, whose behaviour is simpler, and the borders of the public code.",
            [
                ResultTable("scenarios", "ours with 95 % intervals beside the paper's", rows),
                ResultTable("forms", "two scenarios with other hidden sizes and borders", forms),
            ],
            [
                claim("The correlations are always positive", r, above(0)),
                claim(f"They are high (above {HIGH}) {but}", r, high),
                claim(
                    f"In almost all scenarios ({ALMOST_ALL:.0%}) p is larger than one half",
                    p,
                    above(0.5),
                    needed=needed,
                ),
                *agreement("table I", {in_words(one): (its, PRINTED[one]) for one, its in results.items()}),
            ],
            [
                scatter(
                    "scenarios",
                    "every net on both boards, against naive",
                    {one: its for one, its in results.items() if one[1] == "naive"},
                    "{game}, {other}",
                )
            ],
        )


class SchaulFig5(UntrainedNets):
    """Figure 5, which does not name its game: both are drawn. The same nets and games as in S.table1."""

    name = "S.fig5"
    title = "the same untrained MDRNNs on 5x5 and 9x9 against random"
    source = "Schaul and Schmidhuber 2009, figure 5"
    cases = ((NET, ("Atari-Go", "random", 5, 9)), (NET, ("Gomoku", "random", 5, 9)))

    def findings(self, units: Units, scale: Scale) -> Report:
        results = {one: its for (_, one), its in self.results(units).items()}
        rows = [{"game": one[0], **its.row, **PRINTED[one].row} for one, its in results.items()]
        atari, text = self.cases[0][1], "Performance on the two boards is highly correlated"
        return Report(
            "Every point is a net with weights from N(0, 1). Above the dotted line it does better on the larger board.",
            [ResultTable("correlation", "5x5 and 9x9 against random, beside table I of the paper", rows)],
            [
                Claim("figure 5", f"{text} (Atari-Go, above {HIGH})", results[atari].r, above(HIGH), PRINTED[atari].r),
                *agreement("table I", {one[0]: (its, PRINTED[one]) for one, its in results.items()}),
            ],
            [scatter("scatter", "performance on 5x5 and 9x9 against random", results, "{game}")],
        )
