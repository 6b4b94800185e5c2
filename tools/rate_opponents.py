"""Rate the opponents of the web page: a league for each game, written to src/zeroply/web/ratings.json.

python tools/rate_opponents.py

Elo is counted from the random player. On two cores it takes some minutes.
"""

from __future__ import annotations

import json

from zeroply import __version__, league
from zeroply.files import write_atomically
from zeroply.games import game
from zeroply.records.record import full_spec
from zeroply.web.server.catalogue import RATINGS, opponents

LEAGUES = {
    "othello": ("random(plies=8)", 40),
    "gomoku(size=9)": ("random(plies=2)", 30),
    "atarigo(size=7)": ("random(plies=2)", 60),
}
"""Openings and games of every two players."""
SEED = 1


def main() -> None:
    """Play the leagues and write the file."""
    games = {}
    for name, (openings, number) in LEAGUES.items():
        the_game = game(name)
        players = [one.player for one in opponents(the_game)]
        result = league(players, game=name, openings=openings, games=number, seed=SEED)
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
        games[str(full_spec(the_game))] = {"openings": openings, "games": number, "seed": SEED, "players": rows}
        for row in rows:
            print(f"{name:16} {row['elo']:7.1f} ± {row['error']:5.1f}  {row['player']}", flush=True)
    text = json.dumps({"zeroply": __version__, "games": games}, indent=1)
    write_atomically(RATINGS, f"{text}\n".encode())


if __name__ == "__main__":
    main()
