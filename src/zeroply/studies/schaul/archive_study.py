"""S.archive: what the authors' own results of 2008 say about the tables of the paper (Schaul and Schmidhuber 2009).

The tables are computed again from the recorded scores, and the recorded nets play in our games. Each explanation of a
difference between the text and the results is a claim that the files or the games can refute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.studies.measured import pearson
from zeroply.studies.report import Drawing, Figure, Report
from zeroply.studies.schaul import archive_tables as tables
from zeroply.studies.schaul.archive import FOLDER, OPPONENTS, ORIGIN, TRAINED, Archive, opened
from zeroply.studies.schaul.replay import Agreement, Replayed, replay, replay_paper_form
from zeroply.studies.schaul.runs import GAMES, SIZES, Scores, spread
from zeroply.studies.schaul.scenarios import in_words
from zeroply.studies.schaul.table1 import PRINTED as UNTRAINED
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, steps

OTHER_FORMS = 60
"""Nets of a scenario that also play with the paper's border."""
OTHERS = 150
"""Trained nets of a file that also play games and opponents which nobody claims."""
FEW = 100
"""A file with fewer nets plays four times the games."""
THIRDS = 3
PERCENTILES = (5, 25, 50, 75, 95)
NEAR_ZERO = 0.2


class SchaulArchive(Study):
    """The authors' results of 2008."""

    name = "S.archive"
    title = "the authors' own results of 2008: tables I and III again, and their nets in our games"
    source = "Schaul and Schmidhuber 2009, tables I to III; the public history of PyBrain, commit 372638d"

    origin = ORIGIN

    def needs(self, scale: Scale) -> Sequence[str]:
        return () if scale == "smoke" else (FOLDER,)

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        usual = {"scale": scale, "seeds": seeds, "games": max(4, SIZES[scale].games) * seeds}
        scenarios = [
            Unit(
                f"untrained {in_words(one)}",
                {**usual, "kind": "untrained", **dict(zip(("game", "opponent", "small", "large"), one, strict=True))},
                1,
            )
            for one in UNTRAINED
        ]
        files = [Unit(f"trained {file}", {**usual, "kind": "trained", "file": file}, 1) for file in TRAINED]
        others = [Unit(kind, {**usual, "kind": kind}, 1) for kind in ("percentiles", "dominance")]
        return [*scenarios, *files, *others]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        archive = opened(self.folders, unit.settings["scale"])
        if unit.settings["kind"] == "untrained":
            return _untrained(archive, unit, progress)
        if unit.settings["kind"] == "trained":
            return _trained(archive, unit, progress)
        return _percentiles(archive) if unit.settings["kind"] == "percentiles" else _dominance(archive)

    def findings(self, units: Units, scale: Scale) -> Report:
        kinds: dict[str, dict[Any, Measures]] = {"untrained": {}, "trained": {}, "percentiles": {}, "dominance": {}}
        for unit, measures in units:
            its = unit.settings
            name = tuple(its[key] for key in ("game", "opponent", "small", "large")) if "opponent" in its else None
            kinds[its["kind"]][name or its.get("file", "")] = measures
        untrained, trained = kinds["untrained"], kinds["trained"]
        shapes, runs = kinds["percentiles"][""]["rows"], kinds["dominance"][""]["runs"]
        return Report(
            "The authors' scripts and raw results stand in the public history of PyBrain (repository pybrain/pybrain, "
            "commit 372638d of 15 August 2008). *table1* and *table3* are computed from the recorded scores: r is "
            "Pearson's correlation, p the share of nets that score higher on the larger board (ties do not count). "
            "*replay*, *opponents* and *honest* show the recorded nets in our games. *ratio* divides the squared "
            "differences of recorded and our scores by those that chance in the games explains; it is 1 if nothing but "
            "chance differs. The two files of Atari-Go coevolution are both given; the files of "
            "evolution are an interim state with fewer nets than in the paper.",
            [
                tables.table1(untrained),
                tables.mixture(untrained),
                tables.replayed(untrained),
                tables.table3(trained),
                tables.opponents(trained),
                tables.honest(trained),
                tables.levels(trained),
                tables.percentiles(shapes),
                tables.dominance(runs),
            ],
            [
                *tables.table1_claims(untrained),
                *tables.replay_claims(untrained),
                *tables.table3_claims(trained),
                *tables.table2_claims(runs),
                *tables.figure_claims(shapes),
            ],
            [Drawing("opponents", "the recorded mean on the larger board beside ours", lambda f: _draw(f, trained))],
        )


def _untrained(archive: Archive, unit: Unit, progress: Progress) -> Measures:
    """A scenario of table I: the recorded numbers, and the nets in our games."""
    _, _, games, _, name, opponent, small, large = unit.settings.values()
    nets, key = archive.untrained(name, opponent, small, large), chance.key(unit.seed, unit.name)
    boards, means = {}, []
    for (which, size), report in steps(progress, (("small", small), ("large", large))):
        recorded = getattr(nets, which)
        own = chance.key(key, which)
        ours = replay(nets, name, size, opponent, games, own, report)
        means.append(ours.scores())
        rows = spread(len(nets), OTHER_FORMS)
        paper = replay_paper_form(nets[rows], name, size, opponent, games, chance.key(own, "paper"))
        theirs = Agreement.of(recorded, ours)
        boards[which] = {
            "size": size,
            **theirs.measures(),
            "by units": {str(k): theirs[chosen].ratio() for k, chosen, _ in nets.by_units()},
            "by length": Agreement.of(recorded, ours, "length").ratio(),
            "paper's border": Agreement.of(recorded[rows], paper).ratio(),
        }
    scores = np.concatenate([nets.small, nets.large])
    whole = np.abs(scores * 50 - np.round(scores * 50)) < 1e-6
    groups = sorted(set(zip(nets.hidden.tolist(), nets.divided_by.tolist(), strict=True)))
    chosen = {one: (nets.hidden == one[0]) & (nets.divided_by == one[1]) for one in groups}
    return {
        **compared(nets.small, nets.large),
        "ours": compared(*means),
        "whole": float(whole.mean()),
        "mixture": [
            {"hidden": k, "divided_by": by, **compared(nets.small[rows], nets.large[rows])}
            for (k, by), rows in chosen.items()
        ],
        "boards": boards,
    }


