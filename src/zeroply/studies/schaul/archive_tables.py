"""The tables and claims of S.archive, made from its measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from zeroply.studies.claims import Claim, above, most, near
from zeroply.studies.measured import Measured, correlation, difference, exact, share
from zeroply.studies.report import ResultTable
from zeroply.studies.schaul.archive import TRAINED
from zeroply.studies.schaul.replay import ratio_of
from zeroply.studies.schaul.scenarios import Scenario, in_words
from zeroply.studies.schaul.table1 import PRINTED as UNTRAINED
from zeroply.studies.schaul.table3 import PRINTED as PRINTED_TRAINED
from zeroply.studies.study import Measures

Untrained = Mapping[Scenario, Measures]
"""The measures of each scenario of table I."""
Trained = Mapping[str, Measures]
"""The measures of each file of trained nets."""
Rows = Sequence[Mapping[str, Any]]
DIGIT = 0.005 + 1e-9
"""A number is printed correctly to two digits within this."""
NEEDED_P = 11
UNITS = ("1", "5", "10")
"""The hidden units of the nets behind table I."""
CLOSELY = 0.7
"""Above which recorded scores and ours are said to correlate closely."""
RATIO_MARGIN = 0.25
"""Squared differences are those of chance within this of a ratio of 1."""
MEAN_MARGIN = 0.02
"""Means of a file agree within this."""
ENOUGH = 50
"""With fewer nets chance alone moves the mean of a file by more."""
RECORDED_AS = ("Atari-Go", "random")
"""The game and opponent of the authors' script on the larger board."""
ALMOST_ALL = 0.9


def table1(untrained: Untrained) -> ResultTable:
    """Recorded, printed and ours."""
    rows = [
        {
            "scenario": in_words(one),
            "nets": its["n"],
            "r from the files": _number(its["r"], 4),
            "paper r": UNTRAINED[one].r,
            "p from the files": _number(its["p"], 4),
            "paper p": UNTRAINED[one].p,
            "r in our games": _number(its["ours"]["r"]),
            "p in our games": _number(its["ours"]["p"]),
        }
        for one, its in untrained.items()
    ]
    return ResultTable("table1", "table I: from the recorded scores, as printed, and the same nets in our games", rows)


def mixture(untrained: Untrained) -> ResultTable:
    """The scenarios by hidden units and weight scale."""
    rows = [
        {
            "scenario": in_words(one),
            "k": group["hidden"],
            "weights": "N(0, 1)" if group["divided_by"] == 1 else f"N(0, 1) / {group['divided_by']}",
            "nets": group["n"],
            "r": _number(group["r"]),
            "p": _number(group["p"]),
        }
        for one, its in untrained.items()
        for group in its["mixture"]
    ]
    return ResultTable("mixture", "the same by hidden units and weight scale", rows)


def replayed(untrained: Untrained) -> ResultTable:
    """The nets of table I in our games."""
    rows = [
        {
            "scenario": in_words(one),
            "board": board["size"],
            "correlation": _number(board["correlation"]),
            "possible": _number(board["possible"]),
            "recorded mean": _number(board["recorded"]),
            "our mean": _number(board["ours"]),
            **{f"ratio, k = {k}": ratio_of(board["by units"][k]) if k in board["by units"] else "" for k in UNITS},
            "ratio, score by length": ratio_of(board["by length"]),
            "ratio, border of the text": ratio_of(board["paper's border"]),
        }
        for one, its in untrained.items()
        for board in its["boards"].values()
    ]
    caption = (
        "the nets of table I in our games: correlation of recorded and our scores, that which chance in the games "
        "would leave, means, and the ratio of squared differences to those that chance explains"
    )
    return ResultTable("replay", caption, rows)


