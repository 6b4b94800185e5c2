"""Match statistics: intervals hold what they promise, and the sequential test ends and errs as designed."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize

from zeroply.arena.statistics import (
    Interval,
    Model,
    Sprt,
    Tally,
    elo,
    elo_interval,
    expected_score,
    likelihood_of_superiority,
    mean_score,
    normalised_elo,
    pair_counts,
    score_interval,
    wilson,
)
from zeroply.errors import ZeroplyError

counts_of_pairs = st.lists(st.integers(0, 10_000), min_size=5, max_size=5)


def independent_games(win: float, draw: float) -> list[float]:
    """The five pair probabilities if the two games of a pair know nothing of each other."""
    loss = 1 - win - draw
    return [loss**2, 2 * loss * draw, draw**2 + 2 * win * loss, 2 * win * draw, win**2]


def test_a_tally_adds_up() -> None:
    tally = Tally(wins=3, draws=2, losses=1) + Tally(wins=1)
    assert (tally.games, tally.points) == (7, 5.0)
    assert tally.score == pytest.approx(5 / 7)
    assert -tally == Tally(wins=1, draws=2, losses=4)
    assert Tally().score == 0.5


def test_elo_and_expected_score_are_inverse() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert (elo(0), elo(1)) == (-math.inf, math.inf)
    assert (expected_score(-math.inf), expected_score(math.inf)) == (0, 1)
    for difference in (-800, -3.5, 0, 120):
        assert elo(expected_score(difference)) == pytest.approx(difference)


def test_wilson_agrees_with_the_textbook() -> None:
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(50, 100, confidence=0.99) == pytest.approx((0.3753, 0.6247), abs=1e-4)
    assert wilson(0, 0) == (0, 1)


def test_pair_scores_are_counted() -> None:
    assert pair_counts([2, 1, 1, 0, 1.5, 2, 0.5]).tolist() == [1, 1, 2, 1, 2]
    assert pair_counts([]).tolist() == [0, 0, 0, 0, 0]
    assert mean_score([1, 1, 2, 1, 2]) == pytest.approx(8 / 14)


@given(counts_of_pairs, st.sampled_from([0.5, 0.95, 0.999]))
def test_the_interval_holds_the_score_and_stays_between_0_and_1(counts: list[int], confidence: float) -> None:
    low, high = score_interval(counts, confidence)
    assert 0 <= low <= mean_score(counts) <= high <= 1
    assert low < high


@given(counts_of_pairs)
def test_the_opponent_has_the_mirrored_interval(counts: list[int]) -> None:
    low, high = score_interval(counts)
    assert score_interval(counts[::-1]) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_independent_decisive_games_give_nearly_the_plain_wilson_interval() -> None:
    assert score_interval([250, 0, 500, 0, 250]) == pytest.approx(wilson(1000, 2000), abs=1e-4)


def test_an_opening_that_decides_the_game_narrows_the_interval_and_equal_games_widen_it() -> None:
    def width(counts: list[int]) -> float:
        low, high = score_interval(counts)
        return high - low

    assert width([10, 0, 80, 0, 10]) < width([25, 0, 50, 0, 25]) < width([50, 0, 0, 0, 50])


@pytest.mark.parametrize("pairs", [1, 10, 1000])
def test_all_wins_losses_or_draws_leave_doubt_that_shrinks(pairs: int) -> None:
    assert score_interval([0, 0, 0, 0, pairs]) == pytest.approx(wilson(pairs, pairs))
    assert score_interval([pairs, 0, 0, 0, 0]) == pytest.approx(wilson(0, pairs))
    low, high = score_interval([0, 0, pairs, 0, 0])
    assert low + high == pytest.approx(1)
    assert 0.5 / pairs < high - low < 3 / pairs


def test_nothing_played_says_nothing() -> None:
    assert score_interval([0, 0, 0, 0, 0]) == (0, 1)
    assert mean_score([0, 0, 0, 0, 0]) == 0.5


@pytest.mark.parametrize("pairs", [10, 50, 500])
@pytest.mark.parametrize(
    "distribution",
    [
        pytest.param(independent_games(0.5, 0), id="even"),
        pytest.param(independent_games(0.3, 0.5), id="drawish"),
        pytest.param(independent_games(0.9, 0), id="strong"),
        pytest.param(independent_games(0.98, 0), id="crushing"),
        pytest.param(independent_games(0.002, 0.01), id="hopeless"),
        pytest.param(independent_games(0.01, 0.98), id="almost all draws"),
        pytest.param([0.5, 0, 0, 0, 0.5], id="games of a pair alike"),
        pytest.param([0.05, 0, 0, 0, 0.95], id="games of a pair alike, strong"),
        pytest.param([0.05, 0, 0.9, 0, 0.05], id="colour decides"),
        pytest.param([0, 0, 0.95, 0, 0.05], id="colour decides, stronger"),
        pytest.param([0, 0, 0.03, 0, 0.97], id="crushing, never loses a pair"),
    ],
)
def test_the_interval_covers_the_truth_about_as_often_as_it_says(distribution: list[float], pairs: int) -> None:
    matches = np.random.default_rng(7).multinomial(pairs, distribution, size=2000)
    truth = mean_score(distribution)
    intervals = np.array([score_interval(counts) for counts in matches])
    covered = (intervals[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= intervals[:, 1])
    assert covered.mean() > 0.89
    if pairs == 500 and min(truth, 1 - truth) > 0.1 and max(distribution) < 0.9:
        assert covered.mean() == pytest.approx(0.95, abs=0.015)


def test_elo_intervals_may_be_open() -> None:
    assert elo_interval([0, 0, 0, 0, 20]).high == math.inf
    assert elo_interval([20, 0, 0, 0, 0]).low == -math.inf
    low, high = elo_interval([5, 10, 20, 10, 5])
    assert low == pytest.approx(-high)
    assert 20 < high < 100


# The sequential test.


def test_the_bounds_are_walds() -> None:
    assert Sprt(0, 5).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 5, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


@pytest.mark.parametrize(("pair_score", "verdict"), [(2, "H1"), (0, "H0"), (1, "H0")])
def test_all_wins_losses_or_draws_decide_the_test(pair_score: float, verdict: str) -> None:
    result = Sprt(0, 20).decide([pair_score] * 200)
    assert result.verdict == verdict
    assert 10 < result.pairs < 100


def test_outcomes_never_seen_weigh_almost_nothing() -> None:
    """With only wins, each hypothesis can do no better than to give a win the probability of its mean."""
    assert Sprt(0, 20).llr([0, 0, 0, 0, 100]) == pytest.approx(100 * math.log(expected_score(20) / 0.5), abs=0.02)


def test_all_draws_accept_the_hypothesis_nearer_to_zero() -> None:
    assert Sprt(-20, 0).decide([1] * 200).verdict == "H1"
    assert Sprt(-20, 5).decide([1] * 1000).verdict == "H1"
    assert Sprt(-10, 10).llr([0, 0, 1000, 0, 0]) == pytest.approx(0, abs=1e-6)


def test_too_few_pairs_decide_nothing() -> None:
    assert Sprt(0, 20).decide([]) == (None, 0, 0.0)
    verdict, pairs, llr = Sprt(0, 20).decide([2, 0, 1])
    assert (verdict, pairs) == (None, 3)
    assert llr == pytest.approx(Sprt(0, 20).llr([1, 0, 1, 0, 1]))
    assert Sprt(0, 20).llr([0] * 5) == 0


@pytest.mark.parametrize("counts", [(7, 12, 30, 25, 16), (100, 300, 600, 330, 120), (0, 2, 40, 3, 0)])
def test_the_normalised_ratio_is_that_of_the_likeliest_distributions_with_the_two_scores(
    counts: tuple[int, ...],
) -> None:
    """Against scipy's search for the likeliest distribution whose score is that many standard deviations above 1/2."""
    scores, seen = np.arange(5) / 4, np.maximum(np.array(counts, float), 1e-3)

    def best(normalised: float) -> float:
        wanted = normalised * math.log(10) / 800 * math.sqrt(2)

        def excess(p: NDArray[np.float64]) -> float:
            mean = p @ scores
            return float(mean - 0.5 - wanted * math.sqrt(p @ (scores - mean) ** 2))

        found = optimize.minimize(
            lambda p: -(seen @ np.log(p)),
            seen / seen.sum(),
            jac=lambda p: -seen / p,
            bounds=[(1e-9, 1)] * 5,
            constraints=[{"type": "eq", "fun": excess}, {"type": "eq", "fun": lambda p: p.sum() - 1}],
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 1000},
        )
        return -float(found.fun)

    test = Sprt(-30, 40, model="normalised")
    assert test.llr(counts) == pytest.approx(best(40) - best(-30), rel=1e-3, abs=1e-3)
    assert test.words(test.decide([])).startswith("undecided between normalised Elo -30 and 40")


