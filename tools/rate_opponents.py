"""Rate the opponents of the web page: a league for each game, written to src/zeroply/web/ratings.json.

python tools/rate_opponents.py [othello] [gomoku] [atarigo]

All that the page lists take part, nets that come with zeroply too: run it again when one is added, for all games or
only for those that are named. Elo is counted from the random player. Gomoku and Atari-Go take a few minutes on a core.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from zeroply import __version__, league
from zeroply.cli.output import progress
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


def rated(name: str, openings: str, games: int) -> dict[str, Any]:
    """What the file tells of one game."""
    players = [one.player for one in opponents(game(name))]
    with progress(name) as report:
        result = league(players, game=name, openings=openings, games=games, seed=SEED, progress=report)
    ratings = result.ratings
    zero = ratings.elo[players.index("random")]
    rows = [
        {
            "player": players[place],
            "elo": round(float(ratings.elo[place] - zero), 1),
            "error": round(float(ratings.standard_error[place]), 1),
        }
        for place in result.ranking()
    ]
    for row in rows:
        print(f"{name:16} {row['elo']:7.1f} ± {row['error']:5.1f}  {row['player']}", flush=True)
    return {"openings": openings, "games": games, "seed": SEED, "players": rows}


def main(names: list[str]) -> None:
    """Play the leagues; the file is written after each, and other games in it stay as they are."""
    if unknown := set(names) - set(LEAGUES):
        raise SystemExit(f"there is no league of {', '.join(sorted(unknown))}: name some of {', '.join(LEAGUES)}")
    for name in names or LEAGUES:
        board, openings, number = LEAGUES[name]
        known = json.loads(RATINGS.read_text())["games"] if RATINGS.exists() else {}
        games = {**known, str(full_spec(game(board))): rated(board, openings, number)}
        text = json.dumps({"zeroply": __version__, "games": games}, indent=1)
        write_atomically(RATINGS, f"{text}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
