"""S.fig3 and S.fig4: how well nets play with random weights (Schaul and Schmidhuber 2009, section V-A).

The distribution of performance of untrained MDRNNs and MLPs, on two board sizes, against both fixed opponents. Guessing
the weights of an MDRNN gives a reasonable player much more often, the more so on the larger board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zeroply import chance
from zeroply.studies.s_runs import (
    COLOURS,
    NET,
    SIZES,
    Found,
    Scores,
    all_clear,
    board,
    error_of,
    gap,
    performance,
    plain_name,
    rounded,
    untrained,
)
from zeroply.studies.study import Claim, Drawing, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NETS = (NET, "mlp(hidden=100)")
BOARDS = (5, 9)
OPPONENTS = ("naive", "random")
PERCENTILES = (5, 25, 50, 75, 95)
NEAR_ZERO = 0.2
"""A mean score as near to 0 as this means that most games were drawn or that wins and losses even out."""


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
        scores = performance(
            the_game, wanted["net"], weights, wanted["opponent"], wanted["games"], chance.key(key, "games"), progress
        )
        return {"scores": rounded(scores)}

    def report(self, found: Found) -> Report:
        """Percentiles of each distribution, and what the paper says of them."""
        scores = {
            (net, side, who): _scores(found, net, side, who) for net in NETS for side in BOARDS for who in OPPONENTS
        }
        rows = [
            {"net": net, "size": side, "opponent": who, "nets": len(some), **_numbers(some)}
            for (net, side, who), some in scores.items()
        ]
        caption = f"performance of untrained nets on {self.game}: percentiles and mean"
        return Report(
            "Weights are drawn from N(0, 1); the performance of a net is its mean score over games against a fixed "
            "opponent, alternating who starts. The paper shows the distributions as a figure only, so its words are "
            "what can be compared. The MLP's reading: 2 inputs a cell, 100 sigmoid units, a linear output per cell, "
            "all with biases.",
            [Table("percentiles", caption, rows)],
            [*_claims(scores), *([_drawn(scores)] if self.game == "Gomoku" else [])],
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


def _numbers(scores: Scores) -> dict[str, Any]:
    shares = {f"{share} %": round(float(np.percentile(scores, share)), 2) for share in PERCENTILES}
    return {**shares, "mean": round(float(scores.mean()), 3), "s.e.": round(error_of(scores), 3)}


def _claims(scores: Distributions) -> list[Claim]:
    mdrnn, mlp = NETS
    low, high = BOARDS
    better = [
        Claim(
            f"Good performance is much easier to get with random weights of an MDRNN than of an MLP, {side}x{side}",
            "difference of the means "
            + ", ".join(f"{gap(scores[mdrnn, side, who], scores[mlp, side, who])[0]} ({who})" for who in OPPONENTS),
            all_clear(gap(scores[mdrnn, side, who], scores[mlp, side, who])[2] for who in OPPONENTS),
        )
        for side in BOARDS
    ]
    sizes = [
        Claim(
            f"The performance of {plain_name(net)}s against {who} goes {way} with the board size",
            f"from {low}x{low} to {high}x{high} {gap(scores[net, high, who], scores[net, low, who])[0]}",
            gap(scores[net, larger, who], scores[net, smaller, who])[2],
        )
        for net, way, larger, smaller in ((mdrnn, "up", high, low), (mlp, "down", low, high))
        for who in OPPONENTS
    ]
    return better + sizes


def _settings() -> list[tuple[int, str]]:
    return [(side, who) for side in BOARDS for who in OPPONENTS]


def _drawn(scores: Distributions) -> Claim:
    shares = {(net, who): float((np.abs(scores[net, 5, who]) < NEAR_ZERO).mean()) for net in NETS for who in OPPONENTS}
    said = ", ".join(f"{100 * share:.0f} % ({plain_name(net)}, {who})" for (net, who), share in shares.items())
    return Claim(
        "On 5x5 almost all nets of both kinds score close to zero, because most games are drawn",
        f"within {NEAR_ZERO} of 0: {said}",
        min(shares.values()) > 0.5,
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
