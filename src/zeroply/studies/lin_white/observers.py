"""W.observers: whether the paper's observers may have played differently (Lin and White 2009, sections II-D and III).

Our nets are far from the paper's results against the fixed strategies from the beginning on, before evolution has had
time to do much. So the strategies themselves are varied: nets of the same runs climb the ladders of reversed
strategies, which prefer what they should avoid, as if by a wrong sign, and these also play the games between
strategies that the paper describes. Observers have no influence on evolution, so they can be exchanged afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

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
from zeroply.studies.lin_white.curves import (
    ABOUT_READINGS,
    MOST,
    Curves,
    about_scale,
    draw_curves,
    ladder_columns,
    legend_below,
    seeds_table,
    side_by_side,
    too_short,
)
from zeroply.studies.lin_white.runs import READINGS, SIZES, Plan, by_plan, counts, evolved, plan_units
from zeroply.studies.lin_white.strategies import DESCRIBED, spec
from zeroply.studies.measured import exact
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EARLY = 100
"""The generation by which more than half of the paper's nets beat ply-depth 2."""
WAYS = ("as read", "reversed")
"""How a strategy may play."""
TURNED = {"positional": 4, "pieces": 6}
"""The strategies with most claims in the paper, and the ply-depth at which most of its nets beat them in the end."""
ROWS = 5
"""Generations of each reading that the table shows, or a few more, with the first two and the last."""
GAMES = "games"
"""The unit of the games between strategies."""


class Reversed(Study):
    """Strategies as read and reversed, before the same nets."""

    name = "W.observers"
    title = "whether reversed strategies fit what the paper says of its observers"
    source = "Lin and White 2009, Figs. 4 and 5 and sections II (Results) and III"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per reading of the paper's mutation and seed, and one for the games between strategies."""
        return [*plan_units(READINGS, scale, seeds), Unit(GAMES, {"scale": scale})]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, and count the nets that beat the strategies; or let the strategies play."""
        if unit.name == GAMES:
            return {_turned(ways): who_wins(ways) for ways in _choices()}
        return _ladders(evolved(self.folders, unit, progress), SIZES[unit.settings["scale"]].highest)

    def findings(self, units: Units, scale: Scale) -> Report:
        """Counts by generation, and the games."""
        runs = [one for one in units if one[0].name != GAMES]
        games = next(measures for unit, measures in units if unit.name == GAMES)
        ladders = {
            plan: {one: Curves.of([(unit, measures[one]) for unit, measures in some]) for one in _strategies()}
            for plan, some in by_plan(runs).items()
        }
        return Report(
            "The parents of the runs of W.fig4 and W.fig5 before the first generation, when they have learned nothing, "
            "and after some, each with Black and without look-ahead, against the positional and the pieces strategy "
            "with White: in our reading, and reversed, so that they prefer what they should avoid (a finished game "
            "still counts by its result). The other table has the seven games between strategies that the paper "
            "describes, with equal moves to the lowest square. That reversed strategies fit better does not mean that "
            "the paper's had a wrong sign: any strategy that plays as badly would fit. "
            f"{ABOUT_READINGS} {about_scale(runs, scale)}",
            [
                ResultTable(
                    "ladders", "how many parents beat each strategy, by its ply-depth", list(_ladder_rows(ladders))
                ),
                seeds_table(runs, "the same of each seed at all observed generations", _columns),
                ResultTable("games", "the paper's games between strategies, White first", list(_game_rows(games))),
            ],
            [
                *side_by_side({plan.name: _claims(scale, its) for plan, its in ladders.items()}),
                *(_games_claim(which, winners) for which, winners in games.items()),
            ],
            [
                Drawing(
                    "ladders",
                    "number of nets that beat each strategy at ply-depth 2: thin lines are seeds, thick the "
                    "smoothed median; dotted: half of the nets",
                    lambda figure: _draw(figure, ladders),
                )
            ],
        )


def _strategies() -> list[str]:
    """The strategies as read and reversed."""
    return [_evaluation(strategy, way) for strategy in TURNED for way in WAYS]


def _evaluation(strategy: str, way: str) -> str:
    """The evaluation of a strategy that plays in one of the ways."""
    return f"{strategy}(reversed=true)" if way == "reversed" else strategy


def _label(strategy: str) -> str:
    return strategy.replace("(reversed=true)", " reversed")


# Measures


def _ladders(record: RunRecord, highest: int) -> dict[str, Any]:
    """By strategy the number of parents that beat it, at the observed generations."""
    config = record.config(LinWhiteConfig)
    net = lin_white.spatial_net(config.net)
    observers = Observers(net, ObserverConfig(strategies=tuple(_strategies()), highest=highest))
    early = min(EARLY, config.generations)
    states = chain(
        [lin_white.first_parents(config, net)],  # before any learning
        replayed(record, early, early),
        (state for state in saved_parents(record) if state.generation > early),
    )
    seen = {state.generation: observers.heights(state.weights, state.names) for state in states}
    return {
        strategy: {
            "generations": list(seen),
            "beaten": counts([heights[strategy] for heights in seen.values()], highest),
            "parents": config.parents,
        }
        for strategy in _strategies()
    }


def _choices() -> list[dict[str, str]]:
    """Every way for each strategy that may be reversed."""
    return [{"positional": one, "pieces": other} for one in WAYS for other in WAYS]


def _turned(ways: Mapping[str, str]) -> str:
    """Which strategies are reversed, in words."""
    return " and ".join(strategy for strategy, way in ways.items() if way == "reversed") or "none"


def who_wins(ways: Mapping[str, str]) -> list[str]:
    """The winner of each of the paper's games if strategies play in these ways."""
    board, won = game("othello"), []
    for depth, white, black, _ in DESCRIBED:
        names = [_evaluation(one, ways.get(one, "as read")) for one in (black, white)]
        players = [player(spec(name, depth, "lowest"), board) for name in names]
        played = play(players, np.array([[0, 1]], np.int64), board.start(1), np.zeros(1, np.uint64))
        won.append({1: "Black", -1: "White", 0: "drawn"}[int(played.winner[0])])
    return won


