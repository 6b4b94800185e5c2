"""What the commands of evolution and coevolution share: who plays the games, and the live bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.table import Table

from zeroply.cli.output import bars, console
from zeroply.errors import ZeroplyError
from zeroply.learning.champions import player_of

SHOWN = 10
"""About how many generations are printed; JSON has them all."""


def where_of(processes: int | None, cluster: str | None) -> str:
    """Who plays the games, as `executors.workers` names them."""
    if processes is not None and cluster is not None:
        raise ZeroplyError("give --processes or --cluster, not both")
    if processes is not None:
        return f"processes:{processes}"
    if cluster is None:
        return "threads"
    if not cluster.startswith("local:") and "://" not in cluster:
        raise ZeroplyError(f"a cluster is tcp://host:port or local:2, not '{cluster}'")
    return cluster


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
