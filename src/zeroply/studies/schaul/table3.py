"""S.table3 and S.fig10: trained nets on a larger board (Schaul and Schmidhuber 2009, table III, figure 10).

The champions of evolution and coevolution, without those of the first 50 generations, on the board they were trained on
and on a larger one. For trained nets the small board predicts less, but in the paper almost all do better on the
larger board. Champions of one run are relatives, so claims about p use one number per run. The authors' script measured
something else than the text says (see S.archive), so S.table3 does both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.arena.scores import By
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
SCRIPTS_EVOLUTION = {"parents": 5, "offspring": 5, "sigma": 0.05, "weights_scale": 0.1, "colours": "white"}
"""Evolution as in the authors' scripts, which have sigma from 0.5 to 0.01."""
OF_RANDOM = 0.6
"""The weight of Atari-Go against random in the small board's score of evolved nets, in the authors' script."""
Results = dict[Scenario, Scaling]


class TrainedNets(Study):
    """Trained nets on two board sizes; more seeds mean more runs."""

    scenarios: Sequence[Scenario]
    """What is measured as the text says."""
    scripted: Sequence[Scenario] = ()
    """What is also measured as the authors' script did."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        usual = {"scale": scale, "seeds": seeds}
        versions: dict[runs.Version, Sequence[Scenario]] = {"text": self.scenarios, "scripts": self.scripted}
        return [
            Unit(
                f"{'' if version == 'text' else f'{runs.AS[version]}: '}{in_words(one)}",
                {**usual, "version": version, **dict(zip(KEYS, one, strict=True))},
                1,
            )
            for version, several in versions.items()
            for one in several
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, _, version, game, method, small, large = unit.settings.values()
        specs = {"small": runs.board(game, small), "large": runs.board(game, large)}
        weights, report = self._nets(unit, part_of(progress, 0, 1 / 2)), part_of(progress, 1 / 2, 1)
        games, key = runs.SIZES[scale].games, chance.key(unit.seed, unit.name)
        if version == "text":
            return runs.on_boards(specs, runs.NET, weights, "naive", games, key, report)
        # The script plays Atari-Go against random on the larger board, and mixes it into the small board's score.
        by: By = "result" if method == "Coevolution" else "length"
        form = runs.authors_form()
        played = {"small": runs.board("Atari-Go", small), "large": runs.board("Atari-Go", large)}
        learned = runs.performance(specs["small"], form, weights, "naive", games, key, part_of(report, 0, 1 / 3), by)
        random = runs.on_boards(played, form, weights, "random", games, key, part_of(report, 1 / 3, 1), by)
        if method == "Coevolution":
            return {**random, "small": runs.rounded(learned.scores)}
        mixed = OF_RANDOM * np.array(random["small"]) + (1 - OF_RANDOM) * learned.scores
        return {**random, "small": runs.rounded(mixed)}

    def _nets(self, unit: Unit, progress: Progress) -> runs.Weights:
        """[nets, parameters]: champions of all runs without the first generations, or untrained nets."""
        scale, seeds, version, game, method, small, large = unit.settings.values()
        size, changes = runs.SIZES[scale], dict[str, Any]()
        if version == "scripts":
            changes = {"net": runs.authors_form(), **SCRIPTS_EVOLUTION}
        if method == "Untrained":
            key = chance.key(1, "S.table3", game, method, small, large)
            return runs.untrained(runs.NET, runs.board(game, small), seeds * size.nets, key)
        champions = [
            coevolution(self.folders, scale, game, seed, report, version=version)
            if method == "Coevolution"
            else runs.evolved(self.folders, scale, runs.evolution_config(game, small, scale, seed, **changes), report)
            for seed, report in steps(progress, _seeds(method, scale, seeds))
        ]
        return runs.trained(champions, size.ignored, size.trained)

    def results(self, units: Units, wanted: runs.Version = "text") -> Results:
        """The scenarios with both boards compared; the nets are spread evenly over the runs."""
        found = {}
        for unit, measures in units:
            scale, seeds, version, game, method, small, large = unit.settings.values()
            if version != wanted:
                continue
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
    scripted = tuple(PRINTED)

    def findings(self, units: Units, scale: Scale) -> Report:
        every, scripts = self.results(units), self.results(units, "scripts")
        results = {one: every[one] for one in PRINTED}
        pairs = {in_words(one): (its, every[one[0], "Untrained", one[2], one[3]]) for one, its in results.items()}
        changes = [
            {"scenario": name, "r": its.r, "untrained r": before.r, "p": its.p, "untrained p": before.p}
            for name, (its, before) in pairs.items()
        ]
        versions: dict[runs.Version, Results] = {"scripts": scripts, "text": results}
        by_run = [
            {
                "scenario": in_words(one),
                "measured": runs.AS[version],
                "runs": len(its.shares),
                "p of a run": mean(its.shares),
                "lowest": round(min(its.shares), 2),
                "median": round(float(np.median(its.shares)), 2),
                "highest": round(max(its.shares), 2),
                "paper p": PRINTED[one].p,
            }
            for version, several in versions.items()
            for one, its in several.items()
        ]
        lower = {name: its.r - before.r for name, (its, before) in pairs.items()}
        higher = {name: its.p - before.p for name, (its, before) in pairs.items()}
        claim, needed = partial(Claim, "section V-E"), most(len(PRINTED))
        generally = "generally (in most scenarios)"
        changed = [
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
        ]
        return Report(
            "Trained nets are generation champions, spread evenly over the runs, without the first generations. *as "
            "the text*: the runs of S.fig6 (evolution) and S.table2 (coevolution, elitist); performance is against "
            "naive, which the evolved nets were trained against and the coevolved ones never met. *as the scripts*: "
            "the (5+5) strategy with mutations of 0.05, initial weights divided by 10 and nets that are always White, "
            "or the runs of S.table2 by the scripts; the larger board is Atari-Go against random for all nets, the "
            "smaller one the score against naive (coevolution), or 0.6 times Atari-Go against random plus 0.4 times "
            "that score (evolution). Champions of one run are relatives, so the intervals of r and p over all nets, "
            "which take them as independent, are too narrow; *p of a run* counts runs. *untrained* compares with nets "
            "with random weights on the same boards, as the text.",
            [
                ResultTable(
                    "scenarios",
                    "as printed, and ours by both descriptions with 95 % intervals",
                    _both(results, scripts),
                ),
                ResultTable("untrained", "r and p of trained and of untrained nets, as the text", changes),
                ResultTable("runs", "p of the runs of each scenario", by_run),
            ],
            [*(one.named(runs.AS["text"]) for one in changed), *_claims("text", results), *_claims("scripts", scripts)],
            [scatter("scenarios", "every champion on both boards, as the text", results, "{game}, {other}")],
        )


def _claims(version: runs.Version, results: Results) -> list[Claim]:
    claims = [
        Claim(
            "section V-E",
            "The large majority of trained nets does better on the larger board",
            {in_words(one): mean(its.shares) for one, its in results.items()},
            above(0.5),
            note="p of a run",
        ),
        *agreement("table III", {in_words(one): (its, PRINTED[one]) for one, its in results.items()}),
    ]
    return [one.named(runs.AS[version]) for one in claims]


def _both(text: Results, scripts: Results) -> list[dict[str, Any]]:
    return [
        {
            "game": one[0],
            "method": one[1],
            "sizes": f"{one[2]} vs {one[3]}",
            **PRINTED[one].row,
            "r, as the scripts": scripts[one].r,
            "p, as the scripts": scripts[one].p,
            "r, as the text": text[one].r,
            "p, as the text": text[one].p,
            **text[one].means,
        }
        for one in PRINTED
    ]


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