def table3(trained: Trained) -> ResultTable:
    """Recorded and printed."""
    rows = [
        {
            "file": file,
            "row of table III": in_words(TRAINED[file]),
            "nets": its["n"],
            "r from the file": _number(its["r"]),
            "paper r": PRINTED_TRAINED[TRAINED[file]].r,
            "p from the file": _number(its["p"]),
            "paper p": PRINTED_TRAINED[TRAINED[file]].p,
            "mean on small": _number(its["recorded"][0]),
            "mean on large": _number(its["recorded"][1]),
        }
        for file, its in trained.items()
    ]
    return ResultTable("table3", "table III: from the recorded scores, and as printed", rows)


def opponents(trained: Trained) -> ResultTable:
    """Which game and opponent give the recorded means."""
    rows = [
        {
            "file": file,
            "game": case["game"],
            "opponent": case["opponent"],
            "nets": case["n"],
            "ours on small": _number(case["small"]["ours"], 3),
            "minus recorded, small": _gap(case["small"], case["n"]),
            "ours on large": _number(case["large"]["ours"], 3),
            "minus recorded, large": _gap(case["large"], case["n"]),
            "recorded mean": "within .02" if abs(case["large"]["gap"]) < MEAN_MARGIN else "",
        }
        for file, its in trained.items()
        for case in its["cases"]
    ]
    caption = "the recorded nets in our games against each opponent: means, and how far they are from the recorded ones"
    return ResultTable("opponents", caption, rows)


def honest(trained: Trained) -> ResultTable:
    """The recorded nets in the game they learned, against naive, on both boards."""
    rows = [
        {
            "file": file,
            "row of table III": in_words(TRAINED[file]),
            "nets": its["honest"]["n"],
            "mean on small": _number(its["honest"]["means"][0]),
            "mean on large": _number(its["honest"]["means"][1]),
            "r": _number(its["honest"]["r"]),
            "p": _share(its["honest"]),
            "paper p": PRINTED_TRAINED[TRAINED[file]].p,
        }
        for file, its in trained.items()
    ]
    return ResultTable("honest", "the same nets in the game they learned, against naive on both boards", rows)


def levels(trained: Trained) -> ResultTable:
    """p by the level of play on the small board."""
    names = ("lowest third", "middle third", "highest third")
    rows = [
        {"file": file, "nets by level": name, "level on small": _number(part["level"]), "p": _share(part)}
        for file, its in trained.items()
        for name, part in zip(names, its["levels"], strict=True)
    ]
    caption = "p by the level of the nets on the small board, as in *honest*; level and p are from different games"
    return ResultTable("levels", caption, rows)


def percentiles(shapes: Rows) -> ResultTable:
    """Figures 3 and 4."""
    rows = [{key: _number(v) if isinstance(v, float) else v for key, v in row.items()} for row in shapes]
    return ResultTable("percentiles", "figures 3 and 4: percentiles of the recorded scores of untrained nets", rows)


def dominance(runs: Rows) -> ResultTable:
    """The recorded dominance tournaments."""
    rows = [
        {
            "run": run["settings"],
            "selection": "elitist" if run["elitist"] else "non-elitist",
            "champions": run["champions"],
            "dominance number": run["dominance"],
            "two generations later": _number(run["two later"]),
        }
        for run in runs
    ]
    caption = (
        "recorded dominance numbers, and the share of dominant champions that follow the one before them by two "
        "generations, when the same population is host again"
    )
    return ResultTable("dominance", caption, rows)


