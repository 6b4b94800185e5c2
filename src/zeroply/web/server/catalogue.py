"""The players offered for each game, with a one-line description and a rating if measured.

Ratings are Elo (random player = 0) from leagues that `tools/rate_opponents.py` plays and writes to `ratings.json`.
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
from zeroply.web.server.schemas import OfferedPlayer

RATINGS = Path(__file__).parents[1] / "ratings.json"
"""Measured ratings by game and player."""

NETS = {
    "net(othello)": (
        "Trained net",
        "Learned from expert games and from how many discs each move loses. Looks at the board once; no search.",
    ),
    "net(othello-swh)": ("Weighted squares", "A weight for each square, the oldest baseline of Othello programs."),
}
"""Title and description of shipped nets whose files do not contain them."""

BEGINNERS = (
    ("random", "Random", "Any legal move."),
    ("naive", "Naive", "Wins at once if it can, never loses at once, else plays anything."),
)


def opponents(game: Game) -> list[OfferedPlayer]:
    """All players of a game, grouped by kind; the best net comes first and is the page's default."""
    rows = [_opponent(*one, "Nets, no search", game) for one in nets(game)]
    rows.sort(key=lambda one: one.rating if one.rating is not None else -1, reverse=True)
    rows += [_opponent(*one, "Beginners", game) for one in BEGINNERS]
    offered = game.facts.opponents
    return rows + [_opponent(one.player, one.title, one.about, "Players that search", game) for one in offered]


@lru_cache(maxsize=64)
def nets(game: Game) -> tuple[tuple[str, str, str], ...]:
    """The shipped nets of a game: spec, title and description."""
    listed = []
    for name in shipped():
        spec = f"net({name})"
        try:
            player(spec, game).close()
        except ZeroplyError:
            continue
        title, about = NETS.get(spec, (name, ""))
        listed.append((spec, title, about or _about(name)))
    return tuple(listed)


def _about(name: str) -> str:
    info = inspect(name)
    return str(info.training.get("about", "")) or f"A net of architecture {info.spec}."


def _opponent(spec: str, title: str, about: str, group: str, game: Game) -> OfferedPlayer:
    rating, rated_at = rating_of(spec, game)
    return OfferedPlayer(player=spec, title=title, about=about, group=group, rating=rating, rated_at=rated_at)


def rating_of(spec: str, game: Game) -> tuple[int | None, str | None]:
    """Elo and the game it was measured on: this one, otherwise the same game on another board size."""
    tables = ratings()
    own = str(full_spec(game))
    for name in (own, *(other for other in sorted(tables) if other.partition("(")[0] == game.name)):
        elo = tables.get(name, {}).get(spec)
        if elo is not None:
            return round(elo), name
    return None, None


@cache
def ratings() -> dict[str, dict[str, float]]:
    """Elo by game and player."""
    try:
        file = json.loads(RATINGS.read_text())
        return {game: {row["player"]: row["elo"] for row in table["players"]} for game, table in file["games"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
