"""What all commands share: tables, JSON, and progress bars with the time left."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

import zeroply as zp
from zeroply.cli import csv_output
from zeroply.progress import Progress

if TYPE_CHECKING:
    from zeroply.records import GameRecord, ReadProblem

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def print_json(value: Any, rows: Sequence[Any] | None = None) -> None:
    """Print JSON; numbers that are not finite become null. With `--csv` print its rows, or the given ones."""
    if csv_output.is_chosen():
        csv_output.write_csv(value, sys.stdout, rows)
        return
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


def bars(*, live: bool = True) -> Bars:
    """Progress bars with the time left, on a terminal only; they disappear when the work is done.

    Unless `live`, no thread draws them in the background.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    return Bars(*columns, console=errors, transient=True, auto_refresh=live, disable=not errors.is_terminal)


@contextmanager
def progress(title: str, *, live: bool = True) -> Iterator[Progress]:
    """A bar on the terminal; the work calls what this yields.

    Unless `live`, the bar is drawn within these calls and takes no time between them.
    """
    with bars(live=live) as bar:
        task = bar.add_task(escape(title), total=None)

        def report(done: int, total: int, text: str = "", /) -> None:
            shown = escape(f"{title} ({text})" if text else title)
            bar.update(task, description=shown, completed=done, total=total, refresh=not live)

        yield report


def print_resume(command: str, save: Path | None = None, overwrite: bool = False) -> None:
    """Print the command that resumes an interrupted run, with the options that save its games."""
    also = "" if save is None else f" --save {shlex.quote(str(save))}{' --overwrite' if overwrite else ''}"
    errors.print(f"resume with: {command}{also}", soft_wrap=True, markup=False)


@contextmanager
def interruptible(run: Path | None, save: Path | None = None, overwrite: bool = False) -> Iterator[None]:
    """On an interrupt, print the command that resumes the run in a folder, if there is one."""
    from zeroply.runs.record import INFO_NAME, resume_command

    try:
        yield
    except KeyboardInterrupt:
        if run is not None and (run / INFO_NAME).exists():
            print_resume(resume_command(run), save, overwrite)
        raise


def set_threads(threads: int | None) -> None:
    """Use the given number of threads, if one is given."""
    if threads is not None:
        zp.set_threads(threads)


@contextmanager
def saving(records: Callable[[], Sequence[GameRecord]], path: Path | None) -> Iterator[None]:
    """Save games to `path`, if given, after a result was printed, even if its reader closed the pipe."""
    try:
        yield
    finally:
        if path is not None:
            from zeroply.records import save

            save(records(), path, overwrite=True)  # it was checked before the games


def warn(faults: Iterable[ReadProblem]) -> None:
    """Print once each what is wrong with files as a whole, not with single games."""
    for fault in dict.fromkeys(faults):
        if not fault.game:
            errors.print(f"warning: {fault}", markup=False, soft_wrap=True)


def print_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[int] = (0,), padding: int = 1
) -> None:
    """Print a table without borders in full, even if the terminal is narrower; only columns `left` are not numbers."""
    table = Table(box=None, show_header=any(titles), header_style="bold", padding=(0, padding))
    for number, title in enumerate(titles):
        table.add_column(escape(title), justify="left" if number in left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(escape, row))
    needed = Console(highlight=False, width=10_000).measure(table).maximum
    Console(highlight=False, width=max(needed, console.width)).print(table)


def counted(number: int, what: str) -> str:
    """A number of things: `1 game`, `2,000 games`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def print_forfeits(forfeits: Sequence[object]) -> None:
    """Print the forfeited games, if there are any."""
    from zeroply.arena.paired_games import forfeit_lines

    for line in forfeit_lines(forfeits):
        console.print(line, markup=False, soft_wrap=True)