def table1_claims(untrained: Untrained) -> list[Claim]:
    """What made table I."""
    gaps = [
        {in_words(one): exact(its[symbol] - printed).rounded(4) for one, its, printed in _printed(untrained, symbol)}
        for symbol in ("r", "p")
    ]
    away = {
        f"{in_words(one)} k={group['hidden']} /{group['divided_by']}": exact(
            max(abs(group["r"] - UNTRAINED[one].r), abs(group["p"] - UNTRAINED[one].p))
        ).rounded(3)
        for one, its in untrained.items()
        if len(its["mixture"]) > 1
        for group in its["mixture"]
    }
    text = {name: gap for name, gap in away.items() if name.endswith("k=10 /1")}
    whole = {in_words(one): exact(its["whole"]).rounded(4) for one, its in untrained.items() if one[0] == "Atari-Go"}
    claim = partial(Claim, "table I")
    given = "The files give the printed"
    return [
        claim(f"{given} correlation to two digits in every scenario", gaps[0], near(0, DIGIT), note="differences"),
        claim(
            f"{given} p to two digits in {NEEDED_P} of 12 scenarios or more",
            gaps[1],
            near(0, DIGIT),
            needed=NEEDED_P,
            note="differences",
        ),
        claim(
            "Where several k and weight scales are pooled, none of them alone gives the printed r and p",
            away,
            above(DIGIT),
            note="the larger difference of r and p",
        ),
        claim("The setting of the text, k = 10 and N(0, 1), does not", text, above(DIGIT), note="the same differences"),
        claim(
            "A recorded score counts wins and losses of 100 games, not their length: it is a multiple of 0.02",
            whole,
            above(1 - 1e-9),
            note="share of such scores",
        ),
    ]


def replay_claims(untrained: Untrained) -> list[Claim]:
    """Which net and score the nets of table I have."""
    boards = {
        f"{in_words(one)} on {board['size']}": board
        for one, its in untrained.items()
        for board in its["boards"].values()
    }
    claim, most_of = partial(Claim, "table I"), most(len(boards))
    same = (
        "score in our games what the authors recorded, but for chance in the games: squared differences are within "
        f"{RATIO_MARGIN:.0%} of those that chance explains"
    )
    further = "The recorded scores are further from"
    return [
        claim(
            f"The scores of the recorded nets in our games correlate closely with the recorded ones (above {CLOSELY})",
            {name: correlation(board["correlation"], board["n"]) for name, board in boards.items()},
            above(CLOSELY),
        ),
        *(
            claim(
                f"The recorded nets with k = {k} {same}",
                {name: _pooled(its) for name, its in _by_opponent(untrained, k).items()},
                near(1, RATIO_MARGIN),
                note="ratios",
            )
            for k in UNITS
        ),
        claim(
            f"{further} those of the net of the text, whose border passes through the hidden weights",
            {name: ratio_of(board["paper's border"]) - ratio_of(board) for name, board in boards.items()},
            above(0),
            needed=most_of,
            note="difference of ratios; on most boards",
        ),
        claim(
            f"{further} scores that count the length of games",
            {name: ratio_of(board["by length"]) - ratio_of(board) for name, board in boards.items()},
            above(0),
            needed=most_of,
            note="difference of ratios; on most boards",
        ),
    ]


