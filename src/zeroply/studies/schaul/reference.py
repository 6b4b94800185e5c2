"""S.reference: how often Black wins between `random` and `naive`, beside the reference rates of public code.

Before nets are measured against these two opponents (Schaul and Schmidhuber 2009, section IV-B) the opponents
themselves must be right. The reference rates were measured with the public descendant of the authors' code (400 games
a pairing on Atari-Go, 200 on Gomoku); its "killing" player takes an immediate win, avoids suicide, else plays at
random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply import chance
from zeroply.arena.play import play
from zeroply.arena.statistics import wilson
from zeroply.games import game
from zeroply.players import player
from zeroply.studies.study import Claim, Drawing, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAIRINGS = (("random", "random"), ("naive", "random"), ("random", "naive"), ("naive", "naive"))

REFERENCE = {
    "atarigo(size=5)": (400, (55.0, 89.0, 15.5, 52.5)),
    "atarigo(size=7)": (400, (50.5, 93.5, 11.3, 53.5)),
    "gomoku(size=7)": (200, (51.5, 87.5, 18.5, 51.0)),
}
"""Games played, and Black's wins in percent in the order of PAIRINGS."""

GAMES = {"smoke": 1_000, "cpu": 10_000, "paper": 100_000}
LIMIT = 3.5  # combined standard errors
_BLOCK = 4096


class ReferenceRates(Study):
    """Black's winning rates between the two fixed opponents."""

    name = "S.reference"
    title = "Black's winning rates between random and naive, against public code"
    source = "Schaul and Schmidhuber 2009, section IV-B; rates of the public code"
    packages = ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each game, pairing and seed."""
        return [
            Unit(
                f"{spec} {black}-{white} seed {seed}",
                {"game": spec, "black": black, "white": white, "games": GAMES[scale]},
                seed,
            )
            for spec in REFERENCE
            for black, white in PAIRINGS
            for seed in range(1, seeds + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Play all games with fixed colours and count Black's wins and the draws."""
        the_game = game(unit.settings["game"])
        players = [player(unit.settings[colour], the_game) for colour in ("black", "white")]
        key, games = chance.key(unit.seed, unit.name), unit.settings["games"]
        wins = draws = 0
        for low in range(0, games, _BLOCK):
            n = min(_BLOCK, games - low)
            seats = np.tile(np.array([[0, 1]], np.int64), (n, 1))
            winner = play(players, seats, the_game.start(n), chance.keys(key, np.arange(low, low + n))).final.winner()
            wins, draws = wins + int((winner > 0).sum()), draws + int((winner == 0).sum())
            progress(low + n, games)
        return {"games": games, "wins": wins, "draws": draws}

    def report(self, found: Sequence[tuple[Unit, Measures]]) -> Report:
        """Our rates with intervals beside the reference, in combined standard errors."""
        rows = []
        for spec, (their_games, rates) in REFERENCE.items():
            for (black, white), theirs in zip(PAIRINGS, rates, strict=True):
                rows.append(_row(found, spec, black, white, theirs, their_games))
        worst = max(rows, key=lambda row: abs(row["apart"]))
        claims = [
            Claim(
                f"Our rates agree with the reference rates within {LIMIT} combined standard errors",
                f"largest difference {abs(worst['apart']):.1f} s.e. ({worst['game']}, {worst['pairing']})",
                abs(worst["apart"]) <= LIMIT,
            ),
            _better(rows),
        ]
        caption = "Black's wins in percent with 95 % intervals; pairings are Black-White; apart in standard errors"
        return Report(
            "Two fixed opponents, each with Black and with White, from the empty board. A difference is given in "
            "standard errors of both samples together.",
            [Table("rates", caption, rows)],
            claims,
            [Drawing("rates", "Black's wins in percent, ours with 95 % intervals", lambda figure: _draw(figure, rows))],
        )


def _row(
    found: Sequence[tuple[Unit, Measures]], spec: str, black: str, white: str, theirs: float, their_games: int
) -> dict[str, Any]:
    wanted = {"game": spec, "black": black, "white": white}
    counts = [measures for unit, measures in found if wanted.items() <= unit.settings.items()]
    games = sum(count["games"] for count in counts)
    wins = sum(count["wins"] for count in counts)
    rate = wins / games
    low, high = wilson(wins, games)
    pooled = (wins + theirs / 100 * their_games) / (games + their_games)
    error = math.sqrt(pooled * (1 - pooled) * (1 / games + 1 / their_games))
    return {
        "game": spec,
        "pairing": f"{black}-{white}",
        "n": games,
        "ours": round(100 * rate, 2),
        "low": round(100 * low, 2),
        "high": round(100 * high, 2),
        "theirs": theirs,
        "their n": their_games,
        "apart": round((rate - theirs / 100) / error, 2),
        "draws": round(100 * sum(count["draws"] for count in counts) / games, 2),
    }


def _better(rows: Sequence[dict[str, Any]]) -> Claim:
    """Naive is much stronger than random: it wins more with either colour."""
    by_pairing = {(row["game"], row["pairing"]): row["ours"] for row in rows}
    black = [by_pairing[spec, "naive-random"] for spec in REFERENCE]
    white = [by_pairing[spec, "random-naive"] for spec in REFERENCE]
    return Claim(
        "Naive beats random in most games with either colour",
        f"with Black {min(black):.0f} to {max(black):.0f} %; random wins only {min(white):.0f} to {max(white):.0f} % "
        "as Black against it",
        min(black) > 50 and max(white) < 50,
    )


def _draw(figure: Figure, rows: Sequence[dict[str, Any]]) -> None:
    axes = figure.subplots(1, len(REFERENCE), sharey=True)
    for panel, spec in zip(axes, REFERENCE, strict=True):
        chosen = [row for row in rows if row["game"] == spec]
        places = np.arange(len(chosen))
        ours = np.array([row["ours"] for row in chosen])
        ends = np.array([[row["ours"] - row["low"], row["high"] - row["ours"]] for row in chosen]).T
        panel.bar(places, [row["theirs"] for row in chosen], color="#d9d9d9", label="reference")
        panel.errorbar(places, ours, ends, fmt="o", color="#1b6ca8", capsize=4, label="ours")
        panel.axhline(50, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_xticks(places, [row["pairing"] for row in chosen], rotation=30, ha="right")
        panel.set_title(spec)
        panel.set_ylim(0, 100)
    axes[0].set_ylabel("Black wins (%)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
