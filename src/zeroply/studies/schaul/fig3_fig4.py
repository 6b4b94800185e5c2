"""S.fig3 and S.fig4: how well nets play with random weights (Schaul and Schmidhuber 2009, section V-A).

The distribution of performance of untrained MDRNNs and MLPs, on two board sizes, against both fixed opponents. Guessing
the weights of an MDRNN gives a reasonable player much more often, the more so on the larger board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zeroply import chance
from zeroply.arena.statistics import wilson
from zeroply.studies.schaul.runs import (
    NET,
    SIZES,
    Scores,
    board,
    error_of,
    performance_and_draws,
    plain_name,
    rounded,
    untrained,
)
from zeroply.studies.study import COLOURS, Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import above, all_of, difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NETS = (NET, "mlp(hidden=100)")
BOARDS = (5, 9)
OPPONENTS = ("naive", "random")
PERCENTILES = (5, 25, 50, 75, 95)
NEAR_ZERO = 0.2
"""A mean score as near to 0 as this means that most games were drawn or that wins and losses even out."""
ALMOST_ALL, MOST = 0.9, 0.5


class Percentiles(Study):
    """The distribution of performance of untrained nets in one game."""

    game: ClassVar[str]
    """The game by the paper's name."""
    source = "Schaul and Schmidhuber 2009, section V-A"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each architecture, board, opponent and seed."""
        size = SIZES[scale]
        return [
            Unit(
                f"{net} {side} {opponent} seed {seed}",
                {"net": net, "size": side, "opponent": opponent, "nets": size.nets, "games": size.games},
                seed,
            )
            for net in NETS
            for side in BOARDS
            for opponent in OPPONENTS
            for seed in range(1, seeds + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The performance of nets with random weights."""
        wanted = unit.settings
        the_game, key = board(self.game, wanted["size"]), chance.key(unit.seed, self.game, unit.name)
        weights = untrained(wanted["net"], the_game, wanted["nets"], chance.key(key, "nets"))
        found = performance_and_draws(
            the_game, wanted["net"], weights, wanted["opponent"], wanted["games"], chance.key(key, "games"), progress
        )
        return {"scores": rounded(found.scores), "drawn": round(found.drawn, 5)}

    def report(self, found: Found) -> Report:
        """Percentiles of each distribution, and what the paper says of them."""
        scores = {
            (net, side, who): _scores(found, net, side, who) for net in NETS for side in BOARDS for who in OPPONENTS
        }
        drawn = {one: _share_drawn(found, *one) for one in scores}
        rows = [
            {
                "net": net,
                "size": side,
                "opponent": who,
                "nets": len(some),
                **_numbers(some),
                "drawn": round(drawn[net, side, who], 3),
            }
            for (net, side, who), some in scores.items()
        ]
        caption = f"performance of untrained nets on {self.game}: percentiles, mean, and the share of games drawn"
        return Report(
            "Weights are drawn from N(0, 1); the performance of a net is its mean score over games against a fixed "
            "opponent, alternating who starts. The paper shows the distributions as a figure only, so its words are "
            "what can be compared. The MLP's reading: 2 inputs a cell, 100 sigmoid units, a linear output per cell, "
            "all with biases.",
            [Table("percentiles", caption, rows)],
            [*_claims(scores), *([_drawn(scores, drawn)] if self.game == "Gomoku" else [])],
            [Drawing("percentiles", caption, lambda figure: _draw(figure, scores))],
        )


class Fig3(Percentiles):
    """Atari-Go."""

    name = "S.fig3"
    title = "performance of untrained MDRNNs and MLPs on Atari-Go"
    game = "Atari-Go"


class Fig4(Percentiles):
    """Gomoku."""

    name = "S.fig4"
    title = "performance of untrained MDRNNs and MLPs on Gomoku"
    game = "Gomoku"


Distributions = dict[tuple[str, int, str], Scores]


