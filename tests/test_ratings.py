"""Ratings: they recover known strengths, say how sure they are, and stay finite whatever the table."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from zeroply.arena.ratings import Ratings, rate
from zeroply.arena.statistics import elo, expected_score
from zeroply.errors import ZeroplyError

Table = tuple[NDArray[np.float64], NDArray[np.float64]]


def round_robin(strengths: ArrayLike, games_per_pair: int, rng: np.random.Generator) -> Table:
    """Decisive games of every two players of known Elo."""
    strengths = np.asarray(strengths, dtype=np.float64)
    chances = np.vectorize(expected_score)(strengths[:, None] - strengths[None, :])
    points = np.triu(rng.binomial(games_per_pair, chances), k=1).astype(np.float64)
    games = games_per_pair * (1 - np.eye(len(strengths)))
    return points + np.tril(games - points.T, k=-1), games


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any table: players who never met, who won or lost everything, half points."""
    players = draw(st.integers(1, 6))
    points, games = np.zeros((players, players)), np.zeros((players, players))
    for i in range(players):
        for j in range(i):
            half_points, played = sorted(draw(st.tuples(st.integers(0, 2000), st.integers(0, 2000))))
            points[i, j], points[j, i] = half_points / 2, (played - half_points) / 2
            games[i, j] = games[j, i] = played / 2
    return points, games


@given(tables())
def test_any_table_gives_finite_ratings_with_mean_0_inside_their_intervals(table: Table) -> None:
    ratings = rate(*table)
    for array in (ratings.elo, ratings.covariance, ratings.low, ratings.high, ratings.superiority):
        assert np.isfinite(array).all()
    assert ratings.elo.mean() == pytest.approx(0, abs=1e-6)
    assert (ratings.low <= ratings.elo).all()
    assert (ratings.elo <= ratings.high).all()
    assert ratings.covariance == pytest.approx(ratings.covariance.T, abs=1e-6)
    assert ratings.covariance.sum(axis=0) == pytest.approx(np.zeros(len(ratings.elo)), abs=1e-3)
    assert ratings.superiority + ratings.superiority.T == pytest.approx(np.ones(ratings.covariance.shape))


@given(tables(), st.randoms())
def test_the_order_of_players_does_not_matter(table: Table, chance: Random) -> None:
    points, games = table
    order = list(range(len(points)))
    chance.shuffle(order)
    ratings, shuffled = rate(points, games), rate(points[order][:, order], games[order][:, order])
    assert shuffled.elo == pytest.approx(ratings.elo[order], abs=1e-6)
    assert shuffled.low == pytest.approx(ratings.low[order], abs=1e-4)
    assert shuffled.superiority == pytest.approx(ratings.superiority[order][:, order], abs=1e-6)


def test_two_players_differ_by_the_elo_of_their_score() -> None:
    ratings = rate([[0, 7000], [3000, 0]], [[0, 10000], [10000, 0]])
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(elo(0.7), abs=0.05)
    # The variance of the difference is that of log odds: 1 / (n p (1 - p)), on the Elo scale.
    variance = ratings.covariance[0, 0] + ratings.covariance[1, 1] - 2 * ratings.covariance[0, 1]
    assert variance == pytest.approx((400 / math.log(10)) ** 2 / (10000 * 0.7 * 0.3), rel=1e-3)


def test_superiority_is_that_of_the_difference() -> None:
    ratings = rate([[0, 55], [45, 0]], [[0, 100], [100, 0]])
    variance = ratings.covariance[0, 0] + ratings.covariance[1, 1] - 2 * ratings.covariance[0, 1]
    standardised = (ratings.elo[0] - ratings.elo[1]) / math.sqrt(variance)
    assert ratings.superiority[0, 1] == pytest.approx((1 + math.erf(standardised / math.sqrt(2))) / 2)


def test_a_draw_is_half_a_win() -> None:
    draws_only = rate([[0, 10], [10, 0]], [[0, 20], [20, 0]])
    assert draws_only.elo == pytest.approx([0, 0])
    assert draws_only.superiority == pytest.approx(np.full((2, 2), 0.5))


def test_one_player_alone_is_the_mean() -> None:
    ratings = rate([[0]], [[0]])
    assert [ratings.elo.item(), ratings.low.item(), ratings.high.item()] == [0, 0, 0]
    assert ratings.superiority.item() == 0.5


def test_players_who_never_played_are_equal_and_unsure() -> None:
    ratings = rate(np.zeros((3, 3)), np.zeros((3, 3)))
    assert ratings.elo == pytest.approx([0, 0, 0])
    assert (ratings.standard_error > 200).all()


def test_an_undefeated_player_is_rated_high_but_finite() -> None:
    points = np.array([[0, 50, 50], [0, 0, 25], [0, 25, 0]], dtype=float)
    games = points + points.T
    ratings = rate(points, games)
    assert 400 < ratings.elo[0] - ratings.elo[1] < 1500
    assert ratings.elo[1] == pytest.approx(ratings.elo[2])
    assert ratings.superiority[0, 1] > 0.99


