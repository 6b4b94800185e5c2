"""S.table2: dominance numbers of coevolutionary runs (Schaul and Schmidhuber 2009, table II and section V-D).

The more champions of a run beat all dominant champions before them, the better the run. Elitist selection, which keeps
the best third, gives more of them than selection that continues with mutated copies only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above, near
from zeroply.studies.measured import Measured, difference, mean
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.coevolution import coevolution, dominant_champions
from zeroply.studies.schaul.runs import GAMES, SIZES, run_seeds
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grouped, part_of

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
MARGIN = 10
"""Our dominance numbers agree with the paper's within this."""


class SchaulTable2(Study):
    """Dominance numbers."""

    name = "S.table2"
    title = "dominance numbers of coevolutionary runs, elitist or not"
    source = "Schaul and Schmidhuber 2009, table II and section V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return [
            Unit(f"{name} {_word(elitist)} run {seed}", {"scale": scale, "game": name, "elitist": elitist}, seed)
            for name, elitist in PRINTED
            for seed in run_seeds(seeds, SIZES[scale].coevolutions)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, name, elitist = unit.settings.values()
        run = coevolution(self.folders, scale, name, unit.seed, part_of(progress, 0, 1 / 2), elitist)
        places = dominant_champions(run, chance.key(unit.seed, unit.name), part_of(progress, 1 / 2, 1))
        return {"dominant": [place + 1 for place in places], "generations": len(run)}

    def findings(self, units: Units, scale: Scale) -> Report:
        groups = grouped(units, "game", "elitist")
        numbers = {one: np.array([len(m["dominant"]) for m in groups[one]], np.float64) for one in PRINTED}
        gaps = {name: difference(numbers[name, True], numbers[name, False]) for name in GAMES}
        apart = {f"{one[0]} {_word(one[1])}": mean(some, 1) - _printed(one) for one, some in numbers.items()}
        printed = {f"{name} {_word(elitist)}": theirs for (name, elitist), (theirs, _) in PRINTED.items()}
        rows = [
            {
                "game": one[0],
                "selection": _word(one[1]),
                "runs": len(some),
                "ours": mean(some, 1),
                "lowest": int(some.min()),
                "highest": int(some.max()),
                "paper": PRINTED[one][0],
                "paper's deviation": PRINTED[one][1],
            }
            for one, some in numbers.items()
        ]
        caption = (
            "dominance numbers, mean with its interval and range over the runs, beside the paper's mean and deviation"
        )
        text = f"Our dominance numbers agree with the paper's within {MARGIN}"
        return Report(
            "Each run has two populations of 15 on 5x5, greedy play, and the settings of the paper; the best host of "
            "every generation is its champion. In the order of the generations a champion is dominant if it beats all "
            "dominant ones before it, on average over two games, each starting once.",
            [ResultTable("dominance", caption, rows)],
            [
                Claim("section V-D", "Elitist selection gives higher dominance numbers", gaps, above(0)),
                Claim("table II", text, apart, near(0, MARGIN), printed, note="ours minus the paper's"),
            ],
            [Drawing("dominance", "dominant champions found up to a generation", lambda figure: _draw(figure, groups))],
        )


def _word(elitist: bool) -> str:
    return "elitist" if elitist else "non-elitist"


def _printed(setting: Setting) -> Measured:
    value, deviation = PRINTED[setting]
    return Measured(value, deviation / math.sqrt(THEIR_RUNS), THEIR_RUNS - 1, THEIR_RUNS)


def _draw(figure: Figure, groups: Mapping[tuple[Any, ...], Sequence[Measures]]) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for panel, name in zip(panels, GAMES, strict=True):
        for elitist, colour in ((True, COLOURS[0]), (False, COLOURS[1])):
            for number, one in enumerate(groups[name, elitist]):
                steps = [*one["dominant"], one["generations"]]
                counts = [*range(1, len(steps)), len(steps) - 1]
                label = _word(elitist) if number == 0 else None
                panel.step(steps, counts, where="post", color=colour, alpha=0.7, linewidth=1.2, label=label)
            panel.axhline(PRINTED[name, elitist][0], color=colour, linestyle=":", linewidth=1)
        panel.set_title(f"{name} (dotted: the paper's means)", fontsize="medium")
        panel.set_xlabel("generation")
    panels[0].set_ylabel("dominant champions so far")
    panels[0].legend(frameon=False, loc="upper left")
