"""W.beyond2: how strong coevolved spatial nets are among players of other kinds, in one league.

The paper measures its nets by fixed strategies only. Here the champions of its runs and of the predecessor's setting
meet the published one-ply players, nets that come with zeroply (trained on expert games, as in Liskowski et al. 2018,
and coevolved in another setting) and MDRNNs that coevolved on Othello (Schaul and Schmidhuber 2009), all without
look-ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeroply.arena.league import league
from zeroply.learning.champions import FILE
from zeroply.learning.coevolution.host_parasite import HostParasite, HostParasiteConfig
from zeroply.specs import Spec
from zeroply.studies.lin_white.curves import ABOUT_READINGS, about_scale, claim, scale_of, side_by_side
from zeroply.studies.lin_white.runs import FOLDER, READINGS, Plan, champion, evolved, plan_units
from zeroply.studies.lin_white.settings import PREDECESSOR
from zeroply.studies.liskowski.requirements import LEAGUE_FILES, OPENINGS_FILE
from zeroply.studies.liskowski.strength import OPENINGS, SMOKE_GAMES, SMOKE_OPENINGS, suite
from zeroply.studies.needs import published
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import (
    COLOURS,
    Claim,
    Drawing,
    Found,
    Measures,
    Place,
    Progress,
    Report,
    Scale,
    Study,
    Table,
    Unit,
    part_of,
)
from zeroply.studies.verdicts import Verdict, ahead, all_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MDRNN = {"smoke": 2, "cpu": 100, "paper": 400}
"""Generations of the MDRNNs."""
GAMES = {"smoke": SMOKE_GAMES, "cpu": 200, "paper": 2_000}
"""Games of every two players."""
SHIPPED = {
    "expert games": Spec("net", "othello"),
    "SWH (net)": Spec("net", "othello-swh"),
    "W shipped": Spec("net", "othello-queen"),
}
FIXED = ("positional", "pieces", "mobility")
"""The paper's fixed strategies but Iagno, which solves endings and so looks further."""
SIMPLE = {
    "random": Spec("random"),
    "greedy": Spec("greedy"),
    **{name: Spec("alphabeta", eval=Spec(name)) for name in FIXED},
}


class Beyond2(Study):
    """One league of all kinds."""

    name = "W.beyond2"
    title = "champions of coevolution among published players, trained nets and MDRNNs: one league with ratings"
    source = "Lin and White 2009, asked further"
    packages = ()

    def needs(self, scale: Scale) -> Sequence[str]:
        """The published players and openings."""
        return [*LEAGUE_FILES, OPENINGS_FILE] if scale != "smoke" else ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each champion, so that they can be made one by one, and one for the league of them all."""
        plans = plan_units((*READINGS, PREDECESSOR), scale, seeds)
        mdrnn = Unit("mdrnn-host-parasite seed 1", {"scale": scale, "mdrnn": True}, 1)
        return [*plans, mdrnn, Unit("league", {"scale": scale, "league": True, "seeds": seeds}, 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Make a champion, or let them all play."""
        if "league" in unit.settings:
            return self._league(unit, progress)
        return {"champion": self._champion(unit, progress).name}

    def _champion(self, unit: Unit, progress: Progress) -> Path:
        if "mdrnn" in unit.settings:
            return mdrnn_champion(self.place, unit.settings["scale"], unit.seed, progress)
        return champion(evolved(self.place, unit, progress))

    def _league(self, unit: Unit, progress: Progress) -> Measures:
        scale, seeds = unit.settings["scale"], unit.settings["seeds"]
        players = {**SIMPLE, **SHIPPED}
        others = suite(self.place, scale)
        players |= {name: spec for name, spec in others.items() if spec not in players.values()}
        for one in self.units(scale, seeds)[:-1]:
            made = self._champion(one, part_of(progress, 0, 0.1))
            players[f"{'S' if 'mdrnn' in one.settings else 'W'} {one.name}"] = Spec("net", str(made))
        starts = SMOKE_OPENINGS if scale == "smoke" else str(published(self.place, "openings") / OPENINGS)
        result = league(
            list(players.values()), games=GAMES[scale], openings=starts, seed=1, progress=part_of(progress, 0.1, 1)
        )
        named = {str(spec): name for name, spec in players.items()}
        table = result.summary()["players"]
        return {"players": [{**row, "name": named[row["player"]]} for row in table], "games": GAMES[scale]}

    def report(self, found: Found) -> Report:
        """The table of the league."""
        scale = scale_of(found)
        measures = next(measures for unit, measures in found if "league" in unit.settings)
        players = measures["players"]
        return Report(
            f"Every two players meet in {measures['games']:,} games over the same openings with both colours; all play "
            "without look-ahead (search depth 1). *W queen-fair* and *W queen-same-fair* are the last champions of the "
            "paper's runs, *W subsquares-unfair* those of the predecessor's setting, *W shipped* is "
            "`net(othello-queen)`, from the setting in which W.selection finds nets to learn, *S mdrnn-host-parasite* "
            f"a net of sweeping recurrent units that coevolved on Othello for {MDRNN[scale]} generations. Champions of "
            "a method are compared by the medians of their ratings and intervals. "
            f"{ABOUT_READINGS} {about_scale(found)}",
            [Table("league", "ratings on the Elo scale with 95 % intervals; score in percent", _rows(players))],
            side_by_side({plan.name: _claims(scale, players, plan) for plan in READINGS}),
            [
                Drawing(
                    "league",
                    "ratings with 95 % intervals; coloured: coevolved nets",
                    lambda figure: _draw(figure, players),
                )
            ],
        )


