"""S.beyond1, S.beyond2 and S.beyond3: open questions of the paper (Schaul and Schmidhuber 2009, section VI).

beyond1: do nets with LSTM cells, stacked nets and nets with features of the game scale, and do they play better? The
authors' own LSTM nets of 2008 are shown beside ours.
beyond2: is the scaling only that of a weak opponent? The same against a one-ply search with a heuristic. beyond3: does
a net trained on Othello 6x6 play on 8x8 and 10x10? In each, nets learn on a small board and are tried on larger ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from zeroply.arena.match import match
from zeroply.studies.claims import Claim, above, near
from zeroply.studies.measured import correlation, difference, mean, share
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.schaul import archive
from zeroply.studies.schaul.larger_boards import Boards, LargerBoards, compared, opponent_names, run_means
from zeroply.studies.schaul.runs import NET, SIZES, board
from zeroply.studies.schaul.scenarios import scaling
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

HEURISTIC = {
    "Atari-Go": "alphabeta(depth=1, eval=liberties, temperature=30)",
    "Gomoku": "alphabeta(depth=1, eval=lines, temperature=300)",
}
"""A one-ply search with an evaluation that knows the game. At these temperatures naive wins some of its games; greedy
search would win all games, and there would be nothing to compare. Its strength on each board is measured.
"""
EVEN = 0.1
"""Shares of games won within which an opponent is as strong on one board as on another."""
BEYOND_NETS = (NET, "mdlstm(k=5)", "mdrnn(k=6, layers=2)", "mdrnn(k=10, features=true)")
OTHELLO_OPPONENTS = ("random", "greedy")
_claim = partial(Claim, "section VI")


class SchaulBeyond1(LargerBoards):
    """The enhancements that the paper proposes."""

    name = "S.beyond1"
    title = "scaling of LSTM cells, stacked nets and nets with features"
    source = "Schaul and Schmidhuber 2009, section VI (proposals)"
    cases = tuple(
        {"game": name, "net": net, "learned": learned, "tried": "naive"}
        for name, net, learned in itertools.product(LargerBoards.boards, BEYOND_NETS, (None, "naive"))
    )
    origin = archive.ORIGIN

    def needs(self, scale: Scale) -> Sequence[str]:
        return () if scale == "smoke" else (archive.FOLDER,)

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        usual = {"scale": scale, "seeds": seeds, "game": "Atari-Go", "net": None}
        recorded = [Unit(f"recorded LSTM nets {who}", {**usual, "tried": who}, 1) for who in archive.OPPONENTS]
        return [*super().units(scale, seeds), *recorded]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        if unit.settings["net"] is not None:
            return super().measure(unit, progress)
        small, large = archive.opened(self.folders, unit.settings["scale"]).lstm(unit.settings["tried"])
        its = scaling(small, large)
        return {"nets": len(small), "r": its.r.value, "better": int((large > small).sum())}

    def findings(self, units: Units, scale: Scale) -> Report:
        recorded = {unit.settings["tried"]: m for unit, m in units if unit.settings["net"] is None}
        lstm = {who: correlation(m["r"], m["nets"]) for who, m in recorded.items()}
        rows = [
            {"tried against": who, "nets": m["nets"], "r": lstm[who], "p": share(m["better"], m["nets"])}
            for who, m in recorded.items()
        ]
        units = [one for one in units if one[0].settings["net"] is not None]
        gains = {
            f"{name} {net}": difference(
                run_means(units, large, game=name, net=net, learned="naive"),
                run_means(units, large, game=name, net=NET, learned="naive"),
            )
            for name, (_, large) in self.boards.items()
            for net in BEYOND_NETS[1:]
        }
        fresh = {
            f"{unit.settings['game']} {unit.settings['net']}": compared(m, *self.boards[unit.settings["game"]]).r
            for unit, m in units
            if unit.settings["learned"] is None
        }
        better = "some evolved net does better on 9x9 than the plain one"
        return Report(
            "Nets with somewhat more weights than the plain one, all untrained (weights as each architecture "
            "draws them) and evolved on 5x5 against naive; all are tried on 5x5 and 9x9. Champions of one run are "
            "relatives: differences are between means of runs, and intervals of r over all nets are too narrow. "
            "*recorded*: the preliminary experiments of the paper, from the authors' results of 2008.",
            [
                ResultTable("nets", "mean performance on both boards, correlation and p", self.table(units)),
                ResultTable("recorded", "the authors' untrained nets of 5 LSTM cells, Atari-Go 5x5 and 9x9", rows),
            ],
            [
                _claim("The authors' own LSTM nets, untrained, correlate over boards", lstm, above(0)),
                _claim("The enhanced nets scale as well: untrained, they correlate over boards", fresh, above(0)),
                _claim(f"The enhancements may be worth it: {better}", gains, above(0), needed=1),
            ],
            [self.drawing(units)],
        )


class SchaulBeyond2(LargerBoards):
    """A heuristic opponent."""

    name = "S.beyond2"
    title = "scaling against a heuristic opponent, the objection the paper raises itself"
    source = "Schaul and Schmidhuber 2009, section VI (discussion)"
    boards: ClassVar[Boards] = {"Atari-Go": (5, 9), "Gomoku": (7, 11)}
    cases = tuple(
        {"game": name, "net": NET, "learned": learned, "tried": tried}
        for name, heuristic in HEURISTIC.items()
        for learned, tried in itertools.product((None, "naive", heuristic), (heuristic, "naive"))
    )

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        fixed = [
            Unit(f"{name} naive {HEURISTIC[name]}", {"scale": scale, "seeds": seeds, "game": name, "net": None}, 1)
            for name in self.boards
        ]
        return [*super().units(scale, seeds), *fixed]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        if unit.settings["net"] is not None:
            return super().measure(unit, progress)
        name = unit.settings["game"]
        games = unit.settings["seeds"] * min(SIZES[unit.settings["scale"]].opponents, 1000)
        measures: dict[str, Any] = {"games": games}
        for number, size in enumerate(self.boards[name], 1):
            result = match("naive", HEURISTIC[name], game=board(name, size), games=games, seed=unit.seed)
            measures[f"points {size}"] = result.tally.points
            progress(number, len(self.boards[name]))
        return measures

    def findings(self, units: Units, scale: Scale) -> Report:
        nets = [one for one in units if one[0].settings["net"] is not None]
        scores = {
            (name, size): share(measures[f"points {size}"], measures["games"])
            for name, measures in ((unit.settings["game"], m) for unit, m in units if unit.settings["net"] is None)
            for size in self.boards[name]
        }
        hard = {
            (unit.settings["game"], opponent_names(unit.settings["learned"])): measures
            for unit, measures in nets
            if unit.settings["tried"] == HEURISTIC[unit.settings["game"]]
        }
        shares = {
            f"{name}, learned against {who}": mean(compared(m, *self.boards[name]).shares)
            for (name, who), m in hard.items()
            if who != "untrained"
        }
        fresh = {name: compared(m, *self.boards[name]).r for (name, who), m in hard.items() if who == "untrained"}
        heuristic = [
            {"game": name, "size": size, "opponent": HEURISTIC[name], "naive's score": score}
            for (name, size), score in scores.items()
        ]
        gaps = {name: scores[name, large] - scores[name, small] for name, (small, large) in self.boards.items()}
        even = f"as strong on either board: naive's score differs by less than {EVEN}"
        better = "Trained nets also do better on the larger board against a heuristic opponent"
        correlated = "Performance on the two boards is correlated against a heuristic opponent (untrained nets)"
        return Report(
            "The paper's own objection: nets may do better on larger boards only because the weak opponent scales "
            "badly. The opponent here looks one move ahead with an evaluation that knows the game (liberties of chains "
            "in Atari-Go, open rows of five in Gomoku) and draws its moves at a temperature; greedy, it would win "
            "every game. *heuristic* shows how naive does against it on each board; on 5x5 many games of Gomoku are "
            "drawn, so its nets learn on 7x7 and are tried on 11x11.",
            [
                ResultTable("opponents", "mean performance on both boards, correlation and p", self.table(nets)),
                ResultTable("heuristic", "naive's score against the heuristic opponent", heuristic),
            ],
            [
                _claim(f"The heuristic opponent is {even}", gaps, near(0, EVEN)),
                _claim(better, shares, above(0.5), note="p of a run"),
                _claim(correlated, fresh, above(0)),
            ],
            [self.drawing(nets)],
        )


class SchaulBeyond3(LargerBoards):
    """Othello."""

    name = "S.beyond3"
    title = "Othello learned on 6x6 and played on 8x8 and 10x10"
    source = "Schaul and Schmidhuber 2009, the method on another game"
    boards: ClassVar[Boards] = {"othello": (6, 8, 10)}
    cases = tuple(
        {"game": "othello", "net": NET, "learned": learned, "tried": tried}
        for learned, tried in itertools.product((None, list(OTHELLO_OPPONENTS)), OTHELLO_OPPONENTS)
    )

    def findings(self, units: Units, scale: Scale) -> Report:
        gains = {
            f"{size}x{size} against {tried}": difference(
                run_means(units, size, tried=tried, learned=list(OTHELLO_OPPONENTS)),
                run_means(units, size, tried=tried, learned=None),
            )
            for size in self.boards["othello"][1:]
            for tried in OTHELLO_OPPONENTS
        }
        caption = "mean performance in disc difference per cell, correlation and p"
        text = "What nets learn on 6x6 helps on 8x8 and 10x10"
        return Report(
            "MDRNNs evolved on 6x6 against the random and the greedy player, scored by the disc difference as a share "
            "of all cells. The same weights play on 8x8 and 10x10. Champions of one run are relatives: the means of "
            "the runs are compared with the untrained nets.",
            [ResultTable("boards", caption, self.table(units))],
            [Claim("our experiment", text, gains, above(0), note="trained minus untrained")],
            [self.drawing(units)],
        )
