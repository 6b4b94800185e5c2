"""The studies of Schaul and Schmidhuber 2009: all run at smoke, and runs are shared. Claims are in test_s_claims.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from study_smoke import Smoke
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.runs import Run
from zeroply.studies import Folders, Report, Scale, study
from zeroply.studies.schaul import table1
from zeroply.studies.schaul.coevolution import coevolution
from zeroply.studies.schaul.fig9 import against_all, different, different_games
from zeroply.studies.schaul.runs import SIZES, evolution_config, evolved, run_seeds, trained
from zeroply.studies.schaul.scenarios import Printed
from zeroply.studies.schaul.table3 import PRINTED as TRAINED

NAMES = [
    *(f"S.fig{number}" for number in range(2, 11)),
    *(f"S.table{number}" for number in (1, 2, 3)),
    "S.archive",
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
    assert all(claim.text.replace("|", "\\|") in text for claim in report.claims)
    assert {claim.holds for claim in report.claims} == {None}
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
    assert len(study("S.table2").units("paper", 1)) == 2 * 4 * 5, "as the scripts, and as the text"
    assert len(study("S.fig6").units("paper", 1)) == 4 * 10
    paper = SIZES["paper"]
    assert (paper.cogenerations, paper.ignored) == (400, 50)
    assert paper.trained >= 200


# Runs are shared and exact


def test_runs_are_made_once_for_all_studies(smoke: Smoke, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("S.fig6", "S.table2"):
        smoke(name)
    monkeypatch.setattr("zeroply.studies.shared_runs.run_experiment", None)  # no run can be made
    monkeypatch.setattr("zeroply.studies.shared_runs.resume", None)
    one = study("S.fig7")
    one.folders = Folders(results)
    for unit in one.units("smoke", 1):
        assert one.measure(unit, lambda *_: None)


def test_a_run_made_otherwise_is_refused(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    evolved(folders, "smoke", evolution_config("Atari-Go", 5, "smoke", 1))
    with pytest.raises(ZeroplyError, match="made with another generations"):
        evolved(folders, "smoke", evolution_config("Atari-Go", 5, "smoke", 1, generations=4))


def test_an_interrupted_run_of_a_study_goes_on(tmp_path: Path) -> None:
    config = evolution_config("Atari-Go", 5, "smoke", 1)

    def interrupt(done: int, total: int, text: str = "") -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evolved(Folders(tmp_path / "broken"), "smoke", config, interrupt)
    broken = evolved(Folders(tmp_path / "broken"), "smoke", config)
    whole = evolved(Folders(tmp_path / "whole"), "smoke", config)
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


# Numbers


def test_the_papers_tables_are_complete() -> None:
    assert len(table1.PRINTED) == 12
    assert table1.PRINTED["Atari-Go", "random", 5, 9] == Printed(0.81, 0.71)
    assert table1.PRINTED["Gomoku", "naive", 9, 19] == Printed(0.62, 0.67)
    assert TRAINED["Gomoku", "Coevolution", 5, 9] == Printed(-0.11, 0.70)


def test_scaling_rows_hold_the_numbers_of_the_units(smoke: Smoke) -> None:
    _, report = smoke("S.table1")
    assert len(rows(report)) == 12
    assert all(row["n"] == SIZES["smoke"].nets for row in rows(report))


def test_games_that_part_early_are_shown() -> None:
    assert different_games([[1, 2, 3], [1, 2, 4], [5, 2, 3], [1, 2, 3]], 2) == [3, 2]
    assert different_games([[1, 2]], 2) == [0]


def test_games_are_the_same_up_to_the_symmetries_of_the_board() -> None:
    board = game("atarigo(size=5)")
    played = [3, 7, 12, 24]
    images = [image[played].tolist() for image in board.symmetries]
    assert len({tuple(image) for image in images}) == 8
    assert different(images, board.symmetries) == 1
    assert different([*images, [3, 7, 12, 23]], board.symmetries) == 2


def test_one_black_and_one_white_play_one_game(tmp_path: Path) -> None:
    run = coevolution(Folders(tmp_path), "smoke", "Atari-Go", 1)
    played = against_all(run, 5, np.repeat(run.weights[1:2], 16, axis=0), 1)
    assert len({tuple(moves) for moves in played.moves.tolist()}) == 1


def test_the_dominance_number_is_the_number_of_dominant_champions(smoke: Smoke) -> None:
    folder, report = smoke("S.table2")
    events = {event["unit"]: event["measures"] for event in Run.read(folder / "run").events("unit")}
    for measures in events.values():
        assert measures["dominant"][0] == measures["with ties"][0] == 1
        assert max(len(measures[rule]) for rule in ("dominant", "with ties")) <= measures["generations"]
    for row in rows(report):
        for version, rule in (("text", "dominant"), ("scripts", "with ties")):
            number = len(events[f"as the {version}: {row['game']} {row['selection']} run 1"][rule])
            assert row[f"lowest, as the {version}"] == row[f"highest, as the {version}"] == number