def test_near_even_games_without_draws_have_the_same_elo_on_both_scales() -> None:
    """Two independent games a pair, each won with probability 1/2 + e: the scales differ in higher orders of e only."""
    win = expected_score(4)
    pairs = 1e6 * np.array([(1 - win) ** 2, 0, 2 * win * (1 - win), 0, win**2])
    assert normalised_elo(pairs) == pytest.approx(4, rel=0.01)
    assert Sprt(0, 8, model="normalised").llr(pairs) == pytest.approx(Sprt(0, 8).llr(pairs), abs=0.05)
    assert normalised_elo([0] * 5) == 0


def test_the_likelihood_of_superiority_is_the_share_of_such_samples_above_one_half() -> None:
    counts = np.array([30, 60, 200, 80, 40])
    dice = np.random.default_rng(1)
    drawn = dice.multinomial(counts.sum(), counts / counts.sum(), size=20_000) @ (np.arange(5) / 4) / counts.sum()
    assert likelihood_of_superiority(counts) == pytest.approx((drawn > 0.5).mean(), abs=0.01)
    assert likelihood_of_superiority(counts[::-1]) == pytest.approx(1 - likelihood_of_superiority(counts))
    assert likelihood_of_superiority([0] * 5) == likelihood_of_superiority([0, 0, 9, 0, 0]) == 0.5
    assert 0.9 < likelihood_of_superiority([0, 0, 0, 0, 3]) < 1


