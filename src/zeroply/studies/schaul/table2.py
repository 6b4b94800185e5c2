"""S.table2: dominance numbers of coevolutionary runs (Schaul and Schmidhuber 2009, table II and section V-D).

A run is the better the more of its champions beat all dominant champions before them. Elitist selection, in which the
best third stay, gives more of them than going on with mutated copies only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply import chance
from zeroply.studies.schaul.coevolution import coevolution, dominant_champions
from zeroply.studies.schaul.runs import SIZES, Scores, run_seeds
from zeroply.studies.schaul.scenarios import agree
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
from zeroply.studies.verdicts import Estimate, all_of, difference, mean_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Published:
    """What the paper prints for a setting, over five runs."""

    mean: float
    """The mean dominance number."""
    deviation: float
    """Its deviation over the runs."""

    @property
    def estimate(self) -> Estimate:
        """The mean with its error."""
        return Estimate(self.mean, self.deviation / math.sqrt(THEIR_RUNS), THEIR_RUNS - 1)


THEIR_RUNS = 5
PUBLISHED = {
    ("Atari-Go", False): Published(14.8, 3.0),
    ("Atari-Go", True): Published(27.6, 14.0),
    ("Gomoku", False): Published(11.0, 5.0),
    ("Gomoku", True): Published(15.6, 11.0),
}
"""Table II: mean and deviation over runs of 400 generations, by game and whether it is elitist."""


class Table2(Study):
    """Dominance numbers."""

    name = "S.table2"
    title = "dominance numbers of coevolutionary runs, elitist or not"
    source = "Schaul and Schmidhuber 2009, table II and section V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each setting and run."""
        return [
            Unit(f"{name} {_word(elitist)} run {seed}", {"scale": scale, "game": name, "elitist": elitist}, seed)
            for name, elitist in PUBLISHED
            for seed in run_seeds(seeds, SIZES[scale].coevolutions)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Coevolve, then hold the dominance tournament over all champions."""
        scale, name, elitist = (unit.settings[key] for key in ("scale", "game", "elitist"))
        found = coevolution(self.place, scale, name, unit.seed, part_of(progress, 0, 1 / 2), elitist)
        places = dominant_champions(found, chance.key(unit.seed, unit.name), part_of(progress, 1 / 2, 1))
        return {"dominant": [place + 1 for place in places], "generations": len(found)}

    def report(self, found: Found) -> Report:
        """Means and deviations beside the paper's."""
        numbers = {setting: _numbers(found, *setting) for setting in PUBLISHED}
        rows = [_row(setting, some) for setting, some in numbers.items()]
        return Report(
            "Each run has two populations of 15 on 5x5, greedy play, and the settings of the paper; the best host of "
            "every generation is its champion. In the order of the generations a champion is dominant if it beats all "
            "dominant ones before it, in the mean of two games, each starting once. *apart* is how far we are from the "
            "paper's mean: as unlikely, by Student's distribution, as that many standard errors of a normal one.",
            [Table("dominance", "dominance numbers, mean and deviation over the runs, beside the paper's (S)", rows)],
            _claims(numbers),
            [Drawing("dominance", "dominant champions found up to a generation", lambda figure: _draw(figure, found))],
        )


def _word(elitist: bool) -> str:
    return "elitist" if elitist else "non-elitist"


def _chosen(found: Found, name: str, elitist: bool) -> list[Measures]:
    return [m for unit, m in found if (unit.settings["game"], unit.settings["elitist"]) == (name, elitist)]


def _numbers(found: Found, name: str, elitist: bool) -> Scores:
    return np.array([len(one["dominant"]) for one in _chosen(found, name, elitist)], np.float64)


def _apart(setting: tuple[str, bool], numbers: Scores) -> float:
    return (mean_of(numbers) - PUBLISHED[setting].estimate).normal_score


def _row(setting: tuple[str, bool], numbers: Scores) -> dict[str, Any]:
    published, apart = PUBLISHED[setting], _apart(setting, numbers)
    spread = "" if len(numbers) < 2 else f" ± {numbers.std(ddof=1):.0f}"
    return {
        "game": setting[0],
        "selection": _word(setting[1]),
        "runs": len(numbers),
        "ours": f"{numbers.mean():.1f}{spread}",
        "lowest": int(numbers.min()),
        "highest": int(numbers.max()),
        "S": f"{published.mean} ± {published.deviation:.0f}",
        "apart": "" if math.isnan(apart) else round(apart, 1),
    }


def _claims(numbers: dict[tuple[str, bool], Scores]) -> list[Claim]:
    gaps = {name: difference(numbers[name, True], numbers[name, False]) for name in ("Atari-Go", "Gomoku")}
    apart = [(f"{one[0]} {_word(one[1])}", _apart(one, some)) for one, some in numbers.items()]
    same = "Our dominance numbers agree with the paper's"
    return [
        Claim(
            "Elitist selection gives higher dominance numbers",
            "difference of the means: " + ", ".join(f"{name} {gap}" for name, gap in gaps.items()),
            all_of(gap.above(comparisons=len(gaps)) for gap in gaps.values()),
        ),
        Claim(same, "too few runs to tell", None) if any(math.isnan(z) for _, z in apart) else agree(same, apart),
    ]


def _draw(figure: Figure, found: Found) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for panel, name in zip(panels, ("Atari-Go", "Gomoku"), strict=True):
        for elitist, colour in ((True, COLOURS[0]), (False, COLOURS[1])):
            for number, one in enumerate(_chosen(found, name, elitist)):
                steps = [*one["dominant"], one["generations"]]
                counts = [*range(1, len(steps)), len(steps) - 1]
                label = _word(elitist) if number == 0 else None
                panel.step(steps, counts, where="post", color=colour, alpha=0.7, linewidth=1.2, label=label)
            panel.axhline(PUBLISHED[name, elitist].mean, color=colour, linestyle=":", linewidth=1)
        panel.set_title(f"{name} (dotted: the paper's means)", fontsize="medium")
        panel.set_xlabel("generation")
    panels[0].set_ylabel("dominant champions so far")
    panels[0].legend(frameon=False, loc="upper left")
