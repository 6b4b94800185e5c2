"""The study of strategies side by side: it runs at smoke, and all strategies get the same number of games."""

from __future__ import annotations

import pytest

from study_smoke import Smoke
from zeroply.studies.evolution.strategies import SIZES, STRATEGIES, TASKS, EvolutionStrategies, config_of
from zeroply.studies.measured import split_columns
from zeroply.studies.study import Unit

for package in ("scipy", "cmaes"):
    pytest.importorskip(package)


def test_strategies_run_at_smoke_and_are_tabled(smoke: Smoke) -> None:
    folder, report = smoke("evolution.strategies")
    rows = [split_columns(row) for row in report.tables[0].rows]
    expected = {(task, one, who) for task, its in TASKS.items() for one in STRATEGIES for who in its.opponents}
    assert {(row["task"], row["strategy"], row["opponent"]) for row in rows} == expected
    assert all(0 <= row["points"] <= 1 for row in rows)
    assert "not decided at the smoke scale" in (folder / "report.md").read_text()


@pytest.mark.parametrize("task", TASKS)
def test_every_strategy_plays_about_the_same_number_of_games(task: str) -> None:
    for strategy in STRATEGIES:
        config = config_of(task, strategy, "cpu", 1)
        games = config.generations * ((config.offspring or 0) + config.parents) * config.games
        assert games == pytest.approx(SIZES["cpu"].games, rel=0.01), strategy


@pytest.mark.parametrize(("es", "verdict"), [(0.8, True), (0.4, False)])
def test_its_claims_can_turn_out_either_way(es: float, verdict: bool) -> None:
    units = []
    for task, its in TASKS.items():
        for strategy in STRATEGIES:
            for seed in (1, 2, 3):
                points = (es if strategy == "ES" else 0.6) + seed / 1000
                measures = {"games": [10], "points": {who: [points] for who in its.opponents}}
                units.append((Unit(f"{task} {strategy} {seed}", {"task": task, "strategy": strategy}, seed), measures))
    claims = EvolutionStrategies().findings(units, "cpu").claims
    assert [claim.holds for claim in claims] == [verdict, verdict]
