"""What a run reads from files of others: a run that goes on must find it as it was when it began.

A run stores the fingerprints of its players (opponents, judges, nets to begin with) and openings beside its
configuration.
"""

from __future__ import annotations

from collections.abc import Iterable

from zeroply.arena.table import Table
from zeroply.errors import ZeroplyError
from zeroply.runs import Run
from zeroply.specs import Spec

STORED = "fingerprint"
"""What the fingerprints are called beside a configuration."""


def fingerprints(players: Iterable[str | Spec], game: str, openings: str = "none", games: int = 2) -> list[str]:
    """The fingerprints of players and openings; says what is wrong if one cannot be had."""
    with Table.prepare(game, list(players), openings, games, 0) as table:
        return table.fingerprint()


def check_unchanged(run: Run, now: list[str]) -> None:
    """Raise ZeroplyError if fingerprints are not those that a run was started with."""
    if run.info.config[STORED] != now:
        raise ZeroplyError(
            f"{run.folder} cannot go on: a net, program or opening file it uses has changed since it was started"
        )