def table3_claims(trained: Trained) -> list[Claim]:
    """Which game and opponent made table III."""
    file = "we2-gomoku-on5"
    its, printed = trained[file], PRINTED_TRAINED[TRAINED[file]]
    exactly = {"r": exact(its["r"] - printed.r).rounded(4), "p": exact(its["p"] - printed.p).rounded(4)}
    cases: dict[tuple[str, str], dict[str, Measures]] = {}
    for name, measures in trained.items():
        for case in measures["cases"]:
            cases.setdefault((case["game"], case["opponent"]), {})[name] = case["large"]
    same = {
        name: exact(gap["gap"]).rounded(3) for name, gap in cases[RECORDED_AS].items() if trained[name]["n"] >= ENOUGH
    }
    others = {}
    for setting, gaps in cases.items():
        furthest = max(gaps, key=lambda name: abs(gaps[name]["gap"]))
        if setting != RECORDED_AS:
            value = Measured(abs(gaps[furthest]["gap"]), _error(gaps[furthest]), digits=3)
            others[f"{' '.join(setting)} ({furthest})"] = value
    falls = {
        name: _share(its["levels"][0]) - _share(its["levels"][-1]) for name, its in trained.items() if its["n"] >= 100
    }
    claim = partial(Claim, "table III")
    return [
        claim("The file of Gomoku coevolution gives the printed r and p to two digits", exactly, near(0, DIGIT)),
        claim(
            "In the files the recorded mean on the larger board is that of Atari-Go against random, also for nets "
            f"that learned Gomoku or against naive (within {MEAN_MARGIN}, files of {ENOUGH} nets or more)",
            same,
            near(0, MEAN_MARGIN),
            note="ours minus recorded, both as measured",
        ),
        claim(
            f"No other game and opponent gives it in every file (further away than {MEAN_MARGIN} in some file)",
            others,
            above(MEAN_MARGIN),
            note="the largest difference of each",
        ),
        claim(
            "In their own game against naive on both boards most recorded nets do better on the larger one",
            {name: _share(its["honest"]) for name, its in trained.items()},
            above(0.5),
            note="p of each file",
        ),
        Claim(
            "our experiment",
            "The better trained nets play on the small board, the fewer do better on the larger one",
            falls,
            above(0),
            note="p of the lowest third minus that of the highest, files of 100 nets or more",
        ),
    ]


def table2_claims(runs: Rows) -> list[Claim]:
    """What the recorded dominance tournaments show."""
    parts = {kind: [run["two later"] for run in runs if run["elitist"] == kind] for kind in (True, False)}
    return [
        Claim(
            "table II",
            "Dominant champions of elitist runs more often come two generations after the one before them, when a "
            "champion that stayed can tie with itself",
            difference(parts[True], parts[False]),
            above(0),
            note="difference of shares; S.table2 counts by both rules",
        )
    ]


def figure_claims(shapes: Rows) -> list[Claim]:
    """What the scores behind figure 4 show."""
    zero = {
        f"{row['net'].upper()} against {row['opponent']}": share(row["near zero"] * row["nets"], row["nets"])
        for row in shapes
        if row["game"] == "Gomoku" and row["size"] == 5
    }
    text = f"On 5x5 almost all recorded nets of both kinds ({ALMOST_ALL:.0%}) score within 0.2 of zero in Gomoku"
    return [Claim("section V-A", text, zero, above(ALMOST_ALL))]


def _printed(untrained: Untrained, symbol: str) -> list[tuple[Scenario, Measures, float]]:
    return [(one, its, getattr(UNTRAINED[one], symbol)) for one, its in untrained.items()]


def _number(value: float, digits: int = 2) -> float:
    return round(value, digits) + 0.0


def _share(its: Mapping[str, Any]) -> Measured:
    return share(its["p"] * its["n"], its["n"])


def _error(gap: Mapping[str, Any]) -> float:
    return math.nan if gap["error"] is None else float(gap["error"])


def _gap(gap: Mapping[str, Any], n: int) -> Measured:
    return Measured(gap["gap"], _error(gap), n - 1, n, digits=3)


def _by_opponent(untrained: Untrained, k: str) -> dict[str, list[Measures]]:
    """The boards on which nets with k hidden units play, by game and opponent."""
    groups: dict[str, list[Measures]] = {}
    for (name, opponent, *_), its in untrained.items():
        for board in its["boards"].values():
            if k in board["by units"]:
                groups.setdefault(f"{name} {opponent}", []).append(board["by units"][k])
    return groups


def _pooled(several: Sequence[Measures]) -> Measured:
    """The mean ratio of several boards, by their numbers of nets."""
    counts = np.array([one["n"] for one in several], np.float64)
    ratios = np.array([one["ratio"] for one in several])
    errors = np.array([math.nan if one["error"] is None else one["error"] for one in several])
    value, error = counts @ ratios / counts.sum(), math.hypot(*(counts * errors)) / counts.sum()
    return Measured(float(value), error, n=float(counts.sum()))
