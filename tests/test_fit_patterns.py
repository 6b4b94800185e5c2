"""Fitting pattern tables: the data they learn from, the least squares, and a tiny fit from end to end."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game
from zeroply.learning.fit_patterns import (
    CENTRED,
    DEPTHS,
    PLIES,
    QUIET,
    SOLVED,
    WILD,
    FitConfig,
    Sample,
    centred,
    choose_positions,
    choose_rows,
    deviations,
    first_fixed_ply,
    fit_patterns,
    fit_to,
    gather,
    label,
    shallow_depth,
    values,
)
from zeroply.runs.resume import resume
from zeroply.search import EVALUATIONS, Evaluation, Limit
from zeroply.search.endings import solve
from zeroply.search.patterns import SHIPPED, Tables, load_tables

TINY = FitConfig(positions=100, games=100, depth=4, exact=4, iterations=1, careful=10, deviations=10, seed=3)


def test_a_sample_is_the_batch_it_was_taken_from_seen_by_the_side_to_move() -> None:
    positions = game("othello").replay("f5d6c3d3c4")
    sample = Sample.of(positions)
    again = sample.positions()
    assert (again.stones() == positions.stones() * positions.to_move()[0]).all()
    assert sample.empties.tolist() == [64 - 9]


def test_gathered_positions_are_those_of_whole_games_and_the_same_every_time() -> None:
    sample = gather(None, 50, chance.key(1))
    assert (sample.own & sample.opponent == 0).all()
    assert (np.bincount(sample.empties, minlength=61)[56:61] == 50).all()
    assert sample.empties.min() == 1
    again = gather(None, 50, chance.key(1))
    assert (again.own == sample.own).all()
    assert not np.array_equal(gather(Tables.zero(), 50, chance.key(1)).own, sample.own)


def test_chosen_rows_are_different_boards_with_the_same_number_of_empty_squares() -> None:
    sample = gather(None, 200, chance.key(2))
    rows = choose_rows(sample, sample.empties, 30, 150, chance.key(3))
    assert len(rows) == 150
    assert (sample.empties[rows] == 30).all()
    boards = set(zip(sample.own[rows].tolist(), sample.opponent[rows].tolist(), strict=True))
    assert len(boards) == len(rows)
    assert len(choose_rows(sample, sample.empties, 60, 150, chance.key(3))) == 1


def test_late_labels_are_exact() -> None:
    sample = gather(None, 100, chance.key(4))
    late = sample[np.flatnonzero(sample.empties == 4)]
    labels = label(late, Tables.zero(), TINY)
    assert labels.tolist() == [for_the_mover(position) for position in late.positions()]


def for_the_mover(position: Positions) -> float:
    """The disc difference with best play, empty squares to the winner, by trying every line to the end."""
    side = int(position.to_move()[0])
    best = -np.inf
    for cell in np.flatnonzero(position.legal()[0]):
        child = position.after([int(cell)])
        if child.over()[0]:
            difference, empty = int(child.stones().sum()), int((child.stones() == 0).sum())
            black = float(difference + np.sign(difference) * empty)
        else:
            black = int(child.to_move()[0]) * for_the_mover(child)
        best = max(best, side * black)
    return float(best)


def test_a_position_is_wild_right_after_a_random_move() -> None:
    """In games with only an opening of random moves, positions are wild up to its end and one move longer."""
    sample = gather(Tables.zero(), 300, chance.key(4))
    shares = [float(sample.wild[sample.empties == left].mean()) for left in (60, 60 - QUIET, 45, 30, 15)]
    assert shares[0] == shares[1] == 1
    assert 1 > shares[2] > shares[3] > shares[4] > 0
    assert not gather(Tables.zero(), 20, chance.key(4), careful=True).wild.any()


def test_most_chosen_positions_are_quiet() -> None:
    sample = gather(None, 300, chance.key(16))
    chosen = sample[choose_positions(sample, 50, chance.key(17))]
    at = chosen.empties == 30
    assert (~chosen.wild[at]).sum() == 50
    assert chosen.wild[at].sum() == 50 * WILD


def few_stages() -> Tables:
    """Empty tables that are quick to fit."""
    whole = Tables.zero()
    return Tables(np.array([0, 60], np.int32), whole.weights[:2], whole.bias, whole.deviations[:2])


def new_fit(tables: Tables) -> NDArray[np.float32]:
    return np.zeros(_core.pattern_parameters(len(tables.plies)), np.float32)


def fitted(
    before: Tables, sample: Sample, targets: NDArray[np.float32], config: FitConfig, iterations: int
) -> tuple[Tables, float]:
    return fit_to(before, sample, targets, config, iterations, PLIES + 1, new_fit(before))


def fit_in_core(boards: NDArray[np.uint64], prior: tuple[float, float, float]) -> None:
    tables, wild = Tables.zero(), np.zeros(len(boards), np.uint8)
    targets = np.ones(len(boards), np.float32)
    state = (new_fit(tables), tables.weights, tables.bias)
    _core.fit_patterns(boards, boards, targets, wild, tables.plies, *prior, 1, 61, *state)


def test_two_discs_on_one_square_are_refused() -> None:
    with pytest.raises(ValueError, match="two discs are on one square"):
        fit_in_core(np.full(10, 1, np.uint64), (1, 0.5, 0.5))


@pytest.mark.parametrize("prior", [(0.0, 0.5, 0.5), (1.0, 1.0, 0.5), (1.0, 0.5, -0.1), (1.0, float("nan"), 0.5)])
def test_a_prior_that_makes_no_sense_is_refused(prior: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="ridge"):
        fit_in_core(np.zeros(0, np.uint64), prior)


def test_a_fit_is_right_about_positions_it_has_not_seen_and_symmetric() -> None:
    sample = gather(None, 600, chance.key(5))
    late = sample[np.flatnonzero(sample.empties == 6)]
    labels = label(late, Tables.zero(), FitConfig(exact=6))
    half = len(labels) // 2
    tables, error = fitted(few_stages(), late[np.arange(half)], labels[:half], FitConfig(ridge=30), 20)
    rest = late[np.arange(half, len(labels))]
    before, after = np.std(labels[half:]), np.std(values(tables, rest) - labels[half:])
    assert error < after < 0.8 * before
    seen = rest.positions()
    evaluation = Evaluation(game("othello"), _core.patterns(tables.core()))
    for k in range(8):
        assert np.array_equal(evaluation.values(seen.symmetry(k)), evaluation.values(seen))


def test_the_fit_is_that_of_ridge_regression() -> None:
    """With the prior's correlations 0 the penalty is the sum of squared weights; a bias may be 8 times as large."""
    sample = Sample.of(gather(None, 5, chance.key(7)).positions())  # without the constant term of wild positions
    rng = np.random.default_rng(8)
    targets = rng.normal(0, 10, len(sample.own)).astype(np.float32)
    config = FitConfig(ridge=5.0, cells=0.0, stages=0.0)
    tables, _ = fitted(few_stages(), sample, targets, config, 100)

    # At the minimum, residuals times features equal ridge times weights: so do their products with the weights.
    found = values(tables, sample)
    residuals = targets - found
    penalty = config.ridge * float((tables.weights.astype(float) ** 2).sum() + ((tables.bias / 8.0) ** 2).sum())
    assert float(residuals @ found) == pytest.approx(penalty, rel=0.05)
    assert np.std(residuals) < np.std(targets)