# Report


def _ladder_rows(ladders: Mapping[Plan, Mapping[str, Curves]]) -> Iterator[dict[str, Any]]:
    for plan, its in ladders.items():
        generations = next(iter(its.values())).generations.astype(int).tolist()
        for generation in sorted({*generations[:2], *generations[:: -max(1, len(generations) // ROWS)]}):
            yield {"setting": plan.name, "generation": generation} | {
                f"{_label(strategy)} {depth}": curves.at(depth, generation)
                for strategy, curves in its.items()
                for depth in curves.depths
            }


def _columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """The ladders of a run by generation."""
    columns: dict[str, Sequence[Any]] = {}
    for strategy, ladder in measures.items():
        columns |= ladder_columns(ladder, _label(strategy))
    return columns


def _winner(white_won: bool) -> str:
    return "White" if white_won else "Black"


def _game_rows(games: Measures) -> Iterator[dict[str, Any]]:
    for number, (depth, white, black, white_won) in enumerate(DESCRIBED):
        yield {
            "ply-depth": depth,
            "game": f"{white} - {black}",
            "paper": _winner(white_won),
            **{f"reversed: {which}": winners[number] for which, winners in games.items()},
        }


def _claims(scale: Scale, curves: Mapping[str, Curves]) -> list[Claim]:
    """The paper's claims about generation 100 and about the end."""
    return [
        one
        for strategy, deep in TURNED.items()
        for way in WAYS
        for one in _claims_of(scale, f"{strategy}, {way},", curves[_evaluation(strategy, way)], deep)
    ]


def _claims_of(scale: Scale, strategy: str, curves: Curves, deep: int) -> list[Claim]:
    place, rule, note = "section II (Results)", above(MOST * curves.parents), f"of {curves.parents}"
    early = f"By generation {EARLY} over half of the nets beat {strategy} at ply-depth 2"
    end = f"In the end over half of the nets beat {strategy} at ply-depth {deep}"
    return [
        Claim(place, early, curves.at(2, EARLY), rule, note=note).open(too_short(scale, EARLY)),
        Claim(place, end, curves.end(deep), rule, note=note).open(too_short(scale, 10_000)),
    ]


def _games_claim(which: str, winners: Sequence[str]) -> Claim:
    same = [winner == _winner(white_won) for winner, (*_, white_won) in zip(winners, DESCRIBED, strict=True)]
    text = f"The games between strategies end as in the paper, reversed: {which}"
    return Claim("section III", text, exact(sum(same)).rounded(0), above(len(same) - 0.5), len(same), note="games")


def _draw(figure: Figure, ladders: Mapping[Plan, Mapping[str, Curves]]) -> None:
    panels = figure.subplots(1, len(ladders), sharey=True, squeeze=False)[0]
    for panel, (plan, its) in zip(panels, ladders.items(), strict=True):
        for (strategy, curves), colour in zip(its.items(), COLOURS, strict=False):
            draw_curves(panel, curves.generations, curves.beaten[2], colour, _label(strategy))
        panel.axhline(MOST * curves.parents, color="#888888", linewidth=0.8, linestyle=":")
        panel.set_title(plan.name)
        panel.set_xlabel("generation")
        panel.grid(color="#dddddd", linewidth=0.6)
    panels[0].set_ylabel("nets that win with Black at ply-depth 2")
    legend_below(figure, panels[0])
