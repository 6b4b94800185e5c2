"""S.fig7: a typical coevolutionary run (Schaul and Schmidhuber 2009, figure 7 and section V-D).

The champions of both populations against the naive player, which no net has met during coevolution, and the dominant
ones among them marked. Relative progress and strength against an outsider turn out to be different things.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeroply import chance
from zeroply.studies.s_coevolution import coevolution, dominant_champions
from zeroply.studies.s_runs import COLOURS, NET, SIZES, Found, Scores, board, part_of, performance, rounded
from zeroply.studies.study import Claim, Drawing, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LATE = 4
"""The last one in so many generations are the late ones."""


class Fig7(Study):
    """A typical run."""

    name = "S.fig7"
    title = "a typical coevolutionary run: champions against naive, dominant ones marked"
    source = "Schaul and Schmidhuber 2009, figure 7 and section V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game and run; the first elitist run is the typical one."""
        return [
            Unit(f"{name} run {seed}", {"scale": scale, "game": name}, seed)
            for name in ("Atari-Go", "Gomoku")
            for seed in range(1, seeds + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Measure every champion against naive, and hold the dominance tournament."""
        scale, name = unit.settings["scale"], unit.settings["game"]
        found = coevolution(self.place, scale, name, unit.seed, part_of(progress, 0, 3))
        places = dominant_champions(found, chance.key(unit.seed, unit.name, "dominance"), part_of(progress, 1, 3))
        the_game, key = board(name, found.game.size), chance.key(unit.seed, unit.name, "naive")
        scores = performance(the_game, NET, found.weights, "naive", SIZES[scale].games, key, part_of(progress, 2, 3))
        return {"performance": rounded(scores, 4), "dominant": [place + 1 for place in places]}

    def report(self, found: Found) -> Report:
        """The curve of the first run of each game, and what all runs say."""
        rows = [{"game": unit.settings["game"], "run": unit.seed, **_numbers(measures)} for unit, measures in found]
        return Report(
            "Every champion of an elitist run plays greedily against naive. The populations are hosts in turn, so odd "
            "generations are the champions of population A and even ones those of B. *late* is the last quarter of the "
            "generations.",
            [Table("runs", "performance of champions against naive, and the dominant ones among them", rows)],
            _claims(found),
            [Drawing("run", "champions against naive; circles: dominant ones", lambda figure: _draw(figure, found))],
        )


def _scores(measures: Measures) -> Scores:
    return np.asarray(measures["performance"], np.float64)


def _numbers(measures: Measures) -> dict[str, object]:
    scores = _scores(measures)
    late = scores[-max(1, len(scores) // LATE) :]
    dominant = scores[np.array(measures["dominant"]) - 1]
    return {
        "generations": len(scores),
        "first": round(float(scores[: max(1, len(scores) // LATE)].mean()), 3),
        "late": round(float(late.mean()), 3),
        "best": round(float(scores.max()), 3),
        "at generation": int(scores.argmax()) + 1,
        "dominant": len(dominant),
        "their mean": round(float(dominant.mean()), 3),
        "last dominant": round(float(dominant[-1]), 3),
    }


def _claims(found: Found) -> list[Claim]:
    falls, below, gains = [], [], []
    for _, measures in found:
        scores = _scores(measures)
        dominant = np.array(measures["dominant"]) - 1
        falls.append(float((np.diff(scores) < 0).mean()))
        best_so_far = np.maximum.accumulate(scores)
        below.append(float((scores[dominant] < best_so_far[dominant] - 0.1).mean()))
        quarter = max(1, len(scores) // LATE)
        gains.append(float(scores[-quarter:].mean() - scores[:quarter].mean()))
    return [
        Claim(
            "The performance against naive is not strictly increasing",
            "it falls from a champion to the next in " + ", ".join(f"{100 * share:.0f} %" for share in falls),
            min(falls) > 0,
        ),
        Claim(
            "Dominant individuals do not always have high absolute performance",
            "share of dominant champions that are at least 0.1 below the best one so far: "
            + ", ".join(f"{100 * share:.0f} %" for share in below),
            max(below) > 0,
        ),
        Claim(
            "Coevolution improves performance against an opponent it never meets",
            "from the first to the last quarter of generations " + ", ".join(f"{gain:+.2f}" for gain in gains),
            True if min(gains) > 0 else False if max(gains) <= 0 else None,
        ),
    ]


def _draw(figure: Figure, found: Found) -> None:
    first = [(unit, measures) for unit, measures in found if unit.seed == 1]
    for panel, (unit, measures) in zip(
        figure.subplots(len(first), 1, sharex=True, squeeze=False)[:, 0], first, strict=True
    ):
        scores = _scores(measures)
        generations = np.arange(1, len(scores) + 1)
        for which in (0, 1):
            panel.plot(
                generations[which::2],
                scores[which::2],
                color=COLOURS[which],
                linewidth=0.9,
                label=f"population {'AB'[which]}",
            )
        places = np.array(measures["dominant"])
        panel.plot(places, scores[places - 1], "o", markerfacecolor="none", color="black", label="dominant")
        panel.set_ylim(-1.03, 1.03)
        panel.axhline(0, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_title(unit.settings["game"], fontsize="medium")
        panel.set_ylabel("against naive")
    panel.set_xlabel("generation")
    panel.legend(frameon=False, ncols=3, loc="lower right", fontsize="small")
