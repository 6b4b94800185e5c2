"""What the commands share that play games and may keep them in a run: checks before, going on, and a warning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import zeroply as zp
from zeroply.arena.keeping import told
from zeroply.arena.openings import Opening, Openings, setups
from zeroply.cli.output import progress, saving
from zeroply.records import check_output
from zeroply.runs import Run


class Played(Protocol):
    """The result of a match or a league."""

    @property
    def openings(self) -> Openings:
        """Where the games started."""

    def records(self) -> list[zp.GameRecord]:
        """Every game."""


Result = TypeVar("Result", bound=Played)


def check_save(save: Path | None, overwrite: bool, game: str, openings: str | Sequence[str], games: int | None) -> None:
    """Raise ZeroplyError if games are to be saved and could not be, before any is played."""
    if save is not None:
        check_output(save, game, overwrite, setups(openings, zp.game(game), games))


def go_on(
    run: Run,
    resume: Callable[..., Result],
    show: Callable[[Result], None],
    save: Path | None,
    overwrite: bool,
) -> None:
    """Go on with the run of a match or league, or tell of a finished one again; its games may be saved then."""
    if save is not None:
        config = run.info.config
        if run.finished:
            given = told(run)[0].setups()
        else:
            given = setups(config["openings"], zp.game(config["game"]), config["games"])
        check_output(save, config["game"], overwrite, given)
    with progress(run.info.kind) as report:
        result = resume(run, progress=report)
    with saving(result.records, save):
        show(result)


def for_others(result: Played) -> str:
    """How to get games that differ more."""
    return f"give {'--openings' if result.openings[0] == Opening() else 'more openings'} for others"
