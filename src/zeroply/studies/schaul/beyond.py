"""S.beyond1, S.beyond2 and S.beyond3: what the paper proposes or leaves open (Schaul and Schmidhuber 2009, section VI).

beyond1: do nets with LSTM cells, stacked nets and nets with features of the game scale, and do they play better?
beyond2: is the scaling only that of a weak opponent? The same against a one-ply search with a heuristic. beyond3: does
a net trained on Othello 6x6 play on 8x8 and 10x10? In each, nets learn on a small board and are tried on larger ones.
Champions of a run are relatives, so claims are judged by one number for each run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zeroply.arena.match import match
from zeroply.arena.statistics import wilson
from zeroply.studies.schaul.larger_boards import (
    LargerBoards,
    compared,
    opponent_names,
    plain_share,
    run_means,
    run_shares,
)
from zeroply.studies.schaul.runs import (
    NET,
    board,
)
from zeroply.studies.study import (
    Claim,
    Found,
    Measures,
    Progress,
    Report,
    Scale,
    Table,
    Unit,
)
from zeroply.studies.verdicts import Estimate, above, all_of, any_of, difference, mean_of

if TYPE_CHECKING:
    pass

HEURISTIC = {
    "Atari-Go": "alphabeta(depth=1, eval=liberties, temperature=30)",
    "Gomoku": "alphabeta(depth=1, eval=lines, temperature=300)",
}
"""A one-ply search with an evaluation that knows the game. At these temperatures naive wins some of its games; without
one the nets would win nothing, and there would be nothing to compare. How strong it is on each board is measured.
"""
HEURISTIC_GAMES: dict[Scale, int] = {"smoke": 20, "cpu": 400, "paper": 1000}
"""Games of naive against it, even."""
EVEN = 0.1
"""Shares of games won within which an opponent is called as strong on one board as on another."""
BEYOND_NETS = (
    NET,
    "mdlstm(k=5)",
    "mdrnn(k=6, layers=2)",
    "mdrnn(k=10, features=true)",
)
OTHELLO_OPPONENTS = ("random", "greedy")


class Beyond1(LargerBoards):
    """The enhancements that the paper proposes."""

    name = "S.beyond1"
    title = "scaling of LSTM cells, stacked nets and nets with features"
    source = "Schaul and Schmidhuber 2009, section VI (proposals)"

    def cases(self) -> Sequence[dict[str, Any]]:
        """Every net, untrained and evolved, in both games."""
        return [
            {"game": name, "net": net, "learned": learned, "tried": "naive"}
            for name in self.boards
            for net in BEYOND_NETS
            for learned in (None, "naive")
        ]

    def report(self, found: Found) -> Report:
        """Every net beside the plain one."""
        gains = {
            (name, net): difference(
                run_means(found, large, game=name, net=net, learned="naive"),
                run_means(found, large, game=name, net=NET, learned="naive"),
            )
            for name, (_, large) in self.boards.items()
            for net in BEYOND_NETS[1:]
        }
        fresh = [
            compared(m, *self.boards[unit.settings["game"]]) for unit, m in found if unit.settings["learned"] is None
        ]
        return Report(
            "Nets with somewhat more weights than the plain one, all untrained (weights as each architecture "
            "draws them) and evolved on 5x5 against naive; all are tried on 5x5 and 9x9. Champions of one run are "
            "relatives: differences are between means of runs, and intervals of r over all nets are too narrow.",
            [Table("nets", "mean performance on both boards, correlation and p", self.table(found))],
            [
                Claim(
                    "The enhancements scale as well: untrained nets do alike on both boards",
                    f"correlations from {min(r.correlation for r in fresh):.2f} to "
                    f"{max(r.correlation for r in fresh):.2f}",
                    all_of(above(result.correlation_interval, 0) for result in fresh),
                ),
                Claim(
                    "The enhancements may be worth it: some evolved nets do better on 9x9 than the plain net",
                    "; ".join(f"{name} {net} {gain}" for (name, net), gain in gains.items())
                    + f" (judged as {len(gains)} comparisons)",
                    any_of(gain.above(comparisons=len(gains)) for gain in gains.values()),
                ),
            ],
            [self.drawing(found)],
        )


class Beyond2(LargerBoards):
    """A heuristic opponent."""

    name = "S.beyond2"
    title = "scaling against a heuristic opponent, the objection the paper raises itself"
    source = "Schaul and Schmidhuber 2009, section VI (discussion)"
    boards: ClassVar[Mapping[str, tuple[int, ...]]] = {"Atari-Go": (5, 9), "Gomoku": (7, 11)}

    def cases(self) -> Sequence[dict[str, Any]]:
        """Untrained nets, nets that learned against naive, and nets that learned against the heuristic."""
        return [
            {"game": name, "net": NET, "learned": learned, "tried": tried}
            for name, heuristic in HEURISTIC.items()
            for learned in (None, "naive", heuristic)
            for tried in (heuristic, "naive")
        ]

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each case, and one for each game in which naive meets the heuristic."""
        return [
            *super().units(scale, seeds),
            *(
                Unit(f"{name} naive {HEURISTIC[name]}", {"scale": scale, "seeds": seeds, "game": name, "net": None}, 1)
                for name in self.boards
            ),
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The nets of a case on every board, or naive's games against the heuristic."""
        if unit.settings["net"] is not None:
            return super().measure(unit, progress)
        name, games = unit.settings["game"], unit.settings["seeds"] * HEURISTIC_GAMES[unit.settings["scale"]]
        found: dict[str, Any] = {"games": games}
        for number, size in enumerate(self.boards[name], 1):
            met = match("naive", HEURISTIC[name], game=board(name, size), games=games, seed=unit.seed)
            found[f"points {size}"] = met.tally.points
            progress(number, len(self.boards[name]))
        return found

    def report(self, found: Found) -> Report:
        """Whether larger boards are still easier."""
        nets = [one for one in found if one[0].settings["net"] is not None]
        fixed = {unit.settings["game"]: measures for unit, measures in found if unit.settings["net"] is None}
        strong = {
            (unit.settings["game"], opponent_names(unit.settings["learned"])): measures
            for unit, measures in nets
            if unit.settings["tried"] == HEURISTIC[unit.settings["game"]]
        }
        shares = {
            one: mean_of(run_shares(m, *self.boards[one[0]])) for one, m in strong.items() if one[1] != "untrained"
        }
        fresh = {one[0]: compared(m, *self.boards[one[0]]) for one, m in strong.items() if one[1] == "untrained"}
        return Report(
            "The paper's own objection: nets may do better on larger boards only because the weak opponent scales "
            "badly. The opponent here looks one move ahead with an evaluation that knows the game (liberties of chains "
            "in Atari-Go, open rows of five in Gomoku) and draws its moves at a temperature; greedy, it would win "
            "every game. *heuristic* says how naive fares against it on each board; on 5x5 many games of Gomoku are "
            "drawn, so its nets learn on 7x7 and are tried on 11x11.",
            [
                Table("opponents", "mean performance on both boards, correlation and p", self.table(nets)),
                Table("heuristic", "what naive scores against the heuristic opponent, in percent", _heuristic(fixed)),
            ],
            [
                self._steady(fixed),
                Claim(
                    "Trained nets also do better on the larger board against a heuristic opponent",
                    "p of a run: "
                    + "; ".join(f"{name}, learned against {who} {plain_share(p)}" for (name, who), p in shares.items()),
                    all_of(share.above(0.5, comparisons=len(shares)) for share in shares.values()),
                ),
                Claim(
                    "Performance on both boards goes together against a heuristic opponent (untrained nets)",
                    "; ".join(f"{name} r = {result.correlation:.2f}" for name, result in fresh.items()),
                    all_of(above(result.correlation_interval, 0) for result in fresh.values()),
                ),
            ],
            [self.drawing(nets)],
        )

    def _steady(self, fixed: Mapping[str, Measures]) -> Claim:
        """Whether the opponent itself is as strong on either board: otherwise it says little about the nets."""
        gaps = {}
        for name, measures in fixed.items():
            games, (small, large) = measures["games"], self.boards[name]
            low, high = (measures[f"points {size}"] / games for size in (small, large))
            error = float(np.sqrt((low * (1 - low) + high * (1 - high)) / games))
            gaps[name] = Estimate(high - low, error)
        return Claim(
            f"The heuristic opponent is as strong on either board: naive scores alike within {100 * EVEN:.0f} %",
            "naive scores more on the larger one by " + ", ".join(f"{name} {gap}" for name, gap in gaps.items()),
            all_of(gap.within(EVEN, comparisons=len(gaps)) for gap in gaps.values()),
        )


def _heuristic(fixed: Mapping[str, Measures]) -> list[dict[str, Any]]:
    rows = []
    for name, measures in fixed.items():
        for size in Beyond2.boards[name]:
            low, high = wilson(measures[f"points {size}"], measures["games"])
            rows.append(
                {
                    "game": name,
                    "size": size,
                    "opponent": HEURISTIC[name],
                    "games": measures["games"],
                    "naive scores": round(100 * measures[f"points {size}"] / measures["games"], 1),
                    "95 %": f"{100 * low:.1f} to {100 * high:.1f}",
                }
            )
    return rows


class Beyond3(LargerBoards):
    """Othello."""

    name = "S.beyond3"
    title = "Othello learned on 6x6 and played on 8x8 and 10x10"
    source = "Schaul and Schmidhuber 2009, the method on another game"
    boards: ClassVar[Mapping[str, tuple[int, ...]]] = {"othello": (6, 8, 10)}

    def cases(self) -> Sequence[dict[str, Any]]:
        """Untrained and evolved nets against both opponents."""
        return [
            {"game": "othello", "net": NET, "learned": learned, "tried": tried}
            for learned in (None, list(OTHELLO_OPPONENTS))
            for tried in OTHELLO_OPPONENTS
        ]

    def report(self, found: Found) -> Report:
        """Trained nets beside untrained ones on every board."""
        small, *larger = self.boards["othello"]
        gains = {
            (size, tried): difference(
                run_means(found, size, tried=tried, learned=list(OTHELLO_OPPONENTS)),
                run_means(found, size, tried=tried, learned=None),
            )
            for size in (small, *larger)
            for tried in OTHELLO_OPPONENTS
        }
        judged = [gain for (size, _), gain in gains.items() if size != small]
        return Report(
            "MDRNNs evolved on 6x6 against the random and the greedy player, scored by the share of cells by which the "
            "discs differ. The same weights play on 8x8 and 10x10. Champions of one run are relatives: the means of "
            "the runs are compared with the untrained nets.",
            [Table("boards", "mean performance in disc difference per cell, correlation and p", self.table(found))],
            [
                Claim(
                    "What is learned on 6x6 is of use on 8x8 and 10x10",
                    "trained less untrained: "
                    + "; ".join(f"{size}x{size} against {who} {gain}" for (size, who), gain in gains.items()),
                    all_of(gain.above(comparisons=len(judged)) for gain in judged),
                )
            ],
            [self.drawing(found)],
        )