def mdrnn_champion(place: Place, scale: Scale, seed: int, progress: Progress) -> Path:
    """An MDRNN that coevolved on Othello: made now, gone on with, or taken as it is."""
    folder = place.results / FOLDER / scale / f"mdrnn-othello-{seed}"
    config = HostParasiteConfig(game="othello", net="mdrnn(k=10)", generations=MDRNN[scale], seed=seed)
    shared_run(folder, HostParasite(config), progress)
    return folder / FILE


def _rows(players: Sequence[Measures]) -> list[dict[str, Any]]:
    return [
        {
            "player": row["name"],
            "Elo": round(row["elo"]),
            "low": round(row["elo_interval"][0]),
            "high": round(row["elo_interval"][1]),
            "score": round(100 * row["score"], 1),
        }
        for row in players
    ]


class Rated(NamedTuple):
    """A rating with its 95 % interval, or the medians of several."""

    elo: float
    """The rating."""
    low: float
    """Where its interval begins."""
    high: float
    """Where it ends."""

    def above(self, other: Rated) -> Verdict:
        """Whether it is higher; None if the intervals overlap."""
        return True if self.low > other.high else False if self.high < other.low else None


def _champions(players: Sequence[Measures], plan: Plan) -> list[Rated]:
    return [Rated(row["elo"], *row["elo_interval"]) for row in players if row["name"].startswith(f"W {plan.name} ")]


def _median(ratings: Sequence[Rated]) -> Rated:
    return Rated(*(float(np.median(column)) for column in zip(*ratings, strict=True)))


def _told(ratings: Sequence[Rated]) -> str:
    elos = [one.elo for one in ratings]
    return f"{np.median(elos):+.0f} ({min(elos):+.0f} to {max(elos):+.0f})" if len(elos) > 1 else f"{elos[0]:+.0f}"


def _claims(scale: Scale, players: Sequence[Measures], reading: Plan) -> list[Claim]:
    ours, theirs = _champions(players, reading), _champions(players, PREDECESSOR)
    ratings = {row["name"]: Rated(row["elo"], *row["elo_interval"]) for row in players}
    stronger = ahead([one.elo for one in ours], [one.elo for one in theirs])
    middle, told = _median(ours), f"champions of the paper's method: {_told(ours)} Elo"
    fixed = {name: ratings[name] for name in FIXED}
    return [
        claim(
            scale,
            10_000,
            "Coevolved champions are stronger than the fixed strategies at equal look-ahead",
            f"{told}; {', '.join(f'{name} {one.elo:+.0f}' for name, one in fixed.items())}",
            all_of(middle.above(one) for one in fixed.values()),
        ),
        claim(
            scale,
            10_000,
            "They are weaker than a net trained on expert games",
            f"{told}; expert games {ratings['expert games'].elo:+.0f}",
            ratings["expert games"].above(middle),
        ),
        claim(
            scale,
            10_000,
            "The paper's method makes stronger champions than its predecessor's",
            f"{told}; the predecessor's {_told(theirs)}",
            stronger if stronger is middle.above(_median(theirs)) else None,
        ),
    ]


def _draw(figure: Figure, players: Sequence[Measures]) -> None:
    panel = figure.subplots()
    for place, row in enumerate(reversed(players)):
        low, high = row["elo_interval"]
        colour = COLOURS[1] if row["name"].startswith(("W ", "S ")) else "#777777"
        panel.errorbar(
            row["elo"], place, xerr=[[row["elo"] - low], [high - row["elo"]]], fmt="o", color=colour, capsize=2
        )
    panel.set_yticks(range(len(players)), [row["name"] for row in reversed(players)], fontsize="x-small")
    panel.set_xlabel("Elo")
    panel.grid(axis="x", color="#dddddd", linewidth=0.6)
