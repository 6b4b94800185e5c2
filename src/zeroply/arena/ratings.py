"""Bradley-Terry ratings on the Elo scale from a table of results; a draw is half a win.

Bradley and Terry (1952), fitted by Newton's method, with covariances from the information matrix at the mode.
The prior is one drawn game of every player against an imaginary player of rating 0: it keeps a player who won
or lost everything finite and holds groups together that never met, and it weighs no more than that one game.
A drawn game is given the variance of a decisive one, so with many draws the intervals are on the wide side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply.errors import ZeroplyError

Floats: TypeAlias = NDArray[np.float64]

_ELO = 400 / math.log(10)  # Elo per natural log of the odds
_PRIOR_GAMES = 1.0
_MAX_STEPS = 10_000


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of n players who met one another; all in Elo, players in the order of the table."""

    elo: Floats
    """Ratings [n], with mean 0."""
    covariance: Floats
    """Covariance [n, n] of `elo`, in Elo squared; each row sums to 0 because the mean is fixed."""
    low: Floats
    """Lower ends [n] of the intervals of each rating relative to the field's mean."""
    high: Floats
    """Upper ends [n] of these intervals."""
    superiority: Floats
    """Probability [n, n] that the row's player is stronger than the column's; 1/2 on the diagonal."""

    @property
    def standard_error(self) -> Floats:
        """Standard error [n] of each rating relative to the field's mean."""
        return _roots(self.covariance.diagonal())


def rate(points: ArrayLike, games: ArrayLike, confidence: float = 0.95) -> Ratings:
    """Ratings from `points[i, j]` that player i scored in `games[i, j]` games against player j."""
    points, games = _checked(points, games)
    if not 0 < confidence < 1:
        raise ZeroplyError(f"a confidence lies between 0 and 1, not at {confidence}")
    strengths = _mode(points, games)
    _, information = _slope(strengths, points, games)
    centring = np.eye(len(points)) - 1 / len(points)
    covariance = centring @ (np.linalg.inv(information) * _ELO**2) @ centring
    elo = (strengths - strengths.mean()) * _ELO
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * _roots(covariance.diagonal())
    return Ratings(elo, covariance, elo - reach, elo + reach, _superiority(elo, covariance))


def _mode(points: Floats, games: Floats) -> Floats:
    """The strengths [n] (natural log odds) of highest posterior density, which is log-concave."""
    strengths = np.zeros(len(points))
    for _ in range(_MAX_STEPS):
        gradient, information = _slope(strengths, points, games)
        step = np.linalg.solve(information, gradient)
        # While no difference of strengths changes by more than 1, no curvature changes by more than a factor
        # of e, so that a Newton step always climbs.
        strengths += step / max(1.0, np.ptp(np.append(step, 0.0)))
        if np.abs(step).max() < 1e-6:  # convergence is quadratic: what is left is far below this
            break
    return strengths


def _slope(strengths: Floats, points: Floats, games: Floats) -> tuple[Floats, Floats]:
    """Gradient [n] of the log posterior and its information matrix [n, n] (minus the Hessian).

    Player i beats player j with probability 1 / (1 + exp(strengths[j] - strengths[i])).
    """
    expected = _logistic(strengths[:, None] - strengths[None, :])
    against_prior = _logistic(strengths)
    gradient = (points - games * expected).sum(axis=1) + _PRIOR_GAMES * (0.5 - against_prior)
    between = games * expected * (1 - expected)
    own = between.sum(axis=1) + _PRIOR_GAMES * against_prior * (1 - against_prior)
    return gradient, np.diag(own) - between


def _superiority(elo: Floats, covariance: Floats) -> Floats:
    variance = covariance.diagonal()
    error = _roots(variance[:, None] + variance[None, :] - 2 * covariance)
    difference = elo[:, None] - elo[None, :]
    standardised = np.divide(difference, error, out=np.zeros_like(difference), where=error > 0)
    normal: Floats = np.vectorize(NormalDist().cdf, otypes=[np.float64])(standardised)
    return normal


def _logistic(log_odds: Floats) -> Floats:
    probability: Floats = (1 + np.tanh(log_odds / 2)) / 2
    return probability


def _roots(variances: Floats) -> Floats:
    """Square roots, where rounding may have left a variance of zero just below it."""
    roots: Floats = np.sqrt(np.maximum(variances, 0))
    return roots


def _checked(points: ArrayLike, games: ArrayLike) -> tuple[Floats, Floats]:
    scored, played = np.asarray(points, dtype=np.float64), np.asarray(games, dtype=np.float64)
    if scored.ndim != 2 or scored.shape[0] != scored.shape[1] or scored.shape != played.shape or not scored.size:
        raise ZeroplyError(f"points and games are two square tables of one size, not {scored.shape} and {played.shape}")
    if not (np.isfinite(scored) & np.isfinite(played) & (scored >= 0) & (played >= 0)).all():
        raise ZeroplyError("points and games in a table of results are numbers from 0 up")
    if scored.diagonal().any() or played.diagonal().any():
        raise ZeroplyError("a table of results holds no games of a player against itself")
    if not (np.allclose(played, played.T) and np.allclose(scored + scored.T, played)):
        raise ZeroplyError("in a table of results the points of two players add up to their games")
    return scored, played