@pytest.mark.parametrize("model", ["logistic", "normalised"])
def test_pairs_that_are_known_to_decide_nothing_need_no_second_look(model: Model) -> None:
    pairs = np.random.default_rng(2).choice(5, size=400, p=independent_games(0.6, 0.2)) / 2
    sprt = Sprt(0, 60, model=model)
    result = sprt.decide(pairs)
    assert result.verdict == "H1"
    for known in (0, 1, 5, result.pairs - 1):
        assert sprt.decide(pairs, known) == pytest.approx(result)
    assert sprt.decide(pairs[:5], 5) == pytest.approx(sprt.decide(pairs[:5]))


def test_a_model_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ZeroplyError, match="logistic or normalised"):
        Sprt(0, 5, model="pentanomial")  # type: ignore[arg-type]
    with pytest.raises(ZeroplyError, match="lie within 200"):
        Sprt(0, 300, model="normalised")


def test_pairs_after_the_decision_change_nothing() -> None:
    pairs = np.random.default_rng(1).choice(5, size=400, p=independent_games(0.6, 0.2)) / 2
    sprt = Sprt(0, 60)
    result = sprt.decide(pairs)
    assert result.verdict == "H1"
    assert result.pairs < 400
    for later in (result.pairs, result.pairs + 1, 400):
        assert sprt.decide(pairs[:later]) == pytest.approx(result)
    assert sprt.decide(pairs[: result.pairs - 1]).verdict is None
    assert sprt.decide([*pairs[: result.pairs], *[0] * 200]) == result


def test_the_ratio_after_each_pair_is_that_of_the_counts_so_far() -> None:
    pairs = [2, 0.5, 1, 1.5, 2, 0]
    ratios = Sprt(0, 50).llrs(pairs)
    assert ratios == pytest.approx([Sprt(0, 50).llr(pair_counts(pairs[: n + 1])) for n in range(len(pairs))])


