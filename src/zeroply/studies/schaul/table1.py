"""S.table1 and S.fig5: untrained nets on two board sizes (Schaul and Schmidhuber 2009, section V-B).

Nets with random weights do equally well on small and on large boards: the paper calls this scalability. Table I has
twelve scenarios, 200 nets each, 100 games each on either board; figure 5 shows the nets of one scenario. The authors'
scripts differ from the text (see S.archive), so table I is measured both ways.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.measured import exact
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.schaul.runs import NET, SIZES, authors_form, board, on_boards, untrained
from zeroply.studies.schaul.scenarios import (
    Printed,
    Scaling,
    Scenario,
    agreement,
    in_words,
    pooled,
    scatter,
)
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grouped, steps

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
SCRIPTS = "as the scripts"
"""Stands for the nets of the authors' scripts: several k and weight scales, borders by distance, no game length."""
MIXTURES: dict[Scenario, Mapping[tuple[int, int], int]] = {
    ("Atari-Go", "random", 5, 9): {(1, 1): 124, (1, 10): 95, (5, 1): 457, (5, 10): 201, (10, 1): 101, (10, 10): 100},
    ("Atari-Go", "naive", 5, 9): {(1, 1): 170, (1, 10): 155, (5, 1): 477, (5, 10): 228, (10, 1): 128, (10, 10): 127},
    ("Atari-Go", "random", 7, 11): {(5, 1): 120},
    ("Atari-Go", "naive", 7, 11): {(5, 1): 149},
    ("Atari-Go", "random", 9, 19): {(1, 1): 27, (1, 10): 26, (5, 1): 255},
    ("Atari-Go", "naive", 9, 19): {(1, 1): 42, (1, 10): 40, (5, 1): 249},
    ("Gomoku", "random", 5, 9): {(5, 1): 183},
    ("Gomoku", "naive", 5, 9): {(5, 1): 269},
    ("Gomoku", "random", 7, 11): {(1, 1): 51, (1, 10): 49, (5, 1): 326, (5, 10): 146, (10, 1): 47, (10, 10): 46},
    ("Gomoku", "naive", 7, 11): {(1, 1): 70, (1, 10): 65, (5, 1): 363, (5, 10): 153, (10, 1): 54, (10, 10): 53},
    ("Gomoku", "random", 9, 19): {(5, 1): 181},
    ("Gomoku", "naive", 9, 19): {(5, 1): 159},
}
"""How many of the authors' nets have k hidden units and weights from N(0, 1) / d: `{(k, d): n}`."""
ERRORS, ERRORS_NEEDED = 2, 10
"""Correlations of independent samples agree within this many standard errors, in this many scenarios."""
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
        if net == SCRIPTS:
            scores: dict[str, list[float]] = {which: [] for which in specs}
            mixture = in_proportion(MIXTURES[game, opponent, small, large], nets)
            for ((k, by), count), report in steps(progress, mixture.items()):
                own, form = chance.key(key, k, by), authors_form(k)
                weights = untrained(form, specs["small"], count, chance.key(own, "nets")) / np.float32(by)
                for which, its in on_boards(specs, form, weights, opponent, games, own, report, "result").items():
                    scores[which] += its
            return scores
        weights = untrained(net, specs["small"], nets, chance.key(key, "nets"))
        return on_boards(specs, net, weights, opponent, games, key, progress)

    def results(self, units: Units) -> dict[tuple[str, Scenario], Scaling]:
        """The cases with both boards compared."""
        groups = grouped(units, "net", "game", "opponent", "small", "large")
        return {(net, one): pooled(groups[net, *one]) for net, one in self.cases}


