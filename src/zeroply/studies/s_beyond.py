"""S.beyond1, S.beyond2 and S.beyond3: what the paper proposes or leaves open (Schaul and Schmidhuber 2009, section VI).

beyond1: do nets with LSTM cells, stacked nets and nets with features of the game scale, and do they play better?
beyond2: is the scaling only that of a weak opponent? The same against a one-ply search with a heuristic. beyond3: does
a net trained on Othello 6x6 play on 8x8 and 10x10? In each, nets learn on a small board and are tried on larger ones.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import game
from zeroply.learning.evolution.scaling import Scaling, scaling
from zeroply.nets import population_net
from zeroply.studies.s_fig6 import run_config
from zeroply.studies.s_runs import (
    COLOURS,
    NET,
    SIZES,
    Found,
    Scores,
    board,
    evolved,
    part_of,
    performance,
    rounded,
    run_seeds,
    trained,
    untrained,
)
from zeroply.studies.study import Claim, Drawing, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUNS: dict[Scale, int] = {"smoke": 1, "cpu": 2, "paper": 5}
HEURISTIC = {
    "Atari-Go": "alphabeta(depth=1, eval=liberties, temperature=30)",
    "Gomoku": "alphabeta(depth=1, eval=lines, temperature=300)",
}
"""A one-ply search with an evaluation that knows the game. At these temperatures naive wins a sixth of its games in
Atari-Go and a quarter in Gomoku, on any board; without one the nets would win nothing, and there would be nothing to
compare.
"""
BEYOND_NETS = (
    NET,
    "mdlstm(k=5)",
    "mdrnn(k=6, layers=2)",
    "mdrnn(k=10, features=true)",
)
OTHELLO_OPPONENTS = ("random", "greedy")


class Transfer(Study):
    """Nets that learn on a small board and are tried on that and on larger ones."""

    sizes: ClassVar[tuple[int, ...]] = (5, 9)
    """The board they learn on, then those they are tried on as well."""

    @abstractmethod
    def cases(self) -> Sequence[dict[str, Any]]:
        """What is compared: game, net, who it learns against (None: it does not), who it is tried against."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each case."""
        return [
            Unit(
                " ".join(str(value) for value in case.values()),
                {"scale": scale, "seeds": seeds, **case},
                1,
            )
            for case in self.cases()
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The performance of the nets of a case on every board."""
        case, scale = unit.settings, unit.settings["scale"]
        weights = self._weights(unit, part_of(progress, 0, 1 + len(self.sizes)))
        found = {}
        for number, size in enumerate(self.sizes, 1):
            the_game, key = board(case["game"], size), chance.key(unit.seed, self.name, unit.name, size)
            report = part_of(progress, number, 1 + len(self.sizes))
            scores = performance(the_game, case["net"], weights, case["tried"], SIZES[scale].games, key, report)
            found[f"on {size}"] = rounded(scores)
        return found

    def _weights(self, unit: Unit, progress: Progress) -> NDArray[np.float32]:
        case, scale = unit.settings, unit.settings["scale"]
        size = SIZES[scale]
        if case["learned"] is None:
            the_game = board(case["game"], self.sizes[0])
            return untrained(case["net"], the_game, size.nets, chance.key(unit.seed, self.name, unit.name, "nets"))
        seeds, found = run_seeds(case["seeds"], RUNS[scale]), []
        against = case["learned"] if isinstance(case["learned"], str) else tuple(case["learned"])
        opponents = (against,) if isinstance(against, str) else against
        for number, seed in enumerate(seeds):
            config = run_config(case["game"], self.sizes[0], scale, seed, net=case["net"], opponents=opponents)
            found.append(evolved(self.place, scale, config, part_of(progress, number, len(seeds))))
        return trained(found, size.ignored, size.trained)

    def table(self, found: Found) -> list[dict[str, Any]]:
        """A row for each case and larger board."""
        rows = []
        for unit, measures in found:
            case = unit.settings
            for large in self.sizes[1:]:
                result = self.compared(measures, large)
                low, high = result.correlation_interval
                rows.append(
                    {
                        "game": case["game"],
                        "net": case["net"],
                        "weights": population_net(case["net"], game(board(case["game"], self.sizes[0]))).parameters,
                        "learned against": _said(case["learned"]),
                        "tried against": case["tried"],
                        "n": result.nets,
                        f"on {self.sizes[0]}": round(float(np.mean(measures[f"on {self.sizes[0]}"])), 2),
                        "larger": large,
                        "on larger": round(float(np.mean(measures[f"on {large}"])), 2),
                        "r": round(result.correlation, 2),
                        "r 95 %": f"{low:.2f} to {high:.2f}",
                        "p": round(result.higher, 2),
                    }
                )
        return rows

    def compared(self, measures: Measures, large: int) -> Scaling:
        """The smallest board and a larger one compared."""
        return scaling(measures[f"on {self.sizes[0]}"], measures[f"on {large}"])

    def drawing(self, found: Found) -> Drawing:
        """Distributions of performance on every board, case by case."""
        return Drawing("boards", "performance on every board", lambda figure: _draw(figure, found, self.sizes))


def _said(learned: Any) -> str:
    return "untrained" if learned is None else learned if isinstance(learned, str) else " and ".join(learned)


def _scores(found: Found, size: int, **wanted: Any) -> Scores:
    return np.concatenate([np.asarray(m[f"on {size}"]) for unit, m in found if wanted.items() <= unit.settings.items()])


class Beyond1(Transfer):
    """The enhancements that the paper proposes."""

    name = "S.beyond1"
    title = "scaling of LSTM cells, stacked nets and nets with features"
    source = "Schaul and Schmidhuber 2009, section VI (proposals)"

    def cases(self) -> Sequence[dict[str, Any]]:
        """Every net, untrained and evolved, in both games."""
        return [
            {"game": name, "net": net, "learned": learned, "tried": "naive"}
            for name in ("Atari-Go", "Gomoku")
            for net in BEYOND_NETS
            for learned in (None, "naive")
        ]

    def report(self, found: Found) -> Report:
        """Every net beside the plain one."""
        gains = {
            (name, net): _gap(
                _scores(found, 9, game=name, net=net, learned="naive"),
                _scores(found, 9, game=name, net=NET, learned="naive"),
            )
            for name in ("Atari-Go", "Gomoku")
            for net in BEYOND_NETS[1:]
        }
        rows = self.table(found)
        lows = [self.compared(m, 9).correlation for unit, m in found if unit.settings["learned"] is None]
        return Report(
            "Nets with somewhat more weights than the plain one, all untrained (weights as each architecture "
            "draws them) and evolved on 5x5 against naive; all are tried on 5x5 and 9x9. Champions of one run are "
            "relatives, so intervals over them are too narrow.",
            [Table("nets", "mean performance on both boards, correlation and p", rows)],
            [
                Claim(
                    "The enhancements scale as well: untrained nets do alike on both boards",
                    f"correlations from {min(lows):.2f} to {max(lows):.2f}",
                    min(lows) > 0,
                ),
                Claim(
                    "The enhancements may be worth it: evolved nets do better on 9x9 than the plain net",
                    "; ".join(f"{name} {net} {gap:+.2f}" for (name, net), gap in gains.items()),
                    any(gap > 0.05 for gap in gains.values()),
                ),
            ],
            [self.drawing(found)],
        )


class Beyond2(Transfer):
    """A heuristic opponent."""

    name = "S.beyond2"
    title = "scaling against a heuristic opponent, the objection the paper raises itself"
    source = "Schaul and Schmidhuber 2009, section VI (discussion)"

    def cases(self) -> Sequence[dict[str, Any]]:
        """Untrained nets, nets that learned against naive, and nets that learned against the heuristic."""
        return [
            {"game": name, "net": NET, "learned": learned, "tried": tried}
            for name, heuristic in HEURISTIC.items()
            for learned in (None, "naive", heuristic)
            for tried in (heuristic, "naive")
        ]

    def report(self, found: Found) -> Report:
        """Whether larger boards are still easier."""
        rows = self.table(found)
        strong = {
            (unit.settings["game"], _said(unit.settings["learned"])): self.compared(measures, 9)
            for unit, measures in found
            if unit.settings["tried"] == HEURISTIC[unit.settings["game"]]
        }
        learned = {one: result for one, result in strong.items() if one[1] != "untrained"}
        return Report(
            "The paper's own objection: nets may do better on larger boards only because the weak opponent scales "
            "badly. The opponent here looks one move ahead with an evaluation that knows the game (liberties of chains "
            "in Atari-Go, open rows of five in Gomoku). It draws its moves at a temperature at which it beats naive in "
            "most games, as often on 5x5 as on 9x9; greedy, it would win every game. Nets learned on 5x5.",
            [Table("opponents", "mean performance on both boards, correlation and p", rows)],
            [
                Claim(
                    "Trained nets also do better on the larger board against a heuristic opponent",
                    "; ".join(
                        f"{name}, learned against {who}: p = {r.higher:.2f}" for (name, who), r in learned.items()
                    ),
                    True
                    if all(result.higher_interval.low > 0.5 for result in learned.values())
                    else False
                    if all(result.higher_interval.high < 0.5 for result in learned.values())
                    else None,
                ),
                Claim(
                    "Performance on both boards goes together against a heuristic opponent (untrained nets)",
                    "; ".join(
                        f"{one[0]} r = {r.correlation:.2f}" for one, r in strong.items() if one[1] == "untrained"
                    ),
                    all(r.correlation_interval.low > 0 for one, r in strong.items() if one[1] == "untrained"),
                ),
            ],
            [self.drawing(found)],
        )


class Beyond3(Transfer):
    """Othello."""

    name = "S.beyond3"
    title = "Othello learned on 6x6 and played on 8x8 and 10x10"
    source = "Schaul and Schmidhuber 2009, the method on another game"
    sizes = (6, 8, 10)

    def cases(self) -> Sequence[dict[str, Any]]:
        """Untrained and evolved nets against both opponents."""
        return [
            {"game": "othello", "net": NET, "learned": learned, "tried": tried}
            for learned in (None, list(OTHELLO_OPPONENTS))
            for tried in OTHELLO_OPPONENTS
        ]

    def report(self, found: Found) -> Report:
        """Trained nets beside untrained ones on every board."""
        rows = self.table(found)
        gaps = {
            (size, tried): _gap(
                _scores(found, size, tried=tried, learned=list(OTHELLO_OPPONENTS)),
                _scores(found, size, tried=tried, learned=None),
            )
            for size in self.sizes
            for tried in OTHELLO_OPPONENTS
        }
        larger = {one: gap for one, gap in gaps.items() if one[0] > self.sizes[0]}
        return Report(
            "MDRNNs evolved on 6x6 against the random and the greedy player, scored by the share of cells by which the "
            "discs differ. The same weights play on 8x8 and 10x10.",
            [Table("boards", "mean performance in disc difference per cell, correlation and p", rows)],
            [
                Claim(
                    "What is learned on 6x6 is of use on 8x8 and 10x10",
                    "trained less untrained: "
                    + "; ".join(f"{size}x{size} against {who} {gap:+.2f}" for (size, who), gap in gaps.items()),
                    all(gap > 0 for gap in larger.values()),
                )
            ],
            [self.drawing(found)],
        )


def _gap(one: Scores, other: Scores) -> float:
    return float(one.mean() - other.mean())


def _draw(figure: Figure, found: Found, sizes: Sequence[int]) -> None:
    figure.set_size_inches(11, 1.6 + 0.5 * len(found))
    panel = figure.subplots()
    for row, (_, measures) in enumerate(found):
        for number, size in enumerate(sizes):
            low, first, middle, third, high = np.percentile(measures[f"on {size}"], (5, 25, 50, 75, 95))
            y, colour = row + 0.22 * (number - (len(sizes) - 1) / 2), COLOURS[number]
            panel.plot([low, high], [y, y], color=colour, linewidth=1)
            panel.plot([first, third], [y, y], color=colour, linewidth=4, alpha=0.6)
            panel.plot(middle, y, "o", color=colour, markersize=4, label=f"{size}x{size}" if row == 0 else None)
    names = [
        f"{u.settings['game']} {u.settings['net']}, "
        + ("untrained" if u.settings["learned"] is None else f"evolved against {_said(u.settings['learned'])}")
        + f"\nagainst {u.settings['tried']}"
        for u, _ in found
    ]
    panel.set_yticks(range(len(found)), names, fontsize="x-small")
    panel.invert_yaxis()
    panel.axvline(0, color="#999999", linewidth=0.8, linestyle=":")
    panel.set_xlabel("performance (5, 25, 50, 75 and 95 % of nets)")
    panel.legend(frameon=False, ncols=len(sizes), loc="upper left", bbox_to_anchor=(0, 1.0 + 0.9 / (2 + len(found))))
