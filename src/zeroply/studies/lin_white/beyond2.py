"""W.beyond2: how strong coevolved spatial nets are among players of other kinds, in one league.

The paper measures its nets by fixed strategies only. Here the champions of its runs and of the predecessor's setting
meet the published one-ply players, nets that come with zeroply (trained on expert games, as in Liskowski et al. 2018,
and coevolved in another setting) and MDRNNs that coevolved on Othello (Schaul and Schmidhuber 2009), all without
look-ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from zeroply.arena.league import league
from zeroply.learning.champions import FILE
from zeroply.learning.coevolution.host_parasite import HostParasite, HostParasiteConfig
from zeroply.specs import Spec
from zeroply.studies.claims import Claim, above
from zeroply.studies.lin_white.run_study import ABOUT_READINGS, about_scale, claim, side_by_side
from zeroply.studies.lin_white.runs import FOLDER, READINGS, SIZES, Variant, champion, evolved, variant_units
from zeroply.studies.lin_white.settings import PREDECESSOR
from zeroply.studies.liskowski.requirements import LEAGUE_FILES, OPENINGS_FILE
from zeroply.studies.liskowski.strength import OPENINGS, SMOKE_OPENINGS, suite
from zeroply.studies.measured import Measured, mean, t_quantile
from zeroply.studies.needs import published
from zeroply.studies.report import COLOURS, Drawing, Figure, Report, ResultTable
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Folders, Measures, Progress, Scale, Study, Unit, Units, part_of

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


class LinWhiteBeyond2(Study):
    """One league of all kinds."""

    name = "W.beyond2"
    title = "champions of coevolution among published players, trained nets and MDRNNs: one league with ratings"
    source = "Lin and White 2009, extended"

    def needs(self, scale: Scale) -> Sequence[str]:
        return [*LEAGUE_FILES, OPENINGS_FILE] if scale != "smoke" else ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        variants = variant_units((*READINGS, PREDECESSOR), scale, seeds)
        mdrnn = Unit("mdrnn-host-parasite seed 1", {"scale": scale, "mdrnn": True}, 1)
        return [*variants, mdrnn, Unit("league", {"scale": scale, "league": True, "seeds": seeds}, 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        if "league" in unit.settings:
            return self._league(unit, progress)
        return {"champion": self._champion(unit, progress).name}

    def _champion(self, unit: Unit, progress: Progress) -> Path:
        if "mdrnn" in unit.settings:
            return mdrnn_champion(self.folders, unit.settings["scale"], unit.seed, progress)
        return champion(evolved(self.folders, unit, progress))

    def _league(self, unit: Unit, progress: Progress) -> Measures:
        scale, seeds = unit.settings["scale"], unit.settings["seeds"]
        players = {**SIMPLE, **SHIPPED}
        others = suite(self.folders, scale)
        players |= {name: spec for name, spec in others.items() if spec not in players.values()}
        for one in self.units(scale, seeds)[:-1]:
            made = self._champion(one, part_of(progress, 0, 0.1))
            players[f"{'S' if 'mdrnn' in one.settings else 'W'} {one.name}"] = Spec("net", str(made))
        starts = SMOKE_OPENINGS if scale == "smoke" else str(published(self.folders, "openings") / OPENINGS)
        games, report = SIZES[scale].league_games, part_of(progress, 0.1, 1)
        result = league(list(players.values()), games=games, openings=starts, seed=1, progress=report)
        named = {str(spec): name for name, spec in players.items()}
        table = result.to_dict()["players"]
        return {"players": [{**row, "name": named[row["player"]]} for row in table], "games": games}

    def findings(self, units: Units, scale: Scale) -> Report:
        measures = next(measures for unit, measures in units if "league" in unit.settings)
        players = measures["players"]
        rows = [
            {"player": row["name"], "Elo": rating(row).rounded(0), "score": round(row["score"], 3)} for row in players
        ]
        return Report(
            f"Every two players meet in {measures['games']:,} games over the same openings with both colours; all play "
            "without look-ahead (search depth 1). *W queen-fair* and *W queen-same-fair* are the last champions of the "
            "paper's runs, *W subsquares-unfair* those of the predecessor's setting, *W shipped* is "
            "`net(othello-queen)`, from the setting in which nets learn (W.selection), *S mdrnn-host-parasite* is "
            f"an MDRNN that coevolved on Othello for {SIZES[scale].mdrnn} generations. The champions of a method are "
            f"compared by their mean rating. {ABOUT_READINGS} {about_scale(units, scale)}",
            [ResultTable("league", "ratings on the Elo scale with 95 % intervals, and scores", rows)],
            side_by_side({variant.name: _claims(scale, players, variant) for variant in READINGS}),
            [Drawing("league", "ratings with 95 % intervals; coloured: coevolved nets", lambda f: _draw(f, players))],
        )


def mdrnn_champion(folders: Folders, scale: Scale, seed: int, progress: Progress) -> Path:
    """An MDRNN that coevolved on Othello, which is made, resumed or reused."""
    folder = folders.results / FOLDER / scale / f"mdrnn-othello-{seed}"
    config = HostParasiteConfig(game="othello", net="mdrnn(k=10)", generations=SIZES[scale].mdrnn, seed=seed)
    shared_run(folder, HostParasite(config), progress)
    return folder / FILE


def rating(row: Measures) -> Measured:
    """A rating with the error that its 95 % interval means."""
    low, high = row["elo_interval"]
    return Measured(row["elo"], (high - low) / 2 / t_quantile(float("inf")), n=1, digits=0)


def _champions(players: Sequence[Measures], variant: Variant) -> Measured:
    return mean([row["elo"] for row in players if row["name"].startswith(f"W {variant.name} ")], 0)


def _claims(scale: Scale, players: Sequence[Measures], reading: Variant) -> list[Claim]:
    ours, theirs = _champions(players, reading), _champions(players, PREDECESSOR)
    ratings = {row["name"]: rating(row) for row in players}
    judged = partial(claim, scale, "our experiment", rule=above(0))
    fixed = {name: ours - ratings[name] for name in FIXED}
    stronger = "Coevolved champions are stronger than the fixed strategies at equal look-ahead"
    weaker = "They are weaker than a net trained on expert games"
    better = "The paper's method makes stronger champions than its predecessor's"
    return [
        judged(stronger, fixed, note=f"Elo above; the champions have {ours}"),
        judged(weaker, ratings["expert games"] - ours, note="Elo"),
        judged(better, ours - theirs, note=f"Elo; the predecessor's have {theirs}"),
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
