"""Statistics of a match: score and Elo difference with intervals, and a sequential test.

Games come in pairs, one opening with colours swapped, and the two games of a pair are not independent, so the
unit is the pair: it scores 0, 1/2, 1, 3/2 or 2, and a match is five counts [LL, LD, DD or WL, WD, WW]. The
interval is Wilson's (1927) on an effective number of games; the test is the generalised SPRT on these five
outcomes as used for chess engines (Van den Bergh, "A Practical Introduction to the GSPRT"). Elo is logistic; normalised
Elo measures the score in standard deviations instead, so that a test takes as long with many draws as with few (Van den
Bergh, "Normalized Elo").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply.errors import ZeroplyError

MOST_NORMALISED = 200
"""Largest normalised Elo difference of a test; beyond, hardly any distribution of five outcomes has it."""

Verdict: TypeAlias = Literal["H0", "H1"]
Model = Literal["logistic", "normalised"]
"""The scale of Elo differences: by the expected score, or by the score in standard deviations of a game."""

PAIR_OUTCOMES = ("LL", "LD", "DD|WL", "WD", "WW")
"""Names of the five pair outcomes, in the order of the counts."""

_GAME_SCORES = np.arange(5) / 4  # points per game of each pair outcome
_ZERO_COUNT = 1e-3  # stands for a count of zero in the SPRT, so that no outcome is impossible
_BISECTIONS = 60
_REWEIGHTINGS = 12  # of the normalised model, whose variance and mean depend on each other; 5 usually suffice
_NORMALISED = 800 / math.log(10)  # normalised Elo per standard deviation: near 0 that of a game without draws is Elo


class Interval(NamedTuple):
    """A range of plausible values; the ends of an Elo interval may be infinite."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""


@dataclass(frozen=True)
class Tally:
    """Games from one player's point of view."""

    wins: int = 0
    """Games won."""
    draws: int = 0
    """Games drawn."""
    losses: int = 0
    """Games lost."""

    @property
    def games(self) -> int:
        """All games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One per win, a half per draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points per game; 1/2 before any game."""
        return self.points / self.games if self.games else 0.5

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def __neg__(self) -> Tally:
        """The same games from the opponent's point of view."""
        return Tally(self.losses, self.draws, self.wins)


def elo(score: float) -> float:
    """The Elo difference at which `score` (points per game) is expected; infinite at 0 and 1."""
    if not 0 <= score <= 1:
        raise ZeroplyError(f"a score per game lies between 0 and 1, not at {score}")
    if score in (0, 1):
        return math.inf if score else -math.inf
    return 400 * (math.log10(score) - math.log10(1 - score))


def expected_score(elo_difference: float) -> float:
    """Points per game expected of a player this much stronger; the inverse of `elo`."""
    return (1 + math.tanh(elo_difference * math.log(10) / 800)) / 2


def wilson(successes: float, trials: float, confidence: float = 0.95) -> Interval:
    """Wilson's interval for a plain proportion; [0, 1] without trials."""
    if not 0 <= successes <= trials < math.inf:
        raise ZeroplyError(f"{successes} successes in {trials} trials is not a proportion")
    return _wilson(successes / trials, trials, confidence) if trials else Interval(0.0, 1.0)


def pair_counts(pair_scores: ArrayLike) -> NDArray[np.int64]:
    """The five counts of a sequence of pair scores (0, 0.5, 1, 1.5 or 2 points)."""
    return np.bincount(_outcomes(pair_scores), minlength=5).astype(np.int64)


def mean_score(counts: ArrayLike) -> float:
    """Points per game; 1/2 before any pair."""
    pairs = _checked(counts)
    return float(pairs @ _GAME_SCORES / pairs.sum()) if pairs.any() else 0.5


def score_interval(counts: ArrayLike, confidence: float = 0.95) -> Interval:
    """The interval of the score per game, around `mean_score`; [0, 1] before any pair.

    Wilson's interval with as many trials as there would be win-or-lose games of the variance seen between
    pairs: fewer than were played if the games of a pair tend to end alike, more if there are many draws. That
    ratio of variances is taken with one WW and one LL pair added, not moving the score: only wins, only
    losses or only draws show no variance, yet leave doubt. After only wins each pair counts as one trial.
    """
    pairs = _checked(counts)
    n = float(pairs.sum())
    if not n:
        return Interval(0.0, 1.0)
    score = mean_score(counts)
    between_pairs = float(pairs @ (_GAME_SCORES - score) ** 2)
    win_or_lose = n * score * (1 - score)
    trials_per_pair = (win_or_lose + 0.5) / (between_pairs + 0.5)
    return _wilson(score, n * trials_per_pair, confidence)


def elo_interval(counts: ArrayLike, confidence: float = 0.95) -> Interval:
    """`score_interval` as Elo differences."""
    return Interval(*map(elo, score_interval(counts, confidence)))