def in_proportion(mixture: Mapping[tuple[int, int], int], nets: int) -> dict[tuple[int, int], int]:
    """A number of nets divided as in a mixture; the largest remainders get the nets that are left."""
    total = sum(mixture.values())
    counts = {one: nets * count // total for one, count in mixture.items()}
    left = sorted(mixture, key=lambda one: (nets * mixture[one]) % total, reverse=True)
    for one in left[: nets - sum(counts.values())]:
        counts[one] += 1
    return {one: count for one, count in counts.items() if count}


class SchaulTable1(UntrainedNets):
    """Table I."""

    name = "S.table1"
    title = "untrained MDRNNs on two board sizes: correlation and proportion p"
    source = "Schaul and Schmidhuber 2009, table I and section V-B"
    cases = (
        [(SCRIPTS, one) for one in PRINTED]
        + [(NET, one) for one in PRINTED]
        + [(net, one) for net in FORMS if net != NET for one in EXPLAINED]
    )

    def findings(self, units: Units, scale: Scale) -> Report:
        every = self.results(units)
        scripts = {one: replace(every[SCRIPTS, one], ties=0) for one in PRINTED}
        text = {one: every[NET, one] for one in PRINTED}
        rows = [
            {
                "game": one[0],
                "opponent": one[1],
                "sizes": f"{one[2]} vs {one[3]}",
                "n": len(scripts[one].small),
                **PRINTED[one].row,
                "r, as the scripts": scripts[one].r,
                "p, as the scripts": scripts[one].p,
                "r, as the text": text[one].r,
                "p, as the text": text[one].p,
            }
            for one in PRINTED
        ]
        forms = [
            {"scenario": in_words(one), "net": net, **every[net, one].row, **PRINTED[one].row}
            for one in EXPLAINED
            for net in FORMS
        ]
        apart = {in_words(one): exact(errors_apart(its, one)) for one, its in scripts.items()}
        within = f"within {ERRORS} standard errors in {ERRORS_NEEDED} of 12 scenarios"
        agree = f"Correlations agree with the printed ones {within}"
        return Report(
            "Every net plays greedily on both boards against the same kind of opponent, alternating who starts. r is "
            "Pearson's correlation of the two performances over the nets, p the share of nets that do better on the "
            "larger board. *as the scripts*: nets as in the authors' scripts and files (see S.archive), in their "
            "proportions: in half of the scenarios several k and both N(0, 1) and N(0, 1)/10, in the others k = 5; one "
            "border vector that does not pass through the hidden weights; a game counts 1 or -1, whatever its length; "
            "ties do not count for p. *as the text*: k = 10, N(0, 1), scores by length, and ties count half. *forms* "
            "varies the nets of the text.",
            [
                ResultTable("scenarios", "as printed, and ours by both descriptions with 95 % intervals", rows),
                ResultTable("forms", "two scenarios with other hidden sizes and borders", forms),
            ],
            [
                Claim("table I", agree, apart, below(ERRORS), needed=ERRORS_NEEDED).named("as the scripts"),
                *_claims("as the scripts", scripts),
                *_claims("as the text", text),
            ],
            [
                scatter(
                    "scenarios",
                    "every net of the scripts' kind on both boards, against naive",
                    {one: its for one, its in scripts.items() if one[1] == "naive"},
                    "{game}, {other}",
                )
            ],
        )


def errors_apart(ours: Scaling, scenario: Scenario) -> float:
    """How many standard errors (Fisher's) our correlation is from the printed one; both samples have an error."""
    theirs, printed = sum(MIXTURES[scenario].values()), PRINTED[scenario].r
    error = math.sqrt(1 / max(1, len(ours.small) - 3) + 1 / (theirs - 3))
    return abs(math.atanh(max(-0.9999, min(0.9999, ours.r.value))) - math.atanh(printed)) / error


def _claims(name: str, results: Mapping[Scenario, Scaling]) -> list[Claim]:
    r, p = ({in_words(one): (its.r, its.p)[at] for one, its in results.items()} for at in (0, 1))
    high = {in_words(one): below(HIGH) if one[0] == "Gomoku" and one[2] == 5 else above(HIGH) for one in results}
    claim, needed = partial(Claim, "section V-B"), round(ALMOST_ALL * len(p))
    but = "in all scenarios but Gomoku on 5x5, where most games are drawn"
    most_of = f"In almost all scenarios ({ALMOST_ALL:.0%}) p is larger than one half"
    claims = [
        claim("The correlations are always positive", r, above(0)),
        claim(f"They are high (above {HIGH}) {but}", r, high),
        claim(most_of, p, above(0.5), needed=needed),
        *agreement("table I", {in_words(one): (its, PRINTED[one]) for one, its in results.items()}),
    ]
    return [one.named(name) for one in claims]


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
