"""The studies of Schaul and Schmidhuber 2009: all run at smoke, runs are shared, each claim can turn out either way."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from study_smoke import Smoke
from zeroply.errors import ZeroplyError
from zeroply.learning.evolution.scaling import Scaling, scaling
from zeroply.runs import Run
from zeroply.studies import Place, Report, Scale, Unit, study
from zeroply.studies import s_table1 as table1
from zeroply.studies.s_fig6 import run_config
from zeroply.studies.s_fig9 import different_games
from zeroply.studies.s_runs import FOLDER, SIZES, evolved, run_seeds, trained
from zeroply.studies.s_scenarios import LIMIT, Published, agreement, distances
from zeroply.studies.s_table3 import PUBLISHED as TRAINED

NAMES = [
    *(f"S.fig{number}" for number in range(2, 11)),
    *(f"S.table{number}" for number in (1, 2, 3)),
    "S.sensitivity",
    "S.transfer",
    *(f"S.beyond{number}" for number in (1, 2, 3)),
]
SCALES: tuple[Scale, ...] = ("smoke", "cpu", "paper")


def rows(report: Report, number: int = 0) -> list[dict[str, Any]]:
    return [dict(row) for row in report.tables[number].rows]


@pytest.mark.parametrize("name", NAMES)
def test_a_study_runs_at_smoke_and_writes_tables_claims_and_a_figure(name: str, smoke: Smoke) -> None:
    folder, report = smoke(name)
    assert report.claims
    assert all(table.rows for table in report.tables)
    for table in report.tables:
        assert (folder / f"{table.name}.csv").exists()
        assert len({tuple(row) for row in table.rows}) == 1, "all rows have the same columns"
    for drawing in report.drawings:
        assert (folder / f"{drawing.name}.png").read_bytes().startswith(b"\x89PNG")
    text = (folder / "report.md").read_text()
    assert all(claim.claim.replace("|", "\\|") in text for claim in report.claims)
    assert not re.search(r"\bnan\b", text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", SCALES)
def test_more_seeds_are_more_units_or_more_runs(name: str, scale: Scale) -> None:
    one, two = (study(name).units(scale, seeds) for seeds in (1, 2))
    more_units = len(two) == 2 * len(one)
    more_runs = [unit.settings.get("seeds") for unit in two] == [2] * len(one)
    assert more_units or more_runs


def test_paper_scale_is_that_of_the_paper() -> None:
    assert len([unit for unit in study("S.table1").units("paper", 1) if unit.settings["net"] == "mdrnn(k=10)"]) == 12
    assert {unit.settings["nets"] for unit in study("S.table1").units("paper", 1)} == {200}
    assert {unit.settings["games"] for unit in study("S.table1").units("paper", 1)} == {100}
    assert len(study("S.table2").units("paper", 1)) == 4 * 5
    assert len(study("S.fig6").units("paper", 1)) == 4 * 10
    paper = SIZES["paper"]
    assert (paper.cogenerations, paper.ignored) == (400, 50)
    assert paper.trained >= 200


# Runs are shared and exact


def test_runs_are_made_once_for_all_studies(smoke: Smoke, results: Path) -> None:
    for name in ("S.fig6", "S.table2"):
        smoke(name)
    kept = results / FOLDER / "smoke"
    before = {path.name: (path / "result.json").stat().st_mtime_ns for path in kept.iterdir()}
    smoke("S.table3")
    smoke("S.fig7")
    after = {path.name: (path / "result.json").stat().st_mtime_ns for path in kept.iterdir()}
    assert before.items() <= after.items()
    assert {name for name in after if name not in before} <= {name for name in after if "evolve" not in name[:6]}


def test_a_run_made_otherwise_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path)
    evolved(place, "smoke", run_config("Atari-Go", 5, "smoke", 1))
    with pytest.raises(ZeroplyError, match="made with another generations"):
        evolved(place, "smoke", run_config("Atari-Go", 5, "smoke", 1, generations=4))


def test_an_interrupted_run_of_a_study_goes_on(tmp_path: Path) -> None:
    config = run_config("Atari-Go", 5, "smoke", 1)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evolved(Place(tmp_path / "broken"), "smoke", config, interrupt)
    broken = evolved(Place(tmp_path / "broken"), "smoke", config)
    whole = evolved(Place(tmp_path / "whole"), "smoke", config)
    assert (broken.weights == whole.weights).all()
    assert Run.read(broken.folder).finished


def test_trained_nets_are_spread_over_runs_without_the_first_generations() -> None:
    class Fake:
        def __init__(self, number: int) -> None:
            self.weights = np.array([[100 * number + g] for g in range(1, 11)], np.float32)

    runs: Sequence[Any] = [Fake(0), Fake(1)]
    assert trained(runs, 8, 10).ravel().tolist() == [9, 10, 109, 110]
    assert trained(runs, 5, 4).ravel().tolist() == [6, 9, 107, 110]


def test_every_repetition_has_runs_of_its_own() -> None:
    assert run_seeds(2, 3) == [1, 2, 3, 4, 5, 6]


# Claims


def made(r: float, higher: float, nets: int = 200) -> Scaling:
    """Two boards with a wanted proportion p, and a correlation of about r."""
    mixed = np.random.default_rng(1).normal(size=(2, nets))
    found = scaling(mixed[0], r * mixed[0] + math.sqrt(1 - r * r) * mixed[1])
    return Scaling(nets, r, found.correlation_interval, higher, found.higher_interval, 0.0)


def test_agreement_is_in_standard_errors_of_both_samples() -> None:
    same = agreement([("x", made(0.7, 0.5), Published(0.7, 0.5))])
    assert same.holds is True
    assert distances(made(0.7, 0.5), Published(0.7, 0.5)) == (0, 0)
    far = made(0.2, 0.5)
    assert abs(distances(far, Published(0.8, 0.5))[0]) > LIMIT
    assert agreement([("x", far, Published(0.8, 0.5))]).holds is False


def found_table1(correlation: float, gain: float) -> list[tuple[Unit, dict[str, Any]]]:
    """Measures of all scenarios, made up."""
    rng = np.random.default_rng(3)
    found = []
    for unit in study("S.table1").units("paper", 1):
        x, noise = rng.normal(size=(2, 200))
        drawn = unit.settings["game"] == "Gomoku" and unit.settings["small"] == 5
        r = 0.0 if drawn else correlation
        found.append((unit, {"small": x.tolist(), "large": (r * x + (1 - abs(r)) * noise + gain).tolist()}))
    return found


def test_the_claims_of_table1_can_turn_out_either_way() -> None:
    report = study("S.table1").report
    good = {claim.claim: claim.holds for claim in report(found_table1(0.7, 0.5)).claims}
    bad = {claim.claim: claim.holds for claim in report(found_table1(-0.7, -0.5)).claims}
    for word in ("always positive", "high in all", "significantly larger"):
        assert [holds for claim, holds in bad.items() if word in claim] == [False]
    assert [holds for claim, holds in good.items() if "significantly larger" in claim] == [True]


def test_the_papers_tables_are_complete() -> None:
    assert len(table1.PUBLISHED) == 12
    assert table1.PUBLISHED["Atari-Go", "random", 5, 9] == Published(0.81, 0.71)
    assert table1.PUBLISHED["Gomoku", "naive", 9, 19] == Published(0.62, 0.67)
    assert TRAINED["Gomoku", "Coevolution", 5, 9] == Published(-0.11, 0.70)


def test_scaling_rows_hold_the_numbers_of_the_units(smoke: Smoke) -> None:
    _, report = smoke("S.table1")
    assert len(rows(report)) == 12
    assert all(row["n"] == SIZES["smoke"].nets for row in rows(report))


def test_games_that_part_early_are_shown() -> None:
    assert different_games([[1, 2, 3], [1, 2, 4], [5, 2, 3], [1, 2, 3]], 2) == [3, 2]
    assert different_games([[1, 2]], 2) == [0]


def test_the_dominance_number_is_the_number_of_dominant_champions(smoke: Smoke) -> None:
    folder, report = smoke("S.table2")
    events = [event for event in Run.read(folder / "run").events() if event["event"] == "unit"]
    assert all(event["measures"]["dominant"][0] == 1 for event in events)
    numbers = {event["unit"]: len(event["measures"]["dominant"]) for event in events}
    for row in rows(report):
        assert row["lowest"] == numbers[f"{row['game']} {row['selection']} run 1"]
