"""Calibration of the pattern evaluation: what is measured, and the command that prints it."""

import json
from pathlib import Path

import numpy as np
import pytest

from search_reference import evaluation
from zeroply.analysis.calibration import OPENINGS, STAGE, calibration, opening_values
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.records import GameRecord, save
from zeroply.search import Limit


@pytest.fixture(scope="module")
def games() -> list[GameRecord]:
    rules, rng, out = game("othello"), np.random.default_rng(1), []
    for _ in range(12):
        position, moves = rules.start(1), []
        while not position.over()[0]:
            moves.append(int(rng.choice(np.flatnonzero(position.legal()[0]))))
            position.play([moves[-1]])
        out.append(GameRecord(rules, tuple(moves)))
    return out


def test_every_stage_has_its_positions_and_means_agree(games: list[GameRecord]) -> None:
    stages = calibration(evaluation("pattern"), games, positions=10, depth=1, deep=2, exact=6)
    assert [one.first for one in stages] == list(range(0, 60, STAGE))
    for one in stages[:-1]:
        assert one.positions == 10
        assert one.rms >= abs(one.mean)
        assert min(one.even, one.odd) - 1e-4 <= one.mean <= max(one.even, one.odd) + 1e-4


def test_late_positions_are_compared_with_exact_scores(games: list[GameRecord]) -> None:
    """A search that reaches the end of the game is exact, so nothing is missed."""
    stages = calibration(evaluation("pattern"), games, positions=5, depth=9, deep=10, exact=8)
    assert stages[-1].rms == 0
    assert stages[0].rms > 0


def test_another_seed_draws_other_positions(games: list[GameRecord]) -> None:
    def measure(seed: int) -> list[float]:
        return [one.mean for one in calibration(evaluation("pattern"), games, positions=4, depth=1, deep=2, seed=seed)]

    assert measure(1) == measure(1)
    assert measure(1) != measure(2)


def test_openings_are_played_by_the_rules_and_searched_at_each_depth() -> None:
    values = opening_values(evaluation("pattern"), (1, 2))
    assert list(values) == list(OPENINGS)
    judge = evaluation("pattern")
    assert values["f5"][1] == judge.search(game("othello").replay("f5"), Limit(depth=2)).scores[0]


def test_the_command_prints_both_tables(
    games: list[GameRecord], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.txt"
    save(games, file)
    words = ["patterns", "check", str(file), "--positions", "3", "--depth", "1", "--deep", "4", "--exact", "6"]
    main(words)
    printed = capsys.readouterr().out
    assert "mean, even" in printed
    assert "f5d6c3d3c4" in printed
    main([*words, "--json"])
    out = json.loads(capsys.readouterr().out)
    assert len(out["stages"]) == 10
    assert out["depths"] == [4]


def test_what_cannot_be_measured_is_refused(games: list[GameRecord]) -> None:
    with pytest.raises(ZeroplyError, match="calibration needs games of othello"):
        calibration(evaluation("pattern"), [])
    for bad in ({"positions": 0}, {"depth": 4, "deep": 4}, {"exact": 40}):
        with pytest.raises(ZeroplyError, match="calibration needs a position"):
            calibration(evaluation("pattern"), games, **bad)  # type: ignore[arg-type]
