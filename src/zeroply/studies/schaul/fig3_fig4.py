"""S.fig3 and S.fig4: how well nets play with random weights (Schaul and Schmidhuber 2009, section V-A).

The distribution of performance of untrained MDRNNs and MLPs, on two board sizes, against both fixed opponents. Guessing
the weights of an MDRNN gives a reasonable player much more often, the more so on the larger board.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from zeroply import chance
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.measured import difference, mean, share
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.runs import (
    NET,
    SIZES,
    Scores,
    board,
    performance,
    plain_name,
    rounded,
    score_axis,
    untrained,
)
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grid, grouped

NETS = [NET, "mlp(hidden=100)"]
BOARDS = [5, 9]
OPPONENTS = ["naive", "random"]
PERCENTILES = (5, 25, 50, 75, 95)
NEAR_ZERO = 0.2
"""A mean score as near to 0 as this means that most games were drawn or that wins and losses even out."""
ALMOST_ALL, MOST = 0.9, 0.5
"""The shares that are called almost all nets, and the large majority of games."""


class Percentiles(Study):
    """The distribution of performance of untrained nets in one game."""

    game: ClassVar[str]
    """The game by the paper's name."""
    source = "Schaul and Schmidhuber 2009, section V-A"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        axes = {
            "net": NETS,
            "size": BOARDS,
            "opponent": OPPONENTS,
            "nets": SIZES[scale].nets,
            "games": SIZES[scale].games,
        }
        return grid("{net} {size} {opponent} seed {seed}", range(1, seeds + 1), **axes)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        net, size, opponent, nets, games = unit.settings.values()
        spec, key = board(self.game, size), chance.key(unit.seed, self.game, unit.name)
        weights = untrained(net, spec, nets, chance.key(key, "nets"))
        result = performance(spec, net, weights, opponent, games, chance.key(key, "games"), progress)
        return {"scores": rounded(result.scores), "drawn": round(result.drawn, 5)}

    def findings(self, units: Units, scale: Scale) -> Report:
        groups = grouped(units, "net", "size", "opponent")
        scores = {one: np.concatenate([m["scores"] for m in its]) for one, its in groups.items()}
        drawn = {one: float(np.mean([m["drawn"] for m in its])) for one, its in groups.items()}
        rows = [
            {"net": one[0], "size": one[1], "opponent": one[2], "nets": len(its)}
            | {f"{part} %": round(float(np.percentile(its, part)), 2) for part in PERCENTILES}
            | {"mean": mean(its), "drawn": round(drawn[one], 3)}
            for one, its in scores.items()
        ]
        caption = f"performance of untrained nets on {self.game}: percentiles, mean, and the share of drawn games"
        claims = [*_architectures(scores), *_sizes(scores)]
        if self.game == "Gomoku":
            claims += _draws(scores, drawn, units[0][0].settings["games"])
        return Report(
            "Weights are drawn from N(0, 1); the performance of a net is its mean score over games against a fixed "
            "opponent, alternating who starts. The paper shows the distributions as a figure only, so its text is "
            "what can be compared. Our reading of the MLP: 2 inputs per cell, 100 sigmoid units, a linear output per "
            "cell, all with biases.",
            [ResultTable("percentiles", caption, rows)],
            claims,
            [Drawing("percentiles", caption, lambda figure: _draw(figure, scores))],
        )


class SchaulFig3(Percentiles):
    """Atari-Go."""

    name = "S.fig3"
    title = "performance of untrained MDRNNs and MLPs on Atari-Go"
    game = "Atari-Go"


class SchaulFig4(Percentiles):
    """Gomoku."""

    name = "S.fig4"
    title = "performance of untrained MDRNNs and MLPs on Gomoku"
    game = "Gomoku"


Distributions = dict[tuple[Any, ...], Scores]
"""The performance of all nets by net, board size and opponent."""
_claim = partial(Claim, "section V-A")


def _architectures(scores: Distributions) -> list[Claim]:
    mdrnn, mlp = NETS
    return [
        _claim(
            f"Random weights of an MDRNN play better than those of an MLP, {size}x{size}",
            {f"against {who}": difference(scores[mdrnn, size, who], scores[mlp, size, who]) for who in OPPONENTS},
            above(0),
            note="difference of the means",
        )
        for size in BOARDS
    ]


def _sizes(scores: Distributions) -> list[Claim]:
    low, high = BOARDS
    return [
        _claim(
            f"The performance of {plain_name(net)}s against {who} {verb} with the board size",
            difference(scores[net, high, who], scores[net, low, who]),
            rule,
            note=f"from {low}x{low} to {high}x{high}",
        )
        for net, verb, rule in zip(NETS, ("rises", "falls"), (above(0), below(0)), strict=True)
        for who in OPPONENTS
    ]


def _draws(scores: Distributions, drawn: dict[tuple[Any, ...], float], games: int) -> list[Claim]:
    """Scores close to zero and many draws: wins and losses that even out are not draws."""
    zero, draws = {}, {}
    for net, who in itertools.product(NETS, OPPONENTS):
        name, its = f"{plain_name(net)} against {who}", scores[net, BOARDS[0], who]
        zero[name] = share(float((np.abs(its) < NEAR_ZERO).sum()), len(its))
        draws[name] = share(drawn[net, BOARDS[0], who] * len(its) * games, len(its) * games)
    text = f"On 5x5 almost all nets of both kinds ({ALMOST_ALL:.0%}) score within {NEAR_ZERO} of zero"
    return [
        _claim(text, zero, above(ALMOST_ALL)),
        _claim("On 5x5 the large majority of games is drawn", draws, above(MOST)),
    ]


def _draw(figure: Figure, scores: Distributions) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for panel, net in zip(panels, NETS, strict=True):
        for size, who in itertools.product(BOARDS, OPPONENTS):
            some = np.sort(scores[net, size, who])
            style, colour = "-" if size == BOARDS[1] else "--", COLOURS[OPPONENTS.index(who)]
            shares = 100 * (np.arange(len(some)) + 0.5) / len(some)
            panel.plot(shares, some, style, color=colour, label=f"{size}x{size}, {who}", linewidth=1.6)
        score_axis(panel, plain_name(net), "percentile of nets")
        panel.set_xlim(0, 100)
    panels[0].set_ylabel("performance")
    panels[1].legend(frameon=False, loc="upper left")
