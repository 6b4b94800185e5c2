"""S.archive: the authors' results of 2008 are read from plain arrays, and each explanation can turn out false."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.nets import population_net
from zeroply.studies import Folders, Unit, study
from zeroply.studies.running import run_study
from zeroply.studies.schaul import archive
from zeroply.studies.schaul.archive import Archive, Nets
from zeroply.studies.schaul.replay import Agreement, Replayed, paper_form, ratio_of, replay
from zeroply.studies.schaul.runs import authors_form
from zeroply.studies.schaul.table1 import MIXTURES
from zeroply.studies.schaul.table1 import PRINTED as UNTRAINED
from zeroply.studies.schaul.table3 import PRINTED as PRINTED_TRAINED

Made = dict[str, Any]


def some_nets(count: int, k: int = 2, seed: int = 1) -> Nets:
    net = population_net(authors_form(k), game("atarigo(size=5)"))
    weights = net.initial(chance.keys(seed, np.arange(count)))
    zeros = np.zeros(count)
    return Nets(np.full(count, k), np.ones(count, np.int64), zeros, zeros, weights)


# Reading


def test_scenarios_hold_the_nets_that_played_on_both_boards(tmp_path: Path) -> None:
    weights = np.full((3, 45), np.nan, np.float32)
    weights[0], weights[1:, :5] = 1, 2
    scores = np.array([[0.1, np.nan, 0.3, np.nan, np.nan], [np.nan, 0.2, 0.4, 0.5, np.nan], [0.5, 0, 0.6, 0, 0]])
    arrays = {"hidden": [5, 1, 1], "divided_by": [1, 1, 10], "sizes": [5, 7, 9, 11, 19]}
    np.savez(tmp_path / "untrained-atarigo-naive.npz", scores=scores, weights=weights, **arrays)  # type: ignore[arg-type]
    nets = Archive(tmp_path).untrained("Atari-Go", "naive", 5, 9)
    assert nets.small.tolist() == [0.1, 0.5]
    assert nets.large.tolist() == [0.3, 0.6]
    by_units = {k: (rows.tolist(), own.shape) for k, rows, own in nets.by_units()}
    assert by_units == {1: ([1], (1, 5)), 5: ([0], (1, 45))}


def test_the_number_of_weights_tells_the_hidden_units(tmp_path: Path) -> None:
    weights = np.full((3, 480), np.nan, np.float32)
    for row, count in enumerate((21, 140, 480)):
        weights[row, :count] = 0
    np.savez(tmp_path / "trained-x.npz", score_small=np.zeros(3), score_large=np.zeros(3), weights=weights)
    assert Archive(tmp_path).trained("x").hidden.tolist() == [3, 10, 20]


def test_files_that_cannot_be_used_are_one_sentence(tmp_path: Path) -> None:
    one = Archive(tmp_path)
    with pytest.raises(ZeroplyError, match=r"cannot read .*percentiles.npz: No such file"):
        one.percentiles("Gomoku", "naive", "mlp", 5)
    (tmp_path / "trained-x.npz").write_bytes(b"PK\x03\x04 not a zip file")
    with pytest.raises(ZeroplyError, match=r"cannot read .*trained-x.npz"):
        one.trained("x")
    np.savez(tmp_path / "trained-x.npz", score_small=np.zeros(3))
    with pytest.raises(ZeroplyError, match=r"has no array 'score_large': docs/studies.md describes the files"):
        one.trained("x")
    np.savez(tmp_path / "trained-y.npz", weights=np.array([{}], object))
    with pytest.raises(ZeroplyError, match=r"cannot read .*trained-y.npz: .*allow_pickle"):
        one.trained("y")


def test_a_scale_without_the_data_says_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZEROPLY_DATA", raising=False)
    with pytest.raises(
        ZeroplyError, match=r"needs published data \(schaul-2008\): name the folder .*pybrain/pybrain, commit 372638d"
    ):
        run_study("S.archive", "cpu", folder=tmp_path)
    page = (Path(__file__).parents[1] / "docs/studies.md").read_text()
    assert "`schaul-2008/`" in page
    assert "372638d" in page


def test_the_files_give_the_printed_tables(data: Path) -> None:
    folder = data / archive.FOLDER
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: docs/studies.md says where it comes from")
    one, right = Archive(folder), {"r": 0, "p": 0}
    for scenario, printed in UNTRAINED.items():
        nets = one.untrained(*scenario)
        r, p = np.corrcoef(nets.small, nets.large)[0, 1], (nets.large > nets.small).mean()
        right["r"] += round(r, 2) == printed.r
        right["p"] += round(p, 2) == printed.p
        pairs = zip(nets.hidden.tolist(), nets.divided_by.tolist(), strict=True)
        counts: dict[tuple[int, int], int] = {}
        for pair in pairs:
            counts[pair] = counts.get(pair, 0) + 1
        assert counts == MIXTURES[scenario]
    assert right == {"r": 12, "p": 11}
    gomoku, printed = one.trained("we2-gomoku-on5"), PRINTED_TRAINED["Gomoku", "Coevolution", 5, 9]
    assert round(np.corrcoef(gomoku.small, gomoku.large)[0, 1], 2) == printed.r
    assert round((gomoku.large > gomoku.small).mean(), 2) == printed.p


# Games


def test_a_net_with_a_border_of_zeros_is_the_same_in_both_forms() -> None:
    weights = some_nets(4, k=3).weights.copy()
    weights[:, :3] = 0
    board = game("atarigo(size=5)")
    positions = board.replay("c3 d4 b2")[np.zeros(4, np.int64)]
    members = np.arange(4, dtype=np.int32)
    theirs = population_net(authors_form(3), board).prefer(weights, members, positions)
    paper = population_net("mdrnn(k=3)", board).prefer(paper_form(weights, 3), members, positions)
    legal = np.isfinite(theirs)
    assert 1 / (1 + np.exp(-paper[legal])) == pytest.approx(theirs[legal], abs=1e-5), "a sigmoid over the sum"


def test_two_measurements_of_the_same_nets_differ_by_chance_and_of_others_by_more() -> None:
    nets = some_nets(60)
    one, again = (replay(nets, "Atari-Go", 5, "naive", 100, key) for key in (1, 2))
    same = ratio_of(Agreement.of(one.scores(), again).ratio())
    assert 0.5 < same.value < 1.5
    assert same.interval().low < 1 < same.interval().high
    others = replay(some_nets(60, seed=2), "Atari-Go", 5, "naive", 100, 2)
    assert ratio_of(Agreement.of(one.scores(), others).ratio()).interval().low > 5


def test_the_variance_of_a_game_is_that_of_each_colour() -> None:
    played = Replayed(np.array([[1.0, -1.0] * 4, [1.0, 1.0, -1.0, -1.0] * 2]), np.zeros((2, 8)))
    assert played.variance().tolist() == pytest.approx([0, 4 / 3])
    assert played.scores().tolist() == [0, 0]


def test_a_score_by_length_is_that_of_the_paper() -> None:
    played = Replayed(np.array([[1.0, -1.0]]), np.array([[0.5, 1.0]]))
    assert played.games("length").tolist() == [pytest.approx([0.9, -0.8])]


# Claims


def boards(same: bool) -> Made:
    ratio = {"n": 1000, "ratio": 1.0 if same else 4.0, "error": 0.02}
    other = {"n": 1000, "ratio": 3.0 if same else 0.5, "error": 0.02}
    means = {"size": 5, "correlation": 0.9 if same else 0.2, "possible": 0.95, "recorded": 0.1, "ours": 0.1}
    forms = {"by units": dict.fromkeys(("1", "5", "10"), ratio), "by length": other, "paper's border": other}
    return {"small": {**means, **ratio, **forms}, "large": {**means, **ratio, **forms}}


def made_up(right: bool) -> Callable[[Unit], Made]:
    """Measures by which every claim holds, or fails."""
    off = 0.0 if right else 0.1

    def make(unit: Unit) -> Made:
        its = unit.settings
        if its["kind"] == "untrained":
            printed = UNTRAINED[its["game"], its["opponent"], its["small"], its["large"]]
            whole = {"n": 400, "r": printed.r + off, "p": printed.p + off}
            part = {"n": 200, "r": printed.r + 0.1 - off, "p": printed.p}
            mixture = [{"hidden": k, "divided_by": 1, **part} for k in (5, 10)]
            return {**whole, "ours": whole, "whole": float(right), "mixture": mixture, "boards": boards(right)}
        if its["kind"] == "trained":
            printed = PRINTED_TRAINED[archive.TRAINED[its["file"]]]
            compared = {"n": 300, "r": printed.r + off, "p": printed.p + off}
            cases = []
            for name in ("Atari-Go", "Gomoku"):
                for opponent in ("random", "naive"):
                    theirs = (name, opponent) == ("Atari-Go", "random")
                    gap = {"ours": 0.5, "gap": 0.2 if theirs != right else 0.001, "error": 0.001}
                    cases.append({"game": name, "opponent": opponent, "n": 300, "small": gap, "large": gap})
            thirds = (0.9, 0.5, 0.1) if right else (0.1, 0.5, 0.9)
            levels = [{"n": 100, "r": 0.0, "p": p, "level": 0.1} for p in thirds]
            honest = {"n": 300, "r": 0.1, "p": 0.9 if right else 0.1, "means": [0.1, 0.2]}
            rest = {"recorded": [0.1, 0.5], "games": 100, "by": "result"}
            return {**compared, **rest, "cases": cases, "honest": honest, "levels": levels}
        if its["kind"] == "percentiles":
            case = {"game": "Gomoku", "net": "mlp", "size": 5, "opponent": "naive", "nets": 200, "50 %": 0.0}
            return {"rows": [{**case, "near zero": 0.99 if right else 0.1}]}
        runs = []
        for number in range(8):
            elitist = number < 4
            two = (0.5 if elitist == right else 0.1) + 0.01 * (number % 4)
            settings = "(5+10)-mut0.1" if elitist else "(5,15)-mut0.1"
            runs.append({"settings": settings, "elitist": elitist, "champions": 9, "dominance": 4, "two later": two})
        return {"runs": runs}

    return make


def verdicts(make: Callable[[Unit], Made]) -> list[bool | None]:
    one = study("S.archive")
    return [claim.holds for claim in one.report([(unit, make(unit)) for unit in one.units("paper", 1)], "paper").claims]


def test_every_explanation_can_fail() -> None:
    assert set(verdicts(made_up(True))) == {True}
    assert set(verdicts(made_up(False))) == {False}


def test_units_need_the_data_only_above_smoke(tmp_path: Path) -> None:
    one = study("S.archive")
    one.folders = Folders(tmp_path)
    assert one.needs("smoke") == ()
    assert list(one.needs("cpu")) == ["schaul-2008"]
    measured = one.measure(one.units("smoke", 1)[0], lambda *_: None)
    again = one.measure(one.units("smoke", 1)[0], lambda *_: None)
    assert json.loads(json.dumps(measured)) == json.loads(json.dumps(copy.deepcopy(again)))
