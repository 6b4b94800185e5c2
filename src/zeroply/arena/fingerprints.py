"""Fingerprints of players and openings: they change when a net, a program or a file of openings changes."""

from __future__ import annotations

from collections.abc import Iterable

from zeroply.arena.setup import GameSetup
from zeroply.specs import Spec


def fingerprints(
    players: Iterable[str | Spec], game: str, openings: str = "none", games: int | None = 2
) -> dict[str, str]:
    """The fingerprints of players and openings, by name; raises ZeroplyError if one of them cannot be used."""
    with GameSetup.prepare(game, list(players), openings, games, 0) as setup:
        return setup.fingerprints()
