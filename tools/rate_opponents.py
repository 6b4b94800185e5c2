"""Rate the opponents of the web page, including shipped nets, in src/zeroply/web/ratings.json.

python tools/rate_opponents.py [--all] [othello] [gomoku] [atarigo]

Opponents without a rating play against rated ones that do not search deeply, which takes a minute or two. Existing
ratings stay: delete the row of a net that has changed. With --all, all players play a round robin and all ratings are
recomputed, which takes long for Othello. The random player has Elo 0.
"""

from __future__ import annotations

import json
import sys
from math import log
from typing import Any

import numpy as np

from zeroply import __version__, league, match, player
from zeroply.cli.output import console, progress
from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically
from zeroply.games import game
from zeroply.records.record import full_spec
from zeroply.web.server.catalogue import RATINGS, opponents

LEAGUES = {
    "othello": ("othello", "random(plies=8)", 40),
    "gomoku": ("gomoku(size=9)", "random(plies=2)", 30),
    "atarigo": ("atarigo(size=7)", "random(plies=2)", 60),
}
"""The board, the openings, and the games of every two players."""
SEED = 1
FURTHEST = 3
"""Maximum search depth of the rated players that a new player plays against."""
_ELO = 400 / log(10)

Row = dict[str, Any]


def rate_all(name: str, openings: str, games: int) -> list[Row]:
    """A round robin of all players."""
    players = [one.player for one in opponents(game(name))]
    with progress(name) as report:
        result = league(players, game=name, openings=openings, games=games, seed=SEED, progress=report)
    elo, error = result.ratings.elo, result.ratings.standard_error
    zero = elo[players.index("random")]
    return [_row(one, elo[place] - zero, error[place]) for place, one in enumerate(players)]


def rate_newcomers(name: str, openings: str, games: int, known: list[Row]) -> list[Row]:
    """The known ratings of all listed players, and ratings of new players against them."""
    listed = [one.player for one in opponents(game(name))]
    rows = [row for row in known if row["player"] in listed]
    rated = {row["player"] for row in rows}
    met = [row for row in rows if player(row["player"], name).look_ahead <= FURTHEST]
    newcomers = [one for one in listed if one not in rated]
    if newcomers and not met:
        raise ZeroplyError(f"no player is rated for {name}: use --all")
    for newcomer in newcomers:
        console.print(f"{newcomer} plays {len(met)} others at {name}")
        results = [
            match(newcomer, row["player"], game=name, openings=openings, games=games, seed=SEED).score for row in met
        ]
        rows.append(_row(newcomer, *fitted(np.array([row["elo"] for row in met]), np.array(results), games)))
    return rows


def fitted(others: np.ndarray[Any, Any], scores: np.ndarray[Any, Any], games: int) -> tuple[float, float]:
    """The maximum-likelihood Elo of a player from mean scores against others of known Elo, and its standard error.

    A game drawn with each of them besides keeps the rating of a player finite that has won or lost all. The error
    leaves out those of the others.
    """
    points, total = scores * games + 0.5, games + 1
    low, high = others.min() - 1000.0, others.max() + 1000.0
    while high - low > 0.01:
        middle = (low + high) / 2
        expected = 1 / (1 + np.exp((others - middle) / _ELO))
        low, high = (middle, high) if (total * expected).sum() < points.sum() else (low, middle)
    return low, float(_ELO / np.sqrt((total * expected * (1 - expected)).sum()))


def _row(one: str, elo: float, error: float) -> Row:
    return {"player": one, "elo": round(float(elo), 1), "error": round(float(error), 1)}


def main(words: list[str]) -> None:
    """Rate the named games, or all; the file is written after each."""
    anew, names = "--all" in words, [word for word in words if word != "--all"]
    if unknown := set(names) - set(LEAGUES):
        raise SystemExit(f"no league of {', '.join(sorted(unknown))}: choose from {', '.join(LEAGUES)}")
    for name in names or LEAGUES:
        board, openings, number = LEAGUES[name]
        games = json.loads(RATINGS.read_text())["games"] if RATINGS.exists() else {}
        key = str(full_spec(game(board)))
        known = games[key]["players"] if key in games else []
        rows = rate_all(board, openings, number) if anew else rate_newcomers(board, openings, number, known)
        rows.sort(key=lambda row: -row["elo"])
        games[key] = {"openings": openings, "games": number, "seed": SEED, "players": rows}
        text = json.dumps({"zeroply": __version__, "games": games}, indent=1)
        write_atomically(RATINGS, f"{text}\n".encode())
        for row in rows:
            console.print(f"{board:16} {row['elo']:7.1f} ± {row['error']:5.1f}  {row['player']}")


if __name__ == "__main__":
    main(sys.argv[1:])
