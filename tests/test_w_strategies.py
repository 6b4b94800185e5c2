"""W.strategies: single games are those of the rules, rates decide, and each claim can turn out either way."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import reference
from zeroply.arena.ladder import ladder
from zeroply.learning.coevolution.observers import STRATEGIES
from zeroply.studies import Report, Scale, Unit, study
from zeroply.studies.lin_white.strategies import DESCRIBED
from zeroply.studies.measured import split_columns
from zeroply.studies.running import run_study, study_folder
from zeroply.studies.study import Units

QUARTER = ((120, -20, 20, 5), (-20, -40, -5, -5), (20, -5, 15, 3), (5, -5, 3, 3))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """The smoke scale, and where its results are."""
    folder = tmp_path_factory.mktemp("results")
    report = run_study("W.strategies", folder=folder)
    return study_folder("W.strategies", "smoke", 1, folder), report


def rows(report: Report, table: str) -> list[dict[str, Any]]:
    return [split_columns(row) for one in report.tables if one.name == table for row in one.rows]


# What is written


def test_report_tables_and_figure_are_written(results: tuple[Path, Report]) -> None:
    folder, report = results
    names = {path.name for path in folder.iterdir()}
    assert {"report.md", "games.csv", "rates.csv", "run"} <= names
    with open(folder / "rates.csv", newline="") as file:
        assert list(csv.DictReader(file)) == [{k: str(v) for k, v in row.items()} for row in rows(report, "rates")]
    text = (folder / "report.md").read_text()
    assert all(claim.text in text for claim in report.claims)


def test_the_figure_is_drawn(results: tuple[Path, Report]) -> None:
    pytest.importorskip("matplotlib")
    assert (results[0] / "rates.png").read_bytes().startswith(b"\x89PNG")


def test_each_strategy_meets_each_with_either_colour(results: tuple[Path, Report]) -> None:
    pairings = [(row["Black"], row["White"]) for row in rows(results[1], "games")]
    assert sorted(pairings) == sorted((black, white) for black in STRATEGIES for white in STRATEGIES)
    assert {row["ply-depth"] for row in rows(results[1], "games")} == {0}
    for row in rows(results[1], "rates"):
        for way in ("ties", "open"):
            assert 0 <= row[f"{way}_low"] <= row[way] <= row[f"{way}_high"] <= 1


def test_the_games_the_paper_tells_of_stand_beside_ours(results: tuple[Path, Report]) -> None:
    said = {(row["White"], row["Black"]): row["paper"] for row in rows(results[1], "games") if row["paper"]}
    assert said == {
        ("positional", "pieces"): "White",
        ("positional", "mobility"): "Black",
        ("pieces", "positional"): "White",
        ("pieces", "mobility"): "White",
        ("mobility", "positional"): "White",
        ("mobility", "pieces"): "White",
    }
    assert DESCRIBED[-1] == (2, "positional", "pieces", False)


def test_scales_have_their_ply_depths_and_a_single_game_has_no_seeds() -> None:
    one = study("W.strategies")
    scales: dict[Scale, set[int]] = {"smoke": {0}, "cpu": {0, 2}, "paper": {0, 2, 4}}
    for scale, depths in scales.items():
        units = one.units(scale, 3)
        assert {unit.settings["ply_depth"] for unit in units} == depths
        by_way = [[unit.seed for unit in units if unit.settings["way"] == way] for way in ("game", "ties", "open")]
        assert [len(seeds) for seeds in by_way] == [16 * len(depths), 48 * len(depths), 48 * len(depths)]


# The games


def plain_value(strategy: str, position: reference.Othello, colour: int) -> int:
    """How a simple strategy likes the board after its move."""
    if position.over:
        return 10**6 * position.winner * colour + position.score() * colour
    if strategy == "pieces":
        return position.score() * colour
    if strategy == "mobility":
        return len(position.moves(colour)) - len(position.moves(-colour))
    return sum(
        stone * colour * QUARTER[min(cell // 8, 7 - cell // 8)][min(cell % 8, 7 - cell % 8)]
        for cell, stone in enumerate(position.stones)
    )


@pytest.mark.parametrize("white", STRATEGIES[:3])
@pytest.mark.parametrize("black", STRATEGIES[:3])
def test_the_single_game_at_ply_depth_0_is_that_of_a_plain_player(
    results: tuple[Path, Report], black: str, white: str
) -> None:
    position = reference.Othello(8)
    while not position.over:
        colour, worth = position.to_move, dict[int, int]()
        for cell in position.legal():
            following = position.copy()
            following.play(cell)
            worth[cell] = plain_value(black if colour > 0 else white, following, colour)
        position.play(min(cell for cell in worth if worth[cell] == max(worth.values())))
    row = next(row for row in rows(results[1], "games") if (row["Black"], row["White"]) == (black, white))
    assert (row["Black's discs"], row["White's discs"]) == (position.stones.count(1), position.stones.count(-1))
    assert row["winner"] == {1: "Black", -1: "White", 0: "drawn"}[position.winner]


def test_the_single_games_are_those_of_the_lowest_rung_of_a_ladder(results: tuple[Path, Report]) -> None:
    for white in STRATEGIES:
        climbed = ladder([f"alphabeta(eval={black})" for black in STRATEGIES[:3]], white, highest=0)
        for one, black in zip(climbed.games, STRATEGIES, strict=False):
            row = next(row for row in rows(results[1], "games") if (row["Black"], row["White"]) == (black, white))
            assert (row["Black's discs"], row["White's discs"]) == tuple(one.stones)


def test_a_unit_measured_again_is_the_same_and_another_seed_is_not() -> None:
    one = study("W.strategies")
    settings = {"ply_depth": 0, "black": "pieces", "white": "mobility", "games": 300}
    for way in ("ties", "open"):
        found = [
            one.measure(Unit(f"{way} {seed}", {**settings, "way": way}, seed), lambda *_: None) for seed in (1, 1, 2)
        ]
        assert found[0] == found[1] != found[2]
        assert sum(found[0].values()) == 300


# What follows from them


def report_of(white_score: Callable[[str, str], float], games: int = 1000) -> Report:
    """The report on games of which White wins the given share, by Black and White."""
    one = study("W.strategies")
    found: Units = [
        (unit, _counts(unit, white_score(unit.settings["black"], unit.settings["white"]), games))
        for unit in one.units("cpu", 1)
    ]
    return one.report(found, "cpu")


def _counts(unit: Unit, share: float, games: int) -> dict[str, Any]:
    if unit.settings["way"] == "game":
        return {"wins": 1, "draws": 0, "losses": 0, "discs": [20, 44], "moves": ""}
    return {"wins": round(share * games), "draws": 0, "losses": games - round(share * games)}


def holds(report: Report, words: str) -> bool | None:
    return next(claim.holds for claim in report.claims if words in claim.text)


def test_a_claim_about_two_strategies_is_decided_by_the_rate_and_not_by_the_single_game() -> None:
    white, black, even = (report_of(lambda *_, share=share: share) for share in (0.6, 0.4, 0.51))
    for one, verdict in ((white, True), (black, False), (even, None)):
        assert holds(one, "At ply-depth 0 White positional beats pieces") is verdict
        assert holds(one, "Black is the weaker colour") is (True if one is even else verdict)
    assert holds(white, "At ply-depth 2 White positional loses to pieces") is False
    assert holds(black, "At ply-depth 2 White positional loses to pieces") is True
    assert "our one game: won 44-20" in white.claims[0].words


def test_few_games_do_not_decide() -> None:
    report = report_of(lambda *_: 0.6, games=20)
    assert holds(report, "At ply-depth 0 White positional beats pieces") is None
    assert holds(report, "There is no one strategy") is None


def test_one_that_beats_all_refutes_that_there_is_none() -> None:
    strength = dict(zip(STRATEGIES, (0.1, 0.2, 0.3, 0.4), strict=True))
    report = report_of(lambda black, white: 0.5 + strength[white] - strength[black])
    assert holds(report, "There is no one strategy") is False


def test_strategies_that_beat_each_other_in_turn_confirm_that_there_is_none() -> None:
    def in_turn(black: str, white: str) -> float:
        step = (STRATEGIES.index(white) - STRATEGIES.index(black)) % len(STRATEGIES)
        return (0.5, 0.8, 0.5, 0.2)[step]

    assert holds(report_of(in_turn), "There is no one strategy") is True


def test_positional_beats_iagno_on_occasion_unless_it_never_does() -> None:
    never = report_of(lambda black, white: 0.0 if white == "positional" else 1.0)
    assert holds(never, "on occasion") is False
    once = report_of(lambda black, white: 0.001 if white == "positional" else 1.0)
    assert holds(once, "on occasion") is None
    sometimes = report_of(lambda black, white: 0.01 if white == "positional" else 1.0)
    assert holds(sometimes, "on occasion") is True


def test_a_claim_about_a_ply_depth_that_was_not_played_is_left_open(results: tuple[Path, Report]) -> None:
    assert holds(results[1], "At ply-depth 2") is None


def test_more_seeds_make_more_games() -> None:
    one = study("W.strategies")
    found = [(unit, _counts(unit, 0.5, 10)) for unit in one.units("smoke", 3)]
    caption = next(table.caption for table in one.report(found, "cpu").tables if table.name == "rates")
    assert "30 games per number" in caption
