"""`zeroply ntuples`: learn n-tuple players of Othello by temporal differences or by coevolution."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from rich.table import Table

from zeroply.cli.output import Report, console, interruptible, print_json, print_table, progress, set_threads
from zeroply.learning import ntuple_coevolution, ntuple_tdl
from zeroply.learning.ntuple_champion import Learned, player_of, summary
from zeroply.learning.ntuple_coevolution import CoevolutionConfig
from zeroply.learning.ntuple_tdl import TdlConfig
from zeroply.options import Flat
from zeroply.runs import Run


def tdl(config: Annotated[TdlConfig, Flat], run: Path, threads: int | None = None, json: bool = False) -> None:
    """Learn by temporal differences from self-play; ends with champion.player in the folder.

    Example: zeroply ntuples tdl --shape all-3 --games 200000 --run runs/all3 --seed 1

    Args:
        config: What decides what is learned.
        run: New folder of the run.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    with _bar("games", run) as report:
        result = ntuple_tdl.learn(config, run, report)
    _print(result, json)


def coevolve(
    config: Annotated[CoevolutionConfig, Flat], run: Path, threads: int | None = None, json: bool = False
) -> None:
    """Coevolve by CMA-ES, every generation a round robin; ends with champion.player in the folder.

    Example: zeroply ntuples coevolve --shape all-2 --generations 500 --run runs/all2 --seed 1

    Args:
        config: What decides what evolves.
        run: New folder of the run.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    with _bar("generations", run) as report:
        result = ntuple_coevolution.coevolve(config, run, report)
    _print(result, json)


ntuples = {"tdl": tdl, "coevolve": coevolve}


def resume_tdl(run: Run, json: bool) -> None:
    """Go on with learning by temporal differences."""
    with progress("games") as report:
        result = ntuple_tdl.resume(run, report)
    _print(result, json)


def resume_coevolution(run: Run, json: bool) -> None:
    """Go on with coevolution."""
    with progress("generations") as report:
        result = ntuple_coevolution.resume(run, report)
    _print(result, json)


@contextmanager
def _bar(title: str, run: Path) -> Iterator[Report]:
    """A progress bar; when interrupted, says how to go on."""
    with interruptible(run), progress(title) as report:
        yield report


def _print(result: Learned, json: bool) -> None:
    if json:
        print_json(summary(result))
        return
    table = Table(box=None, header_style="bold", padding=(0, 1))
    table.add_column(result.steps, justify="right")
    table.add_column("score", justify="right")
    for done, score in result.scores.items():
        table.add_row(str(done), f"{score:.3f}")
    console.print(f"champion against {result.opponent}\n", markup=False)
    print_table(table)
    console.print(f"\nplay it as {player_of(result.champion)}", soft_wrap=True, markup=False)
