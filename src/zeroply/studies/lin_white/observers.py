"""W.observers: whether the paper's observers may have played otherwise than we read it (Lin and White 2009, II-D, III).

What the paper says of its nets against the fixed strategies is out of reach of ours from the beginning on, before
evolution has had time to do much. So the strategies themselves are asked: nets of the same runs climb the ladders of
strategies that want what they should avoid, as by a wrong sign, and the games between strategies that the paper tells
of are played by these too. Observers have no influence on evolution, so they can be exchanged afterwards.
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
from zeroply.studies.lin_white.curves import (
    ABOUT_READINGS,
    MOST,
    Curves,
    about_scale,
    claim,
    draw_curves,
    ladder_columns,
    legend_below,
    scale_of,
    seeds_table,
    side_by_side,
)
from zeroply.studies.lin_white.runs import READINGS, SIZES, Plan, by_plan, counts, evolved, plan_units
from zeroply.studies.lin_white.strategies import SAID, spec
from zeroply.studies.study import COLOURS, Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EARLY = 100
"""The generation by which more than half of the paper's nets beat ply-depth 2."""
WAYS = ("as read", "reversed")
"""How a strategy may play."""
TURNED = {"positional": 4, "pieces": 6}
"""The strategies that the paper says most of, and the ply-depth at which more than half of its nets beat them in the
end."""
ROWS = 5
"""Generations of each reading that the table shows, or a few more; the first two and the last among them."""
GAMES = "games"
"""The unit of the games between strategies."""


class Reversed(Study):
    """Strategies as read and reversed, before the same nets."""

    name = "W.observers"
    title = "whether reversed strategies fit what the paper says of its observers"
    source = "Lin and White 2009, Figs. 4 and 5 and sections II (Results) and III"
    packages = ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each reading of the paper's mutation and seed, and one for the games between strategies."""
        return [*plan_units(READINGS, scale, seeds), Unit(GAMES, {"scale": scale})]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Evolve, and count who beats the strategies; or let these meet."""
        if unit.name == GAMES:
            return {_turned(ways): who_wins(ways) for ways in _choices()}
        return _ladders(evolved(self.place, unit, progress), SIZES[unit.settings["scale"]].highest)

    def report(self, found: Found) -> Report:
        """Counts by generation, and the games, beside what the paper says."""
        runs = [one for one in found if one[0].name != GAMES]
        games = next(measures for unit, measures in found if unit.name == GAMES)
        ladders = {
            plan: {one: Curves.of([(unit, measures[one]) for unit, measures in some]) for one in _strategies()}
            for plan, some in by_plan(runs).items()
        }
        scale = scale_of(found)
        return Report(
            "The parents of the runs of W.fig4 and W.fig5 before the first generation, when they know nothing, and "
            "after some, each with Black and without "
            "look-ahead, against the positional and the pieces strategy with White: as we read them, and reversed, so "
            "that they want what they should avoid (a finished game counts by its result all the same). The other "
            "table has the seven games between strategies that the paper tells of, played with equal moves to the "
            "lowest square; a draw is nobody's. That reversed strategies fit better does not say that the paper's had "
            f"a wrong sign: any that play as badly would. {ABOUT_READINGS} {about_scale(runs)}",
            [
                Table("ladders", "how many parents beat each strategy, by its ply-depth", list(_ladder_rows(ladders))),
                seeds_table(runs, "the same of each seed at all generations that were looked at", _columns),
                Table("games", "the paper's games between strategies, White first", list(_game_rows(games))),
            ],
            [
                *side_by_side({plan.name: _claims(scale, its) for plan, its in ladders.items()}),
                *(_games_claim(scale, which, winners) for which, winners in games.items()),
            ],
            [
                Drawing(
                    "ladders",
                    "number of nets that beat each strategy at ply-depth 2: a thin line for each seed, thick the "
                    "smoothed median; dotted: half of them",
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
    """By strategy how many parents beat it after the generations that are looked at."""
    config = record.config(LinWhiteConfig)
    net = lin_white.spatial_net(config.net)
    observers = Observers(net, ObserverConfig(strategies=tuple(_strategies()), highest=highest))
    early = min(EARLY, config.generations)
    states = chain(
        [lin_white.first_parents(config, net)],  # who know nothing
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
    """Who wins each of the paper's games if strategies play in these ways."""
    the_game, won = game("othello"), []
    for depth, white, black, _ in SAID:
        names = [_evaluation(one, ways.get(one, "as read")) for one in (black, white)]
        players = [player(spec(name, depth, "lowest"), the_game) for name in names]
        played = play(players, np.array([[0, 1]], np.int64), the_game.start(1), np.zeros(1, np.uint64))
        won.append({1: "Black", -1: "White", 0: "drawn"}[int(played.winner[0])])
    return won


# Report


def _ladder_rows(ladders: Mapping[Plan, Mapping[str, Curves]]) -> Iterator[dict[str, Any]]:
    for plan, its in ladders.items():
        generations = next(iter(its.values())).generations.astype(int).tolist()
        for generation in sorted({*generations[:2], *generations[:: -max(1, len(generations) // ROWS)]}):
            yield {"setting": plan.name, "generation": generation} | {
                f"{_label(strategy)} {depth}": str(curves.at(depth, generation))
                for strategy, curves in its.items()
                for depth in curves.depths
            }


def _columns(measures: Measures) -> dict[str, Sequence[Any]]:
    """The ladders of a run by generation."""
    columns: dict[str, Sequence[Any]] = {}
    for strategy, ladder in measures.items():
        columns |= ladder_columns(ladder, _label(strategy))
    return columns


def _said(white_won: bool) -> str:
    return "White" if white_won else "Black"


def _game_rows(games: Measures) -> Iterator[dict[str, Any]]:
    for number, (depth, white, black, white_won) in enumerate(SAID):
        yield {
            "ply-depth": depth,
            "game": f"{white} - {black}",
            "paper": _said(white_won),
            **{f"reversed: {which}": winners[number] for which, winners in games.items()},
        }


def _claims(scale: Scale, curves: Mapping[str, Curves]) -> list[Claim]:
    """What the paper says of generation 100, and of the end."""
    return [
        one
        for strategy, deep in TURNED.items()
        for way in WAYS
        for one in _claims_of(scale, f"{strategy}, {way},", curves[_evaluation(strategy, way)], deep)
    ]


def _claims_of(scale: Scale, strategy: str, curves: Curves, deep: int) -> list[Claim]:
    early, end = curves.at(2, EARLY), curves.end(deep)
    return [
        claim(
            scale,
            EARLY,
            f"By generation {EARLY} over half of the nets beat {strategy} at ply-depth 2",
            f"{early} of {curves.parents}",
            curves.share(early.median) > MOST,
        ),
        claim(
            scale,
            10_000,
            f"In the end over half of the nets beat {strategy} at ply-depth {deep}",
            f"{end} of {curves.parents}",
            curves.share(end.median) > MOST,
        ),
    ]


def _games_claim(scale: Scale, which: str, winners: Sequence[str]) -> Claim:
    told = [winner == _said(white_won) for winner, (*_, white_won) in zip(winners, SAID, strict=True)]
    text = f"The games between strategies come out as the paper tells, reversed: {which}"
    return claim(scale, 0, text, f"{sum(told)} of {len(told)}", all(told))


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