def likelihood_of_superiority(counts: ArrayLike) -> float:
    """The probability that the first player is the stronger one: 1/2 before any pair.

    By the normal distribution, with the variance between pairs as `score_interval` takes it.
    """
    pairs = _checked(counts)
    n = float(pairs.sum())
    return NormalDist().cdf(n * (mean_score(counts) - 0.5) / _spread(pairs)) if n else 0.5


def normalised_elo(counts: ArrayLike) -> float:
    """The score above 1/2 in standard deviations of a game, on a scale like Elo; 0 before any pair."""
    pairs = _checked(counts)
    n = float(pairs.sum())
    if not n:
        return 0.0
    return _NORMALISED * (mean_score(counts) - 0.5) / (math.sqrt(2) * _spread(pairs) / math.sqrt(n))


def _spread(pairs: NDArray[np.float64]) -> float:
    """The standard deviation of a sum of as many game scores, each the mean of a pair; a WW and an LL are added."""
    score = float(pairs @ _GAME_SCORES / pairs.sum())
    return math.sqrt(float(pairs @ (_GAME_SCORES - score) ** 2) + 0.5)


class SprtResult(NamedTuple):
    """The state of a sequential test."""

    verdict: Verdict | None
    """The accepted hypothesis, or None if the test needs more pairs."""
    pairs: int
    """How many pairs were used: up to the one that decided, or all."""
    llr: float
    """The log-likelihood ratio of H1 to H0 after these pairs."""


