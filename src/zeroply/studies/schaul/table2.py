"""S.table2: dominance numbers of coevolutionary runs (Schaul and Schmidhuber 2009, table II and section V-D).

The more champions of a run beat all dominant champions before them, the better the run. Elitist selection, which keeps
the best third, gives more of them than selection that continues with mutated copies only. The authors' script counts a
champion that ties, and its runs have other settings than the text, so both are measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.studies.claims import Claim, above, near
from zeroply.studies.measured import Measured, difference, mean
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.coevolution import coevolution, dominant_champions
from zeroply.studies.schaul.runs import AS, GAMES, SIZES, Version, run_seeds
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grouped, part_of, steps

THEIR_RUNS = 5
Setting = tuple[str, bool]
"""Game, and whether selection is elitist."""
PRINTED: dict[Setting, tuple[float, float]] = {
    ("Atari-Go", False): (14.8, 3.0),
    ("Atari-Go", True): (27.6, 14.0),
    ("Gomoku", False): (11.0, 5.0),
    ("Gomoku", True): (15.6, 11.0),
}
"""Table II: mean and deviation over runs of 400 generations."""
RULE: dict[Version, str] = {"scripts": "loses to none", "text": "beats all"}
"""When a champion joins the dominant ones before it."""
RULES = {RULE["scripts"]: True, RULE["text"]: False}
"""The rules, and whether ties count."""
MARGIN = 10
"""Our dominance numbers agree with the paper's within this."""


class SchaulTable2(Study):
    """Dominance numbers."""

    name = "S.table2"
    title = "dominance numbers of coevolutionary runs, elitist or not"
    source = "Schaul and Schmidhuber 2009, table II and section V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return [
            Unit(
                f"{AS[version]}: {name} {_word(elitist)} run {seed}",
                {"scale": scale, "game": name, "elitist": elitist, "version": version},
                seed,
            )
            for version in AS
            for name, elitist in PRINTED
            for seed in run_seeds(seeds, SIZES[scale].coevolutions)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, name, elitist, version = unit.settings.values()
        run = coevolution(self.folders, scale, name, unit.seed, part_of(progress, 0, 1 / 2), elitist, version)
        key, found = chance.key(unit.seed, unit.name), {}
        for (rule, ties), report in steps(part_of(progress, 1 / 2, 1), RULES.items()):
            found[rule] = [place + 1 for place in dominant_champions(run, key, report, ties)]
        return {"dominant": found[RULE["text"]], "with ties": found[RULE["scripts"]], "generations": len(run)}

    def findings(self, units: Units, scale: Scale) -> Report:
        groups = grouped(units, "version", "game", "elitist")

        def numbers(version: Version, one: Setting, rule: str) -> NDArray[np.float64]:
            its = "with ties" if RULES[rule] else "dominant"
            return np.array([len(m[its]) for m in groups[version, *one]], np.float64)

        own = {version: {one: numbers(version, one, RULE[version]) for one in PRINTED} for version in AS}
        rows = [
            {
                "game": one[0],
                "selection": _word(one[1]),
                "runs": len(own["text"][one]),
                "paper": PRINTED[one][0],
                "paper's deviation": PRINTED[one][1],
                **{f"ours, {AS[version]}": mean(own[version][one], 1) for version in AS},
                **{f"lowest, {AS[version]}": int(own[version][one].min()) for version in AS},
                **{f"highest, {AS[version]}": int(own[version][one].max()) for version in AS},
            }
            for one in PRINTED
        ]
        rules = [
            {
                "game": one[0],
                "selection": _word(one[1]),
                "settings": AS[version],
                **{f"a champion {rule}": mean(numbers(version, one, rule), 1) for rule in RULES},
            }
            for version in AS
            for one in PRINTED
        ]
        caption = "dominance numbers: as printed, and means of ours with intervals by both descriptions"
        return Report(
            "Each run has two populations of 15 on 5x5 and greedy play; the best host of every generation is its "
            "champion. Champions meet in the order of the generations, two games each, each starting once. *as the "
            "text*: the settings of the paper, and a champion is dominant if it beats all dominant ones before it. *as "
            "the scripts*: initial weights divided by 10, mutations of 0.05, borders by distance with one vector, one "
            "hall of fame for both populations, in Gomoku no shared sampling; a champion is dominant if it loses to "
            "none of those before it, so that a champion that stays ties with itself. *rules* counts the runs of both "
            "kinds by both rules.",
            [
                ResultTable("dominance", caption, rows),
                ResultTable("rules", "dominance numbers of all runs by both rules", rules),
            ],
            [one for version in AS for one in _claims(version, own[version])],
            [Drawing("dominance", "dominant champions found up to a generation", lambda figure: _draw(figure, groups))],
        )


def _claims(version: Version, numbers: Mapping[Setting, NDArray[np.float64]]) -> list[Claim]:
    gaps = {name: difference(numbers[name, True], numbers[name, False]) for name in GAMES}
    ours = {f"{one[0]} {_word(one[1])}": mean(some, 1) for one, some in numbers.items()}
    apart = {f"{one[0]} {_word(one[1])}": mean(some, 1) - _printed(one) for one, some in numbers.items()}
    printed = {f"{name} {_word(elitist)}": theirs for (name, elitist), (theirs, _) in PRINTED.items()}
    deviations = {f"{name} {_word(elitist)}": near(*theirs) for (name, elitist), theirs in PRINTED.items()}
    text = f"Our dominance numbers agree with the paper's within {MARGIN}"
    claims = [
        Claim("section V-D", "Elitist selection gives higher dominance numbers", gaps, above(0)),
        Claim("table II", text, apart, near(0, MARGIN), printed, note="ours minus the paper's"),
        Claim("table II", "Our means are within the paper's deviation of its means", ours, deviations, printed),
    ]
    return [one.named(AS[version]) for one in claims]


def _word(elitist: bool) -> str:
    return "elitist" if elitist else "non-elitist"


def _printed(setting: Setting) -> Measured:
    value, deviation = PRINTED[setting]
    return Measured(value, deviation / math.sqrt(THEIR_RUNS), THEIR_RUNS - 1, THEIR_RUNS)


def _draw(figure: Figure, groups: Mapping[tuple[Any, ...], Sequence[Measures]]) -> None:
    figure.set_size_inches(9, 7)
    panels = figure.subplots(2, 2, sharey=True)
    for row, version in zip(panels, AS, strict=True):
        its = "with ties" if RULES[RULE[version]] else "dominant"
        for panel, name in zip(row, GAMES, strict=True):
            for elitist, colour in ((True, COLOURS[0]), (False, COLOURS[1])):
                for number, one in enumerate(groups[version, name, elitist]):
                    steps_up = [*one[its], one["generations"]]
                    counts = [*range(1, len(steps_up)), len(steps_up) - 1]
                    label = _word(elitist) if number == 0 else None
                    panel.step(steps_up, counts, where="post", color=colour, alpha=0.7, linewidth=1.2, label=label)
                panel.axhline(PRINTED[name, elitist][0], color=colour, linestyle=":", linewidth=1)
            panel.set_title(f"{name}, {AS[version]} (dotted: the paper's means)", fontsize="medium")
            panel.set_xlabel("generation")
        row[0].set_ylabel("dominant champions so far")
    panels[0][0].legend(frameon=False, loc="upper left")
