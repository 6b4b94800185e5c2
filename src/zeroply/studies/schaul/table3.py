"""S.table3 and S.fig10: trained nets on a larger board (Schaul and Schmidhuber 2009, table III, figure 10).

The champions of evolution and coevolution, without those of the first 50 generations, on the board they were trained on
and on a larger one. For trained nets the small board predicts less, but in the paper almost all do better on the
larger board. Champions of one run are relatives, so claims about p use one number per run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above, below, most
from zeroply.studies.measured import mean
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.schaul import runs
from zeroply.studies.schaul.coevolution import coevolution
from zeroply.studies.schaul.scenarios import Printed, Scaling, Scenario, agreement, in_words, scaling, scatter
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, part_of, steps

PRINTED: dict[Scenario, Printed] = {
    ("Atari-Go", "Coevolution", 5, 9): Printed(0.45, 0.92),
    ("Atari-Go", "Evolution", 5, 9): Printed(0.05, 0.61),
    ("Atari-Go", "Evolution", 7, 11): Printed(0.07, 0.98),
    ("Gomoku", "Coevolution", 5, 9): Printed(-0.11, 0.70),
    ("Gomoku", "Evolution", 5, 9): Printed(0.22, 0.73),
    ("Gomoku", "Evolution", 7, 11): Printed(0.43, 0.85),
}
"""Table III of the paper."""
BEFORE = [(name, "Untrained", *sizes) for name in runs.GAMES for sizes in ((5, 9), (7, 11))]
"""Nets with random weights on the same boards, which show what training has changed."""
KEYS = ("game", "method", "small", "large")


class TrainedNets(Study):
    """Trained nets on two board sizes; more seeds mean more runs."""

    scenarios: Sequence[Scenario]
    """What is measured."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        usual = {"scale": scale, "seeds": seeds, "opponent": "naive"}
        return [Unit(in_words(one), {**usual, **dict(zip(KEYS, one, strict=True))}, 1) for one in self.scenarios]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, _, opponent, game, _, small, large = unit.settings.values()
        specs = {"small": runs.board(game, small), "large": runs.board(game, large)}
        weights, report = self._nets(unit, part_of(progress, 0, 1 / 2)), part_of(progress, 1 / 2, 1)
        key = chance.key(unit.seed, unit.name)
        return runs.on_boards(specs, runs.NET, weights, opponent, runs.SIZES[scale].games, key, report)

    def _nets(self, unit: Unit, progress: Progress) -> runs.Weights:
        """[nets, parameters]: champions of all runs without the first generations, or untrained nets."""
        scale, seeds, _, game, method, small, large = unit.settings.values()
        size = runs.SIZES[scale]
        if method == "Untrained":
            key = chance.key(1, "S.table3", game, method, small, large)
            return runs.untrained(runs.NET, runs.board(game, small), seeds * size.nets, key)
        champions = [
            coevolution(self.folders, scale, game, seed, report)
            if method == "Coevolution"
            else runs.evolved(self.folders, scale, runs.evolution_config(game, small, scale, seed), report)
            for seed, report in steps(progress, _seeds(method, scale, seeds))
        ]
        return runs.trained(champions, size.ignored, size.trained)

    def results(self, units: Units) -> dict[Scenario, Scaling]:
        """The scenarios with both boards compared; the nets are spread evenly over the runs."""
        found = {}
        for unit, measures in units:
            scale, seeds, _, game, method, small, large = unit.settings.values()
            nets = np.arange(len(measures["small"]))
            counts = [len(one) for one in np.array_split(nets, len(_seeds(method, scale, seeds))) if len(one)]
            found[game, method, small, large] = scaling(measures["small"], measures["large"], counts)
        return found


def _seeds(method: str, scale: Scale, seeds: int) -> list[int]:
    size = runs.SIZES[scale]
    return runs.run_seeds(seeds, size.coevolutions if method == "Coevolution" else size.runs)


