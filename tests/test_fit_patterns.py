"""Fitting pattern tables: the data they learn from, and a tiny fit from end to end."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, bits, game
from zeroply.learning.fit_patterns import (
    STAGES,
    FitConfig,
    Sample,
    Tables,
    choose_rows,
    final_difference,
    fit_patterns,
    fit_to,
    gather,
    label,
    stage_of,
)
from zeroply.runs.resume import resume
from zeroply.search.patterns import load_tables

TINY = FitConfig(positions=1000, games=100, rounds=1, epochs=2, depth=1, exact=6, seed=3)


def values(tables: Tables, sample: Sample) -> NDArray[np.float32]:
    out = np.empty(len(sample.own), np.float32)
    _core.patterns(tables.core()).values(sample.positions().batch, out)
    return out


def test_a_sample_is_the_batch_it_was_taken_from_seen_by_the_side_to_move() -> None:
    positions = game("othello").replay("f5d6c3d3c4")
    sample = Sample(*bits(positions))
    again = sample.positions()
    assert (again.stones() == positions.stones() * positions.to_move()[0]).all()
    assert sample.empties.tolist() == [64 - 9]


def test_gathered_positions_carry_the_results_of_their_games() -> None:
    sample, results = gather(None, 50, chance.key(1))
    assert len(sample.own) == len(results) >= 50 * 40
    assert (np.abs(results) <= 64).all()
    assert (results % 2 == 0).all()
    again, _ = gather(None, 50, chance.key(1))
    assert (again.own == sample.own).all()


def test_rows_of_a_stage_are_different_boards_of_that_stage() -> None:
    sample, _ = gather(None, 200, chance.key(2))
    rows = choose_rows(sample, 5, 500, chance.key(3))
    assert len(rows) == 500
    assert (stage_of(sample.empties[rows]) == 5).all()
    boards = set(zip(sample.own[rows].tolist(), sample.opponent[rows].tolist(), strict=True))
    assert len(boards) == len(rows)


def test_late_labels_are_exact() -> None:
    sample, _ = gather(None, 100, chance.key(4))
    late = sample[np.flatnonzero(sample.empties == 4)]
    labels = label(late, Tables.zero(), TINY)
    assert labels.tolist() == [for_the_mover(position) for position in late.positions()]


def for_the_mover(position: Positions) -> float:
    """The disc difference with best play, by trying every line to the end."""
    side = int(position.to_move()[0])
    if position.over()[0]:
        return side * float(final_difference(position)[0])
    children = [position.after([int(cell)]) for cell in np.flatnonzero(position.legal()[0])]
    return max(side * int(child.to_move()[0]) * for_the_mover(child) for child in children)


def test_two_discs_on_one_square_are_refused() -> None:
    boards, target = np.full(10, 1, np.uint64), np.ones(10, np.float32)
    tables = (np.zeros((_core.PATTERN_STAGES, _core.PATTERN_WEIGHTS), np.float32), np.zeros(61, np.float32))
    with pytest.raises(ValueError, match="two discs are on one square"):
        _core.fit_patterns(boards, boards, target, 1, 1, 0.1, 0.0, *tables, np.zeros(_core.PATTERN_STAGES))


def test_a_fit_lowers_the_error_and_is_symmetric() -> None:
    sample, results = gather(None, 300, chance.key(5))
    tables = Tables.zero()
    before = np.sqrt(np.mean((values(tables, sample) - results) ** 2))
    fit_to(tables, sample, results, FitConfig(epochs=5), chance.key(6))
    after = np.sqrt(np.mean((values(tables, sample) - results) ** 2))
    assert after < 0.8 * before
    seen = sample[np.arange(0, len(results), 50)].positions()
    evaluation = _core.patterns(tables.core())
    plain = np.empty(len(seen), np.float32)
    evaluation.values(seen.batch, plain)
    for k in range(8):
        image = np.empty(len(seen), np.float32)
        evaluation.values(seen.symmetry(k).batch, image)
        assert (image == plain).all()


def test_a_fit_sees_in_a_board_what_the_evaluation_sees() -> None:
    sample, _ = gather(None, 100, chance.key(7))
    rng = np.random.default_rng(8)
    tables = Tables.zero()
    tables.weights[:] = rng.integers(-300, 300, tables.weights.shape) / 128
    tables.bias[:] = rng.integers(-300, 300, 61) / 128
    empty = np.zeros(0, np.int64)
    fit_to(tables, sample[empty], empty.astype(np.float32), FitConfig(), chance.key(9))  # mirrored lines become equal
    wanted = values(tables, sample)
    assert np.std(wanted) > 5
    error = np.full(_core.PATTERN_STAGES, np.nan)
    _core.fit_patterns(
        sample.own, sample.opponent, wanted, 1, 1, 0.0, 0.0, tables.weights.copy(), tables.bias.copy(), error
    )
    assert set(stage_of(sample.empties).tolist()) == set(range(_core.PATTERN_STAGES))
    assert (error < 1e-3).all()


def test_an_interrupted_fit_goes_on_and_ends_with_the_same_tables(tmp_path: Path) -> None:
    whole = fit_patterns(TINY, run=tmp_path / "whole")

    class Stop(Exception):
        pass

    def stop_in_the_middle(done: int, total: int, text: str = "") -> None:
        if text == "round 1, stage 4":
            raise Stop

    with pytest.raises(Stop):
        fit_patterns(TINY, run=tmp_path / "cut", progress=stop_in_the_middle)
    again = resume(tmp_path / "cut")
    assert again.read_bytes() == whole.read_bytes()
    load_tables(again)
    logs = [
        [{k: v for k, v in json.loads(line).items() if k != "time"} for line in (f / "events.jsonl").open()]
        for f in (tmp_path / "whole", tmp_path / "cut")
    ]
    assert logs[0] == logs[1]


def test_the_command_and_resume_tell_programs_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--positions 1000 --games 100 --rounds 1 --epochs 2 --depth 1 --exact 6 --seed 3"
    main(["patterns", "fit", *words.split(), "--run", str(tmp_path / "run"), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert load_tables(told["file"])
    assert [(one["round"], one["stage"]) for one in told["stages"]] == [(1, stage) for stage in reversed(range(STAGES))]
    assert all(one["positions"] > 0 and one["error"] > 0 for one in told["stages"])
    main(["resume", str(tmp_path / "run"), "--json"])
    assert json.loads(capsys.readouterr().out) == told
    main(["resume", str(tmp_path / "run")])
    assert "the tables are in" in capsys.readouterr().out


@pytest.mark.parametrize(
    "bad", [{"positions": 1}, {"depth": 0}, {"exact": 30}, {"epochs": 0}, {"games": 1}, {"games": 10**12}]
)
def test_settings_that_cannot_be_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ZeroplyError, match="fitting needs"):
        FitConfig(**bad)  # type: ignore[arg-type]


def test_a_source_without_games_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ZeroplyError, match="no WTHOR files"):
        fit_patterns(FitConfig(source=str(tmp_path / "empty")), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_damaged_tables_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "tables.safetensors"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(ZeroplyError, match="damaged"):
        load_tables(file)
    with pytest.raises(ZeroplyError, match="no file"):
        load_tables(tmp_path / "missing.safetensors")
