"""S.reference: how often Black wins between `random` and `naive`, beside the reference rates of public code.

Before nets are measured against these two opponents (Schaul and Schmidhuber 2009, section IV-B) the opponents
themselves must be right. The reference rates were measured with the public descendant of the authors' code (400 games
per pairing on Atari-Go, 200 on Gomoku); its "killing" player takes an immediate win, avoids suicide, and otherwise
plays at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.arena.play import play
from zeroply.games import game
from zeroply.players import player
from zeroply.studies.claims import Claim, above, below, near
from zeroply.studies.measured import share
from zeroply.studies.report import Drawing, Figure, Report, ResultTable, guide
from zeroply.studies.schaul.runs import SIZES
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grouped

PAIRINGS = (("random", "random"), ("naive", "random"), ("random", "naive"), ("naive", "naive"))
REFERENCE = {
    "atarigo(size=5)": (400, (0.55, 0.89, 0.155, 0.525)),
    "atarigo(size=7)": (400, (0.505, 0.935, 0.113, 0.535)),
    "gomoku(size=7)": (200, (0.515, 0.875, 0.185, 0.51)),
}
"""Games played, and the share that Black won, in the order of PAIRINGS."""
MARGIN = 0.15
"""Our rates agree with the reference within this; its samples of 200 games allow no narrower margin."""
_BLOCK = 4096


class ReferenceRates(Study):
    """Black's winning rates between the two fixed opponents."""

    name = "S.reference"
    title = "Black's winning rates between random and naive, against public code"
    source = "Schaul and Schmidhuber 2009, section IV-B; rates of the public code"
    packages = ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        games = SIZES[scale].opponents
        return [
            Unit(
                f"{spec} {black}-{white} seed {seed}",
                {"game": spec, "black": black, "white": white, "games": games},
                seed,
            )
            for spec in REFERENCE
            for black, white in PAIRINGS
            for seed in range(1, seeds + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        board = game(unit.settings["game"])
        players = [player(unit.settings[colour], board) for colour in ("black", "white")]
        key, games = chance.key(unit.seed, unit.name), unit.settings["games"]
        wins = draws = 0
        for low in range(0, games, _BLOCK):
            n = min(_BLOCK, games - low)
            seats = np.tile(np.array([[0, 1]], np.int64), (n, 1))
            winner = play(players, seats, board.start(n), chance.keys(key, np.arange(low, low + n))).final.winner()
            wins, draws = wins + int((winner > 0).sum()), draws + int((winner == 0).sum())
            progress(low + n, games)
        return {"games": games, "wins": wins, "draws": draws}

    def findings(self, units: Units, scale: Scale) -> Report:
        groups, rows = grouped(units, "game", "black", "white"), []
        for spec, (their_games, rates) in REFERENCE.items():
            for pair, theirs in zip(PAIRINGS, rates, strict=True):
                games, wins, draws = (sum(m[key] for m in groups[spec, *pair]) for key in ("games", "wins", "draws"))
                ours = {"n": games, "ours": share(wins, games, 3), "drawn": round(draws / games, 4)}
                reference = {"reference": theirs, "reference games": their_games}
                rows.append({"game": spec, "pairing": "-".join(pair), **ours, **reference})
        names = {f"{row['game']} {row['pairing']}": row for row in rows}
        gaps = {
            name: row["ours"] - share(row["reference"] * row["reference games"], row["reference games"])
            for name, row in names.items()
        }
        printed = {name: row["reference"] for name, row in names.items()}
        stronger = {name: row["ours"] for name, row in names.items() if len(set(row["pairing"].split("-"))) == 2}
        rules = {name: above(0.5) if "naive-random" in name else below(0.5) for name in stronger}
        claim, agree = partial(Claim, "section IV-B"), f"Our rates agree with the reference rates within {MARGIN}"
        return Report(
            "Two fixed opponents, each with Black and with White, from the empty board.",
            [ResultTable("rates", "share of games won by Black, and drawn; pairings are Black-White", rows)],
            [
                claim(agree, gaps, near(0, MARGIN), printed, note="differences"),
                claim("Naive wins most games against random with either colour", stronger, rules, note="Black's wins"),
            ],
            [Drawing("rates", "Black's wins, ours with 95 % intervals", lambda figure: _draw(figure, rows))],
        )


def _draw(figure: Figure, rows: Sequence[dict[str, Any]]) -> None:
    axes = figure.subplots(1, len(REFERENCE), sharey=True)
    for panel, spec in zip(axes, REFERENCE, strict=True):
        some = [row for row in rows if row["game"] == spec]
        places, ours = np.arange(len(some)), [row["ours"] for row in some]
        ends = np.array([[one.value - one.interval().low, one.interval().high - one.value] for one in ours]).T
        panel.bar(places, [row["reference"] for row in some], color="#d9d9d9", label="reference")
        panel.errorbar(places, [one.value for one in ours], ends, fmt="o", color="#1b6ca8", capsize=4, label="ours")
        guide(panel, 0.5)
        panel.set_xticks(places, [row["pairing"] for row in some], rotation=30, ha="right")
        panel.set(title=spec, ylim=(0, 1))
    axes[0].set_ylabel("won by Black")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
