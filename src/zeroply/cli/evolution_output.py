"""What the commands of evolution and coevolution share: the live bar, tables, and how to play a champion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.table import Table

from zeroply.cli.output import bars, console
from zeroply.learning.champions import player_of

SHOWN = 10
"""About how many generations are printed; JSON has them all."""


@contextmanager
def generations_bar(line: Callable[[Any], str]) -> Iterator[Callable[[Any, int], None]]:
    """A bar over generations; `line` says in a few words how one came out."""
    with bars() as bar:
        task = bar.add_task("generations", total=None)

        def report(done: Any, total: int) -> None:
            bar.update(task, description=f"generations ({line(done)})", completed=done.number, total=total)

        yield report


def generations_table(generations: Sequence[Any], titles: Sequence[str], row: Callable[[Any], Sequence[str]]) -> Table:
    """About `SHOWN` generations spread over a run; `row` says what stands under the titles."""
    table = Table(box=None, header_style="bold", padding=(0, 1))
    for title in titles:
        table.add_column(title, justify="right")
    step = max(1, len(generations) // SHOWN)
    for one in generations[step - 1 :: step]:
        table.add_row(*row(one))
    return table


def champion_line(champion: Path) -> None:
    """Say how to play the last champion and how to get the others."""
    console.print(f"\nplay the champion as {player_of(champion)}", soft_wrap=True, markup=False)
    console.print(
        f"earlier ones: zeroply champion {champion.parent} --generation 1 --out FILE.safetensors",
        style="dim",
        soft_wrap=True,
        markup=False,
    )