def test_a_fit_improves_the_tables_it_starts_from() -> None:
    sample = gather(None, 30, chance.key(14))
    start = few_stages()
    start.bias = start.bias + 5
    targets = values(start, sample)
    tables, error = fitted(start, sample, targets, FitConfig(), 5)
    assert error == 0
    assert np.array_equal(values(tables, sample), targets)


def test_later_plies_stay_as_they_are() -> None:
    sample, before, config = gather(None, 60, chance.key(18)), Tables.zero(), FitConfig()
    targets, white = (sample.empties % 7).astype(np.float32), new_fit(before)
    first, _ = fit_to(before, sample, targets, config, 2, PLIES + 1, white)
    end = first_fixed_ply(before.plies, 34)
    assert end == 32
    early = sample[60 - sample.empties < end]
    second, _ = fit_to(before, early, -targets[60 - sample.empties < end], config, 2, end, white)
    later = before.plies >= end
    assert np.array_equal(second.weights[later], first.weights[later])
    assert np.array_equal(second.bias[: 60 - end + 1], first.bias[: 60 - end + 1])
    assert np.abs(second.weights[~later] - first.weights[~later]).max(axis=1).min() > 0
    assert first_fixed_ply(before.plies, 4) == PLIES + 1


def test_a_fit_goes_on_where_it_stopped() -> None:
    """Twenty iterations find the minimum whether they start from nothing or from an earlier fit to other targets."""
    sample, before, config = gather(None, 20, chance.key(19)), few_stages(), FitConfig(ridge=3000)
    targets = (sample.empties % 7).astype(np.float32)
    direct, _ = fitted(before, sample, targets, config, 20)
    white = new_fit(before)
    fit_to(before, sample, -targets, config, 5, PLIES + 1, white)
    again, _ = fit_to(before, sample, targets, config, 20, PLIES + 1, white)
    assert np.abs(again.weights - direct.weights).max() < 0.02 * np.abs(direct.weights).max()


def test_wild_positions_do_not_shift_the_others() -> None:
    sample = gather(None, 100, chance.key(20))
    wild = np.arange(len(sample.own)) % 2 == 0
    sample = Sample(sample.own, sample.opponent, wild)
    tables, _ = fitted(few_stages(), sample, np.where(wild, 10, 0).astype(np.float32), FitConfig(), 20)
    assert np.abs(values(tables, sample)).mean() < 2