class SchaulTable3(TrainedNets):
    """Table III."""

    name = "S.table3"
    title = "trained MDRNNs on the board they learned on and on a larger one"
    source = "Schaul and Schmidhuber 2009, table III and section V-E"
    scenarios = (*PRINTED, *BEFORE)

    def findings(self, units: Units, scale: Scale) -> Report:
        every = self.results(units)
        results = {one: every[one] for one in PRINTED}
        pairs = {in_words(one): (its, every[one[0], "Untrained", one[2], one[3]]) for one, its in results.items()}
        changes = [
            {"scenario": name, "r": its.r, "untrained r": before.r, "p": its.p, "untrained p": before.p}
            for name, (its, before) in pairs.items()
        ]
        by_run = [
            {
                "scenario": in_words(one),
                "runs": len(its.shares),
                "p of a run": mean(its.shares),
                "lowest": round(min(its.shares), 2),
                "median": round(float(np.median(its.shares)), 2),
                "highest": round(max(its.shares), 2),
                "paper p": PRINTED[one].p,
            }
            for one, its in results.items()
        ]
        lower = {name: its.r - before.r for name, (its, before) in pairs.items()}
        higher = {name: its.p - before.p for name, (its, before) in pairs.items()}
        shares = {name: mean(its.shares) for name, (its, _) in pairs.items()}
        claim, needed = partial(Claim, "section V-E"), most(len(PRINTED))
        generally = "generally (in most scenarios)"
        return Report(
            "Trained nets are generation champions of the runs of S.fig6 (evolution) and S.table2 (coevolution, "
            "elitist), spread evenly over the runs, without the first generations. Performance is against naive, "
            "which the evolved nets were trained against and the coevolved ones never met. Champions of one run are "
            "relatives, so the intervals of r and p over all nets, which take them as independent, are too narrow; *p "
            "of a run* counts runs. *untrained* compares with nets with random weights on the same boards.",
            [
                ResultTable("scenarios", "ours with 95 % intervals beside the paper's", _rows(results)),
                ResultTable("untrained", "r and p of trained and of untrained nets", changes),
                ResultTable("runs", "p of the runs of each scenario", by_run),
            ],
            [
                claim(
                    f"The correlations are {generally} lower than for untrained nets",
                    lower,
                    below(0),
                    needed=needed,
                    note="r minus that of untrained nets",
                ),
                claim(
                    f"p is {generally} higher than for untrained nets",
                    higher,
                    above(0),
                    needed=needed,
                    note="p minus that of untrained nets",
                ),
                claim(
                    "The large majority of trained nets does better on the larger board",
                    shares,
                    above(0.5),
                    note="p of a run",
                ),
                *agreement("table III", {in_words(one): (its, PRINTED[one]) for one, its in results.items()}),
            ],
            [scatter("scenarios", "every champion on both boards", results, "{game}, {other}")],
        )


class SchaulFig10(TrainedNets):
    """Coevolved nets on two board sizes."""

    name = "S.fig10"
    title = "coevolved MDRNNs on 5x5 and 9x9"
    source = "Schaul and Schmidhuber 2009, figure 10 and section V-E"
    scenarios = tuple(one for one in PRINTED if one[1] == "Coevolution")

    def findings(self, units: Units, scale: Scale) -> Report:
        results = self.results(units)
        text = "Most coevolved nets do better on the larger board, on which they were not trained"
        shares = {one[0]: mean(its.shares) for one, its in results.items()}
        printed = {one[0]: PRINTED[one].p for one in results}
        return Report(
            "Every point is a champion of a coevolutionary run on 5x5. Above the dotted line it does better on 9x9.",
            [ResultTable("points", "5x5 and 9x9 against naive, beside table III of the paper", _rows(results))],
            [Claim("figure 10", text, shares, above(0.5), printed, note="p of a run")],
            [scatter("scatter", "performance on 5x5 and 9x9", results, "{game}, {other}")],
        )


def _rows(results: dict[Scenario, Scaling]) -> list[dict[str, Any]]:
    return [
        {"game": name, "method": method, "sizes": f"{small} vs {large}", **its.means, **its.row}
        | PRINTED[name, method, small, large].row
        for (name, method, small, large), its in results.items()
    ]