@dataclass(frozen=True)
class Sprt:
    """Sequential test of H0 "the Elo difference is elo0" against H1 "it is elo1", with elo0 < elo1.

    The match continues until the log-likelihood ratio leaves `bounds`. Only the order of the pairs matters, not
    when their results arrive. All draws end in the hypothesis nearer to 0 and never if both are equally near.
    """

    elo0: float
    """Elo difference under H0."""
    elo1: float
    """Elo difference under H1."""
    alpha: float = 0.05
    """Accepted probability of the verdict H1 when H0 is true."""
    beta: float = 0.05
    """Accepted probability of the verdict H0 when H1 is true."""
    model: Model = "logistic"
    """The scale of `elo0` and `elo1`."""

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ZeroplyError(f"an SPRT needs elo0 below elo1, not elo0={self.elo0} and elo1={self.elo1}")
        if self.model not in ("logistic", "normalised"):
            raise ZeroplyError(f"the model of an SPRT is logistic or normalised, not '{self.model}'")
        if self.model == "normalised" and max(abs(self.elo0), abs(self.elo1)) > MOST_NORMALISED:
            raise ZeroplyError(f"normalised Elo differences of an SPRT lie within {MOST_NORMALISED}")
        if not 0 < expected_score(self.elo0) < expected_score(self.elo1) < 1:
            raise ZeroplyError(f"elo0={self.elo0} and elo1={self.elo1} are too extreme for an SPRT")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ZeroplyError(f"alpha and beta of an SPRT lie between 0 and 0.5, not at {self.alpha} and {self.beta}")

    @property
    def bounds(self) -> Interval:
        """H0 is accepted at or below the lower end, H1 at or above the upper end."""
        return Interval(math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha))

    def llr(self, counts: ArrayLike) -> float:
        """Log-likelihood ratio of H1 to H0 given the five counts."""
        return float(self._llr(_checked(counts)))

    def llrs(self, pair_scores: ArrayLike) -> NDArray[np.float64]:
        """The ratio after each pair, in the order given."""
        return self._llr(np.eye(5)[_outcomes(pair_scores)].cumsum(axis=0))

    def decide(self, pair_scores: ArrayLike, undecided: int = 0) -> SprtResult:
        """Run the test over the pairs in the order given, up to the first that decides it.

        The first `undecided` pairs are known not to decide it.
        """
        outcomes = np.eye(5)[_outcomes(pair_scores)].cumsum(axis=0)
        skipped = max(0, min(undecided, len(outcomes)) - 1)
        llrs = self._llr(outcomes[skipped:])
        low, high = self.bounds
        decided = np.flatnonzero((llrs <= low) | (llrs >= high))
        pairs = skipped + (int(decided[0]) + 1 if decided.size else len(llrs))
        llr = float(llrs[pairs - skipped - 1]) if pairs else 0.0
        verdict: Verdict | None = "H0" if llr <= low else "H1" if llr >= high else None
        return SprtResult(verdict, pairs, llr)

    def words(self, result: SprtResult) -> str:
        """The state of the test as text, such as `Elo 20 rather than 0 (H1 accepted) after 85 pairs, ...`."""
        scale = "Elo" if self.model == "logistic" else "normalised Elo"
        answers = {
            "H0": f"{scale} {self.elo0:g} rather than {self.elo1:g} (H0 accepted)",
            "H1": f"{scale} {self.elo1:g} rather than {self.elo0:g} (H1 accepted)",
            None: f"undecided between {scale} {self.elo0:g} and {self.elo1:g}",
        }
        low, high = self.bounds
        return f"{answers[result.verdict]} after {result.pairs} pairs, LLR {result.llr:+.2f} [{low:+.2f}, {high:+.2f}]"

    def _llr(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of counts [..., 5]: each hypothesis is as likely as the likeliest distribution with its mean."""
        seen = np.where(counts > 0, counts, _ZERO_COUNT)
        if self.model == "logistic":
            log0, log1 = (_log_tilt(seen, _GAME_SCORES - expected_score(elo)) for elo in (self.elo0, self.elo1))
        else:
            log0, log1 = (_log_tilt_normalised(seen, elo / _NORMALISED) for elo in (self.elo0, self.elo1))
        ratio: NDArray[np.float64] = np.where(counts.any(axis=-1), (seen * (log0 - log1)).sum(axis=-1), 0.0)
        return ratio


def _log_tilt(counts: NDArray[np.float64], deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(p̂/p) of each outcome, where p is the likeliest distribution with mean `deviation` 0 given `counts` [..., 5].

    It is p = p̂ / (1 + θ d) with the outcomes' deviations d (Van den Bergh, "support_MLE_multinomial", prop. 1.1).
    The mean of p falls as θ grows, so θ is found by bisection between the ends at which the largest and the
    smallest outcome would get infinite weight.
    """
    low = np.broadcast_to(-1 / deviation.max(axis=-1, keepdims=True), (*counts.shape[:-1], 1))
    high = np.broadcast_to(-1 / deviation.min(axis=-1, keepdims=True), (*counts.shape[:-1], 1))
    for _ in range(_BISECTIONS):
        theta = (low + high) / 2
        excess = (counts * deviation / (1 + theta * deviation)).sum(axis=-1, keepdims=True)
        low, high = np.where(excess > 0, theta, low), np.where(excess > 0, high, theta)
    tilt: NDArray[np.float64] = np.log1p((low + high) / 2 * deviation)
    return tilt


def _log_tilt_normalised(counts: NDArray[np.float64], per_game: float) -> NDArray[np.float64]:
    """log(p̂/p) as in `_log_tilt`, where the score of p is `per_game` standard deviations of a game above 1/2.

    With mean m and standard deviation s of p, that is mean 0 of a - 1/2 - t s (1 + ((a - m) / s)²) / 2, the constraint
    made linear at p; p is found by repeating this from the uniform distribution. A pair's mean score varies
    less than a game's, by √2.
    """
    wanted = per_game * math.sqrt(2)
    seen = counts / counts.sum(axis=-1, keepdims=True)
    p = np.full_like(seen, 1 / seen.shape[-1])
    tilt: NDArray[np.float64] = np.zeros_like(seen)
    for _ in range(_REWEIGHTINGS):
        mean: NDArray[np.float64] = (p @ _GAME_SCORES)[..., None]
        spread = np.sqrt((p * (_GAME_SCORES - mean) ** 2).sum(axis=-1, keepdims=True))
        tilt = _log_tilt(counts, _GAME_SCORES - 0.5 - wanted * spread * (1 + ((_GAME_SCORES - mean) / spread) ** 2) / 2)
        p = seen * np.exp(-tilt)
    return tilt


def _wilson(score: float, trials: float, confidence: float) -> Interval:
    if not 0 < confidence < 1:
        raise ZeroplyError(f"a confidence lies between 0 and 1, not at {confidence}")
    weight = NormalDist().inv_cdf((1 + confidence) / 2) ** 2 / trials
    centre = (score + weight / 2) / (1 + weight)
    reach = math.sqrt(weight * (score * (1 - score) + weight / 4)) / (1 + weight)
    # The clamps undo rounding: at scores 0 and 1 one end is the score itself.
    return Interval(min(max(0.0, centre - reach), score), max(min(1.0, centre + reach), score))


def _outcomes(pair_scores: ArrayLike) -> NDArray[np.int64]:
    """Pair scores as indices 0 to 4."""
    doubled = 2 * np.asarray(pair_scores, dtype=np.float64)
    if doubled.ndim != 1 or not np.isin(doubled, np.arange(5)).all():
        raise ZeroplyError("pair scores form a list of 0, 0.5, 1, 1.5 and 2 points")
    return doubled.astype(np.int64)


def _checked(counts: ArrayLike) -> NDArray[np.float64]:
    pairs = np.asarray(counts, dtype=np.float64)
    if pairs.shape != (5,) or not (np.isfinite(pairs) & (pairs >= 0)).all():
        raise ZeroplyError(f"a match is five counts of pairs ({', '.join(PAIR_OUTCOMES)}), none below zero")
    return pairs