def test_centring_makes_search_right_on_average() -> None:
    tables = Tables.load(SHIPPED)
    games = gather(tables, 30, chance.key(15), careful=True)
    right = centred(tables, games)
    wrong = Tables(tables.plies, tables.weights, tables.bias + 5, tables.deviations)
    assert np.abs(centred(wrong, games).bias - right.bias)[5 : SOLVED - CENTRED].max() < 1.5
    rows = games[np.flatnonzero(games.empties == SOLVED)].positions()
    found = Evaluation(game("othello"), _core.patterns(right.core())).search(rows, Limit(depth=CENTRED)).scores
    assert abs(float(np.mean(found - solve(rows).scores))) < 0.5


def test_the_number_of_threads_does_not_change_a_fit() -> None:
    sample = gather(None, 100, chance.key(9))
    targets = sample.empties.astype(np.float32)
    before, found = _core.threads(), []
    try:
        for threads in (1, 3):
            _core.set_threads(threads)
            tables, _ = fitted(few_stages(), sample, targets, FitConfig(), 3)
            found.append(tables.weights.tobytes() + tables.bias.tobytes())
    finally:
        _core.set_threads(before)
    assert found[0] == found[1]


def test_a_fit_from_nothing_beats_the_empty_evaluation(tmp_path: Path) -> None:
    config = FitConfig(
        positions=200, games=400, depth=4, exact=8, ridge=10, iterations=3, careful=10, deviations=10, seed=1
    )
    file = fit_patterns(config, run=tmp_path / "run")
    fitted = EVALUATIONS.build(f'pattern("{file}")', game=game("othello"))
    sample = gather(None, 200, chance.key(10))
    seen = sample[choose_rows(sample, sample.empties, 12, 150, chance.key(11))]
    exact = label(seen, Tables.zero(), FitConfig(exact=12))
    assert np.corrcoef(fitted.values(seen.positions()), exact)[0, 1] > 0.7
    assert np.std(fitted.values(seen.positions()) - exact) < 0.8 * np.std(exact)


def test_an_interrupted_fit_resumes_and_ends_with_the_same_tables(tmp_path: Path) -> None:
    whole = fit_patterns(TINY, run=tmp_path / "whole")

    class Stop(Exception):
        pass

    def stop_in_the_middle(done: int, total: int, text: str = "") -> None:
        if text == "31 empty":
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


def test_the_command_and_resume_give_programs_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--positions 100 --games 100 --depth 4 --exact 4 --iterations 1 --careful 10 --deviations 10 --seed 3"
    main(["patterns", "fit", *words.split(), "--run", str(tmp_path / "run"), "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert load_tables(printed["file"])
    assert [one["empties"] for one in printed["fits"]] == [*range(4, 61, 4)]
    assert all(one["positions"] > 0 and one["held_out"] > 0 for one in printed["fits"])
    main(["resume", str(tmp_path / "run"), "--json"])
    assert json.loads(capsys.readouterr().out) == printed
    main(["resume", str(tmp_path / "run")])
    assert "the tables are in" in capsys.readouterr().out


def test_deviations_are_those_of_shallow_search() -> None:
    tables = Tables.load(SHIPPED)
    sample = gather(tables, 60, chance.key(12))
    found, measured = deviations(tables, sample, 40, chance.key(13))
    assert found.shape == (len(tables.plies), _core.PATTERN_DEPTHS)
    rows = choose_rows(sample, sample.empties, 60 - int(tables.plies[6]), 40, chance.key(13))
    evaluation = Evaluation(game("othello"), _core.patterns(tables.core()))
    deep, shallow = (
        evaluation.search(sample[rows].positions(), Limit(depth=depth)).scores for depth in (6, shallow_depth(6))
    )
    assert measured[6, DEPTHS.index(6)] == pytest.approx(np.std(deep - shallow))
    assert (found > 0).all()
    known = ~np.isnan(measured)
    ratio = found[:, DEPTHS.start : DEPTHS.stop][known] / measured[known]
    assert 0.5 < np.median(ratio) < 2


def test_shallow_depths_have_the_parity_of_the_deep_ones() -> None:
    assert [shallow_depth(depth) for depth in (4, 5, 6, 7, 8, 10)] == [2, 1, 2, 3, 4, 4]


@pytest.mark.parametrize(
    "bad",
    [
        {"positions": 1},
        {"depth": 0},
        {"exact": 30},
        {"iterations": 0},
        {"careful": 1},
        {"games": 1},
        {"games": 10**12},
        {"cells": 1.0},
    ],
)
def test_settings_that_cannot_be_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ZeroplyError, match="fitting needs"):
        FitConfig(**bad)  # type: ignore[arg-type]


def test_a_start_without_tables_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match="no file of pattern tables"):
        fit_patterns(FitConfig(start=str(tmp_path / "none")), run=tmp_path / "run")
    (tmp_path / "text").write_text("nothing of the kind")
    with pytest.raises(ZeroplyError, match="damaged"):
        fit_patterns(FitConfig(start=str(tmp_path / "text")), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()
