"""What all commands share: tables, JSON for programs, and progress bars with time left."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import zeroply as zp

if TYPE_CHECKING:
    from zeroply.records import Fault, GameRecord

Report = Callable[[int, int], None]
"""What long work calls with the steps done and the steps in all."""
FORFEITS_SHOWN = 10
"""How many forfeits are printed; JSON has them all."""

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Print for programs; numbers that are not finite become null."""
    json.dump(_strict(value), sys.stdout, indent=2)
    print()


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def bars(*, live: bool = True) -> Progress:
    """Progress bars with time left, on the terminal only, gone when the work is done.

    Unless `live`, no thread of theirs runs beside the work, and they are drawn only when asked to.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    return Progress(*columns, console=errors, transient=True, auto_refresh=live, disable=not errors.is_terminal)


@contextmanager
def progress(title: str, *, live: bool = True) -> Iterator[Report]:
    """A bar on the terminal, gone when the work is done; the work calls what this yields.

    Unless `live`, the bar is drawn within these calls and takes no time between them.
    """
    with bars(live=live) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=not live)


def say_resume(command: str, save: Path | None = None, overwrite: bool = False) -> None:
    """Say by which command an interrupted run goes on, and saves its games if they were to be saved."""
    also = "" if save is None else f" --save {shlex.quote(str(save))}{' --overwrite' if overwrite else ''}"
    errors.print(f"go on with: {command}{also}", soft_wrap=True, markup=False)


@contextmanager
def interruptible(run: Path | None, save: Path | None = None, overwrite: bool = False) -> Iterator[None]:
    """Say how to go on if work is interrupted that is kept as a run in a folder."""
    from zeroply.runs.record import INFO_NAME, resume_command

    try:
        yield
    except KeyboardInterrupt:
        if run is not None and (run / INFO_NAME).exists():
            say_resume(resume_command(run), save, overwrite)
        raise


def set_threads(threads: int | None) -> None:
    """Use the given number of threads, if one is given."""
    if threads is not None:
        zp.set_threads(threads)


@contextmanager
def saving(records: Callable[[], Sequence[GameRecord]], path: Path | None) -> Iterator[None]:
    """Save games, if they are to be, after a result was printed, and also if nobody reads it to its end."""
    try:
        yield
    finally:
        if path is not None:
            from zeroply.records import save

            save(records(), path)


def warn(faults: Iterable[Fault]) -> None:
    """Say once each what is wrong with files, or names beside them, rather than with games."""
    for fault in dict.fromkeys(faults):
        if not fault.game:
            errors.print(f"warning: {fault}", markup=False, soft_wrap=True)


def print_table(table: Table) -> None:
    """Print a table whole, also where the terminal is narrower."""
    wide = Console(highlight=False, width=10_000)
    needed = wide.measure(table).maximum
    Console(highlight=False, width=max(needed, console.width)).print(table)


def counted(number: int, what: str) -> str:
    """A number of things: `1 game`, `2,000 games`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def interval(low: float, high: float, form: str = ".3f") -> str:
    """An interval as text."""
    return f"[{low:{form}}, {high:{form}}]"


def print_forfeits(forfeits: Sequence[object]) -> None:
    """Print the games that were lost by other means than moves, if there are any."""
    if not forfeits:
        return
    console.print(f"\n  forfeits {len(forfeits)}")
    for lost in forfeits[:FORFEITS_SHOWN]:
        console.print(f"    {lost}", markup=False, soft_wrap=True)
    if len(forfeits) > FORFEITS_SHOWN:
        console.print(f"    ... and {len(forfeits) - FORFEITS_SHOWN} more, see --json")
