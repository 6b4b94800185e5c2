"""Verdicts have three values, and intervals of few runs are Student's."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroply.studies.verdicts import (
    Estimate,
    ahead,
    all_of,
    any_of,
    chi_square_quantile,
    difference,
    mean_of,
    opposite,
    rank_sum_chance,
    t_quantile,
    together,
)


def test_all_of_is_false_if_one_is_and_open_if_one_is_open() -> None:
    assert all_of([True, True]) is True
    assert all_of([True, None]) is None
    assert all_of([True, None, False]) is False
    assert all_of([]) is None


def test_any_of_is_true_if_one_is_and_open_if_one_is_open() -> None:
    assert any_of([False, None, True]) is True
    assert any_of([False, None]) is None
    assert any_of([False, False]) is False
    assert any_of([]) is None
    assert opposite(None) is None


@pytest.mark.parametrize(
    ("degrees", "confidence", "quantile"),
    # From printed tables of Student's distribution.
    [(1, 0.95, 12.706), (4, 0.95, 2.776), (4, 0.99, 4.604), (9, 0.95, 2.262), (30, 0.9, 1.697), (math.inf, 0.95, 1.96)],
)
def test_quantiles_are_those_of_printed_tables(degrees: float, confidence: float, quantile: float) -> None:
    assert t_quantile(degrees, confidence) == pytest.approx(quantile, abs=6e-4)


@given(st.floats(1, 200), st.floats(0.5, 0.999))
def test_fewer_degrees_reach_further(degrees: float, confidence: float) -> None:
    assert t_quantile(degrees, confidence) > t_quantile(degrees + 1, confidence) > t_quantile(math.inf, confidence)


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=5),
    st.lists(st.integers(0, 6), min_size=1, max_size=5),
)
def test_the_chance_of_a_rank_sum_is_that_of_all_ways_to_deal(some: list[int], others: list[int]) -> None:
    def wins(one: tuple[int, ...], rest: list[int]) -> float:
        return sum((a > b) + 0.5 * (a == b) for a in one for b in rest)

    values = [*some, *others]
    dealt = []
    for chosen in combinations(range(len(values)), len(some)):
        rest = [value for at, value in enumerate(values) if at not in chosen]
        dealt.append(wins(tuple(values[at] for at in chosen), rest))
    as_high = sum(one >= wins(tuple(some), others) for one in dealt)
    assert rank_sum_chance(some, others) == pytest.approx(as_high / len(dealt))


def test_the_chance_of_a_rank_sum_is_that_of_scipy_for_many_values() -> None:
    stats = pytest.importorskip("scipy.stats")
    some, others = [0.1 * n**1.3 for n in range(1, 31)], [0.15 * n for n in range(40)]
    expected = stats.mannwhitneyu(some, others, alternative="greater", method="exact").pvalue
    assert rank_sum_chance(some, others) == pytest.approx(expected)


def test_it_takes_three_runs_of_each_to_be_ahead() -> None:
    assert ahead([2, 3, 4], [0, 1, 1.5]) is True
    assert ahead([0, 1, 1.5], [2, 3, 4]) is False
    assert ahead([2, 3], [0, 1]) is None
    assert ahead([2, 3, 1], [0, 1.5, 1]) is None
    assert ahead([1, 1, 1], [1, 1, 1]) is None
    assert ahead([5, 5, 5, 1], [2, 3, 4, 0]) is None
    assert ahead([5, 5, 5, 5, 1], [2, 3, 4, 0, 0]) is True


def test_a_single_run_tells_nothing() -> None:
    assert mean_of([0.9]).above(0) is None
    assert difference([0.9], [0.1, 0.2]).above(0) is None
    assert str(mean_of([0.9])) == "+0.90"


def test_a_mean_is_judged_by_its_whole_interval() -> None:
    found = mean_of([0.5, 0.7, 0.6])
    assert found.value == pytest.approx(0.6)
    assert found.error == pytest.approx(0.1 / math.sqrt(3))
    assert [found.above(limit) for limit in (0.3, 0.5, 0.9)] == [True, None, False]
    assert [found.below(limit) for limit in (0.3, 0.5, 0.9)] == [False, None, True]
    assert [found.within(limit) for limit in (0.3, 0.5, 0.9)] == [False, None, True]


def test_more_comparisons_need_clearer_differences() -> None:
    found = Estimate(2.2, 1.0)
    assert found.above() is True
    assert found.above(comparisons=6) is None


def test_constant_values_are_certain() -> None:
    assert mean_of([0.0, 0.0]).above(0) is False
    assert difference([1.0, 1.0], [0.0, 0.0]).above(0) is True


def test_differences_have_welchs_degrees_of_freedom() -> None:
    found = difference([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0])
    assert found.degrees == pytest.approx(3)
    assert difference([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).degrees == pytest.approx(4)


def test_scores_of_few_runs_count_less() -> None:
    assert Estimate(2.776, 1.0, 4).normal_score == pytest.approx(1.96, abs=1e-3)
    assert Estimate(-1.96, 1.0).normal_score == pytest.approx(-1.96)
    assert math.isnan(mean_of([1.0]).normal_score)


def test_many_small_distances_the_same_way_are_a_large_one() -> None:
    assert together([1.5] * 9) == pytest.approx(4.5)
    assert together([1.5, -1.5]) == 0


@pytest.mark.parametrize(("degrees", "share", "quantile"), [(4, 0.95, 9.488), (10, 0.975, 20.483), (50, 0.05, 34.764)])
def test_chi_square_quantiles_are_those_of_printed_tables(degrees: int, share: float, quantile: float) -> None:
    assert chi_square_quantile(degrees, share) == pytest.approx(quantile, rel=0.006)