def _scores(found: Found, net: str, side: int, opponent: str) -> Scores:
    wanted = {"net": net, "size": side, "opponent": opponent}
    return np.concatenate([measures["scores"] for unit, measures in found if wanted.items() <= unit.settings.items()])


def _share_drawn(found: Found, net: str, side: int, opponent: str) -> float:
    wanted = {"net": net, "size": side, "opponent": opponent}
    return float(np.mean([measures["drawn"] for unit, measures in found if wanted.items() <= unit.settings.items()]))


def _numbers(scores: Scores) -> dict[str, Any]:
    shares = {f"{share} %": round(float(np.percentile(scores, share)), 2) for share in PERCENTILES}
    return {**shares, "mean": round(float(scores.mean()), 3), "s.e.": round(error_of(scores), 3)}


def _claims(scores: Distributions) -> list[Claim]:
    mdrnn, mlp = NETS
    low, high = BOARDS
    gaps = {
        (side, who): difference(scores[mdrnn, side, who], scores[mlp, side, who])
        for side in BOARDS
        for who in OPPONENTS
    }
    grows = {(net, who): difference(scores[net, high, who], scores[net, low, who]) for net in NETS for who in OPPONENTS}
    better = [
        Claim(
            f"Good performance is much easier to get with random weights of an MDRNN than of an MLP, {side}x{side}",
            "difference of the means " + ", ".join(f"{gaps[side, who]} ({who})" for who in OPPONENTS),
            all_of(gaps[side, who].above(comparisons=len(OPPONENTS)) for who in OPPONENTS),
        )
        for side in BOARDS
    ]
    sizes = [
        Claim(
            f"The performance of {plain_name(net)}s against {who} goes {way} with the board size",
            f"from {low}x{low} to {high}x{high} {gap}",
            gap.above() if way == "up" else gap.below(),
        )
        for (net, who), gap in grows.items()
        for way in ["up" if net == mdrnn else "down"]
    ]
    return better + sizes


def _settings() -> list[tuple[int, str]]:
    return [(side, who) for side in BOARDS for who in OPPONENTS]


def _drawn(scores: Distributions, drawn: dict[tuple[str, int, str], float]) -> Claim:
    """Scores close to zero and many draws, judged together: wins and losses that even out are no draws."""
    cases = [(net, BOARDS[0], who) for net in NETS for who in OPPONENTS]
    near = {one: int((np.abs(scores[one]) < NEAR_ZERO).sum()) for one in cases}
    said = [
        f"{100 * near[one] / len(scores[one]):.0f} % and {100 * drawn[one]:.0f} % ({plain_name(one[0])}, {one[2]})"
        for one in cases
    ]
    return Claim(
        "On 5x5 almost all nets of both kinds score close to zero: the large majority of games is drawn",
        f"nets within {NEAR_ZERO} of 0, and games drawn: {', '.join(said)}",
        all_of(
            verdict
            for one in cases
            for verdict in (above(wilson(near[one], len(scores[one])), ALMOST_ALL), drawn[one] > MOST)
        ),
    )


def _draw(figure: Figure, scores: Distributions) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for panel, net in zip(panels, NETS, strict=True):
        for number, (side, who) in enumerate(_settings()):
            some = np.sort(scores[net, side, who])
            style = "-" if side == BOARDS[1] else "--"
            colour = COLOURS[OPPONENTS.index(who)]
            shares = 100 * (np.arange(len(some)) + 0.5) / len(some)
            panel.plot(shares, some, style, color=colour, label=f"{side}x{side}, {who}", linewidth=1.6, zorder=number)
        panel.axhline(0, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_title(plain_name(net))
        panel.set_xlabel("percentile of nets")
        panel.set_ylim(-1.03, 1.03)
        panel.set_xlim(0, 100)
    panels[0].set_ylabel("performance")
    panels[1].legend(frameon=False, loc="upper left")
