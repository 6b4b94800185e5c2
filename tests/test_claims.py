"""One rule judges all claims: by the whole interval, and intervals of few runs are Student's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroply.arena.statistics import Interval
from zeroply.studies.claims import Claim, Rule, above, below, most, near
from zeroply.studies.measured import (
    Measured,
    average,
    correlation,
    difference,
    exact,
    mean,
    share,
    split_columns,
    t_quantile,
)


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


def test_a_rule_is_judged_by_the_whole_interval() -> None:
    inside, outside, across = Interval(0.6, 0.7), Interval(0.3, 0.4), Interval(0.4, 0.6)
    assert [above(0.5).holds(one) for one in (inside, outside, across)] == [True, False, None]
    assert [below(0.5).holds(one) for one in (inside, outside, across)] == [False, True, None]
    assert [near(0.65, 0.1).holds(one) for one in (inside, outside, across)] == [True, False, None]
    assert Rule().holds(Interval(-math.inf, math.inf)) is True
    assert above(0).holds(Interval(0, 0)) is False


def test_agreement_needs_an_interval_within_the_margin() -> None:
    noisy, sharp = Measured(0.0, 1.0), Measured(0.0, 0.01)
    assert near(0, 0.5).holds(noisy.interval()) is None, "no difference was found, but a large one is possible"
    assert near(0, 0.5).holds(sharp.interval()) is True
    assert near(0, 0.5).holds(Measured(0.8, 0.01).interval()) is False


def test_a_single_run_decides_nothing() -> None:
    assert above(0).holds(mean([0.9]).interval()) is None
    assert above(0).holds(difference([0.9], [0.1, 0.2]).interval()) is None
    assert str(mean([0.9])) == "0.90"


def test_a_mean_has_students_interval() -> None:
    one = mean([0.5, 0.7, 0.6])
    assert one.value == pytest.approx(0.6)
    assert one.error == pytest.approx(0.1 / math.sqrt(3))
    assert one.interval() == pytest.approx((0.6 - 4.303 * one.error, 0.6 + 4.303 * one.error), abs=1e-3)
    assert str(one) == "0.60 [0.35, 0.85]"


def test_shares_and_correlations_have_their_own_intervals() -> None:
    assert share(5, 5).interval() == pytest.approx((0.566, 1.0), abs=1e-3)
    assert correlation(0.7, 200).interval() == pytest.approx((0.621, 0.765), abs=1e-3)
    assert share(0, 0).interval() == (0, 1)


def test_differences_have_welchs_degrees_of_freedom() -> None:
    assert difference([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0]).degrees == pytest.approx(3)
    assert difference([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).degrees == pytest.approx(4)
    assert above(0).holds(difference([1.0, 1.0], [0.0, 0.0]).interval()) is True


def test_the_difference_of_shares_follows_from_both_intervals() -> None:
    one, other = share(80, 100), share(50, 100)
    low, high = (one - other).interval()
    assert low < 0.3 < high
    assert 0.15 < low < 0.2 < 0.4 < high < 0.45
    assert (one - 0.5).interval() == pytest.approx([end - 0.5 for end in one.interval()])


def test_paired_means_are_compared_within_runs() -> None:
    one, other = mean([50.0, 60.0], 1, paired=True), mean([49.0, 59.1], 1, paired=True)
    assert (one - other).error == pytest.approx(0.05)
    assert (mean([50.0, 60.0]) - mean([49.0, 59.1])).error > 5
    assert average([one, other]).runs == pytest.approx((49.5, 59.55))
    with pytest.raises(ValueError, match="different numbers of runs"):
        one - mean([1.0, 2.0, 3.0], paired=True)


def test_the_error_of_a_shared_sample_adds_to_that_between_runs() -> None:
    agree, sampled = mean([50.0, 50.0], 1, paired=True), mean([50.0, 50.0], 1, 0.5, paired=True)
    assert agree.interval() == (50, 50)
    assert sampled.interval() == pytest.approx((50 - 0.98, 50 + 0.98), abs=1e-2)
    both = mean([49.9, 50.1], 1, 0.5, paired=True)
    assert both.interval().high - 50 == pytest.approx(math.hypot(12.706 * 0.1, 0.98), abs=1e-2)


def test_the_average_of_independent_numbers_is_sharper() -> None:
    several = [Measured(0.1, 0.1) for _ in range(4)]
    assert average(several).error == pytest.approx(0.05)
    assert (-average(several)).value == pytest.approx(-0.1)


def test_a_measured_number_becomes_columns_of_its_own() -> None:
    assert split_columns({"net": "a", "r": mean([0.5, 0.7, 0.6])}) == {
        "net": "a",
        "r": 0.6,
        "r_low": 0.3516,
        "r_high": 0.8484,
    }
    assert split_columns({"r": Measured(0.5)}) == {"r": 0.5, "r_low": "", "r_high": ""}


# Claims


def claim(*values: float, needed: int | None = None, error: float = 0.1) -> Claim:
    return Claim("table I", "x", {str(n): Measured(v, error) for n, v in enumerate(values)}, above(0), needed=needed)


def test_all_numbers_of_a_claim_have_to_hold_or_as_many_as_it_needs() -> None:
    assert claim(1, 1, 1).holds is True
    assert claim(1, 0, 1).holds is None
    assert claim(1, 0, -1).holds is False
    assert claim(1, 0, -1, needed=1).holds is True
    assert claim(-1, 0, -1, needed=1).holds is None
    assert claim(-1, -1, needed=1).holds is False
    assert claim(1, 1, 0, -1, needed=most(4)).holds is None
    assert claim().holds is None


def test_more_comparisons_need_clearer_numbers() -> None:
    assert claim(0.22).holds is True
    assert claim(*[0.22] * 6).holds is None
    assert "judged as 6 comparisons" in claim(*[0.22] * 6).words


def test_a_claim_with_a_reason_stays_open() -> None:
    assert claim(1).open("too short").holds is None
    assert "too short" in claim(1).open("too short").words
    assert claim(1).open("").holds is True
    assert claim(1).named("queen").text == "queen: x"


def test_rules_may_differ_by_number() -> None:
    numbers = {"high": exact(0.9), "low": exact(0.1)}
    assert Claim("", "", numbers, {"high": above(0.5), "low": below(0.5)}).holds is True
    assert Claim("", "", numbers, {"high": above(0.5), "low": above(0.5)}).holds is False


def test_the_entry_of_a_claim_shows_the_number_that_speaks_most_against_it() -> None:
    ours = {"a": Measured(0.9, 0.01), "b": Measured(0.2, 0.01)}
    entry = Claim("table I", "x", ours, above(0.5), {"a": 0.8, "b": 0.7}).entry()
    assert (entry["ours"], entry["printed"], entry["verdict"]) == (0.2, 0.7, "fails")
    assert entry["interval"] == pytest.approx([0.1804, 0.2196], abs=1e-4)
    assert [one["name"] for one in entry["comparisons"]] == ["a", "b"]
    alone = Claim("table I", "x", Measured(0.9), above(0.5)).entry()
    assert (alone["interval"], alone["verdict"], "comparisons" in alone) == ([None, None], "cannot tell", False)