def test_the_ratio_is_that_of_the_likeliest_distributions_with_the_two_means() -> None:
    """Against a plain search for the likeliest distribution of given mean."""
    counts = np.array([7.0, 12, 30, 25, 16])
    best = [_best_log_likelihood(counts, expected_score(difference)) for difference in (-30, 40)]
    assert Sprt(-30, 40).llr(counts) == pytest.approx(best[1] - best[0], abs=1e-6)


def _best_log_likelihood(counts: NDArray[np.float64], mean: float) -> float:
    scores = np.arange(5) / 4
    # Directions that keep the sum and the mean of a distribution, and a start that has that mean.
    directions = np.linalg.svd(np.stack([np.ones(5), scores]))[2][2:]
    odds = (mean / (1 - mean)) ** np.arange(5)
    p = np.array([math.comb(4, i) for i in range(5)]) * odds
    p /= p.sum()
    step = 0.1
    while step > 1e-9:
        tried = [p + sign * step * direction for direction in directions for sign in (1, -1)]
        better = max((q for q in tried if q.min() > 0), key=lambda q: float(counts @ np.log(q)), default=p)
        if counts @ np.log(better) > counts @ np.log(p):
            p = better
        else:
            step /= 2
    assert p @ scores == pytest.approx(mean)
    return float(counts @ np.log(p))


def test_the_test_errs_about_as_often_as_it_says() -> None:
    sprt = Sprt(0, 100, alpha=0.1, beta=0.05)
    rng = np.random.default_rng(3)
    verdicts = {}
    for hypothesis, difference in (("H0", 0), ("H1", 100)):
        draw = 0.3
        win = expected_score(difference) - draw / 2
        matches = rng.choice(5, size=(200, 160), p=independent_games(win, draw)) / 2
        verdicts[hypothesis] = [sprt.decide(match).verdict for match in matches]
    undecided = sum(found.count(None) for found in verdicts.values())
    assert undecided < 5
    assert verdicts["H0"].count("H1") / 200 == pytest.approx(0.1, abs=0.05)
    assert verdicts["H1"].count("H0") / 200 == pytest.approx(0.05, abs=0.04)


# Bad input.


@pytest.mark.parametrize(
    "counts", [[1, 2, 3], [[1, 2, 3, 4, 5]], [1, 2, -3, 4, 5], [math.nan] * 5, [math.inf, 0, 0, 0, 0]]
)
def test_a_match_is_five_counts(counts: list[float]) -> None:
    for function in (mean_score, score_interval, elo_interval, Sprt(0, 5).llr):
        with pytest.raises(ZeroplyError, match="five counts"):
            function(counts)


@pytest.mark.parametrize("scores", [[0.25], [2.5], [-0.5], [math.nan], [[1.0]], 1.0])
def test_a_pair_scores_half_points_up_to_two(scores: list[float]) -> None:
    for function in (pair_counts, Sprt(0, 5).llrs, Sprt(0, 5).decide):
        with pytest.raises(ZeroplyError, match="pair scores"):
            function(scores)


def test_impossible_proportions_scores_and_confidences_are_refused() -> None:
    for successes, trials in ((2, 1), (-1, 1), (0, -1), (0, math.inf), (math.nan, 1)):
        with pytest.raises(ZeroplyError, match="not a proportion"):
            wilson(successes, trials)
    for score in (-0.1, 1.1, math.nan):
        with pytest.raises(ZeroplyError, match="between 0 and 1"):
            elo(score)
    for confidence in (0, 1, math.nan):
        with pytest.raises(ZeroplyError, match="confidence"):
            score_interval([1, 1, 1, 1, 1], confidence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((5, 0), "elo0 below elo1"),
        ((5, 5), "elo0 below elo1"),
        ((0, math.inf), "elo0 below elo1"),
        ((math.nan, 1), "elo0 below elo1"),
        ((0, 1e5), "too extreme"),
        ((0, 5, 0.0), "alpha and beta"),
        ((0, 5, 0.05, 0.5), "alpha and beta"),
    ],
)
def test_a_test_that_cannot_be_is_refused(arguments: Any, sentence: str) -> None:
    with pytest.raises(ZeroplyError, match=sentence):
        Sprt(*arguments)


def test_an_interval_has_named_ends() -> None:
    assert Interval(low=0.1, high=0.2) == (0.1, 0.2)
