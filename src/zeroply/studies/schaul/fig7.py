"""S.fig7: a typical coevolutionary run (Schaul and Schmidhuber 2009, figure 7 and section V-D).

The champions of both populations against the naive player, which no net has met during coevolution, and the dominant
ones among them marked. A curve measured in a hundred games per net goes up and down by chance alone, and its best point
is the luckiest: nets that are compared are picked from the curve and then measured again in fresh games.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above
from zeroply.studies.measured import mean
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.coevolution import ElitistRuns, coevolution, dominant_champions, first_runs
from zeroply.studies.schaul.runs import NET, SIZES, Scores, board, performance, rounded, score_axis
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, grouped, part_of

LATE = 4
"""The late generations are the last of this many equal parts of a run."""
MARGIN = 0.1
"""A champion that is further below the best so far is not of high performance."""


class SchaulFig7(ElitistRuns):
    """A typical run."""

    name = "S.fig7"
    title = "a typical coevolutionary run: champions against naive, dominant ones marked"
    source = "Schaul and Schmidhuber 2009, figure 7 and section V-D"

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, name = unit.settings["scale"], unit.settings["game"]
        key = partial(chance.key, unit.seed, unit.name)
        run = coevolution(self.folders, scale, name, unit.seed, part_of(progress, 0, 1 / 4))
        places = dominant_champions(run, key("dominance"), part_of(progress, 1 / 4, 2 / 4))
        spec, size, report = board(name, run.game.size), SIZES[scale], part_of(progress, 2 / 4, 3 / 4)
        scores = performance(spec, NET, run.weights, "naive", size.games, key("naive"), report).scores
        picked = sorted({*places, *(best_so_far(scores, place) for place in places), *steepest_fall(scores)})
        report = part_of(progress, 3 / 4, 1)
        again = performance(spec, NET, run.weights[picked], "naive", size.tests, key("again"), report).scores
        return {
            "performance": rounded(scores, 4),
            "dominant": [place + 1 for place in places],
            "picked": [place + 1 for place in picked],
            "again": rounded(again, 4),
        }

    def findings(self, units: Units, scale: Scale) -> Report:
        runs = {name: several for (name,), several in grouped(units, "game").items()}
        falls = {name: mean([fall(one) for one in several]) for name, several in runs.items()}
        short = {name: mean([short_of_the_best(one) for one in several]) for name, several in runs.items()}
        claim, weak = partial(Claim, "section V-D"), f"(they are {MARGIN} or more below the best so far)"
        rows = [{"game": unit.settings["game"], "run": unit.seed, **_numbers(measures)} for unit, measures in units]
        return Report(
            "Every champion of an elitist run plays greedily against naive. The populations take turns as hosts, so "
            "odd generations are champions of population A and even ones those of B. *first* and *late* are the first "
            "and last quarter of the generations. *fall*: the champion and the later one between which the curve falls "
            "most, the first minus the second in fresh games. *short of the best*: by how much dominant champions "
            "after the first are below the best champion so far, both in fresh games, on average. If champions were "
            "equally strong and only chance moved the curve, both would be 0.",
            [ResultTable("runs", "performance of champions against naive, and the dominant ones among them", rows)],
            [
                claim(
                    "The performance against naive is not strictly increasing",
                    falls,
                    above(0),
                    note="how far it falls, in fresh games",
                ),
                claim(
                    f"Dominant individuals do not always have high absolute performance {weak}",
                    short,
                    above(MARGIN),
                    note="how far they are below the best so far, in fresh games",
                ),
            ],
            [Drawing("run", "champions against naive; circles: dominant ones", lambda figure: _draw(figure, units))],
        )


def best_so_far(scores: Scores, place: int) -> int:
    """The place of the best score up to a place."""
    return int(np.argmax(scores[: place + 1]))


def steepest_fall(scores: Scores) -> tuple[int, int]:
    """The places of a score and of a later one between which the difference is largest."""
    last = int(np.argmax(np.maximum.accumulate(scores) - scores))
    return best_so_far(scores, last), last


def _scores(measures: Measures) -> Scores:
    return np.asarray(measures["performance"], np.float64)


def fall(measures: Measures) -> float:
    """The steepest fall of the curve, in fresh games."""
    first, last = steepest_fall(_scores(measures))
    again = _again(measures)
    return again[first] - again[last]


def short_of_the_best(measures: Measures) -> float:
    """How much dominant champions after the first are below the best so far, in fresh games, on average."""
    scores, again = _scores(measures), _again(measures)
    places = [number - 1 for number in measures["dominant"][1:]]
    return float(np.mean([again[best_so_far(scores, place)] - again[place] for place in places])) if places else 0.0


def _again(measures: Measures) -> dict[int, float]:
    return {number - 1: score for number, score in zip(measures["picked"], measures["again"], strict=True)}


def _numbers(measures: Measures) -> dict[str, object]:
    scores = _scores(measures)
    quarter = max(1, len(scores) // LATE)
    dominant = scores[np.array(measures["dominant"]) - 1]
    return {
        "generations": len(scores),
        "first": round(float(scores[:quarter].mean()), 3),
        "late": round(float(scores[-quarter:].mean()), 3),
        "best": round(float(scores.max()), 3),
        "at generation": int(scores.argmax()) + 1,
        "fall": round(fall(measures), 3),
        "dominant": len(dominant),
        "mean of the dominant": round(float(dominant.mean()), 3),
        "short of the best": round(short_of_the_best(measures), 3),
    }


def _draw(figure: Figure, units: Units) -> None:
    first = first_runs(units)
    panels = figure.subplots(len(first), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (game, measures) in zip(panels, first.items(), strict=True):
        scores = _scores(measures)
        generations = np.arange(1, len(scores) + 1)
        for which, name in enumerate("AB"):
            x, y = generations[which::2], scores[which::2]
            panel.plot(x, y, color=COLOURS[which], linewidth=0.9, label=f"population {name}")
        places = np.array(measures["dominant"])
        panel.plot(places, scores[places - 1], "o", markerfacecolor="none", color="black", label="dominant")
        score_axis(panel, game)
        panel.set_ylabel("against naive")
    panel.set_xlabel("generation")
    panel.legend(frameon=False, ncols=3, loc="lower right", fontsize="small")
