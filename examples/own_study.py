"""A study of your own: does it help to move first, and on which boards?

Command line:  zeroply --import own_study study run own.first-move --seeds 2   (in this folder)
"""

from __future__ import annotations

from collections.abc import Sequence

import zeroply as zp
from zeroply import chance
from zeroply.studies import Claim, Report, Scale, Study, Unit
from zeroply.studies.claims import above
from zeroply.studies.measured import share
from zeroply.studies.report import ResultTable
from zeroply.studies.study import Measures, Progress, Units, grouped

GAMES = {"smoke": 200, "cpu": 100_000, "paper": 10_000_000}
BOARDS = ("othello", "gomoku(size=9)", "hex(size=5)")


class FirstMove(Study):
    """Random players against each other."""

    name = "own.first-move"
    title = "How often the side that moves first wins between random players"
    source = "a question of our own"
    packages = ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """A unit is measured alone, from its own seed, and is not measured again by a resumed run."""
        settings = [{"game": game, "games": GAMES[scale]} for game in BOARDS]
        return [Unit(f"{one['game']} seed {seed}", one, seed) for one in settings for seed in range(1, seeds + 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Plain numbers, which are stored with the unit."""
        game = zp.game(unit.settings["game"])
        tally = game.core.random_games(chance.key(unit.seed, unit.name), unit.settings["games"])
        return {"games": tally.games, "wins": tally.black_wins}

    def findings(self, units: Units, scale: Scale) -> Report:
        """Tables, and claims that can turn out false."""
        rows = []
        for (game,), measures in grouped(units, "game").items():
            wins, games = (sum(one[key] for one in measures) for key in ("wins", "games"))
            rows.append({"game": game, "games": games, "first side wins": share(wins, games, 3)})
        small_hex = next(row["first side wins"] for row in rows if row["game"] == "hex(size=5)")
        text = "Moving first helps on a small board of Hex"
        claim = Claim("our own", text, small_hex, above(0.5))
        wins = ResultTable("wins", "wins of the side that moves first", rows)
        return Report("Games of random players.", [wins], [claim])
