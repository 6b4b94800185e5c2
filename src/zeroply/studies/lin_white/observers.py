"""W.observers: whether the paper's observers may have played differently (Lin and White 2009, sections II-D and III).

Our nets are far from the paper's results against the fixed strategies from the beginning on, before evolution has had
time to do much. So the strategies themselves are varied: nets of the same runs climb the ladders of reversed
strategies, which prefer what they should avoid, as if by a wrong sign, and these also play the games between
strategies that the paper describes. Observers have no influence on evolution, so they can be exchanged afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from zeroply.arena.play import play
from zeroply.games import game
from zeroply.learning.coevolution import lin_white
from zeroply.learning.coevolution.lin_white import LinWhiteConfig
from zeroply.learning.coevolution.observers import ObserverConfig, Observers
from zeroply.learning.coevolution.run_analysis import replayed, saved_parents
from zeroply.players import player
from zeroply.runs import RunRecord
from zeroply.studies.claims import Claim, above
from zeroply.studies.lin_white.curves import LINES, MOST, Ladder, Panel, drawing
from zeroply.studies.lin_white.run_study import RunStudy, claim, course_rows, ladder_columns, seeds_table
from zeroply.studies.lin_white.runs import LinWhiteSize, counts
from zeroply.studies.lin_white.strategies import DESCRIBED, spec
from zeroply.studies.measured import exact
from zeroply.studies.report import Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

EARLY = 100
"""The generation by which more than half of the paper's nets beat ply-depth 2."""
REVERSED = "(reversed=true)"
"""What makes a strategy prefer what it should avoid."""
WAYS = {"as read": "", "reversed": REVERSED}
"""How a strategy may play."""
TURNED = {"positional": 4, "pieces": 6}
"""The strategies with most claims in the paper, and the ply-depth at which most of its nets beat them in the end."""
STRATEGIES = tuple(strategy + way for strategy in TURNED for way in WAYS.values())
"""The strategies as read and reversed."""
ROWS = 5
"""Generations of each reading that the table shows, or a few more, with the first two and the last."""
GAMES = "games"
"""The unit of the games between strategies."""

Ladders = Mapping[str, Ladder]
"""The ladder of each strategy."""