def test_a_ladder_of_wipeouts_is_rated_in_order() -> None:
    games = 1000.0 * (1 - np.eye(30))
    ratings = rate(np.triu(games), games)
    assert (np.diff(ratings.elo) < 0).all()
    assert np.isfinite(ratings.high).all()


def test_a_table_on_which_plain_newton_steps_run_away_is_rated() -> None:
    wins = np.zeros((5, 5))
    wins[0, 1:4] = 3, 3, 100
    wins[2, [1, 4]] = 100_000, 1
    wins[3, [1, 2, 4]] = 1, 3, 100_000
    wins[1, 4], wins[4, 2] = 100_000, 3
    ratings = rate(wins, wins + wins.T)
    assert np.argsort(-ratings.elo).tolist() == [0, 3, 2, 1, 4]
    assert np.abs(ratings.elo).max() < 4000


def test_groups_that_never_met_are_rated_each_around_the_mean() -> None:
    points, games = np.zeros((4, 4)), np.zeros((4, 4))
    points[0, 1], points[1, 0], points[2, 3], points[3, 2] = 70, 30, 60, 40
    games[0, 1] = games[1, 0] = games[2, 3] = games[3, 2] = 100
    ratings = rate(points, games)
    assert ratings.elo[0] + ratings.elo[1] == pytest.approx(0, abs=1e-6)
    assert ratings.elo[2] - ratings.elo[3] == pytest.approx(elo(0.6), abs=3)
    assert 0.5 < ratings.superiority[0, 2] < ratings.superiority[0, 1]


def test_more_games_make_narrower_intervals() -> None:
    games = 10.0 * (1 - np.eye(4))
    few, many = rate(games / 2, games), rate(games * 50, games * 100)
    assert (many.standard_error < few.standard_error / 9).all()


def test_known_strengths_are_within_the_intervals_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    strengths = np.array([-250.0, -100, -50, 0, 150, 250])
    leagues = [rate(*round_robin(strengths, 40, rng)) for _ in range(400)]
    covered = [(league.low <= strengths) & (strengths <= league.high) for league in leagues]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
    assert np.mean([league.elo for league in leagues], axis=0) == pytest.approx(strengths, abs=10)


def test_superiority_is_a_calibrated_probability() -> None:
    """Strengths drawn at random: where superiority says 70 to 90 %, the player is stronger that often."""
    rng = np.random.default_rng(5)
    said, true = [], []
    for _ in range(300):
        strengths = rng.logistic(scale=400 / math.log(10), size=5)
        superiority = rate(*round_robin(strengths, 10, rng)).superiority
        said.append(superiority)
        true.append(strengths[:, None] > strengths[None, :])
    chosen = (np.array(said) > 0.7) & (np.array(said) < 0.9)
    assert chosen.sum() > 200
    assert np.array(true)[chosen].mean() == pytest.approx(np.array(said)[chosen].mean(), abs=0.06)


def test_a_hundred_players_are_rated() -> None:
    strengths = np.linspace(-500, 500, 100)
    ratings: Ratings = rate(*round_robin(strengths, 20, np.random.default_rng(2)))
    assert np.corrcoef(strengths, ratings.elo)[0, 1] > 0.99
    assert np.mean((ratings.low <= strengths) & (strengths <= ratings.high)) > 0.85


def test_a_wider_confidence_is_a_wider_interval() -> None:
    points, games = round_robin([0, 50, 100], 30, np.random.default_rng(1))
    assert (rate(points, games, confidence=0.99).high > rate(points, games).high).all()
    with pytest.raises(ZeroplyError, match="confidence"):
        rate(points, games, confidence=1)


@pytest.mark.parametrize(
    ("points", "games", "sentence"),
    [
        ([[0, 1]], [[0, 1]], "two square tables"),
        ([0, 1], [0, 1], "two square tables"),
        ([[0, 1], [0, 0]], [[0]], "two square tables"),
        (np.zeros((0, 0)), np.zeros((0, 0)), "two square tables"),
        ([[0, -1], [2, 0]], [[0, 1], [1, 0]], "numbers from 0 up"),
        ([[0, math.nan], [2, 0]], [[0, 1], [1, 0]], "numbers from 0 up"),
        ([[1, 1], [0, 0]], [[0, 1], [1, 0]], "against itself"),
        ([[0, 1], [0, 0]], [[1, 1], [1, 0]], "against itself"),
        ([[0, 1], [1, 0]], [[0, 1], [1, 0]], "add up to their games"),
        ([[0, 1], [0, 0]], [[0, 1], [2, 0]], "add up to their games"),
    ],
)
def test_a_table_that_does_not_add_up_is_refused(points: ArrayLike, games: ArrayLike, sentence: str) -> None:
    with pytest.raises(ZeroplyError, match=sentence):
        rate(points, games)
