"""The opponents a person can choose from at each game: what each is in a line, and how strong where it was measured.

Ratings are Elo above the random player, from leagues that `tools/rate_opponents.py` plays and keeps in `ratings.json`.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.nets import inspect, shipped
from zeroply.players import player
from zeroply.records.record import full_spec
from zeroply.web.server.schemas import Opponent

RATINGS = Path(__file__).parents[1] / "ratings.json"
"""Measured ratings by game and player."""

NETS = {
    "othello": (
        "Trained net",
        "Learned from expert games and from what moves cost. Looks at the board once; no search.",
    ),
    "othello-swh": ("Weighted squares", "A weight for each square, the oldest baseline of Othello programs."),
}
"""What is said of nets that come with zeroply, where there is more to say than their files do."""

BEGINNERS = (
    ("random", "Random", "Any legal move."),
    ("naive", "Naive", "Wins at once if it can, never loses at once, else plays anything."),
)
OTHELLO = (
    ("greedy", "Greedy", "Turns as many discs as it can. Easy to beat."),
    ("alphabeta(depth=3, eval=mobility)", "Mobility, 3 plies", "Looks ahead for more moves than the other side has."),
)
OTHELLO_8 = (
    (
        "alphabeta(depth=2, eval=positional)",
        "Square values, 2 plies",
        "Knows what squares are worth; looks two plies ahead.",
    ),
    ("iagno(level=1)", "Iagno 1", "GNOME Iagno's strategy, easy."),
    ("iagno(level=2)", "Iagno 2", "GNOME Iagno's strategy, medium."),
    ("iagno(level=3)", "Iagno 3", "GNOME Iagno's strategy, hard."),
    ("engine(depth=1)", "Engine 1", "zeroply's own engine, one ply ahead."),
    ("engine(depth=3)", "Engine 3", "zeroply's own engine, three plies; exact in the last 6 moves."),
    ("engine(depth=5)", "Engine 5", "zeroply's own engine, five plies; exact in the last 10 moves."),
    ("engine(depth=8)", "Engine 8", "zeroply's own engine, eight plies; exact in the last 16 moves. Very strong."),
)
GOMOKU = (
    ("alphabeta(depth=1, eval=lines)", "Lines, 1 ply", "Counts open rows of five; does not look at your reply."),
    ("alphabeta(depth=2, eval=lines)", "Lines, 2 plies", "Counts open rows of five; sees your reply."),
    ("alphabeta(depth=4, eval=lines)", "Lines, 4 plies", "Counts open rows of five; at most 2 seconds a move."),
)
ATARIGO = (
    ("alphabeta(depth=1, eval=liberties)", "Liberties, 1 ply", "Counts liberties; does not look at your reply."),
    ("alphabeta(depth=3, eval=liberties)", "Liberties, 3 plies", "Counts liberties; looks three plies ahead."),
    ("alphabeta(depth=5, eval=liberties)", "Liberties, 5 plies", "Counts liberties; at most 2 seconds a move."),
)
SEARCHERS = {"othello": OTHELLO, "gomoku": GOMOKU, "atarigo": ATARIGO}


def opponents(game: Game) -> list[Opponent]:
    """All that play the game, each kind together; within a kind as listed here."""
    found = [_opponent(*one, "Nets, no look-ahead", game) for one in nets(game)]
    found += [_opponent(*one, "Beginners", game) for one in BEGINNERS]
    searchers = SEARCHERS.get(game.name, ())
    if game.name == "othello" and game.size == 8:
        searchers = (*searchers, *OTHELLO_8)
    return found + [_opponent(*one, "Players that look ahead", game) for one in searchers]


@lru_cache(maxsize=64)
def nets(game: Game) -> tuple[tuple[str, str, str], ...]:
    """The nets that come with zeroply and play the game: spec, title and a line."""
    found = []
    for name in shipped():
        spec = f"net({name})"
        try:
            player(spec, game).close()
        except ZeroplyError:
            continue
        title, about = NETS.get(name, (name, ""))
        found.append((spec, title, about or _about(name)))
    return tuple(found)


def _about(name: str) -> str:
    info = inspect(name)
    return str(info.training.get("about", "")) or f"A net of architecture {info.spec}."


def _opponent(spec: str, title: str, about: str, group: str, game: Game) -> Opponent:
    rating, rated_at = rating_of(spec, game)
    return Opponent(player=spec, title=title, about=about, group=group, rating=rating, rated_at=rated_at)


def rating_of(spec: str, game: Game) -> tuple[int | None, str | None]:
    """Elo above random and the game it was measured at: this one, or else the same game on another board."""
    tables = _ratings()
    own = str(full_spec(game))
    for name in (own, *(other for other in sorted(tables) if other.partition("(")[0] == game.name)):
        elo = tables.get(name, {}).get(spec)
        if elo is not None:
            return round(elo), name
    return None, None


@cache
def _ratings() -> dict[str, dict[str, float]]:
    try:
        found = json.loads(RATINGS.read_text())
        return {game: {row["player"]: row["elo"] for row in table["players"]} for game, table in found["games"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