class Reversed(RunStudy[Ladders]):
    """Strategies as read and reversed, before the same nets."""

    name = "W.observers"
    title = "whether reversed strategies fit the paper's results with its observers"
    source = "Lin and White 2009, Figs. 4 and 5 and sections II (Results) and III"
    text = (
        "The parents of the runs of W.fig4 and W.fig5 before the first generation, when they have learned nothing, "
        "and after some, each with Black and without look-ahead, against the positional and the pieces strategy "
        "with White: in our reading, and reversed, so that they prefer what they should avoid (a finished game "
        "still counts by its result). The other table has the seven games between strategies that the paper "
        "describes, with equal moves to the lowest square. That reversed strategies fit better does not mean that "
        "the paper's had a wrong sign: any strategy that plays as badly would fit."
    )

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return [*super().units(scale, seeds), Unit(GAMES, {"scale": scale})]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        if unit.name != GAMES:
            return super().measure(unit, progress)
        choices = [[one for one, way in zip(TURNED, ways, strict=True) if way] for ways in np.ndindex(2, 2)]
        return {" and ".join(some) or "none": who_wins(some) for some in choices}

    def measures(self, record: RunRecord, size: LinWhiteSize, progress: Progress) -> Measures:
        config = record.config(LinWhiteConfig)
        net = lin_white.spatial_net(config.net)
        observers = Observers(net, ObserverConfig(strategies=STRATEGIES, highest=size.highest))
        early = min(EARLY, config.generations)
        states = chain(
            [lin_white.first_parents(config, net)],  # before any learning
            replayed(record, early, early),
            (state for state in saved_parents(record) if state.generation > early),
        )
        seen = {state.generation: observers.heights(state.weights, state.names) for state in states}
        common = {"generations": list(seen), "parents": config.parents}
        return {
            one: {**common, "beaten": counts([heights[one] for heights in seen.values()], size.highest)}
            for one in STRATEGIES
        }

    def setting(self, runs: Sequence[Measures]) -> Ladders:
        return {one: Ladder.of([run[one] for run in runs]) for one in STRATEGIES}

    def tables(self, settings: Mapping[str, Ladders], units: Units) -> list[ResultTable]:
        def shown(generations: Sequence[int]) -> list[int]:
            return sorted({*generations[:2], *generations[:: -max(1, len(generations) // ROWS)]})

        columns = {
            name: {f"{_label(one)} {d}": its for one, ladder in ladders.items() for d, its in ladder.rungs.items()}
            for name, ladders in settings.items()
        }
        caption = "how many parents beat each strategy, by its ply-depth"
        return [
            ResultTable("ladders", caption, course_rows(columns, shown)),
            seeds_table(units, "the same of each seed at all observed generations", _columns),
        ]

    def claims(self, scale: Scale, setting: Ladders) -> list[Claim]:
        claims = []
        for strategy, deep in TURNED.items():
            for way, option in WAYS.items():
                ladder, nets = setting[strategy + option], f"over half of the nets beat {strategy}, {way}, at ply-depth"
                rule, note = above(MOST * ladder.parents), f"of {ladder.parents}"
                judged = partial(claim, scale, "section II (Results)", rule=rule, note=note)
                claims += [
                    judged(f"By generation {EARLY} {nets} 2", ladder[2].at(EARLY), needs=EARLY),
                    judged(f"In the end {nets} {deep}", ladder[deep].end),
                ]
        return claims

    def drawings(self, settings: Mapping[str, Ladders]) -> list[Drawing]:
        panels = [
            Panel({_label(one): ladder[2] for one, ladder in its.items()}, name, line=MOST * its["pieces"].parents)
            for name, its in settings.items()
        ]
        caption = f"number of nets that beat each strategy at ply-depth 2: {LINES}; dotted: half of the nets"
        return [drawing("ladders", caption, panels, "nets that win with Black at ply-depth 2", sharey=True)]

    def findings(self, units: Units, scale: Scale) -> Report:
        report = super().findings([one for one in units if one[0].name != GAMES], scale)
        games = next(measures for unit, measures in units if unit.name == GAMES)
        rows = [
            {"ply-depth": depth, "game": f"{white} - {black}", "paper": _winner(white_won)}
            | {f"reversed: {which}": winners[number] for which, winners in games.items()}
            for number, (depth, white, black, white_won) in enumerate(DESCRIBED)
        ]
        table = ResultTable("games", "the paper's games between strategies, White first", rows)
        claims = [_games_claim(which, winners) for which, winners in games.items()]
        return replace(report, tables=[*report.tables, table], claims=[*report.claims, *claims])


def who_wins(reversed_: Sequence[str] = ()) -> list[str]:
    """The winner of each of the paper's games if some strategies are reversed."""
    board, won = game("othello"), []
    for depth, white, black, _ in DESCRIBED:
        names = [one + REVERSED if one in reversed_ else one for one in (black, white)]
        players = [player(spec(name, depth, "lowest"), board) for name in names]
        played = play(players, np.array([[0, 1]], np.int64), board.start(1), np.zeros(1, np.uint64))
        won.append({1: "Black", -1: "White", 0: "drawn"}[int(played.winner[0])])
    return won


def _label(strategy: str) -> str:
    return strategy.replace(REVERSED, " reversed")


def _columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """The ladders of a run by generation."""
    columns: dict[str, Sequence[Any]] = {}
    for strategy, ladder in measures.items():
        columns |= ladder_columns(ladder, _label(strategy))
    return columns


def _winner(white_won: bool) -> str:
    return "White" if white_won else "Black"


def _games_claim(which: str, winners: Sequence[str]) -> Claim:
    same = [winner == _winner(white_won) for winner, (*_, white_won) in zip(winners, DESCRIBED, strict=True)]
    text = f"The games between strategies end as in the paper, reversed: {which}"
    return Claim("section III", text, exact(sum(same)).rounded(0), above(len(same) - 0.5), len(same), note="games")