def _trained(archive: Archive, unit: Unit, progress: Progress) -> Measures:
    """A file of trained nets: the recorded numbers, and the nets in both games against both opponents."""
    file = unit.settings["file"]
    own, method, small, large = TRAINED[file]
    nets, key = archive.trained(file), chance.key(unit.seed, unit.name)
    games = unit.settings["games"] * (4 if len(nets) < FEW else 1)
    by = "result" if method == "Coevolution" else "length"
    cases, played = [], dict[str, Replayed]()
    settings = [(name, opponent) for name in GAMES for opponent in OPPONENTS]
    for (name, opponent), report in steps(progress, settings):
        honest = (name, opponent) == (own, "naive")
        rows = spread(len(nets), len(nets) if honest or (name, opponent) == ("Atari-Go", "random") else OTHERS)
        case: dict[str, Any] = {"game": name, "opponent": opponent, "n": len(rows)}
        for (which, size), part in steps(report, (("small", small), ("large", large))):
            ours = replay(nets[rows], name, size, opponent, games, chance.key(key, name, opponent, size), part)
            gap = ours.scores(by) - getattr(nets, which)[rows]
            error = float(gap.std(ddof=1) / np.sqrt(len(gap))) if len(gap) > 1 else None
            case[which] = {"ours": float(ours.scores(by).mean()), "gap": float(gap.mean()), "error": error}
            if honest:
                played[which] = ours
        cases.append(case)
    scores = [played[which].scores(by) for which in ("small", "large")]
    return {
        **compared(nets.small, nets.large),
        "recorded": [float(nets.small.mean()), float(nets.large.mean())],
        "games": games,
        "by": by,
        "cases": cases,
        "honest": {**compared(*scores), "means": [float(one.mean()) for one in scores]},
        "levels": _levels(played["small"], played["large"], by),
    }


def _levels(small: Replayed, large: Replayed, by: str) -> list[dict[str, Any]]:
    """p of the thirds of all nets by their level on the small board.

    The level is that in half of the games and p compares the other half, so that chance cannot relate them.
    """
    games = small.games(by)
    half = np.arange(games.shape[1]) % 4 < 2
    level, other = games[:, half].mean(axis=1), games[:, ~half].mean(axis=1) if (~half).any() else games.mean(axis=1)
    return [
        {"level": float(level[part].mean()), **compared(other[part], large.scores(by)[part])}
        for part in np.array_split(np.argsort(level, kind="stable"), THIRDS)
    ]


def compared(small: Scores, large: Scores) -> dict[str, Any]:
    """Two boards compared as the authors do: ties do not count as better."""
    return {"n": len(small), "r": pearson(small, large), "p": float((large > small).mean()) if len(small) else 0.0}


def _percentiles(archive: Archive) -> Measures:
    rows = []
    for name in GAMES:
        for net in ("mdrnn", "mlp"):
            for size in (5, 9):
                for opponent in OPPONENTS:
                    scores = archive.percentiles(name, opponent, net, size)
                    parts = {f"{part} %": float(np.percentile(scores, part)) for part in PERCENTILES}
                    case = {"game": name, "net": net, "size": size, "opponent": opponent, "nets": len(scores)}
                    rows.append({**case, **parts, "near zero": float((np.abs(scores) < NEAR_ZERO).mean())})
    return {"rows": rows}


def _dominance(archive: Archive) -> Measures:
    rows = []
    for run in archive.dominance:
        gaps = np.diff(run["generations"])
        settings = run["run"].partition("CompetitiveCoevolution ")[2]
        rows.append(
            {
                "settings": settings,
                "elitist": "+" in settings.partition(")")[0],
                "champions": run["champions"],
                "dominance": run["dominance"],
                "two later": float((gaps == 2).mean()) if len(gaps) else 0.0,
            }
        )
    return {"runs": rows}


def _draw(figure: Figure, trained: dict[Any, Measures]) -> None:
    panel = figure.subplots()
    settings = [(name, opponent) for name in GAMES for opponent in OPPONENTS]
    for number, (name, opponent) in enumerate(settings):
        ours = [next(c for c in m["cases"] if (c["game"], c["opponent"]) == (name, opponent)) for m in trained.values()]
        places = np.arange(len(ours)) + 0.12 * (number - 1.5)
        panel.plot(places, [one["large"]["ours"] for one in ours], "o", label=f"{name}, {opponent}")
    for row, measures in enumerate(trained.values()):
        panel.plot([row - 0.3, row + 0.3], [measures["recorded"][1]] * 2, color="black", linewidth=1)
    panel.set_xticks(range(len(trained)), [str(file).replace("-", "\n", 1) for file in trained], fontsize="x-small")
    panel.set(ylim=(-1.03, 1.03), ylabel="mean on the larger board (line: recorded)")
    panel.legend(frameon=False, ncols=4, fontsize="small", loc="lower center")
